"""Text-like ink that no confident word covers: what Tesseract saw and could not read, and what it did not see."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.ink import Mark, character_marks, gather

CONFIDENT = 60.0  # below it, words of Tesseract 5 are wrong more often than right (Eastern digits come out at 0 to 50)


def unread_ink(image: Any, words: Sequence[Word], dpi: int) -> tuple[tuple[int, int, int, int], ...]:
    """Boxes (left, top, width, height) of such ink in a grayscale raster: doubtful words, and uncovered characters."""
    covered = np.zeros(image.shape, bool)
    for word in words:
        if word.confidence >= CONFIDENT:
            margin = max(2, word.height // 4)
            top, left = max(0, word.top - margin), max(0, word.left - margin)
            covered[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
    doubtful = [
        Mark(w.left, w.top, w.width, w.height) for w in words if w.confidence < CONFIDENT and _has_letters(image, w)
    ]
    marks = [mark for mark in character_marks(image, dpi) if not covered[mark.center_y, mark.center_x]]
    return tuple((m.left, m.top, m.width, m.height) for m in [*doubtful, *gather(marks)])


def _has_letters(image: Any, word: Word) -> bool:
    """Whether a doubtful word stands on ink at all: Tesseract also sees words in specks and in empty corners."""
    patch = image[word.top : word.top + word.height, word.left : word.left + word.width]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > 40
