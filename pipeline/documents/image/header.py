"""Reads the structure of a PNG, JPEG or TIFF without decoding pixels: size, depth, frames, metadata, completeness."""

import struct
import zlib
from typing import NamedTuple

from pipeline.documents.image.tiff import directory as tiff
from pipeline.documents.limits import MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_SOF_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # SOF0..SOF15 without DHT, JPG and DAC
_METRE = 0.0254  # metres per inch
# Ancillary chunks that only describe the pixels (W3C PNG, third edition, chapter 11).
_PICTURE_CHUNKS = frozenset(b"tRNS gAMA cHRM sRGB sBIT pHYs bKGD hIST acTL fcTL fdAT cICP".split())
_WITHOUT_LENGTH = frozenset([0x01, *range(0xD0, 0xD9)])  # markers without a length


class Header(NamedTuple):
    """The structure of an image. `format` is png, jpeg or tiff; `width` and `height` in pixels as stored.

    `bits` per channel; `color`: the PNG colour type; `dpi` horizontal and vertical, if known; `orientation` 1 to 8 as
    in EXIF; `metadata`: the number of segments, chunks or tags that do not describe the pixels; `components` of a JPEG;
    `pages`: the IFDs of a TIFF.
    """

    format: str
    width: int
    height: int
    bits: int
    color: int = -1
    frames: int = 1
    is_animated: bool = False
    dpi: tuple[float, float] | None = None
    orientation: int = 1
    metadata: int = 0
    components: int = 0
    has_trailer: bool = False
    pages: tuple[tiff.Directory, ...] = ()


def header_of(data: bytes) -> Header:
    """The header (PNG: ISO/IEC 15948; JPEG: ITU-T T.81). StageFailed(unsupported_format) for an incomplete image."""
    if data[:4] in tiff.TIFF_MAGIC:
        return _tiff(data)
    try:
        found = _png(data) if data.startswith(PNG_MAGIC) else _jpeg(data)
    except (struct.error, IndexError):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    sides = (found.width, found.height)
    if min(sides) < 1 or max(sides) > MAX_IMAGE_SIDE or found.width * found.height > MAX_IMAGE_PIXELS:
        raise unsupported(Reason.TOO_LARGE_PAGE)
    return found


def _tiff(data: bytes) -> Header:
    pages = tuple(tiff.directories(data))
    first = pages[0]
    unread_tags = sum(page.unread for page in pages)
    return Header("tiff", first.width, first.height, 8, frames=len(pages), metadata=unread_tags, pages=pages)


def _png(data: bytes) -> Header:
    position, header, kinds = len(PNG_MAGIC), None, set()
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data):
            break
        if kind in _CRITICAL and zlib.crc32(memoryview(data)[position + 4 : end - 4]) != _u32(data, end - 4):
            break
        kinds.add(kind)
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack_from(">IIBB", data, position + 8)
            header = Header("png", width, height, bits, color)
        elif header is None:
            break
        elif kind == b"IEND":
            if b"IDAT" not in kinds:
                break
            return header._replace(has_trailer=end < len(data))
        elif kind not in _CRITICAL:
            header = _with_chunk(header, kind, data[position + 8 : end - 4])
        position = end
    raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)


def _with_chunk(header: Header, kind: bytes, content: bytes) -> Header:
    """The header with the values of an ancillary chunk."""
    if kind == b"acTL" and len(content) == 8 and _u32(content, 0):
        return header._replace(frames=_u32(content, 0), is_animated=True)
    if kind == b"pHYs" and len(content) == 9:
        across, down, unit = struct.unpack(">IIB", content)
        return header._replace(dpi=(across * _METRE, down * _METRE) if unit == 1 else None)
    if kind == b"eXIf":
        header = header._replace(orientation=tiff.exif_orientation_and_dpi(content)[0])
    return header._replace(metadata=header.metadata + (kind not in _PICTURE_CHUNKS))


def _u32(data: bytes, position: int) -> int:
    return int(struct.unpack_from(">I", data, position)[0])


def _jpeg(data: bytes) -> Header:
    if not data.startswith(b"\xff\xd8\xff"):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    position, header = 2, Header("jpeg", 0, 0, 0)
    while True:
        while data[position] == 0xFF and data[position + 1] == 0xFF:
            position += 1
        if data[position] != 0xFF:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
        marker = data[position + 1]
        if marker in _WITHOUT_LENGTH:
            position += 2
            continue
        if marker in _SOF_MARKERS:
            bits, height, width, components = struct.unpack_from(">BHHB", data, position + 4)
            header = header._replace(bits=bits, height=height, width=width, components=components)
        elif marker == 0xDA:  # start of scan; the entropy-coded data is complete only if an end marker follows
            end = data.rfind(b"\xff\xd9", position)
            if header.bits != 8:  # the decoder reads 8 bits per sample only
                raise unsupported(Reason.UNSUPPORTED_FEATURE)
            if end < 0:
                raise unsupported(Reason.CORRUPT)
            return header._replace(has_trailer=data.find(b"\xff\xd9", position) + 2 < len(data))
        length = int(struct.unpack_from(">H", data, position + 2)[0])
        if 0xE0 <= marker <= 0xEF or marker == 0xFE:
            header = _with_segment(header, marker, data[position + 4 : position + 2 + length])
        position += 2 + length


def _with_segment(header: Header, marker: int, content: bytes) -> Header:
    """The header with the values of an APPn or COM segment."""
    if marker == 0xE0 and content.startswith(b"JFIF\0") and len(content) >= 14:
        unit, across, down = struct.unpack_from(">BHH", content, 7)
        factor = {1: 1.0, 2: 2.54}.get(unit)
        has_thumbnail = len(content) > 14
        return header._replace(
            dpi=(across * factor, down * factor) if factor else header.dpi, metadata=header.metadata + has_thumbnail
        )
    if marker == 0xE1 and content.startswith(b"Exif\0\0"):
        orientation, dpi = tiff.exif_orientation_and_dpi(content[6:])
        header = header._replace(dpi=header.dpi or dpi, orientation=orientation)
    is_adobe = marker == 0xEE and content.startswith(b"Adobe") and len(content) == 12
    return header._replace(metadata=header.metadata + (not is_adobe))
