"""Finds what a picture holds below the eye's notice: letters a few levels off an even ground, stretched for OCR.

Redaction levels such ink (documents/image/invisible.py). This looks for it by differences between neighbours, not by
middle values, and draws what it finds in black on white.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageFilter

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


# Finds strokes that a person sees and gray does not show, and draws them black on white for OCR.
#
# Stands apart from redaction's own search: it follows edges, not characters. Where brightness or chroma changes from
# one pixel to the next more than grain does, and brightness not so much that OCR would see it, there may be text of
# equal brightness or of faint ink. Alarms cost a reading of little ink, so it asks for no more than a few edges side
# by side.

_FAINT = 16  # gray levels: as redaction has it (pipeline/documents/raster/low_contrast.py)
_HUE = 12  # levels of chroma: likewise
_PLAIN = 40  # gray levels between neighbours: ink that OCR sees without help
_TINT = 12  # levels between red, green and blue that paper and its noise stay below
_GRAIN = 7.0  # times the deviation of a neighbour
_TILE = 8  # pixels
_HUE_EDGES = 5  # pixels of a tile that are edges, of 64
_LEVELS = 3  # sizes that are looked at: half, a quarter, an eighth
_LEAST_HUE_SIDE = 32  # pixels
_MOST_PLACES = 300  # of a picture: with more, its edges are no lines of text, and all of it is drawn at once
_LONG = 3  # times its height: a line of text
_FINEST = 2  # step of the first look
_LARGE = 48  # pixels of the whole that letters are high which a fine look takes apart
_LARGEST = 500  # pixels of a letter's height
_ACROSS, _ALONG = 1, 6  # tiles around a place that are drawn with it


class _Edges(NamedTuple):
    """What one look finds: `is_edge` of each pixel, `step` of that look in pixels of the whole."""

    is_edge: Any
    step: int


class _Place(NamedTuple):
    """Where edges stand side by side: the box (left, top, right, bottom) in pixels of a look, and its lines' height."""

    edges: _Edges
    box: tuple[int, int, int, int]
    height: int


def by_hue(shown: Image.Image, gray: Image.Image) -> list[Image.Image]:
    """Gray pictures of the same size with such strokes alone: none, one, or a second one for large letters.

    `shown` is L or RGB, `gray` what OCR is given anyway, of the same size.
    """
    if shown.mode != "L" and not is_colored(shown):
        shown = shown.convert("L")
    places = [_Place(edges, box, height) for edges in _looks(shown, gray) for box, height in _places(edges.is_edge)]
    # To a fine look, large letters are outlines: they are drawn apart from it.
    large = [place for place in places if place.edges.step > _FINEST and place.height * place.edges.step >= _LARGE]
    drawn: list[Image.Image] = []
    for chosen in (places, large):
        if chosen:
            drawn.append(Image.new("L", shown.size, 255))
        for place in reversed(chosen):  # the finest last: it knows best
            _draw(drawn[-1], shown, place)
    return drawn


def is_colored(shown: Image.Image) -> bool:
    """Whether some pixel of an RGB picture has more hue than paper has."""
    red, green, blue = (shown.reduce(2) if min(shown.size) > 2 * _LEAST_HUE_SIDE else shown).split()
    pairs = (ImageChops.difference(red, green), ImageChops.difference(green, blue))
    return any(pair.getextrema()[1] > _TINT for pair in pairs)  # type: ignore[operator]


def _planes(shown: Image.Image) -> list[Any]:
    """Brightness, and where there is hue Cb and Cr."""
    bands = shown.split() if shown.mode == "L" else shown.convert("YCbCr").split()
    return [np.asarray(band) for band in bands]


def _looks(shown: Image.Image, gray: Image.Image) -> Iterator[_Edges]:
    step = 1 if min(shown.size) < 2 * _LEAST_HUE_SIDE else 2
    visible: Any = None
    for _ in range(_LEVELS):
        if min(shown.size) < step * _LEAST_HUE_SIDE:
            return
        planes = _planes(shown.reduce(step))
        brightness = _range(planes[0])
        is_edge = brightness > max(_FAINT, _GRAIN * _grain(planes[0]))
        for chroma in planes[1:]:
            is_edge |= _range(chroma) > max(_HUE, _GRAIN * _grain(chroma))
        plain = (_range(np.asarray(gray.reduce(step))) if shown is not gray else brightness) > _PLAIN
        visible = _widened(plain if visible is None else plain | _halved(visible, plain.shape))
        yield _Edges(is_edge & ~visible, step)
        step *= 2


def _range(plane: Any) -> Any:
    """The difference between the most and the least of each pixel's 3 x 3 surroundings."""
    most = least = np.pad(plane, 1, mode="edge")
    for axis in (0, 1):
        cuts = [slice(None)] * 2
        parts_most, parts_least = [], []
        for start, stop in ((0, -2), (1, -1), (2, None)):
            cuts[axis] = slice(start, stop)
            parts_most.append(most[tuple(cuts)])
            parts_least.append(least[tuple(cuts)])
        most = np.maximum(np.maximum(parts_most[0], parts_most[1]), parts_most[2])
        least = np.minimum(np.minimum(parts_least[0], parts_least[1]), parts_least[2])
    return most - least


def _grain(plane: Any) -> float:
    """The deviation of noise, from the middle difference between neighbours."""
    some = plane[::3, ::3].astype(np.int16), plane[::3, 1::3].astype(np.int16)
    width = min(part.shape[1] for part in some)
    return float(np.median(np.abs(some[0][:, :width] - some[1][:, :width]))) * 1.05


