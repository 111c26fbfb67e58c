"""Leases under which API processes charge text calls: a process that ends without closing its lease has its unanswered
charges refunded by another.

A process renews its lease while it has charges that are open, which is to say neither answered nor refunded. With each
renewal it tells which these are. A lease that is no longer renewed is given up by whoever notices: the charges that
were open at the last renewal, and those that were made after it, are refunded, each at most once.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import and_, delete, or_, update
from sqlalchemy import func as sql
from sqlmodel import Session, col, select

from storage import ledger
from storage.database import changed
from storage.tables import ChargingLease, Entry, EntryKind


def begin(session: Session) -> UUID:
    """A new lease, without open charges."""
    lease = ChargingLease(id=uuid4(), renewals=0, last_line=last_line(session), open_references=[])
    session.add(lease)
    return lease.id


def last_line(session: Session) -> int:
    """The number of the newest line of the ledger; a charge that is begun later gets a higher one."""
    return session.exec(select(sql.max(Entry.id))).one() or 0


def renew(session: Session, lease_id: UUID, *, line: int, open_references: Collection[str]) -> bool:
    """Says that of the charges under the lease only these, and those behind the line `line`, may be open.

    `line`: `last_line` from before the open charges were counted. False: the lease has been given up.
    """
    statement = update(ChargingLease).where(col(ChargingLease.id) == lease_id)
    told = {"last_line": line, "open_references": sorted(open_references)}
    return changed(session, statement.values(renewals=col(ChargingLease.renewals) + 1, **told)) == 1


def close(session: Session, lease_id: UUID) -> None:
    """Ends a lease that has no open charges."""
    session.execute(delete(ChargingLease).where(col(ChargingLease.id) == lease_id))


def renewals(session: Session) -> dict[UUID, int]:
    """How often each lease was renewed."""
    return dict(session.exec(select(ChargingLease.id, ChargingLease.renewals)).all())


def give_up(session: Session, lease_id: UUID, renewed: int, now: datetime) -> list[str]:
    """Refunds the open charges of a lease that was renewed so often and not again, and ends it: their references.

    Nothing is done, and the lease stays, when it was renewed meanwhile or another process gives it up. Nor while a
    transaction that charges under it is under way: it would not be seen here. After this none can charge under it.
    """
    known = select(ChargingLease).where(col(ChargingLease.id) == lease_id, col(ChargingLease.renewals) == renewed)
    lease = session.exec(known.with_for_update(skip_locked=True)).one_or_none()
    if lease is None:
        return []
    is_later = and_(col(Entry.lease_id) == lease_id, col(Entry.id) > lease.last_line)
    found = session.exec(
        select(Entry.reference)
        .where(col(Entry.kind) == EntryKind.CHARGE.value)
        .where(or_(is_later, col(Entry.reference).in_(lease.open_references)))
        .order_by(col(Entry.account_id), col(Entry.id))  # purses are locked in the same order by all
    ).all()
    refunded = [reference for reference in found if ledger.refund(session, reference, now)]
    close(session, lease_id)
    return refunded
