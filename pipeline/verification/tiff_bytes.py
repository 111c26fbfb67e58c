"""What a TIFF holds beside its pixels: tags that say nothing of how they look, and bytes that no directory refers to.

Reads by itself, and only what redaction writes: the classic form (TIFF 6.0), one chain of directories.
"""

import struct
from collections.abc import Iterator

from pipeline.verification.limits import MAX_FRAMES
from schemas.errors import ErrorCode, StageFailed

_SIZES = (0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8)  # bytes of a value, by field type
# Tags that say how pixels are stored and shown: sides, samples, packing, palette, resolution in dots per inch.
_PLAIN = frozenset([256, 257, 258, 259, 262, 273, 277, 278, 279, 282, 283, 284, 296, 317, 320, 338, 339])
_LISTS = frozenset([258, 273, 279, 320, 324, 325, 338, 339])  # of them, those with several values
_NUMBERS = (3, 4, 5)  # field types: short, long, rational
_CHUNKS = ((273, 279), (324, 325))  # offsets and byte counts of strips, and of tiles
_MOST_FIELDS = 4096  # of one directory

Span = tuple[int, int]


def beside_tiff(data: bytes) -> Iterator[bytes]:
    """Values of every foreign tag, then every byte that belongs to nothing. StageFailed(verify_failed) when damaged."""
    try:
        yield from _beside(data)
    except (struct.error, IndexError, ValueError):
        raise StageFailed(ErrorCode.VERIFY_FAILED) from None


def _beside(data: bytes) -> Iterator[bytes]:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    used: list[Span] = [(0, 8)]
    (position,) = struct.unpack_from(f"{order}I", data, 4)
    directories = 0
    while position:
        directories += 1
        (count,) = struct.unpack_from(f"{order}H", data, position)
        end = position + 2 + 12 * count + 4
        if directories > MAX_FRAMES or count > _MOST_FIELDS or end > len(data):
            raise StageFailed(ErrorCode.VERIFY_FAILED)
        used.append((position, end))
        places: dict[int, list[int]] = {tag: [] for pair in _CHUNKS for tag in pair}
        for at in range(position + 2, end - 4, 12):
            tag, kind, length = struct.unpack_from(f"{order}HHI", data, at)
            size = _SIZES[kind] * length
            start = at + 8 if size <= 4 else struct.unpack_from(f"{order}I", data, at + 8)[0]
            value = data[start : start + size]
            used.append((start, start + size))
            if tag not in _PLAIN or kind not in _NUMBERS or (length > 1 and tag not in _LISTS):
                yield value
            elif tag in places:
                places[tag] = list(struct.unpack_from(f"{order}{length}{'H' if kind == 3 else 'I'}", value))
        for offsets, counts in _CHUNKS:
            chunks = zip(places[offsets], places[counts], strict=True)
            used += [(start, start + size) for start, size in chunks]
        (position,) = struct.unpack_from(f"{order}I", data, end - 4)
    yield from _gaps(data, used)


def _gaps(data: bytes, used: list[Span]) -> Iterator[bytes]:
    reached = 0
    for start, end in sorted(used):
        if start > reached:
            yield data[reached:start]
        reached = max(reached, end)
    yield data[reached:]
