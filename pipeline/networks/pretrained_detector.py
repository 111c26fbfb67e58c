"""Finds the lines of text of a raster with the detector of PP-OCRv6, whatever their script."""

from functools import cache
from typing import Any

import numpy as np

from pipeline.networks.onnx_session import Session, run_frugally
from pipeline.networks.pretrained import DETECTOR, pretrained
from pipeline.networks.text_map import LONGEST_SIDE, TextMap, Thresholds, detected

# Text has 0.99 at some of its pixels, photographs mostly less than 0.03.
THRESHOLDS = Thresholds(edge=0.3, text=0.3, line=0.4)
_MEAN, _DEVIATION = (np.array(rgb, np.float32) for rgb in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))


def text_map(image: Any, longest_side: int = LONGEST_SIDE) -> TextMap:
    """Where a grayscale array (height, width) may hold text; the network sees it reduced to `longest_side` pixels."""
    return detected(image, _probabilities, THRESHOLDS, longest_side)


def load() -> None:
    """Loads the network, which is kept for the life of the process."""
    _network()


@cache
def _network() -> Session:
    return pretrained(DETECTOR)


def _probabilities(scaled: Any) -> Any:
    planes = (scaled[None].astype(np.float32) / 255 - _MEAN[:, None, None]) / _DEVIATION[:, None, None]
    return run_frugally(_network(), planes[None])[0, 0]
