"""The file structure of a redacted PDF: checks that one revision with its objects covers every byte of the file.

Unlisted objects, older revisions and comments between objects are common places where removed data survives.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from schemas.errors import ErrorCode, StageFailed

_OBJECT_HEADER = re.compile(rb"(?<![0-9])\d{1,10}[ \t\r\n\f\0]+\d{1,5}[ \t\r\n\f\0]+obj(?![A-Za-z])")
_STARTXREF = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_STRING_OR_COMMENT = re.compile(rb"\((?:[^()\\]|\\.)*\)|%([^\r\n]*)", re.DOTALL)
_STREAM_START = re.compile(rb">>\s{0,20}stream\r?\n?")
_STREAM_END = re.compile(rb"\s{0,4}endstream\s{0,20}endobj")
_XREF_KEYWORDS = (b"xref", b"trailer", b"startxref")


def bytes_outside_objects(data: bytes, objects: Mapping[int, int]) -> Iterator[bytes]:
    """The bytes outside of objects, and the comments inside them.

    `objects` maps the offset of each object in the cross-reference table to the length of its stream, -1 without one.
    StageFailed(verify_failed) for a second revision, a wrong stream length, or an object that the table does not list.
    """
    ends = list(_STARTXREF.finditer(data))
    if len(ends) != 1 or data.count(b"startxref") != 1:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    starts = sorted(objects)
    streams: list[tuple[int, int]] = []
    yield data[ends[0].end() :]
    yield data[: starts[0] if starts else 0]
    for start, limit in zip(starts, [*starts[1:], len(data)], strict=True):
        end = start
        if objects[start] >= 0:
            opening = _STREAM_START.search(data, start, limit)
            end = opening.end() + objects[start] if opening else limit
            if opening is None or not _STREAM_END.match(data, end, limit):
                raise StageFailed(ErrorCode.VERIFY_FAILED)
            streams.append((opening.end(), end))
            yield from _comments(data[start : opening.end()])
        yield from _comments(data[end:limit])
        yield _after_endobj(data[end:limit])
    for match in _OBJECT_HEADER.finditer(data):
        if match.start() not in objects and not _is_in_stream(match.start(), streams):
            raise StageFailed(ErrorCode.VERIFY_FAILED)


def _comments(text: bytes) -> Iterator[bytes]:
    if b"%" in text:
        yield from (match[1] for match in _STRING_OR_COMMENT.finditer(text) if match[1])


def _after_endobj(text: bytes) -> bytes:
    """The bytes after `endobj`, except the cross-reference table after the last object."""
    _, endobj, rest = text.rpartition(b"endobj")
    if not endobj:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    return b"" if rest.strip().startswith(_XREF_KEYWORDS) else rest


def _is_in_stream(position: int, streams: list[tuple[int, int]]) -> bool:
    """Whether a position is inside a stream: `1 0 obj` may occur in its data."""
    index = bisect_left(streams, (position, 0)) - 1
    return index >= 0 and position < streams[index][1]
