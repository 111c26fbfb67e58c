"""Runs detection beside the event loop: small texts in threads, others in processes; bounded and fair."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect

from api.engine.pool import LargeTexts
from api.engine.text_work import Done, Work, do
from api.http.bodies import Parsed, parse
from api.llm import prompt
from api.llm.model import Asked, MaskedPrompt
from schemas.errors import MaskerUnavailable
from schemas.spans import Detection, DetectOptions
from schemas.text import TextRequest

# Who may work next: so many places at once, waiting callers served in turn, and no more waiting than there is room.

Gone = Callable[[], Awaitable[None]]  # returns when the caller has hung up


class Room:
    """How many may wait in all the queues that share it."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.taken = 0


class FairQueue:
    """`places` at work at once; of those who wait, one of each caller in turn. For one event loop.

    Past `most` waiting, or when the shared `room` is full, somebody must leave: the last in the longest line, which is
    the newcomer unless another caller has a longer one. `retry_after`: seconds that it shall stay away.
    """

    def __init__(self, places: int, most: int, room: Room, retry_after: int) -> None:
        self._free, self._most, self._room, self._retry_after = places, most, room, retry_after
        self._lines: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()  # the next to be served first
        self._waiting = 0

    @asynccontextmanager
    async def place(self, caller: Hashable, gone: Gone | None = None) -> AsyncIterator[None]:
        """A place, for as long as the block lasts. MaskerUnavailable without room.

        ClientDisconnect when the caller hangs up (`gone` returns) while it waits.
        """
        await self._enter(caller, gone)
        try:
            yield
        finally:
            self._leave()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return self._waiting

    async def _enter(self, caller: Hashable, gone: Gone | None) -> None:
        if self._free:
            self._free -= 1
            return
        self._make_room(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(caller, deque()).append(turn)
        self._count(1)
        try:
            await _turn_or_gone(turn, gone)
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._leave()  # the place came at the same moment: on with it
            elif turn in self._lines.get(caller, ()):
                self._take_out(caller, turn)
            raise

    def _leave(self) -> None:
        """Hands a place on."""
        if not self._lines:
            self._free += 1
            return
        caller, line = self._lines.popitem(last=False)
        turn = line.popleft()
        if line:
            self._lines[caller] = line  # behind all others
        self._count(-1)
        turn.set_result(None)

    def _make_room(self, caller: Hashable) -> None:
        if self._waiting < self._most and self._room.taken < self._room.places:
            return
        longest = max(self._lines, key=lambda name: len(self._lines[name]), default=caller)
        if len(self._lines.get(longest, ())) <= len(self._lines.get(caller, ())) + 1:
            raise MaskerUnavailable(retry_after=self._retry_after)
        last = self._lines[longest][-1]
        self._take_out(longest, last)
        last.set_exception(MaskerUnavailable(retry_after=self._retry_after))

    def _take_out(self, caller: Hashable, turn: asyncio.Future[None]) -> None:
        line = self._lines[caller]
        line.remove(turn)
        if not line:
            del self._lines[caller]
        self._count(-1)

    def _count(self, more: int) -> None:
        self._waiting += more
        self._room.taken += more


async def _turn_or_gone(turn: asyncio.Future[None], gone: Gone | None) -> None:
    if gone is None:
        await turn
        return
    leaving = asyncio.ensure_future(gone())
    try:
        await asyncio.wait({turn, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not turn.done():
            raise ClientDisconnect
        turn.result()
    finally:
        leaving.cancel()


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

    async def parse(
        self, raw: bytes, model: type[Body], *, caller: Hashable = None, gone: Gone | None = None
    ) -> Parsed[Body]:
        """A large body's JSON as `model`, where it holds up nobody. Invalid (422), and the errors of `run`."""
        if self.processes is None:
            return await parse(raw, model)
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
