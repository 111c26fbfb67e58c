"""Bearer keys: minted once, kept as a prefix and a keyed hash, checked in constant time."""

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlmodel import Session, col, select

from schemas.errors import Unauthenticated, Unprocessable
from storage.encryption import Keyring
from storage.tables import Account, Key, Secret
from storage.upserts import insert_missing

PREFIX_CHARACTERS, SECRET_CHARACTERS = 12, 43
_ALPHABET = string.ascii_lowercase + string.digits
_BEARER = re.compile(r"mk_live_([a-z0-9]{12})_([A-Za-z0-9-]{43})")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")  # SQLite takes no surrogate, PostgreSQL no NUL either
_PEPPER, _PEPPER_BYTES = "key-pepper", 32
_USE_IS_NOTED_EVERY = timedelta(seconds=60)  # a write per call would cost more than the time of last use is worth


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an account, and the key it used (none with a session cookie)."""

    account_id: UUID
    key_id: UUID | None
    judge_allowed: bool
    account_created_at: datetime


def pepper(session: Session, keyring: Keyring) -> bytes:
    """The secret under which key secrets are hashed, 32 bytes; created at first use, the same for all who come at once.

    It is wrapped by the master key, not derived from it, so rotating the master key leaves every key valid.
    """
    row = session.get(Secret, _PEPPER)
    if row is None:
        sealed = keyring.wrap(secrets.token_bytes(_PEPPER_BYTES), _PEPPER)
        insert_missing(session, Secret, {"name": _PEPPER, "sealed": sealed})
        row = session.exec(select(Secret).where(col(Secret.name) == _PEPPER)).one()
    return keyring.unwrap(row.sealed, _PEPPER)


def mint(
    session: Session, pepper: bytes, *, account_id: UUID, name: str, judge_allowed: bool = False, now: datetime
) -> tuple[Key, str]:
    """A new key and its bearer `mk_live_<prefix>_<secret>`, which is shown once and stored nowhere. Unprocessable."""
    if _UNSTORABLE.search(name):
        raise Unprocessable("string_unicode", ("body", "name"), "The name must be valid Unicode without NUL")
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(PREFIX_CHARACTERS))
    secret = _draw_secret()
    key = Key(
        id=uuid4(),
        account_id=account_id,
        name=name,
        prefix=prefix,
        secret_hash=_hash(pepper, secret),
        judge_allowed=judge_allowed,
        created_at=now,
    )
    session.add(key)
    session.flush()
    return key, f"mk_live_{prefix}_{secret}"


def authenticate(session: Session, pepper: bytes, bearer: str, now: datetime) -> Caller:
    """Whose bearer it is, noting the time of use. Unauthenticated: malformed; or unknown, revoked or wrong secret."""
    parts = _BEARER.fullmatch(bearer)
    if parts is None:
        raise Unauthenticated("Malformed authentication token")
    prefix, secret = parts.groups()
    query = select(Key, Account).join(Account, col(Account.id) == col(Key.account_id)).where(col(Key.prefix) == prefix)
    row = session.exec(query).one_or_none()
    # An unknown prefix costs the same comparison as a known one.
    expected = row[0].secret_hash if row else bytes(hashlib.sha256().digest_size)
    matches = hmac.compare_digest(_hash(pepper, secret), expected)
    if row is None or not matches or row[0].revoked_at is not None:
        raise Unauthenticated("Invalid authentication token")
    key, account = row
    if key.last_used_at is None or now - key.last_used_at >= _USE_IS_NOTED_EVERY:
        key.last_used_at = now
    return Caller(account.id, key.id, key.judge_allowed, account.created_at)


def revoke(session: Session, key_id: UUID, now: datetime) -> bool:
    """Ends a key for good; whether there is such a key. The first revocation's time stays."""
    key = session.get(Key, key_id, with_for_update=True)
    if key is None:
        return False
    key.revoked_at = key.revoked_at or now
    session.flush()
    return True


def of_account(session: Session, account_id: UUID) -> Sequence[Key]:
    """The account's keys, revoked ones too, oldest first."""
    query = select(Key).where(col(Key.account_id) == account_id).order_by(col(Key.created_at), col(Key.id))
    return session.exec(query).all()


def _draw_secret() -> str:
    """32 random bytes in base64url, drawn again while there is a `_`, which parts a bearer's fields."""
    while "_" in (secret := secrets.token_urlsafe(32)):
        pass
    return secret


def _hash(pepper: bytes, secret: str) -> bytes:
    return hmac.digest(pepper, secret.encode(), "sha256")
