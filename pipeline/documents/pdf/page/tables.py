"""Finds what heads the rows of a PDF's tables where their lines alone do not tell: a heading that stands on an earlier
page, or whose table is broken up by cells of several lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline.documents.bidi import Direction, direction
from pipeline.documents.document import AGAIN, Fragment, JoinedText
from pipeline.documents.labels import is_heading
from pipeline.documents.pdf.page.layout import PageText

_ALIGNED = 0.5  # of the type size: how far the edges of a column's cells may differ
_EDGES = 3  # lines at a page's top and bottom that may be running heads and feet
_FEWEST = 2  # cells of a row
_LONGEST_HEADING = 300  # characters
_ROWS = f"{AGAIN}/rows/"
_DIGIT = re.compile(r"\d")


class Cell(NamedTuple):
    """A piece of a row: its range of the text, its glyphs' extent, baseline and type size."""

    start: int
    end: int
    left: float
    right: float
    baseline: float
    size: float

    def is_aligned(self, other: "Cell") -> bool:
        """Whether it may stand in one column with the other."""
        slack = _ALIGNED * self.size
        middles = (self.left + self.right - other.left - other.right) / 2
        return min(abs(self.left - other.left), abs(self.right - other.right), abs(middles)) < slack


Row = Sequence[Cell]
Rows = Sequence[Row]


def rows_of(read: PageText) -> list[Row]:
    """The cells of each line."""
    rows: list[Row] = []
    position = 0
    for line in read.text.split("\n"):
        cells = []
        for piece in line.split("\t"):
            end = position + len(piece)
            glyphs = [read.glyphs[owner] for owner in read.owners[position:end] if owner >= 0]
            if glyphs:
                left, right = min(g.start for g in glyphs), max(g.end for g in glyphs)
                cells.append(Cell(position, end, left, right, glyphs[0].baseline, glyphs[0].size))
            position = end + 1
        rows.append(cells)
    return rows


class Top(NamedTuple):
    """The row of a page from which on a table goes on that began on an earlier page, and the table's heading."""

    row: int
    heading: str


Tops = Callable[[PageText, Rows], Top | None]


class Headings:
    """Asked page by page, knows which heading goes on at the page's top."""

    def __init__(self) -> None:
        self._open: tuple[str, Row] | None = None  # of the table at the end of the page before: heading and last row

    def top(self, read: PageText, rows: Rows) -> Top | None:
        """The table that goes on from the page before the one that reads so."""
        found = self._going_on(read, rows) if self._open else None
        self._open = self._at_end(read, rows, found)
        return found

    def _going_on(self, read: PageText, rows: Rows) -> Top | None:
        heading, last = self._open or ("", ())
        for number, row in enumerate(rows[: _EDGES + 1]):
            if _is_like(row, last):
                digits = [bool(_DIGIT.search(_row_text(read, rows[index]))) for index in _full(rows, number)]
                has_own = any(digits) and not digits[0]
                return None if has_own else Top(number, heading)
        return None

    def _at_end(self, read: PageText, rows: Rows, top: Top | None) -> tuple[str, Row] | None:
        if top and _end(rows, top.row) >= len(rows) - _EDGES:
            return top.heading, rows[_full(rows, top.row)[-1]]
        start, end = max(_tables(rows), default=(0, 0))
        if not end or end < len(rows) - _EDGES or not _is_heading(read, rows[start]):
            return None
        return _row_text(read, rows[start]), rows[_full(rows, start)[-1]]


def table_texts(page: str, read: PageText, rows: Rows, top: Top | None) -> Iterator[tuple[str, PageText]]:
    """Rows under their heading as texts of their own, where the page's text does not show them so, by unit id."""
    if top:
        text, owners = _lines(read, [rows[number] for number in _full(rows, top.row)])
        blank = [-1] * (len(top.heading) + 1)
        id_ = f"{page}{_ROWS}{top.row}/{len(top.heading)}"
        yield id_, PageText(f"{top.heading}\n{text}", (*blank, *owners), read.glyphs)
    text, owners = "", []
    for start, end in _tables(rows):
        full = _full(rows, start)
        if len(full) < end - start and _is_heading(read, rows[start]):
            more, more_owners = _lines(read, [rows[number] for number in full])
            text, owners = f"{text}{more}\n", [*owners, *more_owners, -1]
    if text:
        yield f"{page}{_ROWS}", PageText(text, tuple(owners), read.glyphs)


