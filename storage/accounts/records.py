"""Accounts, found by id or by normalized e-mail address."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from schemas.clock import riyadh_day
from schemas.errors import EmailTaken, Unprocessable
from storage import ledger
from storage.database import changed
from storage.tables import Account, Purse

# Something before one @, a dotted or plain host after it, no blanks, controls or surrogates. Whether it is reachable,
# mail tells.
_EMAIL = re.compile(r"[^\s@\x00-\x1f\x7f\ud800-\udfff]{1,64}@[^\s@\x00-\x1f\x7f\ud800-\udfff]{1,255}")
_EMAIL_CHARACTERS = 254  # RFC 5321, 4.5.3.1.3, less the angle brackets


def one_spelling(email: str) -> str:
    """The one spelling of equal addresses: trimmed, lower case, composed (RFC 6532, section 3.1: NFC)."""
    return unicodedata.normalize("NFC", email.strip().lower())


def normalize_email(email: str) -> str:
    """The stored spelling of an address. Unprocessable for anything that is not an address."""
    normalized = one_spelling(email)
    if len(normalized) > _EMAIL_CHARACTERS or not _EMAIL.fullmatch(normalized):
        raise Unprocessable("value_error", ("body", "email"), "Value is not an e-mail address")
    return normalized


def create(
    session: Session,
    *,
    email: str,
    password_hash: str,
    now: datetime,
    paid_tokens: int = 0,
    created_at: datetime | None = None,
) -> Account:
    """A new account with `paid_tokens` to its credit. `created_at`: if before `now`. EmailTaken, Unprocessable."""
    account = Account(
        id=uuid4(), email=normalize_email(email), password_hash=password_hash, created_at=created_at or now
    )
    try:
        with session.begin_nested():
            session.add(account)
    except IntegrityError:
        raise EmailTaken from None
    session.add(Purse(account_id=account.id, paid_tokens=0, free_day=riyadh_day(now), free_used=0))
    session.flush()
    if paid_tokens:
        ledger.credit(session, account.id, paid_tokens, reference=f"opening:{account.id}", now=now)
    return account


def replace_password_hash(session: Session, account_id: UUID, old: str, new: str) -> None:
    """Stores a stronger hash of the same password, unless the password was changed meanwhile."""
    matching = (col(Account.id) == account_id, col(Account.password_hash) == old)
    changed(session, update(Account).where(*matching).values(password_hash=new))


def get(session: Session, account_id: UUID) -> Account | None:
    """The account of this id."""
    return session.get(Account, account_id)


def every(session: Session) -> Sequence[Account]:
    """All accounts, oldest first."""
    return session.exec(select(Account).order_by(col(Account.created_at), col(Account.id))).all()


def by_email(session: Session, email: str) -> Account | None:
    """The account of this address in any spelling; None for anything that is not an address."""
    try:
        normalized = normalize_email(email)
    except Unprocessable:
        return None
    return session.exec(select(Account).where(col(Account.email) == normalized)).one_or_none()
