"""Unpacks the chunks of a TIFF page to their sample bytes: exactly as many as there should be, or the page is refused.

Codecs are qpdf's (LZW, JPEG), MuPDF's (fax) and zlib's, each as strict as it comes: fewer bytes than the page needs are
a damaged file, never a page with a blank end.
"""

import struct
import zlib
from typing import NamedTuple

import pikepdf

from pipeline.documents.limits import MAX_IMAGE_PIXELS
from pipeline.documents.tiff_structure import (
    COMPRESSION,
    FILL_ORDER,
    JPEG_LENGTH,
    JPEG_START,
    PHOTOMETRIC,
    T4_OPTIONS,
    Directory,
    unreadable,
)

NONE, FAX_ROWS, FAX_3, FAX_4, LZW, OLD_JPEG, JPEG, DEFLATE, PACKBITS, OLD_DEFLATE = (
    1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946,
)  # fmt: skip
BY_PICTURE = (OLD_JPEG, JPEG)  # chunks that are pictures of their own, with their own shape
_FAX = (FAX_ROWS, FAX_3, FAX_4)
_CHECKED = 64 * 1024  # bytes beyond the needed ones, in which a stream ends at the latest
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_RGB = 2
_WORST_PACKED = 2  # times its size: more than LZW at its worst makes of anything
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class JpegChunk(NamedTuple):
    """A decoded JPEG: its shape, and its samples interleaved row by row."""

    width: int
    height: int
    channels: int
    samples: bytes


def unpacked(page: Directory, chunk: bytes, width: int, rows: int, row_bytes: int) -> bytes:
    """The `rows * row_bytes` sample bytes of a chunk that is `width` samples wide; predictors are not undone yet."""
    compression = page.get(COMPRESSION, NONE)
    if page.get(FILL_ORDER, 1) == 2:
        chunk = chunk.translate(_REVERSED)
    needed = rows * row_bytes
    if compression == NONE:
        done = chunk
    elif compression in _FAX:
        done = _fax(page, chunk, width, rows, compression)
    elif compression == LZW:
        done = _by_qpdf(chunk[: _WORST_PACKED * needed + 4096], "/LZWDecode")
    elif compression in (DEFLATE, OLD_DEFLATE):
        done = _inflated(chunk, needed)
    elif compression == PACKBITS:
        done = _packbits(chunk, needed)
    else:
        raise unreadable()
    if len(done) < needed:
        raise unreadable()
    return done[:needed]


def jpeg(page: Directory, chunk: bytes) -> JpegChunk:
    """A chunk with JPEG compression, with the tables that the page keeps apart (Technical Note 2)."""
    tables = page.tables[2:-2] if page.tables.startswith(b"\xff\xd8") and page.tables.endswith(b"\xff\xd9") else b""
    if not chunk.startswith(b"\xff\xd8"):
        raise unreadable()
    # Without a mark of its own, three components are taken for YCbCr: Adobe's says that they are not.
    transform = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" if page.get(PHOTOMETRIC, 0) == _RGB else b""
    return _decoded(b"\xff\xd8" + transform + tables + chunk[2:])


def old_jpeg(page: Directory, data: bytes) -> JpegChunk:
    """A page of the old JPEG kind, where its one stream stands whole in the file (TIFF 6.0, section 22)."""
    start, length = page.get(JPEG_START, 0), page.get(JPEG_LENGTH, 0)
    if not 0 < start < len(data) or data[start : start + 2] != b"\xff\xd8":
        raise unreadable()
    stream = data[start : start + length] if length and data[start : start + length].rfind(b"\xff\xda") > 0 else b""
    return _decoded(stream or data[start:])


def _decoded(stream: bytes) -> JpegChunk:
    width, height, channels = _shape(stream)
    samples = _by_qpdf(stream, "/DCTDecode")
    if len(samples) != width * height * channels:
        raise unreadable()
    return JpegChunk(width, height, channels, samples)


def _shape(stream: bytes) -> tuple[int, int, int]:
    """Width, height and components of a JPEG (ITU-T T.81, B.2.2)."""
    position = 2
    try:
        while True:
            while stream[position + 1] == 0xFF:
                position += 1
            marker = stream[position + 1]
            if stream[position] != 0xFF or marker in (0xD9, 0xDA):
                raise unreadable()
            if marker in _FRAMES:
                bits, height, width, channels = struct.unpack_from(">BHHB", stream, position + 4)
                if bits != 8 or not 0 < width * height <= MAX_IMAGE_PIXELS or channels not in (1, 3, 4):
                    raise unreadable()
                return width, height, channels
            position += 2 + int(struct.unpack_from(">H", stream, position + 2)[0])
    except (struct.error, IndexError):
        raise unreadable() from None


def _by_qpdf(chunk: bytes, decoder: str) -> bytes:
    try:
        with pikepdf.new() as file:
            stream = pikepdf.Stream(file, chunk)
            stream.Filter = pikepdf.Name(decoder)
            return stream.read_bytes(pikepdf.StreamDecodeLevel.all)
    except (pikepdf.PdfError, RuntimeError):
        raise unreadable() from None


def _inflated(chunk: bytes, needed: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        done = stream.decompress(chunk, needed)
        stream.decompress(stream.unconsumed_tail, _CHECKED)  # as far as the checksum behind the last byte
    except zlib.error:
        raise unreadable() from None
    if not stream.eof:
        raise unreadable()
    return done


def _packbits(chunk: bytes, needed: int) -> bytes:
    """TIFF 6.0, section 9: a count byte and so many literal bytes, or one byte that is repeated."""
    parts: list[bytes] = []
    position = made = 0
    while position + 1 < len(chunk) and made < needed:
        count = chunk[position]
        if count < 128:
            part = chunk[position + 1 : position + 2 + count]
            position += 2 + count
        else:
            part = chunk[position + 1 : position + 2] * (257 - count) if count > 128 else b""
            position += 2 if count > 128 else 1
        parts.append(part)
        made += len(part)
    return b"".join(parts)


def _fax(page: Directory, chunk: bytes, width: int, rows: int, compression: int) -> bytes:
    """ITU-T T.4 and T.6: packed rows, one bit a pixel, zeros white as TIFF has them."""
    import pymupdf

    two_dimensional = page.get(T4_OPTIONS, 0) & 1 and compression == FAX_3
    k = -1 if compression == FAX_4 else int(bool(two_dimensional))
    options = {"K": k, "Columns": width, "Rows": rows, "EndOfBlock": "false", "BlackIs1": "true",
               "EncodedByteAlign": str(compression == FAX_ROWS).lower()}  # fmt: skip
    with pymupdf.open() as document:
        number = document.get_new_xref()
        document.update_object(number, "<</Type/XObject>>")
        document.update_stream(number, chunk, compress=False)
        document.xref_set_key(number, "Filter", "/CCITTFaxDecode")
        described = "".join(f"/{name} {value}" for name, value in options.items())
        document.xref_set_key(number, "DecodeParms", f"<<{described}>>")
        done: bytes = document.xref_stream(number) or b""
        return done
