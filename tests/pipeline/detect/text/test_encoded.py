"""Values as programs encode them: in URLs and forms (RFC 3986, section 2.1), in JSON (RFC 8259), in HTML and XML."""

import json
from urllib.parse import quote

import pytest

from tests.pipeline.detect.marked import detector


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("id%201058374925", ["1058374925"]),
        ("iban=SA03%208000%200000%206080%201016%207519&x=1", ["SA03%208000%200000%206080%201016%207519"]),
        ("mail=noura%40example.com&t=%2B966501234567", ["noura%40example.com", "%2B966501234567"]),
        ("%31%30%35%38%33%37%34%39%32%35", ["%31%30%35%38%33%37%34%39%32%35"]),
        ("/q/" + quote("١٠٥٨٣٧٤٩٢٥") + "/", [quote("١٠٥٨٣٧٤٩٢٥")]),
        ("/q/" + quote("السيد فهد بن ناصر القحطاني"), [quote("فهد بن ناصر القحطاني")]),
        ("%FF%FE 1058374925 100% %zz %4", ["1058374925"]),
        ("a discount of 50%20off, 100%", []),
        ("%00%01%02", []),
    ],
)
def test_what_an_address_of_the_web_encodes_is_read(text: str, found: list[str]) -> None:
    """RFC 3986, section 2.1: and the span covers every sign of each character."""
    assert [text[span.start : span.end] for span in detector().detect(text).spans] == found


def escaped(text: str) -> str:
    """As JSON writers do that keep to ASCII."""
    return json.dumps(text)[1:-1]


def referenced(text: str) -> str:
    """As XML writers do that keep to ASCII."""
    return text.encode("ascii", "xmlcharrefreplace").decode()


NUMBER, NAME = "١٠٥٨٣٧٤٩٢٥", "السيد فهد بن ناصر القحطاني"
BOLD = "".join(chr(0x1D7CE + int(digit)) for digit in "1058374925")  # mathematical digits, each two escapes
FOUND, IBAN = "فهد بن ناصر القحطاني", ("SA03", "8000", "0000", "6080", "1016", "7519")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps({"id": NUMBER, "note": NAME}), [escaped(NUMBER), escaped(FOUND)]),
        # JSON within JSON: the arguments of a tool call.
        (json.dumps({"arguments": json.dumps({"id": NUMBER})}), [escaped(escaped(NUMBER))]),
        (r'{"phone": "\u002B966501234567"}', [r"\u002B966501234567"]),
        (r"\u003cnoura@example.com\u003e", ["noura@example.com"]),
        (r"\u00311\u0020" + "1058374925", ["1058374925"]),
        (f"<td>{referenced(NUMBER)}</td><td>{referenced(NAME)}</td>", [referenced(NUMBER), referenced(FOUND)]),
        ("<td>&#x31;058374925</td>", ["&#x31;058374925"]),
        ("IBAN " + "&nbsp;".join(IBAN), ["&nbsp;".join(IBAN)]),
        (json.dumps({"id": BOLD}), [escaped(BOLD)]),
        # Halves of pairs, control characters, and what is none.
        (r"\ud83d\ude00 \ud83d x\ude00 \u0000 \u12 &#0; &#xD800; &#99999999; &unknown; 1058374925", ["1058374925"]),
    ],
)  # fmt: skip
def test_what_json_and_markup_encode_is_read(text: str, found: list[str]) -> None:
    """And the span covers all of each character as it is written."""
    assert [text[span.start : span.end] for span in detector().detect(text).spans] == found


@pytest.mark.parametrize("one", ["%D9%A1", "\\u0661", "&#1633;", "\\\\", "&#"])
def test_a_long_run_of_encoded_signs_takes_no_longer(one: str) -> None:
    text = one * 30_000 + "%"
    assert detector().detect(text).text == text
