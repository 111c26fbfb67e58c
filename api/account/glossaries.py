"""Lists, creates, reads, changes and deletes the glossaries of an account."""

from datetime import datetime
from uuid import UUID

from pydantic import TypeAdapter

from api.http.errors import Invalid
from api.services.container import Services
from pipeline.detect.text.normalize import normalize
from schemas.errors import GlossaryNotFound
from schemas.glossaries import Entry, GlossaryAnswer, GlossaryChange, NewGlossary
from schemas.ids import parse_id
from schemas.spans import Term
from storage.accounts import glossaries
from storage.accounts.keys import Caller
from storage.encryption import Keyring
from storage.tables import Glossary

_LIST = TypeAdapter(list[GlossaryAnswer])


def list_all(services: Services, caller: Caller) -> bytes:
    """All glossaries as JSON, oldest first."""
    keyring = services.storage.keyring
    with services.storage.database.reading() as session:
        rows = glossaries.of_account(session, caller.account_id)
    return _LIST.dump_json([_answer(keyring, row) for row in rows])


def create(services: Services, caller: Caller, wanted: NewGlossary, now: datetime) -> bytes:
    """Creates a glossary and returns it as JSON. Invalid, Unprocessable."""
    terms, keyring = _terms(wanted.entries), services.storage.keyring
    with services.policies.invalidating(caller.account_id), services.storage.database.transaction() as session:
        row = glossaries.create(
            session,
            keyring,
            account_id=caller.account_id,
            name=wanted.name,
            entries=terms,
            enabled=wanted.enabled,
            now=now,
        )
    return _json(keyring, row)


def get(services: Services, caller: Caller, glossary_id: str) -> bytes:
    """A glossary as JSON. GlossaryNotFound, also for a malformed id and another account's glossary."""
    with services.storage.database.reading() as session:
        row = glossaries.get(session, caller.account_id, _parse_id(glossary_id))
    return _json(services.storage.keyring, row)


def change(services: Services, caller: Caller, glossary_id: str, wanted: GlossaryChange, now: datetime) -> bytes:
    """Replaces the fields that `wanted` sets and returns the glossary as JSON. Invalid; GlossaryNotFound."""
    given, keyring = wanted.model_fields_set, services.storage.keyring
    terms = _terms(wanted.entries) if "entries" in given else None
    with services.policies.invalidating(caller.account_id), services.storage.database.transaction() as session:
        row = glossaries.change(
            session,
            keyring,
            caller.account_id,
            _parse_id(glossary_id),
            name=wanted.name if "name" in given else None,
            enabled=wanted.enabled if "enabled" in given else None,
            entries=terms,
            now=now,
        )
    return _json(keyring, row)


def delete(services: Services, caller: Caller, glossary_id: str) -> None:
    """Deletes a glossary. GlossaryNotFound."""
    with services.policies.invalidating(caller.account_id), services.storage.database.transaction() as session:
        glossaries.delete(session, caller.account_id, _parse_id(glossary_id))


def _terms(entries: list[Entry]) -> list[Term]:
    """The entries as terms. Invalid for a term of which detection's normalization leaves nothing."""
    empty = [index for index, entry in enumerate(entries) if not normalize(entry.term).text.strip()]
    if empty:
        message = "Input should hold a visible character"
        raise Invalid(
            [{"type": "invisible", "loc": ("body", "entries", index, "term"), "msg": message} for index in empty[:100]]
        )
    return [entry.to_term() for entry in entries]


def _answer(keyring: Keyring, row: Glossary) -> GlossaryAnswer:
    return GlossaryAnswer(
        id=row.id,
        name=glossaries.name_of(keyring, row),
        enabled=row.enabled,
        entries=[Entry.of(term) for term in glossaries.entries_of(keyring, row)],
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _json(keyring: Keyring, row: Glossary) -> bytes:
    return _answer(keyring, row).model_dump_json().encode()


def _parse_id(glossary_id: str) -> UUID:
    try:
        return parse_id(glossary_id)
    except ValueError:
        raise GlossaryNotFound from None
