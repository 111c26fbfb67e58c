"""Lines of a PDF's prose that ran out of room, told by width: `Saleh Ibrahim` at an end, `Alomran` below.

Each column of a page is looked at by itself, whatever stands beside it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.documents.document import Joint, Piece
from pipeline.documents.pdf_tables import Cell, Row, rows_of
from pipeline.documents.pdf_text import PageText
from pipeline.documents.reading_order import Direction, direction

_PITCH = 2.2  # times the type size: lines of one paragraph stand no farther apart
_EDGE = 1.0  # of the type size: how far apart the edges of one column's lines may lie
_BLANK = 0.25  # of the type size
_RAGGED = 1.0  # of the type size: how far the longest line of a column may end before its edge
_AROUND = 3  # lines above and below that tell whether a column holds prose
_OPEN = 40  # columns that a line may go on with: those that began last
_WORDS = 4  # on each side of a line's end that are read together
_ARABIC_PROSE = 5  # words of an Arabic line from which on it is no list of names
_WORD = re.compile(r"[^\W\d_]{2,}")
_LAST = re.compile(r"(?:\S+[ ]){0,%d}[^\W\d_]+$" % (_WORDS - 1))  # noqa: UP031
_FIRST = re.compile(r"[^\W\d_]\S*(?:[ ]\S+){0,%d}" % (_WORDS - 1))  # noqa: UP031


def joints_of_lines(unit: str, read: PageText) -> Iterator[Joint]:
    """A joint of the words on both sides of each line's end where the next word, which may be a name, had no room."""
    for column in _columns([row for row in rows_of(read) if row]):
        for number, (above, cell) in enumerate(pairwise(column)):
            if _is_full(read, above, cell, column) and _is_prose(
                read, column[max(0, number - _AROUND) :][: 2 * _AROUND]
            ):
                yield from _joint(unit, read.text, above, cell)


def _columns(rows: Sequence[Row]) -> list[list[Cell]]:
    """Lines that stand closely below each other at one edge."""
    columns: list[list[Cell]] = []
    for row in rows:
        for cell in row:
            column = next((one for one in columns[-_OPEN:] if _is_below(cell, one[-1])), None)
            if column is None:
                columns.append([cell])
            else:
                column.append(cell)
    return columns


def _is_below(cell: Cell, above: Cell) -> bool:
    is_near = 0 < cell.baseline - above.baseline < _PITCH * cell.size
    return is_near and min(abs(cell.left - above.left), abs(cell.right - above.right)) < _EDGE * cell.size


def _is_prose(read: PageText, cells: Row) -> bool:
    """Whether the lines say more than names do: a word in small letters, or many words of a script that has none."""
    for cell in cells:
        words = _WORD.findall(read.text[cell.start : cell.end])
        if any(word.islower() for word in words):
            return True
        if len(words) >= _ARABIC_PROSE and direction(words[0][0]) is Direction.RIGHT_TO_LEFT:
            return True
    return False


def _is_full(read: PageText, above: Cell, cell: Cell, column: Row) -> bool:
    """Whether the first word of the cell had no room behind the line above it, in the column of both."""
    first = _FIRST.match(read.text, cell.start, cell.end)
    last = read.text[above.end - 1]
    if first is None or not last.isalpha() or not (first[0][0].isupper() or not first[0][0].islower()):
        return False
    word = first[0].split()[0]
    owners = [owner for owner in read.owners[cell.start : cell.start + len(word)] if owner >= 0]
    width = max(read.glyphs[o].end for o in owners) - min(read.glyphs[o].start for o in owners)
    room = width + (_BLANK + _RAGGED) * cell.size
    if direction(last) is Direction.RIGHT_TO_LEFT:
        return above.left - room < min(other.left for other in column)
    return above.right + room > max(other.right for other in column)


def _joint(unit: str, text: str, above: Cell, cell: Cell) -> Iterator[Joint]:
    last, first = _LAST.search(text[above.start : above.end]), _FIRST.match(text, cell.start, cell.end)
    if last is not None and first is not None:
        pieces = (Piece(unit, above.start + last.start(), above.end), Piece(unit, *first.span()))
        yield Joint(pieces, " ", flows=True)
