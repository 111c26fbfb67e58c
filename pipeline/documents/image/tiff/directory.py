"""Reads the image file directories (IFDs) of a TIFF: size, sample layout, offsets of strips and tiles.

Sources: TIFF 6.0 (Aldus, 1992) with Adobe supplements 1 and 2, and BigTIFF (AWare Systems). Only tags that describe the
pixels are read; all other tags, sub-IFDs and unreferenced bytes are ignored.
"""

import struct
from collections.abc import Mapping
from typing import NamedTuple

from pipeline.documents.limits import (
    MAX_IMAGE_PIXELS,
    MAX_IMAGE_SIDE,
    MAX_TIFF_CHUNKS,
    MAX_TIFF_FRAMES,
    MAX_TIFF_PIXELS,
    MAX_TIFF_TAGS,
)
from schemas.errors import StageFailed, unsupported
from schemas.refusals import Reason

TIFF_MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
# Tags that are read.
WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, ORIENTATION, SAMPLES, ROWS_PER_STRIP, STRIP_COUNTS = 273, 274, 277, 278, 279
X_RESOLUTION, Y_RESOLUTION, PLANAR, T4_OPTIONS, RESOLUTION_UNIT, PREDICTOR = 282, 283, 284, 292, 296, 317
COLOR_MAP, TILE_WIDTH, TILE_LENGTH, TILE_OFFSETS, TILE_COUNTS, INK_SET = 320, 322, 323, 324, 325, 332
EXTRA_SAMPLES, SAMPLE_FORMAT, JPEG_TABLES, JPEG_START, JPEG_LENGTH = 338, 339, 347, 513, 514
SUBSAMPLING = 530
_READ = frozenset(
    [WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, STRIP_OFFSETS, ORIENTATION, SAMPLES, ROWS_PER_STRIP,
     STRIP_COUNTS, X_RESOLUTION, Y_RESOLUTION, PLANAR, T4_OPTIONS, RESOLUTION_UNIT, PREDICTOR, COLOR_MAP, TILE_WIDTH,
     TILE_LENGTH, TILE_OFFSETS, TILE_COUNTS, INK_SET, EXTRA_SAMPLES, SAMPLE_FORMAT, JPEG_TABLES, JPEG_START,
     JPEG_LENGTH, SUBSAMPLING]
)  # fmt: skip
_TYPE_FORMATS = {
    1: "B",
    3: "H",
    4: "I",
    5: "II",
    7: "B",
    13: "I",
    16: "Q",
    18: "Q",
}  # struct formats of the field types
_ONE_BYTE = (1, 7)
_MIN_SIDE = 1

Values = tuple[int, ...]


class Directory(NamedTuple):
    """One IFD, so one page: its tags and their values. `order` is `<` or `>`: the byte order of 16-bit samples."""

    order: str
    tags: Mapping[int, Values]
    tables: bytes = b""  # JPEGTables
    unread: int = 0  # tags that are not read

    def get(self, tag: int, default: int) -> int:
        """The first value of a tag."""
        return self.tags.get(tag, (default,))[0]

    @property
    def width(self) -> int:
        """Pixels per row as stored; 0 if the tag is missing."""
        return self.get(WIDTH, 0)

    @property
    def height(self) -> int:
        """Rows as stored; 0 if the tag is missing."""
        return self.get(LENGTH, 0)

    @property
    def dpi(self) -> tuple[float, float] | None:
        """Horizontal and vertical dots per inch; None if the resolution is missing or has no absolute unit."""
        unit = {2: 1.0, 3: 2.54}.get(self.get(RESOLUTION_UNIT, 2))
        sides = [self.tags.get(tag, (0, 1)) for tag in (X_RESOLUTION, Y_RESOLUTION)]
        if unit is None or any(len(side) < 2 or not side[1] for side in sides):
            return None
        return sides[0][0] / sides[0][1] * unit, sides[1][0] / sides[1][1] * unit


