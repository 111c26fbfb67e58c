"""Shows what stands in dark places as OCR reads it: light text in boxes dark, and printed labels not at all."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.ocr.layout.lines import OcrWord
from pipeline.ocr.printed_labels import labels_among_others, labels_in

_DARK = 96  # gray level: darker pixels belong to a dark box
_REDUCTION = 4  # reduction factor of the first search, which takes a tenth of the time
_MIN_WIDTH, _MIN_HEIGHT = 14, 10  # pixels
_MIN_LABEL = 60  # pixels: the width of a shape with a label
_MIN_FILL = 0.45  # share of dark pixels of a box with letters
_MIN_EDGE_FILL = 0.9  # share of dark pixels along a box's edges
_MAX_SEARCHED = 1000  # boxes in which labels are searched: it takes a millisecond for each
_MARGIN = 2  # pixels around a box that are neither black nor white
_AROUND = 3  # pixels around these that show the paper
_WHITE = 255


class Box(NamedTuple):
    """A dark box in pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


class DarkPlaces(NamedTuple):
    """The solid dark boxes of a raster, with or without light text in them, and the boxes around other dark shapes."""

    boxes: Sequence[Box] = ()
    shapes: Sequence[Box] = ()


def dark_places(image: Any) -> DarkPlaces:
    """Those of a grayscale array."""
    found = [(Box(*area), _dark_box(image, *area)) for area in _candidates(image)]
    shapes = [area for area, box in found if not box and area.right - area.left >= _MIN_LABEL]
    return DarkPlaces([box for _, box in found if box], shapes)


def without_dark_places(image: Any, places: DarkPlaces) -> tuple[Any, list[OcrWord]]:
    """The grayscale array with its dark boxes inverted, but those with labels alone as paper; and all labels.

    Tesseract fails on light text in solid dark boxes, such as table headings. Other shapes, as of burned boxes that
    touch, stay as they are, but for their labels.
    """
    boxes, shapes = places
    if not boxes and not shapes:
        return image, []
    labels: list[OcrWord] = []
    light = image.copy()
    for count, (left, top, right, bottom) in enumerate(boxes):
        box = image[top:bottom, left:right]
        found = labels_in(box) if count < _MAX_SEARCHED else None
        labels += [word._replace(left=word.left + left, top=word.top + top) for word in found or ()]
        paper = _paper_around(image, left, top, right, bottom)
        light[max(0, top - _MARGIN) : bottom + _MARGIN, max(0, left - _MARGIN) : right + _MARGIN] = paper
        light[top:bottom, left:right] = _WHITE - box if found is None else paper
        if found is None and count < _MAX_SEARCHED:
            labels += _taken_out(image, light, Box(left, top, right, bottom), _WHITE)
    for shape in shapes[:_MAX_SEARCHED]:
        labels += _taken_out(image, light, shape, 0)
    return light, labels


def _taken_out(image: Any, light: Any, place: Box, ground: int) -> list[OcrWord]:
    """The labels in a dark place that shows more than these; where they stand becomes ground in the `light` array."""
    left, top, right, bottom = place
    found = [
        word._replace(left=word.left + left, top=word.top + top)
        for word in labels_among_others(image[top:bottom, left:right])
    ]
    for word in found:
        light[word.top : word.top + word.height, word.left : word.left + word.width] = ground
    return found


def _paper_around(image: Any, left: int, top: int, right: int, bottom: int) -> int:
    """The gray level of the paper around a box, which has some text on it; white where more is dark."""
    near, far = _MARGIN, _MARGIN + _AROUND
    columns, rows = slice(max(0, left - far), right + far), slice(max(0, top - near), bottom + near)
    sides = (
        image[max(0, top - far) : max(0, top - near), columns],
        image[bottom + near : bottom + far, columns],
        image[rows, max(0, left - far) : max(0, left - near)],
        image[rows, right + near : right + far],
    )
    around = np.concatenate([side.ravel() for side in sides])
    paper = int(np.median(around)) if len(around) else _WHITE
    return paper if paper > _DARK else _WHITE


def _candidates(image: Any) -> list[tuple[int, int, int, int]]:
    """Areas (left, top, right, bottom) that contain a dark component, with a small margin."""
    if min(image.shape) < 2 * _REDUCTION:
        return []
    small = cv2.resize(image, None, fx=1 / _REDUCTION, fy=1 / _REDUCTION, interpolation=cv2.INTER_AREA)
    table = cv2.connectedComponentsWithStats((small < _DARK + 32).astype(np.uint8), connectivity=4)[2][1:]
    _, _, width, height, area = table.T
    large = (width * _REDUCTION >= _MIN_WIDTH) & (height * _REDUCTION >= _MIN_HEIGHT)
    areas = table[large & (area >= 0.8 * _MIN_FILL * width * height)]
    scaled = [(int(x - 1), int(y - 1), int(x + w + 1), int(y + h + 1)) for x, y, w, h, _ in areas]
    return [
        (max(0, left) * _REDUCTION, max(0, top) * _REDUCTION, r * _REDUCTION, b * _REDUCTION)
        for left, top, r, b in scaled
    ]


def _dark_box(image: Any, left: int, top: int, right: int, bottom: int) -> Box | None:
    """The exact bounds of the dark box in an area; None if the dark component is not a filled box."""
    dark = (image[top:bottom, left:right] < _DARK).astype(np.uint8)
    table = cv2.connectedComponentsWithStats(dark, connectivity=4)[2][1:]
    if not len(table):
        return None
    x, y, width, height, area = (int(value) for value in table[table[:, cv2.CC_STAT_AREA].argmax()])
    if width < _MIN_WIDTH or height < _MIN_HEIGHT or area < _MIN_FILL * width * height:
        return None
    patch = dark[y : y + height, x : x + width]
    if any(float(edge.mean()) < _MIN_EDGE_FILL for edge in (patch[1], patch[-2], patch[:, 1], patch[:, -2])):
        return None
    return Box(left + x, top + y, left + x + width, top + y + height)
