"""PERSON in airline form: SMITH/JOHN MR, ALQAHTANI/SAADMSTR (IATA resolution 722, passenger name records)."""

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
_REACH = 78  # characters on each side of the slash: three words of 25 letters


def airline_names(text: str) -> Iterator[tuple[int, int]]:
    """The offsets of such names, without the title. Each slash between two capitals is examined."""
    slash = text.find("/")
    reached = 0
    while slash >= 0:
        if text[slash - 1 : slash].isupper() and text[slash + 1 : slash + 2].isupper():
            for match in _NAME.finditer(text, max(reached, slash - _REACH), slash + 1 + _REACH):
                if match.start() < slash < match.end():
                    yield _without_label(text, match.start()), match.end("given")
                    reached = match.end()
        slash = text.find("/", slash + 1)


def _without_label(text: str, start: int) -> int:
    """The start of the name after a label that is part of the match: `PASSENGER SMITH/JOHN MR`."""
    first, _, rest = text[start : start + _REACH].partition(" ")
    return start + len(first) + 1 if first in ("PASSENGER", "PAX", "NAME", "GUEST") and "/" in rest else start
