"""What a PNG's or JPEG's own structure says before a pixel is decoded: whole or cut off, how large, how deep."""

import struct
import zlib
from typing import NamedTuple

from pipeline.documents.limits import MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE
from schemas.errors import ErrorCode, StageFailed

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # SOF0..SOF15 without DHT, JPG and DAC
_ALONE = frozenset([0x01, *range(0xD0, 0xD9)])  # markers without a length


class Header(NamedTuple):
    """`format` is png or jpeg; sides in pixels as stored; `bits` per channel; `color`: the PNG color type, else -1."""

    format: str
    width: int
    height: int
    bits: int
    color: int = -1
    frames: int = 1


def header_of(data: bytes) -> Header:
    """Reads it (PNG: ISO 15948; JPEG: ITU-T T.81). StageFailed(unsupported_format) for what is no whole image."""
    try:
        found = _png(data) if data.startswith(PNG_MAGIC) else _jpeg(data)
    except (struct.error, IndexError):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    sides = (found.width, found.height)
    if min(sides) < 1 or max(sides) > MAX_IMAGE_SIDE or found.width * found.height > MAX_IMAGE_PIXELS:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return found


def _png(data: bytes) -> Header:
    position, header, frames, seen = len(PNG_MAGIC), None, 1, set()
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + length
        if end > len(data):
            break
        if kind in _CRITICAL and zlib.crc32(memoryview(data)[position + 4 : end - 4]) != _u32(data, end - 4):
            break
        seen.add(kind)
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack_from(">IIBB", data, position + 8)
            header = Header("png", width, height, bits, color)
        elif kind == b"acTL":
            frames = _u32(data, position + 8)
        elif kind == b"IEND":
            if header is None or b"IDAT" not in seen:
                break
            return header._replace(frames=frames)
        position = end
    raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)


def _u32(data: bytes, position: int) -> int:
    return int(struct.unpack_from(">I", data, position)[0])


def _jpeg(data: bytes) -> Header:
    if not data.startswith(b"\xff\xd8\xff"):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    position, header = 2, None
    while True:
        while data[position] == 0xFF and data[position + 1] == 0xFF:
            position += 1
        if data[position] != 0xFF:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
        marker = data[position + 1]
        if marker in _ALONE:
            position += 2
            continue
        if marker in _FRAME_HEADERS:
            bits, height, width = struct.unpack_from(">BHH", data, position + 4)
            header = Header("jpeg", width, height, bits)
        elif marker == 0xDA:  # start of scan: entropy-coded data, whole only when the end marker follows it
            if header is None or data.find(b"\xff\xd9", position) < 0:
                raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
            return header
        position += 2 + int(struct.unpack_from(">H", data, position + 2)[0])
