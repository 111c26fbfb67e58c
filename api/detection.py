"""Runs detection beside the event loop: small texts in threads, large ones in processes; bounded and fair."""

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread

from api.bodies import parsed
from api.fair_queue import FairQueue, Gone, Room
from api.large_texts import LargeTexts
from api.text_work import Done, Work, do
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

T = TypeVar("T")
Body = TypeVar("Body", bound=TextRequest)
LARGE_CHARACTERS = 32 * 1024  # about 30 ms of one core: a thread that takes longer is felt by every other call
SHORT_CHARACTERS = 1500  # at most about a millisecond
_RETRY_SECONDS, _RETRY_LARGE_SECONDS = 1, 10
_LARGE_SHARE = 8  # one in so many of the waiting places is for large texts, which hold memory and wait for long


class Detects(Protocol):
    """What `Detector` does."""

    def detect(self, text: str, options: DetectOptions = ...) -> Detection:
        """The entities of a text."""


class DetectionThreads:
    """The detector behind a bound: `concurrency` texts scanned at once, `queue` waiting, per process.

    Texts of up to `inline` characters are scanned on the event loop itself: a thread's coming and going would cost
    more, in time and in turns of the interpreter's lock. Large texts are scanned by processes of their own, half as
    many, beside the threads: however many are sent, small ones find a thread. Without such processes (`large` left out)
    all are scanned in threads.
    """

    def __init__(
        self, detector: Detects, concurrency: int, queue: int, large: LargeTexts | None = None, *, inline: int = 0
    ) -> None:
        self._detector, self.large, self._inline = detector, large, inline
        self._threads = CapacityLimiter(concurrency)
        room = Room(queue)
        self._queue = FairQueue(concurrency, queue, room, _RETRY_SECONDS)
        most_large = max(min(1, queue), queue // _LARGE_SHARE)
        self._large_queue = FairQueue(large.processes if large else 1, most_large, room, _RETRY_LARGE_SECONDS)

    async def parse(self, raw: bytes, model: type[Body], *, caller: Hashable = None, gone: Gone | None = None) -> Body:
        """A large body's JSON as `model`, where it holds up nobody. Invalid (422), and the errors of `run`."""
        large = self.large
        if large is None:
            return await parsed(raw, model)
        return await self._apart(lambda: large.parse(raw, model), caller, gone)

    async def run(
        self, text: str, options: DetectOptions, work: Work, *, caller: Hashable = None, gone: Gone | None = None
    ) -> Done:
        """`work` on the detection of a text. Callers who wait are served in turn.

        MaskerUnavailable when too many wait, or the process that had the text died; ClientDisconnect when the caller
        hangs up (`gone` returns) while it waits.
        """
        large = self.large
        if large is not None and len(text) >= LARGE_CHARACTERS:
            return await self._apart(lambda: large.run(text, options, work), caller, gone)
        is_short = len(text) <= self._inline and not options.terms
        return await self._here(lambda: do(work, self._detector.detect(text, options)), caller, gone, is_short=is_short)

    async def detect(
        self, text: str, options: DetectOptions, *, caller: Hashable = None, gone: Gone | None = None
    ) -> Detection:
        """The detection alone, for who wants to look at it before the work is done. Errors as for `run`."""
        large = self.large
        if large is not None and len(text) >= LARGE_CHARACTERS:
            return await self._apart(lambda: large.detect(text, options), caller, gone)
        return await self._here(lambda: self._detector.detect(text, options), caller, gone)

    async def finish(self, detection: Detection, work: Work) -> Done:
        """The work on a detection that `detect` gave."""
        return await to_thread.run_sync(do, work, detection)

    @property
    def waiting(self) -> int:
        """How many texts wait for a place."""
        return self._queue.waiting + self._large_queue.waiting

    def close(self) -> None:
        """Ends the processes; what they are at fails with MaskerUnavailable."""
        if self.large is not None:
            self.large.close()

    async def _here(self, job: Callable[[], T], caller: Hashable, gone: Gone | None, *, is_short: bool = False) -> T:
        async with self._queue.place(caller, gone):
            return job() if is_short else await to_thread.run_sync(job, limiter=self._threads)

    async def _apart(self, job: Callable[[], T], caller: Hashable, gone: Gone | None) -> T:
        large = self.large
        assert large is not None  # noqa: S101 - both callers have looked
        async with self._large_queue.place(caller, gone):
            return await to_thread.run_sync(job, limiter=large.waiters)
