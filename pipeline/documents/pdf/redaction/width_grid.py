"""Finds the lines of a page that lose text and aligns the rest of each to a grid, so that no position leaks a width.

In a known font, the width of a removed name identifies it among a few candidates. That width determined the position of
the text after the name, the start of a centred or right-aligned line, and the word gaps of a justified line. Therefore
the parts of such a line move towards the gap, by less than one step, to positions on a grid. The origin of the grid is
the middle of the page, so that both ends of a centred line move alike. An edge that untouched lines share is a margin
and does not move.
"""

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from pipeline.documents.pdf.page.glyphs import Frame, Glyph

WORD = 0.12  # of the type size: the least gap between words
_ROW = 0.5  # of the type size: the largest distance between baselines of one line
_SCRIPT = 0.5  # of the type size: smaller glyphs belong to a line only near its baseline
_CELL = 1.2  # of the type size: a gap that always ends a line
_GUTTER = 0.5  # of the type size: a gap that ends a line if other rows break at the same position
_WIDE = 0.6  # of the type size: a gap that ends a line if it is `_CLEARLY` wider than the other gaps
_CLEARLY = 2.5  # times the median gap of the line
_ROWS_OF_A_COLUMN = 3  # rows with an edge at the same position
_EXACT = 10  # edges are compared in tenths of a point
_PLACE = attrgetter("frame", "is_blank", "size", "baseline")


class _Gap(NamedTuple):
    """A gap between two words of a row."""

    at: int  # index in the row of the glyph after the gap
    low: float
    high: float
    free: float  # the part that drawn blanks do not fill
    size: float
    is_inside: bool  # both words belong to one text string


def flowing_lines(glyphs: Sequence[Glyph], string_of: Mapping[int, int]) -> list[list[int]]:
    """The lines of the page as glyph indexes, from start to end. Lines that contain only blanks are left out.

    In a line, the width of one glyph determines the position of the next. The next column, a line number and a table
    cell are lines of their own: removing text from one does not move the other. `string_of` gives the text string of
    each glyph; a line never ends inside a string.
    """
    rows = [row for row in _rows(glyphs) if not all(glyphs[i].is_blank for i in row)]
    gaps = [list(_row_gaps(glyphs, row, string_of)) for row in rows]
    edges = _shared_edges(glyphs, rows, gaps)
    lines: list[list[int]] = []
    for row, found in zip(rows, gaps, strict=True):
        cuts = [gap.at for gap in found if _ends_line(gap, found, glyphs[row[0]].frame, edges)]
        lines += [row[start:end] for start, end in zip([0, *cuts], [*cuts, len(row)], strict=True)]
    return lines


def _rows(glyphs: Sequence[Glyph]) -> list[list[int]]:
    """Glyphs on one baseline, with superscripts and subscripts. The largest glyphs define the row."""
    alike: dict[tuple[Frame, bool, float, float], list[int]] = {}
    for (frame, is_blank, size, baseline), members in _by_place(glyphs).items():
        alike.setdefault((frame, is_blank, -round(size, 1), baseline), []).extend(members)
    rows: list[list[int]] = []
    places: dict[Frame, list[tuple[float, int]]] = {}  # baseline and index of each row of a frame
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


def _row_gaps(glyphs: Sequence[Glyph], row: Sequence[int], string_of: Mapping[int, int]) -> Iterator[_Gap]:
    inked: Glyph | None = None
    last = -1
    end = reach = 0.0
    for at, index in enumerate(row):
        glyph = glyphs[index]
        if not glyph.is_blank:
            if inked is not None and glyph.start > end:
                size = max(glyph.size, inked.size)
                if glyph.start - end > WORD * size:
                    is_inside = index in string_of and string_of[index] == string_of.get(last)
                    yield _Gap(at, end, glyph.start, glyph.start - reach, size, is_inside)
            if inked is None or glyph.end > end:
                end = glyph.end
            inked, last = glyph, index
        if not at or glyph.end > reach:
            reach = glyph.end


Edges = Counter[tuple[Frame, str, int]]


