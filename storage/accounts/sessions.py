"""Browser sessions: started by a login, stored as a hash, ended by time or logout."""

import hashlib
import re
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, exists
from sqlmodel import Session, col, select

from schemas.errors import Unauthenticated
from storage.accounts.keys import Caller
from storage.database import changed
from storage.tables import Account, BrowserSession, Key

_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64url


def begin(session: Session, account_id: UUID, *, ttl_seconds: int, now: datetime) -> str:
    """Starts a session of the account and returns its token: the value of the cookie, stored nowhere."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    session.add(
        BrowserSession(
            token_hash=_hash(token),
            account_id=account_id,
            created_at=now,
            expires_at=now + timedelta(seconds=ttl_seconds),
        )
    )
    session.flush()
    return token


def check_form(token: str) -> None:
    """Unauthenticated for a token of any other form; no database query."""
    if not _TOKEN.fullmatch(token):
        raise Unauthenticated("Invalid or expired session")


def authenticate(session: Session, token: str, now: datetime) -> Caller:
    """The caller of a session. Unauthenticated for an unknown or ended session. Only reads: use does not extend a
    session.

    Keys carry the permission for the judge. A session has it when an active key of its account has it.
    """
    check_form(token)
    judged = exists().where(
        col(Key.account_id) == col(Account.id), col(Key.judge_allowed), col(Key.revoked_at).is_(None)
    )
    query = (
        select(Account.id, Account.created_at, judged)
        .join(BrowserSession, col(BrowserSession.account_id) == col(Account.id))
        .where(col(BrowserSession.token_hash) == _hash(token), col(BrowserSession.expires_at) > now)
    )
    row = session.exec(query).one_or_none()
    if row is None:
        raise Unauthenticated("Invalid or expired session")
    account_id, created_at, judge_allowed = row
    return Caller(account_id, None, judge_allowed, created_at)


def end(session: Session, token: str) -> bool:
    """Ends the session of this token. Returns whether there was one."""
    return changed(session, delete(BrowserSession).where(col(BrowserSession.token_hash) == _hash(token))) > 0


def purge(session: Session, now: datetime) -> int:
    """Deletes ended sessions. Returns their number."""
    return changed(session, delete(BrowserSession).where(col(BrowserSession.expires_at) <= now))


def _hash(token: str) -> bytes:
    # 256 random bits need neither salt nor stretching: nobody can guess what was hashed.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
