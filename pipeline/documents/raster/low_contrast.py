"""Finds visible text that grayscale does not show, and draws it black on white as further rasters for OCR.

OCR and the search for unread ink use brightness. Red letters on an equally bright green do not differ in brightness;
pale gray letters, or white ones on a pastel colour, differ too little. Such letters are searched at several sizes of
the image: pixels that differ from the median around them in brightness or chroma, except where grayscale shows ink.
Where these pixels form lines of text, the lines and their surroundings are drawn.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.ink import (
    CONTRAST,
    DARK_BACKGROUND,
    LIGHT_CONTRAST,
    Ink,
    Mark,
    bounding_box,
    characters,
    components,
    line_boxes,
)

_FINE = 250  # dots per inch from which on half the resolution is enough
MIN_GRAY_CONTRAST = 16  # gray levels of 255: paler ink (6 %) is not meant to be read
MIN_CHROMA_CONTRAST = 12  # levels of Cr or Cb (8 to 10 units of CIE Lab): from here on, hue makes letters visible
_PAPER_TINT = 12  # largest difference between red, green and blue of yellowed paper and its noise
_LARGE_IMAGE = 4_000_000  # pixels: of a larger image, every second pixel is tested
_CLEAR_FACTOR = 1.2  # times the contrast of ink: with less, grayscale may lack half of a word
_NOISE_FACTOR = 5.0  # times the median difference around: noise and texture stay below
_ARTEFACT_SHARE = 0.3  # of the largest difference within a stroke width: JPEG artefacts around ink stay below
_STROKE = 5  # pixels of a level: the width of a stroke
_STEP = 3  # medians are computed from every third pixel
# Sides of the median windows, in such pixels: for heavy letters, and for letters on tight coloured chips.
_WINDOWS = (5, 3)
_MIN_LETTER, _MAX_LETTER = 6, 36  # pixels of a level: the height of a character
# Width by height, and height in pixels, of a word whose letters merged, as in subsampled chroma.
_MERGED_RATIO, _MERGED_HEIGHT = 4.0, 9
_MIN_SIDE = 24  # pixels of the smallest level
_LEVEL_DPI = 72  # resolution given to `ink`, so that its points are pixels of a level
# Times the line height: what is drawn around a line, across and along it. Context words are there.
_MARGIN_ACROSS, _MARGIN_ALONG = 0.6, 8.0
_BACKGROUND_DISTANCE = 20  # pixels of a level: distance to the background beyond the edge of a chip or cell
_MAX_LINES = 100  # lines of a level that are drawn one by one
_SAME_LINE = 0.6  # share of a box inside a box of the same level that makes it the same line
_AREA = 200  # pixels of a level: side of an area whose lines are drawn together
_MAX_LAYERS = 3  # rasters of overlapping lines
_VISIBLE_CONTRAST = 64  # gray levels of ink that grayscale shows


class _Level(NamedTuple):
    """One size of the image, `scale` times the full size, with one value per pixel.

    `difference` from the background, the `background`, `ink` that grayscale does not show, `visible`: grayscale shows
    ink near the pixel at this or a finer level. `fine` is the image that was reduced to it, `zoom` times larger.
    """

    scale: float
    fine: Any
    zoom: int
    difference: Any
    background: Any
    ink: Any
    visible: Any


_Layer = list[tuple[_Level, Mark]]  # from fine to coarse


def low_contrast_layers(image: Any, dpi: int, gray: Any = None, known: Any = None) -> list[Any]:
    """Grayscale rasters of the same size with this text only, black on white; usually none, rarely several.

    `image` is (height, width) or (height, width, 3) in BGR, 8 bits; `gray` is what OCR reads, if it is not the
    brightness of `image`; `known` is one where nothing needs to be searched, else zero. O(pixels).
    """
    planes = _planes(image)
    gray = planes[:, :, :1] if gray is None else gray[:, :, None]
    known = np.zeros((*planes.shape[:2], 1), np.uint8) if known is None else known[:, :, None]
    layers: list[_Layer] = []
    for level in _levels(planes, gray, known, dpi):
        for line in _joined_lines(_lines(level.ink)):
            _add_to_layers(layers, level, line)
    return [_drawn(layer, image.shape[:2]) for layer in layers]


def _joined_lines(lines: list[Mark]) -> list[Mark]:
    """The lines, with the pieces of one row joined; if there are too many, one box for all lines of an area."""
    rows: list[Mark] = []
    for line in sorted(lines, key=lambda mark: mark.left):
        near = (n for n in range(len(rows) - 1, max(-1, len(rows) - _MAX_LINES), -1) if _continues_row(rows[n], line))
        row = next(near, None)
        if row is None:
            rows.append(line)
        else:
            rows[row] = bounding_box((rows[row], line))
    if len(rows) <= _MAX_LINES:
        return rows
    areas: dict[tuple[int, int], list[Mark]] = {}
    for line in rows:
        areas.setdefault((line.top // _AREA, line.left // _AREA), []).append(line)
    return [bounding_box(area) for area in areas.values()]


def _continues_row(row: Mark, line: Mark) -> bool:
    shared = min(row.top + row.height, line.top + line.height) - max(row.top, line.top)
    lower, higher = sorted((row.height, line.height))
    return shared > 0.6 * lower and higher < 1.7 * lower and line.left - row.left - row.width < _MARGIN_ALONG * lower


def _add_to_layers(layers: list[_Layer], level: _Level, line: Mark) -> None:
    """Adds a line to the first layer where it overlaps no line of another level.

    At a coarse level a chip with letters looks like a letter, and at a fine level a large letter is only an outline.
    """
    full_box = _full_size_box(line, level.scale)
    if any(
        n.scale == level.scale and _overlap_share(full_box, _full_size_box(m, n.scale)) > _SAME_LINE
        for layer in layers
        for n, m in layer
    ):
        return
    free = (
        layer
        for layer in layers
        if not any(_overlap_share(full_box, _full_size_box(m, n.scale)) > 0 for n, m in layer if n.scale != level.scale)
    )
    layer = next(free, None)
    if layer is None and len(layers) < _MAX_LAYERS:
        layer = []
        layers.append(layer)
    (layers[-1] if layer is None else layer).append((level, line))


def _full_size_box(line: Mark, scale: float) -> tuple[float, float, float, float]:
    return line.left / scale, line.top / scale, (line.left + line.width) / scale, (line.top + line.height) / scale


def _overlap_share(a: Sequence[float], b: Sequence[float]) -> float:
    """The share (0..1) of box `a` that is inside `b`."""
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, across) * max(0.0, down) / ((a[2] - a[0]) * (a[3] - a[1]))


def _drawn(layer: _Layer, shape: Sequence[int]) -> Any:
    image = np.full(shape, 255, np.uint8)
    for level, line in reversed(layer):  # the finest last
        _draw(image, level, line)
    return image


def is_colored(image: Any) -> bool:
    """Whether some pixel of an image (height, width, 3) has more hue than paper."""
    step = 2 if image.shape[0] * image.shape[1] > _LARGE_IMAGE else 1
    blue, green, red = (np.ascontiguousarray(image[::step, ::step, channel]) for channel in range(3))
    return bool(max(cv2.absdiff(blue, green).max(), cv2.absdiff(green, red).max()) > _PAPER_TINT)


def _planes(image: Any) -> Any:
    """(height, width, 1 or 3): brightness and, of a colour image, Cr and Cb."""
    if image.ndim == 2:
        return image[:, :, None]
    if is_colored(image):
        return cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[:, :, None]


def _levels(planes: Any, gray: Any, visible: Any, dpi: int) -> Iterator[_Level]:
    """The image at half its size (a coarse one at its own size), then halved repeatedly."""
    is_first = True
    scale, fine, zoom = 1.0, planes, 1
    while min(planes.shape[:2]) >= _MIN_SIDE:
        if scale < 1 or dpi < _FINE or min(planes.shape[:2]) < 2 * _MIN_SIDE:
            at_this_level = visible
            # Letters on tight chips need the small window; at coarser levels the large one is small enough.
            for window in _WINDOWS if planes.shape[2] == 3 and is_first else _WINDOWS[:1]:
                level = _level(planes, gray, at_this_level, window)._replace(scale=scale, fine=fine, zoom=zoom)
                yield level
                visible = level.visible if window == _WINDOWS[0] else visible
            is_first = False
        scale, fine, zoom = scale / 2, planes, 2
        planes, gray, visible = (_halved(array) for array in (planes, gray, visible))


def _halved(planes: Any) -> Any:
    smaller = cv2.resize(planes, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return smaller.reshape(*smaller.shape[:2], planes.shape[2])


def _level(planes: Any, gray: Any, visible: Any, window: int) -> _Level:
    visible = cv2.dilate(visible[:, :, 0] | _visible_ink(gray[:, :, 0], window), np.ones((_STROKE, _STROKE), np.uint8))
    background = [_median(planes[:, :, 0], window)]
    difference = cv2.absdiff(planes[:, :, 0], background[0])
    ink = _exceeds_noise(difference, MIN_GRAY_CONTRAST)
    if planes.shape[2] == 3:
        background += [_median(planes[:, :, 1], window), _median(planes[:, :, 2], window)]
        hue = cv2.max(cv2.absdiff(planes[:, :, 1], background[1]), cv2.absdiff(planes[:, :, 2], background[2]))
        ink |= _exceeds_noise(hue, MIN_CHROMA_CONTRAST)
        difference = cv2.max(difference, cv2.add(hue, hue))
    return _Level(1.0, planes, 1, difference, np.dstack(background), ink & (visible == 0), visible[:, :, None])


def _visible_ink(gray: Any, window: int) -> Any:
    """One where grayscale shows ink, else zero."""
    background = _median(gray, window)
    is_light_ink = (cv2.subtract(gray, background) > _CLEAR_FACTOR * LIGHT_CONTRAST) & (background < DARK_BACKGROUND)
    return ((cv2.subtract(background, gray) > _CLEAR_FACTOR * CONTRAST) | is_light_ink).astype(np.uint8)


def _median(plane: Any, window: int) -> Any:
    """The median around each pixel: letters cover less than half of their background."""
    medians = cv2.medianBlur(np.ascontiguousarray(plane[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), window)
    return cv2.resize(medians, plane.shape[::-1], interpolation=cv2.INTER_LINEAR)


def _exceeds_noise(difference: Any, least: int) -> Any:
    noise = cv2.convertScaleAbs(_median(difference, _WINDOWS[0]), alpha=_NOISE_FACTOR)
    artefacts = cv2.convertScaleAbs(
        cv2.dilate(difference, np.ones((_STROKE, _STROKE), np.uint8)), alpha=_ARTEFACT_SHARE
    )
    return (difference > least) & (difference > noise) & (difference > artefacts)


def _lines(ink: Any) -> list[Mark]:
    """Boxes of horizontal text lines and, for a rotated page, vertical ones."""
    if not ink.any():
        return []
    marks = characters(Ink(*components(ink.astype(np.uint8), _LEVEL_DPI)))
    return _words(marks) + [_transposed(word) for word in _words([_transposed(mark) for mark in marks])]


def _words(marks: Sequence[Mark]) -> list[Mark]:
    letters = [mark for mark in marks if _MIN_LETTER <= mark.height <= _MAX_LETTER]
    return line_boxes(letters) + [
        mark for mark in letters if mark.width > _MERGED_RATIO * mark.height and mark.height >= _MERGED_HEIGHT
    ]


def _transposed(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _draw(image: Any, level: _Level, line: Mark) -> None:
    """Draws a line and its surroundings, black on white, by the difference from the background."""
    inside = (slice(line.top, line.top + line.height), slice(line.left, line.left + line.width))
    ink = level.ink[inside]
    strength = float(np.median(level.difference[inside][ink]))
    rows, columns = _surroundings(line, level.ink.shape)
    patch = level.fine[_scaled_slice(rows, level.zoom), _scaled_slice(columns, level.zoom)]
    size = patch.shape[1::-1]
    visible = cv2.resize(level.visible[rows, columns], size) > 0
    # Ink that grayscale shows is not drawn bolder than it is: its letters would merge.
    bound = np.where(visible, max(strength, _VISIBLE_CONTRAST), strength)
    median = np.median(level.background[inside].reshape(-1, patch.shape[2]), axis=0)
    darkness = np.clip(
        (_background_difference(patch, level.background, rows, columns, median) / bound - 0.25) * 2, 0, 1
    )
    certain = np.zeros(level.visible[rows, columns].shape[:2], np.float32)
    certain[line.top - rows.start :, line.left - columns.start :][: line.height, : line.width] = ink
    darkness = np.maximum(darkness, cv2.resize(certain, size))
    target = image[_scaled_slice(rows, 1 / level.scale), _scaled_slice(columns, 1 / level.scale)]
    target[:] = 255 - (np.clip(cv2.resize(darkness, target.shape[::-1], interpolation=cv2.INTER_CUBIC), 0, 1) * 255)


def _surroundings(line: Mark, shape: Sequence[int]) -> tuple[slice, slice]:
    height = min(line.height, line.width, _MAX_LETTER)
    across, along = int(_MARGIN_ACROSS * height) + 2, int(_MARGIN_ALONG * height)
    down, right = (across, along) if line.width >= line.height else (along, across)
    rows = slice(max(0, line.top - down), min(shape[0], line.top + line.height + down))
    return rows, slice(max(0, line.left - right), min(shape[1], line.left + line.width + right))


def _scaled_slice(area: slice, factor: float) -> slice:
    return slice(int(area.start * factor), int(area.stop * factor))


def _background_difference(patch: Any, background: Any, rows: slice, columns: slice, median: Any) -> Any:
    """Each pixel's difference from the nearest background: its own, four around it, or `median`."""
    height, width = background.shape[:2]
    least = _difference(patch, median)
    for down, right in (
        (0, 0),
        (-_BACKGROUND_DISTANCE, 0),
        (_BACKGROUND_DISTANCE, 0),
        (0, -_BACKGROUND_DISTANCE),
        (0, _BACKGROUND_DISTANCE),
    ):
        y = np.clip(np.arange(rows.start, rows.stop) + down, 0, height - 1)
        x = np.clip(np.arange(columns.start, columns.stop) + right, 0, width - 1)
        shifted = cv2.resize(np.ascontiguousarray(background[y[:, None], x]), patch.shape[1::-1]).reshape(patch.shape)
        least = np.minimum(least, _difference(patch, shifted))
    return least


def _difference(patch: Any, background: Any) -> Any:
    difference = np.abs(np.subtract(patch, background, dtype=np.float32))
    difference[:, :, 1:] *= 2  # the range of chroma is half that of brightness
    return difference.max(axis=2)
