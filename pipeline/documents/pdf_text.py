"""A PDF page's text layer as text in reading order, each character knowing the glyph that shows it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, groupby, pairwise, repeat
from statistics import median, median_low
from typing import NamedTuple

from pipeline.documents.arabic_order import is_typed_order
from pipeline.documents.pdf_cells import APART, CELL, Cell, cells_of
from pipeline.documents.pdf_glyphs import Frame, Glyph
from pipeline.documents.reading_order import MIRRORED, Direction, direction, is_right_to_left, logical_order

_SAME_LINE = 0.35  # of the type size: how far baselines of one line may lie apart
_SPACE = 0.2  # of the type size: a gap that separates words
_DRAWN_SPACE = 0.08  # of the type size: a gap that separates words where a blank is drawn in it
_CURVE = 0.7  # of the type size: how far the next letter of a curved line may stand from the end of the last
_FEW_LETTERS = 6  # fewer glyphs than this on a line say nothing of its spacing
_FEW_LINES = 4  # fewer lines than this on a side are no column of prose
_PROSE = 12.0  # times the type size: the least length of a line of prose
_MOST_SEGMENTS = 3000  # pages of more pieces are tables or drawings
_FULL = 0.55  # share of its column's width that the median line of prose fills

# Four and more in a row are a number; fewer are exponents and notes.
_ODD_DIGITS = re.compile(
    "[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u24ea\u2776-\u277e\U0001d7ce-\U0001d7ff]{4,}"
)


class PageText(NamedTuple):
    """`text`, and for each of its characters the index of its glyph in `glyphs`, -1 for blanks put in between."""

    text: str
    owners: tuple[int, ...]
    glyphs: tuple[Glyph, ...]


class _Segment(NamedTuple):
    """Glyphs of one line without a wide gap, by index, from the line's start to its end."""

    members: tuple[int, ...]
    start: float
    end: float
    baseline: float
    size: float
    parted: AbstractSet[int]  # the glyphs before which a blank is drawn
    apart: AbstractSet[int]  # the glyphs that begin what is drawn by itself, at a distance


def lay_out(glyphs: Sequence[Glyph]) -> PageText:
    """The text of these glyphs: lines broken by newline, cells by tab; columns of prose one after the other."""
    frames: dict[Frame, list[int]] = {}
    for frame, run in groupby(range(len(glyphs)), [glyph.frame for glyph in glyphs].__getitem__):
        frames.setdefault(frame, []).extend(run)
    text: list[str] = []
    owners: list[int] = []
    said = [glyph.text for glyph in glyphs]
    leans_right_to_left = is_right_to_left(said)
    is_typed = any(direction(piece) is Direction.RIGHT_TO_LEFT for piece in set(said)) and is_typed_order(glyphs)
    for members in frames.values():
        segments = _segments(glyphs, members)
        for row in _rows(segments, leans_right_to_left):
            if text:
                _put(text, owners, "\n", -1)
            _write_row(glyphs, row, is_typed, text, owners)
    return PageText(_plain_digits("".join(text)), tuple(owners), tuple(glyphs))


def _plain_digits(text: str) -> str:
    """Numbers written all in subscript, superscript, circled or mathematical digits as plain ones."""
    if text.isascii():
        return text
    return _ODD_DIGITS.sub(lambda run: "".join(str(unicodedata.digit(c)) for c in run[0]), text)


def as_drawn(read: PageText) -> PageText:
    """The same glyphs in the order in which the page draws them, lines and cells parted as there; curves are lines."""
    text: list[str] = []
    owners: list[int] = []
    last: Glyph | None = None
    before = -1
    begins = {owner for sign, owner in zip(chain(" ", read.text), read.owners, strict=False) if sign.isspace()}
    for index in sorted({owner for owner in read.owners if owner >= 0}):
        glyph = read.glyphs[index]
        if last is not None:
            has_blank = any(skipped.is_blank for skipped in read.glyphs[before + 1 : index])
            least = _DRAWN_SPACE if has_blank else _SPACE
            _put(text, owners, _between(last, glyph, min(least, APART) if index in begins else least), -1)
        _put(text, owners, glyph.text, index)
        last, before = glyph, index
    return PageText(_plain_digits("".join(text)), tuple(owners), read.glyphs)


