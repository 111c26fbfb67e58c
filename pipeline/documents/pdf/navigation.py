"""Reads bookmarks, links and page labels of a PDF as plain data, and writes them to a sanitized PDF.

ISO 32000-2: destinations 12.3.2, outlines 12.3.3, page labels 12.4.2, link annotations 12.5.6.5.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import pikepdf

from pipeline.documents.limits import MAX_BOOKMARKS, MAX_LINKS

Point = tuple[float, float]  # points from the upper left corner of the page as shown, right and down


class Bookmark(NamedTuple):
    """An outline item. `level` starts at 0; `page` is -1 without a destination, `down` None for the top of the page."""

    title: str
    level: int
    page: int
    down: float | None = None
    is_open: bool = False


class Label(NamedTuple):
    """The numbering of pages from `page` on (ISO 32000-2, 12.4.2). `style` is D, R, r, A, a or empty."""

    page: int
    style: str
    prefix: str
    first: int


class Link(NamedTuple):
    """A link annotation: its corners, and the target page or the web address."""

    page: int
    one: Point
    other: Point
    target: int = -1
    down: float | None = None
    address: str = ""


class Navigation(NamedTuple):
    """The navigation of a document, which redaction keeps."""

    bookmarks: tuple[Bookmark, ...] = ()
    labels: tuple[Label, ...] = ()
    links: tuple[Link, ...] = ()


def add_navigation(pdf: pikepdf.Pdf, navigation: Navigation) -> None:
    """Adds the navigation to a document that has none. Targets on missing pages are left out."""
    pages = list(pdf.pages)
    _add_links(pdf, pages, navigation.links)
    _add_labels(pdf, len(pages), navigation.labels)
    _add_outline(pdf, pages, navigation.bookmarks)


def _add_links(pdf: pikepdf.Pdf, pages: Sequence[pikepdf.Page], links: Sequence[Link]) -> None:
    by_page: dict[int, list[Any]] = {}
    for link in links:
        if link.page >= len(pages) or (not link.address and not 0 <= link.target < len(pages)):
            continue
        (x0, y0), (x1, y1) = (_to_user_space(pages[link.page], point) for point in (link.one, link.other))
        item = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Link,
            Rect=pikepdf.Array([min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]),
            Border=pikepdf.Array([0, 0, 0]),
            F=4,  # the Print flag, which PDF/A requires
        )
        if link.address:
            item.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(link.address))
        else:
            item.Dest = _new_destination(pages, link.target, link.down)
        by_page.setdefault(link.page, []).append(pdf.make_indirect(item))
    for number, items in by_page.items():
        pages[number].obj.Annots = pikepdf.Array(items)


def _to_user_space(page: pikepdf.Page, point: Point) -> tuple[Any, Any]:
    """A point of the page as shown in default user space. Redacted pages are upright."""
    left, _, _, top = (float(side) for side in page.cropbox)
    return round(left + point[0], 2), round(top - point[1], 2)


def _new_destination(pages: Sequence[pikepdf.Page], number: int, down: float | None) -> Any:
    top = None if down is None else _to_user_space(pages[number], (0.0, down))[1]
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
            item.Dest = _new_destination(pages, bookmark.page, bookmark.down)
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
    """Sets the counts of visible descendants; negative for closed items (ISO 32000-2, 12.3.3)."""
    shown: dict[tuple[int, int], int] = {}
    for item, is_open in reversed(items):
        below = shown.get(item.objgen, 0)
        if below:
            item.Count = below if is_open else -below
        parent = item.Parent.objgen
        shown[parent] = shown.get(parent, 0) + 1 + (below if is_open else 0)
    root.Count = shown.get(root.objgen, 0)


_MAX_DEPTH = 60  # of the outline, of name trees and number trees
_LONGEST_TITLE = 1000  # characters
_LONGEST_ADDRESS = 2000
_TOP = {"/XYZ": 3, "/FitH": 2, "/FitBH": 2, "/FitR": 5}  # index of the top coordinate in each kind of destination
_CODED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")


class _Pages:
    """Resolves destinations to page numbers."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pages = [page.obj for page in pdf.pages]
        self._number = {page.objgen: number for number, page in enumerate(self.pages)}
        self._pdf = pdf
        self._named: dict[str, Any] | None = None

    def resolve(self, destination: Any) -> tuple[int, float | None]:
        """The page and the distance from its top, for an explicit or named destination; page -1 if there is none."""
        if isinstance(destination, pikepdf.Name | pikepdf.String):
            destination = self._by_name(str(destination))
        if isinstance(destination, pikepdf.Dictionary):
            destination = destination.get("/D")
        if not isinstance(destination, pikepdf.Array) or not len(destination):
            return -1, None
        page: Any = destination[0]
        if isinstance(page, pikepdf.Dictionary):
            number = self._number.get(page.objgen, -1)
        else:
            number = page if isinstance(page, int) and 0 <= page < len(self.pages) else -1
        return number, self._down(number, destination) if number >= 0 else None

    def _down(self, number: int, destination: Any) -> float | None:
        kind = str(destination[1]) if len(destination) > 1 else ""
        at = _TOP.get(kind)
        if at is None or len(destination) <= at or not _is_number(destination[at]):
            return None
        left = destination[2] if kind == "/XYZ" and _is_number(destination[2]) else 0
        return shown_point(self.pages[number], float(left), float(destination[at]))[1]

    def _by_name(self, name: str) -> Any:
        if self._named is None:
            self._named = {}
            old = self._pdf.Root.get("/Dests")
            if isinstance(old, pikepdf.Dictionary):
                self._named.update((str(key), old[key]) for key in old.keys())  # noqa: SIM118 - no mapping
            names = self._pdf.Root.get("/Names")
            tree = names.get("/Dests") if isinstance(names, pikepdf.Dictionary) else None
            for key, value in tree_entries(tree, "/Names"):
                self._named[str(key)] = value
        return self._named.get(name)


