"""Puts the words that OCR saw into reading order and joins them to the text of a Reading."""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline.documents.bidi import is_right_to_left, logical_order
from pipeline.documents.document import Word
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