def directories(data: bytes) -> list[Directory]:
    """The chain of IFDs. StageFailed(unsupported_format) if it is damaged, has a cycle, or exceeds a limit."""
    try:
        found = _chain(data)
    except (struct.error, IndexError, OverflowError):
        raise unreadable() from None
    total = 0
    for page in found:
        sides = (page.width, page.height)
        total += page.width * page.height
        if min(sides) < _MIN_SIDE or max(sides) > MAX_IMAGE_SIDE or sides[0] * sides[1] > MAX_IMAGE_PIXELS:
            raise unreadable(Reason.TOO_LARGE_PAGE)
    if not found or total > MAX_TIFF_PIXELS:
        raise unreadable(Reason.TOO_COMPLEX)
    return found


def exif_orientation_and_dpi(exif: bytes) -> tuple[int, tuple[float, float] | None]:
    """Orientation (1 to 8) and dots per inch from the first IFD of EXIF data; 1 and None if it is damaged."""
    try:
        page = _chain(exif, most=1)[0]
    except (struct.error, IndexError, OverflowError, StageFailed):
        return 1, None
    orientation = page.get(ORIENTATION, 1)
    return orientation if 1 <= orientation <= 8 else 1, page.dpi


def unreadable(reason: Reason = Reason.CORRUPT) -> StageFailed:
    """The exception for a TIFF that cannot be decoded completely."""
    return unsupported(reason)


def _chain(data: bytes, most: int = 0) -> list[Directory]:
    if data[:4] not in TIFF_MAGIC:
        raise unreadable()
    order = "<" if data[:1] == b"I" else ">"
    big = b"+" in data[:4]
    (position,) = struct.unpack_from(f"{order}Q", data, 8) if big else struct.unpack_from(f"{order}I", data, 4)
    if big and struct.unpack_from(f"{order}HH", data, 4) != (8, 0):
        raise unreadable()
    found: list[Directory] = []
    seen: set[int] = set()
    while position:
        if position in seen or len(found) >= MAX_TIFF_FRAMES:
            raise unreadable()
        seen.add(position)
        page, position = _directory(data, position, order, big)
        found.append(page)
        if len(found) == most:
            break
    return found


def _directory(data: bytes, position: int, order: str, big: bool) -> tuple[Directory, int]:
    """The IFD at an offset, and the offset of the next one: 0 at the end of the chain or of a truncated file."""
    (count,) = struct.unpack_from(f"{order}{'Q' if big else 'H'}", data, position)
    position += 8 if big else 2
    size = 20 if big else 12
    if not 0 < count <= MAX_TIFF_TAGS:
        raise unreadable()
    tags: dict[int, Values] = {}
    tables = b""
    for number in range(count):
        at = position + number * size
        tag, kind, length = struct.unpack_from(f"{order}HH{'Q' if big else 'I'}", data, at)
        if tag not in _READ or tag in tags:
            continue
        raw = _raw(data, at, kind, length, order, big)
        if tag == JPEG_TABLES:
            tables = raw
        elif raw:
            form = _TYPE_FORMATS[kind]
            tags[tag] = struct.unpack(f"{order}{len(raw) // struct.calcsize(order + form[0])}{form[0]}", raw)
    after = data[position + count * size :][: 8 if big else 4]
    following = int.from_bytes(after, "little" if order == "<" else "big") if len(after) == (8 if big else 4) else 0
    return Directory(order, tags, tables, count - len(tags) - bool(tables)), following


def _raw(data: bytes, at: int, kind: int, length: int, order: str, big: bool) -> bytes:
    """The values of a field as bytes; empty for an unsupported field type or an offset outside of the file."""
    form = _TYPE_FORMATS.get(kind)
    if form is None or not length:
        return b""
    size = struct.calcsize(order + form) * length
    if length > MAX_TIFF_CHUNKS and kind not in _ONE_BYTE:
        raise unreadable()
    room, start = (8, at + 12) if big else (4, at + 8)
    if size > room:
        (start,) = struct.unpack_from(f"{order}{'Q' if big else 'I'}", data, start)
    if start + size > len(data):
        return b""  # like most readers: such a field is ignored
    return data[start : start + size]
