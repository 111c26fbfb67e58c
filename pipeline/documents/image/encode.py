"""Encodes pixels anew in the format and mode they came in, with nothing but pixels: no text, EXIF, profile or preview.

OpenCV writes most modes. It knows no PNG palette, no gray with alpha and merges equal frames of an animation, so these
are written here (PNG: ISO 15948; animation: W3C PNG, third edition); MuPDF writes JPEGs of four inks.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.image.frame import Frame, cmyk_samples, indexed, plain_dpi
from pipeline.documents.image.header import PNG_MAGIC, Header
from pipeline.documents.image.tiff import encode
from schemas.errors import ErrorCode, StageFailed

_JPEG_QUALITY = 92
_LEVEL = 6  # zlib
_GRAY, _PALETTE, _GRAY_ALPHA = 0, 3, 4  # PNG color types as headers give them
_JFIF = b"\xff\xe0\0\x10JFIF\0\1\1"
_HEAD = 33  # bytes of a PNG's signature and IHDR
_INCH = 0.0254  # metres


def encoded(frames: Iterable[Frame], header: Header) -> bytes:
    """The frames in the format of `header`. StageFailed(image_redact_failed) when they do not fit it."""
    if header.format == "tiff":
        return encode.encoded(frames)
    first, *more = frames
    if header.format == "jpeg":
        return _jpeg(first)
    return _with_dpi(_animated([first, *more]) if header.is_animated else _still(first), first)


def png_of(frame: Frame) -> bytes:
    """One frame as a PNG, in the mode nearest to its own."""
    return _still(frame if frame.mode != "CMYK" else frame._replace(mode="RGB"))


def _jpeg(frame: Frame) -> bytes:
    if frame.mode == "CMYK":
        data = _of_four_inks(frame.pixels)
    else:
        data = _by_opencv(".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    dpi = plain_dpi(frame.dpi)
    if dpi is None:
        return data
    start = 20 if data[2:].startswith(_JFIF[:9]) else 2
    return data[:2] + _JFIF + struct.pack(">BHHBB", 1, *dpi, 0, 0) + data[start:]


def _of_four_inks(pixels: Any) -> bytes:
    import pymupdf

    height, width = pixels.shape[:2]
    light = np.uint8(255) - cmyk_samples(pixels)  # Adobe's JPEGs, and so everybody's, hold the inks inverted
    pixmap = pymupdf.Pixmap(pymupdf.csCMYK, width, height, light.tobytes(), False)
    data: bytes = pixmap.tobytes("jpg", jpg_quality=_JPEG_QUALITY)
    return data


def _still(frame: Frame) -> bytes:
    pixels = frame.pixels
    if frame.mode == "P":
        return _indexed(pixels)
    if frame.is_deep:
        pixels = pixels.astype(np.uint16) * np.uint16(257)
    if frame.mode == "LA":
        return _png(pixels.shape, 8 * pixels.itemsize, _GRAY_ALPHA, [], _data(pixels[:, :, [0, 3]]))
    options = [cv2.IMWRITE_PNG_COMPRESSION, _LEVEL]
    if frame.mode == "1":
        options += [cv2.IMWRITE_PNG_BILEVEL, 1]
    return _by_opencv(".png", pixels, options)


def _with_dpi(data: bytes, frame: Frame) -> bytes:
    dpi = plain_dpi(frame.dpi)
    if dpi is None:
        return data
    across, down = (round(side / _INCH) for side in dpi)
    return data[:_HEAD] + _chunk(b"pHYs", struct.pack(">IIB", across, down, 1)) + data[_HEAD:]


def _by_opencv(suffix: str, image: Any, options: list[int]) -> bytes:
    done, buffer = cv2.imencode(suffix, image, options)
    if not done:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return bytes(buffer)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(shape: Sequence[int], bits: int, color: int, before: Iterable[tuple[bytes, bytes]], data: bytes) -> bytes:
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", shape[1], shape[0], bits, color, 0, 0, 0)), *before]
    chunks += [(b"IDAT", data), (b"IEND", b"")]
    return PNG_MAGIC + b"".join(_chunk(kind, content) for kind, content in chunks)


def _data(samples: Any) -> bytes:
    """Compressed scan lines, each with filter type 0 in front; 16-bit samples big-endian."""
    if samples.dtype == np.uint16:
        samples = samples.astype(">u2")
    rows = np.ascontiguousarray(samples).view(np.uint8).reshape(samples.shape[0], -1)
    lines = np.zeros((rows.shape[0], rows.shape[1] + 1), np.uint8)
    lines[:, 1:] = rows
    return zlib.compress(lines.data, _LEVEL)


def _rgba(image: Any) -> Any:
    """Samples in PNG's order: red, green, blue and, where there is one, alpha."""
    if image.ndim == 2:
        return image[:, :, None]
    return image[:, :, [2, 1, 0, 3][: image.shape[2]]]


def _indexed(image: Any) -> bytes:
    places, table = indexed(image)
    before = [(b"PLTE", table[:, :3].tobytes())]
    if image.ndim == 3 and image.shape[2] == 4:
        before.append((b"tRNS", table[:, 3].tobytes()))
    return _png(image.shape, 8, _PALETTE, before, _data(places))


def _animated(frames: Sequence[Frame]) -> bytes:
    height, width = frames[0].pixels.shape[:2]
    samples = [_rgba(frame.pixels) for frame in frames]
    color = {1: 0, 3: 2, 4: 6}[samples[0].shape[2]]
    parts = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0))]
    parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number = 0
    for index, (shown, frame) in enumerate(zip(samples, frames, strict=True)):
        milliseconds = min(max(frame.milliseconds, 0), 65535)
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, milliseconds, 1000, 0, 0)))
        number += 1
        if index:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + _data(shown)))
            number += 1
        else:
            parts.append(_chunk(b"IDAT", _data(shown)))
    parts.append(_chunk(b"IEND", b""))
    return PNG_MAGIC + b"".join(parts)
