"""Glossaries: an account's own terms, sealed at rest, applied to its calls."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID, uuid4

from sqlmodel import Session, col, func, or_, select

from schemas.entities import EntityType
from schemas.errors import GlossaryNotFound, Unprocessable
from schemas.spans import MatchMode, Term
from storage.encryption import Keyring
from storage.ledger import UnknownAccount
from storage.tables import Account, Glossary

MAX_GLOSSARIES, MAX_ENTRIES = 10, 1000  # per account; per glossary


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
    if len(entries) > MAX_ENTRIES:
        raise Unprocessable("too_long", ("body", "entries"), f"At most {MAX_ENTRIES} entries")
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
        entries_sealed=keyring.seal(_dump(entries), _context(id_, "entries")),
        created_at=now,
        updated_at=now,
    )
    session.add(glossary)
    session.flush()
    return glossary


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
    """The name its owner gave it. SealBroken."""
    return keyring.open(glossary.name_sealed, _context(glossary.id, "name")).decode()


def entries_of(keyring: Keyring, glossary: Glossary) -> tuple[Term, ...]:
    """Its terms, in the owner's order. SealBroken."""
    rows = json.loads(keyring.open(glossary.entries_sealed, _context(glossary.id, "entries")))
    return tuple(
        Term(
            term=row["term"],
            type=EntityType(row["type"]),
            match_mode=MatchMode(row["match_mode"]),
            case_sensitive=row["case_sensitive"],
            locale=row["locale"],
        )
        for row in rows
    )


def _dump(entries: Sequence[Term]) -> bytes:
    return json.dumps([asdict(entry) for entry in entries], separators=(",", ":")).encode()


def _context(glossary_id: UUID, part: str) -> str:
    return f"glossary:{glossary_id}:{part}"
