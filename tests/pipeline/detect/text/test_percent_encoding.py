"""Percent-encoded values in URLs and forms (RFC 3986, section 2.1)."""

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


def test_a_long_run_of_encoded_signs_takes_no_longer() -> None:
    text = "%D9%A1" * 30_000 + "%"
    assert detector().detect(text).text == text
