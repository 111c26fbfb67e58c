"""Accounts for every byte of a redacted PDF: one revision, each object in its place, nothing between, nothing behind.

Objects that no table names, older versions of one, and notes between them are what careless writers leave behind.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from schemas.errors import ErrorCode, StageFailed

_OBJECT = re.compile(rb"(?<![0-9])\d{1,10}[ \t\r\n\f\0]+\d{1,5}[ \t\r\n\f\0]+obj(?![A-Za-z])")
_START = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_COMMENT = re.compile(rb"\((?:[^()\\]|\\.)*\)|%([^\r\n]*)", re.DOTALL)
_OPENING = re.compile(rb">>\s{0,20}stream\r?\n?")
_CLOSING = re.compile(rb"\s{0,4}endstream\s{0,20}endobj")
_TABLE = (b"xref", b"trailer", b"startxref")


def account_for(data: bytes, objects: Mapping[int, int]) -> Iterator[bytes]:
    """Everything that stands outside of objects or in their comments; StageFailed(verify_failed) for what hides.

    `objects`: where the table says that each object begins -> how many bytes its stream has, -1 without one.
    """
    ends = list(_START.finditer(data))
    if len(ends) != 1 or data.count(b"startxref") != 1:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    starts = sorted(objects)
    streams: list[tuple[int, int]] = []
    yield data[ends[0].end() :]
    yield data[: starts[0] if starts else 0]
    for start, limit in zip(starts, [*starts[1:], len(data)], strict=True):
        end = start
        if objects[start] >= 0:
            opening = _OPENING.search(data, start, limit)
            end = opening.end() + objects[start] if opening else limit
            if opening is None or not _CLOSING.match(data, end, limit):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            streams.append((opening.end(), end))
            yield from _comments(data[start : opening.end()])
        yield from _comments(data[end:limit])
        yield _behind(data[end:limit])
    for match in _OBJECT.finditer(data):
        if match.start() not in objects and not _is_inside(match.start(), streams):
            raise StageFailed(ErrorCode.VERIFY_FAILED)


def _comments(text: bytes) -> Iterator[bytes]:
    if b"%" in text:
        yield from (match[1] for match in _COMMENT.finditer(text) if match[1])


def _behind(text: bytes) -> bytes:
    """What stands behind an object's end, but for the table behind the last one."""
    _, closing, behind = text.rpartition(b"endobj")
    if not closing:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return b"" if behind.strip().startswith(_TABLE) else behind


def _is_inside(position: int, streams: list[tuple[int, int]]) -> bool:
    """Whether bytes that look like the head of an object are part of a stream."""
    index = bisect_left(streams, (position, 0)) - 1
    return index >= 0 and position < streams[index][1]
