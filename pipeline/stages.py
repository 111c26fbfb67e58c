"""The stages of a file job as typed calls into the sandbox, for workers and the command line.

Every stage raises StageFailed with the error code of the job. The untrusted replies of the child are checked here.
"""

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from pipeline.codec import (
    MAX_PAGES,
    MAX_READERS,
    MAX_TEXT,
    Malformed,
    decode,
    decode_reader,
    dump,
    dump_readings,
    encode,
    integer_of,
    list_of,
    object_of,
    text_of,
)
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from pipeline.sandbox.parent import ChildFailed, ChildTimeout, Sandbox
from pipeline.verification.reading import SecondReading
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.telemetry.metrics import SANDBOX_FAILURES
from schemas.telemetry.tracing import inner_span

T = TypeVar("T")
Answer = tuple[dict[str, Any], dict[str, bytes]]
_ENGINE_SECONDS = 20
_READ_AT_ONCE = 2 * (os.cpu_count() or 1)  # rasters of one document that wait for a thread
_WITHOUT_PAGES = {Format.CSV, Format.DOCX, Format.XLSX}  # none is billed
# Threads that read one raster: for each processor, and at most. The second reading has readers of codes and lines, and
# two halves of a page, of which some wait for others.
_FIRST_THREADS, _SECOND_THREADS = (1, 2), (3, 5)
_CAUSES = ("timeout", "died", "garbage")
PREVIEW_LINES = 60  # on a page of an Office file or CSV


def inspect(sandbox: Sandbox, format_: str, data: bytes, max_pages: int, seconds: float) -> int:
    """The number of billed pages. StageFailed(unsupported_format), or (too_many_pages) for more than `max_pages`."""
    failed = ErrorCode.UNSUPPORTED_FORMAT
    meta, _ = call(sandbox, "inspect", {"format": format_}, {"data": data}, seconds, failed)
    pages = meta.get("pages")
    if type(pages) is not int or not 0 <= pages <= MAX_PAGES:
        raise StageFailed(failed)
    if pages > max_pages:
        raise StageFailed(ErrorCode.TOO_MANY_PAGES)
    return pages


def count_pages(sandbox: Sandbox, format_: str, data: bytes, max_pages: int, seconds: float) -> int:
    """`inspect`, which opens the document only if its format has pages: `extract` opens it next."""
    return 0 if format_ in _WITHOUT_PAGES else inspect(sandbox, format_, data, max_pages, seconds)


def extract(sandbox: Sandbox, format_: str, data: bytes, seconds: float) -> tuple[Extraction, dict[str, bytes]]:
    """The content of the document, and the pixels of its rasters by raster id. StageFailed(unsupported_format)."""
    failed = ErrorCode.UNSUPPORTED_FORMAT
    meta, pixels = call(sandbox, "extract", {"format": format_}, {"data": data}, seconds, failed)
    extraction = _decoded(Extraction, meta, failed)
    _check_pixels(extraction.rasters, pixels, failed)
    return extraction, pixels


def read_raster(
    sandbox: Sandbox, raster: Raster, pixels: bytes, seconds: float, *, waiting: int = 1, again: bool = False
) -> Reading:
    """The OCR reading of a raster; `again`: by the engines of the second reading. StageFailed(image_redact_failed).

    `waiting`: how many rasters of the document, this one among them, are still to be read. The last ones get the
    processors that would lie idle.
    """
    failed = ErrorCode.IMAGE_REDACT_FAILED
    verb = "read_raster_again" if again else "read_raster"
    threads = threads_of_reading(waiting, len(os.sched_getaffinity(0)), again=again)
    request = {"raster": encode(raster), "threads": threads}
    meta, _ = call(sandbox, verb, request, {"pixels": pixels}, seconds, failed, forks=True)
    reading = _decoded(Reading, meta, failed)
    boxes = [(word.left, word.top, word.width, word.height) for word in reading.words]
    inside = all(
        left + width <= raster.width and top + height <= raster.height
        for left, top, width, height in (*boxes, *reading.unread)
    )
    if reading.raster != raster.id or not inside:
        raise StageFailed(failed)
    return reading


