"""One page through the whole file job, in this process: output, findings and seconds."""

import os
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.document_detection.caged import CagedDetector
from pipeline.document_run import Progress, redact_document
from pipeline.documents.document import Findings, Reading
from pipeline.sandbox.parent import Sandbox
from schemas.errors import StageFailed
from schemas.files import Format
from schemas.stages import Stage

_SECONDS = 600
_MOST_PAGES = 1_000


class Done(NamedTuple):
    """What a job gave: the output or the error code, findings, readings, seconds of the OCR stage and of all stages."""

    output: bytes
    error: str
    findings: Findings
    readings: Sequence[Reading]
    ocr: float
    whole: float


@dataclass
class Jobs:
    """Runs jobs one after the other, with the warm sandbox, the detector and the threads of a worker."""

    sandbox: Sandbox = field(default_factory=lambda: Sandbox("best-effort"))
    detector: CagedDetector = field(default_factory=lambda: CagedDetector("best-effort", "accurate"))
    readers: Executor = field(default_factory=lambda: ThreadPoolExecutor(os.cpu_count() or 1))

    def __post_init__(self) -> None:
        self.sandbox.warm_parsers()
        self.sandbox.warm()

    def run(self, form: Format, data: bytes) -> Done:
        """The job of one document. A job that fails has an error code and no output."""
        began: dict[Stage, float] = {}
        started = time.perf_counter()

        def note(progress: Progress) -> None:
            began.setdefault(progress.stage, time.perf_counter())

        output, error, findings = b"", "", Findings(())
        readings: Sequence[Reading] = ()
        try:
            done = redact_document(
                self.sandbox, self.detector, form, data, max_pages=_MOST_PAGES, readers=self.readers, on_progress=note
            )
            output, findings, readings = done.data, done.findings, done.readings
        except StageFailed as failed:
            error = str(failed.code)
        ended = time.perf_counter()
        read_until = began.get(Stage.DETECT, ended)
        seconds = read_until - began.get(Stage.OCR, read_until), ended - started
        return Done(output, error, findings, readings, *seconds)


def bare_tesseract(png: bytes) -> float:
    """The seconds that Tesseract alone needs for a raster, with one thread."""
    started = time.perf_counter()
    subprocess.run(
        ["tesseract", "stdin", "stdout", "-l", "ara+eng", "--psm", "3"],
        input=png,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        capture_output=True,
        check=True,
        timeout=_SECONDS,
    )
    return time.perf_counter() - started
