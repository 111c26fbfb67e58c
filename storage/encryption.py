"""Envelope encryption at rest: data keys and small secrets wrapped by the master key, which can rotate."""

import base64
import hashlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
MASTER_KEY_FILE = "master.key"

_VERSION = b"\x01"
_KEY_ID_BYTES = 8
_SALT_BYTES = 32
HEADER_BYTES = len(_VERSION) + _KEY_ID_BYTES + _SALT_BYTES  # of a box; no two boxes share one
# Every box has a key of its own (HKDF over a fresh 256-bit salt), so one nonce per key is all there ever is and the
# number of boxes under one master key has no practical bound (NIST SP 800-38D limits random nonces to 2^32).
_NONCE = bytes(12)


class SealBroken(Exception):
    """A sealed value or object does not open: altered, cut, moved elsewhere, or sealed under a key we do not have."""


class MasterKeyInvalid(Exception):
    """The master key file does not hold base64 of 32 bytes; the message names the file, never its content."""


class Keyring:
    """The current master key, which seals, and earlier ones, which still open.

    A sealed box is `version(1) | key id(8) | salt(32) | AES-256-GCM ciphertext | tag(16)`. `context` names what the box
    is for and is authenticated: a box opens only in the place that it was made for. Immutable, safe from many threads.
    """

    def __init__(self, master: bytes, previous: Sequence[bytes] = ()) -> None:
        for key in (master, *previous):
            if len(key) != KEY_BYTES:
                raise ValueError("a master key has 32 bytes")
        self._current = _key_id(master)
        self._keys = {_key_id(key): key for key in (*previous, master)}

    def seal(self, plaintext: bytes, context: str) -> bytes:
        """Encrypts a value into a box that opens only with this master key and the same context."""
        salt = secrets.token_bytes(_SALT_BYTES)
        header = _VERSION + self._current + salt
        cipher = self._cipher(self._current, salt)
        return header + cipher.encrypt(_NONCE, plaintext, header + context.encode())

    def open(self, sealed: bytes, context: str) -> bytes:
        """The plaintext of a box. SealBroken for any change of box, key or context."""
        header, body = sealed[:HEADER_BYTES], sealed[HEADER_BYTES:]
        key_id = header[1 : 1 + _KEY_ID_BYTES]
        if len(header) < HEADER_BYTES or header[:1] != _VERSION or key_id not in self._keys:
            raise SealBroken
        try:
            return self._cipher(key_id, header[-_SALT_BYTES:]).decrypt(_NONCE, body, header + context.encode())
        except InvalidTag:
            raise SealBroken from None

    def is_current(self, sealed: bytes) -> bool:
        """Whether a box was sealed under the current master key, as its header says."""
        return sealed[1 : 1 + _KEY_ID_BYTES] == self._current

    def wrap(self, data_key: bytes, context: str) -> bytes:
        """Encrypts a data key into a box."""
        return self.seal(data_key, f"data-key:{context}")

    def unwrap(self, wrapped: bytes, context: str) -> bytes:
        """The data key of a box. SealBroken as for `open`."""
        return self.open(wrapped, f"data-key:{context}")

    def derive(self, purpose: str) -> bytes:
        """32 bytes for one purpose, the same in every process until the master key rotates (HKDF, RFC 5869)."""
        return _derived(self._keys[self._current], purpose)

    def derive_all(self, purpose: str) -> list[bytes]:
        """The value of `derive` under the current master key, then under each earlier one."""
        earlier = [key for key_id, key in self._keys.items() if key_id != self._current]
        return [_derived(key, purpose) for key in (self._keys[self._current], *earlier)]

    def _cipher(self, key_id: bytes, salt: bytes) -> AESGCM:
        # RFC 5869; a fresh HKDF object per use is the library's rule.
        kdf = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt, info=b"masker-at-rest-v1")
        return AESGCM(kdf.derive(self._keys[key_id]))


def _derived(master: bytes, purpose: str) -> bytes:
    kdf = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=b"masker-derived-v1:" + purpose.encode())
    return kdf.derive(master)


def _key_id(master: bytes) -> bytes:
    """The id of a master key in a box; it reveals nothing about the key."""
    return hashlib.sha256(b"masker-key-id-v1" + master).digest()[:_KEY_ID_BYTES]


def load_keyring(data_dir: Path, master_key: bytes | None, previous: Sequence[bytes] = ()) -> Keyring:
    """The keyring of the settings; without a master key, that of `<data_dir>/master.key`, generated once (0600)."""
    return Keyring(master_key if master_key is not None else _file_key(data_dir / MASTER_KEY_FILE), previous)


def _file_key(path: Path) -> bytes:
    """The key in `path`. When several processes start at once, one writes it and all read the same key."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            # Unlike a rename, a link fails when the name is taken: the first wins, and no reader sees half a key.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        sync_directory(path.parent)
    try:
        key = base64.b64decode(path.read_bytes().strip(), validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise MasterKeyInvalid(f"{path} must hold base64 of {KEY_BYTES} bytes")
    return key


def sync_directory(path: Path) -> None:
    """Makes new names in `path` survive a power cut (fsync of the directory)."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