def _between(last: Glyph, glyph: Glyph, least: float) -> str:
    """What stands between a glyph and the one drawn after it. `least`: the gap, in type sizes, that is a blank."""
    size = glyph.size
    if last.frame != glyph.frame:
        x, y = last.frame.to_page(last.end, last.baseline)
        along, down = glyph.frame.to_line(x, y)
        gap, drop = glyph.start - along, glyph.baseline - down
        if abs(drop) > _CURVE * size or abs(gap) > _CURVE * size:
            return "\n"
    else:
        gap, drop = glyph.start - last.end, glyph.baseline - last.baseline
        if abs(drop) > _SAME_LINE * size or gap < -size:
            return "\n"
    return "\t" if gap > CELL * size else " " if gap > least * size else ""


def _put(text: list[str], owners: list[int], piece: str, owner: int) -> None:
    text.append(piece)
    owners.extend([owner] * len(piece))


def _segments(glyphs: Sequence[Glyph], members: Iterable[int]) -> list[_Segment]:
    lines: list[list[int]] = []
    line: list[int] = []
    first: Glyph | None = None
    places = [(glyph.baseline, glyph.start) for glyph in glyphs]
    for index in sorted(members, key=places.__getitem__):
        glyph = glyphs[index]
        if first is None or glyph.baseline - first.baseline > _SAME_LINE * min(first.size, glyph.size):
            first, line = glyph, []
            lines.append(line)
        line.append(index)
    return [_segment(glyphs, cell) for cell in cells_of(glyphs, lines)]


def _segment(glyphs: Sequence[Glyph], cell: Cell) -> _Segment:
    own = [glyphs[index] for index in cell.members]
    baseline = median([glyph.baseline for glyph in own])
    size = max([glyph.size for glyph in own])
    end = max([glyph.end for glyph in own])
    return _Segment(tuple(cell.members), own[0].start, end, baseline, size, cell.parted, cell.apart)


def _rows(segments: Sequence[_Segment], right_to_left: bool) -> Iterable[list[_Segment]]:
    """Rows in reading order: where a gutter divides prose, the whole first column before the second."""
    gutter = _gutter(segments)
    if gutter is None:
        yield from _plain_rows(segments)
        return
    sides: tuple[list[_Segment], list[_Segment]] = ([], [])
    for segment in sorted(segments, key=lambda s: s.baseline):
        if segment.start < gutter < segment.end:  # a heading across both columns: read what is above it first
            for side in reversed(sides) if right_to_left else sides:
                yield from _rows(side, right_to_left)
            sides = ([], [])
            yield [segment]
        else:
            sides[segment.start >= gutter].append(segment)
    for side in reversed(sides) if right_to_left else sides:
        yield from _rows(side, right_to_left)


def _plain_rows(segments: Sequence[_Segment]) -> Iterable[list[_Segment]]:
    row: list[_Segment] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.start)):
        if row and segment.baseline - row[0].baseline > _SAME_LINE * min(segment.size, row[0].size):
            yield row
            row = []
        row.append(segment)
    if row:
        yield row


def _gutter(segments: Sequence[_Segment]) -> float | None:
    """Where a blank strip divides two columns of prose, or None: a table's columns stay rows."""
    wide = sum(s.end - s.start > _PROSE * s.size for s in segments)
    if wide < 2 * _FEW_LINES or len(segments) > _MOST_SEGMENTS:
        return None
    best: tuple[int, float] | None = None
    for gutter in sorted({round(segment.start) - 1.0 for segment in segments}):
        left = [s for s in segments if s.end <= gutter]
        right = [s for s in segments if s.start >= gutter]
        crossing = len(segments) - len(left) - len(right)
        smaller = min(len(left), len(right))
        if smaller < _FEW_LINES or crossing > smaller or (best and smaller <= best[0]):
            continue
        if _is_prose(left) and _is_prose(right):
            best = (smaller, gutter)
    return best[1] if best else None


