"""Puts the words that OCR saw into reading order and joins them to the text of a Reading."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import cv2

from pipeline.documents.bidi import is_right_to_left, logical_order, other_orders
from pipeline.documents.document import Reading, Word
from pipeline.ocr.corrections import corrected

_CELL = 1.5  # of the line's height: a gap that separates cells


class SeenWord(NamedTuple):
    """A word with its box in pixels and its confidence, 0..100; its own letters are in logical order."""

    text: str
    left: int
    top: int
    width: int
    height: int
    confidence: float


def compose(lines: Sequence[Sequence[SeenWord]]) -> tuple[str, tuple[Word, ...]]:
    """The text of these lines, top to bottom as given, and each word's place in it.

    Tesseract decides direction per paragraph and now and then wrongly: words are ordered anew from where they stand.
    """
    parts: list[str] = []
    words: list[Word] = []
    position = 0
    for line in lines:
        if parts:
            parts.append("\n")
            position += 1
        ordered = _in_order(line)
        texts = corrected([word.text for _, word in ordered])
        for (separator, word), spelled in zip(ordered, texts, strict=True):
            parts += [separator, spelled]
            start = position + len(separator)
            position = start + len(spelled)
            words.append(Word(start, position, word.left, word.top, word.width, word.height, word.confidence))
    return "".join(parts), tuple(words)


def _in_order(line: Sequence[SeenWord]) -> list[tuple[str, SeenWord]]:
    """The line's words as they are read, each with what separates it from the one before: nothing, blank or tab."""
    right_to_left = is_right_to_left([word.text for word in line])
    cells: list[list[SeenWord]] = []
    reach = 0
    for word in sorted(line, key=lambda w: (w.left, w.width)):
        if cells and word.left - reach <= _CELL * max(word.height, cells[-1][-1].height):
            cells[-1].append(word)
        else:
            cells.append([word])
        reach = max(reach, word.left + word.width)
    ordered: list[tuple[str, SeenWord]] = []
    for cell in reversed(cells) if right_to_left else cells:
        texts = [word.text for word in cell]
        for step, index in enumerate(logical_order(texts, right_to_left=right_to_left)):
            separator = (" " if step else "\t") if ordered else ""
            ordered.append((separator, cell[index]))
    return ordered


# Joins lines that stand side by side: a label and its value are two blocks to Tesseract, one row to a reader.

Line = Sequence[SeenWord]

_LABEL_WORDS = 5  # a line of more words than this is prose: two such lines side by side are columns, not a row
_SAME_ROW = 0.5  # of the lower line's height: how far apart two middles may be


def join_rows(lines: Sequence[Line]) -> list[list[SeenWord]]:
    """The lines with those of one row joined, each where its first part stood. O(n log n)."""
    middles = [_middle(line) for line in lines]
    heights = [max(word.height for word in line) for line in lines]
    rows: list[list[int]] = []
    for index in sorted(range(len(lines)), key=middles.__getitem__):
        row = rows[-1] if rows else []
        if row and middles[index] - middles[row[0]] <= _SAME_ROW * min(heights[index], heights[row[0]]):
            row.append(index)
        else:
            rows.append([index])
    joined: list[list[int]] = []
    for row in rows:
        is_prose = all(len(lines[index]) > _LABEL_WORDS for index in row)
        joined += [[index] for index in row] if is_prose else [sorted(row)]
    joined.sort()
    return [[word for index in row for word in lines[index]] for row in joined]


def _middle(line: Line) -> float:
    """Half-way between the mean top and the mean bottom, in pixels: one tall word does not move it."""
    return sum(word.top + word.height / 2 for word in line) / len(line)


# Says lines with groups of digits again, in the other order in which an Arabic line may mean them.


def said_again(reading: Reading) -> Reading:
    """The reading with the lines that have another order once more at its end, in that order, each word at its place.

    Lines without letters belong to those around them, so the whole text decides.
    """
    parts, words, position = [reading.text], list(reading.words), len(reading.text)
    for order in other_orders(reading.text):
        for start, end in _lines(reading.text):
            if order.text[start:end] == reading.text[start:end]:
                continue
            parts.append(order.text[start:end])
            now = {place: number for number, place in enumerate(order.places[start:end])}
            words += [_moved(word, now, position + 1) for word in reading.words if start <= word.start < end]
            position += 1 + end - start
    return replace(reading, text="\n".join(parts), words=tuple(words)) if len(parts) > 1 else reading


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _moved(word: Word, now: dict[int, int], offset: int) -> Word:
    """The word where its characters stand in the other order, and whatever came between them."""
    places = [now[place] for place in range(word.start, word.end)]
    return replace(word, start=offset + min(places), end=offset + max(places) + 1)


# Text that lies on its side or upside down: when to look for it, and how what was read of it stands in the raster.
#
# Tesseract reads digits on their head as other digits and letters, and believes it: `1012345672` as `CLOGVECTOT`.

_SURE = 90.0  # confidence (0..100) that upright print is mostly read with
_MOSTLY = 0.85  # of the letters
_TOLD = re.compile(r"^Rotate: (90|180|270)$.*^Orientation confidence: (\d+\.\d+)$", re.MULTILINE | re.DOTALL)
_LEAST = 0.5  # orientation confidence: below it, Tesseract guesses
_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}

Box = tuple[int, int, int, int]


def is_doubtful(words: Iterable[Word]) -> bool:
    """Whether so many letters were read with so little confidence that the page may lie on its side."""
    every = [(word.end - word.start, word.confidence) for word in words]
    letters = sum(length for length, _ in every)
    return sum(length for length, confidence in every if confidence >= _SURE) < _MOSTLY * letters


def told(answer: str) -> int:
    """The clockwise turn, in degrees, that Tesseract's orientation detection asks for; 0 when it is not sure."""
    match = _TOLD.search(answer)
    return int(match[1]) if match is not None and float(match[2]) >= _LEAST else 0


def turned(image: Any, degrees: int) -> Any:
    """The raster turned clockwise."""
    return cv2.rotate(image, _TURNS[degrees])


def joined(upright: Reading, stored: Reading, degrees: int, width: int, height: int) -> Reading:
    """What was read of the raster once it was turned, in places of the raster as it is stored (`width`, `height`).

    What was read before follows as further lines: should the turn be wrong, nothing that was read is lost.
    """
    words = tuple(_upright_word(word, degrees, width, height) for word in upright.words)
    unread = tuple(_back(box, degrees, width, height) for box in upright.unread)
    start = len(upright.text) + 1
    before = (replace(word, start=word.start + start, end=word.end + start) for word in stored.words)
    return Reading(stored.raster, f"{upright.text}\n{stored.text}", (*words, *before), unread)


def _upright_word(word: Word, degrees: int, width: int, height: int) -> Word:
    left, top, wide, high = _back((word.left, word.top, word.width, word.height), degrees, width, height)
    return replace(word, left=left, top=top, width=wide, height=high)


def _back(box: Box, degrees: int, width: int, height: int) -> Box:
    """A box (left, top, width, height) of the turned raster in pixels of the stored one."""
    left, top, wide, high = box
    if degrees == 180:
        return width - left - wide, height - top - high, wide, high
    if degrees == 90:
        return top, height - left - wide, high, wide
    return width - top - high, left, high, wide
