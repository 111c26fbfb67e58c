"""Tells documents whose text nobody can read: all that could be done is to burn it."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pipeline.documents.document import Extraction, Raster, Reading

_CELL = 4  # pixels
_HIGHEST = 40.0  # points: higher boxes are no lines of text
_DEFAULT_DPI = 300
_PER_SQUARE = 2.0  # characters on a square that is as high as a line
_LARGE_PART = 0.8  # of the characters of a document
_MANY = 400  # characters: a quarter of a page of handwriting


def is_illegible(extraction: Extraction, readings: Sequence[Reading]) -> bool:
    """Whether unread ink is a large part of the text of a document, and much."""
    raster_of = {raster.id: raster for raster in extraction.rasters}
    counts = [_characters(raster_of[one.raster], one) for one in readings]
    unread = sum(count for count, _ in counts)
    read = sum(count for _, count in counts) + sum(len(unit.text) for unit in extraction.units)
    return unread >= _MANY and unread > _LARGE_PART * (unread + read)


def _characters(raster: Raster, reading: Reading) -> tuple[float, int]:
    """About how many characters of a raster are unread, and how many are read."""
    highest = _HIGHEST * (raster.dpi or _DEFAULT_DPI) / 72
    boxes = [box for box in reading.unread if 0 < min(box[2:]) <= highest]
    burned = _cells(raster, boxes)
    side = _side(boxes)
    in_area = float(burned.sum()) * _CELL**2 / side**2
    in_boxes = sum(max(box[2:]) / min(box[2:]) for box in boxes)  # boxes overlap, and some are higher than a line
    unread = min(in_area, in_boxes) * _PER_SQUARE
    # Lines that follow again repeat their words.
    words = {(word.left, word.top, word.width, word.height): word.end - word.start for word in reading.words}
    read = sum(
        length
        for (left, top, width, height), length in words.items()
        if not burned[(top + height // 2) // _CELL, (left + width // 2) // _CELL]
    )
    return unread, read


def _side(boxes: Sequence[tuple[int, int, int, int]]) -> float:
    """The shorter side of the boxes in which half of their area lies: specks are many and have little."""
    if not boxes:
        return 1.0
    sizes = np.array(boxes, float)[:, 2:]
    sides, areas = sizes.min(axis=1), sizes.prod(axis=1)
    order = sides.argsort()
    return float(sides[order][np.searchsorted(areas[order].cumsum(), areas.sum() / 2)])


def _cells(raster: Raster, boxes: Sequence[tuple[int, int, int, int]]) -> NDArray[np.bool_]:
    """Squares of a raster that boxes touch; however many and large they are, in one pass over boxes and squares."""
    left, top, width, height = np.array(boxes, int).reshape(-1, 4).T
    first, last = (top // _CELL, left // _CELL), ((top + height) // _CELL + 1, (left + width) // _CELL + 1)
    edges = np.zeros((raster.height // _CELL + 2, raster.width // _CELL + 2), np.int32)
    for row, column in product((0, 1), (0, 1)):  # the corners of all boxes
        np.add.at(edges, ((first, last)[row][0], (first, last)[column][1]), 1 if row == column else -1)
    return np.asarray(edges.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0)
