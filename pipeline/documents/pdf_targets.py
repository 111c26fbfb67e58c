"""Reads from a PDF where its bookmarks and links lead, and how its pages are labelled: plain data, nothing of the file.

ISO 32000-2: destinations 12.3.2, outlines 12.3.3, page labels 12.4.2, link annotations 12.5.6.5.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import pikepdf

from pipeline.documents.limits import MAX_BOOKMARKS, MAX_LINKS
from pipeline.documents.pdf_rebuild import Bookmark, Label, Link, Point

_DEEP = 60  # bookmarks or branches of a tree inside each other
_LONGEST_TITLE = 1000  # characters
_LONGEST_ADDRESS = 2000
_TOP = {"/XYZ": 3, "/FitH": 2, "/FitBH": 2, "/FitR": 5}  # where each kind of destination says how far up it is
_CODED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")


class _Pages:
    """The pages by object, and destinations by name."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pages = [page.obj for page in pdf.pages]
        self._number = {page.objgen: number for number, page in enumerate(self.pages)}
        self._pdf = pdf
        self._named: dict[str, Any] | None = None

    def place(self, destination: Any) -> tuple[int, float | None]:
        """Page and distance from its top as shown, of an explicit or named destination; page -1 where there is none."""
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
        return shown_at(self.pages[number], float(left), float(destination[at]))[1]

    def _by_name(self, name: str) -> Any:
        if self._named is None:
            self._named = {}
            old = self._pdf.Root.get("/Dests")
            if isinstance(old, pikepdf.Dictionary):
                self._named.update((str(key), old[key]) for key in old.keys())  # noqa: SIM118 - no mapping
            names = self._pdf.Root.get("/Names")
            tree = names.get("/Dests") if isinstance(names, pikepdf.Dictionary) else None
            for key, value in leaves(tree, "/Names"):
                self._named[str(key)] = value
        return self._named.get(name)


def leaves(tree: Any, key: str) -> Iterator[tuple[Any, Any]]:
    """The pairs of a name tree (`key` /Names) or number tree (/Nums), whatever loops it has."""
    waiting, seen = [(tree, 0)], set[tuple[int, int]]()
    while waiting:
        node, depth = waiting.pop()
        if not isinstance(node, pikepdf.Dictionary) or depth > _DEEP or len(seen) > MAX_LINKS:
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


def shown_at(page: Any, x: float, y: float) -> Point:
    """A point of the page's own space on the page as it is shown: points from its upper left corner."""
    left, bottom, right, top = _box(page)
    turn = _inherited(page, "/Rotate")
    turn = turn % 360 if isinstance(turn, int) else 0
    if turn == 90:
        return y - bottom, x - left
    if turn == 180:
        return right - x, y - bottom
    return (top - y, right - x) if turn == 270 else (x - left, top - y)


def _box(page: Any) -> tuple[float, float, float, float]:
    """The part of the page that is shown."""
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
    for _ in range(_DEEP):
        if not isinstance(page, pikepdf.Dictionary):
            return None
        if key in page:
            return page[key]
        page = page.get("/Parent")
    return None


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool | pikepdf.Object) and value is not None


def bookmarks(pdf: pikepdf.Pdf) -> tuple[Bookmark, ...]:
    """The outline from top to bottom, whatever loops it has."""
    outlines = pdf.Root.get("/Outlines")
    if not isinstance(outlines, pikepdf.Dictionary):
        return ()
    pages = _Pages(pdf)
    found: list[Bookmark] = []
    seen: set[tuple[int, int]] = set()
    waiting = [(outlines.get("/First"), 0)]
    while waiting and len(found) < MAX_BOOKMARKS:
        item, level = waiting.pop()
        if not isinstance(item, pikepdf.Dictionary) or level > _DEEP or item.objgen in seen:
            continue
        if item.is_indirect:
            seen.add(item.objgen)
        page, down = pages.place(_destination(item))
        title = _text(item.get("/Title"))[:_LONGEST_TITLE]
        count = item.get("/Count", 0)
        found.append(Bookmark(title, level, page, down, isinstance(count, int) and count > 0))
        waiting.append((item.get("/Next"), level))
        waiting.append((item.get("/First"), level + 1))
    return tuple(found)


def _destination(item: Any) -> Any:
    """Where an entry or link leads inside the document."""
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
    for page, item in leaves(pdf.Root.get("/PageLabels"), "/Nums"):
        if isinstance(page, int) and page >= 0 and isinstance(item, pikepdf.Dictionary) and len(found) < MAX_BOOKMARKS:
            style, first = str(item.get("/S", ""))[1:], item.get("/St", 1)
            style = style if style in ("D", "R", "r", "A", "a") else ""
            first = first if isinstance(first, int) and 0 < first < 10**6 else 1
            found[page] = Label(page, style, _text(item.get("/P"))[:_LONGEST_TITLE], first)
    return tuple(found[page] for page in sorted(found))


def links(pdf: pikepdf.Pdf) -> tuple[Link, ...]:
    """Links to places of the document and to addresses of the web; other actions are none."""
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
    corners = shown_at(page, sides[0], sides[1]), shown_at(page, sides[2], sides[3])
    action = item.get("/A")
    if isinstance(action, pikepdf.Dictionary) and action.get("/S") == "/URI":
        address = str(action.get("/URI", "")).strip()
        return Link(number, *corners, address=address) if _is_plain(address) else None
    target, down = pages.place(_destination(item))
    return Link(number, *corners, target, down) if target >= 0 else None


def _is_plain(address: str) -> bool:
    """Whether it is an address of the web without a user's name, as long as an address is."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    is_web = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    return is_web and address.isascii() and address.isprintable() and len(address) <= _LONGEST_ADDRESS


def decoded(address: str) -> str:
    """What an address says: percent signs undone however often they were done, and what is packed in base64."""
    said = [address]
    for _ in range(4):
        plain = unquote(said[-1])
        if plain == said[-1]:
            break
        said.append(plain)
    packed = (_unpacked(match[0]) for text in tuple(said) for match in _CODED.finditer(text))
    return "\n".join(dict.fromkeys([*reversed(said), *filter(None, packed)]))


def _unpacked(code: str) -> str:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(code + "=" * (-len(code) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() else ""
