"""Turns the glyphs of a PDF page into text in reading order. Each character refers to the glyph that shows it."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, groupby, pairwise, repeat
from statistics import median, median_low
from typing import NamedTuple

from pipeline.documents.bidi import MIRRORED, Direction, direction, is_right_to_left, logical_order
from pipeline.documents.pdf.page.glyphs import Frame, Glyph

CELL = 1.2  # of the type size: a gap that separates table cells or columns
APART = 0.1  # of the type size: a gap that separates text objects
_THICKER = 0.12  # of the type size: the same letter drawn again so close is fake bold
_OVER = 0.18  # of the type size: a letter that overlaps another by more belongs to another text
_NEAR = 6  # lines above and below that are searched for a common edge
_SHARED = 2  # other lines with an edge at the same position: the edge of a column
_WORD = 0.5  # of the type size: the widest gap between words of a line
_EXACT = 4  # edges are compared in quarters of a point


class Cell(NamedTuple):
    """Glyphs of one line by index, from the line's start to its end, without blanks."""

    members: Sequence[int]
    after_blank: set[int]  # glyphs after a drawn blank
    drawn_separately: set[int]  # glyphs that begin a text object at a distance


class _Gap(NamedTuple):
    """The gap before the glyph `at` of a strand. `width` is in type sizes.

    `is_free`: no blank fills it. Text objects without a gap between them (a text cut at the edge of its cell, and the
    text of the next cell) are separated only where other lines have free gaps.
    """

    at: int
    low: float
    high: float
    width: float
    is_wide: bool
    is_free: bool


class _Strand(NamedTuple):
    """A continuous text along one line, its gaps between possible cells, and its extent."""

    cell: Cell
    gaps: Sequence[_Gap]
    start: float
    end: float


def cells_of(glyphs: Sequence[Glyph], lines: Sequence[list[int]]) -> Iterator[Cell]:
    """The cells of the lines of one frame, from top to bottom.

    Lines are cut at wide gaps, at column edges, and where one text overlaps the next. Printed tables separate cells by
    little more than 2 points, less than a blank of large type. Such narrow gaps count only between text objects without
    a drawn blank in between.
    """
    strands: list[tuple[int, _Strand]] = []
    extents = [(glyph.start, glyph.end) for glyph in glyphs]
    for number, line in enumerate(lines):
        line.sort(key=extents.__getitem__)
        strands += [(number, strand) for strand in _strands(glyphs, line)]
    for (_, (cell, _, _, _)), cuts in zip(strands, _cuts(strands), strict=True):
        places = [gap.at for gap in cuts]
        for start, end in zip([0, *places], [*places, len(cell.members)], strict=True):
            yield Cell(cell.members[start:end], cell.after_blank, cell.drawn_separately)


def _cuts(strands: Sequence[tuple[int, _Strand]]) -> list[list[_Gap]]:
    """The gaps of each strand that separate cells."""
    cuts = [[gap for gap in strand.gaps if gap.is_wide] for _, strand in strands]
    if not any(len(strand.gaps) > len(wide) for (_, strand), wide in zip(strands, cuts, strict=True)):
        return cuts
    edges = _Edges(strands)
    cuts = [[gap for gap in strand.gaps if gap.is_wide or edges.part(number, gap)] for number, strand in strands]
    strips: dict[int, list[_Gap]] = {}
    for (number, _), own in zip(strands, cuts, strict=True):
        strips.setdefault(number, []).extend(own)
    return [
        [gap for gap in strand.gaps if gap in own or _goes_on(strips, number, gap)]
        if len(own) < len(strand.gaps)
        else own
        for (number, strand), own in zip(strands, cuts, strict=True)
    ]


def _goes_on(strips: Mapping[int, Sequence[_Gap]], number: int, gap: _Gap) -> bool:
    """Whether a gap, wider than between words, continues the blank strip between two columns."""
    if not gap.is_free or gap.width <= _WORD:
        return False
    near = (strips.get(line, ()) for line in range(number - _NEAR, number + _NEAR + 1) if line != number)
    return sum(any(cut.low < gap.high and gap.low < cut.high for cut in cuts) for cuts in near) >= _SHARED


