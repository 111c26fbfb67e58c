"""Runs detection beside the event loop: small texts in threads, others in processes; bounded and fair."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread

from api.bodies import parsed
from api.fair_queue import FairQueue, Gone, Room
from api.large_texts import LargeTexts
from api.proxy import prompt
from api.proxy.joints import Asked, MaskedPrompt
from api.text_work import Done, Work, do
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

T = TypeVar("T")
Body = TypeVar("Body", bound=TextRequest)
LARGE_CHARACTERS = 256 * 1024  # about a quarter of a second of one core
MEDIUM_CHARACTERS = 8 * 1024  # about 8 ms: a thread that takes longer is felt by every other call
SHORT_CHARACTERS = 1500  # at most about a millisecond
_RETRY_SECONDS, _RETRY_LARGE_SECONDS = 1, 10
_LARGE_SHARE = 8  # one in so many of the waiting places is for large texts, which hold memory and wait for long


class Detects(Protocol):
    """What `Detector` does."""

    def detect(self, text: str, options: DetectOptions = ...) -> Detection:
        """The entities of a text."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Where texts are scanned that are not small: those of medium length, and those that take seconds."""

    medium: LargeTexts
    large: LargeTexts


class DetectionThreads:
    """The detector behind a bound: `concurrency` small texts scanned at once, `queue` texts waiting, per process.

    Texts of up to `inline` characters are scanned on the event loop itself: a thread's coming and going would cost
    more, in time and in turns of the interpreter's lock. Medium and large texts are scanned by `processes`, beside the
    threads: however many are sent, small ones find a thread, and medium ones never wait for large ones. Without
    processes all are scanned in threads.
    """

    def __init__(
        self,
        detector: Detects,
        concurrency: int,
        queue: int,
        processes: Processes | None = None,
        *,
        inline: int = 0,
    ) -> None:
        self._detector, self.processes, self._inline = detector, processes, inline
        self._threads = CapacityLimiter(concurrency)
        room, most_large = Room(queue), max(min(1, queue), queue // _LARGE_SHARE)
        self._small = FairQueue(concurrency, queue, room, _RETRY_SECONDS)
        self._medium = FairQueue(processes.medium.processes if processes else 1, queue, room, _RETRY_SECONDS)
        self._large = FairQueue(processes.large.processes if processes else 1, most_large, room, _RETRY_LARGE_SECONDS)

    async def parse(self, raw: bytes, model: type[Body], *, caller: Hashable = None, gone: Gone | None = None) -> Body:
        """A large body's JSON as `model`, where it holds up nobody. Invalid (422), and the errors of `run`."""
        if self.processes is None:
            return await parsed(raw, model)
        return await self._apart(LARGE_CHARACTERS, lambda texts: texts.parse(raw, model), caller, gone)

    async def run(
        self, text: str, options: DetectOptions, work: Work, *, caller: Hashable = None, gone: Gone | None = None
    ) -> Done:
        """`work` on the detection of a text. Callers who wait are served in turn.

        MaskerUnavailable when too many wait, or the process that had the text died; ClientDisconnect when the caller
        hangs up (`gone` returns) while it waits.
        """
        if self.processes is not None and len(text) >= MEDIUM_CHARACTERS:
            return await self._apart(len(text), lambda texts: texts.run(text, options, work), caller, gone)
        is_short = len(text) <= self._inline and not options.terms
        return await self._here(lambda: do(work, self._detector.detect(text, options)), caller, gone, is_short=is_short)

    async def detect(
        self, text: str, options: DetectOptions, *, caller: Hashable = None, gone: Gone | None = None
    ) -> Detection:
        """The detection alone, for who wants to look at it before the work is done. Errors as for `run`."""
        if self.processes is not None and len(text) >= MEDIUM_CHARACTERS:
            return await self._apart(len(text), lambda texts: texts.detect(text, options), caller, gone)
        return await self._here(lambda: self._detector.detect(text, options), caller, gone)

    async def finish(self, detection: Detection, work: Work) -> Done:
        """The work on a detection that `detect` gave."""
        return await to_thread.run_sync(do, work, detection)

    async def words(self, raw: bytes, asked: Asked, *, caller: Hashable = None, gone: Gone | None = None) -> int:
        """The words of a proxied body that detection will look at. InvalidBody, AttachmentNotSupported; and the errors
        of `run`.
        """
        if self.processes is not None and len(raw) >= LARGE_CHARACTERS:
            return await self._apart(len(raw), lambda texts: texts.words(raw, asked), caller, gone)
        if len(raw) <= MEDIUM_CHARACTERS:
            return prompt.words(raw, asked)
        return await to_thread.run_sync(prompt.words, raw, asked)

    async def mask(
        self, raw: bytes, asked: Asked, *, caller: Hashable = None, gone: Gone | None = None
    ) -> MaskedPrompt:
        """A proxied body, masked. Errors as for `words`."""
        if self.processes is not None and len(raw) >= MEDIUM_CHARACTERS:
            return await self._apart(len(raw), lambda texts: texts.prompt(raw, asked), caller, gone)
        is_short = len(raw) <= self._inline and not asked.terms
        return await self._here(lambda: prompt.masked(raw, asked, self._detector), caller, gone, is_short=is_short)

    @property
    def waiting(self) -> int:
        """How many texts wait for a place."""
        return self._small.waiting + self._medium.waiting + self._large.waiting

    def warm(self) -> None:
        """Starts what the first medium text would wait for, a second or more. Large ones take seconds anyway."""
        if self.processes is not None:
            self.processes.medium.warm()

    def close(self) -> None:
        """Ends the processes; what they are at fails with MaskerUnavailable."""
        if self.processes is not None:
            self.processes.medium.close()
            self.processes.large.close()

    async def _here(self, job: Callable[[], T], caller: Hashable, gone: Gone | None, *, is_short: bool = False) -> T:
        async with self._small.place(caller, gone):
            return job() if is_short else await to_thread.run_sync(job, limiter=self._threads)

    async def _apart(self, size: int, job: Callable[[LargeTexts], T], caller: Hashable, gone: Gone | None) -> T:
        assert self.processes is not None  # noqa: S101 - whoever calls has looked
        is_large = size >= LARGE_CHARACTERS
        texts, line = (self.processes.large, self._large) if is_large else (self.processes.medium, self._medium)
        async with line.place(caller, gone):
            return await to_thread.run_sync(job, texts, limiter=texts.waiters)
