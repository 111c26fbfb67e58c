"""Reads and sets the entity types of an account and of its keys, and the account's least score."""

from collections.abc import Sequence

from api.account.keys import parse_key_id
from api.services.container import Services
from schemas.entities import EntityType
from schemas.entity_sets import EntitySetAnswer, KeyEntitiesAnswer, catalog
from storage.accounts import entity_sets
from storage.accounts.entity_sets import EntitySet
from storage.accounts.keys import Caller


def get_for_account(services: Services, caller: Caller) -> EntitySetAnswer:
    """The account's types and least score, and the catalogue."""
    with services.storage.database.reading() as session:
        own = entity_sets.of_account(session, caller, services.settings.entity_toggles_since)
    return _answer(own)


def set_for_account(
    services: Services, caller: Caller, types: Sequence[EntityType], min_score: float | None
) -> EntitySetAnswer:
    """Replaces the account's types and, unless it is None, its least score. Returns what is saved now."""
    with services.policies.invalidating(caller.account_id), services.storage.database.transaction() as session:
        saved = entity_sets.select_for_account(session, caller.account_id, types, min_score)
    return _answer(saved)


def get_for_key(services: Services, caller: Caller, key_id: str) -> KeyEntitiesAnswer:
    """The key's own types and its effective ones; also of a revoked key. KeyNotFound, also for a malformed id."""
    id_, since = parse_key_id(key_id), services.settings.entity_toggles_since
    with services.storage.database.reading() as session:
        override = entity_sets.of_key(session, caller.account_id, id_)
        inherited = entity_sets.of_account(session, caller, since).types
    return KeyEntitiesAnswer(
        key_id=id_,
        override=None if override is None else list(override),
        effective=list(inherited if override is None else override),
    )


def set_for_key(
    services: Services, caller: Caller, key_id: str, types: Sequence[EntityType] | None
) -> KeyEntitiesAnswer:
    """Replaces the key's own types; None: it inherits its account's again. Returns the new state. KeyNotFound."""
    with services.policies.invalidating(caller.account_id), services.storage.database.transaction() as session:
        entity_sets.override_for_key(session, caller.account_id, parse_key_id(key_id), types)
    return get_for_key(services, caller, key_id)


def _answer(own: EntitySet) -> EntitySetAnswer:
    return EntitySetAnswer(
        enabled=list(own.types), is_default=own.is_default, min_score=own.min_score, catalog=catalog()
    )
