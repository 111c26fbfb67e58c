"""The texts of PDF pages as units for detection: in reading order, in drawing order, and joined across line ends.

A table may be drawn cell by cell and read row by row. Either order may be the right one, so detection reads both.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipeline.documents.bidi import Direction, direction, other_orders
from pipeline.documents.document import AGAIN, Fragment, JoinedText, TextUnit
from pipeline.documents.pdf.page.glyphs import Glyph
from pipeline.documents.pdf.page.layout import PageText, in_drawing_order, lay_out
from pipeline.documents.pdf.page.tables import Rows, Top, Tops, rows_of, table_texts

_EDGES = 3  # lines at the top and bottom of a page that may be running heads and feet
_LONGEST = 400  # characters of a line that are joined
_FOLIO = re.compile(r"\W*(?:(?:page|p\.|صفحة|الصفحة)\s*)?\d{1,4}(?:\s*(?:of|/|من|-)\s*\d{1,4})?\W*", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
_DOWNWARDS = re.compile(r"^\w(?:\n\w){7,}$", re.MULTILINE)  # one character per line: an identifier written vertically


def _no_top(read: PageText, rows: Rows) -> Top | None:
    return None


def page_texts(number: int, glyphs: Sequence[Glyph], *, again: bool = True, top: Tops = _no_top) -> dict[str, PageText]:
    """The texts of a page by unit id, first the one in reading order.

    `again`: whether the other variants are needed. `top` finds the table that continues at the top of the page.
    """
    read = lay_out(glyphs)
    id_ = f"page/{number}"
    texts = {id_: read}
    if not again:
        return texts
    if not _is_drawn_as_read(read) and not any(direction(glyph.text) is Direction.RIGHT_TO_LEFT for glyph in glyphs):
        drawn = in_drawing_order(read)
        if drawn.text.split() != read.text.split():
            texts[f"{id_}{AGAIN}/drawn"] = drawn
    for count, order in enumerate(other_orders(read.text)):
        owners = tuple(read.owners[place] for place in order.places)
        texts[f"{id_}{AGAIN}/groups{count}"] = PageText(order.text, owners, read.glyphs)
    rows = rows_of(read) if "\t" in read.text else []
    joined = _joined(read)
    if joined.text:
        texts[f"{id_}{AGAIN}/joined"] = joined
    texts.update(table_texts(id_, read, rows, top(read, rows)))
    return texts


def _is_drawn_as_read(read: PageText) -> bool:
    owners = [owner for owner in read.owners if owner >= 0]
    if any(one > other for one, other in pairwise(owners)):
        return False
    return len({glyph.frame for glyph in read.glyphs}) < 2  # letters along a curve have different frames


def units_of(texts: dict[str, PageText]) -> Iterator[TextUnit]:
    """A unit for each text that is not empty. Only the text in reading order is billed."""
    for id_, layout in texts.items():
        if layout.text:
            yield TextUnit(id_, layout.text, billed=AGAIN not in id_)


def _joined(read: PageText) -> PageText:
    """Hyphenated lines and vertically written identifiers, each as one line."""
    text: list[str] = []
    owners: list[int] = []
    for first, glue, second in _hyphens(read.text):
        pieces = [first, second]
        for number, (start, end) in enumerate(pieces):
            text.append(read.text[start:end])
            owners.extend(read.owners[start:end])
            mark = "\n" if number else glue
            text.append(mark)
            owners.extend([-1] * len(mark))
    for column in _DOWNWARDS.finditer(read.text):
        places = [*range(column.start(), column.end(), 2)]
        text += [*(read.text[place] for place in places), "\n"]
        owners += [*(read.owners[place] for place in places), -1]
    return PageText("".join(text), tuple(owners), read.glyphs)


Cut = tuple[tuple[int, int], str, tuple[int, int]]  # two ranges of the text, and the text between them


def _hyphens(text: str) -> Iterator[Cut]:
    for match in _HYPHEN.finditer(text):
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST)
        end = text.find("\n", match.end())
        end = min(len(text) if end < 0 else end, match.end() + _LONGEST)
        yield (start, match.start()), "", (match.end(), end)


def joined_pages(units: Sequence[TextUnit]) -> Iterator[JoinedText]:
    """Joins the last line of each page with the first line of the next. `units` are in page order."""
    edges = [_Edges(unit) for unit in units if unit.billed]
    for number, (one, other) in enumerate(pairwise(edges)):
        near = edges[max(0, number - 1) : number + 3]
        feet = {_shape(line) for edge in near if edge is not one for line in edge.lasts}
        heads = {_shape(line) for edge in near if edge is not other for line in edge.firsts}
        last, first = one.last(feet), other.first(heads)
        if last and first:
            yield JoinedText((last, first), " ", flows=True)
            if _may_go_on(one.text[last.start : last.end], other.text[first.start : first.end]):
                yield JoinedText((last, first), "", flows=True)


def _may_go_on(last: str, first: str) -> bool:
    """Whether a number or an e-mail address may continue on the next page."""
    tokens = last.split()[-1:] + first.split()[:1]
    return (last[-1:].isdigit() and first[:1].isdigit()) or "@" in "".join(tokens)


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line).strip()


class _Edges:
    """The first and last lines of a page."""

    def __init__(self, unit: TextUnit) -> None:
        self.text, self._id = unit.text, unit.id
        self._lines = [match.span() for match in re.finditer(r"[^\n]+", unit.text) if match[0].strip()]
        self.firsts = [self.text[a:b] for a, b in self._lines[:_EDGES]]
        self.lasts = [self.text[a:b] for a, b in self._lines[-_EDGES:]]

    def last(self, feet: set[str]) -> Fragment | None:
        """The last line that is not a running foot."""
        return self._body(reversed(self._lines[-_EDGES - 1 :]), feet, at_end=True)

    def first(self, heads: set[str]) -> Fragment | None:
        """The first line that is not a running head."""
        return self._body(self._lines[: _EDGES + 1], heads, at_end=False)

    def _body(self, lines: Iterable[tuple[int, int]], running: set[str], *, at_end: bool) -> Fragment | None:
        for start, end in lines:
            line = self.text[start:end]
            if _shape(line) not in running and not _FOLIO.fullmatch(line):
                cut = (max(start, end - _LONGEST), end) if at_end else (start, min(end, start + _LONGEST))
                return Fragment(self._id, *cut)
        return None
