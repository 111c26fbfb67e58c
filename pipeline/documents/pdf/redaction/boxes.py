"""Draws opaque boxes on a PDF page over removed content, each with its placeholder as a label where it fits.

A label never touches another label. Its type size lies in one range for all boxes. Where the placeholder does not fit,
the label is its number (`#01`); where that does not fit either, the box stays without a label.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pymupdf

from pipeline.documents.free_span import widest_free_span
from pipeline.documents.pdf.page.raster import ocr_dpi
from pipeline.documents.pdf.redaction.regions import Region
from pipeline.documents.pdf.redaction.text_objects import Affine, page_to_content
from pipeline.documents.raster.burn import Box

_FONT = "helv"
_MIN_SIZE, _MAX_SIZE = 5.0, 12.0  # points: the type sizes of labels
_BOX_SHARE = 0.75  # of the height of a box: the largest type size of its label
_MARGIN = 0.25  # of the type size: free space on both sides of a label
_ASCENT, _DESCENT = 0.75, 0.25  # of the type size: Helvetica's capitals, and its underscore
_BAND = 32.0  # points: placed labels are looked up by horizontal bands of the page

Point = tuple[float, float]
Quad = Sequence[Point]  # points of the page: upper left, upper right, lower left, lower right


def draw_boxes(page: Any, regions: Sequence[Region], boxes: Sequence[Box]) -> None:
    """Black boxes over the regions and over `boxes` (pixels at the page's OCR resolution), with white labels."""
    quads: list[tuple[Quad, str]] = [(tuple(region.box()), region.label) for region in regions]
    quads += [(_quad_on_page(page, box), box.label) for box in boxes]
    if not quads:
        return
    place = page_to_content(page)
    labels = list(_labels(quads, place))
    if labels:
        page.insert_font(fontname=_FONT)
    shape = page.new_shape()
    shape.text_cont = "\n".join(["q 0 g", *(_path(quad, place) for quad, _ in quads), "f 1 g", *labels, "Q\n"])
    shape.commit()


def box_on_page(page: Any, box: Box) -> pymupdf.Rect:
    """A box of the page's raster in points."""
    factor = 72 / ocr_dpi(page)
    return pymupdf.Rect(box.left * factor, box.top * factor, box.right * factor, box.bottom * factor)


def _quad_on_page(page: Any, box: Box) -> Quad:
    upper_left, upper_right, lower_right, lower_left = box.side.scaled(72 / ocr_dpi(page)).corners
    return upper_left, upper_right, lower_left, lower_right


def box_in_pixels(page: Any, region: Region) -> Box:
    """A region's box in pixels of the page's raster."""
    factor = ocr_dpi(page) / 72
    area = region.box().rect
    return Box(int(area.x0), int(area.y0), int(area.x1) + 1, int(area.y1) + 1, region.label).scaled(factor)


def _path(quad: Quad, place: Affine) -> str:
    upper_left, upper_right, lower_left, lower_right = quad
    corners = [_formatted(place.point(*corner)) for corner in (upper_left, lower_left, lower_right, upper_right)]
    return f"{corners[0]} m {' l '.join(corners[1:])} l h"


class _Side(NamedTuple):
    """The coordinate system of a box: from its upper left corner, along its upper side and down."""

    origin: Point
    along: Point  # unit vectors
    down: Point
    width: float
    height: float

    def extent(self, corners: Sequence[Point]) -> tuple[float, float, float, float]:
        """The least and the most along, the least and the most down, of some points of the page."""
        (x0, y0), (ax, ay), (dx, dy) = self.origin, self.along, self.down
        along = [(x - x0) * ax + (y - y0) * ay for x, y in corners]
        down = [(x - x0) * dx + (y - y0) * dy for x, y in corners]
        return min(along), max(along), min(down), max(down)

    def point(self, along: float, down: float) -> Point:
        """A point of the page."""
        (x0, y0), (ax, ay), (dx, dy) = self.origin, self.along, self.down
        return x0 + along * ax + down * dx, y0 + along * ay + down * dy


def _side(quad: Quad) -> _Side:
    (left, top), (right, end), (low, bottom), _ = quad
    width, height = math.hypot(right - left, end - top), math.hypot(low - left, bottom - top)
    wide, high = width or 1.0, height or 1.0
    along, down = ((right - left) / wide, (end - top) / wide), ((low - left) / high, (bottom - top) / high)
    return _Side((left, top), along, down, width, height)


class _Label(NamedTuple):
    """A label that is placed: its text, the corners of its letters, and the corners of its box."""

    text: str
    corners: Sequence[Point]
    box: Quad


class _PlacedLabels:
    """The labels of one page, by horizontal bands."""

    def __init__(self) -> None:
        self._bands: dict[int, list[_Label]] = {}

    def add(self, label: _Label) -> None:
        for band in _bands(label.box):
            self._bands.setdefault(band, []).append(label)

    def near(self, quad: Quad) -> list[_Label]:
        return [label for band in _bands(quad) for label in self._bands.get(band, ())]


def _bands(corners: Quad) -> range:
    heights = [y for _, y in corners]
    return range(int(min(heights) // _BAND), int(max(heights) // _BAND) + 1)


def _labels(boxes: Sequence[tuple[Quad, str]], place: Affine) -> Iterator[str]:
    """The text objects that show the labels, in the order of the boxes. Narrow boxes choose their room first."""
    placed = _PlacedLabels()
    sides = [_side(quad) for quad, _ in boxes]
    shown: dict[int, str] = {}
    for index in sorted(range(len(boxes)), key=lambda index: sides[index].width):
        quad, placeholder = boxes[index]
        side, near = sides[index], placed.near(quad)
        if not placeholder or any(label.text == placeholder and _is_over(side, label.box) for label in near):
            continue
        fitted = _fitted(side, near, placeholder)
        if fitted is not None:
            text, size, start = fitted
            base = _baseline(side, size)
            high, low, end = base - _ASCENT * size, base + _DESCENT * size, start + _width(text) * size
            corners = [side.point(along, down) for down in (high, low) for along in (start, end)]
            placed.add(_Label(placeholder, corners, quad))
            shown[index] = _text_object(side, text, size, start, place)
    yield from (shown[index] for index in sorted(shown))


def _is_over(side: _Side, box: Quad) -> bool:
    """Whether another box covers a part of the same line."""
    left, right, top, bottom = side.extent(box)
    return left < side.width and right > 0 and min(bottom, side.height) - max(top, 0) > side.height / 2


def _fitted(side: _Side, near: Sequence[_Label], placeholder: str) -> tuple[str, float, float] | None:
    """The text of the label, its type size and where it begins along its box; None where no readable one fits."""
    most = min(_BOX_SHARE * side.height, _MAX_SIZE)
    base = _baseline(side, most)
    top, bottom = base - _ASCENT * most, base + _DESCENT * most
    extents = (side.extent(label.corners) for label in near)
    taken = [(left, right) for left, right, high, low in extents if high < bottom and low > top]
    low, high = widest_free_span(side.width, taken)
    for text in (placeholder, "#" + placeholder.rpartition("_")[2]):
        size = min(most, (high - low) / (_width(text) + 2 * _MARGIN))
        if size >= _MIN_SIZE:
            return text, size, (low + high - _width(text) * size) / 2
    return None


def _baseline(side: _Side, size: float) -> float:
    return (side.height + 0.7 * size) / 2


def _text_object(side: _Side, text: str, size: float, start: float, place: Affine) -> str:
    (ax, ay), (dx, dy) = side.along, side.down
    matrix = Affine(ax, ay, -dx, -dy, *side.point(start, _baseline(side, size))).then(place)
    axes, at = _formatted(matrix[:4]), _formatted(matrix[4:])
    return f"BT {axes} {at} Tm /{_FONT} {_formatted([size])} Tf <{text.encode('latin-1', 'replace').hex()}> Tj ET"


def _width(text: str) -> float:
    return sum(map(_advance, text))


@lru_cache(maxsize=1 << 10)
def _advance(character: str) -> float:
    """The width of a character in Helvetica, in type sizes."""
    return float(pymupdf.get_text_length(character, _FONT, 1))


def _formatted(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:.5f}" for number in numbers)
