"""Glossaries: whose terms apply to a call, and that nobody reads them from the database."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlmodel import select

from schemas.entities import EntityType
from schemas.errors import GlossaryNotFound, Unprocessable
from schemas.spans import MatchMode, Term
from storage.accounts import glossaries
from storage.database import Database
from storage.encryption import Keyring, SealBroken
from storage.ledger import UnknownAccount
from storage.tables import Glossary
from tests.storage.people import new_account

PROJECT = Term("مشروع الفنار", EntityType.ORGANIZATION, MatchMode.EXACT, case_sensitive=True, locale="ar")
PLAIN = Term("Falcon")


@pytest.fixture
def account(database: Database, now: datetime) -> UUID:
    return new_account(database, now)


def create(
    database: Database, keyring: Keyring, account: UUID, now: datetime, *terms: Term, enabled: bool = True
) -> UUID:
    with database.transaction() as session:
        return glossaries.create(
            session, keyring, account_id=account, name="Ours", entries=terms, enabled=enabled, now=now
        ).id


def applicable(database: Database, keyring: Keyring, account: UUID, glossary: UUID | None = None) -> tuple[Term, ...]:
    with database.reading() as session:
        return glossaries.applicable(session, keyring, account, glossary)


def test_terms_come_back_as_they_were_given(database: Database, keyring: Keyring, account: UUID, now: datetime) -> None:
    assert applicable(database, keyring, account) == ()
    create(database, keyring, account, now, PROJECT, PLAIN)
    assert applicable(database, keyring, account) == (PROJECT, PLAIN)


def test_enabled_ones_apply_to_every_call_and_disabled_ones_when_named(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    later = now + timedelta(seconds=1)
    disabled = create(database, keyring, account, later, PROJECT, PLAIN, enabled=False)
    enabled = create(database, keyring, account, now, PLAIN)
    assert applicable(database, keyring, account) == (PLAIN,)
    assert applicable(database, keyring, account, enabled) == (PLAIN,)
    assert applicable(database, keyring, account, disabled) == (PLAIN, PROJECT)  # each once


def test_unknown_and_foreign_glossaries_do_not_exist(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    foreign = create(database, keyring, new_account(database, now), now, PLAIN)
    for glossary in (foreign, uuid4()):
        with pytest.raises(GlossaryNotFound, match="Glossary not found"):
            applicable(database, keyring, account, glossary)
    assert applicable(database, keyring, account) == ()


def test_what_a_person_wrote_is_sealed_and_bound_to_its_place(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    first = create(database, keyring, account, now, PROJECT)
    create(database, keyring, account, now, PLAIN)
    with database.transaction() as session:
        rows = {row.id: row for row in session.exec(select(Glossary))}
        for row in rows.values():
            for written in ("Ours", "Falcon", "الفنار"):
                assert written.encode() not in row.name_sealed + row.entries_sealed
        assert glossaries.name_of(keyring, rows[first]) == "Ours"
        (second,) = (row for row in rows.values() if row.id != first)
        rows[first].entries_sealed = second.entries_sealed
    with pytest.raises(SealBroken):
        applicable(database, keyring, account)


def test_an_account_has_ten_glossaries_at_most_however_they_come(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    def try_to_create(_: int) -> str:
        try:
            create(database, keyring, account, now)
        except Unprocessable as refused:
            return str(refused.errors[0]["type"])
        return "created"

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(try_to_create, range(14)))
    assert sorted(answers) == ["created"] * 10 + ["max_glossaries_reached"] * 4


def test_a_glossary_has_a_thousand_entries_at_most(
    database: Database, keyring: Keyring, account: UUID, now: datetime
) -> None:
    terms = [Term(f"t{number}") for number in range(1001)]
    create(database, keyring, account, now, *terms[:1000])
    with pytest.raises(Unprocessable):
        create(database, keyring, account, now, *terms)
    assert applicable(database, keyring, account) == tuple(terms[:1000])


def test_nobodys_glossary_is_refused(database: Database, keyring: Keyring, now: datetime) -> None:
    with pytest.raises(UnknownAccount):
        create(database, keyring, uuid4(), now)
