"""Finds ink that looks like text and that OCR did not read reliably; redaction burns it."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.document import Word
from pipeline.documents.raster.ink import Ink, Mark, bounding_box, characters, line_boxes
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.columns import (
    Column,
    characters_in,
    columns,
    in_rows_of_cells,
    in_table,
    is_even,
    is_identifier,
    may_be_number,
    spaced_rows,
    transposed,
)

_MIN_CONFIDENCE = 60.0  # word confidence: words below it are wrong more often than right
_MIN_CONFIDENCE_WITH_DIGITS = 80.0  # of words with digits: one wrong digit hides an identifier from detection
_DIGIT = re.compile(r"\d")
# Times the median height of the characters of a word: other components are dots, rules and stains.
_LETTER_HEIGHTS = (0.6, 1.4)
_MAX_LETTER_WIDTH = 2.0  # times the word height: no letter of a word without digits is wider
_MIN_CONTRAST = 40  # gray levels: engines also read words in specks and empty corners


def unread_ink(image: Any, ink: Ink, text: str, words: Sequence[Word], slope: float = 0.0) -> tuple[Box, ...]:
    """Boxes (left, top, width, height) of unreliable words, and of characters that no reliable word covers.

    `slope`: by how much the rows of the page fall from left to right.
    """
    covered, covered_by_words = np.zeros(image.shape, bool), np.zeros(image.shape, bool)
    unreliable: list[Mark] = []
    read: list[Word] = []
    for word in words:
        said = text[word.start : word.end]
        if is_confident(said, word.confidence) and not _has_more_characters(said, word, ink):
            margin = max(2, word.height // 4)
            top, left = max(0, word.top - margin), max(0, word.left - margin)
            covered[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
            read.append(word)
            if word.end - word.start > 1:
                covered_by_words[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
        elif _has_contrast(image, word):
            unreliable.append(Mark(word.left, word.top, word.width, word.height))
    every = characters(ink)
    marks = [m for m in every if not covered[m.top + m.height // 2, m.left + m.width // 2]]
    # On a page scanned sideways the lines are vertical.
    sideways = [transposed(mark) for mark in line_boxes([transposed(mark) for mark in marks])]
    alone = [m for m in every if not covered_by_words[m.top + m.height // 2, m.left + m.width // 2]]
    partly_read = _partly_read(image, alone, text, (words, read), slope)
    return tuple((m.left, m.top, m.width, m.height) for m in [*unreliable, *line_boxes(marks), *sideways, *partly_read])


def is_confident(word: str, confidence: float) -> bool:
    """Whether a word that was read with this confidence (0..100) is reliable."""
    return confidence >= (_MIN_CONFIDENCE_WITH_DIGITS if _DIGIT.search(word) else _MIN_CONFIDENCE)


def _partly_read(
    image: Any, marks: Sequence[Mark], text: str, words: tuple[Sequence[Word], Sequence[Word]], slope: float
) -> list[Mark]:
    """Columns and spaced rows of single characters that may be a number and were not read completely.

    All of such a number is unread, but not a column of a table. `words`: all words, and the reliable ones.
    """
    places = {(word.left, word.top, word.width, word.height) for word in words[0]}
    boxes = np.array(sorted(places), float).reshape(-1, 4)
    down, across = columns(image, marks), spaced_rows(image, marks)
    tables_down = _Tables([column.marks for column in down], boxes, slope)
    tables_across = _Tables([column.marks for column in across], boxes[:0], slope)
    placed = [(column, column.marks, tables_down) for column in down]
    placed += [(column, list(map(transposed, column.marks)), tables_across) for column in across]
    return [bounding_box(own) for column, own, tables in placed if _is_partly_read(column, own, text, words, tables)]


class _Tables(NamedTuple):
    """What shows that a column is one of a table: the marks of all columns, boxes of words (n, 4), slope of rows."""

    columns: Sequence[Sequence[Mark]]
    words: Any
    slope: float

    def have(self, column: Column) -> bool:
        """Whether it stands among other columns, or in rows of cells."""
        return in_table(column.marks, self.columns) or in_rows_of_cells(column.marks, self.words, self.slope)


def _is_partly_read(
    column: Column,
    marks: Sequence[Mark],
    text: str,
    words: tuple[Sequence[Word], Sequence[Word]],
    tables: _Tables,
) -> bool:
    """Whether a column, of which these are the marks on the page, may be a number that was not read completely."""
    reliable_characters = characters_in(marks, text, words[1])
    if len(reliable_characters) == len(marks) and is_even(column.marks):
        return False
    unreliable_characters = characters_in(marks, text, words[0])
    if len(unreliable_characters) == len(marks) and is_identifier(
        "".join(unreliable_characters[n] for n in sorted(unreliable_characters))
    ):
        return True
    return may_be_number(column, reliable_characters) and not tables.have(column)


def _has_more_characters(text: str, word: Word, ink: Ink) -> bool:
    """Whether the box of a word has more characters than were read: Tesseract drops digits of long numbers.

    For 1562408987 it may give `156` and `7` with high confidence. Components of letters merge and break, so a word
    without digits must also have far too few letters for the width of its box.
    """
    if not text.isascii() or not len(ink.boxes):
        return False
    left, top, right, bottom = ink.boxes[ink.is_character].T
    across, down = (left + right) / 2 - word.left, (top + bottom) / 2 - word.top
    heights = (bottom - top)[(across > 0) & (across < word.width) & (down > 0) & (down < word.height)]
    if not len(heights):
        return False
    least, most = (factor * float(np.median(heights)) for factor in _LETTER_HEIGHTS)
    found = int(((heights >= least) & (heights <= most)).sum())
    if any(map(str.isdigit, text)):
        return found > len(text) + 2 * text.count("%")
    return found > len(text) + 1 and word.width > _MAX_LETTER_WIDTH * word.height * len(text)


def _has_contrast(image: Any, word: Word) -> bool:
    patch = image[word.top : word.top + word.height, word.left : word.left + word.width]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > _MIN_CONTRAST
