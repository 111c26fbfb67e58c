"""Text that is stored backwards and turned round for the reader: direction overrides, and their signs in Unicode.

Sources: ECMA-376 part 1, 17.3.2.3 (w:bdo); Unicode Standard Annex 9 (U+202E).
"""

import re

from pipeline.documents.ooxml_cuts import is_code
from pipeline.documents.ooxml_pieces import TURNED, Paragraph, Piece, Slot

OVERRIDE = "\u202e"
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")  # letters that run so by themselves
_DIGITS = re.compile("[0-9\u0660-\u0669\u06f0-\u06f9]")
_CODE = re.compile(r"(?<!\w)(?:[Ss][Aa])?\d[\d \-]{8,38}\d(?!\w)")
_LEAST_DIGITS = 10
_NOT_A_LETTER = re.compile(r"[^\n]")


def turned(paragraph: Paragraph) -> list[Piece]:
    """The views of a paragraph that somebody has who reads what is stored backwards."""
    now = paragraph.now
    turns = paragraph.turns or ([(0, len(now.segments))] if OVERRIDE in now.text else [])
    views = [_overridden(now, first, last) for first, last in turns if first < last]
    if paragraph.is_from_right:
        views.append(_codes(now))
    return [view for view in views if view.text]


def _overridden(piece: Piece, first: int, last: int) -> Piece:
    """The piece up to its segment `last`, turned round from `first` on.

    Letters that run from the right anyway do not turn; beside them only codes that prove themselves are believed.
    """
    stretch = piece.text[piece.segments[first].start : piece.segments[last - 1].end]
    if _RIGHT_TO_LEFT.search(_DIGITS.sub("", stretch)):
        return _codes(piece)
    view = Piece("", piece.context, False)
    for segment in piece.segments[:first]:
        view.add(piece.text[segment.start : segment.end], segment.slot)
    _add_turned(view, piece, first, last)
    return view


def _codes(piece: Piece) -> Piece:
    """The codes that a piece says backwards, blanks for all the rest; without text when there are none."""
    view = Piece("", piece.context, False)
    if len(_DIGITS.findall(piece.text)) < _LEAST_DIGITS:
        return view
    _add_turned(view, piece, 0, len(piece.segments))
    shown = [match.span() for match in _CODE.finditer(view.text) if is_code(match[0])]
    blank = _NOT_A_LETTER.sub(" ", view.text)
    for start, end in shown:
        blank = blank[:start] + view.text[start:end] + blank[end:]
    view.text = blank if shown else ""
    return view


def _add_turned(view: Piece, piece: Piece, first: int, last: int) -> None:
    for segment in reversed(piece.segments[first:last]):
        slot = segment.slot
        kind = TURNED + slot.kind if slot.kind != "glyph" else slot.kind
        view.add(piece.text[segment.start : segment.end][::-1], Slot(slot.element, kind))
