"""Writes beside the pages of a scrubbed PDF what may stay there: bookmarks, links, page labels, all made anew."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pikepdf

Point = tuple[float, float]  # on the page as it is shown: points from its upper left corner, to the right and down


class Bookmark(NamedTuple):
    """An entry of the outline; `level` counts from 0; `page` is -1 where it leads nowhere; `down` None: to its top."""

    title: str
    level: int
    page: int
    down: float | None = None
    is_open: bool = False


class Label(NamedTuple):
    """How pages from `page` on are numbered (ISO 32000-2, 12.4.2): `style` one of D R r A a, or none."""

    page: int
    style: str
    prefix: str
    first: int


class Link(NamedTuple):
    """A rectangle of a page that leads to another place of the document, or to an address of the web."""

    page: int
    one: Point
    other: Point
    target: int = -1
    down: float | None = None
    address: str = ""


class Beside(NamedTuple):
    """Everything that stays beside the pages."""

    bookmarks: tuple[Bookmark, ...] = ()
    labels: tuple[Label, ...] = ()
    links: tuple[Link, ...] = ()


def rebuild(pdf: pikepdf.Pdf, beside: Beside) -> None:
    """Adds it all to a document that has none of it. Places that the document does not have are left out."""
    pages = list(pdf.pages)
    _add_links(pdf, pages, beside.links)
    _add_labels(pdf, len(pages), beside.labels)
    _add_outline(pdf, pages, beside.bookmarks)


def _add_links(pdf: pikepdf.Pdf, pages: Sequence[pikepdf.Page], links: Sequence[Link]) -> None:
    by_page: dict[int, list[Any]] = {}
    for link in links:
        if link.page >= len(pages) or (not link.address and not 0 <= link.target < len(pages)):
            continue
        (x0, y0), (x1, y1) = (_on(pages[link.page], point) for point in (link.one, link.other))
        item = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Link,
            Rect=pikepdf.Array([min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]),
            Border=pikepdf.Array([0, 0, 0]),
            F=4,  # printed, which archives ask for
        )
        if link.address:
            item.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(link.address))
        else:
            item.Dest = _destination(pages, link.target, link.down)
        by_page.setdefault(link.page, []).append(pdf.make_indirect(item))
    for number, items in by_page.items():
        pages[number].obj.Annots = pikepdf.Array(items)


def _on(page: pikepdf.Page, point: Point) -> tuple[Any, Any]:
    """A point of the shown page in the page's own space. Redacted pages are upright."""
    left, _, _, top = (float(side) for side in page.cropbox)
    return round(left + point[0], 2), round(top - point[1], 2)


def _destination(pages: Sequence[pikepdf.Page], number: int, down: float | None) -> Any:
    top = None if down is None else _on(pages[number], (0.0, down))[1]
    return pikepdf.Array([pages[number].obj, pikepdf.Name.XYZ, None, top, None])


def _add_labels(pdf: pikepdf.Pdf, pages: int, labels: Sequence[Label]) -> None:
    numbers = pikepdf.Array()
    for label in labels:
        if label.page >= pages:
            continue
        item = pikepdf.Dictionary()
        if label.style:
            item.S = pikepdf.Name("/" + label.style)
        if label.prefix:
            item.P = pikepdf.String(label.prefix)
        if label.first != 1:
            item.St = label.first
        numbers.append(label.page)
        numbers.append(item)
    if len(numbers):
        pdf.Root.PageLabels = pikepdf.Dictionary(Nums=numbers)


def _add_outline(pdf: pikepdf.Pdf, pages: Sequence[pikepdf.Page], bookmarks: Sequence[Bookmark]) -> None:
    if not bookmarks:
        return
    root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines))
    path: list[tuple[int, Any]] = [(-1, root)]  # from the root to the last entry
    counted: list[tuple[Any, bool]] = []
    for bookmark in bookmarks:
        while path[-1][0] >= bookmark.level:
            path.pop()
        parent = path[-1][1]
        item = pdf.make_indirect(pikepdf.Dictionary(Title=pikepdf.String(bookmark.title), Parent=parent))
        if 0 <= bookmark.page < len(pages):
            item.Dest = _destination(pages, bookmark.page, bookmark.down)
        if "/Last" in parent:
            item.Prev, parent.Last.Next = parent.Last, item
        else:
            parent.First = item
        parent.Last = item
        path.append((bookmark.level, item))
        counted.append((item, bookmark.is_open))
    _count(root, counted)
    pdf.Root.Outlines = root


def _count(root: Any, items: Sequence[tuple[Any, bool]]) -> None:
    """How many entries are shown below each one; negative where it is closed (ISO 32000-2, 12.3.3)."""
    shown: dict[tuple[int, int], int] = {}
    for item, is_open in reversed(items):
        below = shown.get(item.objgen, 0)
        if below:
            item.Count = below if is_open else -below
        parent = item.Parent.objgen
        shown[parent] = shown.get(parent, 0) + 1 + (below if is_open else 0)
    root.Count = shown.get(root.objgen, 0)
