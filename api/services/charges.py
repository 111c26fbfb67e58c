"""The charge of one call: taken before the work is done, and given back unless it ends well."""

import logging
from asyncio import CancelledError
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from anyio import CancelScope, to_thread

from api.services.container import Services
from schemas.clock import utc_now
from schemas.errors import CommitInDoubt, MaskerError
from storage import ledger
from storage.ledger import Order

log = logging.getLogger("masker.api")


@dataclass(slots=True)
class Bill:
    """`is_earned`: whether the caller got what was charged for."""

    is_earned: bool = False


@asynccontextmanager
async def charged(services: Services, account_id: UUID, tokens: int, reason: str = "text") -> AsyncIterator[Bill]:
    """Around the work: `tokens` are taken, and given back when it ends without being earned, however it ends.

    `reason`: what the account's ledger says that they were for. InsufficientTokens; MaskerUnavailable.
    """
    reference = f"{reason}:{uuid4()}"
    # Nothing comes after the charge but what is undone when it fails.
    try:
        await services.cashier.charge(account_id, Order(tokens, reference, reason))
    except (CommitInDoubt, CancelledError):  # cancelled: the server stops, and the charge may have been made
        await _undo(services, reference, account_id)
        raise
    bill = Bill()
    try:
        yield bill
    finally:
        if not bill.is_earned:
            await _undo(services, reference)


async def _undo(services: Services, reference: str, in_doubt: UUID | None = None) -> None:
    """Gives the charge back, whatever ends the call; `in_doubt`: the account, when nobody knows if it was charged."""
    with CancelScope(shield=True):
        await to_thread.run_sync(_refund, services, reference, in_doubt)


def _refund(services: Services, reference: str, in_doubt: UUID | None) -> None:
    """Best effort: a refund that fails must not hide why the call did."""
    try:
        with services.storage.database.transaction() as session:
            ledger.refund(session, reference, utc_now(), in_doubt=in_doubt)
    except MaskerError as error:
        log.error("reference=%s was not refunded: %s", reference, type(error).__name__)
