"""Gives the cut of a line the contrast that engines need: faint ink on its paper, or one hue on another."""

from typing import Any

import numpy as np

from pipeline.documents.raster.hidden_lines import MIN_GRAY_CONTRAST
from pipeline.documents.raster.levels import LEVELS, not_brighter

_DIM = 48.0  # gray levels between ink and paper: engines read lines with more
_GROUND = 0.25  # of the levels between dark and light: that of most pixels of a line in light ink is nearer to dark
_EXTREMES = (0.002, 0.998)  # shares of the pixels of a line that are not brighter than its ink, or than its paper


def contrast(cut: Any) -> float:
    """Levels between the ink and the paper of a line, or its paper and light ink."""
    dark, light = _extremes(cut)
    return light - dark


def legible(cut: Any) -> Any:
    """A line as dark ink on light paper: with all the contrast there can be, and inverted if most of it is dark."""
    dark, light = _extremes(cut)
    spread = np.clip((np.arange(LEVELS) - dark) * 255 / max(light - dark, 1.0), 0, 255).astype(np.uint8)[cut]
    return 255 - spread if np.median(spread) < 128 else spread


def is_visible(cut: Any) -> bool:
    """Whether people see the ink of a line."""
    return contrast(cut) >= MIN_GRAY_CONTRAST


def is_dim(cut: Any) -> bool:
    """Whether the ink of a line is too faint for engines, but not for people."""
    return MIN_GRAY_CONTRAST <= contrast(cut) < _DIM


def as_dark_ink(cut: Any) -> Any:
    """A line with faint ink in full contrast, and one with light ink, as in the heading of a table, inverted."""
    if is_dim(cut):
        return legible(cut)
    dark, light = _extremes(cut)
    return 255 - cut if np.median(cut) - dark < _GROUND * (light - dark) else cut


def _extremes(cut: Any) -> tuple[float, float]:
    """The levels of ink and paper."""
    dark, light = np.searchsorted(not_brighter(cut), _EXTREMES)
    return float(dark), float(light)
