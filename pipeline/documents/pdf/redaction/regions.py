"""The stretches of line that have to go from a PDF page, and how far the boxes over them may reach."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pymupdf

from pipeline.documents.pdf.page.glyphs import Frame, Glyph
from pipeline.documents.pdf.page.layout import PageText
from pipeline.documents.pdf.redaction.width_grid import PLACED, ROOM, Gap, Row
from schemas.errors import ErrorCode, StageFailed

_STEP = 2.0  # of the type size: boxes grow to whole steps where there is room, so that no box tells a name by its width
_FINER = 0.125  # of a step: what boxes between close neighbours are made of
_ABOVE, _BELOW = 0.85, 0.25  # of the type size: the drawn box around the baseline
_LETTER = 0.7  # of the type size: how high letters reach


class Spot(NamedTuple):
    """A stretch of one line that has to go, in its frame; its box may grow to `low..high` between neighbours."""

    frame: Frame
    start: float
    end: float
    baseline: float
    size: float
    low: float
    high: float
    label: str

    def corners(self, start: float, end: float, top: float, bottom: float) -> list[tuple[float, float]]:
        """Page points of a part of the line: upper left, upper right, lower left, lower right."""
        rows = (self.baseline + top * self.size, self.baseline + bottom * self.size)
        return [self.frame.to_page(along, down) for down in rows for along in (start, end)]

    def bands(self, band: tuple[float, float]) -> list[pymupdf.Quad]:
        """What MuPDF is told to empty: it takes upright rectangles, so a slanted line is a chain of small ones."""
        inset = min(0.02 * self.size, (self.end - self.start) / 4)
        start, end = self.start + inset, self.end - inset
        if self.frame.is_upright:
            return [pymupdf.Quad(*self.corners(start, end, *band))]
        count = max(1, int((end - start) / (0.15 * self.size)))
        steps = [start + (end - start) * (n + 0.5) / count for n in range(count)]
        return [pymupdf.Quad(*self.corners(step - 0.01, step + 0.01, *band)) for step in steps]

    def box(self) -> pymupdf.Quad:
        """What is drawn: as wide as a whole number of steps; where the neighbours leave no room, of fewer or smaller
        ones, since what stood there is gone.
        """
        width = max(self.end - self.start, 1e-3)
        step = _STEP * self.size
        wide = -(-width // step) * step
        if wide > self.high - self.low:
            step *= _FINER
            wide = max(step, (self.high - self.low + 1e-6) // step * step)
        if wide > self.high - self.low + 1e-6:
            wide = self.high - self.low
        start = min(self.start, self.high - wide)
        if start < self.start and self.low > self.start - _STEP * self.size:
            # Its neighbours' places are known: an edge at the end of what is gone would tell the width after all.
            finer = _STEP * _FINER * self.size
            start = self.low + max(0.0, start - self.low) // finer * finer
        start = max(self.low, start)
        return pymupdf.Quad(*self.corners(start, start + wide, -_ABOVE, _BELOW))


Lines = dict[tuple[Frame, int], list[Glyph]]  # glyphs by frame and baseline, in whole points


def lines_of(glyphs: Sequence[Glyph]) -> Lines:
    """The visible neighbours that boxes must not cover."""
    lines: Lines = {}
    line: list[Glyph] = []
    last = None
    for glyph in glyphs:
        if glyph.is_blank:
            continue
        if (glyph.frame, glyph.baseline) != last:  # most stand on the line of the one before
            last = glyph.frame, glyph.baseline
            line = lines.setdefault((glyph.frame, round(glyph.baseline)), [])
        line.append(glyph)
    return lines


def spots_of(layout: PageText, lines: Lines, start: int, end: int, label: str) -> list[Spot]:
    """The stretches of line that show `layout.text[start:end]`. StageFailed when there is no such text."""
    if not 0 <= start < end <= len(layout.text):
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    owners = sorted({owner for owner in layout.owners[start:end] if owner >= 0}, key=lambda i: _place(layout.glyphs[i]))
    groups: list[list[Glyph]] = []
    for glyph in (layout.glyphs[owner] for owner in owners):
        if groups and _goes_on(groups[-1][-1], glyph):
            groups[-1].append(glyph)
        else:
            groups.append([glyph])
    return [_spot(lines, group, label) for group in groups]


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    same_line = last.frame == glyph.frame and abs(last.baseline - glyph.baseline) < 0.3 * glyph.size
    return same_line and glyph.start - last.end < glyph.size


def _place(glyph: Glyph) -> tuple[Frame, float, float]:
    return glyph.frame, round(glyph.baseline), glyph.start


def _spot(lines: Lines, group: Sequence[Glyph], label: str) -> Spot:
    frame, baseline, size = group[0].frame, group[0].baseline, max(glyph.size for glyph in group)
    start, end = min(g.start for g in group), max(g.end for g in group)
    low, high = start - _STEP * size, end + _STEP * size
    taken = set(group)
    near = range(round(baseline - size), round(baseline + size) + 1)
    for glyph in (glyph for row in near for glyph in lines.get((frame, row), ()) if glyph not in taken):
        middle = (glyph.start + glyph.end) / 2
        if middle < start:
            low = max(low, glyph.end + ROOM)
        elif middle > end:
            high = min(high, glyph.start - ROOM)
    return Spot(frame, start, end, baseline, size, min(low, start), max(high, end), label)


def still(before: Sequence[Glyph], doomed: set[int], rows: Sequence[Row]) -> Lines:
    """What is left of the page's letters, where they stand now."""
    now = list(before)
    for unit in (unit for row in rows for unit in row.units if unit.shift):
        for index in unit.members:
            glyph = before[index]
            now[index] = glyph._replace(start=glyph.start + unit.shift, end=glyph.end + unit.shift)
    return lines_of([glyph for index, glyph in enumerate(now) if index not in doomed])


