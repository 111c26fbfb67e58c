"""Enlarges the boxes of words to the ink of their characters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Ink

_MAX_COMPONENT_HEIGHT, _MAX_COMPONENT_WIDTH = 2.2, 10.0  # times the word height: larger components are rules and frames
_MAX_GROWTH = 1.0  # times the word height: how far a box may grow on each side
_MAX_GAP = 0.4  # times the word height: distance from a word to a component that no word overlaps
_BATCH = 4096  # components per batch


def with_full_boxes(words: Sequence[Word], ink: Ink) -> tuple[Word, ...]:
    """The words with their boxes enlarged to the components that they overlap most or that are nearest.

    Tesseract often cuts off the first or last letter of an Arabic word.
    """
    if not words or not len(ink.boxes):
        return tuple(words)
    boxes = np.array([(w.left, w.top, w.left + w.width, w.top + w.height) for w in words])
    fitted = boxes.copy()
    for start in range(0, len(ink.boxes), _BATCH):
        _fit_to_components(boxes, fitted, ink.boxes[start : start + _BATCH])
    reach = (_MAX_GROWTH * (boxes[:, 3] - boxes[:, 1])).astype(int)[:, None]
    fitted[:, :2] = np.maximum(fitted[:, :2], boxes[:, :2] - reach)
    fitted[:, 2:] = np.minimum(fitted[:, 2:], boxes[:, 2:] + reach)
    return tuple(
        replace(word, left=left, top=top, width=right - left, height=bottom - top)
        for word, (left, top, right, bottom) in zip(words, np.maximum(fitted, 0).tolist(), strict=True)
    )


def _fit_to_components(boxes: Any, fitted: Any, components: Any) -> None:
    part = components[:, None, :]
    across = np.minimum(part[..., 2], boxes[:, 2]) - np.maximum(part[..., 0], boxes[:, 0])
    down = np.minimum(part[..., 3], boxes[:, 3]) - np.maximum(part[..., 1], boxes[:, 1])
    height = boxes[:, 3] - boxes[:, 1]
    suits = (part[..., 3] - part[..., 1] <= _MAX_COMPONENT_HEIGHT * height) & (
        part[..., 2] - part[..., 0] <= _MAX_COMPONENT_WIDTH * height
    )
    tall = (components[:, 3] - components[:, 1])[:, None]
    is_adjacent = (across <= 0) & (across > -_MAX_GAP * height) & (down > 0.5 * tall)
    shared = np.where((across > 0) & (down > 0), across * down, is_adjacent / (1.0 + np.maximum(-across, 0))) * suits
    owner = shared.argmax(axis=1)
    owned = shared.max(axis=1) > 0
    np.minimum.at(fitted[:, :2], owner[owned], components[owned, :2])
    np.maximum.at(fitted[:, 2:], owner[owned], components[owned, 2:])
