"""Values that a prompt spells with escapes: none gets through, and each comes back in the signs in which it stood."""

import json
from typing import Any

import pytest

from pipeline.entities.escapes import decode_escapes
from schemas.spans import Term, TermSet
from tests.api.llm.prompts.prompting import ID, called, masked, restored, said, sent

NAME, MAIL = "نورة سالم المثلي", "noura@example.com"


def nested(value: Any, levels: int, *, ascii_only: bool = True) -> str:
    for _ in range(levels):
        value = json.dumps(value, ensure_ascii=ascii_only)
    return str(value)


def in_arguments(text: str) -> str:
    call = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": text}}
    body = {"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}
    return str(sent(body, "openai")["messages"][0]["tool_calls"][0]["function"]["arguments"])


def in_result(text: str) -> str:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text}
    return str(sent({"messages": [{"role": "user", "content": [block]}]})["messages"][0]["content"][0]["content"])


PLACES = [said, lambda text: called({"x": text})["x"], in_arguments, in_result]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("levels", [1, 2, 3, 5])
@pytest.mark.parametrize("place", PLACES, ids=["text", "input", "arguments", "result"])
def test_json_in_json_is_read_however_often_it_was_written(place: Any, levels: int, ascii_only: bool):
    text = nested({"full_name": NAME, "mail": MAIL, "city": "x"}, levels, ascii_only=ascii_only)

    shown = place(text)

    assert "MASKED_PERSON" in shown
    assert "MASKED_EMAIL_ADDRESS" in shown
    assert "u0646" not in shown
    assert NAME not in shown
    assert "city" in shown


@pytest.mark.parametrize(
    "at",
    [
        *("\\" * count + "u0040" for count in (1, 2, 3, 4, 7, 8, 64)),
        *("%25" + "25" * count + "40" for count in (0, 1, 2, 6)),
        *("&" + "amp;" * count + "#64;" for count in (0, 1, 2, 6)),
        "&#x40;",
        "&#x00040;",
        "&#0000000064;",
        "&#64",
        "&commat;",
        "&amp;commat;",
        r"\x40",
        r"\\\x40",
        r"\u{40}",
        r"\\u{000040}",
        r"\x{40}",
        r"\U00000040",
        r"\u005cu0040",
        r"%5Cu0040",
        "&#92;u0040",
        "%26%2364;",
        r"\u002540",
    ],
)
@pytest.mark.parametrize("before", ["", "mailto:", "write to "])
def test_an_address_of_mail_is_read_in_the_spellings_of_json_code_html_and_addresses(before: str, at: str):
    text = f"{before}noura{at}example.com"

    shown = said(text)

    assert shown.startswith(f"{before}<MASKED_EMAIL_ADDRESS_")
    assert "noura" not in shown


@pytest.mark.parametrize(
    "spelled",
    [
        "".join(f"\\x{byte:02x}" for byte in NAME.encode()),
        "".join(f"\\\\x{byte:02X}" for byte in NAME.encode()),
        "".join(f"\\{byte:03o}" if byte > 127 else chr(byte) for byte in NAME.encode()),
        "".join(f"={byte:02X}" for byte in NAME.encode()),
        "".join(f"={byte:02X}" + ("=\n" if place == 16 else "") for place, byte in enumerate(NAME.encode())),
        "".join(f"%{byte:02X}" for byte in NAME.encode("cp1256")),
        "".join(f"%25{byte:02X}" for byte in NAME.encode()),
        "".join(f"&amp;#{ord(letter)};" for letter in NAME),
        "".join(f"\\u{{{ord(letter):x}}}" for letter in NAME),
    ],
)
def test_arabic_names_are_read_in_the_bytes_and_numbers_of_their_letters(spelled: str):
    shown = said(f"Name: {spelled} (customer)")

    assert shown.startswith("Name: <MASKED_PERSON_")
    assert shown.endswith("> (customer)")


def test_letters_beyond_four_digits_are_read():
    bold = "".join(chr(0x1D7CE + int(digit)) for digit in ID)

    assert said(json.dumps(f"ID {bold}")).startswith('"ID <MASKED_NATIONAL_ID_')


