"""Counts text calls in memory and writes the sums once a second: one write for many calls."""

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from uuid import UUID

from api.services.intervals import at_intervals
from schemas.clock import riyadh_day
from schemas.entities import EntityType
from schemas.errors import MaskerError, type_name
from schemas.telemetry.metrics import ENTITIES
from storage.accounts import usage
from storage.database import Database

log = logging.getLogger("masker.api")
_entities_of = cache(ENTITIES.labels)  # its own look-up takes longer than the count
INTERVAL_SECONDS = 1.0


class UsageLog:
    """Usage since the last write. It is statistics, not money: a killed process loses one interval of it.

    Safe from many threads. While the database is unavailable the sums stay here; they do not grow with the calls.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._amounts: defaultdict[usage.Day, Counter[str]] = defaultdict(Counter)
        self._writing = threading.Lock()

    def note(self, account_id: UUID, *, tokens: int, entities: Mapping[EntityType, int], now: datetime) -> None:
        """Adds one call."""
        day = usage.Day(account_id, riyadh_day(now))
        with self._lock:
            usage.count(self._amounts[day], tokens=tokens, entities=entities)
        for type_, count in entities.items():
            _entities_of(type_).inc(count)

    def flush(self) -> None:
        """Writes the sums. Every call that was noted before is in the database when it returns. MaskerUnavailable."""
        with self._writing:
            with self._lock:
                gathered, self._amounts = self._amounts, defaultdict(Counter)
            if not gathered:
                return
            try:
                with self._database.transaction() as session:
                    usage.add(session, gathered)
            except BaseException:
                with self._lock:
                    for day, amounts in gathered.items():
                        self._amounts[day].update(amounts)
                raise

    async def keep_writing(self) -> None:
        """Writes every INTERVAL_SECONDS until cancelled, then once more."""
        await at_intervals(INTERVAL_SECONDS, self.flush, at_end=self._flush_last)

    def _flush_last(self) -> None:
        try:
            self.flush()
        except MaskerError as error:
            log.error("the last counts of usage were not written", extra={"error": type_name(error)})
