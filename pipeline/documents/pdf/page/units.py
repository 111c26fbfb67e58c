"""The texts of a PDF's pages: as a page reads, as it was drawn where that differs, and what line and page ends cut.

A table may be drawn cell by cell and read row by row; neither order is the right one, so both are looked at.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pipeline.documents.bidi import Direction, direction, other_orders
from pipeline.documents.document import AGAIN, Fragment, JoinedText, TextUnit
from pipeline.documents.pdf.page.glyphs import Glyph
from pipeline.documents.pdf.page.layout import PageText, in_drawing_order, lay_out
from pipeline.documents.pdf.page.tables import Rows, Top, Tops, rows_of, table_texts

_EDGES = 3  # lines at a page's top and bottom that may be running heads and feet
_LONGEST = 400  # characters of a line that are looked at across a cut
_FOLIO = re.compile(r"\W*(?:(?:page|p\.|صفحة|الصفحة)\s*)?\d{1,4}(?:\s*(?:of|/|من|-)\s*\d{1,4})?\W*", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
_DOWNWARDS = re.compile(r"^\w(?:\n\w){7,}$", re.MULTILINE)  # a character to a line: an identifier written downwards


def _no_top(read: PageText, rows: Rows) -> Top | None:
    return None


def page_texts(number: int, glyphs: Sequence[Glyph], *, again: bool = True, top: Tops = _no_top) -> dict[str, PageText]:
    """The page's texts by unit id; the first is how it reads. `again`: whether the others are asked for; `top` tells
    which table goes on at its top.
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
    return len({glyph.frame for glyph in read.glyphs}) < 2  # letters along a curve have frames of their own


def units_of(texts: dict[str, PageText]) -> Iterator[TextUnit]:
    """A unit for each text that says something; only how the page reads is billed."""
    for id_, layout in texts.items():
        if layout.text:
            yield TextUnit(id_, layout.text, billed=AGAIN not in id_)


def _joined(read: PageText) -> PageText:
    """Lines that a hyphen cuts, and what is written downwards, each as one line."""
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


Cut = tuple[tuple[int, int], str, tuple[int, int]]  # two ranges of the text, and what stands between them


def _hyphens(text: str) -> Iterator[Cut]:
    for match in _HYPHEN.finditer(text):
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST)
        end = text.find("\n", match.end())
        end = min(len(text) if end < 0 else end, match.end() + _LONGEST)
        yield (start, match.start()), "", (match.end(), end)


def joined_pages(units: Sequence[TextUnit]) -> Iterator[JoinedText]:
    """What the ends of lines and pages may have cut apart. `units` are in the order of their pages."""
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
    """Whether the page's end may cut a number or an address."""
    tokens = last.split()[-1:] + first.split()[:1]
    return (last[-1:].isdigit() and first[:1].isdigit()) or "@" in "".join(tokens)


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line).strip()


class _Edges:
    """A page's first and last lines."""

    def __init__(self, unit: TextUnit) -> None:
        self.text, self._id = unit.text, unit.id
        self._lines = [match.span() for match in re.finditer(r"[^\n]+", unit.text) if match[0].strip()]
        self.firsts = [self.text[a:b] for a, b in self._lines[:_EDGES]]
        self.lasts = [self.text[a:b] for a, b in self._lines[-_EDGES:]]

    def last(self, feet: set[str]) -> Fragment | None:
        """The last line that is no running foot."""
        return self._body(reversed(self._lines[-_EDGES - 1 :]), feet, at_end=True)

    def first(self, heads: set[str]) -> Fragment | None:
        """The first line that is no running head."""
        return self._body(self._lines[: _EDGES + 1], heads, at_end=False)

    def _body(self, lines: Iterable[tuple[int, int]], running: set[str], *, at_end: bool) -> Fragment | None:
        for start, end in lines:
            line = self.text[start:end]
            if _shape(line) not in running and not _FOLIO.fullmatch(line):
                cut = (max(start, end - _LONGEST), end) if at_end else (start, min(end, start + _LONGEST))
                return Fragment(self._id, *cut)
        return None
