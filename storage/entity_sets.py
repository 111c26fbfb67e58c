"""Entity sets: which types text detection looks for, by account and by key."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from schemas.entities import CORE_TYPES, TOGGLABLE_TYPES, EntityType
from storage.keys import Caller
from storage.tables import Account, Key


def effective(session: Session, caller: Caller, since: datetime) -> frozenset[EntityType]:
    """The caller's types: its key's override, else its account's selection, else the default.

    The default is the core ten; for accounts created before `since` (when toggles came) it is every togglable type.
    """
    if caller.key_id is not None:
        override = session.exec(select(Key.entity_override).where(col(Key.id) == caller.key_id)).one_or_none()
        if override is not None:
            return _known(override)
    selection = session.exec(select(Account.entity_selection).where(col(Account.id) == caller.account_id)).one_or_none()
    if selection is not None:
        return _known(selection)
    return frozenset(TOGGLABLE_TYPES if caller.account_created_at < since else CORE_TYPES)


def select_for_account(session: Session, account_id: UUID, types: Iterable[EntityType]) -> tuple[EntityType, ...]:
    """Replaces the account's selection; what was saved, in catalogue order. ValueError when it is no valid set."""
    ordered = _ordered(types)
    account = session.exec(select(Account).where(col(Account.id) == account_id).with_for_update()).one()
    account.entity_selection = [type_.value for type_ in ordered]
    session.flush()
    return ordered


def override_for_key(session: Session, key_id: UUID, types: Iterable[EntityType] | None) -> None:
    """Replaces the key's override; None: the key inherits its account's set again. ValueError as above."""
    ordered = None if types is None else _ordered(types)
    key = session.exec(select(Key).where(col(Key.id) == key_id).with_for_update()).one()
    key.entity_override = None if ordered is None else [type_.value for type_ in ordered]
    session.flush()


def _ordered(types: Iterable[EntityType]) -> tuple[EntityType, ...]:
    chosen = frozenset(types)
    if not chosen or not chosen <= frozenset(TOGGLABLE_TYPES):
        raise ValueError("a set holds one or more togglable types")
    return tuple(type_ for type_ in TOGGLABLE_TYPES if type_ in chosen)


def _known(names: Iterable[str]) -> frozenset[EntityType]:
    # A type that was retired since the set was saved is no longer looked for.
    saved = frozenset(names)
    return frozenset(type_ for type_ in TOGGLABLE_TYPES if type_.value in saved)
