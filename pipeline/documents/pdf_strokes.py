"""Finds the glyphs of a TrueType program that are bare strokes: what lengthens Arabic words, and says nothing.

Word processors justify Arabic by such strokes (kashida), glyphs that no Unicode map names. The font's own outline tells
them: a flat quadrilateral on the baseline, as wide as the glyph's advance (OpenType: glyf, loca, head, hhea, hmtx).
"""

import struct
from collections.abc import Iterable

_SFNT = (b"\0\1\0\0", b"true")
_POINTS = 4  # of the outline: with so few nothing can be written
_THICK = 0.15  # of the type size
_ABOVE, _BELOW = 0.3, 0.15  # of the type size: between these lies what is on the baseline
_FLAT = 3  # times as wide as high
_REPEATED, _SHORT_X, _SHORT_Y, _SAME_X, _SAME_Y = 8, 2, 4, 16, 32  # flags of a point

Tables = dict[bytes, bytes]


def strokes(program: bytes, numbers: Iterable[int]) -> set[int]:
    """Those of the glyph `numbers` that are bare strokes; none in a program of another kind."""
    if program[:4] not in _SFNT:
        return set()
    try:
        tables = _tables(program)
        return {number for number in numbers if _is_stroke(tables, number)}
    except (struct.error, IndexError, KeyError):
        return set()


def _tables(program: bytes) -> Tables:
    (count,) = struct.unpack_from(">H", program, 4)
    rows = [struct.unpack_from(">4sIII", program, 12 + 16 * number) for number in range(count)]
    return {tag: program[start : start + length] for tag, _, start, length in rows}


def _is_stroke(tables: Tables, number: int) -> bool:
    (em,) = struct.unpack_from(">H", tables[b"head"], 18)
    (metrics,) = struct.unpack_from(">H", tables[b"hhea"], 34)
    (advance,) = struct.unpack_from(">H", tables[b"hmtx"], 4 * min(number, metrics - 1))
    points = _points(_outline(tables, number))
    if len(points) != _POINTS:
        return False
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    bottom, top = min(y for _, y in points), max(y for _, y in points)
    is_level = -_BELOW * em <= bottom and top <= _ABOVE * em
    is_flat = top - bottom <= _THICK * em and right - left >= _FLAT * (top - bottom)
    return is_level and is_flat and left <= 0 and right >= advance > 0


def _outline(tables: Tables, number: int) -> bytes:
    (is_long,) = struct.unpack_from(">h", tables[b"head"], 50)
    if is_long:
        start, end = struct.unpack_from(">II", tables[b"loca"], 4 * number)
    else:
        start, end = (2 * half for half in struct.unpack_from(">HH", tables[b"loca"], 2 * number))
    return tables[b"glyf"][start:end]


def _points(outline: bytes) -> list[tuple[int, int]]:
    """The points of an outline of one contour of few points; none of any other."""
    if len(outline) < 14 or struct.unpack_from(">h", outline)[0] != 1:
        return []
    last, skipped = struct.unpack_from(">HH", outline, 10)
    if last + 1 != _POINTS:
        return []
    at = 14 + skipped
    flags: list[int] = []
    while len(flags) <= last:
        flags.append(outline[at])
        if flags[-1] & _REPEATED:
            flags += [flags[-1]] * outline[at + 1]
            at += 1
        at += 1
    flags = flags[: last + 1]
    across, at = _coordinates(outline, at, flags, _SHORT_X, _SAME_X)
    up, _ = _coordinates(outline, at, flags, _SHORT_Y, _SAME_Y)
    return list(zip(across, up, strict=True))


def _coordinates(outline: bytes, at: int, flags: Iterable[int], short: int, same: int) -> tuple[list[int], int]:
    """One axis of the points, each stored as its distance from the last, and where the next axis begins."""
    found: list[int] = []
    place = 0
    for flag in flags:
        if flag & short:
            place += outline[at] if flag & same else -outline[at]
            at += 1
        elif not flag & same:
            place += struct.unpack_from(">h", outline, at)[0]
            at += 2
        found.append(place)
    return found, at
