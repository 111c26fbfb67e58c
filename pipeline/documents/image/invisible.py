"""Removes text that people cannot see and programs can read: ink with almost no contrast, and data in low bits.

Text that differs from its background by one to three levels appears when the contrast is stretched; text in the lowest
bits of a photograph appears when only these bits are shown. Both are removed without being read. Faint ink gets the
colour of its background; OCR reads ink with more contrast. In areas with noise the two lowest bits
get a fixed pattern. People cannot see the difference.
"""

from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.image.frame import VISIBLE_ALPHA
from pipeline.documents.raster.hidden_lines import MIN_CHROMA_CONTRAST, MIN_GRAY_CONTRAST
from pipeline.documents.raster.ink import Ink, Mark, characters, components, line_boxes

_STEP = 3  # medians are computed from every third pixel
_WINDOW = 5  # side of the median window, in such pixels
_NOISE_FACTOR = 5  # times the median difference around: letters exceed it
_GRADIENT_ERROR = 1  # level: rounding error of a drawn gradient against its median
_MAX_FACTOR = 8  # reduction factor of the coarsest size; the others are its halves
_MIN_SIDE = 24  # pixels of the smallest reduced image
_MIN_LETTER, _MAX_LETTER = 6, 60  # pixels: the height of a letter in the reduced image
_MERGED_RATIO = 3.0  # a mark wider than so many times its height is a word whose letters merged
_DPI = 72  # resolution given to `ink`, so that its points are pixels
_LINE_MARGIN = 3  # pixels of the reduced image around a line
_LOW_BITS = np.uint8(3)
_PATTERN = np.array([[0, 2], [3, 1]], np.uint8)  # ordered dither (Bayer, 1973): it adds no tone and no texture


class _Background(NamedTuple):
    """The median around each pixel, the difference of the pixel from it, and the median of these differences around."""

    values: Any
    difference: Any
    noise: Any


def remove_faint_ink(pixels: Any, *, is_exact: bool) -> Any:
    """The image (height, width[, 3 or 4]), 8 bits, in BGR(A) or gray, without faint ink, also in its alpha channel.

    `is_exact`: it will be stored without loss, so the low bits are replaced as well.
    """
    if pixels.ndim == 3 and pixels.shape[2] == 4:
        color = remove_faint_ink(np.ascontiguousarray(pixels[:, :, :3]), is_exact=is_exact)
        alpha = remove_faint_ink(np.ascontiguousarray(pixels[:, :, 3]), is_exact=False)
        color[alpha < VISIBLE_ALPHA] = 0
        return np.dstack((color, alpha))
    result = pixels if pixels.ndim == 3 else pixels[:, :, None]
    result = result.copy()
    factor = _MAX_FACTOR
    while factor >= 1:
        if min(result.shape[:2]) >= factor * _MIN_SIDE:
            _fill_lines(result, factor)
        factor //= 2
    if min(result.shape[:2]) > _STEP * 2:
        background = _background(result)
        is_flat = background.noise == 0
        _fill(
            result,
            background.values,
            (background.noise <= _GRADIENT_ERROR) & (background.difference > background.noise),
        )
        if is_exact:
            _replace_low_bits(result, is_flat)
    return result if pixels.ndim == 3 else result[:, :, 0]


