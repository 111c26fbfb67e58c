"""The message between the sandbox and its child: a JSON header and named blobs, with nothing executable.

Layout: the length of the header (four bytes, big-endian); the header `{"meta": {…}, "blobs": [[name, size], …]}`; the
bytes of the blobs in that order; no trailer.
"""

import struct
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.codec import MAX_ID, Malformed, from_bytes, to_bytes

_LENGTH = struct.Struct(">I")
MAX_BLOBS = 20_000
# What a zygote says when it has loaded everything, and on a connection when it has forked the child.
READY, FORKED = b"ready", b"f"


def pack(meta: Mapping[str, Any], blobs: Mapping[str, bytes]) -> list[bytes]:
    """The byte strings to write, in order."""
    header = to_bytes({"meta": dict(meta), "blobs": [[name, len(blob)] for name, blob in blobs.items()]})
    return [_LENGTH.pack(len(header)), header, *blobs.values()]


def unpack(read: Callable[[int], bytes], most: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Meta and blobs; `read(n)` returns exactly n bytes or raises. Malformed if invalid or over `most` bytes."""
    size = _LENGTH.unpack(read(_LENGTH.size))[0]
    if size > most:
        raise Malformed("header too large")
    header = from_bytes(read(size))
    if not isinstance(header, dict) or header.keys() != {"meta", "blobs"} or not isinstance(header["meta"], dict):
        raise Malformed("header")
    sizes = _sizes(header["blobs"])
    if size + sum(sizes.values()) > most:
        raise Malformed("blobs too large")
    return header["meta"], {name: read(length) for name, length in sizes.items()}


def _sizes(raw: object) -> dict[str, int]:
    if not isinstance(raw, list) or len(raw) > MAX_BLOBS:
        raise Malformed("blobs")
    sizes: dict[str, int] = {}
    for row in raw:
        if not isinstance(row, list) or len(row) != 2:
            raise Malformed("blob")
        name, length = row
        if not isinstance(name, str) or not 0 < len(name) <= MAX_ID or name in sizes:
            raise Malformed("blob name")
        if type(length) is not int or length < 0:
            raise Malformed("blob size")
        sizes[name] = length
    return sizes
