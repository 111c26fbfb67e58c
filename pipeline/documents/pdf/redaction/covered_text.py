"""Removes text under opaque boxes of a PDF page. Such text was meant to be redacted, but any reader can copy it.

The box itself stays. A letter counts as covered by the rule of public checkers of redactions: the box was painted after
the letter, or in the colour of the letter, and the page shows only one colour at the position of the letter.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.raster import render
from pipeline.documents.pdf.redaction.erase import remove_covered_glyphs
from pipeline.documents.pdf.redaction.regions import Region

_LEAST_SIDE = 4.0  # points: thinner boxes are rules
_DPI = 144
_EVEN = 6  # levels: a patch that varies by no more shows one colour
_COVERED = 0.75  # share of a letter's area under the box

Rectangle = tuple[float, float, float, float]


class _Box(NamedTuple):
    area: Rectangle
    order: int
    color: tuple[float, ...]


def remove_covered_text(document: Any, number: int) -> bool:
    """Deletes the covered letters of a page; False if one remains or another glyph moved."""
    page = document[number]
    boxes = list(_boxes(page)) if _may_cover(page) else []
    covered = list(_covered_letters(page, boxes)) if boxes else []
    if not covered:
        return True
    shown = render(page, _DPI, gray=False)
    hidden = [letter for letter, area in covered if _is_even(shown, area)]
    return not hidden or remove_covered_glyphs(document, page, _regions(glyphs_of(page), hidden))


def _covered_letters(page: Any, boxes: Sequence[_Box]) -> Iterator[tuple[Rectangle, Rectangle]]:
    """The rectangles of letters under a box, each with the part that the box covers."""
    for span in page.get_texttrace():
        order, color = span["seqno"], tuple(span["color"])
        over = [box for box in boxes if (box.order > order or box.color == color) and _common(box.area, span["bbox"])]
        if not over:
            continue
        for code, _, _, letter in span["chars"]:
            size = (letter[2] - letter[0]) * (letter[3] - letter[1])
            for box in over if not chr(code).isspace() and size > 0 else ():
                part = _common(box.area, letter)
                if part and (part[2] - part[0]) * (part[3] - part[1]) >= _COVERED * size:
                    yield letter, part


def _common(one: Rectangle, other: Rectangle) -> Rectangle | None:
    left, top, right, bottom = (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )
    return (left, top, right, bottom) if left < right and top < bottom else None


def _is_even(shown: Any, area: Rectangle) -> bool:
    """Whether the area shows only one colour, or contains no pixel at all."""
    factor = _DPI / 72
    left, top, right, bottom = (side * factor for side in area)
    patch = shown[max(0, int(top) + 1) : max(0, int(bottom)), max(0, int(left) + 1) : max(0, int(right))]
    return not patch.size or int(np.ptp(patch, axis=(0, 1)).max()) <= _EVEN


def _regions(glyphs: Sequence[Glyph], hidden: Sequence[Rectangle]) -> list[Region]:
    """One region for each covered glyph."""
    areas = np.array(hidden, float)
    regions = []
    for glyph in glyphs:
        x, y = glyph.frame.to_page((glyph.start + glyph.end) / 2, glyph.baseline - 0.2 * glyph.size)
        inside = (areas[:, 0] <= x) & (x <= areas[:, 2]) & (areas[:, 1] <= y) & (y <= areas[:, 3])
        if not glyph.is_blank and inside.any():
            regions.append(
                Region(glyph.frame, glyph.start, glyph.end, glyph.baseline, glyph.size, glyph.start, glyph.end, "")
            )
    return regions


def _may_cover(page: Any) -> bool:
    """Whether a filled shape that is not a rule overlaps text."""
    log = page.get_bboxlog()
    texts = [box for kind, box in log if kind.endswith("-text")]
    fills = [box for kind, box in log if kind == "fill-path" and min(box[2] - box[0], box[3] - box[1]) > _LEAST_SIDE]
    if not texts or not fills:
        return False
    one, other = np.array(texts, float)[:, None, :], np.array(fills, float)[None, :, :]
    meets = (one[..., 0] < other[..., 2]) & (other[..., 0] < one[..., 2])
    return bool((meets & (one[..., 1] < other[..., 3]) & (other[..., 1] < one[..., 3])).any())


def _boxes(page: Any) -> Iterator[_Box]:
    for drawing in page.get_cdrawings():
        color = drawing.get("fill")
        if color is None or drawing.get("fill_opacity", 1.0) < 1:
            continue
        for item in drawing["items"]:
            if item[0] == "re":
                left, top, right, bottom = item[1]
                if min(abs(right - left), abs(bottom - top)) > _LEAST_SIDE:
                    area = min(left, right), min(top, bottom), max(left, right), max(top, bottom)
                    yield _Box(area, drawing["seqno"], tuple(color))
