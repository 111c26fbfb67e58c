"""Settles what is left of a page's touched lines: finds where each letter stood before, and writes it on the grid."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.documents.pdf_edges import Edges
from pipeline.documents.pdf_glyphs import Frame, Glyph
from pipeline.documents.pdf_grid import Row, rows_of
from pipeline.documents.pdf_pieces import Sheet
from pipeline.documents.pdf_placing import written

_MOVED = 0.5  # points: a glyph that is found so far from its place is another one
_STRAY = 0.02  # points: letters of one piece that should move so differently cannot

Stays = dict[int, int]  # what is left: where in the sequence, and where it was before


def by_sequence(before: Sequence[Glyph], after: Sequence[Glyph], doomed: set[int]) -> Stays | None:
    """What is left, when that is all that should be, in its order, wherever it stands now; None when it is not."""
    wanted = [index for index, glyph in enumerate(before) if not glyph.is_blank and index not in doomed]
    stays: Stays = {}
    position = 0
    for at, glyph in enumerate(after):
        if glyph.is_blank:
            continue
        if position < len(wanted) and _is_alike(before[wanted[position]], glyph):
            stays[at] = wanted[position]
            position += 1
        elif not _is_mark(glyph):  # a mark whose letter is gone stands alone now
            return None
    return stays if position == len(wanted) else None


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
        known = moves.setdefault(owner, (round(x, 3), round(y, 3)))
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
