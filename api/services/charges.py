"""Charges one call before its work is done, and refunds it unless the work succeeds."""

from asyncio import CancelledError
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID, uuid4

from anyio import CancelScope, to_thread

from api.services.container import Services
from schemas.errors import CommitInDoubt
from schemas.telemetry.metrics import WORDS
from storage.ledger import Order


@dataclass(slots=True)
class PendingCharge:
    """`is_final`: set it when the work succeeded; otherwise the charge is refunded."""

    is_final: bool = False


class Charged(AbstractAsyncContextManager[PendingCharge]):
    """Takes `tokens` before the block runs, and refunds them when it ends without a final charge, however it ends.

    `reason`: what the account's ledger names as the purpose. InsufficientTokens; MaskerUnavailable.
    """

    def __init__(self, services: Services, account_id: UUID, tokens: int, reason: str = "text") -> None:
        self._services, self._account_id = services, account_id
        self._order = Order(tokens, f"{reason}:{uuid4()}", reason)
        self._charge = PendingCharge()

    async def __aenter__(self) -> PendingCharge:
        # No statement may stand between the charge and the block, whose end refunds it.
        self._services.open_charges.add(self._order.reference)
        try:
            await self._services.charge_batcher.charge(self._account_id, self._order)
        except (CommitInDoubt, CancelledError):  # cancelled: the server stops, and the tokens may have been taken
            await _refund_shielded(self._services, self._order.reference, self._account_id)
            raise
        except Exception:  # nothing was taken
            self._services.open_charges.drop(self._order.reference)
            raise
        return self._charge

    async def __aexit__(self, *_: object) -> None:
        if self._charge.is_final:
            self._services.open_charges.answered(self._order.reference)
            WORDS.inc(self._order.tokens)
        else:
            await _refund_shielded(self._services, self._order.reference)


async def _refund_shielded(services: Services, reference: str, in_doubt: UUID | None = None) -> None:
    """Refunds the charge. `in_doubt`: the account, when it is unknown whether the charge was committed."""
    with CancelScope(shield=True):
        await to_thread.run_sync(services.refunds.give_back, reference, in_doubt)
