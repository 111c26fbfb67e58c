"""Puts the words of OCR into reading order and joins them to lines, rows and the text of a Reading."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pipeline.documents.bidi import is_right_to_left, logical_order, other_orders
from pipeline.documents.document import Engine, Reading, Word

_CELL_GAP = 1.5  # times the line height: a wider gap separates cells


class OcrWord(NamedTuple):
    """A word with its box in pixels, its confidence (0..100) and what read it; its letters are in logical order."""

    text: str
    left: int
    top: int
    width: int
    height: int
    confidence: float
    engine: Engine


def compose(lines: Sequence[Sequence[OcrWord]]) -> tuple[str, tuple[Word, ...]]:
    """The text of these lines in the given order, and the words with their offsets in it.

    Tesseract decides the direction per paragraph, sometimes wrongly, so words are ordered by their boxes.
    """
    parts: list[str] = []
    words: list[Word] = []
    position = 0
    for line in lines:
        if parts:
            parts.append("\n")
            position += 1
        for separator, word in _in_order(line):
            parts += [separator, word.text]
            start = position + len(separator)
            position = start + len(word.text)
            words.append(Word(start, position, *word[1:]))
    return "".join(parts), tuple(words)


def _in_order(line: Sequence[OcrWord]) -> list[tuple[str, OcrWord]]:
    """The words of a line in reading order, each with the separator before it: nothing, a space or a tab."""
    right_to_left = is_right_to_left([word.text for word in line])
    cells: list[list[OcrWord]] = []
    right_edge = 0
    for word in sorted(line, key=lambda w: (w.left, w.width)):
        if cells and word.left - right_edge <= _CELL_GAP * max(word.height, cells[-1][-1].height):
            cells[-1].append(word)
        else:
            cells.append([word])
        right_edge = max(right_edge, word.left + word.width)
    ordered: list[tuple[str, OcrWord]] = []
    for cell in reversed(cells) if right_to_left else cells:
        texts = [word.text for word in cell]
        for step, index in enumerate(logical_order(texts, right_to_left=right_to_left)):
            separator = (" " if step else "\t") if ordered else ""
            ordered.append((separator, cell[index]))
    return ordered


Line = Sequence[OcrWord]

_MAX_LABEL_WORDS = 5  # a line of more words is prose: two such lines side by side are columns, not a row
_SAME_ROW = 0.5  # times the height of the lower line: largest distance between the centres of one row


def join_rows(lines: Sequence[Line], skew: float = 0.0) -> list[list[OcrWord]]:
    """The lines, with those of one row joined at the position of the first one. O(n log n).

    Tesseract puts a label and its value into two blocks; people read them as one row. `skew`: degrees by which rows run
    downwards from left to right.
    """
    slope = math.tan(math.radians(skew))
    middles = [_middle(line, slope) for line in lines]
    heights = [max(word.height for word in line) for line in lines]
    rows: list[list[int]] = []
    for index in sorted(range(len(lines)), key=middles.__getitem__):
        row = rows[-1] if rows else []
        if row and middles[index] - middles[row[0]] <= _SAME_ROW * min(heights[index], heights[row[0]]):
            row.append(index)
        else:
            rows.append([index])
    rows_in_order: list[list[int]] = []
    for row in rows:
        is_prose = all(len(lines[index]) > _MAX_LABEL_WORDS for index in row)
        rows_in_order += [[index] for index in row] if is_prose else [sorted(row)]
    rows_in_order.sort()
    return [[word for index in row for word in lines[index]] for row in rows_in_order]


def _middle(line: Line, slope: float) -> float:
    """The mean centre of the words in pixels, where their row begins; one tall word hardly changes it."""
    return sum(word.top + word.height / 2 - slope * (word.left + word.width / 2) for word in line) / len(line)


def with_other_digit_orders(reading: Reading) -> Reading:
    """The reading with further lines at its end: Arabic lines with their digit groups in the other possible order.

    The words keep their boxes. Lines without letters take the direction of the lines around them. O(words log words).
    """
    lines = list(words_by_line(reading))
    further = []
    for order in other_orders(reading.text):
        for start, end, own in lines:
            if order.text[start:end] != reading.text[start:end]:
                offsets = {offset: place for place, offset in enumerate(order.places[start:end])}
                further.append((order.text[start:end], [_at_offsets(word, offsets) for word in own]))
    return with_further_lines(reading, further)


def with_further_lines(reading: Reading, lines: Sequence[tuple[str, Sequence[Word]]]) -> Reading:
    """The reading with lines at its end that say words of it again; their words have offsets from the line's start."""
    parts, words, start = [reading.text], list(reading.words), len(reading.text) + 1
    for text, own in lines:
        parts.append(text)
        words += [replace(word, start=start + word.start, end=start + word.end) for word in own]
        start += len(text) + 1
    return replace(reading, text="\n".join(parts), words=tuple(words)) if lines else reading


def words_by_line(reading: Reading) -> Iterator[tuple[int, int, list[Word]]]:
    """Start and end of each line of the text, and its words in the order of the text. O(words log words)."""
    ordered = sorted(reading.words, key=lambda word: word.start)
    start = place = 0
    for text in reading.text.split("\n"):
        end, first = start + len(text), place
        while place < len(ordered) and ordered[place].start < end:
            place += 1
        yield start, end, ordered[first:place]
        start = end + 1


def _at_offsets(word: Word, offsets: Mapping[int, int]) -> Word:
    """The word where its characters are in the other order."""
    own = [offsets[offset] for offset in range(word.start, word.end)]
    return replace(word, start=min(own), end=max(own) + 1)
