"""A PDF page's text with its columns parted: pdfium joins what stands far apart on a line by a single blank.

What was removed between two cells leaves such neighbours: the `5` of a row and its `HR` are no five hours.
"""

from typing import Any

import pypdfium2.raw as pdfium

_WIDE = 3.0  # of the larger side of a glyph: no blank inside a line of text is so wide


def parted(textpage: Any, text: str) -> str:
    """`text`, the page's as pdfium gives it, with a tab for each blank that is as wide as between columns.

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
    return "".join(signs)


def _are_alone(text: str, blank: int) -> bool:
    """Whether single signs stand on both sides of a blank."""
    return not text[max(0, blank - 2) : blank - 1].strip() and not text[blank + 2 : blank + 3].strip()


def _is_wide(textpage: Any, text: str, blank: int) -> bool:
    if blank + 1 >= len(text) or text[blank - 1].isspace() or text[blank + 1].isspace():
        return False
    if pdfium.FPDFText_GetCharAngle(textpage, blank - 1) > 0:
        return False
    left, bottom, right, top = textpage.get_charbox(blank - 1, loose=True)
    other_left, other_bottom, other_right, other_top = textpage.get_charbox(blank + 1, loose=True)
    side = max(right - left, top - bottom, other_right - other_left, other_top - other_bottom)
    is_level: bool = min(top, other_top) > max(bottom, other_bottom)
    is_apart: bool = max(left, other_left) - min(right, other_right) > _WIDE * side
    return is_level and is_apart
