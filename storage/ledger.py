"""The ledger: the only place where tokens move. Entries are appended, never changed; the purse holds their sums.

Every operation first locks the account's purse, so operations of one account follow one another on either database. A
`reference` names what is paid for and must be unique for all time (a UUID, not a short request id): a repeated
operation with it changes nothing. Free tokens are used first; they belong to one Asia/Riyadh day and lapse with it.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import sqlalchemy
from sqlalchemy import Connection, bindparam, insert, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from schemas.clock import next_riyadh_midnight, riyadh_day
from schemas.errors import InsufficientTokens, MaskerUnavailable, Unprocessable
from storage.database import insert_missing
from storage.tables import ChargingLease, Entry, EntryKind, Purse

MAX_CREDIT = 10**15  # far from the columns' 64 bits, however often it is given
_DAY = timedelta(days=1)


class UnknownAccount(LookupError):
    """There is no such account."""


class ReferenceConflict(Exception):
    """The reference is in use for something else: another account, a refunded charge, a released hold."""


class LeaseEnded(MaskerUnavailable):
    """The lease under which a call was to be charged has ended. Nothing was taken."""


class Charge(NamedTuple):
    """Tokens that were taken."""

    free: int
    paid: int


class Order(NamedTuple):
    """One charge: tokens, reference, and the description of its entry."""

    tokens: int
    reference: str
    reason: str = "text"


class Balance(NamedTuple):
    """Tokens that can be spent now, and when the free quota refills (UTC)."""

    free_tokens: int
    paid_tokens: int
    free_resets_at: datetime


def charge_all(
    connection: Connection, account_id: UUID, orders: Sequence[Order], *, lease: UUID, free_per_day: int, now: datetime
) -> list[Charge | InsufficientTokens]:
    """Charges text calls one after another, free tokens first. Returns for each the charge or the error.

    `lease`: of the process, which lasts until the transaction ends (storage/charging_leases.py); LeaseEnded. Every
    reference must be new: ReferenceConflict otherwise, and the transaction is lost. UnknownAccount.
    """
    purse = _locked_purse_and_lease(connection, account_id, lease)
    today, used = _free_day(purse, now)
    paid_tokens = purse.paid_tokens
    outcomes: list[Charge | InsufficientTokens] = []
    lines: list[dict[str, object]] = []
    for order in orders:
        taken = _split(order.tokens, max(0, free_per_day - used))
        if taken.paid > paid_tokens:
            outcomes.append(InsufficientTokens(order.tokens, max(0, free_per_day - used) + paid_tokens))
            continue
        used, paid_tokens = used + taken.free, paid_tokens - taken.paid
        outcomes.append(taken)
        parts = Charge(-taken.free, -taken.paid)
        line = _line(account_id, EntryKind.CHARGE, parts, order.reason, order.reference, today, now)
        lines.append({**line, "lease_id": lease})
    if lines:
        try:
            connection.execute(_INSERT_LINES, lines)
        except IntegrityError:
            raise ReferenceConflict from None
        _keep(connection, _Sums(account_id, paid_tokens, today, used))
    return outcomes


def refund(session: Session, reference: str, now: datetime, *, in_doubt: UUID | None = None) -> bool:
    """Refunds a charge with its split; returns whether this call did it. False: no such charge, or already refunded.

    Free tokens go back to the day of the charge: after midnight they have lapsed, and today gains none. `in_doubt`: the
    account of a charge whose commit may still be under way on a lost connection; this call then waits for its outcome.
    """
    if in_doubt is not None:
        _locked_purse(session.connection(), in_doubt)
    return _give_back(session, EntryKind.CHARGE, EntryKind.REFUND, reference, now)


def hold(
    session: Session, account_id: UUID, tokens: int, *, reference: str, free_per_day: int, now: datetime
) -> Charge:
    """Takes `tokens`, free ones first, for work that may still fail; to be settled or released.

    InsufficientTokens (nothing taken), ReferenceConflict, UnknownAccount.
    """
    purse = _locked_purse(session.connection(), account_id)
    today, used = _free_day(purse, now)
    free_left = max(0, free_per_day - used)
    taken = _split(tokens, free_left)
    if taken.paid > purse.paid_tokens:
        if (known := _entry(session, EntryKind.HOLD, reference)) is not None:
            return _repeated(session, known, account_id)
        raise InsufficientTokens(tokens, free_left + purse.paid_tokens)
    parts = Charge(-taken.free, -taken.paid)
    if not _append(session, account_id, EntryKind.HOLD, parts, "file", reference, today, now):
        return _repeated(session, _known(session, EntryKind.HOLD, reference), account_id)
    _keep(session.connection(), _Sums(account_id, purse.paid_tokens - taken.paid, today, used + taken.free))
    return taken


def settle(session: Session, reference: str, now: datetime) -> None:
    """Makes a hold final. ReferenceConflict when there is no such hold or it was released."""
    held = _locked_entry(session, EntryKind.HOLD, reference)
    if held is None or _entry(session, EntryKind.RELEASE, reference):
        raise ReferenceConflict
    if not _entry(session, EntryKind.SETTLE, reference):
        _append(session, held.account_id, EntryKind.SETTLE, Charge(0, 0), held.reason, reference, held.day, now)


def release(session: Session, reference: str, now: datetime) -> bool:
    """Releases a hold with its split; returns whether this call did it. A settled hold stays."""
    return _give_back(session, EntryKind.HOLD, EntryKind.RELEASE, reference, now)


def credit(session: Session, account_id: UUID, tokens: int, *, reference: str, now: datetime) -> None:
    """Adds 1 to 10^15 paid tokens (else Unprocessable). ReferenceConflict, UnknownAccount."""
    if not 0 < tokens <= MAX_CREDIT:
        raise Unprocessable("value_error", ("body", "tokens"), f"A credit adds 1 to {MAX_CREDIT} tokens")
    purse = _locked_purse(session.connection(), account_id)
    if _append(session, account_id, EntryKind.CREDIT, Charge(0, tokens), "credit", reference, riyadh_day(now), now):
        _keep(session.connection(), purse._replace(paid_tokens=purse.paid_tokens + tokens))
    elif _known(session, EntryKind.CREDIT, reference).account_id != account_id:
        raise ReferenceConflict


def balance(session: Session, account_id: UUID, *, free_per_day: int, now: datetime) -> Balance:
    """Tokens that the account can spend now. Only reads. UnknownAccount."""
    purse = session.exec(select(Purse).where(col(Purse.account_id) == account_id)).one_or_none()
    if purse is None:
        raise UnknownAccount
    _, used = _free_day(purse, now)
    return Balance(max(0, free_per_day - used), purse.paid_tokens, next_riyadh_midnight(now))


def entries(session: Session, account_id: UUID, *, limit: int, before: int | None = None) -> Sequence[Entry]:
    """The account's entries, newest first; `before`: only those with a smaller `id`."""
    query = select(Entry).where(col(Entry.account_id) == account_id).order_by(col(Entry.id).desc()).limit(limit)
    if before is not None:
        query = query.where(col(Entry.id) < before)
    return session.exec(query).all()


