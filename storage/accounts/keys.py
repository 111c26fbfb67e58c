"""Bearer keys: created once, stored as a prefix and a keyed hash, compared in constant time."""

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import delete, func, or_, update
from sqlmodel import Session, col, select

from schemas.accounts import MAX_KEY_NAME_CHARACTERS as NAME_CHARACTERS
from schemas.accounts import MAX_LIVE_KEYS, MAX_REVOKED_KEYS, REVOKED_KEY_DAYS
from schemas.errors import KeyNotFound, Unauthenticated, Unprocessable
from schemas.whitespace import strip_whitespace
from storage.database import changed, insert_missing
from storage.encryption import Keyring
from storage.tables import Account, Key, Secret

PREFIX_CHARACTERS, SECRET_CHARACTERS = 12, 43
_ALPHABET = string.ascii_lowercase + string.digits
_BEARER = re.compile(r"mk_live_([a-z0-9]{12})_([A-Za-z0-9-]{43})")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")  # SQLite takes no surrogate, PostgreSQL no NUL either
_PEPPER, _PEPPER_BYTES = "key-pepper", 32
_USE_IS_NOTED_EVERY = timedelta(seconds=60)  # a write per call would cost more than the time of last use is worth


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an account and the key that it used (None with a session cookie)."""

    account_id: UUID
    key_id: UUID | None
    judge_allowed: bool
    account_created_at: datetime


class Known(NamedTuple):
    """An accepted caller, and whether the time of the key's last use is old enough to be written again."""

    caller: Caller
    use_is_due: bool


def pepper(session: Session, keyring: Keyring) -> bytes:
    """The 32-byte secret under which key secrets are hashed; created at first use, once for all processes.

    The master key wraps it instead of deriving it, so rotating the master key leaves every key valid.
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
    """A new key and its bearer `mk_live_<prefix>_<secret>`, which is shown once and stored nowhere.

    Unprocessable when the name has not 1 to 200 characters, blanks around it not counted, and past the most keys of an
    account that are not revoked. Of those that are revoked, the account keeps the last MAX_REVOKED_KEYS.
    """
    # The account's row orders creations, so that two at once cannot both be the last one.
    session.exec(select(Account.id).where(col(Account.id) == account_id).with_for_update())
    live = select(func.count()).select_from(Key).where(col(Key.account_id) == account_id, col(Key.revoked_at).is_(None))
    if session.exec(live).one() >= MAX_LIVE_KEYS:
        raise Unprocessable(
            "max_keys_reached", ("body",), f"At most {MAX_LIVE_KEYS} keys per account; revoke one first"
        )
    prefix = "".join(secrets.choice(_ALPHABET) for _ in range(PREFIX_CHARACTERS))
    secret = _draw_secret()
    key = Key(
        id=uuid4(),
        account_id=account_id,
        name=_checked(name),
        prefix=prefix,
        secret_hash=_hash(pepper, secret),
        judge_allowed=judge_allowed,
        created_at=now,
    )
    session.add(key)
    session.flush()
    _keep_last_revoked(session, account_id)
    return key, f"mk_live_{prefix}_{secret}"


def check_form(bearer: str) -> tuple[str, str]:
    """Prefix and secret of a bearer. Unauthenticated for any other form."""
    parts = _BEARER.fullmatch(bearer)
    if parts is None:
        raise Unauthenticated("Malformed authentication token")
    return parts[1], parts[2]


def authenticate(session: Session, pepper: bytes, bearer: str, now: datetime) -> Known:
    """The caller of a bearer; only reads. Unauthenticated: malformed, unknown, revoked or with a wrong secret."""
    prefix, secret = check_form(bearer)
    query = select(Key, Account).join(Account, col(Account.id) == col(Key.account_id)).where(col(Key.prefix) == prefix)
    row = session.exec(query).one_or_none()
    # An unknown prefix costs the same comparison as a known one.
    expected = row[0].secret_hash if row else bytes(hashlib.sha256().digest_size)
    matches = hmac.compare_digest(_hash(pepper, secret), expected)
    if row is None or not matches or row[0].revoked_at is not None:
        raise Unauthenticated("Invalid authentication token")
    key, account = row
    use_is_due = key.last_used_at is None or now - key.last_used_at >= _USE_IS_NOTED_EVERY
    return Known(Caller(account.id, key.id, key.judge_allowed, account.created_at), use_is_due)


def note_use(session: Session, key_id: UUID, now: datetime) -> None:
    """Sets the time of a key's last use, unless it was set within the last minute."""
    old = or_(col(Key.last_used_at).is_(None), col(Key.last_used_at) <= now - _USE_IS_NOTED_EVERY)
    changed(session, update(Key).where(col(Key.id) == key_id, old).values(last_used_at=now))


def revoke(session: Session, key_id: UUID, now: datetime, *, account_id: UUID | None = None) -> Key:
    """Revokes a key (of `account_id`, when given) for good; a second call keeps the first time. KeyNotFound."""
    key = _locked(session, key_id, account_id)
    key.revoked_at = key.revoked_at or now
    session.flush()
    return key


def purge(session: Session, now: datetime) -> int:
    """Deletes the keys that were revoked REVOKED_KEY_DAYS ago. Returns their number. No other row names a key."""
    return changed(session, delete(Key).where(col(Key.revoked_at) <= now - timedelta(days=REVOKED_KEY_DAYS)))


def rename(session: Session, key_id: UUID, name: str, *, account_id: UUID) -> Key:
    """Gives the account's key another name. KeyNotFound; Unprocessable as for `mint`."""
    checked = _checked(name)
    key = _locked(session, key_id, account_id)
    key.name = checked
    session.flush()
    return key


def of_account(session: Session, account_id: UUID) -> Sequence[Key]:
    """The account's keys, revoked ones too, oldest first."""
    query = select(Key).where(col(Key.account_id) == account_id).order_by(col(Key.created_at), col(Key.id))
    return session.exec(query).all()


def _keep_last_revoked(session: Session, account_id: UUID) -> None:
    """Deletes the account's revoked keys but the last MAX_REVOKED_KEYS, so that minting and revoking adds no rows."""
    older = (
        select(Key.id)
        .where(col(Key.account_id) == account_id, col(Key.revoked_at).is_not(None))
        .order_by(col(Key.revoked_at).desc(), col(Key.id))
        .offset(MAX_REVOKED_KEYS)
    )
    changed(session, delete(Key).where(col(Key.id).in_(older)))


def _locked(session: Session, key_id: UUID, account_id: UUID | None) -> Key:
    key = session.get(Key, key_id, with_for_update=True)
    if key is None or (account_id is not None and key.account_id != account_id):
        raise KeyNotFound
    return key


def _checked(name: str) -> str:
    plain = strip_whitespace(name)
    if not 1 <= len(plain) <= NAME_CHARACTERS:
        raise Unprocessable("value_error", ("body", "name"), f"A name has 1 to {NAME_CHARACTERS} characters")
    if _UNSTORABLE.search(plain):
        raise Unprocessable("string_unicode", ("body", "name"), "The name must be valid Unicode without NUL")
    return plain


def _draw_secret() -> str:
    """32 random bytes in base64url, drawn again while they contain `_`, the separator of a bearer's fields."""
    while "_" in (secret := secrets.token_urlsafe(32)):
        pass
    return secret


def _hash(pepper: bytes, secret: str) -> bytes:
    return hmac.digest(pepper, secret.encode(), "sha256")
