"""Entity sets: which types text detection looks for, by account and by key."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlmodel import Session, col, select

from schemas.entities import CORE_TYPES, TOGGLABLE_TYPES, EntityType
from schemas.errors import KeyNotFound
from storage.accounts.keys import Caller
from storage.tables import Account, Key


class EntitySet(NamedTuple):
    """Types of an account or a key in catalogue order; `is_default` until a selection is saved."""

    types: tuple[EntityType, ...]
    is_default: bool


def of_account(session: Session, caller: Caller, since: datetime) -> EntitySet:
    """The account's selection, else the default.

    The default is the core ten; for accounts created before `since` (when toggles came) it is every togglable type.
    """
    selection = session.exec(select(Account.entity_selection).where(col(Account.id) == caller.account_id)).one_or_none()
    if selection is not None:
        return EntitySet(_known(selection), False)
    return EntitySet(TOGGLABLE_TYPES if caller.account_created_at < since else CORE_TYPES, True)


def of_key(session: Session, account_id: UUID, key_id: UUID) -> tuple[EntityType, ...] | None:
    """The key's override; None: it inherits its account's set. KeyNotFound, also for another account's key."""
    query = select(Key.id, Key.entity_override).where(col(Key.id) == key_id, col(Key.account_id) == account_id)
    row = session.exec(query).one_or_none()
    if row is None:
        raise KeyNotFound
    return None if row[1] is None else _known(row[1])


def effective(session: Session, caller: Caller, since: datetime) -> frozenset[EntityType]:
    """The caller's types: its key's override, else its account's set. KeyNotFound when the key is gone."""
    override = None if caller.key_id is None else of_key(session, caller.account_id, caller.key_id)
    return frozenset(of_account(session, caller, since).types if override is None else override)


def select_for_account(session: Session, account_id: UUID, types: Iterable[EntityType]) -> tuple[EntityType, ...]:
    """Replaces the account's selection and returns it in catalogue order. ValueError for an invalid set."""
    ordered = _ordered(types)
    account = session.exec(select(Account).where(col(Account.id) == account_id).with_for_update()).one()
    account.entity_selection = [type_.value for type_ in ordered]
    session.flush()
    return ordered


def override_for_key(session: Session, account_id: UUID, key_id: UUID, types: Iterable[EntityType] | None) -> None:
    """Replaces the key's override; None: the key inherits its account's set again. ValueError as above, KeyNotFound."""
    ordered = None if types is None else _ordered(types)
    own = select(Key).where(col(Key.id) == key_id, col(Key.account_id) == account_id)
    key = session.exec(own.with_for_update()).one_or_none()
    if key is None:
        raise KeyNotFound
    key.entity_override = None if ordered is None else [type_.value for type_ in ordered]
    session.flush()


def _ordered(types: Iterable[EntityType]) -> tuple[EntityType, ...]:
    chosen = frozenset(types)
    if not chosen or not chosen <= frozenset(TOGGLABLE_TYPES):
        raise ValueError("a set holds one or more togglable types")
    return tuple(type_ for type_ in TOGGLABLE_TYPES if type_ in chosen)


def _known(names: Iterable[str]) -> tuple[EntityType, ...]:
    # A type that was retired since the set was saved is no longer looked for.
    saved = frozenset(names)
    return tuple(type_ for type_ in TOGGLABLE_TYPES if type_.value in saved)