def recalled_top(units: Iterable[str]) -> Tops:
    """What tells the table at the top of a page again by the ids of the page's units; its heading as blanks."""
    ends = (unit.partition(_ROWS)[2].partition("/") for unit in units)
    top = next((Top(int(row), " " * int(length)) for row, _, length in ends if length), None)
    return lambda read, rows: top


def _tables(rows: Rows) -> Iterator[tuple[int, int]]:
    """The first row of each table, and where the table ends."""
    start = 0
    while start < len(rows):
        end = start + 1
        if len(rows[start]) >= _FEWEST:
            end = _end(rows, start)
            if end > start + 1:
                yield start, end
        start = end


def _end(rows: Rows, start: int) -> int:
    """Where the table ends that begins with a row."""
    last = rows[start]
    for number in range(start + 1, len(rows)):
        row = rows[number]
        if len(row) == len(last):
            last = row
        elif not _goes_on(row, last):
            return number
    return len(rows)


def _full(rows: Rows, start: int) -> list[int]:
    """The rows of the table that begins there, without lines that only go on with a row's cells."""
    width = len(rows[start])
    return [number for number in range(start, _end(rows, start)) if len(rows[number]) == width]


def _goes_on(row: Row, above: Row) -> bool:
    return 0 < len(row) < len(above) and all(any(cell.is_aligned(other) for other in above) for cell in row)


def _is_like(row: Row, other: Row) -> bool:
    """Whether two rows have the same columns."""
    return len(row) == len(other) and all(map(Cell.is_aligned, row, other))


def _is_heading(read: PageText, row: Row) -> bool:
    said = _row_text(read, row)
    return len(said) <= _LONGEST_HEADING and not _DIGIT.search(said)


def _row_text(read: PageText, row: Row) -> str:
    return read.text[row[0].start : row[-1].end]


def _lines(read: PageText, rows: Rows) -> tuple[str, list[int]]:
    """The rows as lines, and the glyph of each character."""
    owners: list[int] = []
    for number, row in enumerate(rows):
        owners += [-1] * bool(number)
        owners += read.owners[row[0].start : row[-1].end]
    return "\n".join(_row_text(read, row) for row in rows), owners


# Cells of a PDF's tables whose text goes on in further lines: `234567890` over `4`, `Abdulra` over `hman`.
#
# A line that has fewer cells than the one above or below it is no row of its own. Its cells go on the row above, or, in
# tables that align their cells at the foot, on the row below; nothing tells which, so both are joints.

_CELL_LEADING = 1.7  # times the type size: lines of one cell stand no farther apart
_MOST_ROWS = 2000  # of a page: what has more is no table that people read
_MOST_LINES = 8  # of one cell, above or below its row
_LINKS = frozenset("@.-_/+")  # behind and before which a value may be broken where there still is room


def joined_cells(unit: str, read: PageText) -> Iterator[JoinedText]:
    """A joint of the lines of each cell that has several: as words, and as words that the column's width cut."""
    if "\t" not in read.text:
        return
    rows = [row for row in rows_of(read) if row][:_MOST_ROWS]
    headings: dict[Cell, str] = {}
    for number, row in enumerate(rows):
        if len(row) < 2:
            if not any(_is_under(cell, other) for cell in row for other in (*rows[number - 1], *headings)):
                headings = {}
            continue
        after, before = rows[number + 1 : number + 1 + _MOST_LINES], rows[max(0, number - _MOST_LINES) : number][::-1]
        below = [_chain(row, place, after) for place in range(len(row))]
        above = [_chain(row, place, before) for place in range(len(row))]
        for place, (cell, under, over) in enumerate(zip(row, below, above, strict=True)):
            beside = _cell_text(read, row[place - 1]) if place else ""
            labels = (_over(cell, headings), beside if is_heading(beside) else "")
            context = "\n".join(filter(None, labels))
            # Most tables align at the head: the last has the last word on which value it is.
            for stack in dict.fromkeys(((*over[:0:-1], *under), tuple(over[::-1]), tuple(under))):
                yield from _joints(unit, stack, context, read)
        if not headings and all(is_heading(_cell_text(read, cell)) for cell in row):
            headings = {chain[0]: _label(read, chain) for chain in below}