def _shared_edges(glyphs: Sequence[Glyph], rows: Sequence[Sequence[int]], gaps: Sequence[Sequence[_Gap]]) -> Edges:
    """The number of rows with a start, or an end, at each position. Columns begin and end at frequent positions."""
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
    """Whether the words after the gap belong to another line than the words before it."""
    if gap.is_inside or gap.free <= WORD * gap.size:  # only drawn blanks separate the words: they are one line
        return False
    if gap.free > _CELL * gap.size:
        return True
    wide = gap.high - gap.low
    if wide > _GUTTER * gap.size:
        for kind, along in (("start", gap.high), ("end", gap.low)):
            if sum(edges[frame, kind, round(along * _EXACT) + n] for n in (-1, 0, 1)) >= _ROWS_OF_A_COLUMN:
                return True
    others = [other.high - other.low for other in gaps if other is not gap]
    return gap.free > _WIDE * gap.size and len(others) > 1 and wide > _CLEARLY * median(others)


STEP = 0.25  # of the type size: the step of the grid
_ALIKE = 0.02  # of the type size: gaps that differ by less are equal
_LINES_OF_A_MARGIN = 2  # untouched lines with the same edge make a margin
_NEAR = 0.3  # of the type size: the edge of a shape that is closer to a glyph belongs to it
_PAD = 0.2  # of the type size: between a box and a word beside it
_LEAST = 0.1  # of the type size: the least gap between two parts
POSITION_DECIMALS = 2  # decimals, in points, of where something comes to stand: finer ones would tell whence it came
BOX_CLEARANCE = 0.3  # points that stay between a box and its neighbours
_ABOVE, _BELOW = 1.4, 0.6  # of the type size: what is drawn within belongs to the line


class WordGroup(NamedTuple):
    """Glyphs of a part that move together: their old extent, and by how much they move along the line."""

    start: float
    end: float
    members: tuple[int, ...]
    shift: float = 0.0


class Gap(NamedTuple):
    """Removed text between two parts: its extent, and `low..high` that its boxes may cover.

    `left` and `right` are the new edges of the adjacent parts; None at an end of the line.
    """

    start: float
    end: float
    low: float
    high: float
    left: float | None
    right: float | None


class TouchedLine(NamedTuple):
    """A line that loses text: the word groups that remain, with their moves, and the gaps."""

    frame: Frame
    baseline: float
    size: float
    units: tuple[WordGroup, ...]
    gaps: tuple[Gap, ...]
    grid: "Grid"
    vertical_edges: tuple[float, ...] = ()  # positions of vertical edges of shapes around the line

    def holds(self, down: float) -> bool:
        """Whether a shape at this height belongs to the line."""
        return self.baseline - _ABOVE * self.size <= down <= self.baseline + _BELOW * self.size

    def between(self, gap: Gap, along: float) -> float:
        """The new position of an edge of a box that was at `along` in the gap."""
        if along <= gap.start:
            return gap.low
        if along >= gap.end:
            return gap.high
        return min(max(self.grid.down(along), gap.low), gap.high)

    def moved(self, along: float) -> float:
        """The new position of an edge of a shape."""
        near = _NEAR * self.size
        for gap in self.gaps:
            if gap.start - near <= along <= gap.end + near:
                return gap.low if along - gap.start < gap.end - along else gap.high
        closest = min(self.units, key=lambda unit: max(unit.start - along, along - unit.end), default=None)
        if closest is None or max(closest.start - along, along - closest.end) > near:
            return along
        return along + closest.shift


def touched_lines(
    before: Sequence[Glyph], to_remove: set[int], string_of: Mapping[int, int], middle: tuple[float, float]
) -> list[TouchedLine]:
    """The lines that lose the glyphs `to_remove` (indexes in `before`).

    `string_of` gives the text string of each remaining glyph; `middle` is the middle of the page, in points.
    """
    lines = flowing_lines(before, string_of)
    touched = [line for line in lines if not to_remove.isdisjoint(line)]
    edges = _UntouchedLines([line for line in lines if to_remove.isdisjoint(line)], before)
    return [_row(before, line, to_remove, string_of, edges, middle) for line in touched]


