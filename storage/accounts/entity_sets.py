"""Entity sets: which types text detection looks for, by account and by key, and the account's least score."""

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
    """Types of an account in catalogue order and its least score; `is_default` until a selection is saved."""

    types: tuple[EntityType, ...]
    is_default: bool
    min_score: float


class Effective(NamedTuple):
    """What detection looks for in a caller's text: entities of these types, with this score or a higher one."""

    types: frozenset[EntityType]
    min_score: float


def of_account(session: Session, caller: Caller, since: datetime) -> EntitySet:
    """The account's selection, else the default.

    The default is the core ten; for accounts created before `since` (when toggles came) it is every togglable type.
    """
    query = select(Account.entity_selection, Account.min_score).where(col(Account.id) == caller.account_id)
    selection, min_score = session.exec(query).one_or_none() or (None, 0.0)
    if selection is not None:
        return EntitySet(_known(selection), False, min_score)
    return EntitySet(TOGGLABLE_TYPES if caller.account_created_at < since else CORE_TYPES, True, min_score)


def of_key(session: Session, account_id: UUID, key_id: UUID) -> tuple[EntityType, ...] | None:
    """The key's override; None: it inherits its account's set. KeyNotFound, also for another account's key."""
    query = select(Key.id, Key.entity_override).where(col(Key.id) == key_id, col(Key.account_id) == account_id)
    row = session.exec(query).one_or_none()
    if row is None:
        raise KeyNotFound
    return None if row[1] is None else _known(row[1])


def effective(session: Session, caller: Caller, since: datetime) -> Effective:
    """The types of the caller's key, else of its account; the account's score. KeyNotFound when the key is gone."""
    override = None if caller.key_id is None else of_key(session, caller.account_id, caller.key_id)
    own = of_account(session, caller, since)
    return Effective(frozenset(own.types if override is None else override), own.min_score)


def select_for_account(
    session: Session, account_id: UUID, types: Iterable[EntityType], min_score: float | None = None
) -> EntitySet:
    """Replaces the account's selection and, unless it is None, its least score. Returns what is saved now.

    ValueError for an invalid set or score.
    """
    ordered = _ordered(types)
    if min_score is not None and not 0 <= min_score <= 1:
        raise ValueError("a score is from 0 to 1")
    account = session.exec(select(Account).where(col(Account.id) == account_id).with_for_update()).one()
    account.entity_selection = [type_.value for type_ in ordered]
    if min_score is not None:
        account.min_score = min_score
    session.flush()
    return EntitySet(ordered, False, account.min_score)


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
