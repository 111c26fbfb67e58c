"""Decodes what providers send compressed, a bounded piece at a time: a small chunk may hold gigabytes."""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

ACCEPTED = b"gzip, br"
PIECE = 64 * 1024  # bytes that come out at once, at most


class Undecodable(Exception):
    """A content encoding that was not asked for, or bytes that are not in it. Carries none of them."""


class Decoder(Protocol):
    """Of one body."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What a chunk of the body holds. Undecodable."""

    def is_whole(self) -> bool:
        """Whether the body may end here."""


def decoder(encoding: str) -> Decoder:
    """For a Content-Encoding. Undecodable."""
    kinds: dict[str, type[Decoder]] = {"": _Plain, "identity": _Plain, "gzip": Gunzip, "x-gzip": Gunzip, "br": _Brotli}
    kind = kinds.get(encoding.strip().lower())
    if kind is None:
        raise Undecodable
    return kind()


class _Plain:
    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), PIECE):
            yield chunk[start : start + PIECE]

    def is_whole(self) -> bool:
        return True


class Gunzip:
    """Gzip (RFC 1952), of one member or several."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._is_begun = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What a chunk of the body holds. Undecodable."""
        while chunk:
            if self._inflate.eof:
                self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
            self._is_begun = True
            yield from self._member(chunk)
            chunk = self._inflate.unused_data

    def is_whole(self) -> bool:
        """Whether the body may end here."""
        return self._inflate.eof or not self._is_begun

    def _member(self, chunk: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece = self._inflate.decompress(chunk, PIECE)
            except zlib.error:
                raise Undecodable from None
            if piece:
                yield piece
            chunk = self._inflate.unconsumed_tail
            if self._inflate.eof or (not chunk and len(piece) < PIECE):  # a full piece may have left some behind
                return


class _Brotli:
    def __init__(self) -> None:
        self._decompress = brotli.Decompressor()
        self._is_begun = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        self._is_begun = self._is_begun or bool(chunk)
        try:
            while True:
                piece = self._decompress.process(chunk, output_buffer_limit=PIECE)
                chunk = b""
                for start in range(0, len(piece), PIECE):  # the limit is a rough one
                    yield piece[start : start + PIECE]
                if len(piece) < PIECE or self._decompress.is_finished():
                    return
        except brotli.error:
            raise Undecodable from None

    def is_whole(self) -> bool:
        return not self._is_begun or bool(self._decompress.is_finished())
