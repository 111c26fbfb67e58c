"""What becomes of the values in a tool's inputs, arguments and results: strings, numbers, and JSON in strings."""

import json
from typing import Any

import pytest

from tests.api.llm.prompts.prompting import ID, NAME, called, contents, masked, sent, user


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"id": ID}, False),
        ({"name": NAME}, False),
        ({"passportNumber": "A12345678"}, False),
        ({"passport": {"number": "A12345678"}}, False),
        ({"colour": "A12345678"}, True),
        ({"a": [[{"b": [ID]}]]}, False),
        ([ID], False),
        (json.dumps({"id": ID}), False),
        ({"note": "nothing", "n": 12345678, "f": 1.25, "b": True, "z": None, ID: 1}, True),
    ],
)
def test_values_in_a_tools_input_are_masked_under_the_label_of_their_key(arguments: Any, kept: bool):
    assert (called(arguments) == arguments) is kept


@pytest.mark.parametrize("key", ["id", "name", "type", "model", "tool_use_id", "signature", "data", "thinking"])
def test_a_key_of_the_format_is_the_callers_own_inside_a_tools_input(key: str):
    assert ID not in json.dumps(called({key: ID, "deep": {"type": "thinking", key: ID}}))


@pytest.mark.parametrize(
    ("spelled", "is_masked"),
    [
        ("1012345672", True),
        ("-1012345672", True),
        ("1012345672.0", True),
        ("1.012345672e9", True),
        ("1.012345672e009", True),
        ("10123456720e-1", True),
        ("1012345672e-0", True),
        ("1012345673", False),
        ("1012345672.5", False),
        ("1.012345672e-9", False),
        ("1e999999999", False),
        ("1" * 5000, False),
    ],
)
def test_a_whole_number_in_a_tools_input_becomes_a_token_when_it_is_somebodys(spelled: str, is_masked: bool):
    body = b'{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"national_id":%s}}]}]}'
    raw = body % spelled.encode()

    result = masked(raw)

    assert (result.body == raw) is not is_masked
    if is_masked:
        (token,) = result.minted.numbers
        assert result.body == body % f'"{token}"'.encode()
        assert result.minted.originals == {token: spelled}


def test_a_value_that_is_a_string_and_a_number_is_restored_as_a_string():
    """A tool whose schema wants a string would refuse the number."""
    for values, is_number in (([ID, int(ID)], False), ([int(ID)], True)):
        blocks = [{"type": "tool_use", "id": "t", "name": "n", "input": {"national_id": value}} for value in values]
        result = masked({"messages": [{"role": "assistant", "content": blocks}]})
        assert bool(result.minted.numbers) is is_number


def test_numbers_elsewhere_stay():
    body = {"max_tokens": 1012345672, "seed": 1012345672, "metadata": {"national_id": 1012345672}, **user("hi")}

    assert sent(body) == body


def test_a_number_known_from_an_earlier_text_is_masked():
    body = user("My MRN is 12345678.")
    body["messages"].append({"role": "assistant", "content": [{"type": "tool_use", "input": {"x": 12345678}}]})

    result = masked(body)
    leaf = json.loads(result.body)["messages"][1]["content"][0]["input"]["x"]

    assert result.minted.originals[leaf] == "12345678"
    assert leaf in result.minted.numbers


def call(arguments: str) -> dict[str, Any]:
    tool = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"messages": [{"role": "assistant", "content": None, "tool_calls": [tool]}]}


def arguments_of(body: Any) -> str:
    result: str = body["messages"][0]["tool_calls"][0]["function"]["arguments"]
    return result


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        ('{"mail": "a.b\\u0040example.com"}', '{"mail": "<EMAIL_ADDRESS>"}'),
        ('{ "id" :  1012345672 , "k":1.50 }', '{ "id" :  "<NATIONAL_ID>" , "k":1.50 }'),
        ('{"id": "1012345672", "id": "1012345672"}', '{"id": "<NATIONAL_ID>", "id": "<NATIONAL_ID>"}'),
        ('["1012345672", [{"n": "سلمان الحربي"}]]', '["<NATIONAL_ID>", [{"n": "<PERSON>"}]]'),
        ('"ID 1012345672"', '"ID <NATIONAL_ID>"'),
        ('{"q": "say \\"1012345672\\"\\n"}', '{"q": "say \\"<NATIONAL_ID>\\"\\n"}'),
        ('{"half": "1012345672', '{"half": "<NATIONAL_ID>'),
        ("look up 1012345672", "look up <NATIONAL_ID>"),
        ('{"1012345672": "x\\u00e9", "e":1E+2}', '{"1012345672": "x\\u00e9", "e":1E+2}'),
        ('{"a": NaN, "id": "1012345672"}', '{"a": NaN, "id": "<NATIONAL_ID>"}'),
        ("[" * 3000 + '"1012345672"' + "]" * 3000, "[" * 3000 + '"<NATIONAL_ID>"' + "]" * 3000),
        ("", ""),
    ],
)
def test_arguments_keep_all_but_the_values_that_are_masked(arguments: str, pattern: str):
    result = masked(call(arguments), "openai")
    shown = arguments_of(json.loads(result.body))

    for token in result.minted.originals:
        shown = shown.replace(token, f"<{token[8:-10]}>")
    assert shown == pattern


