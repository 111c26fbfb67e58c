"""The text of all content streams of a redacted PDF: pages, form XObjects, patterns, Type 3 glyphs and appearances.

Every text-showing operator of every stream counts (ISO 32000-1, 9.4.3), also in streams that are never drawn, and in
text that is clipped or covered. The codes are decoded with the fonts of the stream's resources. A file with an image
XObject that no stream draws is refused, because OCR cannot see it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from pipeline.verification.limits import MAX_DEPTH, MAX_DRAWN, MAX_UNPACKED
from pipeline.verification.pdf.fonts import LATIN, Font, font
from pipeline.verification.pdf.objects import PdfObjects, readable_texts, without_operands
from schemas.errors import ErrorCode, StageFailed

_TOKEN = re.compile(
    rb"""\((?P<simple>[^()\\]*)\)                # a literal string without escapes and parentheses
        |(?P<open>\()                            # any other literal string
        |<(?P<hex>[0-9A-Fa-f\s]+)>               # a hexadecimal string
        |/(?P<font>[^\s()<>\[\]{}/%]*)\s+[-+.0-9]+\s+Tf\b
        |/(?P<drawn>[^\s()<>\[\]{}/%]*)\s+Do\b
        |/[^\s()<>\[\]{}/%]*                     # any other name
        |%(?P<comment>[^\r\n]*)
        |(?P<image>\bBI\b[^\0]{0,1000}?\bID[\ \r\n\t])
        |(?P<move>\b(?:Td|TD|Tm|T\*|ET)(?![A-Za-z*]))
        |(?P<quote>['"])                         # move to the next line and show text
        |(?P<kern>-[0-9]{3,}(?:\.[0-9]*)?)       # in a TJ array: a gap that may be a space
        |(?P<save>(?<![A-Za-z0-9])q(?![A-Za-z0-9]))
        |(?P<restore>(?<![A-Za-z0-9])Q(?![A-Za-z0-9]))""",
    re.VERBOSE | re.DOTALL,
)
_IMAGE_END = re.compile(rb"[\s]EI\b")
_NAME_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_STRING_TOKEN = re.compile(rb"[^()\\]+|\\[0-7]{1,3}|\\\r\n|\\.|[()]", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_MIN_SPACE = 180.0  # thousandths of the font size: a larger gap separates words
_MAX_SAVED = 1000  # nested graphics states that are tracked


class StreamText(NamedTuple):
    """The text of a content stream in four readings: ToUnicode, glyph names, single bytes, and UTF-16.

    `xobjects` are the resource names of the XObjects that it paints, once per paint operation.
    """

    by_unicode_map: str
    by_glyph_name: str
    as_bytes: str
    as_utf16: str = ""
    xobjects: tuple[str, ...] = ()


_SHOWS_TEXT = re.compile(rb"[)>\]]\s*(?:T[jJ]|['\"])(?![A-Za-z])|(?<![A-Za-z0-9])(?:Do|d0|d1)(?![A-Za-z0-9])")


class ContentStreams(NamedTuple):
    """The text of each page's content streams, and of all other content streams."""

    pages: list[StreamText]
    others: list[StreamText]


def read(document: PdfObjects) -> ContentStreams:
    """The text of every content stream. StageFailed(verify_failed) for an unpainted image or endless painting."""
    painted = _PaintedObjects()
    page_streams: set[int] = set()
    pages: list[StreamText] = []
    contents = [_contents(page) for page in document.reader.pages]
    streams = [stream for own in contents for stream in own if stream in document.streams]
    if sum(len(document.streams[stream][1]) for stream in streams) > MAX_UNPACKED:
        raise StageFailed(ErrorCode.VERIFY_FAILED)  # the same stream on thousands of pages
    for number, (page, own) in enumerate(zip(document.reader.pages, contents, strict=True), 1):
        page_streams.update(own)
        data = b"\n".join(document.streams[stream][1] for stream in own if stream in document.streams)
        document.raw.update(dict.fromkeys(readable_texts(without_operands(data))))
        pages.append(painted.text_of(-number, data, _inherited(page, "/Resources")))
    others: list[StreamText] = []
    for number, (item, data) in document.streams.items():
        if number not in page_streams:
            is_content = _is_content(item, data)
            document.raw.update(dict.fromkeys(readable_texts(without_operands(data) if is_content else data)))
            if is_content:
                others.append(painted.text_of(number, data, painted.resources(number, item)))
    painted.refuse_endless_painting()
    if document.images - painted.objects() - document.masks:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return ContentStreams(pages, others)


def _is_content(item: StreamObject, data: bytes) -> bool:
    """Whether a stream is a content stream: a form XObject, a pattern, or one without a type that shows text."""
    if item.get("/Subtype") == "/Form" or "/PatternType" in item or "/CharProcs" in item:
        return True
    if "/Type" in item or "/Subtype" in item or "/FunctionType" in item or "/N" in item or b"\0" in data:
        return False
    return _SHOWS_TEXT.search(data) is not None


def _contents(page: Any) -> list[int]:
    """The object numbers of a page's content streams, which are read as one: a text may continue in the next."""
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


class _PaintedObjects:
    """Which XObjects each content stream paints, and how often; and the resources that they inherit."""

    def __init__(self) -> None:
        self.fonts = _FontTable()
        self.painted_by: dict[int, Counter[int]] = {}
        self.inherited: dict[int, Any] = {}

    def text_of(self, number: int, data: bytes, resources: Any) -> StreamText:
        """The text of stream `number`, decoded with these resources; its paint operations are counted."""
        text = decoded_text(data, lambda name: self.fonts.of(resources, name))
        self._note_glyph_resources(resources)
        table = _member(resources, "/XObject")
        painted = self.painted_by.setdefault(number, Counter())
        for name, count in Counter(text.xobjects).items():
            raw = table.raw_get(name) if isinstance(table, DictionaryObject) and name in table else None
            if isinstance(raw, IndirectObject):
                painted[raw.idnum] += count
                # A form XObject without resources uses those of its page.
                self.inherited.setdefault(raw.idnum, resources)
        return text

    def _note_glyph_resources(self, resources: Any) -> None:
        """Type 3 glyphs use the resources of their font, else those of the page (ISO 32000-2, 9.6.4)."""
        fonts = _member(resources, "/Font")
        for name in fonts if isinstance(fonts, DictionaryObject) else ():
            type3 = fonts[name]
            if isinstance(type3, DictionaryObject) and type3.get("/Subtype") == "/Type3":
                glyphs = _member(type3, "/CharProcs")
                for glyph in glyphs.values() if isinstance(glyphs, DictionaryObject) else ():
                    if isinstance(glyph, IndirectObject):
                        self.inherited.setdefault(glyph.idnum, type3.get("/Resources", resources))

    def resources(self, number: int, item: StreamObject) -> Any:
        """The resources of a stream that is not a page's content."""
        own = item.get("/Resources")
        return own if own is not None else self.inherited.get(number)

    def objects(self) -> set[int]:
        """The object numbers of all XObjects that a stream paints."""
        return {number for painted in self.painted_by.values() for number in painted}

    def refuse_endless_painting(self) -> None:
        """Refuses form XObjects that paint each other in a cycle, or more than MAX_DRAWN times in all."""
        total: dict[int, int] = {}
        for number in self.painted_by:
            if self._paint_count(number, total, 0) > MAX_DRAWN:
                raise StageFailed(ErrorCode.VERIFY_FAILED)

    def _paint_count(self, number: int, total: dict[int, int], depth: int) -> int:
        if depth > MAX_DEPTH:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if number not in total:
            painted = self.painted_by.get(number, Counter())
            total[number] = 1 + sum(
                count * self._paint_count(other, total, depth + 1) for other, count in painted.items()
            )
        return total[number]


class _FontTable:
    """The fonts of a document, each read once, by their names in a resource dictionary."""

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


def decoded_text(data: bytes, fonts: Callable[[str], Font]) -> StreamText:
    """All shown strings of a content stream, one line per text position; `fonts` looks up a font by resource name."""
    xobjects: list[str] = []
    by_unicode_map: list[str] = []
    by_glyph_name: list[str] = []
    as_bytes: list[str] = []
    as_utf16: list[str] = []
    current = LATIN
    saved: list[Font] = []
    for kind, value in _operations(data):
        if kind == "text":
            if value.startswith(b"\xfe\xff"):  # a text string in UTF-16, such as /ActualText, not codes of a font
                mapped = named = value[2:].decode("utf-16-be", "replace")
            else:
                mapped, named = current.read(value)
            by_unicode_map.append(mapped)
            by_glyph_name.append(named)
            as_bytes.append(value.decode("latin-1"))
            if len(value) % 2 == 0 and (b"\0" in value or b"\6" in value):
                as_utf16.append(value.decode("utf-16-be", "replace"))
        elif kind == "comment":
            as_bytes.extend(("\n", value.decode("utf-8", "replace"), "\n"))
        elif kind == "drawn":
            xobjects.append("/" + value.decode("latin-1"))
        elif kind == "font":
            current = fonts("/" + value.decode("latin-1"))
        elif kind == "save" and len(saved) < _MAX_SAVED:
            saved.append(current)
        elif kind == "restore" and saved:
            current = saved.pop()
        elif kind in ("move", "blank"):
            gap = "\n" if kind == "move" else " "
            for pieces in (by_unicode_map, by_glyph_name, as_bytes):
                pieces.append(gap)
    return StreamText(
        "".join(by_unicode_map), "".join(by_glyph_name), "".join(as_bytes), "".join(as_utf16), tuple(xobjects)
    )


def _operations(data: bytes) -> Iterator[tuple[str, bytes]]:
    position = 0
    may_have_end = True
    while match := _TOKEN.search(data, position):
        position = match.end()
        kind = match.lastgroup
        if kind == "simple":
            yield "text", match["simple"]
        elif kind == "open":
            string, position = literal(data, position)
            yield "text", string
        elif kind == "hex":
            digits = re.sub(rb"\s", b"", match["hex"])
            yield "text", bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
        elif kind == "comment":
            yield kind, match[kind]
        elif kind in ("font", "drawn"):
            yield kind, _NAME_ESCAPE.sub(lambda pair: bytes([int(pair[1], 16)]), match[kind])
        elif kind == "image" and may_have_end:
            end = _IMAGE_END.search(data, position)
            position, may_have_end = (end.end(), True) if end else (position, False)
        elif kind == "kern":
            if float(match["kern"]) < -_MIN_SPACE:
                yield "blank", b""
        elif kind in ("move", "quote"):
            yield "move", b""
        elif kind in ("save", "restore"):
            yield kind, b""


def literal(data: bytes, position: int) -> tuple[bytes, int]:
    """The literal string whose parenthesis opened before `position`, and its end (ISO 32000-1, 7.3.4.2)."""
    pieces: list[bytes] = []
    depth = 1
    while match := _STRING_TOKEN.match(data, position):
        position, token = match.end(), match[0]
        if token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            if depth == 0:
                break
        elif token.startswith(b"\\"):
            token = _escaped(token[1:])
        pieces.append(token)
    return b"".join(pieces), position


def _escaped(token: bytes) -> bytes:
    if token[:1].isdigit():
        return bytes([int(token, 8) & 0xFF])
    return b"" if token in (b"\n", b"\r", b"\r\n") else _ESCAPES.get(token, token)
