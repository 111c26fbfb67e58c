"""PERSON as airlines write it: SMITH/JOHN MR, ALQAHTANI/SAADMSTR (IATA passenger name records, resolution 722)."""

import re
from collections.abc import Iterator

_TITLES = "MRS|MR|MSTR|MISS|MS|DR|CHD|INF|PROF"
_NAME = re.compile(
    rf"""
    (?<![A-Z0-9/]) [A-Z]{{2,25}} (?:[ -][A-Z]{{2,25}}){{0,2}}
    / (?: (?P<given> [A-Z]{{2,25}} (?:[ ][A-Z]{{1,25}}){{0,2}}? ) [ ]? (?:{_TITLES}) (?![A-Z/]) )
    """,
    re.VERBOSE,
)
_BEFORE = 78  # three words of the longest


def airline_names(text: str) -> Iterator[tuple[int, int]]:
    """Where such names stand, title outside. A slash between two capitals begins the search."""
    slash = text.find("/")
    reached = 0
    while slash >= 0:
        if text[slash - 1 : slash].isupper() and text[slash + 1 : slash + 2].isupper():
            for match in _NAME.finditer(text, max(reached, slash - _BEFORE), slash + 1 + _BEFORE):
                if match.start() < slash < match.end():
                    yield _without_marks(text, match.start()), match.end("given")
                    reached = match.end()
        slash = text.find("/", slash + 1)


def _without_marks(text: str, start: int) -> int:
    """The start of the name behind a word that announces it: `PASSENGER SMITH/JOHN MR`."""
    first, _, rest = text[start : start + _BEFORE].partition(" ")
    return start + len(first) + 1 if first in ("PASSENGER", "PAX", "NAME", "GUEST") and "/" in rest else start
