"""Finds the lines of a PDF page: glyphs that flow together, so that the width of one of them has placed the others.

What stands beside a line and does not flow with it (the next column, the number of the line, a cell of a table) is a
line of its own: taking text out of one never moves the other.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from pipeline.documents.pdf_glyphs import Frame, Glyph

WORD = 0.12  # of the type size: a gap between words
_ROW = 0.5  # of the type size: baselines of one line lie closer
_SCRIPT = 0.5  # of the type size: what is smaller belongs to a line only on its baseline
_CELL = 1.2  # of the type size: a gap that ends what flows together
_GUTTER = 0.5  # of the type size: a gap that does where other rows break at the same place
_WIDE = 0.6  # of the type size: a gap that does where it is clearly wider than the line's other gaps
_CLEARLY = 2.5  # times
_SHARED = 3  # rows with an edge at the same place
_EXACT = 10  # edges at the same place, in parts of a point
_PLACE = attrgetter("frame", "is_blank", "size", "baseline")


class _Gap(NamedTuple):
    """Between words of a row: where, by position in the row; its edges; how much of it blanks do not fill; whether both
    words are of one piece.
    """

    at: int
    low: float
    high: float
    free: float
    size: float
    is_inside: bool


def flowing(glyphs: Sequence[Glyph], parted: Mapping[int, int]) -> list[list[int]]:
    """The glyphs by index, line by line, from each line's start to its end. Lines of blanks alone are left out.

    `parted` numbers the piece that each glyph stands in: pieces are not cut.
    """
    rows = [row for row in _rows(glyphs) if not all(glyphs[i].is_blank for i in row)]
    gaps = [list(_gaps(glyphs, row, parted)) for row in rows]
    edges = _shared_edges(glyphs, rows, gaps)
    lines: list[list[int]] = []
    for row, found in zip(rows, gaps, strict=True):
        cuts = [gap.at for gap in found if _ends_line(gap, found, glyphs[row[0]].frame, edges)]
        lines += [row[start:end] for start, end in zip([0, *cuts], [*cuts, len(row)], strict=True)]
    return lines


def _rows(glyphs: Sequence[Glyph]) -> list[list[int]]:
    """What stands on one baseline, with its superscripts and subscripts: the largest letters make the row."""
    alike: dict[tuple[Frame, bool, float, float], list[int]] = {}
    for (frame, is_blank, size, baseline), members in _by_place(glyphs).items():
        alike.setdefault((frame, is_blank, -round(size, 1), baseline), []).extend(members)
    rows: list[list[int]] = []
    places: dict[Frame, list[tuple[float, int]]] = {}  # of a frame's rows: the baseline, and which row
    for (frame, _, _, baseline), members in sorted(alike.items()):
        placed = places.setdefault(frame, [])
        at = bisect_left(placed, (baseline, -1))
        size = glyphs[members[0]].size
        near = [
            (abs(baseline - place), row)
            for place, row in placed[max(0, at - 2) : at + 2]
            if abs(baseline - place) <= _reach(glyphs[rows[row][0]].size, size)
        ]
        if near:
            rows[min(near)[1]] += members
        else:
            insort(placed, (baseline, len(rows)))
            rows.append(members)
    starts = [glyph.start for glyph in glyphs]
    for row in rows:
        row.sort(key=starts.__getitem__)
    return rows


def _by_place(glyphs: Sequence[Glyph]) -> dict[tuple[Frame, bool, float, float], list[int]]:
    found: dict[tuple[Frame, bool, float, float], list[int]] = {}
    for place, run in groupby(range(len(glyphs)), list(map(_PLACE, glyphs)).__getitem__):
        found.setdefault(place, []).extend(run)
    return found


def _reach(one: float, other: float) -> float:
    small, large = sorted((one, other))
    return _ROW * (large if small > _SCRIPT * large else small)


def _gaps(glyphs: Sequence[Glyph], row: Sequence[int], parted: Mapping[int, int]) -> Iterator[_Gap]:
    inked: Glyph | None = None
    last = -1
    end = reach = 0.0
    for at, index in enumerate(row):
        glyph = glyphs[index]
        if not glyph.is_blank:
            if inked is not None and glyph.start > end:
                size = max(glyph.size, inked.size)
                if glyph.start - end > WORD * size:
                    is_inside = index in parted and parted[index] == parted.get(last)
                    yield _Gap(at, end, glyph.start, glyph.start - reach, size, is_inside)
            if inked is None or glyph.end > end:
                end = glyph.end
            inked, last = glyph, index
        if not at or glyph.end > reach:
            reach = glyph.end


Edges = Counter[tuple[Frame, str, int]]


def _shared_edges(glyphs: Sequence[Glyph], rows: Sequence[Sequence[int]], gaps: Sequence[Sequence[_Gap]]) -> Edges:
    """On how many rows something begins, or ends, at a place: there columns do."""
    edges: Edges = Counter()
    for row, found in zip(rows, gaps, strict=True):
        inked = [glyphs[i] for i in row if not glyphs[i].is_blank]
        frame = inked[0].frame
        wide = [gap for gap in found if gap.high - gap.low > _GUTTER * gap.size]
        starts = {round(start * _EXACT) for start in (inked[0].start, *(gap.high for gap in wide))}
        ends = {round(end * _EXACT) for end in (max(g.end for g in inked), *(gap.low for gap in wide))}
        edges.update([(frame, "start", place) for place in starts])
        edges.update([(frame, "end", place) for place in ends])
    return edges


def _ends_line(gap: _Gap, gaps: Sequence[_Gap], frame: Frame, edges: Edges) -> bool:
    """Whether what follows the gap does not flow with what stands before."""
    if gap.is_inside or gap.free <= WORD * gap.size:  # where blanks alone part words, the second follows the first
        return False
    if gap.free > _CELL * gap.size:
        return True
    wide = gap.high - gap.low
    if wide > _GUTTER * gap.size:
        for kind, along in (("start", gap.high), ("end", gap.low)):
            if sum(edges[frame, kind, round(along * _EXACT) + n] for n in (-1, 0, 1)) >= _SHARED:
                return True
    others = [other.high - other.low for other in gaps if other is not gap]
    return gap.free > _WIDE * gap.size and len(others) > 1 and wide > _CLEARLY * median(others)
