"""Parsing of ids."""

from uuid import UUID

import pytest

from schemas.ids import parse_id

ID = "12ab34cd-56ef-4a78-9b01-23456789cdef"
ARABIC = {ord(digit): chr(0x660 + int(digit)) for digit in "0123456789"}


@pytest.mark.parametrize("text", [ID, ID.upper()])
def test_the_canonical_form(text: str) -> None:
    assert parse_id(text) == UUID(ID)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", ID[:-1], ID + "0", ID + "\n", " " + ID, f"{{{ID}}}", f"urn:uuid:{ID}", ID.replace("-", ""),
        ID.replace("-", "_"), "-".join(ID.replace("-", "")), ID.translate(ARABIC), "1_" + ID[2:], "+" + ID[1:],
    ],
)  # fmt: skip
def test_all_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an id"):
        parse_id(text)