def test_names_in_escapes_are_masked_in_results_and_texts():
    escaped = json.dumps({"name": "سلمان الحربي", "mrn": 123456, "date": "12/05/1990"}).replace("/", "\\/")
    results = [
        {"type": "tool_result", "tool_use_id": "t", "content": escaped},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": escaped}]},
        {"type": "text", "text": f"سلمان الحربي sent {escaped}"},
    ]

    result = masked({"messages": [{"role": "user", "content": results}]})
    shown = result.body.decode()

    assert "\\\\u0633" not in shown
    assert "123456" not in shown
    assert "1990" not in json.dumps(contents(json.loads(result.body))[0][:2])
    assert sum("سلمان" in original for original in result.minted.originals.values()) == 1


def test_numbers_in_a_results_json_become_token_strings():
    content = json.dumps({"rows": [{"national_id": 1012345672}]})
    body = {"messages": [{"role": "tool", "tool_call_id": "c", "content": content}]}

    result = masked(body, "openai")
    (token,) = result.minted.numbers

    assert json.loads(contents(json.loads(result.body))[0]) == {"rows": [{"national_id": token}]}


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("anthropic", {"role": "assistant", "content": [{"type": "new_tool_use", "input": {"national_id": int(ID)}}]}),
        ("anthropic", {"role": "user", "content": [{"type": "new_result", "content": [{"national_id": int(ID)}]}]}),
        ("anthropic", {"role": "user", "content": [{"type": "new", "national_id": int(ID)}]}),
        ("anthropic", {"role": "user", "content": [{"type": "text", "text": "a", "new": {"national_id": int(ID)}}]}),
        ("anthropic", {"role": "user", "content": {"national_id": int(ID)}}),
        ("openai", {"role": "assistant", "content": "a", "parsed": {"national_id": int(ID), "of": ID}}),
        ("openai", {"role": "user", "content": [{"type": "new_part", "new_part": {"national_id": int(ID)}}]}),
        ("openai", {"role": "user", "content": "a", "new": {"national_id": int(ID)}}),
    ],
)
def test_numbers_in_what_no_rule_names_do_not_get_through(provider: str, message: Any):
    assert ID not in masked({"messages": [message]}, provider).body.decode()


def test_what_the_official_package_parsed_is_masked_as_the_arguments_beside_it():
    body = call(json.dumps({"national_id": int(ID)}))
    body["messages"][0]["tool_calls"][0]["function"]["parsed_arguments"] = {"national_id": int(ID)}

    function = sent(body, "openai")["messages"][0]["tool_calls"][0]["function"]

    assert json.loads(function["arguments"]) == function["parsed_arguments"]
    assert function["parsed_arguments"]["national_id"].startswith("<MASKED_NATIONAL_ID_")


@pytest.mark.parametrize(
    ("provider", "known"),
    [
        ("anthropic", ("thinking", "output_config", "tool_choice", "fallbacks", "container")),
        ("openai", ("audio", "tool_choice", "web_search_options", "moderation", "response_format")),
    ],
)
def test_numbers_that_steer_the_provider_stay_also_those_that_are_new_tomorrow(provider: str, known: tuple[str, ...]):
    new = {"new_limit": int(ID), "new_limits": [int(ID)]}
    body = {**new, **dict.fromkeys(known, new), "tools": [{"name": "f", **new}], **user("hi")}

    assert sent(body, provider) == body


def test_numbers_in_an_object_of_a_field_that_is_new_do_not_get_through():
    body = {"new": {"about": [{"national_id": int(ID)}]}, **user("hi")}

    assert ID not in masked(body).body.decode()
