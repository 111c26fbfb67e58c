"""Text that is JSON itself: what is put in is escaped, numbers are numbers again, all else stays as it was written."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.llm.json_stream import JsonStream, restored_arguments
from api.llm.model import Minted
from api.llm.restore import Restorer, escaped
from api.llm.stream_text import prose, restored_prose
from tests.api.llm.strategies import ORIGINALS, TOKENS, near_tokens, planted, split

PERSON, NUMBER = "<MASKED_PERSON_ab12cd35>", "<MASKED_RESIDENCE_PERMIT_12345678>"
RESTORER = Restorer(Minted(ORIGINALS, frozenset({NUMBER})))
PLAIN = Restorer(Minted(ORIGINALS))
FILLED = json.dumps(ORIGINALS[PERSON], ensure_ascii=False)

_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(TOKENS), planted().map("".join)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(planted().map("".join), inner, max_size=4)),
    max_leaves=12,
)
_styles: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"ensure_ascii": True}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}]
)


@settings(max_examples=60)
@given(_values, _styles, st.booleans(), st.data())
def test_any_arguments_split_anywhere_say_what_the_caller_masked(
    value: Any, style: dict[str, Any], html_safe: bool, data: st.DataObject
) -> None:
    text = json.dumps(value, **style)
    if html_safe:
        text = text.replace("<", "\\u003c").replace(">", "\\u003E")
    channel = JsonStream(RESTORER)
    said = "".join(map(channel.feed, split(text, data))) + channel.flush()
    assert json.loads(said) == _filled(value, numbers=True)
    assert said == restored_arguments(RESTORER, text)


@given(near_tokens(), st.booleans(), st.data())
def test_pieces_say_what_the_whole_says_whether_it_is_json_or_not(
    text: str, structured: bool, data: st.DataObject
) -> None:
    whole, channel = JsonStream(RESTORER, structured=structured), JsonStream(RESTORER, structured=structured)
    said = "".join(map(channel.feed, split(text, data))) + channel.flush()
    assert said == whole.feed(text) + whole.flush()


@settings(max_examples=40)
@given(st.lists(_values, max_size=3), _styles, st.data())
def test_structured_output_stays_json(value: list[Any], style: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps({"answer": value}, **style)
    channel = JsonStream(RESTORER, structured=True)
    said = "".join(map(channel.feed, split(text, data))) + channel.flush()
    assert json.loads(said) == {"answer": _filled(value, numbers=False)}
    assert said == restored_prose(RESTORER, text)


@given(planted())
def test_prose_is_never_taken_for_json(parts: list[str]) -> None:
    text = 'Dear "' + "".join(parts)
    assert restored_prose(RESTORER, text) == 'Dear "' + "".join(ORIGINALS.get(part, part) for part in parts)


EXACT = {
    "a value": (f'{{"id": "{NUMBER}"}}', '{"id": 2000000006}'),
    "in an array": (f'["{NUMBER}", "{NUMBER}"]', "[2000000006, 2000000006]"),
    "behind an object in an array": (f'[{{"a":1}}, "{NUMBER}"]', '[{"a":1}, 2000000006]'),
    "behind an array in an object": (f'{{"a":[1],"b":"{NUMBER}"}}', '{"a":[1],"b":2000000006}'),
    "alone": (f'"{NUMBER}"', "2000000006"),
    "escaped": (r'{"id":"\u003cMASKED_RESIDENCE_PERMIT_12345678\u003e"}', '{"id":2000000006}'),
    "altered": ('{"id":"masked_residence_permit_12345678"}', '{"id":2000000006}'),
    "with more in the string": (f'{{"id":"{NUMBER} "}}', '{"id":"2000000006 "}'),
    "with more before it": (f'{{"id":" {NUMBER}"}}', '{"id":" 2000000006"}'),
    "two in a string": (f'["{NUMBER}{NUMBER}"]', '["20000000062000000006"]'),
    "a key": (f'{{"{NUMBER}": 1, "{NUMBER}": 2}}', '{"2000000006": 1, "2000000006": 2}'),
    "no string": (f'{{"id": {NUMBER}}}', '{"id": 2000000006}'),
    "blanks as written": (f'{{ "id"\t:\n"{NUMBER}" , "n":1.50E+3 }}', '{ "id"\t:\n2000000006 , "n":1.50E+3 }'),
    "escapes as written": (
        r'{"a":"\u00e9\/\ud83d\ude00\ud800","b":"x"}',
        r'{"a":"\u00e9\/\ud83d\ude00\ud800","b":"x"}',
    ),
    "no JSON": (f'say "{PERSON}"', 'say "محمد "أبو خالد" الفلاني"'),
    "behind the JSON": (f'{{}} say "{PERSON}"', '{} say "محمد "أبو خالد" الفلاني"'),
    "cut off": (f'{{"a":"{PERSON}', r'{"a":"محمد \"أبو خالد\" الفلاني'),
    "cut off in an escape": (r'{"a":"x\u00', r'{"a":"x\u00'),
    "cut off before the quote of a number": (f'{{"a":"{NUMBER}', '{"a":"2000000006'),
    "a bad escape": (f'{{"a":"\\uZZ {PERSON}"}}', r'{"a":"\uZZ محمد \"أبو خالد\" الفلاني"}'),
    "escaped quotes around": (f'{{"a":"\\"{PERSON}\\\\"}}', r'{"a":"\"محمد \"أبو خالد\" الفلاني\\"}'),
    "empty": ("", ""),
    "blanks": ("  \n", "  \n"),
}


@pytest.mark.parametrize(("text", "expected"), EXACT.values(), ids=EXACT.keys())
def test_is_written_as_it_was_but_for_the_tokens(text: str, expected: str) -> None:
    assert restored_arguments(RESTORER, text) == expected
    letters = JsonStream(RESTORER)
    assert "".join(map(letters.feed, text)) + letters.flush() == expected


def test_the_opening_quote_waits_only_where_a_number_may_come() -> None:
    assert JsonStream(RESTORER).feed('{"id": "') == '{"id": '
    assert JsonStream(RESTORER).feed('{"id": "x') == '{"id": "x'
    assert JsonStream(RESTORER).feed('{"') == '{"'
    assert JsonStream(PLAIN).feed('{"id": "') == '{"id": "'
    assert JsonStream(RESTORER, structured=True).feed('{"id": "') == '{"id": "'


def test_what_is_no_number_stays_a_string() -> None:
    restorer = Restorer(Minted({NUMBER: "2000-6", PERSON: "012"}, frozenset({NUMBER, PERSON})))
    assert restored_arguments(restorer, f'["{NUMBER}", "{PERSON}"]') == '["2000-6", "012"]'


@pytest.mark.parametrize("mark", ["[", '{"a":'])
def test_nesting_without_end_takes_bounded_memory_and_never_raises(mark: str) -> None:
    text = mark * 20_000 + f'"{PERSON}"'
    assert restored_arguments(RESTORER, text).endswith(r'"محمد \"أبو خالد\" الفلاني"')


def test_a_long_text_takes_no_quadratic_time() -> None:
    text = json.dumps([f"{word}\n" for word in range(20_000)])
    assert restored_arguments(RESTORER, text) == text
    channel = JsonStream(RESTORER)
    assert "".join(map(channel.feed, text[:50_000])) + channel.flush() == text[:50_000]


def _filled(value: Any, *, numbers: bool) -> Any:
    if isinstance(value, str):
        if numbers and value == NUMBER:
            return int(ORIGINALS[NUMBER])
        return re.sub("|".join(map(re.escape, TOKENS)), lambda token: ORIGINALS[token[0]], value)
    if isinstance(value, list):
        return [_filled(item, numbers=numbers) for item in value]
    if isinstance(value, dict):
        return {_filled(key, numbers=False): _filled(item, numbers=numbers) for key, item in value.items()}
    return value


@st.composite
def _nested(draw: st.DrawFn, value: Any) -> tuple[str, int]:
    """A JSON text in whose strings JSON texts stand, each in a style of its own; and how many there are."""
    levels = draw(st.integers(1, 4))
    for _ in range(levels):
        value = json.dumps({"body": value}, **draw(_styles))
        if draw(st.booleans()):
            value = value.replace("<", "\\u003c").replace(">", "\\u003E")
    return value, levels


@settings(max_examples=60)
@given(_values, st.booleans(), st.data())
def test_json_in_the_strings_of_json_stays_json_at_every_level(
    value: Any, structured: bool, data: st.DataObject
) -> None:
    text, levels = data.draw(_nested(value))
    channel = prose(PLAIN) if structured else JsonStream(PLAIN)
    said = "".join(map(channel.feed, split(text, data))) + channel.flush()
    assert said == restored_arguments(PLAIN, text) == restored_prose(PLAIN, text)
    for _ in range(levels - 1):
        said = json.loads(said)["body"]
    assert json.loads(said) == {"body": _filled(value, numbers=False)}


def test_strings_inside_strings_without_end_take_bounded_work() -> None:
    text = json.dumps(PERSON)
    for _ in range(12):
        text = json.dumps([text[:5000]])
    letters = JsonStream(RESTORER)
    assert "".join(map(letters.feed, text)) + letters.flush() == restored_arguments(RESTORER, text)


def test_lines_that_begin_like_json_take_no_quadratic_time() -> None:
    for line in ("[x\n", '["\n', '{"a": 1} x\n', "[[]]\n", "{\n", '{"a": "b"}\n', "- \n"):
        text = "So\n" + line * 10_000
        assert restored_prose(RESTORER, text) == text
    for fenced in ("[]" * 20_000, "[] " * 20_000, " " * 10**5 + "[]"):
        assert restored_prose(RESTORER, f"So\n```json\n{fenced}") == f"So\n```json\n{fenced}"
        assert restored_prose(RESTORER, f"[]{fenced}") == f"[]{fenced}"


def test_quotes_that_do_not_end_take_no_quadratic_time() -> None:
    text = '["' + '\\"[' * 200_000
    assert restored_prose(RESTORER, text) == text


WHOLE = {
    "prose that begins with a bracket": (f'["{PERSON}" is his name]', '["محمد "أبو خالد" الفلاني" is his name]'),
    "an array that begins with a number": (f'[1, "{PERSON}"]', r'[1, "محمد \"أبو خالد\" الفلاني"]'),
    "broken off": (f'{{"a": "{PERSON}", "b', r'{"a": "محمد \"أبو خالد\" الفلاني", "b'),
    "with words behind it": (f'["{PERSON}"] is "{PERSON}"', f'[{FILLED}] is "{ORIGINALS[PERSON]}"'),
    "in a string, but none": (f'{{"a": "[\\"{PERSON}\\" said"}}', r'{"a": "[\"محمد \"أبو خالد\" الفلاني\" said"}'),
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.values(), ids=WHOLE.keys())
def test_whole_texts_are_json_if_they_can_be_read(text: str, expected: str) -> None:
    assert restored_prose(RESTORER, text) == expected


SAID, RAW = f'{{"a": "{PERSON}"}}\n', f'{{"a": "{ORIGINALS[PERSON]}"}}\n'
READ = f'{{"a": {FILLED}}}\n'
BEHIND, LEFT = f"so {SAID}", f"so {RAW}"
FENCED = {
    "json": (f"See:\n```json\n{SAID}```\n{BEHIND}", f"See:\n```json\n{READ}```\n{LEFT}"),
    "at the beginning, in capitals": (f"```JSON\n{SAID}```", f"```JSON\n{READ}```"),
    "without a name": (f"Hi\r\n```\r\n{SAID}```\r\n{BEHIND}", f"Hi\r\n```\r\n{READ}```\r\n{LEFT}"),
    "with tildes": (f"Hi\n~~~~\n{SAID}```\n~~~~~\n{BEHIND}", f"Hi\n~~~~\n{READ}```\n~~~~~\n{LEFT}"),
    "in a list": (f"1. ```json\n   {SAID}   ```\n{BEHIND}", f"1. ```json\n   {READ}   ```\n{LEFT}"),
    "behind words": (f"Here: ```json\n{SAID}```\n{BEHIND}", f"Here: ```json\n{READ}```\n{LEFT}"),
    "closed behind the last bracket": (f"x\n```json\n{SAID[:-1]}```\n{BEHIND}", f"x\n```json\n{READ[:-1]}```\n{LEFT}"),
    "lines": (f"x\n```jsonl\n{SAID}{SAID}```\n{BEHIND}", f"x\n```jsonl\n{READ}{READ}```\n{LEFT}"),
    "parts of JSON": (
        f'x\n```json\n"a": "{PERSON}",\n"b": "{PERSON}"\n```\n',
        f'x\n```json\n"a": {FILLED},\n"b": {FILLED}\n```\n',
    ),
    "broken off": (f"x\n```json\n{SAID[:-3]}", f"x\n```json\n{READ[:-3]}"),
    "two": (
        f"x\n```json\n{SAID}```\ny\n```json\n{SAID}```\n{BEHIND}",
        f"x\n```json\n{READ}```\ny\n```json\n{READ}```\n{LEFT}",
    ),
    "a string that never ends": (f'x\n```json\n{{"a\n```\n{BEHIND}', f'x\n```json\n{{"a\n```\n{LEFT}'),
    "another language": (
        f'x\n```python\nprint("{PERSON}")\n```\n',
        f'x\n```python\nprint("{ORIGINALS[PERSON]}")\n```\n',
    ),
    "a test of the shell": (f'x\n```\n[ -f "{PERSON}" ]\n```\n', f'x\n```\n[ -f "{ORIGINALS[PERSON]}" ]\n```\n'),
    "in a line": (f"x ```json {SAID[:-1]}``` \n{BEHIND}", f"x ```json {RAW[:-1]}``` \n{LEFT}"),
    "a long line": (f"{'x' * 250}```json\n{BEHIND}", f"{'x' * 250}```json\n{LEFT}"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FENCED.values(), ids=FENCED.keys())
def test_json_between_fences_stays_json_and_only_there(text: str, expected: str) -> None:
    assert restored_prose(RESTORER, text) == expected
    letters = prose(RESTORER)
    assert "".join(map(letters.feed, text)) + letters.flush() == expected


T = "<MASKED_ADDRESS_0badcafe>"  # of a value of two lines
V, E = ORIGINALS[T], escaped(ORIGINALS[T])
TWICE = escaped(E)
IN_LINES = {
    "behind words": (f'Here:\n\n{{"a": "{T}"}}', f'Here:\n\n{{"a": "{E}"}}'),
    "with words behind": (f'x\n{{"a": "{T}"}} for "{T}"\n"{T}"', f'x\n{{"a": "{E}"}} for "{V}"\n"{V}"'),
    "over several lines": (
        f'x\n{{\n  "a": [1, -2.5e3, true, false, null, "{T}"],\n  "{T}": {{"b": "{T}"}}\n}}\n"{T}"',
        f'x\n{{\n  "a": [1, -2.5e3, true, false, null, "{E}"],\n  "{E}": {{"b": "{E}"}}\n}}\n"{V}"',
    ),
    "an array": (f'x\r\n[\n"{T}", {{"a": "{T}"}}]', f'x\r\n[\n"{E}", {{"a": "{E}"}}]'),
    "line by line": (f'x\n{{"a": "{T}"}}\n{{"a": "{T}"}}\n', f'x\n{{"a": "{E}"}}\n{{"a": "{E}"}}\n'),
    "items of a list": (f'x\n- {{"a": "{T}"}}\n12. {{"a": "{T}"}}', f'x\n- {{"a": "{E}"}}\n12. {{"a": "{E}"}}'),
    "quoted": (f'x\n> {{"a": "{T}"}}', f'x\n> {{"a": "{E}"}}'),
    "indented": (f'x\n \t {{"a": "{T}"}}', f'x\n \t {{"a": "{E}"}}'),
    "behind a fence": (f'```\nx\n```\n{{"a": "{T}"}}', f'```\nx\n```\n{{"a": "{E}"}}'),
    "JSON in its string": (
        f'x\n{{"a": "{{\\"b\\": \\"{T}\\"}}"}}', f'x\n{{"a": "{{\\"b\\": \\"{TWICE}\\"}}"}}',
    ),
    "escapes before it": (f'x\n{{"a": "\\"\\u003c {T}"}}', f'x\n{{"a": "\\"\\u003c {E}"}}'),
    "an escaped token": (
        'x\n{"a": "\\u003cMASKED_ADDRESS_0badcafe\\u003e"}', f'x\n{{"a": "{E}"}}',
    ),
    "a code block in its string": (f'x\n{{"a": "```\\n", "b": "{T}"}}', f'x\n{{"a": "```\\n", "b": "{E}"}}'),
    "cut off": (f'x\n{{"a": "{T}', f'x\n{{"a": "{E}'),
    "in the midst of a line": (f'x {{"a": "{T}"}}', f'x {{"a": "{V}"}}'),
    "braces of another kind": (f'x\n{{{T} said "{T}"}}', f'x\n{{{V} said "{V}"}}'),
    "a link": (f'x\n[{T}](https://a.example "{T}")', f'x\n[{V}](https://a.example "{V}")'),
    "a note": (f'x\n[1]: "{T}"', f'x\n[1]: "{V}"'),
    "a template": (f'x\n{{{{"{T}"}}}} "{T}"', f'x\n{{{{"{V}"}}}} "{V}"'),
    "a link of a wiki": (f'x\n[[{T}]] is "{T}"', f'x\n[[{V}]] is "{V}"'),
    "empty brackets": (f'x\n[] done: "{T}"\n{{}} "{T}"', f'x\n[] done: "{V}"\n{{}} "{V}"'),
    "words between strings": (f'x\n["a" he said, and "{T}"', f'x\n["a" he said, and "{V}"'),
    "words behind brackets that do not close": (f'x\n[{{The "{T}"', f'x\n[{{The "{V}"'),
    "a string that does not end in its line": (f'x\n["a\n{T}', f'x\n["a\n{V}'),
    "an escape that does not end in its line": (f'x\n["a\\\n"{T}"\n"', f'x\n["a\\\n"{V}"\n"'),
    "a line of a table": (f'x\n| {{"a": "{T}"}} |', f'x\n| {{"a": "{V}"}} |'),
    "a program": (f'x\n```python\nx\n["{T}"]\n```\n', f'x\n```python\nx\n["{V}"]\n```\n'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), IN_LINES.values(), ids=IN_LINES.keys())
def test_json_that_begins_a_line_stays_json_and_nothing_else_is_escaped(text: str, expected: str) -> None:
    assert restored_prose(RESTORER, text) == expected
    for at in range(len(text) + 1):
        channel = prose(RESTORER)
        assert channel.feed(text[:at]) + channel.feed(text[at:]) + channel.flush() == expected
    letters = prose(RESTORER)
    assert "".join(map(letters.feed, text)) + letters.flush() == expected


@settings(max_examples=60)
@given(st.lists(_values, min_size=1, max_size=3), _styles, st.data())
def test_any_json_behind_words_says_what_the_caller_masked(
    value: list[Any], style: dict[str, Any], data: st.DataObject
) -> None:
    text = "Here it is:\n" + json.dumps({"answer": value}, **style)
    channel = prose(RESTORER)
    said = "".join(map(channel.feed, split(text, data))) + channel.flush()
    assert json.loads(said.partition("\n")[2]) == {"answer": _filled(value, numbers=False)}
    assert said == restored_prose(RESTORER, text)


@given(
    st.lists(
        st.sampled_from(["[", "{", '"', "\n", " ", ",", ":", "]", "}", "x", "1", "- ", "\\", "true", T]),
        max_size=25,
    ),
    st.data(),
)
def test_lines_are_read_alike_however_they_come(parts: list[str], data: st.DataObject) -> None:
    text = "So\n" + "".join(parts)
    channel = prose(RESTORER)
    assert "".join(map(channel.feed, split(text, data))) + channel.flush() == restored_prose(RESTORER, text)


@pytest.mark.parametrize("text", ['{"', "{", "[", "- {", "12", '{"a": "b', "[1, 2]\n", "> ", "*"])
def test_nothing_waits_for_json_that_may_begin(text: str) -> None:
    assert prose(RESTORER).feed(f"So\n{text}") == f"So\n{text}"


@given(
    st.lists(st.sampled_from(["```", "json", "\n", "~~~", "> ", "x", '{"a": "', '"}', "\r", PERSON]), max_size=25),
    st.data(),
)
def test_fences_are_seen_however_the_text_comes(parts: list[str], data: st.DataObject) -> None:
    text = "So " + "".join(parts)
    channel = prose(RESTORER)
    assert "".join(map(channel.feed, split(text, data))) + channel.flush() == restored_prose(RESTORER, text)
