"""Walks every object of a redacted PDF with pypdf: strings, names, decompressed streams, and bytes of no object."""

import io
import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    DictionaryObject,
    EncodedStreamObject,
    IndirectObject,
    NameObject,
    StreamObject,
    TextStringObject,
)

from pipeline.verification.image.metadata import metadata_texts
from pipeline.verification.limits import MAX_DEPTH, MAX_OBJECTS, MAX_UNPACKED
from schemas.errors import ErrorCode, StageFailed

# Accounts for every byte of a redacted PDF: one revision, each object in its place, nothing between, nothing behind.
#
# Objects that no table names, older versions of one, and notes between them are what careless writers leave behind.

_OBJECT = re.compile(rb"(?<![0-9])\d{1,10}[ \t\r\n\f\0]+\d{1,5}[ \t\r\n\f\0]+obj(?![A-Za-z])")
_START = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_COMMENT = re.compile(rb"\((?:[^()\\]|\\.)*\)|%([^\r\n]*)", re.DOTALL)
_OPENING = re.compile(rb">>\s{0,20}stream\r?\n?")
_CLOSING = re.compile(rb"\s{0,4}endstream\s{0,20}endobj")
_TABLE = (b"xref", b"trailer", b"startxref")


def account_for(data: bytes, objects: Mapping[int, int]) -> Iterator[bytes]:
    """Everything that stands outside of objects or in their comments; StageFailed(verify_failed) for what hides.

    `objects`: where the table says that each object begins -> how many bytes its stream has, -1 without one.
    """
    ends = list(_START.finditer(data))
    if len(ends) != 1 or data.count(b"startxref") != 1:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    starts = sorted(objects)
    streams: list[tuple[int, int]] = []
    yield data[ends[0].end() :]
    yield data[: starts[0] if starts else 0]
    for start, limit in zip(starts, [*starts[1:], len(data)], strict=True):
        end = start
        if objects[start] >= 0:
            opening = _OPENING.search(data, start, limit)
            end = opening.end() + objects[start] if opening else limit
            if opening is None or not _CLOSING.match(data, end, limit):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            streams.append((opening.end(), end))
            yield from _comments(data[start : opening.end()])
        yield from _comments(data[end:limit])
        yield _behind(data[end:limit])
    for match in _OBJECT.finditer(data):
        if match.start() not in objects and not _is_inside(match.start(), streams):
            raise StageFailed(ErrorCode.VERIFY_FAILED)


def _comments(text: bytes) -> Iterator[bytes]:
    if b"%" in text:
        yield from (match[1] for match in _COMMENT.finditer(text) if match[1])


def _behind(text: bytes) -> bytes:
    """What stands behind an object's end, but for the table behind the last one."""
    _, closing, behind = text.rpartition(b"endobj")
    if not closing:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return b"" if behind.strip().startswith(_TABLE) else behind


def _is_inside(position: int, streams: list[tuple[int, int]]) -> bool:
    """Whether bytes that look like the head of an object are part of a stream."""
    index = bisect_left(streams, (position, 0)) - 1
    return index >= 0 and position < streams[index][1]


# Text amid bytes of which nobody says what they are: every run that some encoding makes readable.

_LATIN = re.compile(rb"[\x09\x20-\x7e\xa0-\xff]{4,}")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{4,}")
_WIDE_BIG = re.compile(rb"(?:[\x00-\x06][\x00-\xff]){4,}")  # UTF-16 of Latin and Arabic
_WIDE_LITTLE = re.compile(rb"(?:[\x00-\xff][\x00-\x06]){4,}")


def texts_in(data: bytes) -> Iterator[str]:
    """What the bytes say as Latin, as UTF-8 or Arabic Windows where they are more than ASCII, and as UTF-16."""
    yield "\n".join(run.decode("latin-1") for run in _LATIN.findall(data))
    if not data.isascii():
        for encoding in ("utf-8", "cp1256"):
            yield "\n".join(_PRINTABLE.findall(data.decode(encoding, "replace")))
    for pattern, encoding in ((_WIDE_BIG, "utf-16-be"), (_WIDE_LITTLE, "utf-16-le")):
        runs = pattern.findall(data)
        if runs:
            yield "\n".join(piece for run in runs for piece in _PRINTABLE.findall(run.decode(encoding, "replace")))


