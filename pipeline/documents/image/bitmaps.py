"""Other bitmaps as PNG: what Office files hold beside PNG and JPEG, with one picture of each, its first.

Sides are taken from the header before a pixel is decoded. What is in none of these forms stays unread.
"""

import struct
from collections.abc import Callable

import cv2
import numpy as np

from pipeline.documents.image import frame
from pipeline.documents.image.encode import png_of
from pipeline.documents.image.tiff import decode
from pipeline.documents.image.tiff.directory import TIFF_MAGIC, directories
from pipeline.documents.limits import MAX_IMAGE_PIXELS
from schemas.errors import StageFailed

Sides = tuple[int, int]


def as_png(data: bytes) -> bytes | None:
    """The picture as a PNG; None for a form that is not known here, a damaged file, or one past the limits."""
    try:
        if data[:4] in TIFF_MAGIC:
            return png_of(decode.frame_of(data, directories(data)[0]))
        sides = next((read(data) for magic, read in _SIDES.items() if data.startswith(magic)), None)
        if sides is None or not 0 < sides[0] * sides[1] <= MAX_IMAGE_PIXELS:
            return None
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except (struct.error, IndexError, cv2.error, StageFailed):
        return None
    if pixels is None or pixels.dtype not in (np.uint8, np.uint16):
        return None
    pixels = frame.eight_bits(pixels)
    mode = "L" if pixels.ndim == 2 else {3: "RGB", 4: "RGBA"}.get(pixels.shape[2])
    return png_of(frame.Frame(pixels, mode)) if mode else None


def _gif(data: bytes) -> Sides:
    width, height = struct.unpack_from("<2H", data, 6)
    return width, height


def _bmp(data: bytes) -> Sides:
    """Windows' own header; the older one of OS/2 has 16-bit sides."""
    short = struct.unpack_from("<I", data, 14)[0] == 12
    width, height = struct.unpack_from("<2H" if short else "<2i", data, 18)
    return abs(width), abs(height)


def _webp(data: bytes) -> Sides:
    """RFC 9649: the canvas of the extended form, else the frame's own sides."""
    kind = data[12:16]
    if data[8:12] != b"WEBP":
        return 0, 0
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<2H", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _jp2(data: bytes) -> Sides:
    """ISO 15444-1: the image header box, which the first boxes of a file hold."""
    at = data.find(b"ihdr", 0, 4096)
    height, width = struct.unpack_from(">2I", data, at + 4) if at > 0 else (0, 0)
    return width, height


_SIDES: dict[bytes, Callable[[bytes], Sides]] = {
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    b"BM": _bmp,
    b"RIFF": _webp,
    b"\0\0\0\x0cjP  ": _jp2,
}