def fitted(spot: Spot, rows: Sequence[Row], left: Lines) -> Spot:
    """The spot with the extent and the room that its line's grid, its neighbours and frames around it leave it."""
    for row in rows:
        if row.frame != spot.frame or abs(row.baseline - spot.baseline) > 0.5 * row.size:
            continue
        for gap in row.gaps:
            if gap.start < spot.end and spot.start < gap.end:
                return _between(spot, row, gap, *_free(spot, row, left))
    return spot


def _between(spot: Spot, row: Row, gap: Gap, least: float, most: float) -> Spot:
    start = max(row.between(gap, spot.start), min(least, spot.start))
    end = max(min(row.between(gap, spot.end), max(most, spot.end)), start + 0.1)
    # To the left a box grows by one step of the grid only: there it would stand in the margin.
    low = max(start - row.grid.step, least) if gap.left is None and spot.start <= gap.start else start
    high = min(end + _STEP * spot.size, most) if gap.right is None and spot.end >= gap.end else end
    start, end, low, high = (round(side, PLACED) for side in (start, end, min(low, start), max(high, end)))
    return spot._replace(start=start, end=end, low=low, high=high)


def _free(spot: Spot, row: Row, left: Lines) -> tuple[float, float]:
    """Up to where nothing stands that a box would cover."""
    lows, highs = [-math.inf], [math.inf]
    reach = 2 * spot.size
    near = range(round(spot.baseline - reach), round(spot.baseline + reach) + 1)
    high, low = spot.baseline - _ABOVE * spot.size, spot.baseline + _BELOW * spot.size
    for glyph in (glyph for down in near for glyph in left.get((spot.frame, down), ())):
        if glyph.baseline < high or glyph.baseline - _LETTER * glyph.size > low:
            continue
        middle = (glyph.start + glyph.end) / 2
        if middle < spot.start:
            lows.append(glyph.end + ROOM)
        elif middle > spot.end:
            highs.append(glyph.start - ROOM)
    lows += [wall + ROOM for wall in row.walls if wall <= spot.start]
    highs += [wall - ROOM for wall in row.walls if wall >= spot.end]
    return max(lows), min(highs)