class _UntouchedLines:
    """The starts, ends, middles and word gaps of the untouched lines."""

    def __init__(self, lines: Sequence[Sequence[int]], glyphs: Sequence[Glyph]) -> None:
        self._starts: Counter[tuple[Frame, int]] = Counter()
        self._ends: Counter[tuple[Frame, int]] = Counter()
        self._middles: list[tuple[Frame, float]] = []
        self._glyphs, self._lines = glyphs, lines
        for line in lines:
            inked = [glyphs[i] for i in line if not glyphs[i].is_blank]
            start, end, frame = inked[0].start, max(g.end for g in inked), inked[0].frame
            self._starts[frame, round(start * 50)] += 1
            self._ends[frame, round(end * 50)] += 1
            self._middles.append((frame, (start + end) / 2))

    @cached_property
    def _gaps(self) -> Counter[int]:
        """How often each word gap occurs, in hundredths of the type size."""
        found: Counter[int] = Counter()
        for line in self._lines:
            inked = [self._glyphs[i] for i in line if not self._glyphs[i].is_blank]
            gaps = ((b.start - a.end) / b.size for a, b in pairwise(inked))
            found.update({round(gap * 100) for gap in gaps if gap > WORD})
        return found

    def is_start(self, frame: Frame, along: float) -> bool:
        """Whether untouched lines begin at this position."""
        return sum(self._starts[frame, round(along * 50) + n] for n in (-1, 0, 1)) >= _LINES_OF_A_MARGIN

    def is_end(self, frame: Frame, along: float) -> bool:
        """Whether untouched lines end at this position."""
        return sum(self._ends[frame, round(along * 50) + n] for n in (-1, 0, 1)) >= _LINES_OF_A_MARGIN

    def middle(self, frame: Frame, along: float) -> float | None:
        """The middle that untouched lines share, close to `along`; None if there is none."""
        shared = [middle for other, middle in self._middles if other == frame and abs(middle - along) < 0.1]
        return round(min(shared), 1) if len(shared) >= _LINES_OF_A_MARGIN else None

    def is_usual(self, gap: float, size: float) -> bool:
        """Whether untouched lines have such a gap between words."""
        return sum(self._gaps[round(gap / size * 100) + n] for n in (-1, 0, 1)) >= _LINES_OF_A_MARGIN


def _row(
    glyphs: Sequence[Glyph],
    line: Sequence[int],
    to_remove: set[int],
    string_of: Mapping[int, int],
    edges: _UntouchedLines,
    middle: tuple[float, float],
) -> TouchedLine:
    gone = [glyphs[i] for i in line if i in to_remove]
    frame, size, baseline = gone[0].frame, max(g.size for g in gone), gone[0].baseline
    inked = [i for i in line if not glyphs[i].is_blank]
    start, end = glyphs[inked[0]].start, max(glyphs[i].end for i in inked)
    origin = edges.middle(frame, (start + end) / 2)
    grid = Grid(frame.to_line(*middle)[0] if origin is None else origin, STEP * size)
    parts = list(_parts(glyphs, inked, to_remove, string_of))
    is_stretched = any(_is_stretched(glyphs, line, part, edges) for part in parts)
    moved: list[list[WordGroup]] = []
    for part in parts:
        at_start, at_end = part[0].start == start, part[-1].end == end
        even = _stretched(part, grid, edges, frame, at_start=at_start, at_end=at_end) if is_stretched else None
        shift = _rigid_shift(part, grid, edges, frame, at_start=at_start, at_end=at_end)
        moved.append(even or [unit._replace(shift=shift) for unit in part])
    for left, right in pairwise(moved):
        if right[0].start + right[0].shift - left[-1].end - left[-1].shift < _LEAST * size:
            right[:] = [unit._replace(shift=unit.shift + grid.step) for unit in right]
    return TouchedLine(
        frame, baseline, size, tuple(u for p in moved for u in p), tuple(_gaps(gone, moved, grid, size)), grid
    )


class Grid(NamedTuple):
    """Positions along a line at whole steps from an origin."""

    origin: float
    step: float

    def up(self, along: float) -> float:
        """The first grid position at or after `along`."""
        return self.origin + math.ceil((along - self.origin) / self.step - 1e-3) * self.step

    def down(self, along: float) -> float:
        """The last grid position at or before `along`."""
        return self.origin + math.floor((along - self.origin) / self.step + 1e-3) * self.step


