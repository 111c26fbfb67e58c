"""Detection in a tool's JSON as a whole: neighbours and column heads say what a value is. Keys stay unchanged."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.api.llm.prompts.prompting import NAME, called, contents, detector, masked, restored, sent, tokens_of, user

PASSPORT, FILE_NUMBER, STUDENT, SHORT = "K12345678", "48392177", "441012345", "12345"
DESCRIBED_BY_NEIGHBOURS = {
    "what a type says": ({"identifier": [{"type": {"text": "Medical Record Number"}, "value": FILE_NUMBER}]}, "MRN"),
    "the head of a column": ({"columns": ["name", "mrn"], "rows": [["x", FILE_NUMBER]]}, "MRN"),
    "a field's name": ({"field": "Passport number", "value": PASSPORT}, "PASSPORT"),
    "a kind": ({"documents": [{"kind": "passport", "number": PASSPORT}]}, "PASSPORT"),
    "a label": ([{"label": "MRN", "text": FILE_NUMBER}], "MRN"),
    "a label in an array": (["Passport number:", PASSPORT], "PASSPORT"),
    "a segment": (["PID", "MRN", FILE_NUMBER], "MRN"),
    "a key further up": ({"passport": {"country": "SA", "value": {"raw": PASSPORT}}}, "PASSPORT"),
    "Arabic": ({"نوع الوثيقة": "جواز سفر", "رقم": PASSPORT}, "PASSPORT"),
    "Arabic columns": ({"الأعمدة": ["الاسم", "رقم الجواز"], "الصفوف": [["x", PASSPORT]]}, "PASSPORT"),
    "a number's label": ({"field": "MRN", "value": int(FILE_NUMBER)}, "MRN"),
    "one that tells nobody by itself": ({"field": "MRN", "value": SHORT}, "MRN"),
    "a format's key": ({"type": ["MRN", int(FILE_NUMBER)]}, "MRN"),
    "another": ({"mrn": "MRN", "signature": int(FILE_NUMBER)}, "MRN"),
    "a number's column": ({"columns": ["student id"], "rows": [[int(STUDENT)]]}, "STUDENT_ID"),
}


def results(content: Any) -> Any:
    """What becomes of a tool's result."""
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content}
    return contents(sent({"messages": [{"role": "user", "content": [block]}]}))[0][0]["content"]


def message_of(tool_message: Any) -> Any:
    return sent({"messages": [{"tool_call_id": "call_1", **tool_message}]}, "openai")["messages"][0]


def spelled(tree: Any, *, ascii_only: bool = False) -> str:
    return json.dumps(tree, ensure_ascii=ascii_only)


def arguments(text: str) -> str:
    tool = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": text}}
    message = {"role": "assistant", "content": None, "tool_calls": [tool]}
    return str(sent({"messages": [message]}, "openai")["messages"][0]["tool_calls"][0]["function"]["arguments"])


PLACES = {
    "result": lambda tree: json.loads(results(spelled(tree))),
    "result in escapes": lambda tree: json.loads(results(spelled(tree, ascii_only=True))),
    "block of a result": lambda tree: json.loads(results([{"type": "text", "text": spelled(tree)}])[0]["text"]),
    "result of no block": lambda tree: results([{"of": tree}])[0]["of"],
    "new block": lambda tree: results([{"type": "new", "of": tree}])[0]["of"],
    "message": lambda tree: json.loads(message_of({"role": "tool", "content": spelled(tree)})["content"]),
    "arguments": lambda tree: json.loads(arguments(spelled(tree))),
    "arguments in escapes": lambda tree: json.loads(arguments(spelled(tree, ascii_only=True))),
    "parsed": lambda tree: message_of({"role": "assistant", "content": "a", "parsed": tree})["parsed"],
    "input": lambda tree: called({"of": tree})["of"],
    "field of a body": lambda tree: sent({"new": {"of": tree}, "messages": []})["new"]["of"],
    "schema": lambda tree: sent({"tools": [{"input_examples": [tree]}], "messages": []})["tools"][0]["input_examples"][
        0
    ],
}


@pytest.mark.parametrize(("tree", "type_"), DESCRIBED_BY_NEIGHBOURS.values(), ids=DESCRIBED_BY_NEIGHBOURS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_value_that_its_neighbours_describe_is_masked_and_nothing_else(place: Any, tree: Any, type_: str):
    shown = place(tree)

    (token,) = tokens_of(shown)
    value = next(leaf for leaf in leaves_of(tree) if str(leaf) in {PASSPORT, FILE_NUMBER, STUDENT, SHORT})
    assert token.startswith(f"<MASKED_{type_}_")
    assert spelled(shown).replace(f'"{token}"', spelled(value)) == spelled(tree)


def test_a_short_number_in_the_text_of_a_result_is_described_by_its_neighbours():
    assert json.loads(results(spelled({"field": "MRN", "value": int(SHORT)})))["value"].startswith("<MASKED_MRN_")


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_the_fields_of_metadata_and_of_content_that_is_no_block_tell_of_each_other(provider: str):
    told = {"kind": "passport", "number": PASSPORT}
    for body in ({"metadata": told, "messages": []}, {"messages": [{"role": "user", "content": told}]}):
        shown = sent(body, provider)

        (token,) = tokens_of(shown)
        assert spelled(shown) == spelled(body).replace(PASSPORT, token)


def test_an_address_over_several_fields_is_masked_in_each_and_their_keys_stay():
    address = {"building": "7431", "": ",", "street": "Prince Sultan Street", "city": "Riyadh"}

    shown = json.loads(results(spelled({"address": address})))["address"]

    assert list(shown) == list(address)
    assert shown[""] == ","
    assert shown["building"].startswith("<MASKED_ADDRESS_")
    assert "Prince Sultan" not in shown["street"]


def test_a_value_that_its_neighbours_describe_is_masked_in_later_leaves_only():
    block = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": spelled({"field": "Passport number", "value": PASSPORT}),
    }
    told = {"role": "user", "content": [block]}
    asked = user(f"find {PASSPORT}")["messages"][0]

    before, result, after = contents(sent({"messages": [asked, told, asked]}))

    assert before == f"find {PASSPORT}"
    assert tokens_of(after) == tokens_of(result)
    assert len(tokens_of(after)) == 1


