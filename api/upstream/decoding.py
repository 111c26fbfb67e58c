"""Content decoding (RFC 9110, section 8.4) with bounded output: a small chunk may decompress to gigabytes."""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

ACCEPTED = b"gzip, br"  # the value of Accept-Encoding
MAX_CHUNK = 64 * 1024  # bytes of decoded data in memory at a time


class DecodingError(Exception):
    """An unsupported content encoding, or data that is not in it. The message carries none of the data."""


class Decoder(Protocol):
    """Decodes one body."""

    def decoded(self, chunk: bytes) -> Iterator[bytes]:
        """The decoded data of a chunk, at most MAX_CHUNK bytes each time. DecodingError."""

    def is_complete(self) -> bool:
        """Whether the body may end here."""


def decoder(encoding: str) -> Decoder:
    """The decoder for a Content-Encoding value. DecodingError."""
    kinds: dict[str, type[Decoder]] = {
        "": _Identity, "identity": _Identity, "gzip": Gunzip, "x-gzip": Gunzip, "br": _Brotli,
    }  # fmt: skip
    kind = kinds.get(encoding.strip().lower())
    if kind is None:
        raise DecodingError
    return kind()


class _Identity:
    def decoded(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), MAX_CHUNK):
            yield chunk[start : start + MAX_CHUNK]

    def is_complete(self) -> bool:
        return True


class Gunzip:
    """Gzip (RFC 1952) with one or more members."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._has_begun = False

    def decoded(self, chunk: bytes) -> Iterator[bytes]:
        """The decoded data of a chunk. DecodingError."""
        while chunk:
            if self._inflate.eof:
                self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
            self._has_begun = True
            yield from self._member(chunk)
            chunk = self._inflate.unused_data

    def is_complete(self) -> bool:
        """Whether the body may end here."""
        return self._inflate.eof or not self._has_begun

    def _member(self, chunk: bytes) -> Iterator[bytes]:
        while True:
            try:
                data = self._inflate.decompress(chunk, MAX_CHUNK)
            except zlib.error:
                raise DecodingError from None
            if data:
                yield data
            chunk = self._inflate.unconsumed_tail
            # After a full chunk zlib may hold more output, also when all input is consumed.
            if self._inflate.eof or (not chunk and len(data) < MAX_CHUNK):
                return


class _Brotli:
    """Brotli (RFC 7932)."""

    def __init__(self) -> None:
        self._decompress = brotli.Decompressor()
        self._has_begun = False

    def decoded(self, chunk: bytes) -> Iterator[bytes]:
        self._has_begun = self._has_begun or bool(chunk)
        try:
            while True:
                data = self._decompress.process(chunk, output_buffer_limit=MAX_CHUNK)
                chunk = b""
                for start in range(0, len(data), MAX_CHUNK):  # the library may exceed its limit a little
                    yield data[start : start + MAX_CHUNK]
                if len(data) < MAX_CHUNK or self._decompress.is_finished():
                    return
        except brotli.error:
            raise DecodingError from None

    def is_complete(self) -> bool:
        return not self._has_begun or bool(self._decompress.is_finished())
