"""Finds ink that people hardly see and programs read: its levels differ little from those of an even background.

It is found by the differences between neighbouring pixels. Redaction removes such ink by another method
(`documents.image.invisible`).
"""

from typing import Any

import numpy as np
from PIL import Image

_VISIBLE_STEP = 16  # levels between neighbours: larger differences are visible
_MIN_EVEN = 0.85  # share of a block's pixels that equal both neighbours, on a drawn background without noise
_BLOCK = 16  # pixels: the side of a block
_SKIPPED = 2  # blocks around visible ink that are skipped: faint pixels there are its antialiasing
_MIN_EDGES = 6  # faint edges in a block of text
_RUN = 3  # adjacent blocks that make a word
_MIN_SIDE = 48  # pixels of the smallest image that is searched
_REDUCTIONS = (1, 2, 4)


def invisible_ink(shown: Image.Image) -> Image.Image | None:
    """That ink of an image (mode L or RGB), black on white, in a grayscale image of its size; None if there is none."""
    drawn: Image.Image | None = None
    for step in _REDUCTIONS:
        small = shown.reduce(step) if step > 1 else shown
        if min(small.size) < _MIN_SIDE:
            break
        planes = [np.asarray(band) for band in small.split()]
        blocks = _faint_blocks(planes)
        if not blocks.any():
            continue
        ink = _drawn_faint(planes, blocks).resize(shown.size)
        drawn = ink if drawn is None else Image.fromarray(np.minimum(np.asarray(drawn), np.asarray(ink)))
    return drawn


def _neighbour_differences(planes: list[Any]) -> tuple[Any, Any]:
    """The largest difference of any plane to the right neighbour, and to the lower neighbour, of each pixel."""
    right = np.max([np.abs(np.diff(plane.astype(np.int16), axis=1))[:-1] for plane in planes], axis=0)
    down = np.max([np.abs(np.diff(plane.astype(np.int16), axis=0))[:, :-1] for plane in planes], axis=0)
    return right, down


def _faint_blocks(planes: list[Any]) -> Any:
    """A mask of the blocks with faint edges on an even background, in runs and away from visible ink."""
    most = np.maximum(*_neighbour_differences(planes))
    visible, even, faint = (
        _per_block(part) for part in (most > _VISIBLE_STEP, most == 0, (most > 0) & (most <= _VISIBLE_STEP))
    )
    size = _BLOCK * _BLOCK
    near_visible = _dilated(visible > 0, _SKIPPED)
    # A block of text is not even itself: a block around it must be.
    background = _dilated(even >= _MIN_EVEN * size, 1)
    blocks = (faint >= _MIN_EDGES) & (even >= 0.4 * size) & background & ~near_visible
    return _in_runs(blocks) | _in_runs(blocks.T).T


def _per_block(mask: Any) -> Any:
    rows, columns = (side // _BLOCK for side in mask.shape)
    cut = mask[: rows * _BLOCK, : columns * _BLOCK]
    return cut.reshape(rows, _BLOCK, columns, _BLOCK).sum((1, 3), dtype=np.int32)


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


def _drawn_faint(planes: list[Any], blocks: Any) -> Image.Image:
    """The pixels that differ from the median of the surrounding blocks, black on white."""
    drawn = np.full(planes[0].shape, 255, np.uint8)
    rows, columns = np.nonzero(_dilated(blocks, 1))
    for top, left in zip(rows * _BLOCK, columns * _BLOCK, strict=True):
        here = (slice(top, top + _BLOCK), slice(left, left + _BLOCK))
        first_row, first_column = max(0, int(top) - _BLOCK), max(0, int(left) - _BLOCK)
        around = (slice(first_row, top + 2 * _BLOCK), slice(first_column, left + 2 * _BLOCK))
        for plane in planes:
            difference = np.abs(plane[around].astype(np.int16) - int(np.median(plane[around])))
            difference[difference > _VISIBLE_STEP] = 0
            strongest = max(1, int(difference.max()))
            own = difference[top - first_row :, left - first_column :][:_BLOCK, :_BLOCK]
            np.minimum(drawn[here], 255 - own * 255 // strongest, out=drawn[here], casting="unsafe")
    return Image.fromarray(drawn)
