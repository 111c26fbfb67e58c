"""The decoded frame of an image: 8 bits per sample in BGR or gray, upright, with the mode of the input.

This form drops data that is not visible and could hide a message: the low byte of 16-bit samples, different CMYK
separations of one colour, unused palette entries.
"""

from typing import Any, NamedTuple

import cv2
import numpy as np

VISIBLE_ALPHA = 16  # alpha (0..255) below which a pixel is invisible
_COLORS = 256
_MIN_COLOR_DISTANCE = 4  # levels: palette entries whose channels differ by less look equal
_MIN_DPI, _MAX_DPI = 10, 4800
_TRANSFORMS = {
    2: (None, 1),  # rotation and then flip axis of cv2, by orientation (TIFF 6.0, Orientation)
    3: (cv2.ROTATE_180, None),
    4: (None, 0),
    5: (cv2.ROTATE_90_CLOCKWISE, 1),
    6: (cv2.ROTATE_90_CLOCKWISE, None),
    7: (cv2.ROTATE_90_COUNTERCLOCKWISE, 1),
    8: (cv2.ROTATE_90_COUNTERCLOCKWISE, None),
}


class Frame(NamedTuple):
    """One frame. `pixels`: (height, width) in gray or (height, width, 3 or 4) in BGR(A), 8 bits per sample.

    `mode` as Pillow names it: 1, L, LA, P, RGB, RGBA or CMYK. `milliseconds`: its duration in an animation. `dpi`:
    horizontal and vertical, if known. `is_deep`: the input has 16 bits per sample, and so has the output.
    """

    pixels: Any
    mode: str
    milliseconds: int = 0
    dpi: tuple[float, float] | None = None
    is_deep: bool = False


def eight_bits(pixels: Any) -> Any:
    """The upper bytes of 16-bit samples; the lower ones are not visible."""
    return (pixels >> 8).astype(np.uint8) if pixels.dtype == np.uint16 else pixels


def upright(pixels: Any, orientation: int) -> Any:
    """Stored pixels rotated and flipped by their orientation (1 to 8); other values change nothing."""
    rotation, flip_axis = _TRANSFORMS.get(orientation, (None, None))
    if rotation is not None:
        pixels = cv2.rotate(pixels, rotation)
    return cv2.flip(pixels, flip_axis) if flip_axis is not None else pixels


def bgr_from_cmyk(inverted: Any) -> Any:
    """BGR pixels of inverted CMYK samples (height, width, 4): 255 is no ink."""
    inverted = inverted.astype(np.uint16)
    bgr = (inverted[:, :, 2::-1] * inverted[:, :, 3:] + 127) // 255
    return bgr.astype(np.uint8)


def cmyk_from_bgr(pixels: Any) -> Any:
    """CMYK samples (0 no ink, 255 full ink) of BGR pixels, with the maximum of black.

    Equal colours get equal inks, so data in different separations of one colour is lost.
    """
    brightest = pixels.max(axis=2).astype(np.uint16)
    inks = (brightest[:, :, None] - pixels[:, :, ::-1]) * np.uint32(255) // np.maximum(brightest, 1)[:, :, None]
    return np.dstack((inks.astype(np.uint8), (255 - brightest).astype(np.uint8)))


def plausible_dpi(dpi: tuple[float, float] | None) -> tuple[int, int] | None:
    """Whole dots per inch; None for an implausible resolution, which could be a hidden number."""
    if dpi is None:
        return None
    across, down = (round(side) if _MIN_DPI <= side <= _MAX_DPI else 0 for side in dpi)
    return (across, down) if across and down and 1 / 4 <= across / down <= 4 else None


def palette_image(pixels: Any) -> tuple[Any, Any]:
    """Palette indices (height, width) and palette (at most 256, 4) in RGBA; similar colours share an entry."""
    samples = pixels[:, :, None].repeat(3, axis=2) if pixels.ndim == 2 else pixels
    alpha = samples[:, :, 3:] if samples.shape[2] == 4 else np.full((*samples.shape[:2], 1), 255, np.uint8)
    rgba = np.ascontiguousarray(np.concatenate((samples[:, :, 2::-1], alpha), axis=2))
    codes, indices, counts = np.unique(rgba.view(">u4").ravel(), return_inverse=True, return_counts=True)
    colors = codes.astype(">u4").view(np.uint8).reshape(-1, 4)
    kept: list[int] = []
    entry = np.zeros(len(colors), np.int64)
    levels = colors.astype(np.int16)
    for number in np.argsort(-counts, kind="stable"):  # the most frequent colours first: these are kept exactly
        distance = np.abs(levels[kept] - levels[number]).max(axis=1) if kept else np.array([_COLORS])
        if distance.min() >= _MIN_COLOR_DISTANCE and len(kept) < _COLORS:
            entry[number] = len(kept)
            kept.append(int(number))
        else:
            entry[number] = int(distance.argmin())
    return entry[indices].reshape(samples.shape[:2]).astype(np.uint8), colors[kept]
