"""The layout of sealed objects as docs/decisions/sealed-objects.md tells it: by that table alone an object opens."""

import re
import secrets
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, cast

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from storage import encryption
from storage.encryption import Keyring
from storage.objects import sealed
from storage.objects.sealed import CHUNK_BYTES, SealedStore
from storage.objects.store import ObjectStore
from tests.storage.objects.memory import MemoryStore

DOCUMENT = Path(__file__).parents[3] / "docs" / "decisions" / "sealed-objects.md"
MASTER, KEY = bytes(range(32)), "jobs/a/input"


class Part(NamedTuple):
    """One row: its bytes, and the constants that its last column names in backquotes."""

    size: int
    constants: list[str]


def told() -> dict[str, Part]:
    """The rows of the table, by the name of the part."""
    rows = re.findall(r"^\| ([a-z ]+) \| ([\d,]+) \| (.+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    return {name: Part(int(size.replace(",", "")), re.findall(r"`([^`]+)`", what)) for name, size, what in rows}


def opened(raw: bytes, master: bytes, key: str) -> Iterator[bytes]:
    """The plaintext of an object, by the table."""
    parts, place = told(), 0

    def take(name: str) -> bytes:
        nonlocal place
        place += parts[name].size
        return raw[place - parts[name].size : place]

    assert take("magic").decode() == parts["magic"].constants[0]
    box = ("version", "key id", "salt", "encrypted data key", "tag of the data key")
    assert int.from_bytes(take("length of the box"), "big") == sum(parts[name].size for name in box)
    version, key_id, salt, encrypted, tag = (take(name) for name in box)
    assert version.hex() == parts["version"].constants[0]
    assert key_id == sha256(parts["key id"].constants[0].encode() + master).digest()[: parts["key id"].size]
    info, context = parts["encrypted data key"].constants
    box_key = HKDF(algorithm=SHA256(), length=32, salt=salt, info=info.encode()).derive(master)
    bound = version + key_id + salt + context.encode() + key.encode()
    data_key = AESGCM(box_key).decrypt(bytes(12), encrypted + tag, bound)
    number, sealed_chunk = 0, parts["chunk"].size + parts["tag of the chunk"].size
    while True:
        final = len(raw) - place <= sealed_chunk
        nonce = number.to_bytes(parts["nonce number"].size, "big") + bytes([final])
        assert len(nonce) == parts["nonce number"].size + parts["nonce final"].size
        yield AESGCM(data_key).decrypt(nonce, raw[place : place + sealed_chunk], key.encode())
        if final:
            return
        place, number = place + sealed_chunk, number + 1


def test_an_object_opens_by_the_table_alone() -> None:
    bare = MemoryStore(piece=10_000)
    for size in (0, 5, CHUNK_BYTES, 2 * CHUNK_BYTES + 1):
        data = secrets.token_bytes(size)
        SealedStore(cast("ObjectStore", bare), Keyring(MASTER)).put(KEY, data)
        assert b"".join(opened(bare.objects[KEY], MASTER, KEY)) == data


def test_the_table_has_the_constants_of_the_code() -> None:
    parts = told()
    assert parts["magic"].constants == [sealed._MAGIC.decode()]
    assert parts["length of the box"].size == sealed._LENGTH_BYTES
    assert parts["chunk"].size == sealed.CHUNK_BYTES
    assert parts["tag of the chunk"].size == parts["tag of the data key"].size == sealed._TAG_BYTES
    assert parts["version"].constants == [encryption._VERSION.hex()]
    assert parts["key id"].size == encryption._KEY_ID_BYTES
    assert parts["salt"].size == encryption._SALT_BYTES
    assert parts["encrypted data key"].size == encryption.KEY_BYTES
    assert sum(parts[name].size for name in ("version", "key id", "salt")) == encryption.HEADER_BYTES
