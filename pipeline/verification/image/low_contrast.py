"""Finds text in an image that grayscale OCR misses, and draws it black on white as further rasters for OCR.

`faint_ink` finds text that differs from an even background by a few gray levels, by the differences between
neighbouring pixels. Redaction removes such text by another method (`documents.image.invisible`).
`hue_layers` finds text that differs from its background in hue, or too little in brightness for OCR. It follows edges,
not character shapes as redaction does: where brightness or chroma changes from pixel to pixel more than noise does, and
brightness changes less than OCR needs, there may be text. A false alarm costs one OCR pass over little ink, so a few
adjacent edges are enough.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageFilter

_VISIBLE_STEP = 16  # gray levels between neighbours: larger differences are visible, or found by `hue_layers`
_MIN_EVEN = 0.85  # share of a block's pixels that equal both neighbours, on a drawn background without noise
_BLOCK = 16  # pixels: the side of a block
_SKIPPED = 2  # blocks around visible ink that are skipped: faint pixels there are its antialiasing
_MIN_EDGES = 6  # faint edges in a block of text
_RUN = 3  # adjacent blocks that make a word
_MIN_SIDE = 48  # pixels of the smallest image that is searched
_REDUCTIONS = (1, 2, 4)


def faint_ink(shown: Image.Image) -> Image.Image | None:
    """A grayscale image of the same size with the faint ink only; None if there is none. `shown` has mode L or RGB."""
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


_MIN_GRAY_EDGE = 16  # gray levels of an edge: the same bound as in `documents.raster.low_contrast`
_MIN_CHROMA_EDGE = 12  # levels of chroma of an edge: the same bound as there
_VISIBLE_EDGE = 40  # gray levels between neighbours of ink that OCR reads anyway
_PAPER_TINT = 12  # largest difference between red, green and blue of paper and its noise
_NOISE_FACTOR = 7.0  # times the noise: what an edge must exceed
_TILE = 8  # pixels: the side of a tile
_MIN_TILE_EDGES = 5  # edge pixels, of 64, of a tile of text
_SIZES = 3  # sizes that are searched: a half, a quarter, an eighth
_MIN_HUE_SIDE = 32  # pixels of the smallest size that is searched
_MAX_REGIONS = 300  # of an image; with more, the edges are not lines of text, and the whole image is drawn
_LINE_RATIO = 3  # a line of text is wider than so many times its height
_FINEST_STEP = 2  # step of the finest size
_LARGE_LETTER = 48  # pixels of the full image: letters of this height are only outlines at the finest size
_MAX_LETTER = 500  # pixels of the tallest letter
_ACROSS, _ALONG = 1, 6  # tiles around a region, across and along its line, that are drawn with it


class _EdgeMap(NamedTuple):
    """The edges at one size: `is_edge` of each pixel; `step` is the side of such a pixel in full-size pixels."""

    is_edge: Any
    step: int


class _Region(NamedTuple):
    """A region of adjacent edges: `box` (left, top, right, bottom) and line `height` in pixels of that size."""

    edges: _EdgeMap
    box: tuple[int, int, int, int]
    height: int


def hue_layers(shown: Image.Image, gray: Image.Image) -> list[Image.Image]:
    """Grayscale images of the same size with the text that `gray` does not show: none, one, or two.

    A second image holds large letters. `shown` has mode L or RGB; `gray`, of the same size, is what OCR reads anyway.
    """
    if shown.mode != "L" and not is_colored(shown):
        shown = shown.convert("L")
    regions = [
        _Region(edges, box, height) for edges in _edge_maps(shown, gray) for box, height in _regions(edges.is_edge)
    ]
    # At a fine size large letters are outlines: they are drawn in an image of their own.
    large = [
        region
        for region in regions
        if region.edges.step > _FINEST_STEP and region.height * region.edges.step >= _LARGE_LETTER
    ]
    drawn: list[Image.Image] = []
    for chosen in (regions, large):
        if chosen:
            drawn.append(Image.new("L", shown.size, 255))
        for region in reversed(chosen):  # the finest size last: it is the most exact
            _draw(drawn[-1], shown, region)
    return drawn


def is_colored(shown: Image.Image) -> bool:
    """Whether some pixel of an RGB image has more hue than paper."""
    red, green, blue = (shown.reduce(2) if min(shown.size) > 2 * _MIN_HUE_SIDE else shown).split()
    pairs = (ImageChops.difference(red, green), ImageChops.difference(green, blue))
    return any(pair.getextrema()[1] > _PAPER_TINT for pair in pairs)  # type: ignore[operator]


def _planes(shown: Image.Image) -> list[Any]:
    """Brightness and, of a colour image, Cb and Cr."""
    bands = shown.split() if shown.mode == "L" else shown.convert("YCbCr").split()
    return [np.asarray(band) for band in bands]


def _edge_maps(shown: Image.Image, gray: Image.Image) -> Iterator[_EdgeMap]:
    step = 1 if min(shown.size) < 2 * _MIN_HUE_SIDE else 2
    visible: Any = None
    for _ in range(_SIZES):
        if min(shown.size) < step * _MIN_HUE_SIDE:
            return
        planes = _planes(shown.reduce(step))
        brightness = _local_range(planes[0])
        is_edge = brightness > max(_MIN_GRAY_EDGE, _NOISE_FACTOR * _noise(planes[0]))
        for chroma in planes[1:]:
            is_edge |= _local_range(chroma) > max(_MIN_CHROMA_EDGE, _NOISE_FACTOR * _noise(chroma))
        visible_edges = (
            _local_range(np.asarray(gray.reduce(step))) if shown is not gray else brightness
        ) > _VISIBLE_EDGE
        visible = _dilated_by_two(
            visible_edges if visible is None else visible_edges | _halved(visible, visible_edges.shape)
        )
        yield _EdgeMap(is_edge & ~visible, step)
        step *= 2


def _local_range(plane: Any) -> Any:
    """The difference between the largest and the smallest value in the 3 x 3 neighbourhood of each pixel."""
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


def _noise(plane: Any) -> float:
    """The standard deviation of noise, estimated from the median difference between neighbours."""
    samples = plane[::3, ::3].astype(np.int16), plane[::3, 1::3].astype(np.int16)
    width = min(part.shape[1] for part in samples)
    return float(np.median(np.abs(samples[0][:, :width] - samples[1][:, :width]))) * 1.05


def _dilated_by_two(mask: Any) -> Any:
    """The mask dilated by two pixels on each side."""
    wide = np.pad(mask, ((0, 0), (2, 2)))
    wide = wide[:, :-4] | wide[:, 1:-3] | wide[:, 2:-2] | wide[:, 3:-1] | wide[:, 4:]
    tall = np.pad(wide, ((2, 2), (0, 0)))
    return tall[:-4] | tall[1:-3] | tall[2:-2] | tall[3:-1] | tall[4:]


def _halved(mask: Any, shape: tuple[int, int]) -> Any:
    """The mask of the next finer size, reduced to this size."""
    small = Image.fromarray(mask.astype(np.uint8) * 255).reduce(2)
    return np.asarray(small)[: shape[0], : shape[1]] > 127


def _regions(is_edge: Any) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """Boxes (left, top, right, bottom) of adjacent edges in pixels, with the height of their lines."""
    rows, columns = (side // _TILE for side in is_edge.shape)
    if not rows or not columns:
        return
    cut = is_edge[: rows * _TILE, : columns * _TILE]
    tiles = cut.reshape(rows, _TILE, columns * _TILE).sum(1, dtype=np.uint8)
    tiles = tiles.reshape(rows, columns, _TILE).sum(2, dtype=np.uint8) >= _MIN_TILE_EDGES
    groups = [group for group in _groups(tiles) if max(group[2] - group[0], group[3] - group[1]) >= _RUN]
    if len(groups) > _MAX_REGIONS:
        groups = [(0, 0, columns, rows)]
    for left, top, right, bottom in groups:
        box = (left * _TILE, top * _TILE, right * _TILE, bottom * _TILE)
        yield box, _line_height(is_edge[box[1] : box[3], box[0] : box[2]])


def _groups(tiles: Any) -> Iterator[tuple[int, int, int, int]]:
    """Boxes of connected tiles; one empty tile in a row does not separate its neighbours."""
    unvisited = set(map(tuple, np.argwhere(tiles).tolist()))
    while unvisited:
        frontier = [unvisited.pop()]
        group = list(frontier)
        while frontier:
            y, x = frontier.pop()
            near = [(y + down, x + right) for down in (-1, 0, 1) for right in (-2, -1, 0, 1, 2)]
            found = [tile for tile in near if tile in unvisited]
            unvisited.difference_update(found)
            frontier += found
            group += found
        ys, xs = [y for y, _ in group], [x for _, x in group]
        yield min(xs), min(ys), max(xs) + 1, max(ys) + 1


def _line_height(is_edge: Any) -> int:
    """The line height of a box: the median length of the runs of rows that hold edges."""
    profile = is_edge.sum(axis=1)
    full = profile > 0.2 * profile.max()
    borders = np.flatnonzero(np.diff(np.concatenate(([False], full, [False])).astype(np.int8)))
    return int(max(_TILE, np.median(borders[1::2] - borders[::2])))


def _draw(drawn: Image.Image, shown: Image.Image, region: _Region) -> None:
    """Draws a region and its surroundings by the difference of each pixel from the background within a line height."""
    edges, box, height = region
    step, size = edges.step, drawn.size
    down, right = (_ACROSS, _ALONG) if box[2] - box[0] >= box[3] - box[1] else (_ALONG, _ACROSS)
    left, top = max(0, box[0] - right * _TILE) * step, max(0, box[1] - down * _TILE) * step
    area = (left, top, min(size[0], (box[2] + right * _TILE) * step), min(size[1], (box[3] + down * _TILE) * step))
    parts = _planes(shown.crop(area))
    mask = Image.fromarray(edges.is_edge[box[1] : box[3], box[0] : box[2]])
    x, y = box[0] * step - left, box[1] * step - top
    inside = np.asarray(mask.resize((mask.width * step, mask.height * step), Image.Resampling.NEAREST))
    within = (slice(y, y + inside.shape[0]), slice(x, x + inside.shape[1]))
    is_line = max(inside.shape) > _LINE_RATIO * min(inside.shape)  # of a single large letter more than half may be ink
    median = [int(np.median(part[within] if is_line else part)) for part in parts]
    difference = _background_differences(parts, height * step, median)
    part = difference[within]
    contrast = max(float(_MIN_GRAY_EDGE), float(np.percentile(part[inside[: part.shape[0], : part.shape[1]]], 70)))
    blackness = np.clip((difference / contrast - 0.3) * 2.5, 0, 1)
    drawn.paste(Image.fromarray((255 - 255 * blackness).astype(np.uint8)), area[:2])


def _background_differences(parts: list[Any], height: int, median: list[int]) -> Any:
    """Each pixel's difference from the nearest background: its own, one line above, one line below, or `median`."""
    window = max(3, min(height, _MAX_LETTER))
    backgrounds = [_background(part, max(1, window // 9)) for part in parts]
    rows = [np.clip(np.arange(len(parts[0])) + move, 0, len(parts[0]) - 1) for move in (0, -window, window)]
    candidates = [[background[chosen] for background in backgrounds] for chosen in rows]
    candidates.append([np.full_like(background, level) for background, level in zip(backgrounds, median, strict=True)])
    least: Any = None
    for candidate in candidates:
        differences = [np.abs(part - background) for part, background in zip(parts, candidate, strict=True)]
        most = np.max([differences[0], *(2 * difference for difference in differences[1:])], axis=0)
        least = most if least is None else np.minimum(least, most)
    return least.astype(np.float32)


def _background(part: Any, step: int) -> Any:
    """The median around each pixel, computed from every `step`-th pixel."""
    small = Image.fromarray(np.ascontiguousarray(part[step // 2 :: step, step // 2 :: step]))
    median = small.filter(ImageFilter.MedianFilter(9)) if min(small.size) > 4 else small
    return np.asarray(median.resize(part.shape[::-1], Image.Resampling.BILINEAR), np.int16)
