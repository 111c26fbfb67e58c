"""Finds text that a person sees and grayscale does not show: letters that differ from their ground in hue, or faintly.

OCR and the search for unread ink look at brightness. Red letters on an equally bright green have none of their own, and
pale gray ones, or white ones on a pastel, too little. Such letters are looked for at every size of the picture: what
differs from the middle value around it, in brightness or chroma, less what the grayscale shows anyway. Where they stand
together as text, they and their neighbours on the line are drawn black on white: a second raster for the same page.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.ink import (
    CONTRAST,
    GROUND,
    LIGHT_CONTRAST,
    Ink,
    Mark,
    around,
    characters,
    components,
    gather,
)

_FINE = 250  # dots per inch: half of it shows as much in a quarter of the time
FAINT = 16  # gray levels, of 255: ink paler than that (6 %) is not meant to be read
HUE = 12  # levels of Cr or Cb, 8 to 10 units of CIE Lab: where a hue begins to tell letters from their ground
_TINT = 12  # levels between red, green and blue that yellowed paper and its noise stay below
_MANY = 4_000_000  # pixels: of so many, every other one tells
_SURELY = 1.2  # times the contrast that counts as ink in the grayscale: below, half of a word may be missing there
_GRAIN = 5.0  # times the middle difference around: noise and texture stay below
_ECHO = 0.3  # of the strongest difference within a stroke's width: what a JPEG leaves around ink stays below
_STROKE = 5  # pixels of a level
_STEP = 3  # middle values are taken of every third pixel
_WINDOWS = (5, 3)  # of so many to each side: a large one for heavy letters, a small one for letters on tight chips
_LOWEST, _HIGHEST = 6, 36  # pixels of a level that a character is high
_MERGED, _TALL = 4.0, 9  # times its height, and pixels of it: a word whose letters have run together, as chroma does
_LEAST_SIDE = 24  # pixels of the last level
_DOTS = 72  # per inch, as if: what `ink` calls points are a level's pixels
_ROOM, _REACH = (
    0.6,
    8.0,
)  # of a line's height: what is drawn around it, across and along; cues stand there
_BEYOND = 20  # pixels of a level: the ground beyond the edge of a chip or cell
_MOST_LINES = 100  # of a level
_SAME = 0.6  # of a line's box: so much of it in another's of the same size, and it is the same line
_PART = 200  # pixels of a level
_MOST_LAYERS = 3  # of lines upon lines
_PLAIN = 64  # gray levels of ink that needs no help to be seen


class _Level(NamedTuple):
    """One size of the picture, `scale` times the whole: each pixel's difference from its ground, that ground, the ink
    that grayscale lacks, and the pixels around which grayscale shows ink, at this size or a finer one. `fine` is what
    this size was made of, `zoom` times as large.
    """

    scale: float
    fine: Any
    zoom: int
    difference: Any
    ground: Any
    ink: Any
    seen: Any


_Layer = list[tuple[_Level, Mark]]  # from fine to coarse


def overlooked(shown: Any, dpi: int, gray: Any = None, known: Any = None) -> list[Any]:
    """Grayscale rasters of the same size with nothing but such text, black on white; mostly none, seldom several.

    `shown` is (height, width) or (height, width, 3) in BGR, 8 bits; `gray` what OCR is given, where that is more than
    the brightness of `shown`; `known`, ones and zeros, where there is nothing to look for. O(pixels).
    """
    planes = _planes(shown)
    gray = planes[:, :, :1] if gray is None else gray[:, :, None]
    known = np.zeros((*planes.shape[:2], 1), np.uint8) if known is None else known[:, :, None]
    layers: list[_Layer] = []
    for level in _levels(planes, gray, known, dpi):
        for line in _few(_lines(level.ink)):
            _lay(layers, level, line)
    return [_drawn(layer, shown.shape[:2]) for layer in layers]


def _few(lines: list[Mark]) -> list[Mark]:
    """The lines, pieces of one row as one; where there are too many to be drawn one by one, all of a part at once."""
    rows: list[Mark] = []
    for line in sorted(lines, key=lambda mark: mark.left):
        near = (n for n in range(len(rows) - 1, max(-1, len(rows) - _MOST_LINES), -1) if _continues(rows[n], line))
        row = next(near, None)
        if row is None:
            rows.append(line)
        else:
            rows[row] = around((rows[row], line))
    if len(rows) <= _MOST_LINES:
        return rows
    parts: dict[tuple[int, int], list[Mark]] = {}
    for line in rows:
        parts.setdefault((line.top // _PART, line.left // _PART), []).append(line)
    return [around(part) for part in parts.values()]


def _continues(row: Mark, line: Mark) -> bool:
    shared = min(row.top + row.height, line.top + line.height) - max(row.top, line.top)
    lower, higher = sorted((row.height, line.height))
    return shared > 0.6 * lower and higher < 1.7 * lower and line.left - row.left - row.width < _REACH * lower


def _lay(layers: list[_Layer], level: _Level, line: Mark) -> None:
    """Adds a line to the first layer where it hides no smaller one: to a coarse look a chip with letters is a letter,
    and to a fine look a large letter is an outline.
    """
    place = _whole(line, level.scale)
    if any(n.scale == level.scale and _share(place, _whole(m, n.scale)) > _SAME for layer in layers for n, m in layer):
        return
    free = (
        layer
        for layer in layers
        if not any(_share(place, _whole(m, n.scale)) > 0 for n, m in layer if n.scale != level.scale)
    )
    layer = next(free, None)
    if layer is None and len(layers) < _MOST_LAYERS:
        layer = []
        layers.append(layer)
    (layers[-1] if layer is None else layer).append((level, line))


def _whole(line: Mark, scale: float) -> tuple[float, float, float, float]:
    return line.left / scale, line.top / scale, (line.left + line.width) / scale, (line.top + line.height) / scale


def _share(a: Sequence[float], b: Sequence[float]) -> float:
    """How much of the box `a` lies in `b`: 0..1."""
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(0.0, across) * max(0.0, down) / ((a[2] - a[0]) * (a[3] - a[1]))


def _drawn(layer: _Layer, shape: Sequence[int]) -> Any:
    image = np.full(shape, 255, np.uint8)
    for level, line in reversed(layer):  # the finest last
        _draw(image, level, line)
    return image


def is_colored(shown: Any) -> bool:
    """Whether some pixel of a picture (height, width, 3) has more hue than paper has."""
    step = 2 if shown.shape[0] * shown.shape[1] > _MANY else 1
    blue, green, red = (np.ascontiguousarray(shown[::step, ::step, channel]) for channel in range(3))
    return bool(max(cv2.absdiff(blue, green).max(), cv2.absdiff(green, red).max()) > _TINT)


def _planes(shown: Any) -> Any:
    """(height, width, 1 or 3): brightness, Cr, Cb."""
    if shown.ndim == 2:
        return shown[:, :, None]
    if is_colored(shown):
        return cv2.cvtColor(shown, cv2.COLOR_BGR2YCrCb)
    return cv2.cvtColor(shown, cv2.COLOR_BGR2GRAY)[:, :, None]


def _levels(planes: Any, gray: Any, seen: Any, dpi: int) -> Iterator[_Level]:
    """The picture at half its size (or at its own, where that is coarse), and halved again and again."""
    is_first = True
    scale, fine, zoom = 1.0, planes, 1
    while min(planes.shape[:2]) >= _LEAST_SIDE:
        if scale < 1 or dpi < _FINE or min(planes.shape[:2]) < 2 * _LEAST_SIDE:
            here = seen
            # Letters on tight chips need the small one; at coarser looks the large one is small enough.
            for window in _WINDOWS if planes.shape[2] == 3 and is_first else _WINDOWS[:1]:
                level = _level(planes, gray, here, window)._replace(scale=scale, fine=fine, zoom=zoom)
                yield level
                seen = level.seen if window == _WINDOWS[0] else seen
            is_first = False
        scale, fine, zoom = scale / 2, planes, 2
        planes, gray, seen = (_halved(array) for array in (planes, gray, seen))


def _halved(planes: Any) -> Any:
    smaller = cv2.resize(planes, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return smaller.reshape(*smaller.shape[:2], planes.shape[2])


def _level(planes: Any, gray: Any, seen: Any, window: int) -> _Level:
    seen = cv2.dilate(seen[:, :, 0] | _plain(gray[:, :, 0], window), np.ones((_STROKE, _STROKE), np.uint8))
    ground = [_middle(planes[:, :, 0], window)]
    difference = cv2.absdiff(planes[:, :, 0], ground[0])
    ink = _stands_out(difference, FAINT)
    if planes.shape[2] == 3:
        ground += [_middle(planes[:, :, 1], window), _middle(planes[:, :, 2], window)]
        hue = cv2.max(cv2.absdiff(planes[:, :, 1], ground[1]), cv2.absdiff(planes[:, :, 2], ground[2]))
        ink |= _stands_out(hue, HUE)
        difference = cv2.max(difference, cv2.add(hue, hue))
    return _Level(1.0, planes, 1, difference, np.dstack(ground), ink & (seen == 0), seen[:, :, None])


def _plain(gray: Any, window: int) -> Any:
    """Where grayscale shows ink: zeros and ones."""
    paper = _middle(gray, window)
    light = (cv2.subtract(gray, paper) > _SURELY * LIGHT_CONTRAST) & (paper < GROUND)
    return ((cv2.subtract(paper, gray) > _SURELY * CONTRAST) | light).astype(np.uint8)


def _middle(plane: Any, window: int) -> Any:
    """The middle value around each pixel: letters cover less than half of their ground."""
    few = cv2.medianBlur(np.ascontiguousarray(plane[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), window)
    return cv2.resize(few, plane.shape[::-1], interpolation=cv2.INTER_LINEAR)


def _stands_out(difference: Any, least: int) -> Any:
    grain = cv2.convertScaleAbs(_middle(difference, _WINDOWS[0]), alpha=_GRAIN)
    echo = cv2.convertScaleAbs(cv2.dilate(difference, np.ones((_STROKE, _STROKE), np.uint8)), alpha=_ECHO)
    return (difference > least) & (difference > grain) & (difference > echo)


def _lines(ink: Any) -> list[Mark]:
    """Boxes of text along rows and, of a page that lies on its side, along columns."""
    if not ink.any():
        return []
    marks = characters(Ink(*components(ink.astype(np.uint8), _DOTS)))
    return _words(marks) + [_turned(word) for word in _words([_turned(mark) for mark in marks])]


def _words(marks: Sequence[Mark]) -> list[Mark]:
    letters = [mark for mark in marks if _LOWEST <= mark.height <= _HIGHEST]
    return gather(letters) + [mark for mark in letters if mark.width > _MERGED * mark.height and mark.height >= _TALL]


def _turned(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _draw(image: Any, level: _Level, line: Mark) -> None:
    """Draws what stands in a line and around it, black on white, by its difference from the ground."""
    inside = (slice(line.top, line.top + line.height), slice(line.left, line.left + line.width))
    ink = level.ink[inside]
    strength = float(np.median(level.difference[inside][ink]))
    rows, columns = _around(line, level.ink.shape)
    patch = level.fine[_times(rows, level.zoom), _times(columns, level.zoom)]
    size = patch.shape[1::-1]
    seen = cv2.resize(level.seen[rows, columns], size) > 0
    # What grayscale shows is drawn no bolder than it is, or it would run together.
    bound = np.where(seen, max(strength, _PLAIN), strength)
    middle = np.median(level.ground[inside].reshape(-1, patch.shape[2]), axis=0)
    away = np.clip((_from_grounds(patch, level.ground, rows, columns, middle) / bound - 0.25) * 2, 0, 1)
    surely = np.zeros(level.seen[rows, columns].shape[:2], np.float32)
    surely[line.top - rows.start :, line.left - columns.start :][: line.height, : line.width] = ink
    away = np.maximum(away, cv2.resize(surely, size))
    whole = image[_times(rows, 1 / level.scale), _times(columns, 1 / level.scale)]
    whole[:] = 255 - (np.clip(cv2.resize(away, whole.shape[::-1], interpolation=cv2.INTER_CUBIC), 0, 1) * 255)


def _around(line: Mark, shape: Sequence[int]) -> tuple[slice, slice]:
    height = min(line.height, line.width, _HIGHEST)
    across, along = int(_ROOM * height) + 2, int(_REACH * height)
    down, right = (across, along) if line.width >= line.height else (along, across)
    rows = slice(max(0, line.top - down), min(shape[0], line.top + line.height + down))
    return rows, slice(max(0, line.left - right), min(shape[1], line.left + line.width + right))


def _times(part: slice, factor: float) -> slice:
    return slice(int(part.start * factor), int(part.stop * factor))


def _from_grounds(patch: Any, ground: Any, rows: slice, columns: slice, middle: Any) -> Any:
    """Each pixel's difference from the nearest of six grounds: its own, those around, and `middle`."""
    height, width = ground.shape[:2]
    least = _difference(patch, middle)
    for down, right in ((0, 0), (-_BEYOND, 0), (_BEYOND, 0), (0, -_BEYOND), (0, _BEYOND)):
        y = np.clip(np.arange(rows.start, rows.stop) + down, 0, height - 1)
        x = np.clip(np.arange(columns.start, columns.stop) + right, 0, width - 1)
        moved = cv2.resize(np.ascontiguousarray(ground[y[:, None], x]), patch.shape[1::-1]).reshape(patch.shape)
        least = np.minimum(least, _difference(patch, moved))
    return least


def _difference(patch: Any, ground: Any) -> Any:
    away = np.abs(np.subtract(patch, ground, dtype=np.float32))
    away[:, :, 1:] *= 2  # chroma has half the range of brightness
    return away.max(axis=2)