def _widened(mask: Any) -> Any:
    """The mask grown by two pixels to every side."""
    wide = np.pad(mask, ((0, 0), (2, 2)))
    wide = wide[:, :-4] | wide[:, 1:-3] | wide[:, 2:-2] | wide[:, 3:-1] | wide[:, 4:]
    tall = np.pad(wide, ((2, 2), (0, 0)))
    return tall[:-4] | tall[1:-3] | tall[2:-2] | tall[3:-1] | tall[4:]


def _halved(mask: Any, shape: tuple[int, int]) -> Any:
    """A finer look's mask at the size of this one."""
    small = Image.fromarray(mask.astype(np.uint8) * 255).reduce(2)
    return np.asarray(small)[: shape[0], : shape[1]] > 127


def _places(is_edge: Any) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """Boxes (left, top, right, bottom) in pixels of edges that stand side by side, and how high their lines are."""
    rows, columns = (side // _TILE for side in is_edge.shape)
    if not rows or not columns:
        return
    cut = is_edge[: rows * _TILE, : columns * _TILE]
    tiles = cut.reshape(rows, _TILE, columns * _TILE).sum(1, dtype=np.uint8)
    tiles = tiles.reshape(rows, columns, _TILE).sum(2, dtype=np.uint8) >= _HUE_EDGES
    groups = [group for group in _groups(tiles) if max(group[2] - group[0], group[3] - group[1]) >= _RUN]
    if len(groups) > _MOST_PLACES:
        groups = [(0, 0, columns, rows)]
    for left, top, right, bottom in groups:
        box = (left * _TILE, top * _TILE, right * _TILE, bottom * _TILE)
        yield box, _line_height(is_edge[box[1] : box[3], box[0] : box[2]])


def _groups(tiles: Any) -> Iterator[tuple[int, int, int, int]]:
    """Boxes of neighbouring tiles; one empty tile between two of a row keeps them together."""
    left_to_see = set(map(tuple, np.argwhere(tiles).tolist()))
    while left_to_see:
        edge = [left_to_see.pop()]
        seen = list(edge)
        while edge:
            y, x = edge.pop()
            near = [(y + down, x + right) for down in (-1, 0, 1) for right in (-2, -1, 0, 1, 2)]
            found = [tile for tile in near if tile in left_to_see]
            left_to_see.difference_update(found)
            edge += found
            seen += found
        ys, xs = [y for y, _ in seen], [x for _, x in seen]
        yield min(xs), min(ys), max(xs) + 1, max(ys) + 1


def _line_height(is_edge: Any) -> int:
    """How high the lines of a box are: the middle length of runs of rows (or columns) that hold edges."""
    profile = is_edge.sum(axis=1)
    full = profile > 0.2 * profile.max()
    borders = np.flatnonzero(np.diff(np.concatenate(([False], full, [False])).astype(np.int8)))
    return int(max(_TILE, np.median(borders[1::2] - borders[::2])))


def _draw(drawn: Image.Image, shown: Image.Image, place: _Place) -> None:
    """Draws a place and what stands around it by its difference from the middle colour within a line's height."""
    edges, box, height = place
    step, size = edges.step, drawn.size
    down, right = (_ACROSS, _ALONG) if box[2] - box[0] >= box[3] - box[1] else (_ALONG, _ACROSS)
    left, top = max(0, box[0] - right * _TILE) * step, max(0, box[1] - down * _TILE) * step
    area = (left, top, min(size[0], (box[2] + right * _TILE) * step), min(size[1], (box[3] + down * _TILE) * step))
    parts = _planes(shown.crop(area))
    mask = Image.fromarray(edges.is_edge[box[1] : box[3], box[0] : box[2]])
    x, y = box[0] * step - left, box[1] * step - top
    inside = np.asarray(mask.resize((mask.width * step, mask.height * step), Image.Resampling.NEAREST))
    within = (slice(y, y + inside.shape[0]), slice(x, x + inside.shape[1]))
    is_line = max(inside.shape) > _LONG * min(inside.shape)  # of a single large letter, more than half may be ink
    middle = [int(np.median(part[within] if is_line else part)) for part in parts]
    away = _differences(parts, height * step, middle)
    part = away[within]
    strength = max(float(_FAINT), float(np.percentile(part[inside[: part.shape[0], : part.shape[1]]], 70)))
    blackness = np.clip((away / strength - 0.3) * 2.5, 0, 1)
    drawn.paste(Image.fromarray((255 - 255 * blackness).astype(np.uint8)), area[:2])


def _differences(parts: list[Any], height: int, middle: list[int]) -> Any:
    """Each pixel's difference from the nearest of four grounds: its own, those a line above and below, and `middle`."""
    window = max(3, min(height, _LARGEST))
    grounds = [_ground(part, max(1, window // 9)) for part in parts]
    rows = [np.clip(np.arange(len(parts[0])) + move, 0, len(parts[0]) - 1) for move in (0, -window, window)]
    candidates = [[ground[chosen] for ground in grounds] for chosen in rows]
    candidates.append([np.full_like(ground, level) for ground, level in zip(grounds, middle, strict=True)])
    least: Any = None
    for candidate in candidates:
        each = [np.abs(part - ground) for part, ground in zip(parts, candidate, strict=True)]
        most = np.max([each[0], *(2 * away for away in each[1:])], axis=0)
        least = most if least is None else np.minimum(least, most)
    return least.astype(np.float32)


def _ground(part: Any, few: int) -> Any:
    """The middle values around each pixel, from every `few`-th of them."""
    small = Image.fromarray(np.ascontiguousarray(part[few // 2 :: few, few // 2 :: few]))
    middle = small.filter(ImageFilter.MedianFilter(9)) if min(small.size) > 4 else small
    return np.asarray(middle.resize(part.shape[::-1], Image.Resampling.BILINEAR), np.int16)
