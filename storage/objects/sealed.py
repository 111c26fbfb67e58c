"""Encrypts objects on their way into any store and decrypts them on their way out, in constant memory."""

from collections.abc import Iterator
from datetime import datetime
from itertools import count

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from storage.encryption import Keyring, SealBroken
from storage.objects.store import AbortingWriter, ObjectEntry, ObjectStore, ObjectWriter, primed

CHUNK_BYTES = 64 << 10
_TAG_BYTES = 16
_MAGIC = b"MSK1"
_LENGTH_BYTES = 2


class SealedStore:
    """The ObjectStore interface over another store, everything in it encrypted.

    An object is `MSK1 | length(2) of the wrapped data key | wrapped data key | chunks`. Each chunk is 64 KiB of
    plaintext under AES-256-GCM (the last one shorter, possibly empty) with the nonce `chunk number(11) | final(1)` and
    the object's key as associated data: the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015). An object
    that was cut, extended, reordered or put in another's place raises SealBroken.
    """

    def __init__(self, store: ObjectStore, keyring: Keyring) -> None:
        self._store, self._keyring = store, keyring

    def writer(self, key: str) -> "_SealingWriter":
        """Begins a new object."""
        data_key = AESGCM.generate_key(256)
        wrapped = self._keyring.wrap(data_key, key)
        return _SealingWriter(self._store.writer(key), _Chunks(data_key, key), wrapped)

    def read(self, key: str) -> Iterator[bytes]:
        """The plaintext in pieces. Every piece is authenticated; only the end proves that nothing is missing."""
        return primed(self._opened(key))

    def put(self, key: str, data: bytes) -> None:
        """Stores a whole object."""
        with self.writer(key) as writer:
            writer.write(data)
            writer.commit()

    def get(self, key: str) -> bytes:
        """Reads a whole object. ObjectNotFound, SealBroken."""
        return b"".join(self.read(key))

    def rewrap(self, key: str) -> bool:
        """Wraps an object's data key under the current master key; False where it is. ObjectNotFound, SealBroken.

        The chunks stay as they are, byte for byte. A reader that has begun reads the old object to its end.
        """
        pieces = self._store.read(key)
        buffer = bytearray()
        wrapped = self._wrapped(buffer, pieces)
        if self._keyring.is_current(wrapped):
            return False
        fresh = self._keyring.wrap(self._keyring.unwrap(wrapped, key), key)
        with self._store.writer(key) as writer:
            writer.write(_MAGIC + len(fresh).to_bytes(_LENGTH_BYTES, "big") + fresh + bytes(buffer))
            for piece in pieces:
                writer.write(piece)
            writer.commit()
        return True

    def delete(self, key: str) -> None:
        """Removes an object, if there is one."""
        self._store.delete(key)

    def delete_prefix(self, prefix: str) -> None:
        """Removes every object under a prefix, which must not be empty."""
        self._store.delete_prefix(prefix)

    def entries(self, prefix: str) -> Iterator[ObjectEntry]:
        """Every object under a prefix, in no particular order."""
        return self._store.entries(prefix)

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key under a prefix."""
        return self._store.keys(prefix)

    def discard_unfinished(self, before: datetime) -> None:
        """Discards what dead writers left unfinished before a moment."""
        self._store.discard_unfinished(before)

    def ping(self) -> None:
        """MaskerUnavailable when the store does not answer."""
        self._store.ping()

    def close(self) -> None:
        """Closes connections."""
        self._store.close()

    def _opened(self, key: str) -> Iterator[bytes]:
        pieces = self._store.read(key)
        buffer = bytearray()
        chunks = _Chunks(self._keyring.unwrap(self._wrapped(buffer, pieces), key), key)
        sealed_bytes = CHUNK_BYTES + _TAG_BYTES
        for number in count():
            # One byte beyond a chunk tells that it is not the last.
            _fill(buffer, pieces, sealed_bytes + 1)
            final = len(buffer) <= sealed_bytes
            plaintext = chunks.open(number, final, _take(buffer, sealed_bytes))
            if plaintext:
                yield plaintext
            if final:
                return

    @staticmethod
    def _wrapped(buffer: bytearray, pieces: Iterator[bytes]) -> bytes:
        """The wrapped data key at the head of an object; what was read beyond it stays in the buffer. SealBroken."""
        _fill(buffer, pieces, len(_MAGIC) + _LENGTH_BYTES)
        head = _take(buffer, len(_MAGIC) + _LENGTH_BYTES)
        if head[: len(_MAGIC)] != _MAGIC:
            raise SealBroken
        wrapped_bytes = int.from_bytes(head[len(_MAGIC) :], "big")
        _fill(buffer, pieces, wrapped_bytes)
        return _take(buffer, wrapped_bytes)


class _Chunks:
    """The cipher of one object's chunks."""

    def __init__(self, data_key: bytes, key: str) -> None:
        self._cipher, self._object_id = AESGCM(data_key), key.encode()

    def seal(self, number: int, final: bool, plaintext: bytes) -> bytes:
        return self._cipher.encrypt(_nonce(number, final), plaintext, self._object_id)

    def open(self, number: int, final: bool, sealed: bytes) -> bytes:
        try:
            return self._cipher.decrypt(_nonce(number, final), sealed, self._object_id)
        except (InvalidTag, ValueError):  # ValueError: shorter than a tag
            raise SealBroken from None


class _SealingWriter(AbortingWriter):
    def __init__(self, inner: ObjectWriter, chunks: _Chunks, wrapped: bytes) -> None:
        self._inner, self._chunks = inner, chunks
        self._number = 0
        self._buffer = bytearray()
        inner.write(_MAGIC + len(wrapped).to_bytes(_LENGTH_BYTES, "big") + wrapped)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            # A full buffer waits for the next byte: only then is it known not to be the final chunk.
            if len(self._buffer) == CHUNK_BYTES:
                self._seal(final=False)
            room = CHUNK_BYTES - len(self._buffer)
            self._buffer += view[:room]
            view = view[room:]

    def commit(self) -> None:
        self._seal(final=True)
        self._inner.commit()

    def abort(self) -> None:
        self._buffer.clear()
        self._inner.abort()

    def _seal(self, *, final: bool) -> None:
        self._inner.write(self._chunks.seal(self._number, final, bytes(self._buffer)))
        self._number += 1
        self._buffer.clear()


def _nonce(number: int, final: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if final else b"\x00")


def _fill(buffer: bytearray, pieces: Iterator[bytes], wanted: int) -> None:
    """Reads until the buffer holds `wanted` bytes or the object ends."""
    while len(buffer) < wanted:
        piece = next(pieces, None)
        if piece is None:
            return
        buffer += piece


def _take(buffer: bytearray, length: int) -> bytes:
    taken = bytes(buffer[:length])
    del buffer[:length]
    return taken
