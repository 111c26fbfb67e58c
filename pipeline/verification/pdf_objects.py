"""Walks every object of a redacted PDF with pypdf: strings, names, decompressed streams, and bytes of no object."""

import io
import re
from collections.abc import Iterator
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

from pipeline.verification.image import beside_pixels
from pipeline.verification.limits import MAX_DEPTH, MAX_OBJECTS, MAX_UNPACKED
from schemas.errors import ErrorCode, StageFailed

# Keys whose strings people read (ISO 32000-1: annotations, outlines, forms, marked content, document information).
_READ = frozenset(
    {
        "/Contents", "/T", "/TU", "/TM", "/V", "/DV", "/RC", "/Title", "/Author", "/Subject", "/Keywords", "/Alt",
        "/ActualText", "/E", "/URI", "/F", "/UF", "/Desc", "/Subj", "/Opt", "/Reason", "/Location", "/Name",
        "/ContactInfo", "/Company", "/Manager",
    }
)  # fmt: skip
_IMAGES = frozenset({"/DCTDecode", "/DCT", "/JPXDecode", "/JBIG2Decode", "/CCITTFaxDecode", "/CCF"})
_FONTS = frozenset({"/FontFile", "/FontFile2", "/FontFile3"})
_PRINTABLE = re.compile(rb"[\x09\x20-\x7e\x80-\xff]{6,}")
_OBJECT = re.compile(rb"(?<![0-9])(\d{1,10})[ \t\r\n]+(\d{1,5})[ \t\r\n]+obj\b")
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_TOKEN = re.compile(
    rb"""(?P<open>\()                        # a literal string begins
        |<(?P<hex>[0-9A-Fa-f\s]*)>           # a hexadecimal string
        |(?P<array>[\[\]])
        |%[^\r\n]*                           # a comment
        |(?P<image>\bID[\ \r\n].*?[\r\n\ ]EI\b)  # an inline image""",
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(rb"[^()\\]+|\\[0-7]{1,3}|\\\r\n|\\.|[()]", re.DOTALL)


class Walk:
    """Every string of a PDF: `texts` that people read, `raw` that programs read; else StageFailed(verify_failed)."""

    def __init__(self, data: bytes) -> None:
        self.texts: dict[str, None] = {}
        self.raw: dict[str, None] = {}
        self._unpacked = 0
        self._objects = 0
        self._skip: set[int] = set()
        try:
            self.reader = PdfReader(io.BytesIO(data), strict=False)
            if self.reader.is_encrypted:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            numbers = _numbers(self.reader)
            self._account_for(data, numbers)
            self.objects = len(numbers)
            objects = [(number, self._object(number, generation)) for number, generation in sorted(numbers.items())]
            for _, item in objects:
                self._mark_fonts(item)
            for number, item in objects:
                self._visit(item, "", 0, number)
            self._visit(self.reader.trailer, "", 0, 0)
        except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RecursionError):
            raise StageFailed(ErrorCode.VERIFY_FAILED) from None
        except NotImplementedError:  # a filter that pypdf does not have
            raise StageFailed(ErrorCode.VERIFY_FAILED) from None

    def _object(self, number: int, generation: int) -> Any:
        return self.reader.get_object(IndirectObject(number, generation, self.reader))

    def _account_for(self, data: bytes, numbers: dict[int, int]) -> None:
        """Refuses earlier revisions and objects that the table does not name; keeps what follows the end."""
        if data.count(b"startxref") != 1:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        for match in _OBJECT.finditer(data):
            if int(match[1]) not in numbers:
                raise StageFailed(ErrorCode.VERIFY_FAILED)
        tail = data[data.rfind(b"%%EOF") + 5 :]
        self.raw.setdefault(tail.decode("latin-1"))
        self.raw.setdefault(
            "\n".join(line.decode("latin-1") for line in re.findall(rb"^%[^\r\n]*", data, re.MULTILINE))
        )

    def _mark_fonts(self, item: Any) -> None:
        """Font programs are not text: their names of glyphs and licence texts are the foundry's."""
        if isinstance(item, DictionaryObject):
            for key in _FONTS & item.keys():
                program = item.raw_get(key)
                if isinstance(program, IndirectObject):
                    self._skip.add(program.idnum)

    def _visit(self, item: Any, key: str, depth: int, number: int) -> None:
        self._objects += 1
        if depth > MAX_DEPTH or self._objects > MAX_OBJECTS:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if isinstance(item, DictionaryObject):
            if "/EF" in item or item.get("/Type") == "/EmbeddedFile":
                raise StageFailed(ErrorCode.VERIFY_FAILED)  # a document of its own that nobody here reads
            for name in item:
                self.raw.setdefault(str(name))
                self._visit(item.raw_get(name), str(name), depth + 1, number)
            if isinstance(item, StreamObject) and number not in self._skip:
                self._stream(item)
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
            self.raw.setdefault(text)
        if key in _READ:
            self.texts.setdefault(unquote(said[0]))

    def _stream(self, item: StreamObject) -> None:
        filters = item.get("/Filter", ())
        names = {str(filters)} if isinstance(filters, NameObject) else {str(name) for name in filters}
        if names & _IMAGES:
            encoded = bytes(item._data)
            if encoded.startswith(b"\xff\xd8"):
                for text in beside_pixels(encoded):
                    self.raw.setdefault(text)
            return
        data = item.get_data() if isinstance(item, EncodedStreamObject) else bytes(item._data)
        self._unpacked += len(data)
        if self._unpacked > MAX_UNPACKED:
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        if item.get("/Subtype") == "/Image":
            return  # its pixels are rendered and read by OCR
        if item.get("/Type") == "/Metadata":
            self.texts.setdefault(re.sub(r"<[^>]*>", "\n", data.decode("utf-8", "replace")))
        self.raw.setdefault("\n".join(shown(data)))
        self.raw.setdefault("\n".join(piece.decode("latin-1") for piece in _PRINTABLE.findall(_without_numbers(data))))


def _numbers(reader: PdfReader) -> dict[int, int]:
    """Number and generation of every object that the cross-reference table knows."""
    numbers = dict.fromkeys(reader.xref_objStm, 0)
    for generation, offsets in reader.xref.items():
        numbers.update(dict.fromkeys(offsets, generation))
    return numbers


def _without_numbers(data: bytes) -> bytes:
    """A stream without bare operands: `72 720 Td 12 0 0 12` would make up any identifier."""
    return re.sub(rb"(?<![0-9A-Za-z(<])[-+]?[0-9]*\.?[0-9]+[ \r\n]+", b"\x00", data)


def shown(data: bytes) -> Iterator[str]:
    """The strings that a content stream shows, each array of them as one; as single bytes and as UTF-16."""
    pieces: list[bytes] = []
    in_array = False
    position = 0
    while match := _TOKEN.search(data, position):
        position = match.end()
        if match["open"]:
            string, position = _literal(data, position)
            pieces.append(string)
        elif match["hex"] is not None:
            digits = re.sub(rb"\s", b"", match["hex"])
            pieces.append(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()))
        elif match["array"]:
            in_array = match["array"] == b"["
        if pieces and not in_array:
            whole = b"".join(pieces)
            pieces.clear()
            yield whole.decode("latin-1")
            if b"\0" in whole or whole.startswith(b"\xfe\xff"):
                yield whole.decode("utf-16-be", "replace")


def _literal(data: bytes, position: int) -> tuple[bytes, int]:
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