def _is_prose(side: Sequence[_Segment]) -> bool:
    width = max(s.end for s in side) - min(s.start for s in side)
    typical = median(s.end - s.start for s in side)
    return typical > _FULL * width and typical > _PROSE * median(s.size for s in side)


def _write_row(
    glyphs: Sequence[Glyph], row: list[_Segment], is_typed: bool, text: list[str], owners: list[int]
) -> None:
    members = [index for segment in row for index in segment.members]
    right_to_left = not is_typed and is_right_to_left([glyphs[i].text for i in members])
    row.sort(key=lambda segment: segment.start, reverse=right_to_left)
    for number, segment in enumerate(row):
        if number:
            _put(text, owners, "\t", -1)
        pieces, places = _with_spaces(glyphs, segment)
        order = range(len(pieces)) if is_typed else _reading_order(pieces, right_to_left)
        _write_segment(pieces, places, order, text, owners)


def _reading_order(pieces: Sequence[str], row_right_to_left: bool) -> Sequence[int]:
    kinds = set(map(direction, set(pieces)))
    if not row_right_to_left and Direction.RIGHT_TO_LEFT not in kinds:
        return range(len(pieces))
    lettered = Direction.RIGHT_TO_LEFT in kinds or Direction.LEFT_TO_RIGHT in kinds
    return logical_order(pieces, right_to_left=is_right_to_left(pieces) if lettered else row_right_to_left)


def _write_segment(
    pieces: Sequence[str], places: Sequence[int], order: Sequence[int], text: list[str], owners: list[int]
) -> None:
    if isinstance(order, range):
        text += pieces
        owners.extend(chain.from_iterable(map(repeat, places, map(len, pieces))))
        return
    for step, item in enumerate(order):
        piece = pieces[item]
        backwards = step > 0 and order[step - 1] == item + 1
        if backwards and piece in MIRRORED:
            piece = MIRRORED[piece]
        _put(text, owners, piece, places[item])


def _spread(glyphs: Sequence[Glyph], segment: _Segment) -> float:
    """The gap between the letters of a line that is spaced out, in points; 0 where words are set as usual."""
    if len(segment.members) < _FEW_LETTERS:
        return 0.0
    usual = median(_distances(glyphs, segment))
    return usual if usual > _SPACE * segment.size else 0.0


def _distances(glyphs: Sequence[Glyph], segment: _Segment) -> list[float]:
    """How far each glyph of a line stands from the one before it, in points."""
    members = [glyphs[index] for index in segment.members]
    return [glyph.start - last.end for last, glyph in pairwise(members)]


def _with_spaces(glyphs: Sequence[Glyph], segment: _Segment) -> tuple[list[str], list[int]]:
    pieces: list[str] = []
    places: list[int] = []
    reach = segment.start
    spread = _spread(glyphs, segment)
    usual = _least_usual(glyphs, segment) if segment.apart else 0.0
    for index in segment.members:
        glyph = glyphs[index]
        if glyph.start > reach:
            least = _DRAWN_SPACE if index in segment.parted else _SPACE
            gap = glyph.start - reach
            is_apart = index in segment.apart and gap > usual + APART * glyph.size
            if pieces and (is_apart or gap > spread + least * glyph.size):
                pieces.append(" ")
                places.append(-1)
        pieces.append(glyph.text)
        places.append(index)
        if glyph.end > reach:
            reach = glyph.end
    return pieces, places


def _least_usual(glyphs: Sequence[Glyph], segment: _Segment) -> float:
    """The gap between letters that are each drawn by themselves, in points."""
    distances = _distances(glyphs, segment)
    return max(0.0, median_low(distances)) if len(distances) > 1 else 0.0