def test_tokens_of_described_numbers_and_strings_are_restored():
    tree = {"rows": [["MRN", FILE_NUMBER], ["MRN", int(FILE_NUMBER) + 1], ["Name", NAME]], "n": 1.50}
    body = {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "input": tree}]}]}

    result = masked(body)

    assert len(result.minted.originals) == 3
    assert restored(json.loads(result.body), result) == body


@pytest.mark.parametrize(
    "tree",
    [
        [
            {
                "sku": "SKU-48213",
                "name": "Office Chair",
                "price": 349.5,
                "ean": "6281234567897",
                "tags": ["home", "sale"],
            }
        ],
        {"location": {"lat": 24.7136, "lon": 46.6753}, "current": {"temp_c": 41.2, "last_updated_epoch": 1795339200}},
        {
            "items": [
                {"path": "lib/passport/strategy.js", "line": 33, "sha": "9f2d1c0b7a6e5d4c3b2a19087f6e5d4c3b2a1908"}
            ]
        },
        [{"name": "id_card_template.docx", "size": 48213, "mode": "100644", "mtime": 1795339200}],
        {"columns": ["order_id", "status", "qty"], "rows": [[100001, "shipped", 2], [100002, "shipped", 7]]},
        {"tables": [{"name": "patients", "columns": [{"name": "mrn", "type": "varchar(20)"}], "row_count": 18234422}]},
        {"ts": 1795339200123, "level": "INFO", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "duration_ns": 48213371},
        [{"label": "Passport number", "type": "text", "required": True, "maxLength": 9}],
        {"run_id": 11923847561, "jobs": [{"id": 33219988776, "name": "build", "conclusion": "success"}]},
        [{"type": "passport", "count": 12}, {"type": "national_id", "count": 40}],
        [{"الاسم": "كرسي مكتب", "السعر": 350, "الكمية": 12, "الرمز": "P-2231"}],
        [[1, 2, 3], [4, 5, 6], [12345678, 23456789]],
    ],
)
def test_ordinary_data_stays(tree: Any):
    assert json.loads(results(spelled(tree))) == tree
    assert called({"of": tree})["of"] == tree


@pytest.mark.parametrize("levels", [150, 100_000])
def test_deep_data_is_no_trouble(levels: int):
    text = "[" * levels + spelled(["Passport number:", PASSPORT]) + "]" * levels

    assert PASSPORT not in results(text)


def test_wide_data_is_no_trouble():
    """A square of its length would be minutes."""
    tree = [{"field": "MRN", "value": str(number)} for number in range(48_000_000, 48_004_000)]

    assert all(row["value"].startswith("<MASKED_MRN_") for row in json.loads(results(spelled(tree))))


CUES = st.sampled_from(["MRN", "Passport number", "passport", "رقم الجواز", "National ID", "name", "city", "IBAN", "x"])
PLANTED = st.sampled_from(
    [PASSPORT, FILE_NUMBER, "1012345672", "SA0380000000608010167519", "0501234567", NAME, "Riyadh", "12/05/1990", "ok"]
)
NUMBERS = st.sampled_from([int(FILE_NUMBER), 1012345672, 12345678])
KEYS = st.sampled_from(
    ["field", "value", "type", "text", "number", "label", "kind", "القيمة", "mrn", "columns", "rows"]
)
TREES = st.recursive(
    CUES | PLANTED | NUMBERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
).filter(lambda tree: isinstance(tree, dict))


@settings(max_examples=60)
@given(TREES, st.sampled_from(sorted(PLACES)))
@example({"field": [], "type": [["Riyadh"]]}, "field of a body")
def test_no_value_detected_in_the_json_text_is_left_in_the_masked_data(tree: dict[str, Any], place: str):
    text = spelled(tree)
    found = [text[span.start : span.end] for span in detector().detect(text).spans]

    shown = PLACES[place](tree)

    assert not {str(leaf) for leaf in leaves_of(without_tags(shown))} & set(found)
    assert keys_of(shown) == keys_of(tree)


def without_tags(tree: Any, *, is_tag: bool = False) -> Any:
    """The tree without words below `type`, such as `Riyadh`: providers read them as words of their format."""
    if isinstance(tree, dict):
        return {key: without_tags(child, is_tag=is_tag or key == "type") for key, child in tree.items()}
    if isinstance(tree, list):
        return [without_tags(child, is_tag=is_tag) for child in tree]
    return None if is_tag and isinstance(tree, str) and tree.isalpha() else tree


def leaves_of(tree: Any) -> list[Any]:
    """Strings and numbers, but no keys."""
    return [leaf for child in _children(tree) for leaf in leaves_of(child)] if _is_tree(tree) else [tree]


def keys_of(tree: Any) -> Any:
    """The tree without its strings and numbers."""
    if isinstance(tree, dict):
        return {key: keys_of(child) for key, child in tree.items()}
    return [keys_of(child) for child in tree] if _is_tree(tree) else None


def _is_tree(tree: Any) -> bool:
    return isinstance(tree, dict | list)


def _children(tree: Any) -> Any:
    return tree.values() if isinstance(tree, dict) else tree
