"""Keeps the lease under which this process charges, and says with it which charges are open."""

import logging
import threading
from uuid import UUID

from api.services.intervals import at_intervals
from storage import charging_leases
from storage.database import Database

log = logging.getLogger("masker.api")
INTERVAL_SECONDS = 1.0
_IDLE_RENEWALS = 30  # without an open charge, after which the lease is closed: an idle server writes nothing


class OpenCharges:
    """The charges of one process that are neither answered nor refunded. Safe from many threads.

    If the process dies, another one refunds those that were open at the last renewal or were made after it. A charge
    that was answered counts as open at one more renewal, because the answer may not have left yet: calls that were
    answered in the last two intervals before a death may be refunded, earlier ones are not.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()  # of what follows
        self._open: set[str] = set()
        self._answered: set[str] = set()  # since the last renewal
        self._idle = 0  # renewals without an open charge
        self._lease: UUID | None = None
        self._renewing = threading.Lock()

    @property
    def lease_id(self) -> UUID | None:
        """The lease; None while nothing was charged for a while."""
        return self._lease

    def add(self, reference: str) -> None:
        """Before the charge, which is open from then on."""
        with self._lock:
            self._open.add(reference)

    def answered(self, reference: str) -> None:
        """When the answer is on its way."""
        with self._lock:
            self._open.discard(reference)
            self._answered.add(reference)

    def drop(self, reference: str) -> None:
        """After the refund, or when nothing was taken."""
        with self._lock:
            self._open.discard(reference)

    def lease(self, ended: UUID | None = None) -> UUID:
        """The lease for the next charge; it is begun where there is none, or only one that has `ended`.

        MaskerUnavailable.
        """
        lease = self._lease
        if lease is not None and lease != ended:
            return lease
        with self._renewing:
            if self._lease is None or self._lease == ended:
                with self._database.transaction() as session:
                    lease = charging_leases.begin(session)
                with self._lock:
                    self._lease, self._idle = lease, 0
            return self._lease

    def renew(self) -> None:
        """Tells the database which charges are open; closes the lease when there was none for a while.

        MaskerUnavailable.
        """
        with self._renewing:
            lease = self._lease
            if lease is None:
                return
            with self._database.reading() as session:
                line = charging_leases.last_line(session)
            with self._lock:
                told = self._open | self._answered
                self._answered.clear()
                self._idle = 0 if told else self._idle + 1
                if self._idle > _IDLE_RENEWALS:
                    self._lease = None
            with self._database.transaction() as session:
                if self._lease is None:
                    charging_leases.close(session, lease)
                elif not charging_leases.renew(session, lease, line=line, open_references=told):
                    log.warning("the lease of this process was given up: open charges were refunded")
                    self._lease = None

    def close(self) -> None:
        """Closes the lease, after the last answer; with open charges it is left to another process, which refunds them.

        MaskerUnavailable.
        """
        with self._lock:
            self._answered.clear()
            self._idle = _IDLE_RENEWALS
            left = sorted(self._open)
        for reference in left:
            log.error("a charge is left for another process to refund", extra={"reference": reference})
        self.renew()

    async def keep_renewing(self) -> None:
        """Renews the lease every INTERVAL_SECONDS until cancelled, then closes it."""
        await at_intervals(INTERVAL_SECONDS, self.renew, at_end=self.close)