def _strands(glyphs: Sequence[Glyph], line: Sequence[int]) -> Iterator[_Strand]:
    """The strand of a line, or one for each of its texts if texts of adjacent cells overlap."""
    over: set[int] = set()
    strand = _strand(glyphs, line, over)
    if over:
        often = Counter(glyphs[index].order for index in line if not glyphs[index].is_blank)
        over = {order for order in over if often[order] > 1}
    if len(over) < 2:
        yield from strand
        return
    texts: dict[int, list[int]] = {}
    for index in line:
        order = glyphs[index].order
        texts.setdefault(order if order in over else -1, []).append(index)
    for text in texts.values():
        yield from _strand(glyphs, text, set())


def _strand(glyphs: Sequence[Glyph], line: Iterable[int], over: set[int]) -> Sequence[_Strand]:
    """The strand of a line; none for a blank line. Adds the drawing orders of overlapping texts to `over`."""
    members: list[int] = []
    gaps: list[_Gap] = []
    after_blank: set[int] = set()
    drawn_separately: set[int] = set()
    last: Glyph | None = None
    reach = filled = 0.0
    has_blank = False
    for index in line:
        glyph = glyphs[index]
        if glyph.is_blank:
            has_blank, filled = True, glyph.end
            continue
        start = glyph.start
        if last is not None:
            if last.text == glyph.text and abs(last.start - start) < _THICKER * glyph.size:
                continue
            is_new = glyph.order != last.order
            if is_new or start > reach:
                size = max(glyph.size, last.size)
                is_wide = start - reach > CELL * size
                if is_new or is_wide:
                    is_separate = is_new and start - (max(reach, filled) if has_blank else reach) > APART * size
                    gaps.append(
                        _Gap(len(members), reach, start, (start - reach) / size, is_wide, is_wide or is_separate)
                    )
                    if is_separate:
                        drawn_separately.add(index)
                    elif is_new and _runs_over(last, glyph):
                        over.update((last.order, glyph.order))
        if has_blank:
            after_blank.add(index)
            has_blank = False
        if not members or glyph.end > reach:
            reach = glyph.end
        last = glyph
        members.append(index)
    return (
        [_Strand(Cell(members, after_blank, drawn_separately), gaps, glyphs[members[0]].start, reach)]
        if members
        else []
    )


def _runs_over(last: Glyph, glyph: Glyph) -> bool:
    """Whether two letters overlap too much to be neighbours in one text. Accents may overlap letters."""
    far = glyph.start < last.end - _OVER * min(glyph.size, last.size)
    return far and last.text.isalnum() and glyph.text.isalnum()


class _Edges:
    """The starts and ends of cells by line, with the widths of the gaps in type sizes."""

    def __init__(self, strands: Sequence[tuple[int, _Strand]]) -> None:
        self._widths: dict[tuple[str, int], dict[int, float]] = {}
        for number, strand in strands:
            free = [gap for gap in strand.gaps if gap.is_free]
            starts = [(strand.start, 0.0), *((gap.high, gap.width) for gap in free)]
            ends = [(strand.end, 0.0), *((gap.low, gap.width) for gap in free)]
            for kind, edges in (("start", starts), ("end", ends)):
                for along, width in edges:
                    self._widths.setdefault((kind, _rounded(along)), {})[number] = width

    def part(self, number: int, gap: _Gap) -> bool:
        """Whether the gap is at a column edge: nearby lines have an edge at the same position.

        If all these gaps are as narrow as between words, they are gaps between words: `15 May 2018` on successive
        lines. Once found, a column continues downwards through narrow gaps.
        """
        is_column = False
        for kind, along in (("start", gap.high), ("end", gap.low)):
            others = self._others(number, kind, along)
            width = max(gap.width, *others.values()) if len(others) >= _SHARED else 0.0
            if width > _WORD:
                is_column = True
                if gap.is_free:
                    self._widths[kind, _rounded(along)][number] = width
        return is_column

    def _others(self, number: int, kind: str, along: float) -> dict[int, float]:
        """The nearby lines with such an edge, and their gap widths."""
        found: dict[int, float] = {}
        for step in (-1, 0, 1):
            same = self._widths.get((kind, _rounded(along) + step), {})
            found.update((line, same[line]) for line in range(number - _NEAR, number + _NEAR + 1) if line in same)
        found.pop(number, None)
        return found


