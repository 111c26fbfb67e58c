"""Text-like ink that no confident word covers: what Tesseract saw and could not read, and what it did not see."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.ink import Ink, Mark, characters, gather
from pipeline.ocr.confidence import is_confident

_LEAST_CONTRAST = 40  # gray levels; Tesseract also sees words in specks and empty corners


def unread_ink(image: Any, ink: Ink, text: str, words: Sequence[Word]) -> tuple[tuple[int, int, int, int], ...]:
    """Boxes (left, top, width, height) of such ink in a grayscale raster: doubtful words, and uncovered characters."""
    covered = np.zeros(image.shape, bool)
    doubtful: list[Mark] = []
    for word in words:
        if _is_read(text, word):
            margin = max(2, word.height // 4)
            top, left = max(0, word.top - margin), max(0, word.left - margin)
            covered[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
        elif _has_contrast(image, word):
            doubtful.append(Mark(word.left, word.top, word.width, word.height))
    marks = [m for m in characters(ink) if not covered[m.top + m.height // 2, m.left + m.width // 2]]
    # Of a page scanned sideways the lines run downwards, and what stands there alone in its row is text all the same.
    sideways = [_turned(mark) for mark in gather([_turned(mark) for mark in marks])]
    return tuple((m.left, m.top, m.width, m.height) for m in [*doubtful, *gather(marks), *sideways])


def _turned(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _is_read(text: str, word: Word) -> bool:
    start = text.rfind("\n", 0, word.start) + 1
    end = text.find("\n", word.end)
    return is_confident(text[word.start : word.end], word.confidence, text[start : end if end >= 0 else len(text)])


def _has_contrast(image: Any, word: Word) -> bool:
    patch = image[word.top : word.top + word.height, word.left : word.left + word.width]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > _LEAST_CONTRAST
