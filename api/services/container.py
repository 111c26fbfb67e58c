"""Everything a request may need, wired once from settings and handed to routes as one typed value."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from api.engine.judge import Judge
from api.engine.pool import ProcessPool
from api.engine.scheduler import SHORT_CHARACTERS, DetectionScheduler, TextProcesses
from api.services.billing import Cashier
from api.services.password_hashing import PasswordThreads
from api.services.policies import Policies
from api.services.usage import UsageLog
from api.upstream.client import Upstream
from pipeline.detect.detector import Detector
from pipeline.sandbox.parent import Sandbox
from schemas.settings import Settings
from storage.accounts import keys
from storage.accounts.auth_cache import AuthCache
from storage.jobs.records import Quotas
from storage.opening import Storage
from storage.rate_limiter import MemoryLimiter, RateLimiter, open_limiter

_TEXT_MEMORY = 1024**3  # address space of a process that scans texts; for large ones 64 bytes more per byte of text
_STANDING_BACK = 5  # of the kernel's 20 steps of niceness: whoever sends a large text waits for seconds anyway


@dataclass(frozen=True)
class Services:
    """The process's own: settings, what lasts, detection. Safe from many threads."""

    settings: Settings
    storage: Storage
    detection: DetectionScheduler
    limiter: RateLimiter
    passwords: PasswordThreads = field(default_factory=PasswordThreads)

    @classmethod
    def build(cls, settings: Settings, storage: Storage) -> Self:
        """Loads the detector's lexicons; connects to nothing."""
        concurrency = settings.detect_max_concurrency
        number = max(1, concurrency // 2)
        processes = TextProcesses(
            medium=ProcessPool(number, memory=_TEXT_MEMORY),
            large=ProcessPool(number, memory=_TEXT_MEMORY + 64 * settings.max_text_bytes, niceness=_STANDING_BACK),
        )
        threads = DetectionScheduler(
            Detector(), concurrency, settings.detect_max_queue, processes, inline=SHORT_CHARACTERS
        )
        limiter = open_limiter(settings.redis_url, storage.keyring.derive("rate-limiter"))
        return cls(settings, storage, threads, limiter)

    @cached_property
    def pepper(self) -> bytes:
        """What key secrets are hashed under; read at the first use, so that the server starts without a database."""
        with self.storage.database.transaction() as session:
            return keys.pepper(session, self.storage.keyring)

    @cached_property
    def auth_cache(self) -> AuthCache:
        """Bearers that got in a moment ago."""
        return AuthCache(self.settings.auth_cache_seconds)

    @cached_property
    def policies(self) -> Policies:
        """What applies to each caller's texts."""
        return Policies(self.storage, self.settings.entity_toggles_since)

    @cached_property
    def cashier(self) -> Cashier:
        """Who charges text calls."""
        return Cashier(self.storage.database, self.settings.free_tokens_per_day)

    @cached_property
    def usage_log(self) -> UsageLog:
        """What text calls did, until it is written."""
        return UsageLog(self.storage.database)

    @cached_property
    def own_limiter(self) -> MemoryLimiter:
        """This process's own count of what must stay limited also while Redis is away."""
        return MemoryLimiter()

    @cached_property
    def judge(self) -> Judge | None:
        """The operator's language model, where there is one."""
        return Judge.of(self.settings)

    @cached_property
    def upstream(self) -> Upstream:
        """The model providers."""
        return Upstream.of(self.settings)

    @cached_property
    def sandbox(self) -> Sandbox:
        """The parsers' cage, for the rare upload that must be opened to be judged."""
        return Sandbox(self.settings.sandbox_mode.value)

    @property
    def quotas(self) -> Quotas:
        """How many files an account may have."""
        settings = self.settings
        return Quotas(settings.daily_uploads, settings.concurrent_jobs, settings.active_files)