def _rounded(along: float) -> int:
    return round(along * _EXACT)


_ENDS = "ةى"
_JOINS_BEFORE_ONLY = "اأإآدذرزوؤةىء"  # letters that do not join the next letter


def is_typed_order(glyphs: Sequence[Glyph]) -> bool:
    """Whether the Arabic letters of the page are drawn from left to right in typing order.

    Programs without Arabic support draw its letters like Latin ones, unjoined. Spelling decides: ة and ى only end a
    word, the article only begins one. Without such words, joining decides: a letter with the same shape at every place
    in a word was never joined.
    """
    words = list(_words(glyphs))
    texts = ["".join(glyph.text for glyph in word) for word in words]
    in_drawing_order = sum(map(_spelling, texts))
    as_read = sum(_spelling(text[::-1]) for text in texts)
    if in_drawing_order != as_read:
        return in_drawing_order > as_read
    return _is_unjoined(words)


def _words(glyphs: Sequence[Glyph]) -> Iterable[list[Glyph]]:
    """Arabic words of at least two letters, from left to right."""
    letters = [glyph for glyph in glyphs if direction(glyph.text) is Direction.RIGHT_TO_LEFT]
    letters.sort(key=lambda g: (g.frame, round(g.baseline), g.start))
    word: list[Glyph] = []
    for glyph in letters:
        if word:
            last = word[-1]
            same_line = last.frame == glyph.frame and abs(last.baseline - glyph.baseline) < 0.35 * glyph.size
            if not same_line or glyph.start - last.end > 0.15 * glyph.size:
                yield from [word] if len(word) > 1 else []
                word = []
        word.append(glyph)
    yield from [word] if len(word) > 1 else []


def _spelling(word: str) -> int:
    """How plausible the spelling is in this direction."""
    score = 2 * (word[-1] in _ENDS) - 2 * (word[0] in _ENDS)
    if len(word) > 3:
        score += word.startswith("ال") - word.endswith("لا")
    return score


def _is_unjoined(words: Iterable[Sequence[Glyph]]) -> bool:
    codes: dict[tuple[str, str], set[int]] = defaultdict(set)
    stands: dict[tuple[str, str], set[tuple[bool, bool]]] = defaultdict(set)
    for word in words:
        for index, glyph in enumerate(word):
            if glyph.unicode != glyph.text:
                return False  # a presentation form: it was joined
            joined_before = index > 0 and word[index - 1].text not in _JOINS_BEFORE_ONLY
            joined_after = index + 1 < len(word) and glyph.text not in _JOINS_BEFORE_ONLY
            codes[glyph.font, glyph.text].add(glyph.code)
            stands[glyph.font, glyph.text].add((joined_before, joined_after))
    varied = [letter for letter, places in stands.items() if len(places) > 1]
    return bool(varied) and all(len(codes[letter]) == 1 for letter in varied)


_SAME_LINE = 0.35  # of the type size: the largest distance between baselines of one line
_SPACE = 0.2  # of the type size: a gap that separates words
_DRAWN_SPACE = 0.08  # of the type size: a gap that separates words where a blank is drawn in it
_CURVE = 0.7  # of the type size: the largest gap between letters of a curved line
_FEW_LETTERS = 6  # a line with fewer glyphs is not examined for letter spacing
_FEW_LINES = 4  # a column of prose has at least so many lines
_PROSE = 12.0  # times the type size: the least length of a line of prose
_MOST_SEGMENTS = 3000  # pages with more segments are tables or drawings
_FULL = 0.55  # share of its column's width that the median line of prose fills