def _parts(
    glyphs: Sequence[Glyph], inked: Sequence[int], to_remove: set[int], string_of: Mapping[int, int]
) -> Iterator[list[WordGroup]]:
    """The remaining parts between the removed glyphs, each as groups of words."""
    units: list[list[int]] = []
    reach = -math.inf
    for index in inked:
        if index in to_remove:
            if units:
                yield [_unit(glyphs, unit) for unit in units]
            units = []
            continue
        glyph = glyphs[index]
        is_apart = units and glyph.start - reach > WORD * glyph.size and string_of[index] != string_of[units[-1][-1]]
        if not units or is_apart:
            units.append([])
            reach = -math.inf
        units[-1].append(index)
        reach = max(reach, glyph.end)
    if units:
        yield [_unit(glyphs, unit) for unit in units]


def _unit(glyphs: Sequence[Glyph], members: Sequence[int]) -> WordGroup:
    return WordGroup(glyphs[members[0]].start, max(glyphs[i].end for i in members), tuple(members))


def _is_stretched(
    glyphs: Sequence[Glyph], line: Sequence[int], part: Sequence[WordGroup], edges: _UntouchedLines
) -> bool:
    """Whether gaps between words differ from the drawn blanks and from the usual gaps: the line is justified."""
    for one, other in pairwise(part):
        gap, size = other.start - one.end, glyphs[other.members[0]].size
        low, high = line.index(one.members[-1]), line.index(other.members[0])
        blank = sum(glyphs[i].end - glyphs[i].start for i in line[low + 1 : high] if glyphs[i].is_blank)
        if abs(gap - blank) > _ALIKE * size and not edges.is_usual(gap, size):
            return True
    return False


def _rigid_shift(
    part: Sequence[WordGroup], grid: Grid, edges: _UntouchedLines, frame: Frame, *, at_start: bool, at_end: bool
) -> float:
    if (at_start and edges.is_start(frame, part[0].start)) or (at_end and edges.is_end(frame, part[-1].end)):
        return 0.0
    if at_start:
        return grid.up(part[0].start) - part[0].start
    return grid.down(part[-1].end) - part[-1].end


def _stretched(
    part: Sequence[WordGroup], grid: Grid, edges: _UntouchedLines, frame: Frame, *, at_start: bool, at_end: bool
) -> list[WordGroup] | None:
    """The part stretched to a whole number of steps, towards the gap, with equal word gaps.

    None if a word would move by more than one step: the gaps of the line were not equal before.
    """
    if len(part) == 1:
        return None
    wide = math.ceil((part[-1].end - part[0].start) / grid.step - 1e-3) * grid.step
    if at_end and edges.is_end(frame, part[-1].end):
        at = part[-1].end - wide
    elif at_start and edges.is_start(frame, part[0].start):
        at = part[0].start
    else:
        at = grid.down(part[0].start)
    free = (wide - sum(unit.end - unit.start for unit in part)) / (len(part) - 1)
    moved = []
    for unit in part:
        moved.append(unit._replace(shift=at - unit.start))
        at += unit.end - unit.start + free
    return moved if all(abs(unit.shift) <= grid.step + 1e-6 for unit in moved) else None


def _gaps(gone: Sequence[Glyph], parts: Sequence[Sequence[WordGroup]], grid: Grid, size: float) -> Iterator[Gap]:
    """The gaps between the parts, with the extent that boxes may cover as far as this line limits it."""
    ends = [part[-1].end for part in parts]
    found: dict[int, list[Glyph]] = {}
    for glyph in gone:
        found.setdefault(bisect_left(ends, (glyph.start + glyph.end) / 2), []).append(glyph)
    for number, removed in found.items():
        start, end = min(g.start for g in removed), max(g.end for g in removed)
        left = parts[number - 1][-1] if number else None
        right = parts[number][0] if number < len(parts) else None
        low, high = grid.down(start), grid.up(end)
        if left:
            low = left.end + left.shift + (_PAD * size if start - left.end > WORD * size else BOX_CLEARANCE)
        if right:
            high = right.start + right.shift - (_PAD * size if right.start - end > WORD * size else BOX_CLEARANCE)
        if left and right and high - low > grid.step:  # whole steps: so are underlines that end with the box
            high = low + math.floor((high - low) / grid.step + 1e-6) * grid.step
        yield Gap(
            start, end, low, max(high, low + 0.1), left and left.end + left.shift, right and right.start + right.shift
        )