def _fill_lines(pixels: Any, factor: int) -> None:
    """Fills lines of faint letters that appear in the image reduced to 1/`factor` of its size."""
    reduced = pixels
    if factor > 1:
        size = (pixels.shape[1] // factor, pixels.shape[0] // factor)
        reduced = _channels(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    background = _background(reduced)
    ink = background.difference > cv2.convertScaleAbs(background.noise, alpha=_NOISE_FACTOR)
    ink[ink] = _is_faint(reduced[ink], background.values[ink])
    for line in _lines(ink) if ink.any() else ():
        rows = slice(max(0, line.top - _LINE_MARGIN) * factor, (line.top + line.height + _LINE_MARGIN) * factor)
        columns = slice(max(0, line.left - _LINE_MARGIN) * factor, (line.left + line.width + _LINE_MARGIN) * factor)
        part = pixels[rows, columns]
        surroundings = background.values[
            rows.start // factor : -(-rows.stop // factor), columns.start // factor : -(-columns.stop // factor)
        ]
        enlarged = _channels(cv2.resize(surroundings, (surroundings.shape[1] * factor, surroundings.shape[0] * factor)))
        height, width = min(part.shape[0], enlarged.shape[0]), min(part.shape[1], enlarged.shape[1])
        part, enlarged = part[:height, :width], np.ascontiguousarray(enlarged[:height, :width])
        _fill(part, enlarged, _largest_difference(np.ascontiguousarray(part), enlarged) > 0)


def _fill(pixels: Any, background: Any, where: Any) -> None:
    """Sets faint pixels to their background, in place."""
    chosen = np.flatnonzero(where)
    ink, own = pixels.reshape(-1, pixels.shape[2])[chosen], background.reshape(-1, pixels.shape[2])[chosen]
    is_faint = _is_faint(ink, own)
    rows, columns = np.divmod(chosen[is_faint], pixels.shape[1])
    pixels[rows, columns] = own[is_faint]


def _background(pixels: Any) -> _Background:
    medians = cv2.medianBlur(np.ascontiguousarray(pixels[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), _WINDOW)
    size = pixels.shape[1::-1]
    values = _channels(cv2.resize(medians, size, interpolation=cv2.INTER_LINEAR))
    difference = _largest_difference(pixels, values)
    median_difference = cv2.medianBlur(
        np.ascontiguousarray(difference[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP]), _WINDOW
    )
    return _Background(values, difference, cv2.resize(median_difference, size, interpolation=cv2.INTER_NEAREST))


def _largest_difference(pixels: Any, background: Any) -> Any:
    """The largest difference of any channel: (height, width)."""
    largest, *others = cv2.split(cv2.absdiff(pixels, background))
    for other in others:
        largest = cv2.max(largest, other)
    return largest


def _channels(image: Any) -> Any:
    """The image as (height, width, channels): OpenCV drops a single channel."""
    return image if image.ndim == 3 else image[:, :, None]


def _is_faint(pixels: Any, background: Any) -> Any:
    """Whether each of n pixels (n, channels) is too close to its background for OCR, in brightness and chroma."""
    if not len(pixels):
        return np.zeros(0, bool)
    if pixels.shape[1] == 1:
        return cv2.absdiff(pixels, background).ravel() <= MIN_GRAY_CONTRAST
    planes = (cv2.cvtColor(part[None], cv2.COLOR_BGR2YCrCb)[0] for part in (pixels, background))
    difference = cv2.absdiff(*planes)
    return (
        (difference[:, 0] <= MIN_GRAY_CONTRAST)
        & (difference[:, 1] <= MIN_CHROMA_CONTRAST)
        & (difference[:, 2] <= MIN_CHROMA_CONTRAST)
    )


def _lines(ink: Any) -> list[Mark]:
    """Boxes of text lines, horizontal and vertical."""
    marks = [
        m for m in characters(Ink(*components(ink.astype(np.uint8), _DPI))) if _MIN_LETTER <= m.height <= _MAX_LETTER
    ]
    vertical = [_transposed(word) for word in line_boxes([_transposed(mark) for mark in marks])]
    return [*line_boxes(marks), *vertical, *(mark for mark in marks if mark.width > _MERGED_RATIO * mark.height)]


def _transposed(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _replace_low_bits(pixels: Any, is_flat: Any) -> None:
    """Replaces the two lowest bits with a pattern where the image has noise, in place."""
    height, width = is_flat.shape
    pattern = np.tile(_PATTERN, (height // 2 + 1, width // 2 + 1))[:height, :width, None]
    replaced = (pixels & ~_LOW_BITS) | pattern
    # Black and white are kept.
    extreme = (pixels.max(axis=2) < 4) | (pixels.min(axis=2) > 251)
    np.copyto(pixels, replaced, where=~(is_flat | extreme)[:, :, None])
