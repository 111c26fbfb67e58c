"""Turns findings into edits of text and applies them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pipeline.documents.document import Findings


class Edit(NamedTuple):
    """`text[start:end]` becomes `replacement`."""

    start: int
    end: int
    replacement: str


def by_unit(findings: Findings) -> dict[str, list[Edit]]:
    """The edits of every unit with findings, in order of position."""
    edits: defaultdict[str, list[Edit]] = defaultdict(list)
    for place in findings.places:
        edits[place.unit].append(Edit(place.start, place.end, place.placeholder))
    return {unit: joined(found) for unit, found in edits.items()}


def joined(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in order of position; overlapping ones become one with the first replacement."""
    result: list[Edit] = []
    for edit in sorted(set(edits)):
        if result and edit.start < result[-1].end:
            last = result[-1]
            result[-1] = Edit(last.start, max(last.end, edit.end), last.replacement or edit.replacement)
        else:
            result.append(edit)
    return result


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after `edits` (sorted, without overlaps)."""
    pieces: list[str] = []
    position = 0
    for edit in edits:
        pieces += (text[position : edit.start], edit.replacement)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)


def applied(text: str, unit: str, edits: Mapping[str, list[Edit]]) -> str:
    """The text of a unit after its edits."""
    own = edits.get(unit)
    return apply(text, own) if own else text
