"""Locates what ZBar does not read: PDF417 and Aztec by their finder patterns, Data Matrix as a square of modules.

Another method than redaction uses: runs of dark and light along the lines of pixels, and counts of changes per block.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from pipeline.geometry.strip import Box

# Widths in modules, the first one dark (ISO/IEC 15438, start and stop pattern; ISO/IEC 24778, bull's-eye).
_START = (8, 1, 1, 1, 1, 1, 1, 3)
_STOP = (7, 1, 1, 3, 1, 1, 1, 2, 1)
_RINGS = (1, 1, 1, 1, 1, 1, 1, 1, 1)
_TOLERANCE = 0.45  # of a module, and half a pixel
_CONTRAST = 24  # gray levels below the mean of the surroundings that make a pixel dark
_SURROUNDINGS = 48  # pixels
_MIN_MODULE = 1.2  # pixels
_MIN_RING = 2.0  # pixels: letters look like finer rings
_MIN_RINGS = 0.92  # share of the modules of a bull's-eye that are as they should be
# Lines of pixels with a start or stop pattern at one place: their number, in modules too, and their share of all lines
# there. A code is at least nine modules high (ISO/IEC 15438: three rows of three). Strokes of letters over a burned
# box, and outlines of letters, have the pattern here and there.
_MIN_LINES, _MIN_MODULES, _MIN_SHARE = 6, 7, 1 / 3
_BLOCK = 8  # pixels: the side of a block
_MIN_CHANGES = 5  # changes of a block of modules in each direction, along its eight lines
_STEPS = (1, 2, 4)  # every pixel, every second, every fourth: modules of 2 to 24 pixels
_MIN_BLOCKS = 3  # of one side of a square
_MIN_BUSY = 0.5  # share of the blocks of a square with many changes; a slanted one leaves corners free
_DARK = (0.3, 0.75)  # share of its dark pixels
_MAX_OUTSIDE = 0.1  # share of blocks with many changes beyond the quiet zone of a square: a word has neighbours
_MAX_RATIO = 1.8  # of the sides of a square
_MAX_SQUARES = 8


def dark_pixels(gray: Image.Image) -> Any:
    """A mask (height, width) of the pixels of an image of mode L that are darker than their surroundings."""
    around = gray.filter(ImageFilter.BoxBlur(_SURROUNDINGS))
    return np.asarray(ImageChops.subtract(around, gray)) > _CONTRAST


def finder_patterns(dark: Any) -> Iterator[Box]:
    """The boxes of patterns that begin or end PDF417, and that are the middle of Aztec, upright or turned by 90.

    Dark and light may be swapped.
    """
    across, down = _Runs(dark), _Runs(dark.T)
    for pattern in (_START, _START[::-1], _STOP, _STOP[::-1]):
        modules = sum(pattern)
        yield from _columns(across.places(pattern), modules)
        yield from ((top, left, high, wide) for left, top, wide, high in _columns(down.places(pattern), modules))
    yield from _rings(dark, across.places(_RINGS), down.places(_RINGS))


def squares(dark: Any) -> Iterator[Box]:
    """The boxes of squares with many changes in both directions, the densest first, at several sizes of modules."""
    found: dict[Box, float] = {}
    for step in _STEPS:
        for (left, top, wide, high), density in _squares(dark[::step, ::step]):
            size = _BLOCK * step
            found.setdefault((left * size, top * size, wide * size, high * size), density)
    yield from sorted(found, key=lambda box: -found[box])[:_MAX_SQUARES]


def _squares(dark: Any) -> Iterator[tuple[Box, float]]:
    """The boxes of squares, in blocks, and how dense they are: 0.5 at most."""
    rows, columns = (side // _BLOCK for side in dark.shape)
    cut = dark[: rows * _BLOCK, : columns * _BLOCK]
    across = np.zeros(cut.shape, bool)
    across[:, 1:] = cut[:, 1:] != cut[:, :-1]
    down = np.zeros(cut.shape, bool)
    down[1:] = cut[1:] != cut[:-1]
    busy = (_per_block(across) >= _MIN_CHANGES) & (_per_block(down) >= _MIN_CHANGES)
    share = _per_block(cut) / _BLOCK**2
    for box in _regions(busy):
        if _is_square(box) and _is_full(box, busy, share):
            here = np.s_[box[1] : box[1] + box[3], box[0] : box[0] + box[2]]
            yield box, float(busy[here].mean() * min(share[here].mean(), 1 - share[here].mean()))


class _Runs:
    """The runs of dark and light along the rows of a mask."""

    def __init__(self, dark: Any) -> None:
        height, width = dark.shape
        framed = np.zeros((height, width + 2), np.int8)
        framed[:, 1:-1] = dark
        self._width = width + 2
        self._edges = np.flatnonzero(np.diff(framed.ravel()))
        self._runs = np.diff(self._edges)

    def places(self, pattern: tuple[int, ...]) -> Any:
        """The places (n, 3) of a pattern, the widths of its runs in modules: row, first pixel, width."""
        count = len(pattern)
        starts, ends = self._edges[:-count], self._edges[count:]
        if not len(starts):
            return np.zeros((0, 3), int)
        lengths = ends - starts
        module = lengths / sum(pattern)
        fits = (starts // self._width == ends // self._width) & (module >= _MIN_MODULE)
        for number, modules in enumerate(pattern):
            fits &= np.abs(self._runs[number : number + len(starts)] - modules * module) <= _TOLERANCE * module + 0.5
        at = starts[fits]
        return np.stack((at // self._width, at % self._width, lengths[fits]), axis=1)


def _columns(places: Any, modules: int) -> Iterator[Box]:
    """The boxes of places of a pattern (so many `modules` wide) that stand below each other."""
    order = places[np.lexsort((places[:, 0], places[:, 1] // 8))]
    for shift in (0, 4):
        keys = (order[:, 1] + shift) // 8
        for key in np.unique(keys):
            own = order[keys == key]
            lines, height = len(own), int(np.ptp(own[:, 0])) + 1
            least = max(_MIN_LINES, _MIN_MODULES * float(np.median(own[:, 2])) / modules)
            if lines >= max(least, _MIN_SHARE * height):
                left, top = int(own[:, 1].min()), int(own[:, 0].min())
                yield left, top, int(own[:, 2].max()), height


def _rings(dark: Any, across: Any, down: Any) -> Iterator[Box]:
    """The boxes of bull's-eyes: rings in a row and in a column through one middle."""
    columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for column, first, length in down.tolist():
        columns.setdefault((column // 8, (first + length // 2) // 8), []).append((column, first + length // 2))
    seen: set[tuple[int, int]] = set()
    for row, first, length in across.tolist():
        middle, module = first + length // 2, length / len(_RINGS)
        place = (middle // 8, row // 8)
        if place in seen or module < _MIN_RING:
            continue
        near = [item for x in (-1, 0, 1) for y in (-1, 0, 1) for item in columns.get((place[0] + x, place[1] + y), ())]
        if any(
            abs(column - middle) <= module and abs(center - row) <= module and _is_eye(dark, column, center, module)
            for column, center in near
        ):
            seen.add(place)
            yield _around(middle, row, 2 * length, dark.shape)


def _is_eye(dark: Any, x: int, y: int, module: float) -> bool:
    """Whether squares inside each other, a module wide, are dark and light in turn around a point."""
    steps = np.arange(-4, 5)
    columns, rows = (x + steps * module).round().astype(int), (y + steps * module).round().astype(int)
    if columns[0] < 0 or rows[0] < 0 or columns[-1] >= dark.shape[1] or rows[-1] >= dark.shape[0]:
        return False
    rings = np.maximum(np.abs(steps)[:, None], np.abs(steps)[None, :]) % 2 == 0
    share = float((dark[np.ix_(rows, columns)] == rings).mean())
    return max(share, 1 - share) >= _MIN_RINGS


def _around(x: int, y: int, side: int, shape: tuple[int, int]) -> Box:
    """A square around a point, within an array: a bull's-eye is the middle of a larger code."""
    left, top = max(0, x - side // 2), max(0, y - side // 2)
    return left, top, min(side, shape[1] - left), min(side, shape[0] - top)


def _per_block(mask: Any) -> Any:
    rows, columns = (side // _BLOCK for side in mask.shape)
    return mask.reshape(rows, _BLOCK, columns, _BLOCK).sum((1, 3), dtype=np.int32)


def _regions(busy: Any) -> Iterator[Box]:
    """The boxes of connected blocks, in blocks."""
    left = {(int(row), int(column)) for row, column in zip(*np.nonzero(busy), strict=True)}
    while left:
        first = left.pop()
        waiting, rows, columns = [first], [first[0]], [first[1]]
        while waiting:
            row, column = waiting.pop()
            for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if near in left:
                    left.remove(near)
                    waiting.append(near)
                    rows.append(near[0])
                    columns.append(near[1])
        yield min(columns), min(rows), max(columns) - min(columns) + 1, max(rows) - min(rows) + 1


def _is_full(box: Box, busy: Any, share: Any) -> bool:
    """Whether a box of blocks is full of changes, about half of it dark, and a quiet zone around it is even."""
    left, top, wide, high = box
    here = np.s_[top : top + high, left : left + wide]
    around = np.s_[max(0, top - 2) : top + high + 2, max(0, left - 2) : left + wide + 2]
    free = busy[around].size - (wide + 2) * (high + 2)
    outside = int(busy[around].sum()) - int(
        busy[max(0, top - 1) : top + high + 1, max(0, left - 1) : left + wide + 1].sum()
    )
    is_full = busy[here].mean() > _MIN_BUSY and _DARK[0] < share[here].mean() < _DARK[1]
    return bool(is_full and outside <= _MAX_OUTSIDE * max(free, 1))


def _is_square(box: Box) -> bool:
    _, _, wide, high = box
    return min(wide, high) >= _MIN_BLOCKS and max(wide, high) <= _MAX_RATIO * min(wide, high)
