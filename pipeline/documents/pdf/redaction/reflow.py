"""Settles what is left of a page's touched lines: finds where each letter stood before, and writes it on the grid."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.documents.pdf.navigation import Link
from pipeline.documents.pdf.page.glyphs import Frame, Glyph
from pipeline.documents.pdf.redaction.text_objects import Affine, Instruction, Sheet, Stream, affine, written
from pipeline.documents.pdf.redaction.width_grid import PLACED, Row, rows_of

# Moves the edges of what is drawn with a touched line: underlines, highlights, clips and frames of its words.
#
# An underline that ends with a removed name is as wide as the name. Its edge goes where the box's edge is; edges at the
# words that stay go where these go; edges that several shapes of the page share are those of a table, and stay.

_BUILDING = {"m": 1, "l": 1, "c": 3, "v": 2, "y": 2, "re": 2, "h": 0}
_PAINTING = frozenset(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"])
_TABLE = 4  # corners on as many lines that share an edge
_TALL = 0.5  # of the type size: what stands so high above the line, and down to it, is an upright edge
_APART = 6.0  # points: corners that lie farther apart are those of several lines
_EXACT = 5  # decimals

Point = tuple[float, float]


class Edges:
    """The shapes of one page."""

    def __init__(self, sheet: Sheet, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._shared: Counter[int] = Counter()
        self._paths = {stream.xref: list(_paths(stream)) for stream in sheet.streams} if rows else {}
        for paths in self._paths.values():
            corners = {(round(x * 10), round(y / _APART)) for _, _, points in paths for x, y in points}
            self._shared.update(x for x, _ in corners)

    def rewritten(self, stream: Stream) -> list[Instruction]:
        """The stream's instructions with the shapes of touched lines in their places."""
        found = list(stream.instructions)
        for at, to_page, points in self._paths.get(stream.xref, ()):
            row = self._row(points) if points else None
            if row is not None:
                for index in at:
                    operands, operator = found[index]
                    found[index] = (self._moved(row, operands, operator, to_page), operator)
        return found

    def walled(self) -> list[Row]:
        """The lines with the upright edges beside them that stay: frames of cells and of forms."""
        shapes = [points for paths in self._paths.values() for _, _, points in paths if points]
        return [row._replace(walls=tuple(self._walls(row, shapes))) for row in self._rows]

    def _walls(self, row: Row, shapes: Sequence[Sequence[Point]]) -> Iterator[float]:
        top, bottom = row.baseline - _TALL * row.size, row.baseline
        for points in shapes if row.frame.is_upright else ():
            placed = [row.frame.to_line(*point) for point in points]
            highest, lowest = min(down for _, down in placed), max(down for _, down in placed)
            if highest > top or lowest < bottom:
                continue
            own = row.holds(highest) and row.holds(lowest)
            yield from {
                along for (along, _), (x, _) in zip(placed, points, strict=True) if not own or self._is_table(row, x)
            }

    def _is_table(self, row: Row, x: float) -> bool:
        """Whether several lines have an edge there."""
        return abs(row.frame.cos) > 0.5 and self._shared[round(x * 10)] >= _TABLE

    def _row(self, points: Sequence[Point]) -> Row | None:
        """The touched line that a shape is drawn with."""
        for row in self._rows:
            placed = [row.frame.to_line(*point) for point in points]
            if row.frame.is_upright and all(row.holds(down) for _, down in placed):
                return row
        return None

    def _moved(self, row: Row, operands: list[Any], operator: str, to_page: Affine) -> list[Any]:
        back = to_page.inverse()
        moved: list[Any] = []
        for x, y in _points(operands, operator, to_page):
            along, down = row.frame.to_line(x, y)
            if not self._is_table(row, x):
                x, y = (round(side, PLACED) for side in row.frame.to_page(row.moved(along), down))
            moved += [round(side, _EXACT) for side in back.point(x, y)]
        if operator == "re":
            moved = [*moved[:2], round(moved[2] - moved[0], _EXACT), round(moved[3] - moved[1], _EXACT)]
        return moved


def _paths(stream: Stream) -> Iterator[tuple[list[int], Affine, list[Point]]]:
    """Each path: the indexes of what builds it, the way from its space to the page, and its points on the page."""
    stack: list[Affine] = []
    to_page = stream.to_page
    at: list[int] = []
    points: list[Point] = []
    for index, (operands, operator) in enumerate(stream.instructions):
        if operator == "q":
            stack.append(to_page)
        elif operator == "Q" and stack:
            to_page = stack.pop()
        elif operator == "cm":
            to_page = affine(operands).then(to_page)
        elif operator in _BUILDING:
            at.append(index)
            points += _points(operands, operator, to_page)
        elif operator in _PAINTING:
            yield at, to_page, points
            at, points = [], []


def _points(operands: Sequence[Any], operator: str, to_page: Affine) -> list[Point]:
    values = list(map(float, operands))
    if operator == "re":
        values[2:] = values[0] + values[2], values[1] + values[3]
    return [to_page.point(values[n], values[n + 1]) for n in range(0, len(values) - 1, 2)]


