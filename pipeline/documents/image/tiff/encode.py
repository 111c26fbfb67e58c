"""Writes frames as a new TIFF with baseline tags only, Deflate compression, and the mode of the input.

Sources: TIFF 6.0; Adobe supplement 2 for Deflate and its predictor.
"""

import struct
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pipeline.documents.image.frame import Frame, cmyk_from_bgr, palette_image, plausible_dpi
from pipeline.documents.image.tiff import directory as tiff
from schemas.errors import ErrorCode, StageFailed

_SHORT, _LONG, _RATIONAL = 3, 4, 5
_FORMS = {_SHORT: "H", _LONG: "I", _RATIONAL: "I"}
_DEFLATE, _LEVEL = 8, 6
_STRIP_SIZE = 256 * 1024  # bytes of an uncompressed strip; a strip has at least one row
_PHOTOMETRIC = {"1": 1, "L": 1, "LA": 1, "RGB": 2, "RGBA": 2, "P": 3, "CMYK": 5}
_UNASSOCIATED = 2
_MAX_SIZE = 2**32 - 2**20  # bytes of a file with 32-bit offsets

_Field = tuple[int, list[int]]


def encoded(frames: Iterable[Frame]) -> bytes:
    """The TIFF file. Frames are taken one at a time, so at most one is in memory besides the written bytes."""
    parts: list[bytes] = [b"II*\0" + struct.pack("<I", 0)]
    size, next_ifd = 8, (0, 4)  # where the offset of the next IFD is written: index of the part, and offset in it
    for frame in frames:
        samples, color_map = _samples(frame)
        offsets, counts, rows = [], [], _rows_per_strip(samples)
        for top in range(0, samples.shape[0], rows):
            strip = _compressed(samples[top : top + rows], frame.mode)
            offsets.append(size)
            counts.append(len(strip))
            strip += b"\0" * (len(strip) & 1)
            parts.append(strip)
            size += len(strip)
        fields = _fields(frame, samples, color_map, rows)
        fields |= {tiff.STRIP_OFFSETS: (_LONG, offsets), tiff.STRIP_COUNTS: (_LONG, counts)}
        directory, values_after = _directory(fields, size)
        parts[next_ifd[0]] = _with_offset(parts[next_ifd[0]], next_ifd[1], size)
        next_ifd = (len(parts), len(directory) - 4)
        parts += [directory, values_after]
        size += len(directory) + len(values_after)
        if size > _MAX_SIZE:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return b"".join(parts)


def _with_offset(part: bytes, offset: int, position: int) -> bytes:
    return part[:offset] + struct.pack("<I", position) + part[offset + 4 :]


def _samples(frame: Frame) -> tuple[Any, list[int]]:
    """The samples as stored (height, width, samples per pixel), and the ColorMap of a palette."""
    pixels = frame.pixels
    if frame.is_deep and frame.mode != "P":
        samples, _ = _samples(frame._replace(is_deep=False))
        return samples.astype(np.uint16) * np.uint16(257), []
    if frame.mode == "P":
        indices, palette = palette_image(pixels)
        levels = np.zeros((256, 3), np.uint32)
        levels[: len(palette)] = palette[:, :3]
        return indices[:, :, None], (levels.T.ravel() * 257).tolist()
    if frame.mode == "CMYK":
        return cmyk_from_bgr(pixels), []
    if pixels.ndim == 2:
        return pixels[:, :, None], []
    if frame.mode == "LA":
        return pixels[:, :, [0, 3]], []
    return pixels[:, :, [2, 1, 0, 3][: pixels.shape[2]]], []


def _rows_per_strip(samples: Any) -> int:
    return int(max(1, min(samples.shape[0], _STRIP_SIZE // max(1, samples[0].nbytes))))


def _compressed(strip: Any, mode: str) -> bytes:
    if mode == "1":
        return zlib.compress(np.packbits(strip[:, :, 0] > 127, axis=1).tobytes(), _LEVEL)
    if mode != "P":
        # Predictor 2: the difference to the left neighbour, modulo the sample range.
        strip = np.diff(strip, axis=1, prepend=strip.dtype.type(0))
    return zlib.compress(np.ascontiguousarray(strip.astype(strip.dtype.newbyteorder("<"))).tobytes(), _LEVEL)


def _fields(frame: Frame, samples: Any, color_map: list[int], rows: int) -> dict[int, _Field]:
    height, width, count = samples.shape
    bits = 1 if frame.mode == "1" else 8 * samples.itemsize
    fields: dict[int, _Field] = {
        tiff.WIDTH: (_LONG, [width]),
        tiff.LENGTH: (_LONG, [height]),
        tiff.BITS: (_SHORT, [bits] * count),
        tiff.COMPRESSION: (_SHORT, [_DEFLATE]),
        tiff.PHOTOMETRIC: (_SHORT, [_PHOTOMETRIC[frame.mode]]),
        tiff.SAMPLES: (_SHORT, [count]),
        tiff.ROWS_PER_STRIP: (_LONG, [rows]),
        tiff.PLANAR: (_SHORT, [1]),
    }
    if frame.mode not in ("1", "P"):
        fields[tiff.PREDICTOR] = (_SHORT, [2])
    if color_map:
        fields[tiff.COLOR_MAP] = (_SHORT, color_map)
    if frame.mode in ("LA", "RGBA"):
        fields[tiff.EXTRA_SAMPLES] = (_SHORT, [_UNASSOCIATED])
    dpi = plausible_dpi(frame.dpi)
    if dpi is not None:
        fields[tiff.X_RESOLUTION] = (_RATIONAL, [dpi[0], 1])
        fields[tiff.Y_RESOLUTION] = (_RATIONAL, [dpi[1], 1])
        fields[tiff.RESOLUTION_UNIT] = (_SHORT, [2])
    return fields


def _directory(fields: dict[int, _Field], position: int) -> tuple[bytes, bytes]:
    """The IFD for that offset, with 0 as offset of the next one, and the values that follow it."""
    entries = struct.pack("<H", len(fields))
    values_after = b""
    start = position + 2 + 12 * len(fields) + 4
    for tag, (kind, values) in sorted(fields.items()):
        body = struct.pack(f"<{len(values)}{_FORMS[kind]}", *values)
        count = len(values) // 2 if kind == _RATIONAL else len(values)
        if len(body) > 4:
            entries += struct.pack("<HHII", tag, kind, count, start + len(values_after))
            values_after += body + b"\0" * (len(body) & 1)
        else:
            entries += struct.pack("<HHI", tag, kind, count) + body.ljust(4, b"\0")
    return entries + struct.pack("<I", 0), values_after
