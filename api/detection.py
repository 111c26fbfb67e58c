"""Runs detection beside the event loop: in threads, so many at once, so many waiting, and no more."""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from pipeline.detect.detector import Detector
from schemas.errors import MaskerUnavailable
from schemas.spans import Detection, DetectOptions

T = TypeVar("T")
_RETRY_SECONDS = 1


class DetectionThreads:
    """The detector behind a bound: `concurrency` texts scanned at once, `queue` waiting, per process."""

    def __init__(self, detector: Detector, concurrency: int, queue: int) -> None:
        self._detector = detector
        self._queue = queue
        self._limiter = CapacityLimiter(concurrency)

    async def run(self, text: str, options: DetectOptions, work: Callable[[Detection], T]) -> T:
        """`work` on the detection of a text, in the same thread. MaskerUnavailable when too many are waiting."""
        statistics = self._limiter.statistics()
        if statistics.borrowed_tokens >= statistics.total_tokens and statistics.tasks_waiting >= self._queue:
            raise MaskerUnavailable(retry_after=_RETRY_SECONDS)
        return await to_thread.run_sync(lambda: work(self._detector.detect(text, options)), limiter=self._limiter)
