"""Cuts the lines of a PDF page into cells: at wide gaps, where columns begin or end, where one text runs over the next.

A printed table parts its cells by little more than 2 points, less than a blank of large type. Gaps so narrow count
only between glyphs that are drawn by themselves (in text objects of their own), with no blank drawn in between.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.documents.pdf_glyphs import Glyph

CELL = 1.2  # of the type size: a gap that separates table cells or columns
APART = 0.1  # of the type size: a gap that separates what is drawn by itself
_THICKER = 0.12  # of the type size: the same letter drawn again so near only thickens the one before it
_OVER = 0.18  # of the type size: a letter that stands so far in another, drawn apart, is of another text
_NEAR = 6  # lines above and below among which an edge is looked for
_SHARED = 2  # other lines with an edge at the same place: there a column begins or ends
_WORD = 0.5  # of the type size: no wider gap stands between the words of a line
_EXACT = 4  # edges at the same place, in parts of a point


class Cell(NamedTuple):
    """Glyphs of one line by index, from the line's start to its end, without blanks."""

    members: Sequence[int]
    parted: set[int]  # the glyphs before which a blank is drawn
    apart: set[int]  # the glyphs that begin what is drawn by itself, at a distance


class _Gap(NamedTuple):
    """Before the member `at` of a strand: from the end of what stands before it to its start.

    `width` is in type sizes. `is_free`: nothing stands in it. What is drawn by itself without a gap (a text that its
    cell's edge cuts, and the next cell's) is told apart by the free gaps of other lines alone.
    """

    at: int
    low: float
    high: float
    width: float
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
    extents = [(glyph.start, glyph.end) for glyph in glyphs]
    for number, line in enumerate(lines):
        line.sort(key=extents.__getitem__)
        strands += [(number, strand) for strand in _strands(glyphs, line)]
    for (_, (cell, _, _, _)), cuts in zip(strands, _cuts(strands), strict=True):
        places = [gap.at for gap in cuts]
        for start, end in zip([0, *places], [*places, len(cell.members)], strict=True):
            yield Cell(cell.members[start:end], cell.parted, cell.apart)


def _cuts(strands: Sequence[tuple[int, _Strand]]) -> list[list[_Gap]]:
    """The gaps of each strand that part cells."""
    cuts = [[gap for gap in strand.gaps if gap.is_wide] for _, strand in strands]
    if not any(len(strand.gaps) > len(wide) for (_, strand), wide in zip(strands, cuts, strict=True)):
        return cuts
    edges = _Edges(strands)
    cuts = [[gap for gap in strand.gaps if gap.is_wide or edges.part(number, gap)] for number, strand in strands]
    strips: dict[int, list[_Gap]] = {}
    for (number, _), own in zip(strands, cuts, strict=True):
        strips.setdefault(number, []).extend(own)
    return [
        [gap for gap in strand.gaps if gap in own or _goes_on(strips, number, gap)]
        if len(own) < len(strand.gaps)
        else own
        for (number, strand), own in zip(strands, cuts, strict=True)
    ]


def _goes_on(strips: Mapping[int, Sequence[_Gap]], number: int, gap: _Gap) -> bool:
    """Whether the blank strip between two columns goes on through a gap that is wider than between words."""
    if not gap.is_free or gap.width <= _WORD:
        return False
    near = (strips.get(line, ()) for line in range(number - _NEAR, number + _NEAR + 1) if line != number)
    return sum(any(cut.low < gap.high and gap.low < cut.high for cut in cuts) for cuts in near) >= _SHARED


def _strands(glyphs: Sequence[Glyph], line: Sequence[int]) -> Iterator[_Strand]:
    """The strand of a line, or one for each text of it that runs over another: a cell's into the next cell."""
    over: set[int] = set()
    strand = _strand(glyphs, line, over)
    if over:
        often = Counter(glyphs[index].order for index in line if not glyphs[index].is_blank)
        over = {order for order in over if often[order] > 1}
    if len(over) < 2:
        yield from strand
        return
    texts: dict[int, list[int]] = {}
    for index in line:
        order = glyphs[index].order
        texts.setdefault(order if order in over else -1, []).append(index)
    for text in texts.values():
        yield from _strand(glyphs, text, set())


