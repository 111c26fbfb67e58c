"""Encodes frames in the format and mode of the input, without metadata: no text, EXIF, profile or thumbnail.

OpenCV writes most modes. It cannot write PNG palettes or gray with alpha, and it merges equal frames of an animation,
so these are written here (PNG: ISO/IEC 15948; APNG: W3C PNG, third edition). MuPDF writes CMYK JPEGs.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.image.frame import Frame, cmyk_from_bgr, palette_image, plausible_dpi
from pipeline.documents.image.header import PNG_MAGIC, Header
from pipeline.documents.image.tiff import encode
from schemas.errors import ErrorCode, StageFailed

_JPEG_QUALITY = 92
_LEVEL = 6  # zlib
_GRAY, _PALETTE, _GRAY_ALPHA = 0, 3, 4  # PNG colour types
_JFIF = b"\xff\xe0\0\x10JFIF\0\1\1"
_HEAD = 33  # bytes of the PNG signature and IHDR
_INCH = 0.0254  # metres


def encoded(frames: Iterable[Frame], header: Header) -> bytes:
    """The encoded image in the format of `header`. StageFailed(image_redact_failed) if a frame cannot be encoded."""
    if header.format == "tiff":
        return encode.encoded(frames)
    first, *more = frames
    if header.format == "jpeg":
        return _jpeg(first)
    return _with_dpi(_apng([first, *more]) if header.is_animated else _png_frame(first), first)


def png_of(frame: Frame) -> bytes:
    """One frame as PNG, in the nearest mode that PNG has."""
    return _png_frame(frame if frame.mode != "CMYK" else frame._replace(mode="RGB"))


def _jpeg(frame: Frame) -> bytes:
    if frame.mode == "CMYK":
        data = _cmyk_jpeg(frame.pixels)
    else:
        data = _opencv_encoded(".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    dpi = plausible_dpi(frame.dpi)
    if dpi is None:
        return data
    start = 20 if data[2:].startswith(_JFIF[:9]) else 2
    return data[:2] + _JFIF + struct.pack(">BHHBB", 1, *dpi, 0, 0) + data[start:]


def _cmyk_jpeg(pixels: Any) -> bytes:
    import pymupdf

    height, width = pixels.shape[:2]
    inverted = np.uint8(255) - cmyk_from_bgr(pixels)  # CMYK JPEGs store inverted inks, as Adobe does
    pixmap = pymupdf.Pixmap(pymupdf.csCMYK, width, height, inverted.tobytes(), False)
    data: bytes = pixmap.tobytes("jpg", jpg_quality=_JPEG_QUALITY)
    return data


def _png_frame(frame: Frame) -> bytes:
    pixels = frame.pixels
    if frame.mode == "P":
        return _palette_png(pixels)
    if frame.is_deep:
        pixels = pixels.astype(np.uint16) * np.uint16(257)
    if frame.mode == "LA":
        return _png(pixels.shape, 8 * pixels.itemsize, _GRAY_ALPHA, [], _idat(pixels[:, :, [0, 3]]))
    options = [cv2.IMWRITE_PNG_COMPRESSION, _LEVEL]
    if frame.mode == "1":
        options += [cv2.IMWRITE_PNG_BILEVEL, 1]
    return _opencv_encoded(".png", pixels, options)


def _with_dpi(data: bytes, frame: Frame) -> bytes:
    dpi = plausible_dpi(frame.dpi)
    if dpi is None:
        return data
    across, down = (round(side / _INCH) for side in dpi)
    return data[:_HEAD] + _chunk(b"pHYs", struct.pack(">IIB", across, down, 1)) + data[_HEAD:]


def _opencv_encoded(suffix: str, image: Any, options: list[int]) -> bytes:
    is_encoded, buffer = cv2.imencode(suffix, image, options)
    if not is_encoded:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return bytes(buffer)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(
    shape: Sequence[int], bits: int, color: int, chunks_before: Iterable[tuple[bytes, bytes]], data: bytes
) -> bytes:
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", shape[1], shape[0], bits, color, 0, 0, 0)), *chunks_before]
    chunks += [(b"IDAT", data), (b"IEND", b"")]
    return PNG_MAGIC + b"".join(_chunk(kind, content) for kind, content in chunks)


def _idat(samples: Any) -> bytes:
    """Compressed scanlines with filter type 0; 16-bit samples are big-endian."""
    if samples.dtype == np.uint16:
        samples = samples.astype(">u2")
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(samples.shape[0], -1)
    lines = np.zeros((rows.shape[0], rows.shape[1] + 1), np.uint8)
    lines[:, 1:] = rows
    return zlib.compress(lines.data, _LEVEL)


def _png_samples(image: Any) -> Any:
    """Samples in PNG order: red, green, blue and, if present, alpha."""
    if image.ndim == 2:
        return image[:, :, None]
    return image[:, :, [2, 1, 0, 3][: image.shape[2]]]


def _palette_png(image: Any) -> bytes:
    indices, table = palette_image(image)
    chunks_before = [(b"PLTE", table[:, :3].tobytes())]
    if image.ndim == 3 and image.shape[2] == 4:
        chunks_before.append((b"tRNS", table[:, 3].tobytes()))
    return _png(image.shape, 8, _PALETTE, chunks_before, _idat(indices))


def _apng(frames: Sequence[Frame]) -> bytes:
    height, width = frames[0].pixels.shape[:2]
    samples = [_png_samples(frame.pixels) for frame in frames]
    color = {1: 0, 3: 2, 4: 6}[samples[0].shape[2]]
    parts = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0))]
    parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number = 0
    for index, (shown, frame) in enumerate(zip(samples, frames, strict=True)):
        milliseconds = min(max(frame.milliseconds, 0), 65535)
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, milliseconds, 1000, 0, 0)))
        number += 1
        if index:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + _idat(shown)))
            number += 1
        else:
            parts.append(_chunk(b"IDAT", _idat(shown)))
    parts.append(_chunk(b"IEND", b""))
    return PNG_MAGIC + b"".join(parts)
