"""Rounds the gaps that removed text leaves in a line: MuPDF keeps the place of what follows to a thousandth of a point.

`(Holder )Tj [-5560]TJ (since)Tj` tells the width of what stood between, and so, in a known font, which of a few names
it was. The gaps that redaction made grow to whole steps, to the right, away from the box.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

_STEP = 250  # thousandths of the type size
_LEAST = 50  # by so much every gap grows
_SMALL = 150  # gaps below this are kerning
_PIECE = re.compile(
    rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|<[0-9A-Fa-f\s]*>|(?P<open>\[)|(?P<close>\])|(?P<number>[-+]?(?:\d+\.?\d*|\.\d+))",
    re.DOTALL,
)


def widen(document: Any, page: Any, before: Sequence[bytes]) -> None:
    """Rounds the displacements that were not there in the contents before, those of the page and of its forms."""
    known = Counter(round(float(match["number"])) for data in before for match in _numbers(data))
    for xref in streams_of(page):
        data = document.xref_stream(xref) or b""
        pieces: list[bytes] = []
        position = 0
        for match in _numbers(data):
            value = float(match["number"])
            if known[round(value)] > 0:
                known[round(value)] -= 1
            elif value < -_SMALL:
                wide = -(-(_LEAST - value) // _STEP) * _STEP
                pieces += [data[position : match.start()], b"-%d" % wide]
                position = match.end()
        if pieces:
            document.update_stream(xref, b"".join([*pieces, data[position:]]))


def streams_of(page: Any) -> Iterator[int]:
    """The content of the page and of the forms on it, by xref."""
    yield from dict.fromkeys([*page.get_contents(), *(xobject[0] for xobject in page.get_xobjects())])


def _numbers(data: bytes) -> Iterator[re.Match[bytes]]:
    """The numbers inside arrays."""
    is_inside = False
    for match in _PIECE.finditer(data):
        if match["open"] or match["close"]:
            is_inside = match["open"] is not None
        elif is_inside and match["number"]:
            yield match
