"""Reads every object of a redacted PDF with pypdf: strings, names and decoded streams."""

import io
import re
import struct
import zlib
from collections.abc import Iterator
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
from pipeline.verification.pdf.file_structure import bytes_outside_objects
from schemas.errors import ErrorCode, StageFailed

# Keys whose strings people read (ISO 32000-1: annotations, outlines, form fields, marked content, information).
_TEXT_KEYS = frozenset(
    {
        "/Contents", "/T", "/TU", "/TM", "/V", "/DV", "/RC", "/Title", "/Author", "/Subject", "/Keywords", "/Alt",
        "/ActualText", "/E", "/URI", "/F", "/UF", "/Desc", "/Subj", "/Opt", "/Reason", "/Location", "/Name",
        "/ContactInfo", "/Company", "/Manager", "/CA", "/RT", "/Dest", "/Names", "/D", "/P", "/NM", "/TA", "/DA",
    }
)  # fmt: skip
# Content that is not read here, or that a viewer does not show: an output with it is refused.
_REFUSED_KEYS = frozenset(
    {"/EF", "/XFA", "/JS", "/JavaScript", "/Thumb", "/PieceInfo", "/Alternates", "/Collection", "/RichMediaContent",
     "/ByteRange", "/OPI"}
)  # fmt: skip
_REFUSED_TYPES = frozenset({"/EmbeddedFile", "/Filespec", "/3D", "/Sound", "/Movie", "/Rendition"})
_IMAGE_FILTERS = frozenset({"/DCTDecode", "/DCT", "/JPXDecode", "/JBIG2Decode", "/CCITTFaxDecode", "/CCF"})
_FONT_PROGRAM_KEYS = frozenset({"/FontFile", "/FontFile2", "/FontFile3"})
_MASK_KEYS = frozenset({"/SMask", "/Mask"})
_FLATE_FILTERS = frozenset({"/FlateDecode", "/Fl"})
_OPERANDS = re.compile(rb"(?<![0-9A-Za-z(<])[-+]?[0-9]*\.?[0-9]+[ \r\n]+")


class PdfObjects:
    """All objects of a PDF, read once. StageFailed(verify_failed) for what is refused or exceeds a limit.

    `texts` are the strings that people read, `raw` all strings and names. `objects` is the number of objects. `streams`
    are the decoded streams that may be content streams, by object number. `images` are the object numbers of image
    XObjects, `masks` of those that are the mask of another image.
    """

    def __init__(self, data: bytes) -> None:
        self.texts: dict[str, None] = {}
        self.raw: dict[str, None] = {}
        self.streams: dict[int, tuple[StreamObject, bytes]] = {}
        self.images: set[int] = set()
        self.masks: set[int] = set()
        self._unpacked = 0
        self._visited = 0
        self._font_programs: set[int] = set()
        self.reader = PdfReader(io.BytesIO(data), strict=False)
        if self.reader.is_encrypted:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        numbers = _object_numbers(self.reader)
        self.objects = len(numbers)
        objects = [(number, self._object(number, generation)) for number, generation in sorted(numbers.items())]
        self._read_outside_objects(data, dict(objects))
        for _, item in objects:
            self._note_references(item)
        for number, item in objects:
            self._visit(item, "", 0, number)
        self._visit(self.reader.trailer, "", 0, 0)

    def _object(self, number: int, generation: int) -> Any:
        return self.reader.get_object(IndirectObject(number, generation, self.reader))

    def _read_outside_objects(self, data: bytes, objects: dict[int, Any]) -> None:
        stream_lengths: dict[int, int] = {}
        for offsets in self.reader.xref.values():
            for number, offset in offsets.items():
                item = objects.get(number)
                stream_lengths[offset] = len(item._data) if isinstance(item, StreamObject) else -1
        for outside in bytes_outside_objects(data, stream_lengths):
            self.raw.update(dict.fromkeys(readable_texts(outside)))

    def _note_references(self, item: Any) -> None:
        """Notes which streams are font programs or image masks. Names and licences in font programs are not text."""
        if isinstance(item, DictionaryObject):
            for keys, found in ((_FONT_PROGRAM_KEYS, self._font_programs), (_MASK_KEYS, self.masks)):
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
        """Keeps a string as pypdf decodes it, and its bytes in other encodings."""
        decoded = (
            [item] if isinstance(item, str) else [item.decode(code, "replace") for code in ("latin-1", "utf-16-be")]
        )
        original = getattr(item, "original_bytes", b"") if isinstance(item, str) else b""
        decoded += [original.decode(code, "replace") for code in ("utf-8", "utf-16-be") if original]
        for text in decoded:
            self.raw.setdefault(str(text))
        if key in _TEXT_KEYS:
            self.texts.setdefault(unquote(decoded[0]))

    def _stream(self, item: StreamObject, number: int) -> None:
        if item.get("/Subtype") == "/Image":
            self.images.add(number)
        filters = item.get("/Filter", ())
        names = [str(filters)] if isinstance(filters, NameObject) else [str(name) for name in filters]
        if _IMAGE_FILTERS & set(names):
            self.raw.update(dict.fromkeys(_image_metadata_texts(bytes(item._data), names)))
            return
        data = item.get_data() if isinstance(item, EncodedStreamObject) else bytes(item._data)
        self._unpacked += len(data)
        if self._unpacked > MAX_UNPACKED:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if item.get("/Subtype") == "/Image":
            return  # the page is rendered and read by OCR
        if number in self._font_programs:
            return
        if item.get("/Type") == "/Metadata":
            self.texts.setdefault(re.sub(r"<[^>]*>", "\n", data.decode("utf-8", "replace")))
        if item.get("/Type") not in ("/XRef", "/ObjStm"):
            self.streams[number] = (item, data)
        else:
            self.raw.update(
                dict.fromkeys(readable_texts(data if item.get("/Type") == "/XRef" else without_operands(data)))
            )


