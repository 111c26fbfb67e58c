"""Finds the lines of text of a raster with a network that was trained for it, whatever their script.

docs/models/text-detector.md says how it was trained, and how well it sees.
"""

from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pipeline.documents.raster.levels import not_brighter
from pipeline.networks.onnx_session import Session, run_frugally, session
from pipeline.networks.text_map import TextMap, Thresholds, detected

_THRESHOLDS = Thresholds(edge=0.5, text=0.3, line=0.6)
_DARKEST, _BRIGHTEST = 0.002, 0.998  # shares of the pixels of a page that are not brighter
_LIGHT = 0.1  # the least share of pixels in the lighter half of a page's levels that is paper
_PAPER = 0.7  # the share of them that is not brighter than the paper
_LEAST_CONTRAST = 48.0  # gray levels


def text_map(image: Any) -> TextMap:
    """Where a grayscale array (height, width) may hold text."""
    return detected(image, _probabilities, _THRESHOLDS)


def load() -> None:
    """Loads the network, which is kept for the life of the process."""
    _network()


def paper_and_contrast(image: Any) -> tuple[float, float]:
    """The gray level of the paper, and how far from it ink lies at most."""
    shares = not_brighter(image)
    darkest, brightest = (int(np.searchsorted(shares, share)) for share in (_DARKEST, _BRIGHTEST))
    dark = float(shares[(darkest + brightest) // 2])
    dark = dark if 1 - dark >= _LIGHT else 0.0  # else the page is dark, and its ink light
    paper = float(np.searchsorted(shares, dark + _PAPER * (1 - dark)))
    return paper, max(paper - darkest, brightest - paper, _LEAST_CONTRAST)


def ink(image: Any, paper: float, contrast: float) -> Any:
    """What the network sees: ink darker than the paper up to 1, brighter down to -1."""
    return np.clip((paper - np.arange(256, dtype=np.float32)) / contrast, -1, 1).astype(np.float32)[image]


@cache
def _network() -> Session:
    return session(Path(__file__).with_suffix(".onnx").read_bytes())


def _probabilities(scaled: Any) -> Any:
    """The network gives one for each square of two by two pixels."""
    seen = ink(scaled, *paper_and_contrast(scaled))
    return cv2.resize(run_frugally(_network(), seen[None, None])[0], scaled.shape[::-1], interpolation=cv2.INTER_LINEAR)
