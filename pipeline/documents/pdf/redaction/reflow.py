"""Writes a page after a removal: finds the old position of each remaining glyph, and aligns touched lines to a grid."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.documents.pdf.navigation import Link
from pipeline.documents.pdf.page.glyphs import Frame, Glyph
from pipeline.documents.pdf.redaction.text_objects import (
    Affine,
    Instruction,
    PageContent,
    Stream,
    affine,
    write_page,
)
from pipeline.documents.pdf.redaction.width_grid import POSITION_DECIMALS, TouchedLine, touched_lines

_BUILDING = {"m": 1, "l": 1, "c": 3, "v": 2, "y": 2, "re": 2, "h": 0}
_PAINTING = frozenset(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"])
_TABLE = 4  # corners at one position, on different lines: the edge of a table
_TALL = 0.5  # of the type size: a shape from this height down to the baseline is a vertical edge
_APART = 6.0  # points: corners farther apart belong to different lines
_EXACT = 5  # decimals

Point = tuple[float, float]


class PageShapes:
    """The paths of one page: underlines, highlights, clips and frames of words.

    An underline that ends with a removed name is as wide as the name, so its edge moves to the edge of the box. Edges
    near remaining words move with them. Edges that several shapes share belong to a table and do not move.
    """

    def __init__(self, content: PageContent, rows: Sequence[TouchedLine]) -> None:
        self._rows = rows
        self._shared: Counter[int] = Counter()
        self._paths = {stream.xref: list(_paths(stream)) for stream in content.streams} if rows else {}
        for paths in self._paths.values():
            corners = {(round(x * 10), round(y / _APART)) for _, _, points in paths for x, y in points}
            self._shared.update(x for x, _ in corners)

    def rewritten(self, stream: Stream) -> list[Instruction]:
        """The instructions of the stream, with the shapes of touched lines moved."""
        found = list(stream.instructions)
        for at, to_page, points in self._paths.get(stream.xref, ()):
            row = self._row(points) if points else None
            if row is not None:
                for index in at:
                    operands, operator = found[index]
                    found[index] = (self._moved(row, operands, operator, to_page), operator)
        return found

    def with_vertical_edges(self) -> list[TouchedLine]:
        """The lines with the vertical edges next to them that do not move: frames of cells and of forms."""
        shapes = [points for paths in self._paths.values() for _, _, points in paths if points]
        return [row._replace(vertical_edges=tuple(self._vertical_edges(row, shapes))) for row in self._rows]

    def _vertical_edges(self, row: TouchedLine, shapes: Sequence[Sequence[Point]]) -> Iterator[float]:
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

    def _is_table(self, row: TouchedLine, x: float) -> bool:
        """Whether corners on several lines are at this position."""
        return abs(row.frame.cos) > 0.5 and self._shared[round(x * 10)] >= _TABLE

    def _row(self, points: Sequence[Point]) -> TouchedLine | None:
        """The touched line that a shape belongs to."""
        for row in self._rows:
            placed = [row.frame.to_line(*point) for point in points]
            if row.frame.is_upright and all(row.holds(down) for _, down in placed):
                return row
        return None

    def _moved(self, row: TouchedLine, operands: list[Any], operator: str, to_page: Affine) -> list[Any]:
        back = to_page.inverse()
        moved: list[Any] = []
        for x, y in _points(operands, operator, to_page):
            along, down = row.frame.to_line(x, y)
            if not self._is_table(row, x):
                x, y = (round(side, POSITION_DECIMALS) for side in row.frame.to_page(row.moved(along), down))
            moved += [round(side, _EXACT) for side in back.point(x, y)]
        if operator == "re":
            moved = [*moved[:2], round(moved[2] - moved[0], _EXACT), round(moved[3] - moved[1], _EXACT)]
        return moved


def _paths(stream: Stream) -> Iterator[tuple[list[int], Affine, list[Point]]]:
    """Each path: its instruction indexes, the map from its space to the page, and its points on the page."""
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


def moved_links(links: Sequence[Link], rows: Mapping[int, Sequence[TouchedLine] | None]) -> tuple[Link, ...]:
    """The links, those on touched lines moved like the words; `rows` are the touched lines by page."""
    return tuple(_moved_link(link, rows.get(link.page) or ()) for link in links)


def _moved_link(link: Link, rows: Sequence[TouchedLine]) -> Link:
    for row in rows:
        corners = [row.frame.to_line(*corner) for corner in (link.one, link.other)]
        if row.frame.is_upright and all(row.holds(down) for _, down in corners):
            one, other = (row.frame.to_page(row.moved(along), down) for along, down in corners)
            return link._replace(one=one, other=other)
    return link


_MOVED = 0.5  # points: a glyph farther from the old position is another glyph
_STRAY = 0.02  # points: the largest difference between the moves of glyphs in one text string

Remaining = dict[int, int]  # index of each remaining glyph after the removal, and its index before


def match_by_sequence(before: Sequence[Glyph], after: Sequence[Glyph], to_remove: set[int]) -> Remaining | None:
    """Matches the remaining glyphs by order alone; None unless exactly the expected glyphs remain."""
    wanted = (index for index, glyph in enumerate(before) if not glyph.is_blank and index not in to_remove)
    remaining: Remaining = {}
    index = next(wanted, None)
    for at, glyph in enumerate(after):
        if glyph.is_blank:
            continue
        if index is not None and _is_alike(before[index], glyph):
            remaining[at] = index
            index = next(wanted, None)
        elif not _is_mark(glyph):  # a mark is a glyph of its own once its letter is removed
            return None
    return remaining if index is None else None


def match_by_position(before: Sequence[Glyph], after: Sequence[Glyph]) -> Remaining | None:
    """Matches the remaining glyphs by order and position; None if a glyph has a new position.

    Redaction keeps the drawing order: the remaining glyphs are a subsequence of the glyphs before.
    """
    remaining: Remaining = {}
    position = 0
    for at, glyph in enumerate(after):
        if glyph.is_blank:
            continue
        ahead = position
        while ahead < len(before) and not _is_same(before[ahead], glyph):
            ahead += 1
        if ahead < len(before):
            remaining[at] = ahead
            position = ahead + 1
        elif not _is_mark(glyph):
            return None
    return remaining


def _is_same(one: Glyph, other: Glyph) -> bool:
    near = abs(one.start - other.start) < _MOVED and abs(one.baseline - other.baseline) < _MOVED
    return near and _is_alike(one, other)


def _is_alike(one: Glyph, other: Glyph) -> bool:
    return one.code == other.code and one.frame == other.frame


def _is_mark(glyph: Glyph) -> bool:
    return all(unicodedata.category(character) in ("Mn", "Me") for character in glyph.unicode)


def reflowed(
    document: Any,
    page: Any,
    content: PageContent,
    before: Sequence[Glyph],
    remaining: Mapping[int, int],
    to_remove: set[int],
) -> list[TouchedLine] | None:
    """Writes the page with the remaining text aligned to the grid; its touched lines, or None if this is impossible."""
    string_of = {index: content.owners[at] for at, index in remaining.items()}
    gone = {index for index, glyph in enumerate(before) if index not in string_of and not glyph.is_blank}
    box = page.rect
    rows = touched_lines(before, to_remove | gone, string_of, ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))
    moves = _moves(content, before, remaining, rows)
    if moves is None:
        return None
    edges = PageShapes(content, rows)
    all_moves = {**moves, **_lone_blanks(content, remaining, rows)}
    return edges.with_vertical_edges() if write_page(document, content, all_moves, edges.rewritten) else None


def _moves(
    content: PageContent, before: Sequence[Glyph], remaining: Mapping[int, int], rows: Sequence[TouchedLine]
) -> dict[int, tuple[float, float]] | None:
    """The move of each text string; None if glyphs of one string would need different moves."""
    shifts = {index: unit.shift for row in rows for unit in row.units for index in unit.members}
    moves: dict[int, tuple[float, float]] = {}
    last: tuple[int, Frame, float, float] | None = None
    for at, index in remaining.items():
        glyph, now, owner = before[index], content.glyphs[at], content.owners[at]
        along, down = glyph.start - now.start + shifts.get(index, 0.0), glyph.baseline - now.baseline
        if (owner, glyph.frame, along, down) == last:
            continue
        last = owner, glyph.frame, along, down
        x, y = glyph.frame.to_page(along, down) if along or down else (0.0, 0.0)
        known = moves.setdefault(owner, (x, y))
        if abs(known[0] - x) > _STRAY or abs(known[1] - y) > _STRAY:
            return None
    return {piece: move for piece, move in moves.items() if max(map(abs, move)) > 1e-3}


def _lone_blanks(content: PageContent, remaining: Mapping[int, int], rows: Sequence[TouchedLine]) -> dict[int, None]:
    """Text strings of touched lines that show only blanks. They are removed: their positions would leak widths."""
    inked = {content.owners[at] for at in remaining}
    lone: dict[int, None] = {}
    for at, glyph in enumerate(content.glyphs):
        if content.owners[at] not in inked and any(
            row.frame == glyph.frame and row.holds(glyph.baseline) for row in rows
        ):
            lone[content.owners[at]] = None
    return lone
