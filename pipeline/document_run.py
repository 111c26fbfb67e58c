"""A whole document in one call: the steps of a file job one after the other, for callers without queue or stores."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from pipeline import stages
from pipeline.detect.detector import Detector
from pipeline.documents.document import Findings
from pipeline.entities import findings as finding
from pipeline.entities.output_name import output_name, with_name, without_name
from pipeline.entities.proof import Proof
from pipeline.sandbox.parent import Sandbox
from pipeline.second_reading import MAX_ROUNDS, Said, Tools, second_look
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

_OPTIONS = DetectOptions(strict_checksums=False)


class Progress(NamedTuple):
    """What is under way, and of how many pages and pictures how many OCR has read for it (0 of 0: none to be read)."""

    stage: Stage
    read: int = 0
    rasters: int = 0


Heard = Callable[[Progress], None]


class Redacted(NamedTuple):
    """The output, its name, what was removed from the document, the proof that nothing is left, the rounds it took."""

    data: bytes
    name: str
    findings: Findings
    proof: Proof
    rounds: int


def redact_document(
    sandbox: Sandbox,
    detector: Detector,
    format_: Format,
    data: bytes,
    *,
    max_pages: int,
    filename: str = "",
    readers: Executor | None = None,
    heard: Heard = lambda progress: None,
) -> Redacted:
    """The document without what was found in it, or in its `filename`, proven clean by a second reading.

    `readers` run OCR and may be shared by many documents; `heard` is told what goes on, always in this thread. What it
    raises ends the run. StageFailed with the code that a file job would fail with.
    """
    with _threads(readers) as threads:
        tools = Tools(sandbox, detector, threads)
        heard(Progress(Stage.SNIFF))
        stages.inspect(sandbox, format_, data, max_pages, _seconds(Stage.SNIFF))
        said = _first_look(tools, format_, data, filename, heard)
        for number in range(1, MAX_ROUNDS + 1):
            heard(Progress(Stage.REDACT))
            found = without_name(said.findings)
            output = stages.redact(sandbox, format_, data, found, said.readings, _seconds(Stage.REDACT))
            heard(Progress(Stage.VERIFY))
            is_last = number == MAX_ROUNDS
            count = _counting(heard, Stage.VERIFY)
            looked = second_look(tools, format_, output, said, _OPTIONS, is_last=is_last, heard=count)
            if isinstance(looked, Proof):
                return Redacted(output, output_name(filename, said.findings), found, looked, number)
            said = looked
    raise StageFailed(ErrorCode.VERIFY_FAILED)


def _first_look(tools: Tools, format_: Format, data: bytes, filename: str, heard: Heard) -> Said:
    """What the document says, its name included, and what of it is to be removed."""
    heard(Progress(Stage.EXTRACT))
    extraction, pixels = stages.extract(tools.sandbox, format_, data, _seconds(Stage.EXTRACT))
    readings = stages.read_rasters(
        tools.sandbox,
        tools.readers,
        extraction.rasters,
        pixels,
        _seconds(Stage.OCR),
        heard=_counting(heard, Stage.OCR),
    )
    heard(Progress(Stage.DETECT))
    named = with_name(extraction, filename) if filename else extraction
    return Said(named, readings, finding.find(named, readings, tools.detector, _OPTIONS))


def _counting(heard: Heard, stage: Stage) -> Callable[[int, int], None]:
    def count(read: int, rasters: int) -> None:
        if rasters:
            heard(Progress(stage, read, rasters))

    return count


@contextmanager
def _threads(readers: Executor | None) -> Iterator[Executor]:
    if readers is not None:
        yield readers
        return
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader") as own:
        yield own


def _seconds(stage: Stage) -> int:
    return STAGE[stage].seconds
