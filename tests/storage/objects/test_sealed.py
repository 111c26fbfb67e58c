"""Sealed objects: nothing of them can be read, cut, reordered, extended or put in another's place."""

import secrets
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.encryption import Keyring, SealBroken
from storage.objects.directory import DirectoryStore
from storage.objects.sealed import CHUNK_BYTES, SealedStore
from storage.objects.store import ObjectNotFound, ObjectStore

TAG = 16
SEALED_CHUNK = CHUNK_BYTES + TAG


@pytest.fixture
def sealed(objects: ObjectStore, keyring: Keyring) -> SealedStore:
    return SealedStore(objects, keyring)


@pytest.fixture
def bare(tmp_path: Path) -> DirectoryStore:
    return DirectoryStore(tmp_path / "bare")


def replace(store: ObjectStore, key: str, data: bytes) -> None:
    with store.writer(key) as writer:
        writer.write(data)
        writer.commit()


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 9 << 20])
def test_what_was_put_is_got(sealed: SealedStore, size: int) -> None:
    data = secrets.token_bytes(size)
    sealed.put("jobs/a/input", data)
    assert sealed.get("jobs/a/input") == data


@settings(max_examples=25)
@given(st.lists(st.integers(0, 2 * CHUNK_BYTES), max_size=6))
def test_portions_do_not_matter(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    store = SealedStore(DirectoryStore(tmp_path_factory.mktemp("sealed")), Keyring(bytes(32)))
    portions = [secrets.token_bytes(size) for size in sizes]
    with store.writer("x") as writer:
        for portion in portions:
            writer.write(portion)
        writer.commit()
    assert b"".join(store.read("x")) == b"".join(portions)


def test_nothing_of_it_is_in_the_store(objects: ObjectStore, keyring: Keyring) -> None:
    SealedStore(objects, keyring).put("x", b"Salman Example, 1012345672\n" * 5000)
    assert b"1012345672" not in b"".join(objects.read("x"))


def test_what_was_not_committed_does_not_exist(sealed: SealedStore) -> None:
    with sealed.writer("x") as writer:
        writer.write(bytes(CHUNK_BYTES * 3))
    with pytest.raises(ObjectNotFound):
        sealed.read("x")


def tampered(bare: DirectoryStore, keyring: Keyring, change: Callable[[bytes, int], bytes]) -> SealedStore:
    """Four chunks, the last one short, changed behind the store's back; `change` gets where the chunks begin."""
    store = SealedStore(bare, keyring)
    plaintext = bytes([number for number in range(4) for _ in range(CHUNK_BYTES)])[:-100]
    store.put("x", plaintext)
    raw = b"".join(bare.read("x"))
    body = len(raw) - 4 * TAG - len(plaintext)
    replace(bare, "x", change(raw, body))
    return store


def swap_first_two(raw: bytes, body: int) -> bytes:
    first, second = body + SEALED_CHUNK, body + 2 * SEALED_CHUNK
    return raw[:body] + raw[first:second] + raw[body:first] + raw[second:]


CHANGES: dict[str, Callable[[bytes, int], bytes]] = {
    "last byte cut": lambda raw, body: raw[:-1],
    "final chunk cut": lambda raw, body: raw[: body + 3 * SEALED_CHUNK],
    "cut at a chunk's end": lambda raw, body: raw[: body + SEALED_CHUNK],
    "cut to its header": lambda raw, body: raw[:body],
    "cut inside its header": lambda raw, body: raw[: body - 5],
    "emptied": lambda raw, body: b"",
    "one chunk removed": lambda raw, body: raw[:body] + raw[body + SEALED_CHUNK :],
    "two chunks swapped": swap_first_two,
    "a chunk repeated": lambda raw, body: raw[: body + SEALED_CHUNK] + raw[body:],
    "a byte appended": lambda raw, body: raw + b"\0",
    "the final chunk appended again": lambda raw, body: raw + raw[body + 3 * SEALED_CHUNK :],
    "a bit turned": lambda raw, body: raw[: body + 9] + bytes([raw[body + 9] ^ 1]) + raw[body + 10 :],
    "another format": lambda raw, body: b"MSK2" + raw[4:],
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_object_does_not_open(
    bare: DirectoryStore, keyring: Keyring, change: Callable[[bytes, int], bytes]
) -> None:
    store = tampered(bare, keyring, change)
    with pytest.raises(SealBroken):
        store.get("x")


def test_an_object_in_anothers_place_does_not_open(bare: DirectoryStore, keyring: Keyring) -> None:
    store = SealedStore(bare, keyring)
    store.put("jobs/a/input", b"of a")
    replace(bare, "jobs/b/input", b"".join(bare.read("jobs/a/input")))
    with pytest.raises(SealBroken):
        store.read("jobs/b/input")


def test_chunks_of_another_object_do_not_fit(bare: DirectoryStore, keyring: Keyring) -> None:
    store = SealedStore(bare, keyring)
    store.put("a", bytes(2 * CHUNK_BYTES))
    store.put("b", bytes(2 * CHUNK_BYTES))
    raw_a, raw_b = b"".join(bare.read("a")), b"".join(bare.read("b"))
    replace(bare, "a", raw_a[:-SEALED_CHUNK] + raw_b[-SEALED_CHUNK:])
    with pytest.raises(SealBroken):
        store.get("a")


def test_nothing_unproven_is_ever_yielded(bare: DirectoryStore, keyring: Keyring) -> None:
    store = tampered(bare, keyring, swap_first_two)
    with pytest.raises(SealBroken):
        store.read("x")


def test_objects_outlive_a_rotation_of_the_master_key(bare: DirectoryStore) -> None:
    old, new = bytes(32), bytes([1]) * 32
    SealedStore(bare, Keyring(old)).put("x", b"kept")
    assert SealedStore(bare, Keyring(new, [old])).get("x") == b"kept"
    with pytest.raises(SealBroken):
        SealedStore(bare, Keyring(new)).get("x")


def test_a_large_object_streams_through_little_memory(sealed: SealedStore) -> None:
    """100 MB in and out; the adapters hold one 8 MB part and its copy on the way to the wire at most."""
    megabyte = secrets.token_bytes(1 << 20)
    sealed.put("warm-up", megabyte)
    tracemalloc.start()
    with sealed.writer("x") as writer:
        for _ in range(100):
            writer.write(megabyte)
        writer.commit()
    _, peak_in = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    size = sum(len(piece) for piece in sealed.read("x"))
    _, peak_out = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 100 << 20
    assert peak_in < 32 << 20
    assert peak_out < 8 << 20
