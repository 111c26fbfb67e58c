"""The whitespace in published patterns is what validation strips, and `re` reads it in the same way."""

import re
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter

from schemas.text import InlineTerm
from schemas.whitespace import WHITESPACE, strip_whitespace


def test_it_is_what_validation_strips() -> None:
    stripping = TypeAdapter(Annotated[str, StringConstraints(strip_whitespace=True)])
    pattern = re.compile(f"[{WHITESPACE}]")
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            character = chr(code)
            assert bool(pattern.fullmatch(character)) == (stripping.validate_python(character) == ""), hex(code)
            assert strip_whitespace(f" {character}") == stripping.validate_python(character), hex(code)


def test_the_published_pattern_agrees() -> None:
    pattern = re.compile(TypeAdapter(InlineTerm).json_schema()["pattern"])
    assert not pattern.search(" \x85\u3000") and pattern.search(" x ") and pattern.search("\ufeff")