def moved_links(links: Sequence[Link], rows: Mapping[int, Sequence[Row] | None]) -> tuple[Link, ...]:
    """The links, those on touched lines with the edges of their words; `rows` by page."""
    return tuple(_moved_link(link, rows.get(link.page) or ()) for link in links)


def _moved_link(link: Link, rows: Sequence[Row]) -> Link:
    for row in rows:
        corners = [row.frame.to_line(*corner) for corner in (link.one, link.other)]
        if row.frame.is_upright and all(row.holds(down) for _, down in corners):
            one, other = (row.frame.to_page(row.moved(along), down) for along, down in corners)
            return link._replace(one=one, other=other)
    return link


_MOVED = 0.5  # points: a glyph that is found so far from its place is another one
_STRAY = 0.02  # points: letters of one piece that should move so differently cannot

Stays = dict[int, int]  # what is left: where in the sequence, and where it was before


def by_sequence(before: Sequence[Glyph], after: Sequence[Glyph], doomed: set[int]) -> Stays | None:
    """What is left, when that is all that should be, in its order, wherever it stands now; None when it is not."""
    wanted = (index for index, glyph in enumerate(before) if not glyph.is_blank and index not in doomed)
    stays: Stays = {}
    index = next(wanted, None)
    for at, glyph in enumerate(after):
        if glyph.is_blank:
            continue
        if index is not None and _is_alike(before[index], glyph):
            stays[at] = index
            index = next(wanted, None)
        elif not _is_mark(glyph):  # a mark whose letter is gone stands alone now
            return None
    return stays if index is None else None


def by_place(before: Sequence[Glyph], after: Sequence[Glyph]) -> Stays | None:
    """What is left; None when a glyph stands where none stood before.

    Redaction keeps the drawing sequence: what is left is a subsequence of what was there.
    """
    stays: Stays = {}
    position = 0
    for at, glyph in enumerate(after):
        if glyph.is_blank:
            continue
        ahead = position
        while ahead < len(before) and not _is_same(before[ahead], glyph):
            ahead += 1
        if ahead < len(before):
            stays[at] = ahead
            position = ahead + 1
        elif not _is_mark(glyph):
            return None
    return stays


def _is_same(one: Glyph, other: Glyph) -> bool:
    near = abs(one.start - other.start) < _MOVED and abs(one.baseline - other.baseline) < _MOVED
    return near and _is_alike(one, other)


def _is_alike(one: Glyph, other: Glyph) -> bool:
    return one.code == other.code and one.frame == other.frame


def _is_mark(glyph: Glyph) -> bool:
    return all(unicodedata.category(character) in ("Mn", "Me") for character in glyph.claims)


def settled(
    document: Any, page: Any, sheet: Sheet, before: Sequence[Glyph], stays: Mapping[int, int], doomed: set[int]
) -> list[Row] | None:
    """Writes the page with everything in its place; its touched lines, or None where that cannot be written."""
    parted = {index: sheet.owners[at] for at, index in stays.items()}
    gone = {index for index, glyph in enumerate(before) if index not in parted and not glyph.is_blank}
    box = page.rect
    rows = rows_of(before, doomed | gone, parted, ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))
    moves = _moves(sheet, before, stays, rows)
    if moves is None:
        return None
    edges = Edges(sheet, rows)
    all_moves = {**moves, **_lone_blanks(sheet, stays, rows)}
    return edges.walled() if written(document, sheet, all_moves, edges.rewritten) else None


def _moves(
    sheet: Sheet, before: Sequence[Glyph], stays: Mapping[int, int], rows: Sequence[Row]
) -> dict[int, tuple[float, float]] | None:
    """By how much each piece moves; None where letters of one piece should move differently."""
    shifts = {index: unit.shift for row in rows for unit in row.units for index in unit.members}
    moves: dict[int, tuple[float, float]] = {}
    last: tuple[int, Frame, float, float] | None = None
    for at, index in stays.items():
        glyph, now, owner = before[index], sheet.glyphs[at], sheet.owners[at]
        along, down = glyph.start - now.start + shifts.get(index, 0.0), glyph.baseline - now.baseline
        if (owner, glyph.frame, along, down) == last:
            continue
        last = owner, glyph.frame, along, down
        x, y = glyph.frame.to_page(along, down) if along or down else (0.0, 0.0)
        known = moves.setdefault(owner, (x, y))
        if abs(known[0] - x) > _STRAY or abs(known[1] - y) > _STRAY:
            return None
    return {piece: move for piece, move in moves.items() if max(map(abs, move)) > 1e-3}


def _lone_blanks(sheet: Sheet, stays: Mapping[int, int], rows: Sequence[Row]) -> dict[int, None]:
    """Blanks of touched lines that stand alone: what nobody sees would still tell where the words stood."""
    inked = {sheet.owners[at] for at in stays}
    lone: dict[int, None] = {}
    for at, glyph in enumerate(sheet.glyphs):
        if sheet.owners[at] not in inked and any(
            row.frame == glyph.frame and row.holds(glyph.baseline) for row in rows
        ):
            lone[sheet.owners[at]] = None
    return lone