# Superscript, subscript and circled digits: four or more in a row are a number, fewer are exponents or footnotes.
_ODD_DIGITS = re.compile(
    "[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u24ea\u2776-\u277e\U0001d7ce-\U0001d7ff]{4,}"
)


class PageText(NamedTuple):
    """`text`, and for each of its characters the index of its glyph in `glyphs`, -1 for inserted blanks."""

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
    after_blank: AbstractSet[int]  # glyphs after a drawn blank
    drawn_separately: AbstractSet[int]  # glyphs that begin a text object at a distance


def lay_out(glyphs: Sequence[Glyph]) -> PageText:
    """The text of the glyphs: newlines between lines, tabs between cells, columns of prose one after the other."""
    frames: dict[Frame, list[int]] = {}
    for frame, run in groupby(range(len(glyphs)), [glyph.frame for glyph in glyphs].__getitem__):
        frames.setdefault(frame, []).extend(run)
    text: list[str] = []
    owners: list[int] = []
    texts = [glyph.text for glyph in glyphs]
    leans_right_to_left = is_right_to_left(texts)
    is_typed = any(direction(piece) is Direction.RIGHT_TO_LEFT for piece in set(texts)) and is_typed_order(glyphs)
    for members in frames.values():
        segments = _segments(glyphs, members)
        for row in _rows(segments, leans_right_to_left):
            if text:
                _put(text, owners, "\n", -1)
            _write_row(glyphs, row, is_typed, text, owners)
    return PageText(_plain_digits("".join(text)), tuple(owners), tuple(glyphs))


def _plain_digits(text: str) -> str:
    """The text with numbers in subscript, superscript, circled or mathematical digits as plain digits."""
    if text.isascii():
        return text
    return _ODD_DIGITS.sub(lambda run: "".join(str(unicodedata.digit(c)) for c in run[0]), text)


def in_drawing_order(read: PageText) -> PageText:
    """The same glyphs in the order in which the page draws them. Letters along a curve are one line."""
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
    """The separator between a glyph and the next one drawn. `least`: the least gap, in type sizes, of a blank."""
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
    return _Segment(tuple(cell.members), own[0].start, end, baseline, size, cell.after_blank, cell.drawn_separately)


def _rows(segments: Sequence[_Segment], right_to_left: bool) -> Iterable[list[_Segment]]:
    """The rows in reading order. Columns of prose are read one after the other."""
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
    """The position of a blank strip between two columns of prose; None for tables, which are read by rows."""
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
    """The letter spacing of a spaced-out line in points; 0 for usual text."""
    if len(segment.members) < _FEW_LETTERS:
        return 0.0
    usual = median(_distances(glyphs, segment))
    return usual if usual > _SPACE * segment.size else 0.0


def _distances(glyphs: Sequence[Glyph], segment: _Segment) -> list[float]:
    """The gaps between successive glyphs of a line, in points."""
    members = [glyphs[index] for index in segment.members]
    return [glyph.start - last.end for last, glyph in pairwise(members)]


def _with_spaces(glyphs: Sequence[Glyph], segment: _Segment) -> tuple[list[str], list[int]]:
    pieces: list[str] = []
    places: list[int] = []
    reach = segment.start
    spread = _spread(glyphs, segment)
    usual = _least_usual(glyphs, segment) if segment.drawn_separately else 0.0
    for index in segment.members:
        glyph = glyphs[index]
        if glyph.start > reach:
            least = _DRAWN_SPACE if index in segment.after_blank else _SPACE
            gap = glyph.start - reach
            is_separate = index in segment.drawn_separately and gap > usual + APART * glyph.size
            if pieces and (is_separate or gap > spread + least * glyph.size):
                pieces.append(" ")
                places.append(-1)
        pieces.append(glyph.text)
        places.append(index)
        if glyph.end > reach:
            reach = glyph.end
    return pieces, places


def _least_usual(glyphs: Sequence[Glyph], segment: _Segment) -> float:
    """The usual gap between letters that are drawn one by one, in points."""
    distances = _distances(glyphs, segment)
    return max(0.0, median_low(distances)) if len(distances) > 1 else 0.0
