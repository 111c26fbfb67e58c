"""A PDF page's text with its columns parted: pdfium joins what stands far apart on a line by a single blank.

What was removed between two cells leaves such neighbours: the `5` of a row and its `HR` are no five hours. And it joins
cells that all but touch by nothing at all: the `1` of a row and its `Salman`.
"""

import ctypes
import re
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

_WIDE = 3.0  # of the larger side of a glyph: no blank inside a line of text is so wide
_SEAM = 0.07  # of the height of a glyph: a gap between what two operators show
_MAY_BE_SEAM = re.compile(r"\d(?=[^\W\d_])|[^\W\d_](?=\d)|[a-z](?=[A-Z])")
_LONGEST = 40  # signs of a word that are looked at


class _Word(NamedTuple):
    """What a word takes up, and the larger side of its largest glyph."""

    left: float
    bottom: float
    right: float
    top: float
    side: float


def parted(textpage: Any, text: str) -> str:
    """`text`, the page's as pdfium gives it, with a tab for each blank that is as wide as between columns, and a blank
    where a number and a word, or two names, are shown apart.

    Signs that all stand alone stay as they are: they may be a number with a box to a digit.
    """
    if len(text) != textpage.count_chars():
        return text  # some signs of pdfium's have no place of their own, so that none can be told
    signs = list(text)
    blank = text.find(" ")
    while blank > 0:
        if not _are_alone(text, blank) and _is_wide(textpage, text, blank):
            signs[blank] = "\t"
        blank = text.find(" ", blank + 1)
    for match in _MAY_BE_SEAM.finditer(text):
        if _is_seam(textpage, match.start()):
            signs[match.start()] += " "
    return "".join(signs)


def _are_alone(text: str, blank: int) -> bool:
    """Whether single signs stand on both sides of a blank."""
    return not text[max(0, blank - 2) : blank - 1].strip() and not text[blank + 2 : blank + 3].strip()


def _is_wide(textpage: Any, text: str, blank: int) -> bool:
    if blank + 1 >= len(text) or text[blank - 1].isspace() or text[blank + 1].isspace():
        return False
    one_left, _, one_right, _ = textpage.get_charbox(blank - 1, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(blank + 1, loose=True)
    widest = max(one_right - one_left, other_right - other_left)
    if max(one_left, other_left) - min(one_right, other_right) <= _WIDE * widest:
        return False  # nor are the words apart, which reach as far as these signs, or farther
    if pdfium.FPDFText_GetCharAngle(textpage, blank - 1) > 0:
        return False
    before = text[max(0, blank - _LONGEST) : blank].rsplit(maxsplit=1)[-1]
    after = text[blank + 1 : blank + 1 + _LONGEST].split(maxsplit=1)[0]
    one = _word(textpage, range(blank - len(before), blank))
    other = _word(textpage, range(blank + 1, blank + 1 + len(after)))
    is_level: bool = min(one.top, other.top) > max(one.bottom, other.bottom)
    is_apart: bool = max(one.left, other.left) - min(one.right, other.right) > _WIDE * max(one.side, other.side)
    return is_level and is_apart


def _is_seam(textpage: Any, place: int) -> bool:
    """Whether other operators show the sign after a place, at a distance."""
    if _object(textpage, place) == _object(textpage, place + 1) or pdfium.FPDFText_GetCharAngle(textpage, place) > 0:
        return False
    left, bottom, right, top = textpage.get_charbox(place, loose=True)
    other_left, _, other_right, _ = textpage.get_charbox(place + 1, loose=True)
    is_apart: bool = max(other_left - right, left - other_right) > _SEAM * (top - bottom)
    return is_apart


def _object(textpage: Any, place: int) -> int | None:
    return ctypes.cast(pdfium.FPDFText_GetTextObject(textpage, place), ctypes.c_void_p).value


def _word(textpage: Any, places: range) -> _Word:
    """In an Arabic line the next word, or the next group of digits, stands to the left of the last."""
    boxes = [textpage.get_charbox(place, loose=True) for place in places]
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    side = max(max(right - left, top - bottom) for left, bottom, right, top in boxes)
    return _Word(min(lefts), min(bottoms), max(rights), max(tops), side)
