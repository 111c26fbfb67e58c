"""Takes out of a picture what nobody sees and a program can read: ink too faint for the eye, letters in the low bits.

Text a level or three off its ground shows once contrast is stretched; text in the lowest bits of a photograph shows
once those are looked at alone. Both are levelled without being read: what differs from its ground by less than OCR is
given to see (`raster.low_contrast` reads what differs by more) becomes that ground, and where a picture has grain the
two lowest bits become a fixed pattern. The eye cannot tell the difference.
"""

from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.image.frame import SEEN_THROUGH
from pipeline.documents.raster.ink import Ink, Mark, characters, components, gather
from pipeline.documents.raster.low_contrast import FAINT, HUE

_STEP = 3  # middle values are taken of every third pixel
_WINDOW = 5  # of so many to each side
_GRAIN = 5  # times the middle difference around: letters stand out from it
_RAMP = 1  # level: so far from its middle values is each pixel of a drawn gradient, by rounding
_COARSEST = 8  # the picture is looked at in halves down to an eighth
_LEAST_SIDE = 24  # pixels
_LOWEST, _HIGHEST = 6, 60  # pixels of a level that a letter is high
_MERGED = 3.0  # times its height: a word whose letters have run together
_DOTS = 72  # per inch, as if: what `ink` calls points are a level's pixels
_ROOM = 3  # pixels of a level around a line
_LOW_BITS = np.uint8(3)
_PATTERN = np.array([[0, 2], [3, 1]], np.uint8)  # ordered: it adds no tone and no texture (Bayer, 1973)


class _Ground(NamedTuple):
    """The middle values around each pixel, how far it is from them, and how far those around it are in the middle."""

    values: Any
    away: Any
    grain: Any


def without_faint(pixels: Any, *, is_exact: bool) -> Any:
    """The picture (height, width[, 3 or 4]), 8 bits, in BGR(A) or gray, without faint ink; alpha likewise.

    `is_exact`: it will be stored so that every bit comes back; then low bits are levelled too.
    """
    if pixels.ndim == 3 and pixels.shape[2] == 4:
        color = without_faint(np.ascontiguousarray(pixels[:, :, :3]), is_exact=is_exact)
        alpha = without_faint(np.ascontiguousarray(pixels[:, :, 3]), is_exact=False)
        color[alpha < SEEN_THROUGH] = 0
        return np.dstack((color, alpha))
    done = pixels if pixels.ndim == 3 else pixels[:, :, None]
    done = done.copy()
    factor = _COARSEST
    while factor >= 1:
        if min(done.shape[:2]) >= factor * _LEAST_SIDE:
            _level_lines(done, factor)
        factor //= 2
    if min(done.shape[:2]) > _STEP * 2:
        ground = _ground(done)
        flat = ground.grain == 0
        _fill(done, ground.values, (ground.grain <= _RAMP) & (ground.away > ground.grain))
        if is_exact:
            _level_low_bits(done, flat)
    return done if pixels.ndim == 3 else done[:, :, 0]


def _level_lines(pixels: Any, factor: int) -> None:
    """Fills faint letters that stand together as text in the picture as it looks at 1/`factor` of its size."""
    small = pixels
    if factor > 1:
        size = (pixels.shape[1] // factor, pixels.shape[0] // factor)
        small = _channels(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    ground = _ground(small)
    ink = ground.away > cv2.convertScaleAbs(ground.grain, alpha=_GRAIN)
    ink[ink] = _is_faint(small[ink], ground.values[ink])
    for line in _lines(ink) if ink.any() else ():
        rows = slice(max(0, line.top - _ROOM) * factor, (line.top + line.height + _ROOM) * factor)
        columns = slice(max(0, line.left - _ROOM) * factor, (line.left + line.width + _ROOM) * factor)
        part = pixels[rows, columns]
        around = ground.values[
            rows.start // factor : -(-rows.stop // factor), columns.start // factor : -(-columns.stop // factor)
        ]
        wide = _channels(cv2.resize(around, (around.shape[1] * factor, around.shape[0] * factor)))
        height, width = min(part.shape[0], wide.shape[0]), min(part.shape[1], wide.shape[1])
        part, wide = part[:height, :width], np.ascontiguousarray(wide[:height, :width])
        _fill(part, wide, _away(np.ascontiguousarray(part), wide) > 0)


def _fill(pixels: Any, ground: Any, where: Any) -> None:
    """What differs faintly from the ground becomes the ground, in place."""
    chosen = np.flatnonzero(where)
    ink, own = pixels.reshape(-1, pixels.shape[2])[chosen], ground.reshape(-1, pixels.shape[2])[chosen]
    is_faint = _is_faint(ink, own)
    rows, columns = np.divmod(chosen[is_faint], pixels.shape[1])
    pixels[rows, columns] = own[is_faint]


def _ground(pixels: Any) -> _Ground:
    few = cv2.medianBlur(np.ascontiguousarray(pixels[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), _WINDOW)
    size = pixels.shape[1::-1]
    values = _channels(cv2.resize(few, size, interpolation=cv2.INTER_LINEAR))
    away = _away(pixels, values)
    middle = cv2.medianBlur(np.ascontiguousarray(away[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), _WINDOW)
    return _Ground(values, away, cv2.resize(middle, size, interpolation=cv2.INTER_NEAREST))


def _away(pixels: Any, ground: Any) -> Any:
    """The largest difference of any channel, (height, width)."""
    most, *others = cv2.split(cv2.absdiff(pixels, ground))
    for other in others:
        most = cv2.max(most, other)
    return most


def _channels(image: Any) -> Any:
    """(height, width, channels): OpenCV drops a single channel."""
    return image if image.ndim == 3 else image[:, :, None]


def _is_faint(pixels: Any, ground: Any) -> Any:
    """Whether each of n pixels (n, channels) is as good as its ground: no text to OCR in brightness or chroma."""
    if not len(pixels):
        return np.zeros(0, bool)
    if pixels.shape[1] == 1:
        return cv2.absdiff(pixels, ground).ravel() <= FAINT
    planes = (cv2.cvtColor(part[None], cv2.COLOR_BGR2YCrCb)[0] for part in (pixels, ground))
    away = cv2.absdiff(*planes)
    return (away[:, 0] <= FAINT) & (away[:, 1] <= HUE) & (away[:, 2] <= HUE)


def _lines(ink: Any) -> list[Mark]:
    """Boxes of text along rows and along columns."""
    marks = [m for m in characters(Ink(*components(ink.astype(np.uint8), _DOTS))) if _LOWEST <= m.height <= _HIGHEST]
    turned = [_turned(word) for word in gather([_turned(mark) for mark in marks])]
    return [*gather(marks), *turned, *(mark for mark in marks if mark.width > _MERGED * mark.height)]


def _turned(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _level_low_bits(pixels: Any, flat: Any) -> None:
    """Where the picture has grain, its two lowest bits say nothing any more."""
    height, width = flat.shape
    pattern = np.tile(_PATTERN, (height // 2 + 1, width // 2 + 1))[:height, :width, None]
    levelled = (pixels & ~_LOW_BITS) | pattern
    # Black and white stay what they are.
    extreme = (pixels.max(axis=2) < 4) | (pixels.min(axis=2) > 251)
    np.copyto(pixels, levelled, where=~(flat | extreme)[:, :, None])
