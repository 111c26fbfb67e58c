"""The parts of lines to be removed from a PDF page, and the extents of the boxes drawn over them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pymupdf

from pipeline.documents.pdf.page.glyphs import Frame, Glyph
from pipeline.documents.pdf.page.layout import PageText
from pipeline.documents.pdf.redaction.width_grid import BOX_CLEARANCE, POSITION_DECIMALS, Gap, TouchedLine
from schemas.errors import ErrorCode, StageFailed

_STEP = 2.0  # of the type size: box widths are whole steps where there is room, so that they leak no text width
_FINER = 0.125  # of a step: the smaller step of boxes between close neighbours
_ABOVE, _BELOW = 0.85, 0.25  # of the type size: the drawn box around the baseline
_LETTER = 0.7  # of the type size: the height of letters


class Region(NamedTuple):
    """A part of one line to be removed, in the frame of the line. Its box may extend to `low..high`."""

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
        """The areas that MuPDF removes. It removes upright rectangles, so a slanted line needs many small ones."""
        inset = min(0.02 * self.size, (self.end - self.start) / 4)
        start, end = self.start + inset, self.end - inset
        if self.frame.is_upright:
            return [pymupdf.Quad(*self.corners(start, end, *band))]
        count = max(1, int((end - start) / (0.15 * self.size)))
        steps = [start + (end - start) * (n + 0.5) / count for n in range(count)]
        return [pymupdf.Quad(*self.corners(step - 0.01, step + 0.01, *band)) for step in steps]

    def box(self) -> pymupdf.Quad:
        """The box to draw. Its width is a whole number of steps, which are smaller between close neighbours."""
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
            # The neighbours keep their positions, so an edge at the end of the removed text would leak its width.
            finer = _STEP * _FINER * self.size
            start = self.low + max(0.0, start - self.low) // finer * finer
        start = max(self.low, start)
        return pymupdf.Quad(*self.corners(start, start + wide, -_ABOVE, _BELOW))


Lines = dict[tuple[Frame, int], list[Glyph]]  # glyphs by frame and baseline, in whole points


def visible_lines(glyphs: Sequence[Glyph]) -> Lines:
    """The glyphs with ink, by line. Boxes must not cover those that remain."""
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


def regions_of(layout: PageText, lines: Lines, start: int, end: int, label: str) -> list[Region]:
    """The parts of lines that show `layout.text[start:end]`. StageFailed(redaction_incomplete) if out of range."""
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


def _spot(lines: Lines, group: Sequence[Glyph], label: str) -> Region:
    frame, baseline, size = group[0].frame, group[0].baseline, max(glyph.size for glyph in group)
    start, end = min(g.start for g in group), max(g.end for g in group)
    low, high = start - _STEP * size, end + _STEP * size
    taken = set(group)
    near = range(round(baseline - size), round(baseline + size) + 1)
    for glyph in (glyph for row in near for glyph in lines.get((frame, row), ()) if glyph not in taken):
        middle = (glyph.start + glyph.end) / 2
        if middle < start:
            low = max(low, glyph.end + BOX_CLEARANCE)
        elif middle > end:
            high = min(high, glyph.start - BOX_CLEARANCE)
    return Region(frame, start, end, baseline, size, min(low, start), max(high, end), label)


def remaining_lines(before: Sequence[Glyph], to_remove: set[int], rows: Sequence[TouchedLine]) -> Lines:
    """The glyphs that remain on the page, at their new positions."""
    now = list(before)
    for unit in (unit for row in rows for unit in row.units if unit.shift):
        for index in unit.members:
            glyph = before[index]
            now[index] = glyph._replace(start=glyph.start + unit.shift, end=glyph.end + unit.shift)
    return visible_lines([glyph for index, glyph in enumerate(now) if index not in to_remove])


def fitted_region(region: Region, rows: Sequence[TouchedLine], left: Lines) -> Region:
    """The region, limited by the grid of its line, by adjacent glyphs and by the edges of shapes around it."""
    for row in rows:
        if row.frame != region.frame or abs(row.baseline - region.baseline) > 0.5 * row.size:
            continue
        for gap in row.gaps:
            if gap.start < region.end and region.start < gap.end:
                return _between(region, row, gap, *_free(region, row, left))
    return region


def _between(region: Region, row: TouchedLine, gap: Gap, least: float, most: float) -> Region:
    start = max(row.between(gap, region.start), min(least, region.start))
    end = max(min(row.between(gap, region.end), max(most, region.end)), start + 0.1)
    # At the start of a line a box grows by only one step of the grid, or it would extend into the margin.
    low = max(start - row.grid.step, least) if gap.left is None and region.start <= gap.start else start
    high = min(end + _STEP * region.size, most) if gap.right is None and region.end >= gap.end else end
    start, end, low, high = (round(side, POSITION_DECIMALS) for side in (start, end, min(low, start), max(high, end)))
    return region._replace(start=start, end=end, low=low, high=high)


def _free(region: Region, row: TouchedLine, left: Lines) -> tuple[float, float]:
    """The extent around the region in which a box covers no glyph and no edge."""
    lows, highs = [-math.inf], [math.inf]
    reach = 2 * region.size
    near = range(round(region.baseline - reach), round(region.baseline + reach) + 1)
    high, low = region.baseline - _ABOVE * region.size, region.baseline + _BELOW * region.size
    for glyph in (glyph for down in near for glyph in left.get((region.frame, down), ())):
        if glyph.baseline < high or glyph.baseline - _LETTER * glyph.size > low:
            continue
        middle = (glyph.start + glyph.end) / 2
        if middle < region.start:
            lows.append(glyph.end + BOX_CLEARANCE)
        elif middle > region.end:
            highs.append(glyph.start - BOX_CLEARANCE)
    lows += [wall + BOX_CLEARANCE for wall in row.vertical_edges if wall <= region.start]
    highs += [wall - BOX_CLEARANCE for wall in row.vertical_edges if wall >= region.end]
    return max(lows), min(highs)
