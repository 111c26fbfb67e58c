"""What all content streams of a redacted PDF show: each page's, and those of forms, patterns, glyphs and appearances.

Also those that nothing draws. Pictures that are in the file although no stream draws them cannot be proven clean.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from pipeline.verification.limits import MAX_DEPTH, MAX_DRAWN, MAX_UNPACKED
from pipeline.verification.pdf.fonts import LATIN, Font, font
from pipeline.verification.pdf.objects import Walk, texts_in, without_operands
from schemas.errors import ErrorCode, StageFailed

# Decodes what content streams show, wherever it is drawn, clipped, covered, or never drawn at all.
#
# A walk of operators, not of ink: every show-text operator of every stream counts (ISO 32000-1, 9.4.3), read through
# the fonts that the stream's resources name.

_TOKEN = re.compile(
    rb"""\((?P<simple>[^()\\]*)\)                # a literal string without anything special
        |(?P<open>\()                            # any other literal string
        |<(?P<hex>[0-9A-Fa-f\s]+)>               # a hexadecimal string
        |/(?P<font>[^\s()<>\[\]{}/%]*)\s+[-+.0-9]+\s+Tf\b
        |/(?P<drawn>[^\s()<>\[\]{}/%]*)\s+Do\b
        |/[^\s()<>\[\]{}/%]*                     # any other name
        |%(?P<comment>[^\r\n]*)
        |(?P<image>\bBI\b[^\0]{0,1000}?\bID[\ \r\n\t])
        |(?P<move>\b(?:Td|TD|Tm|T\*|ET)(?![A-Za-z*]))
        |(?P<quote>['"])                         # show on the next line
        |(?P<kern>-[0-9]{3,}(?:\.[0-9]*)?)       # inside an array: a gap as wide as a blank
        |(?P<save>(?<![A-Za-z0-9])q(?![A-Za-z0-9]))
        |(?P<restore>(?<![A-Za-z0-9])Q(?![A-Za-z0-9]))""",
    re.VERBOSE | re.DOTALL,
)
_IMAGE_END = re.compile(rb"[\s]EI\b")
_HEX = re.compile(rb"#([0-9A-Fa-f]{2})")
_INSIDE = re.compile(rb"[^()\\]+|\\[0-7]{1,3}|\\\r\n|\\.|[()]", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BLANK = 180.0  # thousandths of the type size: a gap that parts words
_DEEPEST = 1000  # saved states that are remembered


class Shown(NamedTuple):
    """What a stream shows: by its fonts' Unicode maps, by the names of their glyphs, as bare bytes, as UTF-16.

    `drawn` are the names of the pictures and forms that it paints, each as often as it does.
    """

    mapped: str
    named: str
    plain: str
    wide: str = ""
    drawn: tuple[str, ...] = ()


def shown(data: bytes, fonts: Callable[[str], Font]) -> Shown:
    """Every shown string of a content stream, a line per move; `fonts` knows the font of each resource name."""
    drawn: list[str] = []
    mapped: list[str] = []
    named: list[str] = []
    plain: list[str] = []
    wide: list[str] = []
    current = LATIN
    saved: list[Font] = []
    for kind, value in _steps(data):
        if kind == "text":
            if value.startswith(b"\xfe\xff"):  # no shown string, but one that stands for it
                one = other = value[2:].decode("utf-16-be", "replace")
            else:
                one, other = current.read(value)
            mapped.append(one)
            named.append(other)
            plain.append(value.decode("latin-1"))
            if len(value) % 2 == 0 and (b"\0" in value or b"\6" in value):
                wide.append(value.decode("utf-16-be", "replace"))
        elif kind == "comment":
            plain.extend(("\n", value.decode("utf-8", "replace"), "\n"))
        elif kind == "drawn":
            drawn.append("/" + value.decode("latin-1"))
        elif kind == "font":
            current = fonts("/" + value.decode("latin-1"))
        elif kind == "save" and len(saved) < _DEEPEST:
            saved.append(current)
        elif kind == "restore" and saved:
            current = saved.pop()
        elif kind in ("move", "blank"):
            gap = "\n" if kind == "move" else " "
            for pieces in (mapped, named, plain):
                pieces.append(gap)
    return Shown("".join(mapped), "".join(named), "".join(plain), "".join(wide), tuple(drawn))


def _steps(data: bytes) -> Iterator[tuple[str, bytes]]:
    position = 0
    has_ends = True
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
            yield kind, _HEX.sub(lambda pair: bytes([int(pair[1], 16)]), match[kind])
        elif kind == "image" and has_ends:
            end = _IMAGE_END.search(data, position)
            position, has_ends = (end.end(), True) if end else (position, False)
        elif kind == "kern":
            if float(match["kern"]) < -_BLANK:
                yield "blank", b""
        elif kind in ("move", "quote"):
            yield "move", b""
        elif kind in ("save", "restore"):
            yield kind, b""


def literal(data: bytes, position: int) -> tuple[bytes, int]:
    """The literal string that opened before `position`, and where it ends (ISO 32000-1, 7.3.4.2)."""
    pieces: list[bytes] = []
    depth = 1
    while match := _INSIDE.match(data, position):
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
