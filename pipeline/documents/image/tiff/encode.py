"""Writes pages as a new TIFF: baseline tags and nothing else, each page deflated, in the mode that it came in.

Source: TIFF 6.0; deflate and its predictor by Adobe's supplement 2.
"""

import struct
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pipeline.documents.image.frame import Frame, cmyk_samples, indexed, plain_dpi
from pipeline.documents.image.tiff import directory as tiff
from schemas.errors import ErrorCode, StageFailed

_SHORT, _LONG, _RATIONAL = 3, 4, 5
_FORMS = {_SHORT: "H", _LONG: "I", _RATIONAL: "I"}
_DEFLATE, _LEVEL = 8, 6
_STRIP = 256 * 1024  # bytes of a strip before they are packed, at least a row
_PHOTOMETRIC = {"1": 1, "L": 1, "LA": 1, "RGB": 2, "RGBA": 2, "P": 3, "CMYK": 5}
_UNASSOCIATED = 2
_LARGEST = 2**32 - 2**20  # bytes of a file whose offsets have 32 bits

_Field = tuple[int, list[int]]


def encoded(frames: Iterable[Frame]) -> bytes:
    """The file. Takes the frames one by one; at most one is in memory beside what is written already."""
    parts: list[bytes] = [b"II*\0" + struct.pack("<I", 0)]
    size, link = 8, (0, 4)  # where the position of the next directory is to be written: part, and place in it
    for frame in frames:
        samples, color_map = _samples(frame)
        offsets, counts, rows = [], [], _rows(samples)
        for top in range(0, samples.shape[0], rows):
            strip = _packed(samples[top : top + rows], frame.mode)
            offsets.append(size)
            counts.append(len(strip))
            strip += b"\0" * (len(strip) & 1)
            parts.append(strip)
            size += len(strip)
        fields = _fields(frame, samples, color_map, rows)
        fields |= {tiff.STRIP_OFFSETS: (_LONG, offsets), tiff.STRIP_COUNTS: (_LONG, counts)}
        directory, beside = _directory(fields, size)
        parts[link[0]] = _linked(parts[link[0]], link[1], size)
        link = (len(parts), len(directory) - 4)
        parts += [directory, beside]
        size += len(directory) + len(beside)
        if size > _LARGEST:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return b"".join(parts)


def _linked(part: bytes, place: int, position: int) -> bytes:
    return part[:place] + struct.pack("<I", position) + part[place + 4 :]


def _samples(frame: Frame) -> tuple[Any, list[int]]:
    """(height, width, samples) as they are stored, and the colour map of a palette."""
    pixels = frame.pixels
    if frame.is_deep and frame.mode != "P":
        samples, _ = _samples(frame._replace(is_deep=False))
        return samples.astype(np.uint16) * np.uint16(257), []
    if frame.mode == "P":
        places, table = indexed(pixels)
        levels = np.zeros((256, 3), np.uint32)
        levels[: len(table)] = table[:, :3]
        return places[:, :, None], (levels.T.ravel() * 257).tolist()
    if frame.mode == "CMYK":
        return cmyk_samples(pixels), []
    if pixels.ndim == 2:
        return pixels[:, :, None], []
    if frame.mode == "LA":
        return pixels[:, :, [0, 3]], []
    return pixels[:, :, [2, 1, 0, 3][: pixels.shape[2]]], []


def _rows(samples: Any) -> int:
    return int(max(1, min(samples.shape[0], _STRIP // max(1, samples[0].nbytes))))


def _packed(strip: Any, mode: str) -> bytes:
    if mode == "1":
        return zlib.compress(np.packbits(strip[:, :, 0] > 127, axis=1).tobytes(), _LEVEL)
    if mode != "P":
        strip = np.diff(strip, axis=1, prepend=strip.dtype.type(0))  # to the left neighbour, modulo the sample's range
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
    dpi = plain_dpi(frame.dpi)
    if dpi is not None:
        fields[tiff.X_RESOLUTION] = (_RATIONAL, [dpi[0], 1])
        fields[tiff.Y_RESOLUTION] = (_RATIONAL, [dpi[1], 1])
        fields[tiff.RESOLUTION_UNIT] = (_SHORT, [2])
    return fields


def _directory(fields: dict[int, _Field], position: int) -> tuple[bytes, bytes]:
    """The directory at that position, the next one's position 0 yet, and the values that stand behind it."""
    entries = struct.pack("<H", len(fields))
    beside = b""
    start = position + 2 + 12 * len(fields) + 4
    for tag, (kind, values) in sorted(fields.items()):
        body = struct.pack(f"<{len(values)}{_FORMS[kind]}", *values)
        count = len(values) // 2 if kind == _RATIONAL else len(values)
        if len(body) > 4:
            entries += struct.pack("<HHII", tag, kind, count, start + len(beside))
            beside += body + b"\0" * (len(body) & 1)
        else:
            entries += struct.pack("<HHI", tag, kind, count) + body.ljust(4, b"\0")
    return entries + struct.pack("<I", 0), beside
