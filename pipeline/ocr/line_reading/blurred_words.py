"""Tells ink so blurred that nobody can read it, whatever an engine says of it: a network may be sure of anything."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines.line_word import LineWord

_MOST = 0.065  # times the height of a line: standard deviation of the blur (Gaussian) up to which words can be read
_SLOPE = float(np.sqrt(2 * np.pi))  # an edge with this deviation rises by its height in so many deviations at most
_UNSURE = 50.0  # the highest confidence (0..100) of a word there


def without_blurred(cut: Any, words: Sequence[LineWord]) -> list[LineWord]:
    """The words of a line (grayscale array), those in blurred ink with little confidence.

    The steepest edge of a word tells its blur. Noise and frames make it look sharper than it is, nothing makes it look
    more blurred.
    """
    if not words:
        return []
    gray = cut.astype(np.float32)
    across, down = (cv2.Sobel(gray, cv2.CV_32F, x, 1 - x, ksize=3, scale=1 / 8) for x in (1, 0))
    slopes, dark, light = cv2.magnitude(across, down).max(axis=0), gray.min(axis=0), gray.max(axis=0)
    found = []
    for word in words:
        part = slice(max(0, int(word.left)), max(1, int(word.right) + 1))
        contrast = light[part].max(initial=0) - dark[part].min(initial=255)
        is_blurred = contrast > _SLOPE * _MOST * len(cut) * slopes[part].max(initial=0)
        found.append(word._replace(confidence=min(_UNSURE, word.confidence)) if is_blurred else word)
    return found
