"""The first reading of the numbers in a scanned line: a small recurrent network made for both kinds of digits.

Tesseract misreads the digits of scans, and Eastern Arabic digits most of all. docs/models/numbers.md tells how the
network was made (`make train-scans`) and how well it reads.
"""

from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pipeline.numbers import LEAST_CONTRAST, MOST_RATIO, STRIDE, NumberReader

HEIGHT = 32
# In prepared pixels.
_WINDOW, _EDGE = 1600, 128


@cache
def reader() -> NumberReader:
    """The network, loaded once in the life of the process."""
    return NumberReader(Path(__file__).with_suffix(".onnx").read_bytes(), prepared, _WINDOW, _EDGE)


def prepared(line: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A line (h, w) as the network sees it: (HEIGHT, w), paper 0 and ink 1."""
    height, width = line.shape
    target = max(2, round(min(width / height, MOST_RATIO) * HEIGHT / STRIDE)) * STRIDE
    method = cv2.INTER_AREA if height > HEIGHT else cv2.INTER_LINEAR
    scaled = cv2.resize(line, (target, HEIGHT), interpolation=method)
    shares = np.cumsum(np.bincount(scaled.ravel(), minlength=256)) / scaled.size
    ink, paper = np.searchsorted(shares, (0.005, 0.9))
    levels = (paper - np.arange(256)) / max(float(paper) - float(ink), LEAST_CONTRAST)
    return np.asarray(np.clip(levels, 0, 1).astype(np.float32)[scaled])
