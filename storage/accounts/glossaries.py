"""Glossaries: an account's own terms, sealed at rest, applied to its calls."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from sqlmodel import Session, col, func, or_, select

from schemas.errors import GlossaryNotFound, Unprocessable
from schemas.glossaries import MAX_ENTRIES, MAX_GLOSSARIES
from schemas.spans import Term, dump_terms, load_terms
from storage.encryption import HEADER_BYTES, Keyring
from storage.ledger import UnknownAccount
from storage.tables import Account, Glossary

SEALED = ("name", "entries")  # in a row


def create(
    session: Session,
    keyring: Keyring,
    *,
    account_id: UUID,
    name: str,
    entries: Sequence[Term],
    enabled: bool = True,
    now: datetime,
) -> Glossary:
    """A new glossary. Unprocessable past ten of one account or a thousand entries; UnknownAccount."""
    _check(entries)
    # The account's row orders creations, so that two at once cannot both be the tenth.
    if session.exec(select(Account.id).where(col(Account.id) == account_id).with_for_update()).one_or_none() is None:
        raise UnknownAccount
    owned = select(func.count()).select_from(Glossary).where(col(Glossary.account_id) == account_id)
    if session.exec(owned).one() >= MAX_GLOSSARIES:
        raise Unprocessable("max_glossaries_reached", ("body",), f"At most {MAX_GLOSSARIES} glossaries per account")
    id_ = uuid4()
    glossary = Glossary(
        id=id_,
        account_id=account_id,
        enabled=enabled,
        name_sealed=keyring.seal(name.encode(), _context(id_, "name")),
        entries_sealed=keyring.seal(dump_terms(entries), _context(id_, "entries")),
        created_at=now,
        updated_at=now,
    )
    session.add(glossary)
    session.flush()
    return glossary


def of_account(session: Session, account_id: UUID) -> Sequence[Glossary]:
    """The account's glossaries, oldest first."""
    query = select(Glossary).where(col(Glossary.account_id) == account_id)
    return session.exec(query.order_by(col(Glossary.created_at), col(Glossary.id))).all()


def get(session: Session, account_id: UUID, glossary_id: UUID) -> Glossary:
    """An account's own glossary. GlossaryNotFound, also for another's."""
    return _own(session, account_id, glossary_id, for_update=False)


def change(
    session: Session,
    keyring: Keyring,
    account_id: UUID,
    glossary_id: UUID,
    *,
    name: str | None = None,
    enabled: bool | None = None,
    entries: Sequence[Term] | None = None,
    now: datetime,
) -> Glossary:
    """Replaces the given fields; concurrent changes follow one another. GlossaryNotFound, Unprocessable.

    `updated_at` changes unless no field was given.
    """
    glossary = _own(session, account_id, glossary_id, for_update=True)
    if name is not None:
        glossary.name_sealed = keyring.seal(name.encode(), _context(glossary_id, "name"))
    if enabled is not None:
        glossary.enabled = enabled
    if entries is not None:
        _check(entries)
        glossary.entries_sealed = keyring.seal(dump_terms(entries), _context(glossary_id, "entries"))
    if (name, enabled, entries) != (None, None, None):
        glossary.updated_at = now
    session.flush()
    return glossary


def delete(session: Session, account_id: UUID, glossary_id: UUID) -> None:
    """Removes a glossary for good. GlossaryNotFound, also for another's."""
    session.delete(_own(session, account_id, glossary_id, for_update=True))
    session.flush()


class Version(NamedTuple):
    """A version of a glossary's entries; `mark` differs after every change of the entries."""

    id: UUID
    enabled: bool
    mark: bytes


def versions(session: Session, account_id: UUID) -> list[Version]:
    """The versions of the account's glossaries, oldest first, without decrypting any."""
    # Every sealing has a salt of its own in the box's header, so the header names the entries that were sealed.
    mark = func.substr(col(Glossary.entries_sealed), 1, HEADER_BYTES)
    query = select(Glossary.id, Glossary.enabled, mark).where(col(Glossary.account_id) == account_id)
    rows = session.exec(query.order_by(col(Glossary.created_at), col(Glossary.id))).all()
    return [Version(id_, enabled, bytes(head)) for id_, enabled, head in rows]


class Opened(NamedTuple):
    """A glossary's decrypted entries and the mark of their version."""

    id: UUID
    mark: bytes
    terms: tuple[Term, ...]


def opened(session: Session, keyring: Keyring, account_id: UUID, ids: Iterable[UUID]) -> list[Opened]:
    """The decrypted entries of these glossaries of the account; deleted ones are left out. SealBroken."""
    query = select(Glossary).where(col(Glossary.account_id) == account_id, col(Glossary.id).in_(list(ids)))
    return [
        Opened(row.id, row.entries_sealed[:HEADER_BYTES], entries_of(keyring, row)) for row in session.exec(query).all()
    ]


def applicable(
    session: Session, keyring: Keyring, account_id: UUID, glossary_id: UUID | None = None
) -> tuple[Term, ...]:
    """The terms of every enabled glossary and of `glossary_id`, enabled or not, oldest glossary first.

    GlossaryNotFound when `glossary_id` is unknown or another account's.
    """
    wanted = or_(col(Glossary.enabled), col(Glossary.id) == glossary_id) if glossary_id else col(Glossary.enabled)
    query = select(Glossary).where(col(Glossary.account_id) == account_id, wanted)
    glossaries = session.exec(query.order_by(col(Glossary.created_at), col(Glossary.id))).all()
    if glossary_id is not None and all(glossary.id != glossary_id for glossary in glossaries):
        raise GlossaryNotFound
    return tuple(dict.fromkeys(term for glossary in glossaries for term in entries_of(keyring, glossary)))


def name_of(keyring: Keyring, glossary: Glossary) -> str:
    """The decrypted name. SealBroken."""
    return keyring.open(glossary.name_sealed, _context(glossary.id, "name")).decode()


def entries_of(keyring: Keyring, glossary: Glossary) -> tuple[Term, ...]:
    """The decrypted entries, in their order. SealBroken."""
    return load_terms(keyring.open(glossary.entries_sealed, _context(glossary.id, "entries")))


def _own(session: Session, account_id: UUID, glossary_id: UUID, *, for_update: bool) -> Glossary:
    query = select(Glossary).where(col(Glossary.id) == glossary_id, col(Glossary.account_id) == account_id)
    glossary = session.exec(query.with_for_update() if for_update else query).one_or_none()
    if glossary is None:
        raise GlossaryNotFound
    return glossary


def _check(entries: Sequence[Term]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise Unprocessable("too_long", ("body", "entries"), f"At most {MAX_ENTRIES} entries")


def _context(glossary_id: UUID, part: str) -> str:
    return f"glossary:{glossary_id}:{part}"