def tree_entries(tree: Any, key: str) -> Iterator[tuple[Any, Any]]:
    """The entries of a name tree (`key` /Names) or number tree (/Nums). Cycles are ignored."""
    waiting, seen = [(tree, 0)], set[tuple[int, int]]()
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node, pikepdf.Dictionary) or depth > _MAX_DEPTH or len(seen) > MAX_LINKS:
            continue
        if node.is_indirect:
            if node.objgen in seen:
                continue
            seen.add(node.objgen)
        pairs = node.get(key)
        if isinstance(pairs, pikepdf.Array):
            for at in range(0, len(pairs) - 1, 2):
                yield pairs[at], pairs[at + 1]
        kids = node.get("/Kids")
        if isinstance(kids, pikepdf.Array):
            waiting += [(kid, depth + 1) for kid in reversed(list(kids))]


def shown_point(page: Any, x: float, y: float) -> Point:
    """A point of default user space on the page as shown: points from its upper left corner."""
    left, bottom, right, top = _box(page)
    turn = _inherited(page, "/Rotate")
    turn = turn % 360 if isinstance(turn, int) else 0
    if turn == 90:
        return y - bottom, x - left
    if turn == 180:
        return right - x, y - bottom
    return (top - y, right - x) if turn == 270 else (x - left, top - y)


def _box(page: Any) -> tuple[float, float, float, float]:
    """The visible part of the page: the intersection of media box and crop box."""
    media = _rectangle(_inherited(page, "/MediaBox")) or (0.0, 0.0, 612.0, 792.0)
    crop = _rectangle(_inherited(page, "/CropBox")) or media
    box = (max(media[0], crop[0]), max(media[1], crop[1]), min(media[2], crop[2]), min(media[3], crop[3]))
    return box if box[0] < box[2] and box[1] < box[3] else media


def _rectangle(value: Any) -> tuple[float, float, float, float] | None:
    if not isinstance(value, pikepdf.Array) or len(value) != 4 or not all(map(_is_number, value)):
        return None
    x0, y0, x1, y1 = (float(side) for side in value)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _inherited(page: Any, key: str) -> Any:
    for _ in range(_MAX_DEPTH):
        if not isinstance(page, pikepdf.Dictionary):
            return None
        if key in page:
            return page[key]
        page = page.get("/Parent")
    return None


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool | pikepdf.Object) and value is not None


