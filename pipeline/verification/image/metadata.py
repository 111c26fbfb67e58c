"""The metadata of a PNG, JPEG or TIFF: every byte that is not a pixel and does not only describe pixels."""

import re
import struct
import zlib
from collections.abc import Iterator

from pipeline.verification.limits import MAX_FRAMES, MAX_INFLATED
from schemas.errors import ErrorCode, StageFailed

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_TIFF = (b"II", b"MM")
# Chunks that only describe the pixels (W3C PNG, third edition, chapter 11).
_PNG_PIXEL_CHUNKS = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT pHYs bKGD hIST acTL fcTL fdAT cICP".split()
)
# Segment contents that only describe the pixels: JFIF without a thumbnail, Adobe at its fixed length.
_JPEG_PIXEL_SEGMENT = re.compile(rb"JFIF\0.{7}\0\0|Adobe.{7}", re.DOTALL)
_FILE_SIGNATURES = (b"PK\3\4", b"%PDF-", _PNG, b"Rar!", b"7z\xbc\xaf\x27")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f]{4,}")
_ZLIB_HEADER = re.compile(rb"\x78[\x01\x5e\x9c\xda]")  # RFC 1950: 32 KiB window, deflate, check bits
_SEARCHED = 4096  # bytes of a chunk in which a zlib stream may begin
_MAX_STREAMS = 16  # possible zlib headers that are tried
_TYPE_SIZES = (0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8)  # bytes of a value, by field type
# Tags that only describe the pixels: size, samples, compression, colour map, resolution.
_PIXEL_TAGS = frozenset([256, 257, 258, 259, 262, 273, 277, 278, 279, 282, 283, 284, 296, 317, 320, 338, 339])
_LIST_TAGS = frozenset([258, 273, 279, 320, 324, 325, 338, 339])  # those of them that may have several values
_NUMBER_TYPES = (3, 4, 5)  # field types SHORT, LONG, RATIONAL
_CHUNK_TAGS = ((273, 279), (324, 325))  # tags of the offsets and byte counts of strips and of tiles
_MAX_FIELDS = 4096  # of one IFD
Span = tuple[int, int]


def metadata_texts(data: bytes) -> Iterator[str]:
    """The text of a PNG, JPEG or TIFF outside its pixels: comments, EXIF, XMP, profiles, tags, unreferenced bytes.

    StageFailed(verify_failed) if another file is embedded there.
    """
    readers = {_PNG: _png_metadata} | dict.fromkeys(_TIFF, tiff_metadata)
    chunks_of = next((chunks_of for magic, chunks_of in readers.items() if data.startswith(magic)), _jpeg_metadata)
    for chunk in (content for metadata in chunks_of(data) for content in (metadata, *zlib_streams(metadata))):
        if any(magic in chunk for magic in _FILE_SIGNATURES):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
            yield from _PRINTABLE.findall(chunk.decode(encoding, "replace"))


def zlib_streams(chunk: bytes) -> Iterator[bytes]:
    """Every zlib stream that begins in the first 4 KiB of a chunk, cut at MAX_INFLATED bytes."""
    for number, match in enumerate(_ZLIB_HEADER.finditer(chunk, 0, _SEARCHED)):
        if number == _MAX_STREAMS:
            return
        try:
            content = zlib.decompressobj().decompress(chunk[match.start() :], MAX_INFLATED)
        except zlib.error:
            continue
        if content:
            yield content


def _png_metadata(data: bytes) -> Iterator[bytes]:
    position = len(_PNG)
    while position + 12 <= len(data):
        (length,), kind = struct.unpack_from(">I", data, position), data[position + 4 : position + 8]
        if kind not in _PNG_PIXEL_CHUNKS:
            yield data[position + 8 : position + 8 + length]
        position += 12 + length
        if kind == b"IEND":
            break
    yield data[position:]


def _jpeg_metadata(data: bytes) -> Iterator[bytes]:
    """The contents of APPn and COM segments between all markers (ITU-T T.81, annex B), and the bytes after the end."""
    position = len(_JPEG)
    while position + 4 <= len(data):
        marker = data[position + 1]
        if data[position] != 0xFF or marker == 0xFF:
            position += 1
        elif marker == 0xD9:
            break
        elif marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            position += 2
        else:
            (length,) = struct.unpack_from(">H", data, position + 2)
            content = data[position + 4 : position + 2 + length]
            if (0xE0 <= marker <= 0xEF or marker == 0xFE) and not _JPEG_PIXEL_SEGMENT.fullmatch(content):
                yield content
            position += 2 + length
            if marker == 0xDA:
                end = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]").search(data, position)
                position = end.start() if end else len(data)
    yield data[position + 2 :]


def tiff_metadata(data: bytes) -> Iterator[bytes]:
    """The values of all tags that do not describe pixels, then all bytes that no IFD refers to.

    Reads what redaction writes: classic TIFF with one chain of IFDs. StageFailed(verify_failed) for anything else.
    """
    try:
        yield from _tiff_chunks(data)
    except (struct.error, IndexError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def _tiff_chunks(data: bytes) -> Iterator[bytes]:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    used: list[Span] = [(0, 8)]
    (position,) = struct.unpack_from(f"{order}I", data, 4)
    directories = 0
    while position:
        directories += 1
        (count,) = struct.unpack_from(f"{order}H", data, position)
        end = position + 2 + 12 * count + 4
        if directories > MAX_FRAMES or count > _MAX_FIELDS or end > len(data):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        used.append((position, end))
        values_of: dict[int, list[int]] = {tag: [] for pair in _CHUNK_TAGS for tag in pair}
        for at in range(position + 2, end - 4, 12):
            tag, kind, length = struct.unpack_from(f"{order}HHI", data, at)
            size = _TYPE_SIZES[kind] * length
            start = at + 8 if size <= 4 else struct.unpack_from(f"{order}I", data, at + 8)[0]
            value = data[start : start + size]
            used.append((start, start + size))
            if tag not in _PIXEL_TAGS or kind not in _NUMBER_TYPES or (length > 1 and tag not in _LIST_TAGS):
                yield value
            elif tag in values_of:
                values_of[tag] = list(struct.unpack_from(f"{order}{length}{'H' if kind == 3 else 'I'}", value))
        for offsets, counts in _CHUNK_TAGS:
            chunks = zip(values_of[offsets], values_of[counts], strict=True)
            used += [(start, start + size) for start, size in chunks]
        (position,) = struct.unpack_from(f"{order}I", data, end - 4)
    yield from _unreferenced(data, used)


def _unreferenced(data: bytes, used: list[Span]) -> Iterator[bytes]:
    covered_end = 0
    for start, end in sorted(used):
        if start > covered_end:
            yield data[covered_end:start]
        covered_end = max(covered_end, end)
    yield data[covered_end:]
