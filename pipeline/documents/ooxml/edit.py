"""Writes the edits of units back into a package's XML, in the form that each slot requires."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from urllib.parse import quote

from pipeline.documents.edits import Edit, apply, joined
from pipeline.documents.ooxml.foreign_names import NAME, rename
from pipeline.documents.ooxml.text import WORD, decoded
from pipeline.documents.ooxml.text_unit import REVERSED, Segment, Slot, XmlUnit
from pipeline.documents.ooxml.xml import Element, local

_NUMBER = re.compile(r"-?\d+")
_URI_MARKS = "/:?#[]@!$&'()*+,;=~"
_FIRST_NUMBER = 900_001  # of the numbers that replace numeric values
# Property types other than text (ECMA-376 part 1, 22.4).
_TYPED = frozenset({"filetime", "date", "i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint", "r4", "r8",
                    "decimal", "cy", "bool", "clsid"})  # fmt: skip
_POINTS = ("v", "pt")
_MEASURES = frozenset({"posOffset", "pctWidth", "pctHeight", "pctPosHOffset", "pctPosVOffset"})
_DATES = ("fullDate",)  # attributes that must be a date or be absent

Writer = Callable[[Slot, list[Edit]], None]  # writes the edits of one slot: sorted, not overlapping


def edit(
    units: Sequence[XmlUnit], edits: Mapping[str, list[Edit]], writers: Mapping[str, Writer] = MappingProxyType({})
) -> set[str]:
    """Writes the edits of each unit into the tree. Returns the ids of the units that had any.

    A placeholder is written where its value begins, in the formatting of that run; the rest of the value is removed.
    `writers`: write the kinds of slots that only one format has.
    """
    changes: dict[Slot, list[Edit]] = {}
    done: set[str] = set()
    for unit in units:
        own = edits.get(unit.id)
        if own:
            done.add(unit.id)
            for item in own:
                _split_over_slots(unit, item, changes)
    numbers: dict[str, str] = {}
    for slot, items in sorted(changes.items(), key=_is_name):
        if slot.kind in writers:
            writers[slot.kind](slot, joined(items))
        else:
            _write(slot, joined(items), numbers)
    return done


def _is_name(change: tuple[Slot, list[Edit]]) -> bool:
    """Names of elements and attributes are edited last, because slots find attributes by name."""
    return change[0].kind.startswith(NAME)


def _split_over_slots(unit: XmlUnit, item: Edit, changes: dict[Slot, list[Edit]]) -> None:
    """Splits one edit of a unit into edits of its slots."""
    touched = list(unit.segments) if unit.is_repeated else _overlapping(unit.segments, item)
    first = next((s for s in touched if s.slot.kind != "glyph"), touched[0] if touched else None)
    for segment in touched:
        replacement = item.replacement if unit.is_repeated or segment is first else ""
        start, end = max(item.start, segment.start) - segment.start, min(item.end, segment.end) - segment.start
        slot = segment.slot
        if slot.kind.startswith(REVERSED):
            length = segment.end - segment.start
            slot, start, end = slot._replace(kind=slot.kind.removeprefix(REVERSED)), length - end, length - start
        changes.setdefault(slot, []).append(Edit(start, end, replacement))


def _overlapping(segments: list[Segment], item: Edit) -> list[Segment]:
    """The segments that overlap an edit. Segments are in order and without gaps."""
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
        elif _NUMBER.fullmatch(value):  # must stay a number, and equal numbers must stay equal
            element.set(name, numbers.setdefault(value, str(_FIRST_NUMBER + len(numbers))))
        else:
            written = apply(value, items)
            element.set(name, quote(written, safe=_URI_MARKS) if value != element.get(name) else written)


def _retype(element: Element) -> None:
    """Keeps a part valid where a placeholder replaces a number or a date: changes the type, or writes 0 instead."""
    parent = element.getparent()
    if parent is None:
        return
    if local(parent) == "property" and local(element) in _TYPED:
        element.tag = element.tag.rpartition("}")[0] + "}lpwstr"
    elif local(element) in _MEASURES or (local(element) in _POINTS and _is_of_numbers(element)):
        element.text = "0"


def _is_of_numbers(point: Element) -> bool:
    """Whether a chart's point belongs to a numeric cache."""
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
