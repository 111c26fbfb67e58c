"""The steps of a file job as typed calls into the sandbox: what workers and the command line use.

Every step raises StageFailed with the job's error code. Whatever comes back from the child is checked here.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from typing import Any, TypeVar

from pipeline.codec import MAX_PAGES, Malformed, decode, decode_reader, dump, encode
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from pipeline.sandbox.parent import ChildFailed, ChildTimeout, Sandbox
from pipeline.verification.reading import SecondReading
from schemas.errors import ErrorCode, StageFailed

T = TypeVar("T")
Answer = tuple[dict[str, Any], dict[str, bytes]]
_ASKING_SECONDS = 20


def inspect(sandbox: Sandbox, format_: str, data: bytes, max_pages: int, seconds: float) -> int:
    """Billed pages of a document that opens, else `unsupported_format`; `too_many_pages` past `max_pages`."""
    failed = ErrorCode.UNSUPPORTED_FORMAT
    meta, _ = _call(sandbox, "inspect", {"format": format_}, {"data": data}, seconds, failed)
    pages = meta.get("pages")
    if type(pages) is not int or not 0 <= pages <= MAX_PAGES:
        raise StageFailed(failed)
    if pages > max_pages:
        raise StageFailed(ErrorCode.TOO_MANY_PAGES)
    return pages


def extract(sandbox: Sandbox, format_: str, data: bytes, seconds: float) -> tuple[Extraction, dict[str, bytes]]:
    """Everything the document says, and the pixels of its rasters by raster id; else `unsupported_format`."""
    failed = ErrorCode.UNSUPPORTED_FORMAT
    meta, pixels = _call(sandbox, "extract", {"format": format_}, {"data": data}, seconds, failed)
    extraction = _decoded(Extraction, meta, failed)
    _match(extraction.rasters, pixels, failed)
    return extraction, pixels


def read_raster(sandbox: Sandbox, raster: Raster, pixels: bytes, seconds: float) -> Reading:
    """What OCR reads in one raster; else `image_redact_failed`."""
    failed = ErrorCode.IMAGE_REDACT_FAILED
    meta, _ = _call(sandbox, "read_raster", {"raster": encode(raster)}, {"pixels": pixels}, seconds, failed, forks=True)
    reading = _decoded(Reading, meta, failed)
    boxes = [(word.left, word.top, word.width, word.height) for word in reading.words]
    inside = all(
        left + width <= raster.width and top + height <= raster.height
        for left, top, width, height in (*boxes, *reading.unread)
    )
    if reading.raster != raster.id or not inside:
        raise StageFailed(failed)
    return reading


def read_rasters(
    sandbox: Sandbox,
    readers: Executor,
    rasters: Sequence[Raster],
    pixels: Mapping[str, bytes],
    seconds: float,
    *,
    heard: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Reading, ...]:
    """OCR of every raster, as many at once as `readers` has threads; `seconds` for each.

    `heard` is told before the first and after each, in order, how many of how many are done.
    """
    found: list[Reading] = []
    heard(0, len(rasters))
    for reading in readers.map(lambda raster: read_raster(sandbox, raster, pixels[raster.id], seconds), rasters):
        found.append(reading)
        heard(len(found), len(rasters))
    return tuple(found)


@lru_cache(maxsize=4)
def ocr_engine(sandbox: Sandbox) -> str:
    """What reads rasters, with its version: `tesseract 5.3.0`; asked once per sandbox."""
    failed = ErrorCode.IMAGE_REDACT_FAILED
    meta, _ = _call(sandbox, "ocr_engine", {}, {}, _ASKING_SECONDS, failed, forks=True)
    try:
        return decode_reader(meta.get("engine"))
    except Malformed:
        raise StageFailed(failed) from None


def redact(
    sandbox: Sandbox, format_: str, data: bytes, findings: Findings, readings: Sequence[Reading], seconds: float
) -> bytes:
    """The document without what was found; else `redaction_incomplete` or `image_redact_failed`."""
    failed = ErrorCode.REDACTION_INCOMPLETE
    blobs = {"data": data, "findings": dump(findings)}
    blobs.update((f"reading:{number}", dump(reading)) for number, reading in enumerate(readings))
    _, results = _call(sandbox, "redact", {"format": format_}, blobs, seconds, failed)
    if results.keys() != {"data"} or (not results["data"] and data):
        raise StageFailed(failed)
    return results["data"]


def second_reading(
    sandbox: Sandbox, format_: str, data: bytes, seconds: float
) -> tuple[SecondReading, dict[str, bytes]]:
    """What an output still says, by other libraries, and the pixels of its rasters; else `verify_failed`."""
    failed = ErrorCode.VERIFY_FAILED
    meta, pixels = _call(sandbox, "second_reading", {"format": format_}, {"data": data}, seconds, failed)
    second = _decoded(SecondReading, meta, failed)
    _match(second.rasters, pixels, failed)
    return second, pixels


def _call(
    sandbox: Sandbox,
    verb: str,
    meta: Mapping[str, Any],
    blobs: Mapping[str, bytes],
    seconds: float,
    failed: str,
    *,
    forks: bool = False,
) -> Answer:
    try:
        return sandbox.call(verb, meta, blobs, seconds, forks=forks)
    except ChildTimeout:
        raise StageFailed(ErrorCode.TIMEOUT) from None
    except ChildFailed:
        raise StageFailed(failed) from None


def _decoded(kind: type[T], meta: object, failed: str) -> T:
    try:
        return decode(kind, meta)
    except Malformed:
        raise StageFailed(failed) from None


def _match(rasters: Sequence[Raster], pixels: Mapping[str, bytes], failed: str) -> None:
    if {raster.id for raster in rasters} != pixels.keys():
        raise StageFailed(failed)
