"""What layout spreads over units: a name in two cells, an IBAN over a page's end, a number with a cell to a digit.

The joints of an extraction are read as one text each, and what crosses a cut is handed back as places in the units.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.documents.document import JoinedText
from schemas.entities import EntityType
from schemas.spans import Span

_T = EntityType

# Values whose own check digits or shape say that the pieces belong together, whatever the layout means.
_PROVEN = frozenset({_T.IBAN, _T.EMAIL_ADDRESS})
# What no layout spreads on purpose: a date or an amount beside another is two.
_WHOLE = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT, _T.LOCATION, _T.ORGANIZATION, _T.IP_ADDRESS})

Detect = Callable[[str, str, bool], Sequence[Span]]


class Across(NamedTuple):
    """One value that crosses a cut: its type, how it reads without the cut, and its places: unit, start, end."""

    type: EntityType
    surface: str
    places: tuple[tuple[str, int, int], ...]


def across(joint: JoinedText, texts: Mapping[str, str], detect: Detect) -> Iterator[Across]:
    """The values of one joint that no unit holds by itself, by position.

    `texts` are those of the units, by id. `detect` takes a text, its context, and whether checksums must hold.
    """
    pieces = [_said(texts[piece.unit][piece.start : piece.end]) for piece in joint.pieces]
    joined = joint.glue.join(pieces)
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece) + len(joint.glue))
    for span in detect(joined, joint.context, not joint.flows or not joint.glue):
        first, last = bisect_right(starts, span.start) - 1, bisect_right(starts, span.end - 1) - 1
        if first < last and _is_believed(joint, joined, span):
            yield Across(span.type, joined[span.start : span.end], tuple(_places(joint, starts, span, first, last)))


def _said(text: str) -> str:
    """A piece's text; the end of a line or a cell at its end is a blank."""
    return f"{text[:-1]} " if text[-1:] in ("\n", "\t") else text


def _is_believed(joint: JoinedText, joined: str, span: Span) -> bool:
    if joint.flows or span.type in _PROVEN:
        return True
    is_all = not joined[: span.start].strip() and not joined[span.end :].strip()
    return is_all and bool(joint.context) and span.type not in _WHOLE


def _places(
    joint: JoinedText, starts: Sequence[int], span: Span, first: int, last: int
) -> Iterator[tuple[str, int, int]]:
    for number in range(first, last + 1):
        piece = joint.pieces[number]
        start = max(span.start - starts[number], 0)
        end = min(span.end - starts[number], piece.end - piece.start)
        if start < end:
            yield piece.unit, piece.start + start, piece.start + end
