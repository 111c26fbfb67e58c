"""Encodes pixels anew in the format and mode they came in, with nothing but pixels: no text, EXIF, profile or preview.

OpenCV writes most modes. It knows no PNG palette, no gray with alpha and merges equal frames of an animation, so these
are written here (PNG: ISO 15948; animation: W3C PNG, third edition).
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.image_header import PNG_MAGIC, Header
from schemas.errors import ErrorCode, StageFailed

_JPEG_QUALITY = 92
_LEVEL = 6  # zlib
_GRAY, _PALETTE, _GRAY_ALPHA = 0, 3, 4  # PNG color types as headers give them
_COLORS = 256
_MOST_INDEXED = 30_000_000  # pixels; larger pictures come out in full colour


def encoded(frames: Sequence[Any], durations: Sequence[int], header: Header) -> bytes:
    """`frames`: arrays (height, width[, channels]) in BGR(A) or gray, 8 or 16 bits; `durations` in milliseconds."""
    first = frames[0]
    if header.format == "jpeg":
        return _by_opencv(".jpg", first, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    if len(frames) > 1:
        return _animated(frames, durations)
    if header.color == _GRAY_ALPHA and first.ndim == 3 and first.shape[2] == 4:
        return _png(first.shape, 8 * first.itemsize, _GRAY_ALPHA, [], _data(first[:, :, [0, 3]]))
    if header.color == _PALETTE and first.ndim == 3:
        indexed = _indexed(first)
        if indexed:
            return indexed
    options = [cv2.IMWRITE_PNG_COMPRESSION, _LEVEL]
    if header.bits == 1 and header.color == _GRAY and first.ndim == 2:
        options += [cv2.IMWRITE_PNG_BILEVEL, 1]
    return _by_opencv(".png", first, options)


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


def _indexed(image: Any) -> bytes | None:
    if image.shape[0] * image.shape[1] > _MOST_INDEXED or image.dtype != np.uint8:
        return None
    samples = _rgba(image)
    wide = np.concatenate((samples, np.full((*samples.shape[:2], 4 - samples.shape[2]), 255, np.uint8)), axis=2)
    colors, places = np.unique(np.ascontiguousarray(wide).view(">u4").ravel(), return_inverse=True)
    if colors.size > _COLORS:
        return None
    table = colors.astype(">u4").view(np.uint8).reshape(-1, 4)
    before = [(b"PLTE", table[:, :3].tobytes())]
    if image.shape[2] == 4:
        before.append((b"tRNS", table[:, 3].tobytes()))
    return _png(image.shape, 8, _PALETTE, before, _data(places.reshape(image.shape[:2]).astype(np.uint8)))


def _animated(frames: Sequence[Any], durations: Sequence[int]) -> bytes:
    height, width = frames[0].shape[:2]
    samples = [_rgba(frame) for frame in frames]
    color = {1: 0, 3: 2, 4: 6}[samples[0].shape[2]]
    bits = 8 * frames[0].itemsize
    parts = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0))]
    parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    number = 0
    for index, (frame, milliseconds) in enumerate(zip(samples, durations, strict=True)):
        control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, min(max(milliseconds, 0), 65535), 1000, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        number += 1
        if index:
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + _data(frame)))
            number += 1
        else:
            parts.append(_chunk(b"IDAT", _data(frame)))
    parts.append(_chunk(b"IEND", b""))
    return PNG_MAGIC + b"".join(parts)
