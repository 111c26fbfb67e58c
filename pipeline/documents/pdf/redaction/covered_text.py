"""Removes text that an opaque box hides on a PDF page: somebody meant it to be gone, and any reader still copies it.

The box stays as it is. What counts is what public checkers of redactions count: a box that was painted after a
letter, or in the letter's own colour, and that shows but one colour where the letter stands.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.pdf.page.glyphs import Glyph, glyphs_of
from pipeline.documents.pdf.page.raster import render
from pipeline.documents.pdf.redaction.erase import uncover
from pipeline.documents.pdf.redaction.regions import Spot

_LEAST_SIDE = 4.0  # points: a box is thicker, or it is a rule
_DPI = 144
_EVEN = 6  # levels of a colour by which one patch may vary and still show nothing
_COVERED = 0.75  # share of a letter's box that lies beneath

Rectangle = tuple[float, float, float, float]


class _Box(NamedTuple):
    area: Rectangle
    order: int
    color: tuple[float, ...]


def remove_covered(document: Any, number: int) -> bool:
    """Deletes the letters of a page that stand beneath boxes; False when some would not go, or others moved."""
    page = document[number]
    boxes = list(_boxes(page)) if _may_cover(page) else []
    beneath = list(_beneath(page, boxes)) if boxes else []
    if not beneath:
        return True
    shown = render(page, _DPI, gray=False)
    hidden = [letter for letter, area in beneath if _is_even(shown, area)]
    return not hidden or uncover(document, page, _spots(glyphs_of(page), hidden))


def _beneath(page: Any, boxes: Sequence[_Box]) -> Iterator[tuple[Rectangle, Rectangle]]:
    """Letters under a box, as rectangles of the page; each with the part of it that the box covers."""
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
    """Whether nothing can be seen there but one colour; where there is no pixel, nothing can be seen at all."""
    factor = _DPI / 72
    left, top, right, bottom = (side * factor for side in area)
    patch = shown[max(0, int(top) + 1) : max(0, int(bottom)), max(0, int(left) + 1) : max(0, int(right))]
    return not patch.size or int(np.ptp(patch, axis=(0, 1)).max()) <= _EVEN


def _spots(glyphs: Sequence[Glyph], hidden: Sequence[Rectangle]) -> list[Spot]:
    """What has to go, letter by letter."""
    areas = np.array(hidden, float)
    spots = []
    for glyph in glyphs:
        x, y = glyph.frame.to_page((glyph.start + glyph.end) / 2, glyph.baseline - 0.2 * glyph.size)
        inside = (areas[:, 0] <= x) & (x <= areas[:, 2]) & (areas[:, 1] <= y) & (y <= areas[:, 3])
        if not glyph.is_blank and inside.any():
            spots.append(
                Spot(glyph.frame, glyph.start, glyph.end, glyph.baseline, glyph.size, glyph.start, glyph.end, "")
            )
    return spots


def _may_cover(page: Any) -> bool:
    """Whether a filled shape that is no rule meets text."""
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
