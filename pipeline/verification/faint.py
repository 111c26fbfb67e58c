"""Finds what a picture holds below the eye's notice: letters a few levels off an even ground, stretched for OCR.

Redaction levels such ink (documents/image/invisible.py). This looks for it by differences between neighbours, not by
middle values, and draws what it finds in black on white.
"""

from typing import Any

import numpy as np
from PIL import Image

_SEEN = 16  # levels between neighbours: what is stronger is read as it is, or by hue.py
_EVEN = 0.85  # of a block's pixels that equal both neighbours: a drawn ground, without a photograph's grain
_BLOCK = 16  # pixels
_REACH = 2  # blocks around ink that is seen: what surrounds that is its own fringe
_EDGES = 6  # faint edges of a block
_RUN = 3  # such blocks side by side: a word
_LEAST_SIDE = 48  # pixels
_HALVES = (1, 2, 4)


def stretched(shown: Image.Image) -> Image.Image | None:
    """A gray picture of the same size with such ink alone; None when there is none. `shown` is L or RGB."""
    drawn: Image.Image | None = None
    for step in _HALVES:
        small = shown.reduce(step) if step > 1 else shown
        if min(small.size) < _LEAST_SIDE:
            break
        planes = [np.asarray(band) for band in small.split()]
        blocks = _faint_blocks(planes)
        if not blocks.any():
            continue
        ink = _stretched(planes, blocks).resize(shown.size)
        drawn = ink if drawn is None else Image.fromarray(np.minimum(np.asarray(drawn), np.asarray(ink)))
    return drawn


def _steps(planes: list[Any]) -> tuple[Any, Any]:
    """The most that any plane differs from its right and its lower neighbour, each in its own array."""
    right = np.max([np.abs(np.diff(plane.astype(np.int16), axis=1))[:-1] for plane in planes], axis=0)
    down = np.max([np.abs(np.diff(plane.astype(np.int16), axis=0))[:, :-1] for plane in planes], axis=0)
    return right, down


def _faint_blocks(planes: list[Any]) -> Any:
    """Blocks with faint edges on an even ground, in runs, away from what is seen."""
    most = np.maximum(*_steps(planes))
    seen, even, faint = (_per_block(part) for part in (most > _SEEN, most == 0, (most > 0) & (most <= _SEEN)))
    size = _BLOCK * _BLOCK
    near = _grown(seen > 0, _REACH)
    # Of a line of letters a block is even in its middle value: the blocks around it tell the ground.
    ground = _grown(even >= _EVEN * size, 1)
    blocks = (faint >= _EDGES) & (even >= 0.4 * size) & ground & ~near
    return _in_runs(blocks) | _in_runs(blocks.T).T


def _per_block(mask: Any) -> Any:
    rows, columns = (side // _BLOCK for side in mask.shape)
    cut = mask[: rows * _BLOCK, : columns * _BLOCK]
    return cut.reshape(rows, _BLOCK, columns, _BLOCK).sum((1, 3), dtype=np.int32)


def _grown(mask: Any, reach: int) -> Any:
    padded = np.pad(mask, reach)
    grown = np.zeros_like(mask)
    for down in range(2 * reach + 1):
        for right in range(2 * reach + 1):
            grown |= padded[down : down + mask.shape[0], right : right + mask.shape[1]]
    return grown


def _in_runs(blocks: Any) -> Any:
    """The blocks that stand with enough others side by side in a row."""
    padded = np.pad(blocks, ((0, 0), (_RUN - 1, _RUN - 1)))
    width = blocks.shape[1]
    starts = np.all([padded[:, n : n + width + _RUN - 1] for n in range(_RUN)], axis=0)
    return np.any([starts[:, n : n + width] for n in range(_RUN)], axis=0)


def _stretched(planes: list[Any], blocks: Any) -> Image.Image:
    """What differs from the middle value of the blocks around it, black; all else white."""
    drawn = np.full(planes[0].shape, 255, np.uint8)
    rows, columns = np.nonzero(_grown(blocks, 1))
    for top, left in zip(rows * _BLOCK, columns * _BLOCK, strict=True):
        here = (slice(top, top + _BLOCK), slice(left, left + _BLOCK))
        first_row, first_column = max(0, int(top) - _BLOCK), max(0, int(left) - _BLOCK)
        around = (slice(first_row, top + 2 * _BLOCK), slice(first_column, left + 2 * _BLOCK))
        for plane in planes:
            away = np.abs(plane[around].astype(np.int16) - int(np.median(plane[around])))
            away[away > _SEEN] = 0
            strongest = max(1, int(away.max()))
            own = away[top - first_row :, left - first_column :][:_BLOCK, :_BLOCK]
            np.minimum(drawn[here], 255 - own * 255 // strongest, out=drawn[here], casting="unsafe")
    return Image.fromarray(drawn)
