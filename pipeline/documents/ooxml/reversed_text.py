"""Text that is stored in the reverse of its reading order, because a direction override turns it round on the screen.

Sources: ECMA-376 part 1, 17.3.2.3 (w:bdo); Unicode Standard Annex 9 (U+202E).
"""

import re

from pipeline.documents.ooxml.split_values import is_identifier
from pipeline.documents.ooxml.text_unit import REVERSED, Paragraph, Slot, XmlUnit

OVERRIDE = "\u202e"
_RIGHT_TO_LEFT_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIGITS = re.compile("[0-9\u0660-\u0669\u06f0-\u06f9]")
_IDENTIFIER = re.compile(r"(?<!\w)(?:[Ss][Aa])?\d[\d \-]{8,38}\d(?!\w)")
_LEAST_DIGITS = 10
_NOT_A_LINE_END = re.compile(r"[^\n]")


def reversed_views(paragraph: Paragraph) -> list[XmlUnit]:
    """The text of a paragraph in its displayed order, where that is the reverse of the stored order."""
    current = paragraph.current
    overrides = paragraph.overrides or ([(0, len(current.segments))] if OVERRIDE in current.text else [])
    views = [_reversed_run(current, first, last) for first, last in overrides if first < last]
    if paragraph.is_right_to_left:
        views.append(_reversed_identifiers(current))
    return [view for view in views if view.text]


def _reversed_run(unit: XmlUnit, first: int, last: int) -> XmlUnit:
    """The unit up to its segment `last`, reversed from segment `first` on.

    Right-to-left letters are displayed from the right anyway, so next to them only identifiers are reversed.
    """
    stretch = unit.text[unit.segments[first].start : unit.segments[last - 1].end]
    if _RIGHT_TO_LEFT_LETTER.search(_DIGITS.sub("", stretch)):
        return _reversed_identifiers(unit)
    view = XmlUnit("", unit.context, False)
    for segment in unit.segments[:first]:
        view.add(unit.text[segment.start : segment.end], segment.slot)
    _add_reversed(view, unit, first, last)
    return view


def _reversed_identifiers(unit: XmlUnit) -> XmlUnit:
    """The identifiers of a unit's reversed text, with blanks for all other characters; no text when there are none."""
    view = XmlUnit("", unit.context, False)
    if len(_DIGITS.findall(unit.text)) < _LEAST_DIGITS:
        return view
    _add_reversed(view, unit, 0, len(unit.segments))
    found = [match.span() for match in _IDENTIFIER.finditer(view.text) if is_identifier(match[0])]
    blank = _NOT_A_LINE_END.sub(" ", view.text)
    for start, end in found:
        blank = blank[:start] + view.text[start:end] + blank[end:]
    view.text = blank if found else ""
    return view


def _add_reversed(view: XmlUnit, unit: XmlUnit, first: int, last: int) -> None:
    for segment in reversed(unit.segments[first:last]):
        slot = segment.slot
        kind = REVERSED + slot.kind if slot.kind != "glyph" else slot.kind
        view.add(unit.text[segment.start : segment.end][::-1], Slot(slot.element, kind))
