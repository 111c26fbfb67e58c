"""Writes the edits of pieces back into a package's XML, keeping every value in the form its place demands."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from urllib.parse import quote

from pipeline.documents.edits import Edit, apply, joined
from pipeline.documents.ooxml.text import WORD, Piece, Segment, Slot, decoded
from pipeline.documents.ooxml.text_piece import TURNED
from pipeline.documents.ooxml.vocabulary import NAME, rename
from pipeline.documents.ooxml.xml import Element, local

_NUMBER = re.compile(r"-?\d+")
_URI_MARKS = "/:?#[]@!$&'()*+,;=~"
_FIRST_NUMBER = 900_001
# Property types other than text (ECMA-376 part 1, 22.4).
_TYPED = frozenset({"filetime", "date", "i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint", "r4", "r8",
                    "decimal", "cy", "bool", "clsid"})  # fmt: skip
_POINTS = ("v", "pt")
_MEASURES = frozenset({"posOffset", "pctWidth", "pctHeight", "pctPosHOffset", "pctPosVOffset"})
_DATES = ("fullDate",)  # attributes that must be a date or not be there


Writer = Callable[[Slot, list[Edit]], None]  # writes the edits of one slot: sorted, overlapping nowhere


def edit(
    pieces: Sequence[Piece], edits: Mapping[str, list[Edit]], writers: Mapping[str, Writer] = MappingProxyType({})
) -> set[str]:
    """Writes the edits of each piece into the tree; the ids of the pieces that had any. `writers`: kinds of slots that
    only one format has.

    A placeholder stands where its value began, in that run's formatting; the rest of the value goes.
    """
    changes: dict[Slot, list[Edit]] = {}
    done: set[str] = set()
    for piece in pieces:
        own = edits.get(piece.id)
        if own:
            done.add(piece.id)
            for item in own:
                _distribute(piece, item, changes)
    numbers: dict[str, str] = {}
    for slot, items in sorted(changes.items(), key=_is_name):
        if slot.kind in writers:
            writers[slot.kind](slot, joined(items))
        else:
            _write(slot, joined(items), numbers)
    return done


def _is_name(change: tuple[Slot, list[Edit]]) -> bool:
    """Names change last: until then elements and attributes are found by them."""
    return change[0].kind.startswith(NAME)


def _distribute(piece: Piece, item: Edit, changes: dict[Slot, list[Edit]]) -> None:
    """Cuts one edit of a piece into edits of its slots."""
    touched = list(piece.segments) if piece.everywhere else _touched(piece.segments, item)
    first = next((s for s in touched if s.slot.kind != "glyph"), touched[0] if touched else None)
    for segment in touched:
        replacement = item.replacement if piece.everywhere or segment is first else ""
        start, end = max(item.start, segment.start) - segment.start, min(item.end, segment.end) - segment.start
        slot = segment.slot
        if slot.kind.startswith(TURNED):
            length = segment.end - segment.start
            slot, start, end = slot._replace(kind=slot.kind.removeprefix(TURNED)), length - end, length - start
        changes.setdefault(slot, []).append(Edit(start, end, replacement))


def _touched(segments: list[Segment], item: Edit) -> list[Segment]:
    """Segments that an edit reaches into; they lie end to end, in order."""
    first = bisect_right(segments, item.start, key=lambda segment: segment.end)
    last = bisect_left(segments, item.end, key=lambda segment: segment.start)
    return segments[first:last]


def _write(slot: Slot, items: list[Edit], numbers: dict[str, str]) -> None:
    element, kind = slot
    if kind == "text":
        element.text = apply(element.text, items)
        _retype(element)
        if element.tag.startswith(WORD):
            element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    elif kind == "tail":
        element.tail = apply(element.tail, items)
    elif kind == "glyph":
        _replace_glyph(element, "".join(item.replacement for item in items))
    elif kind.startswith(NAME):
        rename(element, kind, items)
    else:
        name = kind[1:]
        value = decoded(name, element.get(name))
        if name.rpartition("}")[2] in _DATES:
            del element.attrib[name]
        elif _NUMBER.fullmatch(value):  # must stay a number, the same one wherever the old one stood
            element.set(name, numbers.setdefault(value, str(_FIRST_NUMBER + len(numbers))))
        else:
            written = apply(value, items)
            element.set(name, quote(written, safe=_URI_MARKS) if value != element.get(name) else written)


def _retype(element: Element) -> None:
    """Text that had to be a number or a moment, and now is a placeholder, must not break its part."""
    parent = element.getparent()
    if parent is None:
        return
    if local(parent) == "property" and local(element) in _TYPED:
        element.tag = element.tag.rpartition("}")[0] + "}lpwstr"
    elif local(element) in _MEASURES or (local(element) in _POINTS and _is_of_numbers(element)):
        element.text = "0"


def _is_of_numbers(point: Element) -> bool:
    """Whether a chart's point belongs to a series of numbers."""
    return any(local(above).startswith("num") for above in islice(point.iterancestors(), 2))


def _replace_glyph(element: Element, replacement: str) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if replacement:
        element.tag = element.tag.rpartition("}")[0] + "}t"
        element.attrib.clear()
        element.text = replacement
    else:
        parent.remove(element)
