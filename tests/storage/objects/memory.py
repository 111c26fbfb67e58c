"""An object store in memory whose objects a test can change behind the back of what stores them."""

from collections.abc import Iterator

from storage.objects.store import AbortingWriter, ObjectNotFound


class MemoryStore:
    """Whole objects by key; a read gives them in pieces of one size."""

    def __init__(self, piece: int = 50) -> None:
        self.objects: dict[str, bytes] = {}
        self._piece = piece

    def writer(self, key: str) -> "_MemoryWriter":
        return _MemoryWriter(self, key)

    def read(self, key: str) -> Iterator[bytes]:
        if key not in self.objects:
            raise ObjectNotFound
        data = self.objects[key]
        return (data[place : place + self._piece] for place in range(0, len(data), self._piece))


class _MemoryWriter(AbortingWriter):
    def __init__(self, store: MemoryStore, key: str) -> None:
        self._store, self._key, self._written = store, key, bytearray()

    def write(self, data: bytes) -> None:
        self._written += data

    def commit(self) -> None:
        self._store.objects[self._key] = bytes(self._written)

    def abort(self) -> None:
        self._written.clear()
