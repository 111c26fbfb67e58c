"""Decompresses the strips and tiles of a TIFF to exactly the bytes that the page needs, or refuses the page.

qpdf decodes LZW and JPEG, MuPDF decodes CCITT fax, zlib decodes Deflate. Each is strict: too few bytes mean a damaged
file, never a page with a blank end.
"""

import struct
import zlib
from typing import NamedTuple

import pikepdf

from pipeline.documents.image.tiff.directory import (
    COMPRESSION,
    FILL_ORDER,
    JPEG_LENGTH,
    JPEG_START,
    PHOTOMETRIC,
    T4_OPTIONS,
    Directory,
    unreadable,
)
from pipeline.documents.limits import MAX_IMAGE_PIXELS
from schemas.refusals import Reason

NONE, FAX_ROWS, FAX_3, FAX_4, LZW, OLD_JPEG, JPEG, DEFLATE, PACKBITS, OLD_DEFLATE = (
    1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946,
)  # fmt: skip
JPEG_SCHEMES = (OLD_JPEG, JPEG)  # compression schemes whose strips and tiles are complete JPEG images
FAX = (FAX_ROWS, FAX_3, FAX_4)
_MAX_TRAILER = 64 * 1024  # bytes after the needed ones in which the zlib stream must end
_REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_JPEG_RGB = 2
_MAX_EXPANSION = 2  # times the decoded size: more than the worst case of LZW
_SOF_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class JpegImage(NamedTuple):
    """A decoded JPEG: its size, components, and interleaved samples."""

    width: int
    height: int
    channels: int
    samples: bytes


def decompressed(page: Directory, chunk: bytes, width: int, rows: int, row_bytes: int) -> bytes:
    """The `rows * row_bytes` bytes of a strip or tile that is `width` pixels wide, with the predictor still applied."""
    compression = page.get(COMPRESSION, NONE)
    if page.get(FILL_ORDER, 1) == 2:
        chunk = chunk.translate(_REVERSED_BITS)
    needed = rows * row_bytes
    if compression == NONE:
        decoded = chunk
    elif compression in FAX:
        decoded = _ccitt_fax(page, chunk, width, rows, compression)
    elif compression == LZW:
        decoded = _decoded_by_qpdf(chunk[: _MAX_EXPANSION * needed + 4096], "/LZWDecode")
    elif compression in (DEFLATE, OLD_DEFLATE):
        decoded = _inflate(chunk, needed)
    elif compression == PACKBITS:
        decoded = _packbits(chunk, needed)
    else:
        raise unreadable(Reason.UNSUPPORTED_FEATURE)
    if len(decoded) < needed:
        raise unreadable()
    return decoded[:needed]


def jpeg(page: Directory, chunk: bytes) -> JpegImage:
    """A strip or tile with JPEG compression; its JPEGTables are in the IFD (TIFF Technical Note 2)."""
    tables = page.tables[2:-2] if page.tables.startswith(b"\xff\xd8") and page.tables.endswith(b"\xff\xd9") else b""
    if not chunk.startswith(b"\xff\xd8"):
        raise unreadable()
    # Decoders take three components for YCbCr unless an Adobe APP14 segment declares RGB.
    transform = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" if page.get(PHOTOMETRIC, 0) == _JPEG_RGB else b""
    return _decoded_jpeg(b"\xff\xd8" + transform + tables + chunk[2:])


def old_jpeg(page: Directory, data: bytes) -> JpegImage:
    """A page with old-style JPEG compression that is one JPEG stream in the file (TIFF 6.0, section 22)."""
    start, length = page.get(JPEG_START, 0), page.get(JPEG_LENGTH, 0)
    if not 0 < start < len(data) or data[start : start + 2] != b"\xff\xd8":
        raise unreadable()
    stream = data[start : start + length] if length and data[start : start + length].rfind(b"\xff\xda") > 0 else b""
    return _decoded_jpeg(stream or data[start:])


def _decoded_jpeg(stream: bytes) -> JpegImage:
    width, height, channels = _jpeg_size(stream)
    samples = _decoded_by_qpdf(stream, "/DCTDecode")
    if len(samples) != width * height * channels:
        raise unreadable()
    return JpegImage(width, height, channels, samples)


def _jpeg_size(stream: bytes) -> tuple[int, int, int]:
    """Width, height and number of components of a JPEG (ITU-T T.81, B.2.2)."""
    position = 2
    try:
        while True:
            while stream[position + 1] == 0xFF:
                position += 1
            marker = stream[position + 1]
            if stream[position] != 0xFF or marker in (0xD9, 0xDA):
                raise unreadable()
            if marker in _SOF_MARKERS:
                bits, height, width, channels = struct.unpack_from(">BHHB", stream, position + 4)
                if bits != 8 or not 0 < width * height <= MAX_IMAGE_PIXELS or channels not in (1, 3, 4):
                    raise unreadable()
                return width, height, channels
            position += 2 + int(struct.unpack_from(">H", stream, position + 2)[0])
    except (struct.error, IndexError):
        raise unreadable() from None


def _decoded_by_qpdf(chunk: bytes, decoder: str) -> bytes:
    try:
        with pikepdf.new() as file:
            stream = pikepdf.Stream(file, chunk)
            stream.Filter = pikepdf.Name(decoder)
            return stream.read_bytes(pikepdf.StreamDecodeLevel.all)
    except (pikepdf.PdfError, RuntimeError):
        raise unreadable() from None


def _inflate(chunk: bytes, needed: int) -> bytes:
    stream = zlib.decompressobj()
    try:
        decoded = stream.decompress(chunk, needed)
        stream.decompress(stream.unconsumed_tail, _MAX_TRAILER)  # up to the checksum after the last byte
    except zlib.error:
        raise unreadable() from None
    if not stream.eof:
        raise unreadable()
    return decoded


def _packbits(chunk: bytes, needed: int) -> bytes:
    """TIFF 6.0, section 9: a count byte, then either so many literal bytes or one repeated byte."""
    parts: list[bytes] = []
    position = produced = 0
    while position + 1 < len(chunk) and produced < needed:
        count = chunk[position]
        if count < 128:
            block = chunk[position + 1 : position + 2 + count]
            position += 2 + count
        else:
            block = chunk[position + 1 : position + 2] * (257 - count) if count > 128 else b""
            position += 2 if count > 128 else 1
        parts.append(block)
        produced += len(block)
    return b"".join(parts)


def _ccitt_fax(page: Directory, chunk: bytes, width: int, rows: int, compression: int) -> bytes:
    """CCITT T.4 and T.6: rows of one bit per pixel, 0 is white.

    MuPDF decodes CCITT data only as a filter of a PDF stream, so the data becomes a stream of an empty PDF. qpdf, zlib
    and OpenCV cannot decode it. Pillow can, but the second reading uses Pillow and must not share a decoder with this.
    """
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
        parameters = "".join(f"/{name} {value}" for name, value in options.items())
        document.xref_set_key(number, "DecodeParms", f"<<{parameters}>>")
        decoded: bytes = document.xref_stream(number) or b""
        return decoded
