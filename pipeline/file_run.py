"""A whole document in one call: the steps of a file job one after the other, for callers without queue or stores."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from pipeline import findings as finding
from pipeline import steps
from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Findings, Raster, Reading
from pipeline.sandbox import Sandbox
from pipeline.verification.reading import Leftover
from pipeline.verification.verdict import leftovers
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

MAX_ROUNDS = 2  # the second reading may find something new once; a second time the document fails
_OPTIONS = DetectOptions(strict_checksums=False)


class Redacted(NamedTuple):
    """The proven output and what was removed from the document."""

    data: bytes
    findings: Findings


class _Run(NamedTuple):
    """What every step of one document needs."""

    sandbox: Sandbox
    detector: Detector
    format: Format
    readers: ThreadPoolExecutor


def redact_document(
    sandbox: Sandbox,
    detector: Detector,
    format_: Format,
    data: bytes,
    *,
    max_pages: int,
    step: Callable[[str], None] = lambda name: None,
) -> Redacted:
    """The document without what was found in it, proven clean by a second reading; `step` hears what begins.

    StageFailed with the code that a file job would fail with.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader") as readers:
        run = _Run(sandbox, detector, format_, readers)
        step("inspect")
        steps.inspect(sandbox, format_, data, max_pages, _seconds(Stage.SNIFF))
        step("extract")
        extraction, pixels = steps.extract(sandbox, format_, data, _seconds(Stage.EXTRACT))
        step("read")
        readings = _read(run, extraction.rasters, pixels)
        found = finding.find(extraction, readings, detector, _OPTIONS)
        return _rounds(run, data, extraction, readings, found, step)


def _rounds(
    run: _Run,
    data: bytes,
    extraction: Extraction,
    readings: tuple[Reading, ...],
    found: Findings,
    step: Callable[[str], None],
) -> Redacted:
    for _ in range(MAX_ROUNDS):
        step("redact")
        output = steps.redact(run.sandbox, run.format, data, found, readings, _seconds(Stage.REDACT))
        step("verify")
        left = _left(run, output, found)
        if not left:
            return Redacted(output, found)
        found = finding.merge(found, left, extraction, readings)
    raise StageFailed(ErrorCode.VERIFY_FAILED)


def _left(run: _Run, output: bytes, found: Findings) -> tuple[Leftover, ...]:
    second, pixels = steps.second_reading(run.sandbox, run.format, output, _seconds(Stage.VERIFY))
    return tuple(leftovers(second, _read(run, second.rasters, pixels), found, run.detector, _OPTIONS))


def _read(run: _Run, rasters: Sequence[Raster], pixels: dict[str, bytes]) -> tuple[Reading, ...]:
    """OCR of every raster, as many at once as there are cores."""
    seconds = _seconds(Stage.OCR)
    return tuple(
        run.readers.map(lambda raster: steps.read_raster(run.sandbox, raster, pixels[raster.id], seconds), rasters)
    )


def _seconds(stage: Stage) -> int:
    return STAGE[stage].seconds