def find(session: Session, account_id: UUID, kind: str, reference: str) -> Entry | None:
    """The account's entry of this kind with this reference."""
    query = select(Entry).where(
        col(Entry.reference) == reference, col(Entry.kind) == kind, col(Entry.account_id) == account_id
    )
    return session.exec(query).one_or_none()


def _split(tokens: int, free_left: int) -> Charge:
    """Splits an amount into free and paid tokens, free ones first."""
    if tokens < 0:
        raise ValueError("tokens are taken, not given")
    return Charge(min(tokens, free_left), max(0, tokens - free_left))


def _free_day(purse: "_Sums | Purse", now: datetime) -> tuple[date, int]:
    """The day whose free quota is used now, and the part of it that is used up."""
    today = riyadh_day(now)
    if purse.free_day == today + _DAY:  # another server is past midnight already: its clock and ours differ a little
        today = purse.free_day
    return today, purse.free_used if purse.free_day == today else 0


def _repeated(session: Session, known: Entry, account_id: UUID) -> Charge:
    if known.account_id != account_id or _entry(session, EntryKind.RELEASE, known.reference):
        raise ReferenceConflict
    return Charge(-known.free_tokens, -known.paid_tokens)


def _give_back(session: Session, taken: EntryKind, undo: EntryKind, reference: str, now: datetime) -> bool:
    entry = _locked_entry(session, taken, reference)
    closed = (undo, EntryKind.SETTLE) if taken is EntryKind.HOLD else (undo,)
    if entry is None or any(_entry(session, kind, reference) for kind in closed):
        return False
    purse = _locked_purse(session.connection(), entry.account_id)
    returned = Charge(-entry.free_tokens, -entry.paid_tokens)
    _append(session, entry.account_id, undo, returned, entry.reason, reference, entry.day, now)
    used = purse.free_used - (returned.free if entry.day == purse.free_day else 0)
    _keep(session.connection(), purse._replace(paid_tokens=purse.paid_tokens + returned.paid, free_used=used))
    return True