def _strand(glyphs: Sequence[Glyph], line: Iterable[int], over: set[int]) -> Sequence[_Strand]:
    """The strand of a line, none where all are blanks. What runs over another is added to `over`, by drawing order."""
    members: list[int] = []
    gaps: list[_Gap] = []
    parted: set[int] = set()
    apart: set[int] = set()
    last: Glyph | None = None
    reach = filled = 0.0
    has_blank = False
    for index in line:
        glyph = glyphs[index]
        if glyph.is_blank:
            has_blank, filled = True, glyph.end
            continue
        start = glyph.start
        if last is not None:
            if last.text == glyph.text and abs(last.start - start) < _THICKER * glyph.size:
                continue
            is_new = glyph.order != last.order
            if is_new or start > reach:
                size = max(glyph.size, last.size)
                is_wide = start - reach > CELL * size
                if is_new or is_wide:
                    is_apart = is_new and start - (max(reach, filled) if has_blank else reach) > APART * size
                    gaps.append(_Gap(len(members), reach, start, (start - reach) / size, is_wide, is_wide or is_apart))
                    if is_apart:
                        apart.add(index)
                    elif is_new and _runs_over(last, glyph):
                        over.update((last.order, glyph.order))
        if has_blank:
            parted.add(index)
            has_blank = False
        if not members or glyph.end > reach:
            reach = glyph.end
        last = glyph
        members.append(index)
    return [_Strand(Cell(members, parted, apart), gaps, glyphs[members[0]].start, reach)] if members else []


def _runs_over(last: Glyph, glyph: Glyph) -> bool:
    """Whether two letters cannot be neighbours in one text; an accent may stand over its letter."""
    far = glyph.start < last.end - _OVER * min(glyph.size, last.size)
    return far and last.text.isalnum() and glyph.text.isalnum()


class _Edges:
    """Where cells begin and end, line by line, and how wide the gaps are there, in type sizes."""

    def __init__(self, strands: Sequence[tuple[int, _Strand]]) -> None:
        self._widths: dict[tuple[str, int], dict[int, float]] = {}
        for number, strand in strands:
            free = [gap for gap in strand.gaps if gap.is_free]
            starts = [(strand.start, 0.0), *((gap.high, gap.width) for gap in free)]
            ends = [(strand.end, 0.0), *((gap.low, gap.width) for gap in free)]
            for kind, edges in (("start", starts), ("end", ends)):
                for along, width in edges:
                    self._widths.setdefault((kind, _rounded(along)), {})[number] = width

    def part(self, number: int, gap: _Gap) -> bool:
        """Whether a column ends or begins at a gap of the line of that number: nearby lines have an edge there too.

        Gaps that are no wider than between words on any line are such: `15 May 2018` on line after line. A column goes
        on downwards, however narrow its gaps are there.
        """
        is_column = False
        for kind, along in (("start", gap.high), ("end", gap.low)):
            others = self._others(number, kind, along)
            width = max(gap.width, *others.values()) if len(others) >= _SHARED else 0.0
            if width > _WORD:
                is_column = True
                if gap.is_free:
                    self._widths[kind, _rounded(along)][number] = width
        return is_column

    def _others(self, number: int, kind: str, along: float) -> dict[int, float]:
        """The other lines nearby that have such an edge, with their gaps."""
        found: dict[int, float] = {}
        for step in (-1, 0, 1):
            same = self._widths.get((kind, _rounded(along) + step), {})
            found.update((line, same[line]) for line in range(number - _NEAR, number + _NEAR + 1) if line in same)
        found.pop(number, None)
        return found


def _rounded(along: float) -> int:
    return round(along * _EXACT)
