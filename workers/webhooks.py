"""Tells the receivers of webhooks that their files are done, in a thread of its own."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from schemas.clock import utc_now
from schemas.errors import MaskerError, type_name
from schemas.settings import Settings
from storage.encryption import SealBroken
from storage.jobs import webhooks
from storage.jobs.webhooks import Delivery
from storage.opening import Storage
from workers.background import Background
from workers.callbacks import NotCalled, call, signed

log = logging.getLogger("masker.workers")

_LOOK_EVERY = 2.0  # seconds
_CALL_SECONDS = 15.0  # for one call, from resolving the name to the status


class Sender:
    """Sends what is due. Several processes may send at once: each attempt is taken by one of them."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        *,
        clock: Callable[[], datetime] = utc_now,
        call_seconds: float = _CALL_SECONDS,
    ) -> None:
        self._storage, self._allow_private = storage, settings.webhook_private_addresses
        self._clock, self._call_seconds = clock, call_seconds

    async def send(self) -> int:
        """Makes one attempt for each webhook that is due; the number of those that were heard."""
        with self._storage.database.reading() as session:
            waiting = webhooks.due(session, self._clock())
        return sum(await asyncio.gather(*(self._attempt(*item) for item in waiting)))

    async def _attempt(self, job_id: UUID, attempts: int) -> bool:
        """Whether one webhook was heard. What fails here must not end the calls beside it: it is due again later."""
        try:
            return await self._told(job_id, attempts)
        except (MaskerError, SealBroken) as error:
            log.error("a webhook waits", extra={"job_id": str(job_id), "error": type_name(error)})
            return False

    async def _told(self, job_id: UUID, attempts: int) -> bool:
        delivery = await asyncio.to_thread(self._take, job_id, attempts)
        if delivery is None:
            return False
        body, headers = signed(delivery, self._clock())
        try:
            await call(delivery.url, body, headers, seconds=self._call_seconds, allow_private=self._allow_private)
        except NotCalled as failure:
            await asyncio.to_thread(self._unheard, delivery, str(failure))
            return False
        await asyncio.to_thread(self._heard, delivery)
        return True

    def _take(self, job_id: UUID, attempts: int) -> Delivery | None:
        with self._storage.database.transaction() as session:
            return webhooks.take(session, self._storage.keyring, job_id, attempts, self._clock())

    def _heard(self, delivery: Delivery) -> None:
        with self._storage.database.transaction() as session:
            webhooks.heard(session, delivery)

    def _unheard(self, delivery: Delivery, why: str) -> None:
        with self._storage.database.transaction() as session:
            again = webhooks.unheard(session, delivery, self._clock())
        log.warning(
            "a webhook was not heard and will be repeated" if again else "a webhook was not heard and is given up",
            extra={"job_id": str(delivery.job_id), "reason": why, "attempt": delivery.attempt},
        )


class WebhookSender(Background):
    """Sends what is due, every other second."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._sender = Sender(storage, settings)
        super().__init__("webhooks", self._send, _LOOK_EVERY)

    def _send(self) -> None:
        asyncio.run(self._sender.send())