class _Sums(NamedTuple):
    """The row of a purse."""

    account_id: UUID
    paid_tokens: int
    free_day: date
    free_used: int


_LOCK_PURSE = (
    sqlalchemy.select(col(Purse.account_id), col(Purse.paid_tokens), col(Purse.free_day), col(Purse.free_used))
    .where(col(Purse.account_id) == bindparam("purse_of"))
    .with_for_update()
)
# One statement for both, because a call that is charged waits for each. The lease is locked before the purse, and so
# lightly that its renewal need not wait.
_LOCK_PURSE_AND_LEASE = _LOCK_PURSE.add_columns(
    sqlalchemy.select(col(ChargingLease.id))
    .where(col(ChargingLease.id) == bindparam("lease"))
    .with_for_update(read=True, key_share=True)
    .scalar_subquery()
)
_UPDATE_PURSE = (
    update(Purse)
    .where(col(Purse.account_id) == bindparam("purse_of"))
    .values({name: bindparam(f"new_{name}") for name in ("paid_tokens", "free_day", "free_used")})
)
_INSERT_LINES = insert(Entry).inline()  # inline: the new rows' ids are not read back


def _locked_purse(connection: Connection, account_id: UUID) -> _Sums:
    row = connection.execute(_LOCK_PURSE, {"purse_of": account_id}).one_or_none()
    if row is None:
        raise UnknownAccount
    return _Sums(*row)


def _locked_purse_and_lease(connection: Connection, account_id: UUID, lease: UUID) -> _Sums:
    row = connection.execute(_LOCK_PURSE_AND_LEASE, {"purse_of": account_id, "lease": lease}).one_or_none()
    if row is None:
        raise UnknownAccount
    *sums, found = row
    if found is None:
        raise LeaseEnded
    return _Sums(*sums)


def _keep(connection: Connection, sums: _Sums) -> None:
    """Writes the sums of a purse that this transaction has locked."""
    new = {"new_paid_tokens": sums.paid_tokens, "new_free_day": sums.free_day, "new_free_used": sums.free_used}
    connection.execute(_UPDATE_PURSE, {"purse_of": sums.account_id, **new})


def _locked_entry(session: Session, kind: EntryKind, reference: str) -> Entry | None:
    """The entry, with its account's purse locked, so that no closing entry can appear meanwhile."""
    entry = _entry(session, kind, reference)
    if entry is not None:
        _locked_purse(session.connection(), entry.account_id)
    return entry


def _entry(session: Session, kind: EntryKind, reference: str) -> Entry | None:
    query = select(Entry).where(col(Entry.reference) == reference, col(Entry.kind) == kind.value)
    return session.exec(query).one_or_none()


def _known(session: Session, kind: EntryKind, reference: str) -> Entry:
    """The existing entry with the reference of a repeated append."""
    known = _entry(session, kind, reference)
    if known is None:  # its transaction is not over, and this one sees nothing of it
        raise ReferenceConflict
    return known


def _append(
    session: Session,
    account_id: UUID,
    kind: EntryKind,
    parts: Charge,
    reason: str,
    reference: str,
    day: date,
    now: datetime,
) -> bool:
    """Appends an entry; False, without one, when the reference has an entry already."""
    return insert_missing(session, Entry, _line(account_id, kind, parts, reason, reference, day, now))


def _line(
    account_id: UUID, kind: EntryKind, parts: Charge, reason: str, reference: str, day: date, now: datetime
) -> dict[str, object]:
    return {
        "account_id": account_id,
        "kind": kind.value,
        "free_tokens": parts.free,
        "paid_tokens": parts.paid,
        "reason": reason,
        "reference": reference,
        "day": day,
        "created_at": now,
    }
