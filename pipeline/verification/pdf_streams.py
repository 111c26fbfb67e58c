"""What all content streams of a redacted PDF show: each page's, and those of forms, patterns, glyphs and appearances.

Also those that nothing draws. Pictures that are in the file although no stream draws them cannot be proven clean.
"""

import re
from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from pipeline.verification.limits import MAX_DEPTH, MAX_UNPACKED
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


def read(walk: Walk) -> Streams:
    """Every stream once. StageFailed(verify_failed) for a picture that no stream draws."""
    fonts = _Fonts()
    done: set[int] = set()
    pages: list[Shown] = []
    inherited: dict[int, Any] = {}
    drawn: set[int] = set()
    left = MAX_UNPACKED
    for page in walk.reader.pages:
        resources = _inherited(page, "/Resources")
        data = _content(walk, page.raw_get("/Contents") if "/Contents" in page else None, done)
        left -= len(data)
        if left < 0:  # one stream on thousands of pages
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        walk.raw.update(dict.fromkeys(texts_in(without_operands(data))))
        pages.append(_shown(data, resources, fonts, drawn, inherited))
    others: list[Shown] = []
    for number, (item, data) in walk.streams.items():
        if number in done:
            continue
        is_content = _is_content(item, data)
        walk.raw.update(dict.fromkeys(texts_in(without_operands(data) if is_content else data)))
        if is_content:
            own = item.get("/Resources")
            resources = own if own is not None else inherited.get(number)
            others.append(_shown(data, resources, fonts, drawn, inherited))
    if walk.pictures - drawn - walk.masks:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return Streams(pages, others)


def _is_content(item: StreamObject, data: bytes) -> bool:
    """Whether a stream draws: a form, a pattern, or one without a kind of its own that shows text like a page does."""
    if item.get("/Subtype") == "/Form" or "/PatternType" in item or "/CharProcs" in item:
        return True
    if "/Type" in item or "/Subtype" in item or "/FunctionType" in item or "/N" in item or b"\0" in data:
        return False
    return _SHOWS.search(data) is not None


def _shown(data: bytes, resources: Any, fonts: _Fonts, drawn: set[int], inherited: dict[int, Any]) -> Shown:
    said = shown(data, lambda name: fonts.of(resources, name))
    table = _member(resources, "/XObject")
    for name in said.drawn:
        raw = table.raw_get(name) if isinstance(table, DictionaryObject) and name in table else None
        if isinstance(raw, IndirectObject):
            drawn.add(raw.idnum)
            inherited.setdefault(raw.idnum, resources)  # a form without resources of its own uses its page's
    return said


def _content(walk: Walk, contents: Any, done: set[int]) -> bytes:
    """A page's streams as one: tokens may not be cut, but strings of one text may."""
    rows = contents.get_object() if isinstance(contents, IndirectObject) else contents
    numbers = [contents.idnum] if isinstance(contents, IndirectObject) and isinstance(rows, StreamObject) else []
    if isinstance(rows, ArrayObject):
        numbers = [row.idnum for row in list.__iter__(rows) if isinstance(row, IndirectObject)]
    done.update(numbers)
    return b"\n".join(walk.streams[number][1] for number in numbers if number in walk.streams)


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