@pytest.mark.parametrize(
    "text",
    [
        r"C:\users\u1234\x40\100\101 and \U00110000 \u{ffffffff} \ud800 \x",
        "size=40px.Auto a=40&b=41&amp;c=1 100%25 off %zz &foo; &#; &#x; x =40=41",
        r"print('\x1b[31mred\x1b[0m \u2028') # \33[0m \\server\share",
        "https://example.com/?q=a%2520b&next=%252Fhome",
    ],
)
def test_escapes_that_spell_no_value_stay(text: str):
    assert said(text) == text


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_what_is_restored_has_the_signs_that_the_client_wrote(levels: int):
    text = nested({"full_name": NAME, "mail": f"{MAIL[:5]}\u200e{MAIL[5:]}"}, levels)
    body = {"messages": [{"role": "user", "content": f"{text} and mailto:noura%2540example.com"}]}

    result = masked(body)

    assert NAME not in result.minted.originals.values()
    assert restored(json.loads(result.body), result) == body


def test_a_name_in_escapes_among_other_words_is_masked_in_its_spelling():
    escapes, entities = json.dumps(NAME)[1:-1], "".join(f"&#{ord(letter)};" for letter in NAME)
    texts = [f'The server said {{"name": "{escapes}"}}, why?', f"and {entities}"]

    result = masked({"messages": [{"role": "user", "content": text} for text in texts]})

    assert list(result.minted.originals.values()) == [escapes, entities]


def test_a_plain_occurrence_later_is_known_and_each_spelling_keeps_its_token():
    escaped = nested({"full_name": NAME}, 2)
    body = {"messages": [{"role": "user", "content": text} for text in (escaped, f"then {NAME} came", escaped)]}

    first, plain, again = (message["content"] for message in sent(body)["messages"])

    assert plain.startswith("then <MASKED_PERSON_")
    assert plain.endswith("> came")
    assert first == again == said(escaped)
    assert first != nested({"full_name": plain[5:-5]}, 2)


def test_an_escaped_occurrence_later_is_known_from_a_plain_one():
    name = "Zurkwen Talbari"
    escapes = "".join(f"\\\\u{ord(letter):04x}" for letter in name)
    body = {"messages": [{"role": "user", "content": text} for text in (f"Name: {name}", f"so {escapes} did")]}

    result = masked(body)

    assert json.loads(result.body)["messages"][1]["content"].startswith("so <MASKED_PERSON_")
    assert restored(json.loads(result.body), result) == body


def test_what_a_model_answered_with_an_escaped_value_is_masked_again():
    turns = [("user", r"MRN: \u0034821"), ("assistant", r"I opened \u0034821 for you")]
    body = {"messages": [{"role": role, "content": text} for role, text in turns]}

    asked, answered = (message["content"] for message in sent(body)["messages"])

    token = asked.removeprefix("MRN: ")
    assert token.startswith("<MASKED_MRN_")
    assert answered == f"I opened {token} for you"


def test_a_value_is_one_token_where_detection_knew_a_part_of_its_signs():
    shown = said("write to noura&amp;#64;example.com please")

    assert shown.startswith("write to <MASKED_EMAIL_ADDRESS_")
    assert shown.endswith("> please")
    assert shown.count("MASKED") == 1


def test_terms_of_a_caller_are_read_in_escapes():
    terms = (TermSet((Term("Zorblax"),)),)

    assert "<MASKED_CUSTOM_TERM_" in said(r"the \\u005aorblax plan", terms=terms)


RUNS = ("\\", "\\u", "\\\\u0646", "\\x41", "\\331", "%25", "%", "%2", "&amp;", "&", "&#0", "=D9", "=D9=\n", "=")
BACKSLASHES = "\\" * 99


@pytest.mark.parametrize(
    "run",
    [
        *((unit * 200_000)[:200_000] for unit in (*RUNS, f"\\x41{BACKSLASHES}", f"\\331{BACKSLASHES}")),
        "%" + "25" * 100_000,
        "&" + "amp;" * 50_000,
        "\\x41" + "\\" * 200_000,
        "&#" + "0" * 200_000,
    ],
    ids=lambda run: run[:8].encode().hex(),
)
def test_long_runs_of_marks_are_no_trouble(run: str):
    """A square of their length would be minutes."""
    text = f"{run} noura\\x40example.com"

    found = decode_escapes(text)

    assert found is not None
    assert found.text.endswith("noura@example.com")
    assert len(found.text) == len(found.starts) == len(found.ends)
    assert found.ends[-1] == len(text)
