"""Hue: whether an image has any, and its planes of chroma, in which text stands out that grayscale does not show."""

from typing import Any

import cv2
import numpy as np

_PAPER_TINT = 12  # largest difference between red, green and blue of yellowed paper and its noise
_LARGE_IMAGE = 4_000_000  # pixels: of a larger image, every second pixel is tested


def is_colored(image: Any) -> bool:
    """Whether some pixel of an image (height, width, 3) has more hue than paper."""
    step = 2 if image.shape[0] * image.shape[1] > _LARGE_IMAGE else 1
    blue, green, red = (np.ascontiguousarray(image[::step, ::step, channel]) for channel in range(3))
    return bool(max(cv2.absdiff(blue, green).max(), cv2.absdiff(green, red).max()) > _PAPER_TINT)


def without_false_hue(image: Any) -> Any:
    """An image in BGR as it is, or in gray if it has no hue; one in gray as it is."""
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 and not is_colored(image) else image


def in_gray(image: Any) -> Any:
    """An image in BGR or gray, in gray."""
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