def bookmarks(pdf: pikepdf.Pdf) -> tuple[Bookmark, ...]:
    """The outline from top to bottom. Cycles are ignored."""
    outlines = pdf.Root.get("/Outlines")
    if not isinstance(outlines, pikepdf.Dictionary):
        return ()
    pages = _Pages(pdf)
    found: list[Bookmark] = []
    seen: set[tuple[int, int]] = set()
    waiting = [(outlines.get("/First"), 0)]
    while waiting and len(found) < MAX_BOOKMARKS:
        item, level = waiting.pop()
        if not isinstance(item, pikepdf.Dictionary) or level > _MAX_DEPTH or item.objgen in seen:
            continue
        if item.is_indirect:
            seen.add(item.objgen)
        page, down = pages.resolve(_destination(item))
        title = _text(item.get("/Title"))[:_LONGEST_TITLE]
        count = item.get("/Count", 0)
        found.append(Bookmark(title, level, page, down, isinstance(count, int) and count > 0))
        waiting.append((item.get("/Next"), level))
        waiting.append((item.get("/First"), level + 1))
    return tuple(found)


def _destination(item: Any) -> Any:
    """The destination of an outline item or link inside the document."""
    if "/Dest" in item:
        return item["/Dest"]
    action = item.get("/A")
    if isinstance(action, pikepdf.Dictionary) and action.get("/S") == "/GoTo":
        return action.get("/D")
    return None


def _text(value: Any) -> str:
    return "".join(c if c.isprintable() else " " for c in str(value)) if isinstance(value, pikepdf.String) else ""


def labels(pdf: pikepdf.Pdf) -> tuple[Label, ...]:
    """The ranges of page labels, in order."""
    found: dict[int, Label] = {}
    for page, item in tree_entries(pdf.Root.get("/PageLabels"), "/Nums"):
        if isinstance(page, int) and page >= 0 and isinstance(item, pikepdf.Dictionary) and len(found) < MAX_BOOKMARKS:
            style, first = str(item.get("/S", ""))[1:], item.get("/St", 1)
            style = style if style in ("D", "R", "r", "A", "a") else ""
            first = first if isinstance(first, int) and 0 < first < 10**6 else 1
            found[page] = Label(page, style, _text(item.get("/P"))[:_LONGEST_TITLE], first)
    return tuple(found[page] for page in sorted(found))


def links(pdf: pikepdf.Pdf) -> tuple[Link, ...]:
    """The links to destinations in the document and to web addresses. Other actions are ignored."""
    pages = _Pages(pdf)
    found: list[Link] = []
    for number, page in enumerate(pages.pages):
        annotations = page.get("/Annots")
        for item in annotations if isinstance(annotations, pikepdf.Array) else ():
            if len(found) < MAX_LINKS and isinstance(item, pikepdf.Dictionary) and item.get("/Subtype") == "/Link":
                link = _link(pages, number, item)
                if link is not None:
                    found.append(link)
    return tuple(found)


def _link(pages: _Pages, number: int, item: Any) -> Link | None:
    sides = _rectangle(item.get("/Rect"))
    if sides is None:
        return None
    page = pages.pages[number]
    corners = shown_point(page, sides[0], sides[1]), shown_point(page, sides[2], sides[3])
    action = item.get("/A")
    if isinstance(action, pikepdf.Dictionary) and action.get("/S") == "/URI":
        address = str(action.get("/URI", "")).strip()
        return Link(number, *corners, address=address) if _is_plain(address) else None
    target, down = pages.resolve(_destination(item))
    return Link(number, *corners, target, down) if target >= 0 else None


def _is_plain(address: str) -> bool:
    """Whether it is a printable http or https URL without user information and of moderate length."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_web = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return is_web and address.isascii() and address.isprintable() and len(address) <= _LONGEST_ADDRESS


def decoded_address(address: str) -> str:
    """The text of an address: repeated percent-encoding decoded, and base64 parts decoded too."""
    decodings = [address]
    for _ in range(4):
        plain = unquote(decodings[-1])
        if plain == decodings[-1]:
            break
        decodings.append(plain)
    packed = (_unpacked(match[0]) for text in tuple(decodings) for match in _CODED.finditer(text))
    return "\n".join(dict.fromkeys([*reversed(decodings), *filter(None, packed)]))


def _unpacked(code: str) -> str:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(code + "=" * (-len(code) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() else ""
