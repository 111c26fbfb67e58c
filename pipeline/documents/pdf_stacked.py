"""Cells of a PDF's tables whose text goes on in further lines: `234567890` over `4`, `Abdulra` over `hman`.

A line that has fewer cells than the one above or below it is no row of its own. Its cells go on the row above, or, in
tables that align their cells at the foot, on the row below; nothing tells which, so both are joints.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipeline.documents.document import Joint, Piece
from pipeline.documents.headings import is_heading
from pipeline.documents.pdf_tables import Cell, Row, rows_of
from pipeline.documents.pdf_text import PageText

_PITCH = 1.7  # times the type size: lines of one cell stand no farther apart
_MOST_ROWS = 2000  # of a page: what has more is no table that people read
_MOST_LINES = 8  # of one cell, above or below its row
_LINKS = frozenset("@.-_/+")  # behind and before which a value may be broken where there still is room


def joints_of_cells(unit: str, read: PageText) -> Iterator[Joint]:
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
            beside = _said(read, row[place - 1]) if place else ""
            labels = (_over(cell, headings), beside if is_heading(beside) else "")
            context = "\n".join(filter(None, labels))
            # Most tables align at the head: the last has the last word on which value it is.
            for stack in dict.fromkeys(((*over[:0:-1], *under), tuple(over[::-1]), tuple(under))):
                yield from _joints(unit, stack, context, read)
        if not headings and all(is_heading(_said(read, cell)) for cell in row):
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
    return cell.is_aligned(above) and 0 < cell.baseline - above.baseline < _PITCH * cell.size


def _joints(unit: str, stack: Sequence[Cell], context: str, read: PageText) -> Iterator[Joint]:
    if len(stack) < 2:
        return
    pieces = tuple(Piece(unit, cell.start, cell.end) for cell in stack)
    yield Joint(pieces, " ", context, flows=True)
    width = max(cell.right - cell.left for cell in stack)
    cut = [*(_is_cut(one, other, width, read) for one, other in pairwise(stack)), True]
    if any(cut[:-1]):
        # A piece that ends with its line's end ends with a blank.
        parts = (Piece(unit, cell.start, cell.end + (not is_cut)) for cell, is_cut in zip(stack, cut, strict=True))
        yield Joint(tuple(parts), "", context, flows=True)


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
    said = [_said(read, cell) for cell in chain]
    return "\n".join(dict.fromkeys((" ".join(said), "".join(said))))


def _said(read: PageText, cell: Cell) -> str:
    return read.text[cell.start : cell.end]
