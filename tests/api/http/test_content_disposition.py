"""The name that a download offers, in both forms of RFC 6266, and nothing that could break out of the header."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http.content_disposition import content_disposition


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.csv", 'attachment; filename="a b.csv"'),
        ('a"b\\c.csv', 'attachment; filename="a_b_c.csv"'),
        ("../etc/passwd", 'attachment; filename="_etc_passwd"'),
        ("a\r\nX: y.csv", 'attachment; filename="a__X: y.csv"'),
        ("", 'attachment; filename="file"'),
        ("...", 'attachment; filename="file"'),
        ("راتب.csv", "attachment; filename=\"____.csv\"; filename*=UTF-8''%D8%B1%D8%A7%D8%AA%D8%A8.csv"),
        ("é.pdf", "attachment; filename=\"_.pdf\"; filename*=UTF-8''%C3%A9.pdf"),
    ],
)
def test_names(name: str, header: str) -> None:
    assert content_disposition(name) == header


@given(st.text())
def test_any_name_gives_a_header_of_printable_ascii(name: str) -> None:
    header = content_disposition(name)
    assert header.isascii() and header.isprintable()
    assert header.count('"') == 2
    assert "/" not in header.partition(";")[2].replace("UTF-8''", "")


def test_a_long_name_keeps_its_suffix() -> None:
    header = content_disposition("ن" * 1000 + ".docx")
    name = unquote(header.partition("UTF-8''")[2])
    assert name.endswith("ن.docx") and len(name) == 200