def threads_of_reading(waiting: int, processors: int, *, again: bool) -> int:
    """With how many threads one of so many waiting rasters is read: one where many wait."""
    each, most = _SECOND_THREADS if again else _FIRST_THREADS
    return min(most, max(1, each * processors // waiting))


def read_rasters(
    sandbox: Sandbox,
    readers: Executor,
    rasters: Sequence[Raster],
    pixels: Mapping[str, bytes],
    seconds: float,
    *,
    again: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Reading, ...]:
    """The OCR readings of all rasters, as many at once as `readers` has threads; `seconds` for each.

    Few wait in `readers` at a time, so that another document's rasters come in between. `again`: by the engines of the
    second reading. `on_progress` gets the number of read rasters and of all rasters, before the first one and after
    each one.
    """
    found: list[Reading] = []
    on_progress(0, len(rasters))
    read = partial(read_raster, sandbox, seconds=seconds, again=again)
    running: deque[Future[Reading]] = deque()
    coming = enumerate(rasters)
    try:
        while True:
            for number, raster in islice(coming, _READ_AT_ONCE - len(running)):
                waiting = len(rasters) - number
                running.append(readers.submit(read, raster, pixels[raster.id], waiting=waiting))
            if not running:
                return tuple(found)
            found.append(running.popleft().result())
            on_progress(len(found), len(rasters))
    finally:
        for future in running:
            future.cancel()


@lru_cache(maxsize=4)
def ocr_engines(sandbox: Sandbox) -> tuple[str, ...]:
    """What reads rasters, with versions, for example `tesseract 5.3.0` and `zxing-cpp 3.1.1`; cached per sandbox."""
    failed = ErrorCode.IMAGE_REDACT_FAILED
    meta, _ = call(sandbox, "ocr_engines", {}, {}, _ENGINE_SECONDS, failed, forks=True)
    try:
        return tuple(decode_reader(engine) for engine in list_of(meta.get("engines"), MAX_READERS, "engines"))
    except Malformed:
        raise StageFailed(failed) from None


def redact(
    sandbox: Sandbox, format_: str, data: bytes, findings: Findings, readings: Sequence[Reading], seconds: float
) -> bytes:
    """The document without the findings. StageFailed(redaction_incomplete), or (image_redact_failed)."""
    failed = ErrorCode.REDACTION_INCOMPLETE
    blobs = {"data": data, "findings": dump(findings)}
    blobs.update(dump_readings(readings))
    _, results = call(sandbox, "redact", {"format": format_}, blobs, seconds, failed)
    if results.keys() != {"data"} or (not results["data"] and data):
        raise StageFailed(failed)
    return results["data"]


def second_reading(
    sandbox: Sandbox, format_: str, data: bytes, seconds: float
) -> tuple[SecondReading, dict[str, bytes]]:
    """The second reading of an output, and the pixels of its rasters. StageFailed(verify_failed)."""
    failed = ErrorCode.VERIFY_FAILED
    meta, pixels = call(sandbox, "second_reading", {"format": format_}, {"data": data}, seconds, failed)
    second = _decoded(SecondReading, meta, failed)
    _check_pixels(second.rasters, pixels, failed)
    return second, pixels


class Preview(NamedTuple):
    """Some pages of a document to look at, and the number of all: each as PNG bytes, or else as lines of text."""

    pages: int
    pictures: tuple[bytes, ...]
    lines: tuple[tuple[str, ...], ...]


def preview(sandbox: Sandbox, format_: str, data: bytes, first: int, count: int, seconds: float) -> Preview:
    """Pages `first` (from 0) to `first + count` of a document. StageFailed(unsupported_format)."""
    failed = ErrorCode.UNSUPPORTED_FORMAT
    request = {"format": format_, "first": first, "count": count, "lines": PREVIEW_LINES}
    meta, pictures = call(sandbox, "preview", request, {"data": data}, seconds, failed)
    try:
        pages, lines = object_of(meta, "pages", "lines")
        if len(pictures) > count:
            raise Malformed("pictures")
        return Preview(
            integer_of(pages, 0, MAX_TEXT, "pages"),
            tuple(pictures.values()),
            tuple(
                tuple(text_of(line, "line") for line in list_of(page, PREVIEW_LINES, "lines"))
                for page in list_of(lines, count, "lines")
            ),
        )
    except Malformed:
        raise StageFailed(failed) from None


def call(
    sandbox: Sandbox,
    verb: str,
    meta: Mapping[str, Any],
    blobs: Mapping[str, bytes],
    seconds: float,
    failed: str | None,
    *,
    forks: bool = False,
) -> Answer:
    """As `Sandbox.call`, but a child that fails is counted, and is StageFailed(timeout) or StageFailed(`failed`).

    With None as `failed` it is ChildFailed, and may be tried again.
    """
    try:
        with inner_span(f"sandbox {verb}"):
            return sandbox.call(verb, meta, blobs, seconds, forks=forks)
    except ChildFailed as failure:
        cause = failure.reason if failure.reason in _CAUSES else "broke"
        SANDBOX_FAILURES.labels(verb, cause).inc()
        if isinstance(failure, ChildTimeout):
            raise StageFailed(ErrorCode.TIMEOUT) from None
        if failed is None:
            raise
        raise StageFailed(failed) from None


def _decoded(kind: type[T], meta: object, failed: str) -> T:
    try:
        return decode(kind, meta)
    except Malformed:
        raise StageFailed(failed) from None


def _check_pixels(rasters: Sequence[Raster], pixels: Mapping[str, bytes], failed: str) -> None:
    if {raster.id for raster in rasters} != pixels.keys():
        raise StageFailed(failed)