# Keys whose strings people read (ISO 32000-1: annotations, outlines, forms, marked content, document information).
_READ = frozenset(
    {
        "/Contents", "/T", "/TU", "/TM", "/V", "/DV", "/RC", "/Title", "/Author", "/Subject", "/Keywords", "/Alt",
        "/ActualText", "/E", "/URI", "/F", "/UF", "/Desc", "/Subj", "/Opt", "/Reason", "/Location", "/Name",
        "/ContactInfo", "/Company", "/Manager", "/CA", "/RT", "/Dest", "/Names", "/D", "/P", "/NM", "/TA", "/DA",
    }
)  # fmt: skip
# What nobody here reads, or nobody sees although it is there: a proven output has none of it.
_REFUSED_KEYS = frozenset(
    {"/EF", "/XFA", "/JS", "/JavaScript", "/Thumb", "/PieceInfo", "/Alternates", "/Collection", "/RichMediaContent",
     "/ByteRange", "/OPI"}
)  # fmt: skip
_REFUSED_TYPES = frozenset({"/EmbeddedFile", "/Filespec", "/3D", "/Sound", "/Movie", "/Rendition"})
_IMAGES = frozenset({"/DCTDecode", "/DCT", "/JPXDecode", "/JBIG2Decode", "/CCITTFaxDecode", "/CCF"})
_FONTS = frozenset({"/FontFile", "/FontFile2", "/FontFile3"})
_MASKS = frozenset({"/SMask", "/Mask"})
_DEFLATED = frozenset({"/FlateDecode", "/Fl"})
_OPERANDS = re.compile(rb"(?<![0-9A-Za-z(<])[-+]?[0-9]*\.?[0-9]+[ \r\n]+")


