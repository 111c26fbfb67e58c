"""Text-like ink that no confident word covers: what Tesseract saw and could not read, and what it did not see."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Ink, Mark, around, characters, gather
from pipeline.ocr.columns import columns, in_table, is_identifier, may_be_number, said_in
from pipeline.ocr.tesseract import is_confident

_LIKE = (0.6, 1.4)  # of the middle height of a word's characters: others are dots, rules and stains
_SPREAD = 2.0  # of its height: no letter of a word without digits is wider than this
_LEAST_CONTRAST = 40  # gray levels; Tesseract also sees words in specks and empty corners


def unread_ink(image: Any, ink: Ink, text: str, words: Sequence[Word]) -> tuple[tuple[int, int, int, int], ...]:
    """Boxes (left, top, width, height) of such ink in a grayscale raster: doubtful words, and uncovered characters."""
    covered, spoken = np.zeros(image.shape, bool), np.zeros(image.shape, bool)
    doubtful: list[Mark] = []
    read: list[Word] = []
    for word in words:
        if _is_read(text, word) and not _says_less(text[word.start : word.end], word, ink):
            margin = max(2, word.height // 4)
            top, left = max(0, word.top - margin), max(0, word.left - margin)
            covered[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
            read.append(word)
            if word.end - word.start > 1:
                spoken[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
        elif _has_contrast(image, word):
            doubtful.append(Mark(word.left, word.top, word.width, word.height))
    every = characters(ink)
    marks = [m for m in every if not covered[m.top + m.height // 2, m.left + m.width // 2]]
    # Of a page scanned sideways the lines run downwards, and what stands there alone in its row is text all the same.
    sideways = [_turned(mark) for mark in gather([_turned(mark) for mark in marks])]
    alone = [m for m in every if not spoken[m.top + m.height // 2, m.left + m.width // 2]]
    below = _half_read(image, alone, text, (words, read))
    return tuple((m.left, m.top, m.width, m.height) for m in [*doubtful, *gather(marks), *sideways, *below])


def _half_read(
    image: Any, marks: Sequence[Mark], text: str, words: tuple[Sequence[Word], Sequence[Word]]
) -> list[Mark]:
    """Columns of single characters of which not every one was read: what was read of a number goes with the rest.

    `words`: all of them, and those that were read with confidence.
    """
    found = []
    every = columns(image, marks)
    for column in every:
        said = said_in(column.marks, text, words[1])
        if len(said) == len(column.marks):
            continue
        guessed = said_in(column.marks, text, words[0])
        proven = len(guessed) == len(column.marks) and is_identifier("".join(guessed[n] for n in sorted(guessed)))
        ordinary = not may_be_number(column, said) or in_table(column.marks, [other.marks for other in every])
        if proven or not ordinary:
            found.append(around(column.marks))
    return found


def _turned(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _is_read(text: str, word: Word) -> bool:
    start = text.rfind("\n", 0, word.start) + 1
    end = text.find("\n", word.end)
    return is_confident(text[word.start : word.end], word.confidence, text[start : end if end >= 0 else len(text)])


def _says_less(said: str, word: Word, ink: Ink) -> bool:
    """Whether more characters stand in the word's box than were read: Tesseract drops digits out of long numbers.

    It gives `156` and `7`, confident of both, for 1562408987. Letters run together and break apart: they must also be
    much too few for so wide a box.
    """
    if not said.isascii() or not len(ink.boxes):
        return False
    left, top, right, bottom = ink.boxes[ink.is_character].T
    across, down = (left + right) / 2 - word.left, (top + bottom) / 2 - word.top
    heights = (bottom - top)[(across > 0) & (across < word.width) & (down > 0) & (down < word.height)]
    if not len(heights):
        return False
    least, most = (factor * float(np.median(heights)) for factor in _LIKE)
    seen = int(((heights >= least) & (heights <= most)).sum())
    if any(map(str.isdigit, said)):
        return seen > len(said) + 2 * said.count("%")
    return seen > len(said) + 1 and word.width > _SPREAD * word.height * len(said)


def _has_contrast(image: Any, word: Word) -> bool:
    patch = image[word.top : word.top + word.height, word.left : word.left + word.width]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > _LEAST_CONTRAST
