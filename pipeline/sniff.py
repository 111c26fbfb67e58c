"""Recognizes the format of a streamed upload by its first bytes, its last bytes and markers in between, or refuses it.

Standard library only: this runs in the API process, so it parses no structure that an attacker could exploit. It keeps
the first 64 KB and the last 256 KB. The sandbox checks everything that needs a parser.
"""

import codecs
import os.path
import struct
import zlib

from schemas.errors import UnsupportedFormat
from schemas.files import MEDIA_TYPE, Format
from schemas.refusals import Reason

_HEAD = 64 * 1024
_TAIL = 256 * 1024
_MAX_CONTENT_TYPES = 1024 * 1024  # bytes of [Content_Types].xml that are searched

_DECLARED: dict[str, Format] = {media: format_ for format_, media in MEDIA_TYPE.items()} | {
    "image/jpg": Format.JPEG,
    "image/tif": Format.TIFF,
    "image/x-tiff": Format.TIFF,
    "application/csv": Format.CSV,
    "application/vnd.ms-excel": Format.CSV,  # the type that browsers send for .csv where Excel is installed
}
_UNDECLARED = "application/octet-stream"
_PDF_HEADER_WITHIN = 1024  # bytes in which a PDF may begin (ISO 32000-1, implementation note 13)
_OFFICE = (Format.DOCX, Format.XLSX, Format.PPTX)
_EXTENSIONS: dict[str, Format] = {f".{format_.value}": format_ for format_ in Format}
_TEXT_EXTENSIONS = frozenset({".csv", ".tsv", ".tab", ".txt"})
_MACRO_EXTENSIONS = frozenset({".docm", ".dotm", ".xlsm", ".xltm", ".xlam", ".pptm", ".potm", ".ppsm", ".ppam"})
_MAIN_TYPES: dict[bytes, Format] = {
    b"wordprocessingml.document.main+xml": Format.DOCX,
    b"spreadsheetml.sheet.main+xml": Format.XLSX,
    b"presentationml.presentation.main+xml": Format.PPTX,
}
_FOLDERS: dict[bytes, Format] = {b"word/": Format.DOCX, b"xl/": Format.XLSX, b"ppt/": Format.PPTX}

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # legacy Office, and the wrapper of an encrypted OOXML package
# The name of the stream of an encrypted Office document (MS-OFFCRYPTO, section 2.3.4.4).
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ZIP = b"PK\x03\x04"
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND\xaeB`\x82"  # chunk type and its constant CRC (ISO/IEC 15948)
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<svg", b"<head", b"<body", b"<script", b"{\\rtf", b"%!ps")
_ENTRY = struct.Struct("<4s6H3I5H2I")  # central directory file header (APPNOTE 4.3.12)
_LOCAL = struct.Struct("<4s5H3I2H")  # local file header (APPNOTE 4.3.7)
_END = struct.Struct("<4s4H2IH")  # end of central directory record (APPNOTE 4.3.16)


class Sniffer:
    """Sniffs one upload: call `feed` with every chunk in order, then `finish` once.

    `declared` is the content type of the part, with or without parameters; `filename` its file name. For
    `application/octet-stream` (RFC 2046, section 4.5.1) the first bytes decide; for text and Office packages the file
    extension.
    """

    def __init__(self, declared: str, filename: str = "") -> None:
        media_type = declared.partition(";")[0].strip().lower()
        self._declared = _DECLARED.get(media_type)
        self._is_undeclared = media_type == _UNDECLARED
        self._extension = os.path.splitext(filename)[1].lower()  # noqa: PTH122  (a name, not a path)
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0
        self._encrypt = ByteSearch(b"/Encrypt")
        self._jpeg = JpegCheck()
        self._text = TextCheck()

    @property
    def needs_open(self) -> bool:
        """True for a PDF with an Encrypt dictionary: it must be opened to learn whether it needs a password."""
        return self._declared is Format.PDF and self._encrypt.found

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the upload."""
        self._size += len(chunk)
        if len(self._head) < _HEAD:
            self._head += chunk[: _HEAD - len(self._head)]
        self._tail += chunk[-_TAIL:]
        if len(self._tail) > 2 * _TAIL:
            del self._tail[:-_TAIL]
        if not self._is_undeclared:
            self._scan(chunk)
        elif len(self._head) >= _PDF_HEADER_WITHIN:
            self._choose_format(chunk)

    def finish(self) -> Format:
        """The format. UnsupportedFormat with the reason if it is not supported or not the declared one."""
        del self._tail[:-_TAIL]
        if self._is_undeclared:
            self._choose_format(b"")
        reason = self._refusal()
        if reason is not None or self._declared is None:
            raise UnsupportedFormat(reason or Reason.UNKNOWN_TYPE)
        return self._declared

    def _choose_format(self, chunk: bytes) -> None:
        """Chooses the format from the content, and scans the chunks so far.

        `chunk` is the last one; bytes after the first 64 KB are not kept, so it is scanned separately.
        """
        self._is_undeclared = False
        self._declared = _format_of_first_bytes(bytes(self._head), self._extension)
        before = self._size - len(chunk)
        self._scan(bytes(self._head[:before]))
        self._scan(chunk)

    def _scan(self, chunk: bytes) -> None:
        if self._declared is Format.PDF:
            self._encrypt.feed(chunk)
        elif self._declared is Format.JPEG:
            self._jpeg.feed(chunk)
        elif self._declared is Format.CSV:
            self._text.feed(chunk)

    def _refusal(self) -> Reason | None:
        """The reason to refuse the upload; None if its content has the declared format."""
        head, tail = bytes(self._head), bytes(self._tail)
        if not self._size:
            return Reason.EMPTY
        if self._extension in _MACRO_EXTENSIONS:
            return Reason.MACRO_ENABLED
        if head.startswith(_OLE) and (self._declared in _OFFICE or self._declared in (None, Format.CSV)):
            return Reason.ENCRYPTED if _ENCRYPTED_PACKAGE in head + tail else Reason.LEGACY_OFFICE
        match self._declared:
            case Format.PDF:
                return _reason(b"%PDF-" in head[:_PDF_HEADER_WITHIN], b"%%EOF" in tail)
            case Format.PNG:
                return _reason(head.startswith(_PNG), _PNG_END in tail)
            case Format.JPEG:
                return _reason(head.startswith(b"\xff\xd8\xff"), self._jpeg.complete)
            case Format.TIFF:
                return _reason(head.startswith(_TIFF), _first_directory(head) < self._size)
            case Format.CSV:
                is_text = self._text.finish()
                return _reason(
                    not _is_foreign(head) and (is_text or _format_of_first_bytes(head, ".csv") is Format.CSV), is_text
                )
            case None:
                return Reason.UNKNOWN_TYPE
            case _:
                found = _package(head, tail, self._size)
                return found if isinstance(found, Reason) else _reason(found is self._declared, True)


def _reason(is_of_type: bool, is_complete: bool) -> Reason | None:
    """The reason to refuse bytes of another type, or without their end; None if there is none."""
    if not is_of_type:
        return Reason.TYPE_MISMATCH
    return None if is_complete else Reason.CORRUPT


def _format_of_first_bytes(head: bytes, extension: str) -> Format | None:
    """The format of the first bytes; for text and Office packages that of the file extension."""
    for format_, is_format in (
        (Format.PDF, b"%PDF-" in head[:_PDF_HEADER_WITHIN]),
        (Format.PNG, head.startswith(_PNG)),
        (Format.JPEG, head.startswith(b"\xff\xd8\xff")),
        (Format.TIFF, head.startswith(_TIFF)),
    ):
        if is_format:
            return format_
    if head.startswith(_ZIP):
        by_extension = _EXTENSIONS.get(extension)
        return by_extension if by_extension in _OFFICE else _format_of_content_types(head)
    return Format.CSV if extension in _TEXT_EXTENSIONS else None


def _format_of_content_types(head: bytes) -> Format | None:
    types = _content_types(head) or b""
    return next((format_ for mark, format_ in _MAIN_TYPES.items() if mark in types), None)


def _first_directory(head: bytes) -> int:
    """The offset of the first IFD of a TIFF (TIFF 6.0: four bytes; BigTIFF: eight bytes)."""
    start, size = (8, 8) if b"+" in head[:4] else (4, 4)
    return int.from_bytes(head[start : start + size], "little" if head[:1] == b"I" else "big")


def _is_foreign(head: bytes) -> bool:
    """Whether text is in another format: HTML, XML, RTF, PostScript or PDF."""
    start = head[:512].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    return start.startswith(_MARKUP) or b"%pdf-" in start


def _package(head: bytes, tail: bytes, size: int) -> Format | Reason:
    """The format of an Office package (a ZIP file), or the reason to refuse it."""
    if not head.startswith(_ZIP):
        return Reason.TYPE_MISMATCH
    names = _entry_names(tail, size)
    if isinstance(names, Reason):
        return names
    if any(name.lower().endswith(b"vbaproject.bin") for name in names):
        return Reason.MACRO_ENABLED
    types = _content_types(head)
    if types is not None:
        if b"macroenabled" in types.lower() or b"vbaproject" in types.lower():
            return Reason.MACRO_ENABLED
        for mark, format_ in _MAIN_TYPES.items():
            if mark in types:
                return format_
    kinds = {format_ for name in names for folder, format_ in _FOLDERS.items() if name.startswith(folder)}
    return kinds.pop() if len(kinds) == 1 else Reason.TYPE_MISMATCH


def _entry_names(tail: bytes, size: int) -> list[bytes] | Reason:
    """The entry names in the last bytes; the reason to refuse a damaged central directory or an encrypted entry."""
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        return Reason.CORRUPT
    _, _, _, _, count, length, offset, _ = _END.unpack_from(tail, at)
    if not count or offset + length > size:
        return Reason.CORRUPT
    begin = at - length
    position = begin if begin >= 0 else max(0, tail.find(b"PK\x01\x02", 0, at))
    names: list[bytes] = []
    while position + _ENTRY.size <= at:
        row = _ENTRY.unpack_from(tail, position)
        if row[0] != b"PK\x01\x02":
            return Reason.CORRUPT
        if row[3] & 1:
            return Reason.ENCRYPTED
        names.append(tail[position + _ENTRY.size : position + _ENTRY.size + row[10]])
        position += _ENTRY.size + row[10] + row[11] + row[12]
    if begin >= 0 and len(names) != count:
        return Reason.CORRUPT
    return names


def _content_types(head: bytes) -> bytes | None:
    """[Content_Types].xml if it is the first entry of the package, as Office writes it; else None."""
    if len(head) < _LOCAL.size:
        return None
    row = _LOCAL.unpack_from(head, 0)
    method, packed, name_length, extra_length = row[3], row[7], row[9], row[10]
    begin = _LOCAL.size + name_length + extra_length
    if head[_LOCAL.size : _LOCAL.size + name_length] != b"[Content_Types].xml":
        return None
    body = head[begin : begin + packed] if packed and not row[2] & 8 else head[begin:]
    if method == 0:
        return body[:_MAX_CONTENT_TYPES]
    try:
        return (
            zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, _MAX_CONTENT_TYPES)
            if method == zlib.DEFLATED
            else None
        )
    except zlib.error:
        return None


class ByteSearch:
    """Searches a byte string in a stream of chunks; `found` is true once it occurred."""

    def __init__(self, wanted: bytes) -> None:
        self._wanted = wanted
        self._rest = b""
        self.found = False

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the stream."""
        if not self.found:
            joined = self._rest + chunk
            self.found = self._wanted in joined
            self._rest = joined[-len(self._wanted) + 1 :]


class JpegCheck:
    """Checks in a stream of chunks that a JPEG is complete (ITU-T T.81, B.1).

    It follows the segments up to the first scan, so that the end marker of a thumbnail does not count, and then
    searches the end-of-image marker. Bytes may follow it.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._skip = 0
        self._state = "start"

    @property
    def complete(self) -> bool:
        """Whether the end of the image was found."""
        return self._state == "done"

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the stream."""
        if self._state in ("done", "bad"):
            return
        if self._skip >= len(chunk):
            self._skip -= len(chunk)
            return
        data, self._skip = self._pending + chunk[self._skip :], 0
        position = 0
        while self._state in ("start", "segments"):
            step = self._step(data, position)
            if step is None:
                self._pending = data[position:]
                return
            position += step
            if position > len(data):
                self._skip, self._pending = position - len(data), b""
                return
        if self._state == "scan":
            end = data.find(b"\xff\xd9", position)
            self._state = "done" if end >= 0 else "scan"
            self._pending = data[-1:]

    def _step(self, data: bytes, at: int) -> int | None:
        """The size of the next marker or segment; None if more bytes are needed."""
        if self._state == "start":
            if len(data) - at < 3:
                return None
            self._state = "segments" if data[at : at + 3] == b"\xff\xd8\xff" else "bad"
            return 2
        if len(data) - at < 4:
            return None
        if data[at] != 0xFF:
            self._state = "bad"
            return 0
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            return 1
        if marker == 0xD9:  # end of image before any scan
            self._state = "bad"
            return 0
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:  # markers without a length
            return 2
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if length < 2:
            self._state = "bad"
        elif marker == 0xDA:
            self._state = "scan"
        return 2 + length


# Control characters that a text file never has. It may have tab, line ends, vertical tab, form feed and 0x1A (EOF).
_CONTROLS = tuple(chr(c) for c in range(32) if chr(c) not in "\t\n\v\f\r\x1a")
_CONTROL_BYTES = tuple(c.encode() for c in _CONTROLS)
_SAMPLE = 512  # bytes from which the encoding is chosen
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_USUAL_HIGH_BYTES = frozenset(b"\x00\x06\x07\x20\xfb\xfd\xfe")  # high bytes of Latin, Arabic and punctuation in UTF-16
_MIN_USUAL = 0.9  # share of such bytes in text that is UTF-16


class TextCheck:
    """Checks that a stream is text without control characters: Unicode with or without a BOM, or a code page."""

    def __init__(self) -> None:
        self._pending = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_code_page = False
        self._is_valid = True
        self._has_bytes = False

    def feed(self, chunk: bytes) -> None:
        """The next bytes of the stream."""
        if not self._is_valid or not chunk:
            return
        if self._decoder is None and not self._is_code_page:
            self._pending += chunk
            if len(self._pending) < _SAMPLE:
                return
            chunk, self._pending = self._pending, b""
            self._begin(chunk)
        self._scan(chunk, final=False)

    def finish(self) -> bool:
        """True if the stream was text and not empty."""
        if self._pending and self._is_valid:
            self._begin(self._pending)
            self._scan(self._pending, final=False)
        if self._is_valid:
            self._scan(b"", final=True)
        return self._is_valid and self._has_bytes

    def _begin(self, first: bytes) -> None:
        encoding = next(
            (encoding for mark, encoding in _BOMS if first.startswith(mark)), None
        ) or _encoding_without_bom(first)
        self._wide = encoding != "utf-8"
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")

    def _scan(self, chunk: bytes, final: bool) -> None:
        if not self._is_valid:
            return
        self._has_bytes = self._has_bytes or bool(chunk)
        if self._decoder is None:
            self._is_valid = not any(control in chunk for control in _CONTROL_BYTES)
            return
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            # Not UTF-8: then a single-byte code page, if it has no control characters.
            self._decoder, self._is_valid = None, not self._wide
            self._is_code_page = True
            if self._is_valid:
                self._scan(chunk, final)
            return
        self._is_valid = not any(control in text for control in _CONTROLS)


def _encoding_without_bom(first: bytes) -> str:
    """The encoding of text without a BOM: in UTF-16 and UTF-32 delimiters have zeros at regular offsets."""
    first = first[: len(first) // 4 * 4]
    if 0 not in first:
        return "utf-8"
    for encoding, first_zero, second_zero in (("utf-32-le", 2, 3), ("utf-32-be", 0, 1)):
        if not any(first[first_zero::4]) and not any(first[second_zero::4]):
            return encoding
    for encoding, high, low in (("utf-16-le", first[1::2], first[::2]), ("utf-16-be", first[::2], first[1::2])):
        if 0 in high and 0 not in low and sum(byte in _USUAL_HIGH_BYTES for byte in high) >= _MIN_USUAL * len(high):
            return encoding
    return "utf-8"
