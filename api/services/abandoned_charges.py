"""Refunds the open charges of API processes that died."""

import logging
from typing import NamedTuple
from uuid import UUID

from api.services.intervals import at_intervals
from api.services.open_charges import OpenCharges
from schemas.clock import utc_now
from schemas.telemetry.metrics import REFUNDS
from storage import charging_leases
from storage.database import Database

log = logging.getLogger("masker.api")
INTERVAL_SECONDS = 5.0
LOOKS = 10  # at a lease that is not renewed; a process may wait 30 s for a connection that hangs, and still live


class _Sight(NamedTuple):
    """How often a lease was renewed, and at how many looks one after another."""

    renewals: int
    looks: int


class AbandonedCharges:
    """Looks at the leases of all processes, and gives up those that are not renewed. One per process.

    It counts looks, not seconds: clocks may be wrong, and while the database is away nobody can renew.
    """

    def __init__(self, database: Database, own: OpenCharges) -> None:
        self._database, self._own = database, own
        self._seen: dict[UUID, _Sight] = {}

    def look(self) -> None:
        """One look. MaskerUnavailable."""
        with self._database.reading() as session:
            found = charging_leases.renewals(session)
        self._seen = {lease: self._sight(lease, renewals) for lease, renewals in found.items()}
        for lease, sight in self._seen.items():
            if sight.looks >= LOOKS and lease != self._own.lease_id:
                self._give_up(lease, sight.renewals)

    async def keep_looking(self) -> None:
        """Looks every INTERVAL_SECONDS until cancelled."""
        await at_intervals(INTERVAL_SECONDS, self.look)

    def _sight(self, lease: UUID, renewals: int) -> _Sight:
        last = self._seen.get(lease)
        return _Sight(renewals, last.looks + 1 if last is not None and last.renewals == renewals else 1)

    def _give_up(self, lease: UUID, renewals: int) -> None:
        with self._database.transaction() as session:
            refunded = charging_leases.give_up(session, lease, renewals, utc_now())
        REFUNDS.labels("refunded").inc(len(refunded))
        for reference in refunded:
            log.warning("a charge of a process that died was refunded", extra={"reference": reference})