def _image_metadata_texts(encoded: bytes, filters: list[str]) -> Iterator[str]:
    """The text in the metadata of an encoded image. Filters before its own one may only be Flate."""
    if any(name not in _FLATE_FILTERS for name in filters[:-1]) or filters[-1] not in _IMAGE_FILTERS:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    for _ in filters[:-1]:
        encoded = zlib.decompressobj().decompress(encoded, MAX_UNPACKED)
    yield from metadata_texts(encoded) if encoded.startswith(b"\xff\xd8") else readable_texts(encoded)


def _object_numbers(reader: PdfReader) -> dict[int, int]:
    """Number and generation of every object in the cross-reference tables and streams."""
    numbers = dict.fromkeys(reader.xref_objStm, 0)
    for generation, offsets in reader.xref.items():
        numbers.update(dict.fromkeys(offsets, generation))
    return numbers


def without_operands(data: bytes) -> bytes:
    """A content stream without its numeric operands: in `72 720 Td 12 0 0 12` any identifier could be found."""
    return _OPERANDS.sub(b"\x00", data)


@contextmanager
def refuse_damaged() -> Iterator[None]:
    """Turns every exception that pypdf raises on a damaged file into StageFailed(verify_failed)."""
    try:
        yield
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None
    except (NotImplementedError, OverflowError, AssertionError, zlib.error, struct.error):  # also: an unknown filter
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


_LATIN_RUN = re.compile(rb"[\x09\x20-\x7e\xa0-\xff]{4,}")
_PRINTABLE_RUN = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{4,}")
_UTF16_BE_RUN = re.compile(rb"(?:[\x00-\x06][\x00-\xff]){4,}")  # UTF-16 of Latin and Arabic
_UTF16_LE_RUN = re.compile(rb"(?:[\x00-\xff][\x00-\x06]){4,}")


def readable_texts(data: bytes) -> Iterator[str]:
    """The readable runs of binary data: as Latin-1, as UTF-8 and Windows-1256 unless it is ASCII, and as UTF-16."""
    yield "\n".join(run.decode("latin-1") for run in _LATIN_RUN.findall(data))
    if not data.isascii():
        for encoding in ("utf-8", "cp1256"):
            yield "\n".join(_PRINTABLE_RUN.findall(data.decode(encoding, "replace")))
    for pattern, encoding in ((_UTF16_BE_RUN, "utf-16-be"), (_UTF16_LE_RUN, "utf-16-le")):
        runs = pattern.findall(data)
        if runs:
            yield "\n".join(text for run in runs for text in _PRINTABLE_RUN.findall(run.decode(encoding, "replace")))
