"""A picture's frame as all image formats share it: 8 bits in BGR or gray, upright, with the mode it came in.

What differs from one frame to another only in ways that nobody sees does not survive this form: the low byte of 16-bit
samples, the several separations that one printed colour can have, palette entries that nobody uses.
"""

from typing import Any, NamedTuple

import cv2
import numpy as np

SEEN_THROUGH = 16  # alpha, of 255, below which nobody sees a pixel
_COLORS = 256
_ALIKE = 4  # levels: palette entries whose channels all differ by less are one colour to the eye
_LEAST_DPI, _MOST_DPI = 10, 4800
_ORIENTED = {
    2: (None, 1),  # how to turn, and the axis to mirror at then, as cv2 has them (TIFF 6.0, Orientation)
    3: (cv2.ROTATE_180, None),
    4: (None, 0),
    5: (cv2.ROTATE_90_CLOCKWISE, 1),
    6: (cv2.ROTATE_90_CLOCKWISE, None),
    7: (cv2.ROTATE_90_COUNTERCLOCKWISE, 1),
    8: (cv2.ROTATE_90_COUNTERCLOCKWISE, None),
}


class Frame(NamedTuple):
    """`pixels`: (height, width) in gray, or (height, width, 3 or 4) in BGR(A), 8 bits; `mode` as Pillow names it: 1, L,
    LA, P, RGB, RGBA or CMYK; `milliseconds` that an animation shows it; `dpi` across and down, where known.

    `is_deep`: it came with 16 bits a sample, and goes so.
    """

    pixels: Any
    mode: str
    milliseconds: int = 0
    dpi: tuple[float, float] | None = None
    is_deep: bool = False


def eight_bits(pixels: Any) -> Any:
    """The upper bytes of 16-bit samples: all that is seen of them."""
    return (pixels >> 8).astype(np.uint8) if pixels.dtype == np.uint16 else pixels


def upright(pixels: Any, orientation: int) -> Any:
    """Stored pixels as the eye sees them; what is no orientation (1 to 8) changes nothing."""
    turn, mirror = _ORIENTED.get(orientation, (None, None))
    if turn is not None:
        pixels = cv2.rotate(pixels, turn)
    return cv2.flip(pixels, mirror) if mirror is not None else pixels


def cmyk_shown(light: Any) -> Any:
    """BGR of four channels (height, width, 4) that say how much light is left by cyan, magenta, yellow and black."""
    light = light.astype(np.uint16)
    shown = (light[:, :, 2::-1] * light[:, :, 3:] + 127) // 255
    return shown.astype(np.uint8)


def cmyk_samples(pixels: Any) -> Any:
    """Ink (0 none, 255 full) of cyan, magenta, yellow and black that shows BGR pixels, with as much black as can be.

    The same colour always has the same inks: what only separations told apart is gone.
    """
    most = pixels.max(axis=2).astype(np.uint16)
    inks = (most[:, :, None] - pixels[:, :, ::-1]) * np.uint32(255) // np.maximum(most, 1)[:, :, None]
    return np.dstack((inks.astype(np.uint8), (255 - most).astype(np.uint8)))


def plain_dpi(dpi: tuple[float, float] | None) -> tuple[int, int] | None:
    """Whole dots per inch; None where they are no resolution that a picture has, but maybe a number of somebody's."""
    if dpi is None:
        return None
    across, down = (round(side) if _LEAST_DPI <= side <= _MOST_DPI else 0 for side in dpi)
    return (across, down) if across and down and 1 / 4 <= across / down <= 4 else None


def indexed(pixels: Any) -> tuple[Any, Any]:
    """Indices (height, width) and the palette (at most 256, 4) in RGBA of a picture's colours, alike ones as one."""
    samples = pixels[:, :, None].repeat(3, axis=2) if pixels.ndim == 2 else pixels
    alpha = samples[:, :, 3:] if samples.shape[2] == 4 else np.full((*samples.shape[:2], 1), 255, np.uint8)
    wide = np.ascontiguousarray(np.concatenate((samples[:, :, 2::-1], alpha), axis=2))
    codes, places, counts = np.unique(wide.view(">u4").ravel(), return_inverse=True, return_counts=True)
    colors = codes.astype(">u4").view(np.uint8).reshape(-1, 4)
    kept: list[int] = []
    owner = np.zeros(len(colors), np.int64)
    table = colors.astype(np.int16)
    for number in np.argsort(-counts, kind="stable"):  # the most frequent first: they stay as they are
        away = np.abs(table[kept] - table[number]).max(axis=1) if kept else np.array([_COLORS])
        if away.min() >= _ALIKE and len(kept) < _COLORS:
            owner[number] = len(kept)
            kept.append(int(number))
        else:
            owner[number] = int(away.argmin())
    return owner[places].reshape(samples.shape[:2]).astype(np.uint8), colors[kept]
