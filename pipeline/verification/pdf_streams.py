"""What all content streams of a redacted PDF show: each page's, and those of forms, patterns, glyphs and appearances.

Also those that nothing draws. Pictures that are in the file although no stream draws them cannot be proven clean.
"""

import re
from collections import Counter
from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from pipeline.verification.limits import MAX_DEPTH, MAX_DRAWN, MAX_UNPACKED
from pipeline.verification.loose_text import texts_in
from pipeline.verification.pdf_fonts import LATIN, Font, font
from pipeline.verification.pdf_objects import Walk, without_operands
from pipeline.verification.pdf_shown import Shown, shown
from schemas.errors import ErrorCode, StageFailed

_SHOWS = re.compile(rb"[)>\]]\s*(?:T[jJ]|['\"])(?![A-Za-z])|(?<![A-Za-z0-9])(?:Do|d0|d1)(?![A-Za-z0-9])")


class Streams(NamedTuple):
    """What the pages' own streams show, page by page, and what all other streams do."""

    pages: list[Shown]
    others: list[Shown]


class _Fonts:
    """The fonts of a document, each read once, looked up by the name that a resource dictionary gives them."""

    def __init__(self) -> None:
        self._known: dict[int, Font] = {}

    def of(self, resources: Any, name: str) -> Font:
        table = _member(resources, "/Font")
        raw = table.raw_get(name) if isinstance(table, DictionaryObject) and name in table else None
        if raw is None:
            return LATIN
        key = raw.idnum if isinstance(raw, IndirectObject) else -id(raw)
        if key not in self._known:
            self._known[key] = font(raw)
        return self._known[key]


class _Drawn:
    """What streams show, and what they draw: objects by number, each as often as each stream draws it."""

    def __init__(self) -> None:
        self.fonts = _Fonts()
        self.by: dict[int, Counter[int]] = {}
        self.inherited: dict[int, Any] = {}

    def shown(self, number: int, data: bytes, resources: Any) -> Shown:
        """What the stream `number` shows, read with these resources."""
        said = shown(data, lambda name: self.fonts.of(resources, name))
        self._lend_to_glyphs(resources)
        table = _member(resources, "/XObject")
        own = self.by.setdefault(number, Counter())
        for name, often in Counter(said.drawn).items():
            raw = table.raw_get(name) if isinstance(table, DictionaryObject) and name in table else None
            if isinstance(raw, IndirectObject):
                own[raw.idnum] += often
                self.inherited.setdefault(raw.idnum, resources)  # a form without resources of its own uses its page's
        return said

    def _lend_to_glyphs(self, resources: Any) -> None:
        """The glyphs of a Type 3 font draw with the resources of their font, or of the page (ISO 32000-2, 9.6.4)."""
        fonts = _member(resources, "/Font")
        for name in fonts if isinstance(fonts, DictionaryObject) else ():
            drawn = fonts[name]
            if isinstance(drawn, DictionaryObject) and drawn.get("/Subtype") == "/Type3":
                glyphs = _member(drawn, "/CharProcs")
                for glyph in glyphs.values() if isinstance(glyphs, DictionaryObject) else ():
                    if isinstance(glyph, IndirectObject):
                        self.inherited.setdefault(glyph.idnum, drawn.get("/Resources", resources))

    def resources(self, number: int, item: StreamObject) -> Any:
        """Those of a stream that is no page's."""
        own = item.get("/Resources")
        return own if own is not None else self.inherited.get(number)

    def objects(self) -> set[int]:
        """Everything that some stream draws."""
        return {number for own in self.by.values() for number in own}

    def require_end(self) -> None:
        """Refuses forms that draw each other in a circle, or so often that no viewer comes to an end."""
        total: dict[int, int] = {}
        for number in self.by:
            if self._total(number, total, 0) > MAX_DRAWN:
                raise StageFailed(ErrorCode.VERIFY_FAILED)

    def _total(self, number: int, total: dict[int, int], depth: int) -> int:
        if depth > MAX_DEPTH:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if number not in total:
            inner = self.by.get(number, Counter())
            total[number] = 1 + sum(often * self._total(other, total, depth + 1) for other, often in inner.items())
        return total[number]


def read(walk: Walk) -> Streams:
    """Every stream once. StageFailed(verify_failed) for a picture that no stream draws, or drawing without end."""
    drawn = _Drawn()
    done: set[int] = set()
    pages: list[Shown] = []
    contents = [_contents(page) for page in walk.reader.pages]
    if sum(len(walk.streams[stream][1]) for own in contents for stream in own if stream in walk.streams) > MAX_UNPACKED:
        raise StageFailed(ErrorCode.VERIFY_FAILED)  # one stream on thousands of pages
    for number, (page, own) in enumerate(zip(walk.reader.pages, contents, strict=True), 1):
        done.update(own)
        data = b"\n".join(walk.streams[stream][1] for stream in own if stream in walk.streams)
        walk.raw.update(dict.fromkeys(texts_in(without_operands(data))))
        pages.append(drawn.shown(-number, data, _inherited(page, "/Resources")))
    others: list[Shown] = []
    for number, (item, data) in walk.streams.items():
        if number not in done:
            is_content = _is_content(item, data)
            walk.raw.update(dict.fromkeys(texts_in(without_operands(data) if is_content else data)))
            if is_content:
                others.append(drawn.shown(number, data, drawn.resources(number, item)))
    drawn.require_end()
    if walk.pictures - drawn.objects() - walk.masks:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return Streams(pages, others)


def _is_content(item: StreamObject, data: bytes) -> bool:
    """Whether a stream draws: a form, a pattern, or one without a kind of its own that shows text like a page does."""
    if item.get("/Subtype") == "/Form" or "/PatternType" in item or "/CharProcs" in item:
        return True
    if "/Type" in item or "/Subtype" in item or "/FunctionType" in item or "/N" in item or b"\0" in data:
        return False
    return _SHOWS.search(data) is not None


def _contents(page: Any) -> list[int]:
    """The numbers of a page's streams, to be read as one: tokens may not be cut, but strings of one text may."""
    contents = page.raw_get("/Contents") if "/Contents" in page else None
    rows = contents.get_object() if isinstance(contents, IndirectObject) else contents
    if isinstance(rows, ArrayObject):
        return [row.idnum for row in list.__iter__(rows) if isinstance(row, IndirectObject)]
    return [contents.idnum] if isinstance(contents, IndirectObject) and isinstance(rows, StreamObject) else []


def _inherited(page: Any, key: str) -> Any:
    for _ in range(MAX_DEPTH):
        if not isinstance(page, DictionaryObject):
            return None
        if key in page:
            return page[key]
        page = page.get("/Parent")
        page = page.get_object() if page is not None else None
    raise StageFailed(ErrorCode.VERIFY_FAILED)


def _member(resources: Any, key: str) -> Any:
    resources = resources.get_object() if resources is not None else None
    value = resources.get(key) if isinstance(resources, DictionaryObject) else None
    return value.get_object() if value is not None else None
