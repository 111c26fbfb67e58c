"""Long numbers of which a page does not say what they are.

An insurance number has no form of its own: detection knows it by its label, and a scan has many ways to part the two.
So a number as long as that stays only where a label says that it is something else, as of an order or an invoice.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.detect.text.headings import is_of_things
from pipeline.documents.document import Reading, Word
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.columns import is_identifier
from pipeline.ocr.layout.lines import words_by_line
from pipeline.ocr.layout.table import Cell, Table, cells_of

_WHOLE = re.compile(r"[A-Za-z]{0,2}-?(?=(?:-?\d){7,18}\Z)\d+(?:-\d+)*")  # without points, which amounts have
_DATE = re.compile(r"\d{1,2}-\d{1,2}-(?:\d\d){1,2}|\d{4}-\d{1,2}(?:-\d{1,2})?|[12]\d{3}-[12]\d{3}")
_GROUP, _GROUPED = re.compile(r"\d{3,6}"), 9  # of a number in several words, and the digits of all of them
_MOBILE = re.compile(r"(?:00966|\+?966|0)5\d{8}")
_AROUND = ".,;:()[]|"  # beside a number
_MOST_BEFORE = 5  # words between a label and its number, those of the label among them


def unexplained_numbers(text: str, words: Sequence[Word], table: Table) -> list[Box]:
    """The boxes (left, top, width, height) of the words of such numbers of a text, whose table this is.

    Those that detection knows by their form need no label, and are not among them.
    """
    cells = [cell for line in words_by_line(Reading("", text, tuple(words))) for cell in _cells(text, *line)]
    numbers = [number for cell, before in cells for number in _numbers(text, cell, before)]
    if not numbers:
        return []
    explained = set(_below_headings(table))
    boxes = [list(map(_box, number)) for number in numbers]
    return list(dict.fromkeys(box for number in boxes if explained.isdisjoint(number) for box in number))


def _cells(text: str, start: int, end: int, words: Sequence[Word]) -> Iterator[tuple[Cell, Sequence[Word]]]:
    """The cells of a line, each with the words before it among which its label may be."""
    place = 0
    for cell in cells_of(text, start, end, words):
        yield cell, words[max(0, place - _MOST_BEFORE) : place]
        place += len(cell.words)


def _numbers(text: str, cell: Cell, before: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """The words of each long number of a cell that is not labelled as one of things."""
    said = [text[word.start : word.end].strip(_AROUND) for word in (*before, *cell.words)]
    every = (*before, *cell.words)
    place = len(before)
    while place < len(every):
        end = place + 1
        while _GROUP.fullmatch(said[end - 1]) and end < len(every) and _GROUP.fullmatch(said[end]):
            end += 1
        number = "".join(said[place:end])
        is_long = len(number) >= _GROUPED if end > place + 1 else _is_whole(number)
        if is_long and not _has_own_form(number) and not _is_labelled(said[:place]):
            yield every[place:end]
        place = end


def _is_whole(number: str) -> bool:
    return bool(_WHOLE.fullmatch(number)) and not _DATE.fullmatch(number)


def _has_own_form(number: str) -> bool:
    digits = "".join(str(int(one)) if one.isdigit() else one for one in number)
    return is_identifier(digits) or _MOBILE.fullmatch(digits) is not None


def _is_labelled(before: Sequence[str]) -> bool:
    """Whether the nearest label before a number, and behind the number before it, is one of things."""
    near = list(before[-_MOST_BEFORE:])
    numbers = [place for place, one in enumerate(near) if any(map(str.isdigit, one))]
    return is_of_things(" ".join(near[numbers[-1] + 1 if numbers else 0 :]))


def _below_headings(table: Table) -> Iterator[Box]:
    """The boxes of the words below headings of things."""
    for heading in np.flatnonzero(table.is_label).tolist():
        next_line = table.stacked.get(heading)
        below = table.cells[next_line].text if next_line is not None else ""
        if is_of_things(f"{table.cells[heading].text} {below}"):
            for _, value in table.values(heading):
                yield from map(_box, value)


def _box(word: Word) -> Box:
    return word.left, word.top, word.width, word.height
