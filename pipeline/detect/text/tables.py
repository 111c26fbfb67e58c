"""Finds tables in text: a heading row with labels, then rows with the same number of cells.

The label of a column applies to each of its cells.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.detect.text.triggers import Trigger

_DELIMITERS = (b"|", b"\t", b";", b"\xb1", b",", b"\xb0", b"/")  # ؛ and ، too
_RULE = b"-=:+| \t"
_DIGIT = re.compile(rb"\d")
_LONGEST_ROW = 2000
_LONGEST_HEADING = 40  # characters; a longer cell is prose
_BLANKS = b" \t\r\"'"

Cell = tuple[int, int]


class Tables:
    """`cells[kind]`: the cells under a heading of that kind; `headings`: the starts of the labels in heading rows."""

    __slots__ = ("_read_tables", "cells", "headings")

    def __init__(self, shadow: bytes, labels: Sequence[Trigger]) -> None:
        self.cells: dict[str, list[Cell]] = {}
        self.headings: set[int] = set()
        self._read_tables: list[_Table] = []
        consumed = 0
        for line, row in _lines(shadow, labels):
            if line >= consumed:
                consumed = self._read(shadow, line, row)

    def _read(self, shadow: bytes, line: int, labels: list[Trigger]) -> int:
        """Reads the table whose heading row begins at `line`. Returns its end, or `line` if there is no table."""
        end = _line_end(shadow, line)
        if end == len(shadow) or end - line > _LONGEST_ROW or _DIGIT.search(shadow, line, end):
            return line
        heading = shadow[line:end]
        delimiter = next((mark for mark in _DELIMITERS if mark in heading), b"")
        if not delimiter:
            return line
        columns = _cells(shadow, line, end, delimiter)
        if max(last - first for first, last in columns) > _LONGEST_HEADING:
            return line
        heads = [next((label for label in labels if first <= label.start < last), None) for first, last in columns]
        kinds = [label.section if label else "" for label in heads]
        position = end + 1
        while position < len(shadow):
            end = _line_end(shadow, position)
            row = shadow[position:end]
            if row.strip(_RULE):
                cells = _cells(shadow, position, end, delimiter)
                if len(cells) != len(columns) or len(row) > _LONGEST_ROW:
                    break
                for kind, cell in zip(kinds, cells, strict=True):
                    self.cells.setdefault(kind, []).append(cell)
                self.headings.update(label.start for label in labels)
            elif not row.strip():
                break
            position = end + 1
        self._read_tables.append(_Table(line, delimiter, heads))
        return position

    def heading(self, shadow: bytes, cell: int) -> Trigger | None:
        """The label of the column of the cell that begins at `cell`. For explanations only."""
        index = bisect_right(self._read_tables, cell, key=lambda table: table.start) - 1
        if index < 0:
            return None
        table = self._read_tables[index]
        line = shadow.rfind(b"\n", 0, cell) + 1
        return table.heads[shadow.count(table.delimiter, line, cell)]


class _Table(NamedTuple):
    """The start of a table, and the label of each of its columns."""

    start: int
    delimiter: bytes
    heads: list[Trigger | None]


def _lines(shadow: bytes, labels: Sequence[Trigger]) -> Iterator[tuple[int, list[Trigger]]]:
    """The start of each line that has labels, and its labels."""
    start, end = 0, -1
    row: list[Trigger] = []
    for label in labels:
        if label.start > end:
            if row:
                yield start, row
            start, row = shadow.rfind(b"\n", end + 1, label.start) + 1 or end + 1, []
            end = _line_end(shadow, label.start)
        row.append(label)
    if row:
        yield start, row


def _line_end(shadow: bytes, start: int) -> int:
    end = shadow.find(b"\n", start)
    return len(shadow) if end < 0 else end


def _cells(shadow: bytes, start: int, end: int, delimiter: bytes) -> list[Cell]:
    """The offsets of the trimmed cells between the delimiters of `shadow[start:end]`."""
    cells: list[Cell] = []
    for piece in shadow[start:end].split(delimiter):
        left = len(piece) - len(piece.lstrip(_BLANKS))
        cells.append((start + left, start + max(left, len(piece.rstrip(_BLANKS)))))
        start += len(piece) + 1
    return cells
