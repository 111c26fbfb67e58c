"""Finds the tables of PDF pages: headings from an earlier page, cells of several lines, and wrapped lines of prose."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipeline.documents.bidi import Direction, direction
from pipeline.documents.document import AGAIN, Fragment, JoinedText
from pipeline.documents.labels import is_heading
from pipeline.documents.pdf.page.layout import PageText

_ALIGNED = 0.5  # of the type size: the largest difference between cell edges of one column
_EDGES = 3  # lines at the top and bottom of a page that may be running heads and feet
_FEWEST = 2  # cells of a row
_LONGEST_HEADING = 300  # characters
_ROWS = f"{AGAIN}/rows/"
_DIGIT = re.compile(r"\d")


class Cell(NamedTuple):
    """A cell of a row: its range in the text, and the extent, baseline and type size of its glyphs."""

    start: int
    end: int
    left: float
    right: float
    baseline: float
    size: float

    def is_aligned(self, other: "Cell") -> bool:
        """Whether both cells may belong to one column."""
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
    """The continuation of a table on a further page: its first row there, and the heading of the table."""

    row: int
    heading: str


Tops = Callable[[PageText, Rows], Top | None]


class Headings:
    """Follows tables from page to page. Must be asked for every page in order."""

    def __init__(self) -> None:
        self._open: tuple[str, Row] | None = None  # heading and last row of the table at the end of the previous page

    def top(self, read: PageText, rows: Rows) -> Top | None:
        """The table that continues from the previous page, if any."""
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
    """Tables as texts of their own, by unit id, if the heading is on another page or cells have several lines."""
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
    """A finder that takes the continued table from the unit ids of the page. Blanks replace its heading."""
    ends = (unit.partition(_ROWS)[2].partition("/") for unit in units)
    top = next((Top(int(row), " " * int(length)) for row, _, length in ends if length), None)
    return lambda read, rows: top


def _tables(rows: Rows) -> Iterator[tuple[int, int]]:
    """The first row of each table and the row after its end."""
    start = 0
    while start < len(rows):
        end = start + 1
        if len(rows[start]) >= _FEWEST:
            end = _end(rows, start)
            if end > start + 1:
                yield start, end
        start = end


def _end(rows: Rows, start: int) -> int:
    """The row after the end of the table that begins at `start`."""
    last = rows[start]
    for number in range(start + 1, len(rows)):
        row = rows[number]
        if len(row) == len(last):
            last = row
        elif not _goes_on(row, last):
            return number
    return len(rows)


def _full(rows: Rows, start: int) -> list[int]:
    """The rows of the table that begins at `start`, without the further lines of their cells."""
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
    """The rows as lines, and the glyph index of each character."""
    owners: list[int] = []
    for number, row in enumerate(rows):
        owners += [-1] * bool(number)
        owners += read.owners[row[0].start : row[-1].end]
    return "\n".join(_row_text(read, row) for row in rows), owners


_CELL_LEADING = 1.7  # times the type size: the largest line spacing in a cell
_MOST_ROWS = 2000  # of a page
_MOST_LINES = 8  # of one cell, above or below its row
_LINKS = frozenset("@.-_/+")  # a value may be broken at these characters even if there is room


def joined_cells(unit: str, read: PageText) -> Iterator[JoinedText]:
    """The lines of each cell with several lines, joined with blanks and, where a word was cut, without.

    A line with fewer cells than the next or previous line is not a row. Its cells continue the row above or, in tables
    with bottom alignment, the row below. Both are joined.
    """
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
    """A cell of a full row and the aligned cells in the next, shorter rows, as far as none overlaps another column."""
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
        # A fragment that ends at a line end, not inside a word, includes the line break.
        parts = (Fragment(unit, cell.start, cell.end + (not is_cut)) for cell, is_cut in zip(stack, cut, strict=True))
        yield JoinedText(tuple(parts), "", context, flows=True)


def _is_cut(cell: Cell, following: Cell, width: float, read: PageText) -> bool:
    """Whether a word continues in the next line of the cell: its next letter had no room in this line."""
    last, first = read.owners[cell.end - 1], read.owners[following.start]
    if any(
        glyph.is_blank and abs(glyph.baseline - cell.baseline) < cell.size for glyph in read.glyphs[last + 1 : last + 2]
    ):
        return False  # a blank is drawn after it
    if read.text[cell.end - 1] in _LINKS or read.text[following.start] in _LINKS:
        return True
    return cell.right - cell.left + read.glyphs[first].end - read.glyphs[first].start > width


def _over(cell: Cell, headings: dict[Cell, str]) -> str:
    return next((label for head, label in headings.items() if _overlap(head, cell)), "")


def _label(read: PageText, chain: Sequence[Cell]) -> str:
    """A heading of several lines, joined with blanks and without."""
    said = [_cell_text(read, cell) for cell in chain]
    return "\n".join(dict.fromkeys((" ".join(said), "".join(said))))


def _cell_text(read: PageText, cell: Cell) -> str:
    return read.text[cell.start : cell.end]


_PARAGRAPH_LEADING = 2.2  # times the type size: the largest line spacing in a paragraph
_EDGE = 1.0  # of the type size: the largest difference between line edges of one column
_BLANK = 0.25  # of the type size
_RAGGED = 1.0  # of the type size: the largest gap between the longest line of a column and its edge
_AROUND = 3  # lines above and below that decide whether a column contains prose
_OPEN = 40  # latest columns that a line may continue
_WORDS = 4  # joined on each side of a line end
_ARABIC_PROSE = 5  # an Arabic line with so many words is not a list of names
_WORD = re.compile(r"[^\W\d_]{2,}")
_LAST = re.compile(r"(?:\S+[ ]){0,%d}[^\W\d_]+$" % (_WORDS - 1))  # noqa: UP031
_FIRST = re.compile(r"[^\W\d_]\S*(?:[ ]\S+){0,%d}" % (_WORDS - 1))  # noqa: UP031


def joined_lines(unit: str, read: PageText) -> Iterator[JoinedText]:
    """The words on both sides of each line end in prose where the next word, which may be a name, had no room.

    Example: `Saleh Ibrahim` at a line end and `Alomran` below. Each column of the page is examined by itself.
    """
    for column in _columns([row for row in rows_of(read) if row]):
        for number, (above, cell) in enumerate(pairwise(column)):
            if _is_full(read, above, cell, column) and _is_prose(
                read, column[max(0, number - _AROUND) :][: 2 * _AROUND]
            ):
                yield from _joint(unit, read.text, above, cell)


def _columns(rows: Sequence[Row]) -> list[list[Cell]]:
    """The columns: lines close below each other with a common edge."""
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
    """Whether the lines are prose and not a list of names: a lower-case word, or many words in Arabic script."""
    for cell in cells:
        words = _WORD.findall(read.text[cell.start : cell.end])
        if any(word.islower() for word in words):
            return True
        if len(words) >= _ARABIC_PROSE and direction(words[0][0]) is Direction.RIGHT_TO_LEFT:
            return True
    return False


def _is_full(read: PageText, above: Cell, cell: Cell, column: Row) -> bool:
    """Whether the first word of the cell had no room in the line above it."""
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