def _chain(whole: Row, place: int, rows: Sequence[Row]) -> list[Cell]:
    """A cell of a whole row, and those in line with it in the next rows, which have fewer cells; none reaches under
    the neighbours of the first."""
    chain = [whole[place]]
    others = [cell for cell in whole if cell is not whole[place]]
    for row in rows:
        last = chain[-1]
        following = next((cell for cell in row if _is_under(cell, last) or _is_under(last, cell)), None)
        if len(row) >= len(whole) or following is None or any(_overlap(following, cell) for cell in others):
            break
        chain.append(following)
    return chain


def _overlap(one: Cell, other: Cell) -> bool:
    return one.left < other.right and other.left < one.right


def _is_under(cell: Cell, above: Cell) -> bool:
    return cell.is_aligned(above) and 0 < cell.baseline - above.baseline < _CELL_LEADING * cell.size


def _joints(unit: str, stack: Sequence[Cell], context: str, read: PageText) -> Iterator[JoinedText]:
    if len(stack) < 2:
        return
    pieces = tuple(Fragment(unit, cell.start, cell.end) for cell in stack)
    yield JoinedText(pieces, " ", context, flows=True)
    width = max(cell.right - cell.left for cell in stack)
    cut = [*(_is_cut(one, other, width, read) for one, other in pairwise(stack)), True]
    if any(cut[:-1]):
        # A piece that ends with its line's end ends with a blank.
        parts = (Fragment(unit, cell.start, cell.end + (not is_cut)) for cell, is_cut in zip(stack, cut, strict=True))
        yield JoinedText(tuple(parts), "", context, flows=True)


def _is_cut(cell: Cell, following: Cell, width: float, read: PageText) -> bool:
    """Whether a word goes on in the following line of the cell: its next letter had no room in this one."""
    last, first = read.owners[cell.end - 1], read.owners[following.start]
    if any(
        glyph.is_blank and abs(glyph.baseline - cell.baseline) < cell.size for glyph in read.glyphs[last + 1 : last + 2]
    ):
        return False  # a blank is drawn behind it
    if read.text[cell.end - 1] in _LINKS or read.text[following.start] in _LINKS:
        return True
    return cell.right - cell.left + read.glyphs[first].end - read.glyphs[first].start > width


def _over(cell: Cell, headings: dict[Cell, str]) -> str:
    return next((label for head, label in headings.items() if _overlap(head, cell)), "")


def _label(read: PageText, chain: Sequence[Cell]) -> str:
    """A heading of several lines, as words and as one that the column's width cut."""
    said = [_cell_text(read, cell) for cell in chain]
    return "\n".join(dict.fromkeys((" ".join(said), "".join(said))))


def _cell_text(read: PageText, cell: Cell) -> str:
    return read.text[cell.start : cell.end]


# Lines of a PDF's prose that ran out of room, told by width: `Saleh Ibrahim` at an end, `Alomran` below.
#
# Each column of a page is looked at by itself, whatever stands beside it.

_PARAGRAPH_LEADING = 2.2  # times the type size: lines of one paragraph stand no farther apart
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


def joined_lines(unit: str, read: PageText) -> Iterator[JoinedText]:
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
    is_near = 0 < cell.baseline - above.baseline < _PARAGRAPH_LEADING * cell.size
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


def _joint(unit: str, text: str, above: Cell, cell: Cell) -> Iterator[JoinedText]:
    last, first = _LAST.search(text[above.start : above.end]), _FIRST.match(text, cell.start, cell.end)
    if last is not None and first is not None:
        pieces = (Fragment(unit, above.start + last.start(), above.end), Fragment(unit, *first.span()))
        yield JoinedText(pieces, " ", flows=True)