class Walk:
    """Every string of a PDF: `texts` that people read, `raw` that programs read; else StageFailed(verify_failed).

    `objects` is how many there are; `streams` are the decoded ones that may be content, by object number; `pictures`
    are the numbers of those that are pictures, `masks` of those that are a picture's mask.
    """

    def __init__(self, data: bytes) -> None:
        self.texts: dict[str, None] = {}
        self.raw: dict[str, None] = {}
        self.streams: dict[int, tuple[StreamObject, bytes]] = {}
        self.pictures: set[int] = set()
        self.masks: set[int] = set()
        self._unpacked = 0
        self._visited = 0
        self._programs: set[int] = set()
        self.reader = PdfReader(io.BytesIO(data), strict=False)
        if self.reader.is_encrypted:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        numbers = _numbers(self.reader)
        self.objects = len(numbers)
        objects = [(number, self._object(number, generation)) for number, generation in sorted(numbers.items())]
        self._account_for(data, dict(objects))
        for _, item in objects:
            self._mark_fonts(item)
        for number, item in objects:
            self._visit(item, "", 0, number)
        self._visit(self.reader.trailer, "", 0, 0)

    def _object(self, number: int, generation: int) -> Any:
        return self.reader.get_object(IndirectObject(number, generation, self.reader))

    def _account_for(self, data: bytes, objects: dict[int, Any]) -> None:
        places: dict[int, int] = {}
        for offsets in self.reader.xref.values():
            for number, offset in offsets.items():
                item = objects.get(number)
                places[offset] = len(item._data) if isinstance(item, StreamObject) else -1
        for beside in account_for(data, places):
            self.raw.update(dict.fromkeys(texts_in(beside)))

    def _mark_fonts(self, item: Any) -> None:
        """Font programs are not text: their names of glyphs and licence texts are the foundry's."""
        if isinstance(item, DictionaryObject):
            for keys, found in ((_FONTS, self._programs), (_MASKS, self.masks)):
                targets = (item.raw_get(key) for key in keys & item.keys())
                found.update(target.idnum for target in targets if isinstance(target, IndirectObject))

    def _visit(self, item: Any, key: str, depth: int, number: int) -> None:
        self._visited += 1
        if depth > MAX_DEPTH or self._visited > MAX_OBJECTS:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if isinstance(item, DictionaryObject):
            if _REFUSED_KEYS & item.keys() or str(item.get("/Type", "")) in _REFUSED_TYPES:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            for name in item:
                self.raw.setdefault(str(name))
                self._visit(item.raw_get(name), str(name), depth + 1, number)
            if isinstance(item, StreamObject):
                self._stream(item, number)
        elif isinstance(item, ArrayObject):
            for member in list.__iter__(item):
                self._visit(member, key, depth + 1, number)
        elif isinstance(item, TextStringObject | ByteStringObject):
            self._string(item, key)
        elif isinstance(item, NameObject):
            self.raw.setdefault(str(item))

    def _string(self, item: Any, key: str) -> None:
        """A string as pypdf understands it, and as its bytes read in other encodings."""
        said = [item] if isinstance(item, str) else [item.decode(code, "replace") for code in ("latin-1", "utf-16-be")]
        original = getattr(item, "original_bytes", b"") if isinstance(item, str) else b""
        said += [original.decode(code, "replace") for code in ("utf-8", "utf-16-be") if original]
        for text in said:
            self.raw.setdefault(str(text))
        if key in _READ:
            self.texts.setdefault(unquote(said[0]))

    def _stream(self, item: StreamObject, number: int) -> None:
        if item.get("/Subtype") == "/Image":
            self.pictures.add(number)
        filters = item.get("/Filter", ())
        names = [str(filters)] if isinstance(filters, NameObject) else [str(name) for name in filters]
        if _IMAGES & set(names):
            self.raw.update(dict.fromkeys(_beside_pixels(bytes(item._data), names)))
            return
        data = item.get_data() if isinstance(item, EncodedStreamObject) else bytes(item._data)
        self._unpacked += len(data)
        if self._unpacked > MAX_UNPACKED:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if item.get("/Subtype") == "/Image":
            return  # its pixels are rendered and read by OCR
        if number in self._programs:
            return
        if item.get("/Type") == "/Metadata":
            self.texts.setdefault(re.sub(r"<[^>]*>", "\n", data.decode("utf-8", "replace")))
        if item.get("/Type") not in ("/XRef", "/ObjStm"):
            self.streams[number] = (item, data)
        else:
            self.raw.update(dict.fromkeys(texts_in(data if item.get("/Type") == "/XRef" else without_operands(data))))


def _beside_pixels(encoded: bytes, filters: list[str]) -> Iterator[str]:
    """What a compressed picture says beside its pixels. Around the picture's own filter there may only be deflation."""
    if any(name not in _DEFLATED for name in filters[:-1]) or filters[-1] not in _IMAGES:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    for _ in filters[:-1]:
        encoded = zlib.decompressobj().decompress(encoded, MAX_UNPACKED)
    yield from metadata_texts(encoded) if encoded.startswith(b"\xff\xd8") else texts_in(encoded)


def _numbers(reader: PdfReader) -> dict[int, int]:
    """Number and generation of every object that the cross-reference table knows."""
    numbers = dict.fromkeys(reader.xref_objStm, 0)
    for generation, offsets in reader.xref.items():
        numbers.update(dict.fromkeys(offsets, generation))
    return numbers


def without_operands(data: bytes) -> bytes:
    """A stream without bare operands: `72 720 Td 12 0 0 12` would make up any identifier."""
    return _OPERANDS.sub(b"\x00", data)


@contextmanager
def refusing_damage() -> Iterator[None]:
    """What pypdf makes of broken files becomes StageFailed(verify_failed)."""
    try:
        yield
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    except (NotImplementedError, OverflowError, AssertionError, zlib.error, struct.error):  # also: an unknown filter
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
