"""The second reading of the numbers in a scanned line: a network without recurrence, made apart from the first.

It checks what is left in an output, so it shares neither weights nor training pictures with the recognizer of
`pipeline.ocr`. docs/models/lines.md tells how it was made (`make train-scans`) and how well it reads.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.networks.line_reader import LEAST_CONTRAST, MOST_RATIO, STRIDE, LineReader
from schemas.version import VERSION

READER = f"masker-numbers {VERSION}"
HEIGHT = 40
# In prepared pixels.
_WINDOW, _EDGE = 2000, 96


@cache
def reader() -> LineReader:
    """The network, loaded once in the life of the process."""
    return LineReader(Path(__file__).with_suffix(".onnx").read_bytes(), prepared, _WINDOW, _EDGE)


def prepared(line: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A line (h, w) as the network sees it: (HEIGHT, w), paper 0 and ink 1."""
    height, width = line.shape
    target = max(2, round(min(width / height, MOST_RATIO) * HEIGHT / STRIDE)) * STRIDE
    scaled = np.asarray(Image.fromarray(line).resize((target, HEIGHT), Image.Resampling.BICUBIC))
    ink, paper = np.quantile(scaled, (0.003, 0.85))
    levels = (paper - np.arange(256)) / max(paper - ink, LEAST_CONTRAST)
    return np.asarray(np.clip(levels, 0, 1).astype(np.float32)[scaled])
