"""An account's bearer keys, as their owner lists, mints, renames and revokes them."""

from datetime import datetime
from uuid import UUID

from api.services.container import Services
from schemas.accounts import KeyRow, MintedKey
from schemas.errors import KeyNotFound
from schemas.ids import parse_id
from storage.accounts import keys
from storage.accounts.keys import Caller


def listed(services: Services, caller: Caller) -> list[KeyRow]:
    """All of them, revoked ones too, oldest first."""
    with services.storage.database.reading() as session:
        return [KeyRow.model_validate(key) for key in keys.of_account(session, caller.account_id)]


def mint(services: Services, caller: Caller, name: str, now: datetime) -> MintedKey:
    """A new key and, this once, its bearer. Whether it may ask for the judge is the operator's to say."""
    pepper = services.pepper  # before the transaction: the first use opens one of its own
    with services.storage.database.transaction() as session:
        key, bearer = keys.mint(session, pepper, account_id=caller.account_id, name=name, now=now)
    return MintedKey(**KeyRow.model_validate(key).model_dump(), key=bearer)


def rename(services: Services, caller: Caller, key_id: str, name: str) -> KeyRow:
    """The key under its new name. KeyNotFound, also for a malformed id and for another account's key."""
    with services.storage.database.transaction() as session:
        return KeyRow.model_validate(keys.rename(session, parsed(key_id), name, account_id=caller.account_id))


def revoke(services: Services, caller: Caller, key_id: UUID, now: datetime) -> None:
    """Ends the key, for whoever asks the database. KeyNotFound as above; harmless when repeated."""
    with services.storage.database.transaction() as session:
        keys.revoke(session, key_id, now, account_id=caller.account_id)


def parsed(key_id: str) -> UUID:
    """The id of a path. KeyNotFound when it is malformed."""
    try:
        return parse_id(key_id)
    except ValueError:
        raise KeyNotFound from None
