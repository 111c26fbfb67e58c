"""Finds ink that people hardly see and programs read: its levels differ little from those of an even background.

It is found by morphology: a stroke is narrow, darker or lighter than what is on both sides of it, while the levels of a
shaded background only rise or only fall. Redaction removes such ink by another method (`documents.image.invisible`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

_VISIBLE_STEP = 16  # levels between neighbours: larger differences are visible
_MIN_EVEN = 0.85  # share of a block's pixels that equal both neighbours, on a drawn background without noise
_MIN_EVEN_OF_TEXT = 0.4  # the same of a block of drawn text
_NOISE = 0.25  # and the most of a block that noise fills
_BLOCK = 16  # pixels: the side of a block
_SKIPPED = 2  # blocks around visible ink that are skipped: faint pixels there are its antialiasing
_MIN_INK = 0.02  # share of a block of text that faint strokes cover
_RUN = 3  # adjacent blocks that make a word
_ROUNDING = 1  # levels by which an even gradient differs from its neighbourhood
_SAME = 0.7  # share of the pixels around that have one level: then ink of one level counts
_MIN_SIDE = 48  # pixels of the smallest image that is searched
_REDUCTIONS = (1, 2, 4)
_REACH = 6  # pixels: twice this is the width of the widest stroke


def invisible_ink(shown: Image.Image) -> Image.Image | None:
    """That ink of an image (mode L or RGB), black on white, in a grayscale image of its size; None if there is none."""
    drawn: Image.Image | None = None
    for step in _REDUCTIONS:
        small = shown.reduce(step) if step > 1 else shown
        if min(small.size) < _MIN_SIDE:
            break
        planes = [np.asarray(band) for band in small.split()]
        strokes = np.max([_strokes(plane) for plane in planes], axis=0)
        strokes[strokes > _VISIBLE_STEP] = 0
        blocks = _faint_blocks(planes, strokes)
        if not blocks.any():
            continue
        ink = Image.fromarray(_drawn(planes, blocks)).resize(shown.size)
        drawn = ink if drawn is None else Image.fromarray(np.minimum(np.asarray(drawn), np.asarray(ink)))
    return drawn


def _strokes(plane: Any) -> Any:
    """By how many levels each pixel differs from what is on both sides of its stroke: the greater of both top-hats."""
    closed = _extreme(_extreme(plane, np.maximum), np.minimum)
    opened = _extreme(_extreme(plane, np.minimum), np.maximum)
    return np.maximum(closed - plane, plane - opened)


def _extreme(plane: Any, greater: Callable[[Any, Any], Any]) -> Any:
    """The greatest (or least) level within _REACH pixels of each pixel, across and down (a square)."""
    for axis in (0, 1):
        edges = [(0, 0), (0, 0)]
        edges[axis] = (_REACH, _REACH)
        padded = np.moveaxis(np.pad(plane, edges, mode="edge"), axis, 0)
        width, size = 1, 2 * _REACH + 1
        while 2 * width < size:
            padded = greater(padded[:-width], padded[width:])
            width *= 2
        rest = size - width
        plane = np.moveaxis(greater(padded[: len(padded) - rest], padded[rest:]), 0, axis)
    return plane


def _differences(planes: list[Any]) -> Any:
    """The largest difference of any plane of each pixel from its right and its lower neighbour."""
    right = np.max([np.abs(np.diff(plane.astype(np.int16), axis=1))[:-1] for plane in planes], axis=0)
    down = np.max([np.abs(np.diff(plane.astype(np.int16), axis=0))[:, :-1] for plane in planes], axis=0)
    return np.maximum(right, down)


def _faint_blocks(planes: list[Any], strokes: Any) -> Any:
    """A mask of the blocks with faint strokes on an even background, in runs, away from visible ink and noise."""
    most, strokes = _differences(planes), strokes[:-1, :-1]
    visible, even = _shares(most > _VISIBLE_STEP), _shares(most == 0)
    faint, strong = _shares(strokes > 0), _shares(strokes > _ROUNDING)
    beside = _dilated(visible > 0, _SKIPPED) | _dilated(even < _NOISE, 1)
    # A block of text is not even itself: a block around it must be.
    background = _dilated(even >= _MIN_EVEN, 1)
    blocks = (faint >= _MIN_INK) & (even >= _MIN_EVEN_OF_TEXT) & background & ~beside
    for row, column in zip(*np.nonzero(blocks & (strong < _MIN_INK)), strict=True):
        blocks[row, column] = all(_has_one_level(plane[_around(int(row), int(column))]) for plane in planes)
    return _in_runs(blocks) | _in_runs(blocks.T).T


def _has_one_level(part: Any) -> bool:
    return bool(np.bincount(part.ravel()).max() >= _SAME * part.size)


def _around(row: int, column: int) -> tuple[slice, slice]:
    """The pixels of a block and of those around it."""
    down, across = (slice(max(0, (at - 1) * _BLOCK), (at + 2) * _BLOCK) for at in (row, column))
    return down, across


def _shares(mask: Any) -> Any:
    """The share of the pixels of each block; those at the right and lower edge may be smaller."""
    rows, columns = (-(-side // _BLOCK) for side in mask.shape)
    padded = np.zeros((rows * _BLOCK, columns * _BLOCK), mask.dtype)
    padded[: mask.shape[0], : mask.shape[1]] = mask
    counts = padded.reshape(rows, _BLOCK, columns, _BLOCK).sum((1, 3), dtype=np.int32)
    heights, widths = (np.diff([*range(0, side, _BLOCK), side]) for side in mask.shape)
    return counts / np.outer(heights, widths)


def _dilated(mask: Any, reach: int) -> Any:
    padded = np.pad(mask, reach)
    dilated = np.zeros_like(mask)
    for down in range(2 * reach + 1):
        for right in range(2 * reach + 1):
            dilated |= padded[down : down + mask.shape[0], right : right + mask.shape[1]]
    return dilated


def _in_runs(blocks: Any) -> Any:
    """The blocks that belong to a run of at least _RUN blocks in a row."""
    padded = np.pad(blocks, ((0, 0), (_RUN - 1, _RUN - 1)))
    width = blocks.shape[1]
    starts = np.all([padded[:, n : n + width + _RUN - 1] for n in range(_RUN)], axis=0)
    return np.any([starts[:, n : n + width] for n in range(_RUN)], axis=0)


def _drawn(planes: list[Any], blocks: Any) -> Any:
    """The pixels of some blocks and of those around them that differ from the median around, dark on white."""
    drawn = np.full(planes[0].shape, 255, np.uint8)
    for row, column in zip(*np.nonzero(_dilated(blocks, 1)), strict=True):
        here = tuple(slice(int(at) * _BLOCK, (int(at) + 1) * _BLOCK) for at in (row, column))
        around = _around(int(row), int(column))
        for plane in planes:
            level = int(np.median(plane[around]))
            strongest = max(1, int(_faint_difference(plane[around], level).max()))
            dark = 255 - _faint_difference(plane[here], level) * 255 // strongest
            np.minimum(drawn[here], dark, out=drawn[here], casting="unsafe")
    return drawn


def _faint_difference(part: Any, level: int) -> Any:
    difference = np.abs(part.astype(np.int16) - level)
    difference[difference > _VISIBLE_STEP] = 0
    return difference
