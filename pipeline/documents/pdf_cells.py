"""Cuts the lines of a PDF page into cells: at wide gaps, where columns begin or end, where one text runs over the next.

A printed table parts its cells by little more than 2 points, less than a blank of large type. Gaps so narrow count
only between glyphs that are drawn by themselves (in text objects of their own), with no blank drawn in between.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.pdf_glyphs import Glyph

CELL = 1.2  # of the type size: a gap that separates table cells or columns
APART = 0.1  # of the type size: a gap that separates what is drawn by itself
_THICKER = 0.12  # of the type size: the same letter drawn again so near only thickens the one before it
_OVER = 0.18  # of the type size: a letter that stands so far in another, drawn apart, is of another text
_NEAR = 6  # lines above and below among which an edge is looked for
_SHARED = 2  # other lines with an edge at the same place: there a column begins or ends
_EXACT = 4  # edges at the same place, in parts of a point


class Cell(NamedTuple):
    """Glyphs of one line by index, from the line's start to its end, without blanks."""

    members: Sequence[int]
    parted: set[int]  # the glyphs before which a blank is drawn
    apart: set[int]  # the glyphs that begin what is drawn by itself, at a distance


class _Gap(NamedTuple):
    """Before the member `at` of a strand: from the end of what stands before it to its start.

    `is_free`: nothing stands in it. What is drawn by itself without a gap (a text that its cell's edge cuts, and the
    next cell's) is told apart by the free gaps of other lines alone.
    """

    at: int
    low: float
    high: float
    is_wide: bool
    is_free: bool


class _Strand(NamedTuple):
    """What flows along one line, with its gaps that may part cells, and its extent."""

    cell: Cell
    gaps: Sequence[_Gap]
    start: float
    end: float


def cells_of(glyphs: Sequence[Glyph], lines: Sequence[list[int]]) -> Iterator[Cell]:
    """The cells of the lines, which are those of one frame, downwards."""
    strands: list[tuple[int, _Strand]] = []
    for number, line in enumerate(lines):
        line.sort(key=lambda i: (glyphs[i].start, glyphs[i].end))
        strands += [(number, strand) for members in _untangled(glyphs, line) for strand in _strand(glyphs, members)]
    edges = _Edges(strands) if any(not gap.is_wide for _, strand in strands for gap in strand.gaps) else None
    for number, (cell, gaps, _, _) in strands:
        cuts = [gap.at for gap in gaps if gap.is_wide or (edges and edges.part(number, gap))]
        for start, end in zip([0, *cuts], [*cuts, len(cell.members)], strict=True):
            yield Cell(cell.members[start:end], cell.parted, cell.apart)


def _strand(glyphs: Sequence[Glyph], line: Iterable[int]) -> Iterator[_Strand]:
    """The strand of a line; none where all are blanks."""
    cell, gaps = Cell([], set(), set()), []
    last: Glyph | None = None
    reach = filled = 0.0
    has_blank = False
    members: list[int] = []
    for index in line:
        glyph = glyphs[index]
        if glyph.is_blank:
            has_blank, filled = True, glyph.end
            continue
        if last is not None:
            if last.text == glyph.text and abs(last.start - glyph.start) < _THICKER * glyph.size:
                continue
            is_new = glyph.order != last.order
            if is_new or glyph.start > reach:
                size = max(glyph.size, last.size)
                is_wide = glyph.start - reach > CELL * size
                is_apart = is_new and glyph.start - (max(reach, filled) if has_blank else reach) > APART * size
                if is_wide or is_new:
                    gaps.append(_Gap(len(members), reach, glyph.start, is_wide, is_wide or is_apart))
                if is_apart:
                    cell.apart.add(index)
        if has_blank:
            cell.parted.add(index)
            has_blank = False
        if not members or glyph.end > reach:
            reach = glyph.end
        last = glyph
        members.append(index)
    if members:
        yield _Strand(cell._replace(members=members), gaps, glyphs[members[0]].start, reach)


def _untangled(glyphs: Sequence[Glyph], line: Sequence[int]) -> Iterable[Sequence[int]]:
    """The line, or each text of it by itself that runs over another one: a cell's into the next cell."""
    over: set[int] = set()
    last: Glyph | None = None
    for index in line:
        glyph = glyphs[index]
        if glyph.is_blank:
            continue
        if last is not None and glyph.order != last.order and _runs_over(last, glyph):
            over.update((last.order, glyph.order))
        last = glyph
    if over:
        often = Counter(glyphs[index].order for index in line if not glyphs[index].is_blank)
        over = {order for order in over if often[order] > 1}
    if len(over) < 2:
        return (line,)
    texts: dict[int, list[int]] = {}
    for index in line:
        order = glyphs[index].order
        texts.setdefault(order if order in over else -1, []).append(index)
    return texts.values()


def _runs_over(last: Glyph, glyph: Glyph) -> bool:
    """Whether two letters cannot be neighbours in one text; an accent may stand over its letter."""
    if glyph.start > last.end - _OVER * min(glyph.size, last.size):
        return False
    is_same = last.text == glyph.text and abs(last.start - glyph.start) < _THICKER * glyph.size
    return not is_same and last.text.isalnum() and glyph.text.isalnum()


class _Edges:
    """Where cells begin and end, line by line: at free gaps, and at all."""

    def __init__(self, strands: Sequence[tuple[int, _Strand]]) -> None:
        self._free: _Lines = {}
        self._all: _Lines = {}
        for number, strand in strands:
            _add(self._free, number, (strand.start, strand.end), [gap for gap in strand.gaps if gap.is_free])
            _add(self._all, number, (strand.start, strand.end), strand.gaps)

    def part(self, number: int, gap: _Gap) -> bool:
        """Whether a column begins or ends at a gap of the line of that number: nearby lines have an edge there too."""
        for kind, along in (("start", gap.high), ("end", gap.low)):
            free = _others(self._free, number, kind, along)
            shared = free if gap.is_free or not free else _others(self._all, number, kind, along)
            if len(shared) >= _SHARED:
                return True
        return False


_Lines = dict[tuple[str, int], list[int]]  # by the kind and the place of an edge, the numbers of the lines that have it


def _add(lines: _Lines, number: int, extent: tuple[float, float], gaps: Sequence[_Gap]) -> None:
    start, end = extent
    keys = {("start", _rounded(along)) for along in (start, *(gap.high for gap in gaps))}
    keys |= {("end", _rounded(along)) for along in (end, *(gap.low for gap in gaps))}
    for key in keys:
        lines.setdefault(key, []).append(number)


def _others(lines: _Lines, number: int, kind: str, along: float) -> set[int]:
    """The other lines near that of the number with such an edge."""
    found: set[int] = set()
    for step in (-1, 0, 1):
        same = lines.get((kind, _rounded(along) + step), ())
        found.update(same[bisect_left(same, number - _NEAR) : bisect_right(same, number + _NEAR)])
    return found - {number}


def _rounded(along: float) -> int:
    return round(along * _EXACT)
