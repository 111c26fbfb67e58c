"""Gives back the charges of calls that failed; while the database does not take a refund, tries it again."""

import logging
import threading
from uuid import UUID

from api.services.intervals import at_intervals
from api.services.open_charges import OpenCharges
from schemas.clock import utc_now
from schemas.errors import MaskerError, MaskerUnavailable, type_name
from schemas.telemetry.metrics import REFUNDS
from storage import ledger
from storage.database import Database

log = logging.getLogger("masker.api")
INTERVAL_SECONDS = 2.0


class Refunds:
    """The refunds of one process. A refund that fails is kept and tried again as long as the process lives.

    Safe from many threads. What is kept is bounded by the calls that were under way when the database went away: a call
    that comes later is not charged. A charge stays open until its refund is made.
    """

    def __init__(self, database: Database, open_charges: OpenCharges) -> None:
        self._database, self._open_charges = database, open_charges
        self._lock = threading.Lock()
        self._settling = threading.Lock()
        self._owed: dict[str, UUID | None] = {}  # by reference; the account, when the charge's commit is in doubt

    def give_back(self, reference: str, in_doubt: UUID | None = None) -> None:
        """Refunds a charge, now or later. Raises no MaskerError, which would hide the error that ended the call.

        `in_doubt`: the account, when it is unknown whether the charge was committed.
        """
        try:
            self._refund(reference, in_doubt)
        except MaskerError as error:
            log.warning("a charge is not refunded yet", extra={"reference": reference, "error": type_name(error)})
            with self._lock:
                self._owed[reference] = in_doubt

    def settle(self) -> None:
        """Tries every refund that is kept, until the database is unavailable."""
        with self._settling:
            with self._lock:
                owed = dict(self._owed)
            for reference, in_doubt in owed.items():
                try:
                    self._refund(reference, in_doubt)
                except MaskerUnavailable:
                    return  # already logged by the database, which does not take the others either
                except MaskerError:
                    continue
                with self._lock:
                    del self._owed[reference]
                log.info("a charge was refunded late", extra={"reference": reference})

    async def keep_settling(self) -> None:
        """Tries every INTERVAL_SECONDS until cancelled, then once more."""
        await at_intervals(INTERVAL_SECONDS, self.settle, at_end=self.settle)

    def _refund(self, reference: str, in_doubt: UUID | None) -> None:
        """One attempt, which is counted; the charge is no longer open when it succeeds. MaskerError."""
        outcome = "failed"
        try:
            with self._database.transaction() as session:
                done = ledger.refund(session, reference, utc_now(), in_doubt=in_doubt)
            outcome = "refunded" if done else "not_charged"
            self._open_charges.drop(reference)
        finally:
            REFUNDS.labels(outcome).inc()
