"""The second reading of the numbers in a scanned line: a network without recurrence, made apart from the first.

It checks what is left in an output, so it shares neither weights nor training pictures with the recognizer of
`pipeline.ocr`. docs/models/numbers.md tells how it was made (`make train-scans`) and how well it reads.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.numbers import STRIDE, Character, Number, NumberReader

HEIGHT = 40
# In prepared pixels.
_WINDOW, _EDGE = 2000, 96
# Wider lines would be read as a blur of this many times their height.
_MOST_RATIO = 12_000
# A difference between ink and paper that is smaller is no ink.
_LEAST_CONTRAST = 24.0


def read_lines(lines: Sequence[NDArray[np.uint8]]) -> list[list[Character]]:
    """The characters of each line (h, w) of dark ink on light, from left to right."""
    return reader().read_lines(lines)


def is_sure(number: Number) -> bool:
    """Whether numbers of this confidence were wrong at most once in 1,000 on fonts kept back from training."""
    return reader().is_sure(number)


@cache
def reader() -> NumberReader:
    """The network, loaded once in the life of the process."""
    return NumberReader(Path(__file__).with_suffix(".onnx").read_bytes(), prepared, _WINDOW, _EDGE)


def prepared(line: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A line (h, w) as the network sees it: (HEIGHT, w), paper 0 and ink 1."""
    height, width = line.shape
    target = max(2, round(min(width / height, _MOST_RATIO) * HEIGHT / STRIDE)) * STRIDE
    scaled = np.asarray(Image.fromarray(line).resize((target, HEIGHT), Image.Resampling.BICUBIC))
    ink, paper = np.quantile(scaled, (0.003, 0.85))
    levels = (paper - np.arange(256)) / max(paper - ink, _LEAST_CONTRAST)
    return np.asarray(np.clip(levels, 0, 1).astype(np.float32)[scaled])
