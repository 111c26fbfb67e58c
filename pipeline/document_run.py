"""Redacts a whole document in one call: all stages of a file job in order, without a queue or a store."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from pipeline import stages
from pipeline.document_detection.caged import DocumentDetector
from pipeline.documents.document import Findings, Reading
from pipeline.entities.output_name import output_name, with_name, without_name
from pipeline.entities.proof import Proof
from pipeline.legibility import is_illegible
from pipeline.sandbox.parent import Sandbox
from pipeline.second_reading import MAX_ROUNDS, FirstReading, ReadingTools, verify_candidate
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

_OPTIONS = DetectOptions(strict_checksums=False)


class Progress(NamedTuple):
    """The current stage, and how many of its rasters are read (0 of 0: it has none)."""

    stage: Stage
    read: int = 0
    rasters: int = 0


ProgressListener = Callable[[Progress], None]


class Redacted(NamedTuple):
    """The output, its file name, the removed findings, the readings of OCR, the proof, and the number of rounds."""

    data: bytes
    name: str
    findings: Findings
    readings: Sequence[Reading]
    proof: Proof
    rounds: int


def redact_document(
    sandbox: Sandbox,
    detector: DocumentDetector,
    format_: Format,
    data: bytes,
    *,
    max_pages: int,
    filename: str = "",
    readers: Executor | None = None,
    on_progress: ProgressListener = lambda progress: None,
) -> Redacted:
    """The document without the findings in it and in its `filename`, proven clean by a second reading.

    `readers` runs OCR and may be shared by many documents. `on_progress` is called in this thread; an exception that it
    raises ends the run. StageFailed with the error code of a failed file job.
    """
    with _threads(readers) as threads:
        tools = ReadingTools(sandbox, detector)
        on_progress(Progress(Stage.SNIFF))
        pages = stages.count_pages(sandbox, format_, data, max_pages, STAGE[Stage.SNIFF].seconds)
        first = _first_reading(tools, threads, format_, data, pages, filename, on_progress)
        for number in range(1, MAX_ROUNDS + 1):
            on_progress(Progress(Stage.REDACT))
            found = without_name(first.findings)
            output = stages.redact(sandbox, format_, data, found, first.readings, STAGE[Stage.REDACT].limit(pages))
            on_progress(Progress(Stage.VERIFY))
            second, pixels = stages.second_reading(sandbox, format_, output, STAGE[Stage.VERIFY].limit(pages))
            again = stages.read_rasters(
                sandbox,
                threads,
                second.rasters,
                pixels,
                STAGE[Stage.REREAD].seconds,
                again=True,
                on_progress=_raster_progress(on_progress, Stage.REREAD),
            )
            is_last = number == MAX_ROUNDS
            verified = verify_candidate(tools, output, first, second, again, _OPTIONS, is_last=is_last)
            if isinstance(verified, Proof):
                name = output_name(filename, first.findings)
                return Redacted(output, name, found, first.readings, verified, number)
            first = verified
    raise StageFailed(ErrorCode.VERIFY_FAILED)


def _first_reading(
    tools: ReadingTools,
    readers: Executor,
    format_: Format,
    data: bytes,
    pages: int,
    filename: str,
    on_progress: ProgressListener,
) -> FirstReading:
    """The content of the document with its file name, the OCR readings, and the findings."""
    on_progress(Progress(Stage.EXTRACT))
    extraction, pixels = stages.extract(tools.sandbox, format_, data, STAGE[Stage.EXTRACT].limit(pages))
    readings = stages.read_rasters(
        tools.sandbox,
        readers,
        extraction.rasters,
        pixels,
        STAGE[Stage.OCR].seconds,
        on_progress=_raster_progress(on_progress, Stage.OCR),
    )
    if is_illegible(extraction, readings):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    on_progress(Progress(Stage.DETECT))
    with_filename = with_name(extraction, filename) if filename else extraction
    return FirstReading(with_filename, readings, tools.detector.find(with_filename, readings, _OPTIONS))


def _raster_progress(on_progress: ProgressListener, stage: Stage) -> Callable[[int, int], None]:
    def count(read: int, rasters: int) -> None:
        if rasters:
            on_progress(Progress(stage, read, rasters))

    return count


@contextmanager
def _threads(readers: Executor | None) -> Iterator[Executor]:
    if readers is not None:
        yield readers
        return
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader") as executor:
        yield executor
