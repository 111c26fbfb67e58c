"""The whitespace in published patterns is what validation strips, and `re` reads it in the same way."""

import re
from typing import Annotated

import pytest
from pydantic import StringConstraints, TypeAdapter, ValidationError

from schemas.accounts import KeyName
from schemas.glossaries import Name, TermText
from schemas.text import InlineTerm
from schemas.whitespace import WHITESPACE, strip_whitespace


def test_it_is_what_validation_strips() -> None:
    stripping = TypeAdapter(list[Annotated[str, StringConstraints(strip_whitespace=True)]])
    pattern = re.compile(f"[{WHITESPACE}]")
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    stripped = stripping.validate_python(characters)
    assert [character for character in characters if pattern.fullmatch(character)] == [
        character for character, rest in zip(characters, stripped, strict=True) if rest == ""
    ]
    assert [strip_whitespace(f" {character}") for character in characters] == stripped


TRIMMED = (InlineTerm, Name, TermText, KeyName)
LONGEST = "x" * 200
TEXTS = ["", "x", "\ufeff", " x ", "x y", "x\ny", "x\x01y", "x\x7fy", "\x0bx\x0c", "\x1fx", "x\x02", " \x85\u3000"]
BOUNDS = [
    LONGEST,
    f"\t{LONGEST}",
    f"{LONGEST}\u3000\n",
    f"{LONGEST}x",
    f" {LONGEST}x ",
    f"x{' ' * 198}x",
    f"x{' ' * 199}x",
]


@pytest.mark.parametrize("text", TEXTS + BOUNDS)
@pytest.mark.parametrize("trimmed", TRIMMED, ids=["inline term", "glossary", "term", "key"])
def test_the_published_pattern_says_what_is_accepted(trimmed: type[str], text: str) -> None:
    adapter = TypeAdapter(trimmed)
    schema = adapter.json_schema()
    assert not schema.keys() & {"minLength", "maxLength"}  # they would count what is not kept
    assert bool(re.search(schema["pattern"], text)) == accepts(adapter, text)


def accepts(adapter: TypeAdapter[str], text: str) -> bool:
    try:
        return bool(adapter.validate_python(text))
    except ValidationError:
        return False
