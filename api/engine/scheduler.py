"""Schedules detection: short texts on the event loop, small ones in threads, larger ones in processes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread

from api.engine.fair_queue import Disconnected, FairQueue, SharedCapacity
from api.engine.pool import ProcessPool
from api.engine.text_work import Work, WorkResult, run_work
from api.http.bodies import Parsed, parse
from api.llm import prompt
from api.llm.model import MaskedPrompt, MaskingOptions
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

T = TypeVar("T")
Body = TypeVar("Body", bound=TextRequest)
LARGE_CHARACTERS = 256 * 1024  # about a quarter of a second of one core
MEDIUM_CHARACTERS = 8 * 1024  # about 8 ms: a thread that computes longer delays every other call noticeably
SHORT_CHARACTERS = 1500  # a millisecond by rules, three with the fast tagger
_RETRY_SECONDS, _RETRY_LARGE_SECONDS = 1, 10
_LARGE_SHARE = 8  # an eighth of the waiting places is for large texts, which hold memory and wait for long


class TextDetector(Protocol):
    """The part of `Detector` that is used here."""

    def detect(self, text: str, options: DetectOptions = ...) -> Detection:
        """The entities of a text."""


@dataclass(frozen=True, slots=True)
class TextProcesses:
    """The processes that scan texts of medium length, and those for large texts, which take seconds."""

    medium: ProcessPool
    large: ProcessPool


class DetectionScheduler:
    """Runs detection, bounded: `concurrency` small texts at once, and `queue` texts of all sizes waiting.

    Texts of up to `inline` characters are scanned on the event loop itself, because a thread would cost more time and
    more turns of the interpreter's lock. Medium and large texts are scanned by `processes`, so small texts always find
    a thread and medium texts never wait for large ones. Without processes all texts are scanned in threads.

    In all methods `caller` is who is served in turn, and `disconnected` returns when the client has hung up. They raise
    MaskerUnavailable when too many texts wait or a process dies, and ClientDisconnect when the client hangs up while
    its text waits.
    """

    def __init__(
        self,
        detector: TextDetector,
        concurrency: int,
        queue: int,
        processes: TextProcesses | None = None,
        *,
        inline: int = 0,
    ) -> None:
        self._detector, self.processes, self._inline = detector, processes, inline
        self._threads = CapacityLimiter(concurrency)
        capacity, max_large = SharedCapacity(queue), max(min(1, queue), queue // _LARGE_SHARE)
        medium_slots = processes.medium.processes if processes else 1
        large_slots = processes.large.processes if processes else 1
        self._small = FairQueue(concurrency, queue, capacity, _RETRY_SECONDS)
        self._medium = FairQueue(medium_slots, queue, capacity, _RETRY_SECONDS)
        self._large = FairQueue(large_slots, max_large, capacity, _RETRY_LARGE_SECONDS)

    async def parse(
        self, raw: bytes, model: type[Body], *, caller: Hashable = None, disconnected: Disconnected | None = None
    ) -> Parsed[Body]:
        """A large body's JSON as `model`, parsed in a process. Invalid (422)."""
        if self.processes is None:
            return await parse(raw, model)
        return await self._in_process(LARGE_CHARACTERS, lambda pool: pool.parse(raw, model), caller, disconnected)

    async def run(
        self,
        text: str,
        options: DetectOptions,
        work: Work,
        *,
        caller: Hashable = None,
        disconnected: Disconnected | None = None,
    ) -> WorkResult:
        """Detects the entities of a text and runs `work` on the detection."""
        if self.processes is not None and len(text) >= MEDIUM_CHARACTERS:
            return await self._in_process(len(text), lambda pool: pool.run(text, options, work), caller, disconnected)
        is_short = len(text) <= self._inline and not options.terms
        return await self._in_thread(
            lambda: run_work(work, self._detector.detect(text, options)), caller, disconnected, is_short=is_short
        )

    async def detect(
        self,
        text: str,
        options: DetectOptions,
        *,
        caller: Hashable = None,
        disconnected: Disconnected | None = None,
    ) -> Detection:
        """The detection alone, for callers that change it before they call `finish`."""
        if self.processes is not None and len(text) >= MEDIUM_CHARACTERS:
            return await self._in_process(len(text), lambda pool: pool.detect(text, options), caller, disconnected)
        return await self._in_thread(lambda: self._detector.detect(text, options), caller, disconnected)

    async def finish(self, detection: Detection, work: Work) -> WorkResult:
        """Runs `work` on a detection that `detect` returned."""
        return await to_thread.run_sync(run_work, work, detection)

    async def count_prompt_words(
        self, raw: bytes, asked: MaskingOptions, *, caller: Hashable = None, disconnected: Disconnected | None = None
    ) -> int:
        """The number of words in a proxied body that detection looks at. InvalidBody, AttachmentNotSupported."""
        if self.processes is not None and len(raw) >= LARGE_CHARACTERS:
            return await self._in_process(
                len(raw), lambda pool: pool.count_prompt_words(raw, asked), caller, disconnected
            )
        if len(raw) <= MEDIUM_CHARACTERS:
            return prompt.words(raw, asked)
        return await to_thread.run_sync(prompt.words, raw, asked)

    async def mask_prompt(
        self, raw: bytes, asked: MaskingOptions, *, caller: Hashable = None, disconnected: Disconnected | None = None
    ) -> MaskedPrompt:
        """A proxied body, masked. InvalidBody, AttachmentNotSupported."""
        if self.processes is not None and len(raw) >= MEDIUM_CHARACTERS:
            return await self._in_process(len(raw), lambda pool: pool.mask_prompt(raw, asked), caller, disconnected)
        is_short = len(raw) <= self._inline and not asked.terms
        return await self._in_thread(
            lambda: prompt.masked(raw, asked, self._detector), caller, disconnected, is_short=is_short
        )

    @property
    def waiting(self) -> int:
        """How many texts wait for a slot."""
        return self._small.waiting + self._medium.waiting + self._large.waiting

    def warm(self) -> None:
        """Starts a process for medium texts, because the first one would wait a second or more for it."""
        if self.processes is not None:
            self.processes.medium.warm()

    def close(self) -> None:
        """Ends the processes. Calls that they work on fail with MaskerUnavailable."""
        if self.processes is not None:
            self.processes.medium.close()
            self.processes.large.close()

    async def _in_thread(
        self, job: Callable[[], T], caller: Hashable, disconnected: Disconnected | None, *, is_short: bool = False
    ) -> T:
        await self._small.acquire(caller, disconnected)
        try:
            return job() if is_short else await to_thread.run_sync(job, limiter=self._threads)
        finally:
            self._small.release()

    async def _in_process(
        self, size: int, job: Callable[[ProcessPool], T], caller: Hashable, disconnected: Disconnected | None
    ) -> T:
        assert self.processes is not None  # noqa: S101 - the callers checked it
        is_large = size >= LARGE_CHARACTERS
        pool, queue = (self.processes.large, self._large) if is_large else (self.processes.medium, self._medium)
        await queue.acquire(caller, disconnected)
        try:
            return await to_thread.run_sync(job, pool, limiter=pool.threads)
        finally:
            queue.release()
