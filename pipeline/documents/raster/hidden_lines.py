"""Finds lines of visible text that grayscale does not show, without OCR: whether a page or picture has such text.

Red letters on an equally bright green do not differ in brightness; pale gray letters, or white ones on a pastel colour,
differ too little. Such letters are searched at several sizes of the image: pixels that differ from the median around
them in brightness or chroma, except where grayscale shows ink.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.hue import is_colored
from pipeline.documents.raster.ink import (
    CONTRAST,
    DARK_BACKGROUND,
    LIGHT_CONTRAST,
    Ink,
    Mark,
    characters,
    components,
    line_boxes,
)

_FINE = 250  # dots per inch from which on half the resolution is enough
MIN_GRAY_CONTRAST = 16  # gray levels of 255: paler ink (6 %) is not meant to be read
MIN_CHROMA_CONTRAST = 12  # levels of Cr or Cb (8 to 10 units of CIE Lab): from here on, hue makes letters visible
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


class _Level(NamedTuple):
    """One size of the image: `ink` that grayscale does not show, and where this or a finer level shows ink in gray."""

    ink: Any
    visible: Any


def hidden_lines(image: Any, dpi: int, known: Any = None) -> Iterator[Mark]:
    """The boxes of this text in pixels, at each size of the image that shows it; usually none.

    `image` is (height, width) or (height, width, 3) in BGR, 8 bits; `known` is one where nothing needs to be searched,
    else zero. O(pixels).
    """
    planes = _planes(image)
    known = np.zeros((*planes.shape[:2], 1), np.uint8) if known is None else known[:, :, None]
    for scale, ink in _levels(planes, known, dpi):
        for line in _lines(ink):
            yield Mark(*(int(side / scale) for side in line))


def _planes(image: Any) -> Any:
    """(height, width, 1 or 3): brightness and, of a colour image, Cr and Cb."""
    if image.ndim == 2:
        return image[:, :, None]
    if is_colored(image):
        return cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[:, :, None]


def _levels(planes: Any, visible: Any, dpi: int) -> Iterator[tuple[float, Any]]:
    """The scale and the ink of each size: half of the image (a coarse one at its own size), then halved repeatedly."""
    is_first = True
    scale = 1.0
    while min(planes.shape[:2]) >= _MIN_SIDE:
        if scale < 1 or dpi < _FINE or min(planes.shape[:2]) < 2 * _MIN_SIDE:
            at_this_level = visible
            # Letters on tight chips need the small window; at coarser levels the large one is small enough.
            for window in _WINDOWS if planes.shape[2] == 3 and is_first else _WINDOWS[:1]:
                level = _level(planes, at_this_level, window)
                yield scale, level.ink
                visible = level.visible if window == _WINDOWS[0] else visible
            is_first = False
        scale /= 2
        planes, visible = _halved(planes), _halved(visible)


def _halved(planes: Any) -> Any:
    smaller = cv2.resize(planes, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return smaller.reshape(*smaller.shape[:2], planes.shape[2])


def _level(planes: Any, visible: Any, window: int) -> _Level:
    gray = planes[:, :, 0]
    visible = cv2.dilate(visible[:, :, 0] | _visible_ink(gray, window), np.ones((_STROKE, _STROKE), np.uint8))
    ink = _exceeds_noise(cv2.absdiff(gray, _median(gray, window)), MIN_GRAY_CONTRAST)
    if planes.shape[2] == 3:
        chroma = (planes[:, :, 1], planes[:, :, 2])
        hue = cv2.max(*(cv2.absdiff(plane, _median(plane, window)) for plane in chroma))
        ink |= _exceeds_noise(hue, MIN_CHROMA_CONTRAST)
    return _Level(ink & (visible == 0), visible[:, :, None])


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
