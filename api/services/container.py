"""The services that requests use, built once per process from the settings."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from anyio import CapacityLimiter

from api.engine.judge import Judge
from api.engine.pool import ProcessPool
from api.engine.scheduler import SHORT_CHARACTERS, DetectionScheduler, TextProcesses
from api.services.abandoned_charges import AbandonedCharges
from api.services.charge_batches import ChargeBatcher
from api.services.open_charges import OpenCharges
from api.services.password_hashing import PasswordThreads
from api.services.policies import Policies
from api.services.refunds import Refunds
from api.services.usage import UsageLog
from api.upstream.client import Upstream
from pipeline.detect.detector import ACCURATE, Detector
from pipeline.sandbox.parent import Sandbox
from schemas.settings import Settings
from storage.accounts import keys
from storage.accounts.auth_cache import AuthCache
from storage.jobs.records import Quotas
from storage.opening import Storage
from storage.rate_limiter import MemoryLimiter, RateLimiter, open_limiter

_TEXT_MEMORY = 1024**3  # address space of a text process; for large texts 64 bytes per byte of text more
_LARGE_TEXT_NICENESS = 5  # of 0 to 19: large texts take seconds, so they may yield to all others


@dataclass(frozen=True)
class Services:
    """Settings, storage, detection and limits of one process. Safe from many threads."""

    settings: Settings
    storage: Storage
    detection: DetectionScheduler
    limiter: RateLimiter
    passwords: PasswordThreads = field(default_factory=PasswordThreads)

    @classmethod
    def build(cls, settings: Settings, storage: Storage) -> Self:
        """Builds the services: loads the detector's lexicons, connects to nothing."""
        concurrency = settings.detect_max_concurrency
        number = max(1, concurrency // 2)
        processes = TextProcesses(
            medium=ProcessPool(number, memory=_TEXT_MEMORY, names=settings.names),
            large=ProcessPool(
                number,
                memory=_TEXT_MEMORY + 64 * settings.max_text_bytes,
                niceness=_LARGE_TEXT_NICENESS,
                names=settings.names,
            ),
        )
        threads = DetectionScheduler(
            Detector(names=settings.names),
            concurrency,
            settings.detect_max_queue,
            processes,
            inline=0 if settings.names == ACCURATE else SHORT_CHARACTERS,
        )
        limiter = open_limiter(settings.redis_url, storage.keyring.derive("rate-limiter"))
        return cls(settings, storage, threads, limiter)

    @cached_property
    def pepper(self) -> bytes:
        """The secret that bearer keys are hashed with; read at first use: the server starts without a database."""
        with self.storage.database.transaction() as session:
            return keys.pepper(session, self.storage.keyring)

    @cached_property
    def auth_cache(self) -> AuthCache:
        """Bearers that were authenticated recently."""
        return AuthCache(self.settings.auth_cache_seconds)

    @cached_property
    def policies(self) -> Policies:
        """The detection policy of each caller: entity types and glossary terms."""
        return Policies(self.storage, self.settings.entity_toggles_since)

    @cached_property
    def charge_batcher(self) -> ChargeBatcher:
        """Charges text calls."""
        return ChargeBatcher(self.storage.database, self.open_charges, self.settings.free_tokens_per_day)

    @cached_property
    def open_charges(self) -> OpenCharges:
        """The charges of text calls that are neither answered nor refunded, and the lease for them."""
        return OpenCharges(self.storage.database)

    @cached_property
    def abandoned_charges(self) -> AbandonedCharges:
        """Refunds those of processes that died."""
        return AbandonedCharges(self.storage.database, self.open_charges)

    @cached_property
    def refunds(self) -> Refunds:
        """Gives back the charges of text calls that failed."""
        return Refunds(self.storage.database, self.open_charges)

    @cached_property
    def usage_log(self) -> UsageLog:
        """Counts of text calls that are not written to the database yet."""
        return UsageLog(self.storage.database)

    @cached_property
    def local_limiter(self) -> MemoryLimiter:
        """This process's own limiter, for limits that must hold even while Redis is unavailable."""
        return MemoryLimiter()

    @cached_property
    def judge(self) -> Judge | None:
        """The operator's judge, where one is configured."""
        return Judge.of(self.settings)

    @cached_property
    def upstream(self) -> Upstream:
        """The client of the model providers."""
        return Upstream.of(self.settings)

    @cached_property
    def sandbox(self) -> Sandbox:
        """The parsers' sandbox, for uploads that must be opened to identify their format."""
        return Sandbox(self.settings.sandbox_mode.value)

    @cached_property
    def preview_threads(self) -> CapacityLimiter:
        """Threads that wait for previews of documents: few, because each has a sandboxed process that draws."""
        return CapacityLimiter(2)

    @property
    def quotas(self) -> Quotas:
        """How many files an account may have."""
        settings = self.settings
        return Quotas(settings.daily_uploads, settings.concurrent_jobs, settings.active_files)
