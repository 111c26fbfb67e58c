"""Lists, creates, renames and revokes the bearer keys of an account."""

from datetime import datetime
from uuid import UUID

from api.services.container import Services
from schemas.accounts import KeyRow, MintedKey
from schemas.errors import KeyNotFound
from schemas.ids import parse_id
from storage.accounts import keys
from storage.accounts.keys import Caller


def list_all(services: Services, caller: Caller) -> list[KeyRow]:
    """All keys, oldest first, with the revoked ones that are kept."""
    with services.storage.database.reading() as session:
        return [KeyRow.model_validate(key) for key in keys.of_account(session, caller.account_id)]


def create(services: Services, caller: Caller, name: str, now: datetime) -> MintedKey:
    """Creates a key. The answer is the only one with its bearer. Only the operator can allow it to use the judge."""
    pepper = services.pepper  # before the transaction: the first use opens one of its own
    with services.storage.database.transaction() as session:
        key, bearer = keys.mint(session, pepper, account_id=caller.account_id, name=name, now=now)
    return MintedKey(**KeyRow.model_validate(key).model_dump(), key=bearer)


def rename(services: Services, caller: Caller, key_id: str, name: str) -> KeyRow:
    """Renames a key. KeyNotFound, also for a malformed id and another account's key."""
    with services.storage.database.transaction() as session:
        return KeyRow.model_validate(keys.rename(session, parse_key_id(key_id), name, account_id=caller.account_id))


def revoke(services: Services, caller: Caller, key_id: UUID, now: datetime) -> None:
    """Revokes the key in the database; may be repeated. KeyNotFound."""
    with services.storage.database.transaction() as session:
        keys.revoke(session, key_id, now, account_id=caller.account_id)


def parse_key_id(key_id: str) -> UUID:
    """The key id in a path. KeyNotFound when it is malformed."""
    try:
        return parse_id(key_id)
    except ValueError:
        raise KeyNotFound from None
