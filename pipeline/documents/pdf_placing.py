"""Writes a PDF page that was taken apart anew: pieces that move stand at places of their own, and nothing says where
they stood before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pikepdf

from pipeline.documents.pdf_grid import PLACED
from pipeline.documents.pdf_pieces import Index, Instruction, Piece, Sheet, Stream, packed

_EXACT = 5  # decimals of a coordinate
_ALIKE = 1e-3  # points
_PLACING = frozenset(["Td", "TD", "Tm", "T*"])

Moves = Mapping[int, tuple[float, float] | None]  # by piece, in points of the page; None: the piece goes


def written(document: Any, sheet: Sheet, moves: Moves, rewrite: Callable[[Stream], list[Instruction]]) -> bool:
    """Writes the page anew: each piece of a text object in which one moves stands at a place of its own.

    `rewrite` gives a stream's instructions. False when a place is unknown; then nothing is written.
    """
    fresh: list[tuple[int, bytes]] = []
    for stream in sheet.streams:
        placed = list(_placed(rewrite(stream), sheet, moves))
        if any(operator == "lost" for _, operator in placed):
            return False
        fresh.append((stream.xref, packed(placed)))
    for xref, data in fresh:
        document.update_stream(xref, data)
    return True


def _placed(instructions: Sequence[Instruction], sheet: Sheet, moves: Moves) -> Iterator[Instruction]:
    """How far words are spread (Tw) is said only where it has an effect: it tells how wide the gaps of a line were."""
    stack: list[tuple[float, float]] = []
    wanted = actual = 0.0
    is_touched = False
    for at, (operands, operator) in enumerate(instructions):
        if operator == "q":
            stack.append((wanted, actual))
        elif operator == "Q" and stack:
            wanted, actual = stack.pop()
        elif operator == "BT":
            is_touched = not moves.keys().isdisjoint(_shown(instructions, at))
        elif operator == "Tw":
            wanted = float(operands[0])
            continue
        elif operator in ("TJ", "Do"):
            right = 0.0 if is_touched and operator == "TJ" else wanted
            if actual != right:
                actual = right
                yield [right], "Tw"
        if operator == "TJ" and is_touched:
            yield from _spelled(operands[0], sheet, moves)
        elif operator == "TJ":
            yield _strings(operands[0], sheet), "TJ"
        elif not is_touched or operator not in _PLACING:
            yield operands, operator
        if operator == "ET":
            is_touched = False


def _shown(instructions: Sequence[Instruction], start: int) -> Iterator[int]:
    """The pieces of the text object that begins there."""
    for operands, operator in instructions[start:]:
        if operator == "ET":
            return
        if operator == "TJ":
            yield from (member for member in operands[0] if isinstance(member, Index))


def _spelled(members: Sequence[Any], sheet: Sheet, moves: Moves) -> Iterator[Instruction]:
    for run, move in _runs(members, sheet, moves):
        if run[0] not in sheet.origins:
            yield [], "lost"
            return
        yield _matrix(sheet.pieces[run[0]], sheet.origins[run[0]], move), "Tm"
        yield _strings(run, sheet), "TJ"


def _runs(members: Sequence[Any], sheet: Sheet, moves: Moves) -> Iterator[tuple[list[Any], tuple[float, float]]]:
    """Pieces that move alike, with the displacements between them."""
    run: list[Any] = []
    last = (0.0, 0.0)
    between: list[Any] = []
    for member in members:
        if not isinstance(member, Index):
            between.append(member)
            continue
        move = moves.get(member, (0.0, 0.0))
        piece = sheet.pieces[member]
        if move is None or not piece.string:
            between = []
            if run:
                yield run, last
                run = []
            continue
        if run and (piece.is_alone or not _is_alike(move, last)):
            yield run, last
            run = []
        run += [*(between if run else ()), member]
        between, last = [], move
    if run:
        yield run, last


def _is_alike(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) < _ALIKE


def _matrix(piece: Piece, origin: tuple[float, float], move: tuple[float, float]) -> list[Any]:
    x, y = origin[0] + move[0], origin[1] + move[1]
    if any(move):
        x, y = round(x, PLACED), round(y, PLACED)
    x, y = piece.to_page.inverse().point(x, y)
    a, b, c, d = piece.axes
    place = x - piece.rise * c, y - piece.rise * d
    return [round(value, _EXACT) for value in (a, b, c, d, *place)]


def _strings(members: Sequence[Any], sheet: Sheet) -> list[Any]:
    shown = [pikepdf.String(sheet.pieces[m].string) if isinstance(m, Index) else round(m, 4) for m in members]
    return [pikepdf.Array(shown)]
