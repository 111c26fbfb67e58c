"""Converts bitmaps of Office files (GIF, BMP, WebP, JPEG 2000, TIFF) to PNG; the first frame only.

Width and height are read from the header before a pixel is decoded, so that limits apply. Other formats stay unread.
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

Size = tuple[int, int]


def as_png(data: bytes) -> bytes | None:
    """The image as PNG; None for an unknown format, a damaged file, or one that exceeds the limits."""
    try:
        if data[:4] in TIFF_MAGIC:
            return png_of(decode.frame_of(data, directories(data)[0]))
        size = next((read(data) for magic, read in _SIZE_READERS.items() if data.startswith(magic)), None)
        if size is None or not 0 < size[0] * size[1] <= MAX_IMAGE_PIXELS:
            return None
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except (struct.error, IndexError, cv2.error, StageFailed):
        return None
    if pixels is None or pixels.dtype not in (np.uint8, np.uint16):
        return None
    pixels = frame.eight_bits(pixels)
    mode = "L" if pixels.ndim == 2 else {3: "RGB", 4: "RGBA"}.get(pixels.shape[2])
    return png_of(frame.Frame(pixels, mode)) if mode else None


def _gif(data: bytes) -> Size:
    width, height = struct.unpack_from("<2H", data, 6)
    return width, height


def _bmp(data: bytes) -> Size:
    """BITMAPINFOHEADER; the older OS/2 header has 16-bit width and height."""
    is_os2 = struct.unpack_from("<I", data, 14)[0] == 12
    width, height = struct.unpack_from("<2H" if is_os2 else "<2i", data, 18)
    return abs(width), abs(height)


def _webp(data: bytes) -> Size:
    """RFC 9649: the canvas size of the extended format, else the frame size."""
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


def _jp2(data: bytes) -> Size:
    """ISO/IEC 15444-1: the image header box, which is near the start of a file."""
    at = data.find(b"ihdr", 0, 4096)
    height, width = struct.unpack_from(">2I", data, at + 4) if at > 0 else (0, 0)
    return width, height


_SIZE_READERS: dict[bytes, Callable[[bytes], Size]] = {
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    b"BM": _bmp,
    b"RIFF": _webp,
    b"\0\0\0\x0cjP  ": _jp2,
}
