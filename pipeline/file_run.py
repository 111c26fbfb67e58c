"""A whole document in one call: the steps of a file job one after the other, for callers without queue or stores."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from pipeline import findings as finding
from pipeline import steps
from pipeline.detect.detector import Detector
from pipeline.documents.document import Findings
from pipeline.proof import Proof
from pipeline.sandbox import Sandbox
from pipeline.second_look import MAX_ROUNDS, Said, Tools, second_look
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

_OPTIONS = DetectOptions(strict_checksums=False)


class Redacted(NamedTuple):
    """The output, what was removed from the document, the proof that nothing of it is left, and the rounds it took."""

    data: bytes
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
    step: Callable[[str], None] = lambda name: None,
) -> Redacted:
    """The document without what was found in it, proven clean by a second reading; `step` hears what begins.

    StageFailed with the code that a file job would fail with.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reader") as readers:
        tools = Tools(sandbox, detector, readers)
        step("inspect")
        steps.inspect(sandbox, format_, data, max_pages, _seconds(Stage.SNIFF))
        step("extract")
        extraction, pixels = steps.extract(sandbox, format_, data, _seconds(Stage.EXTRACT))
        step("read")
        readings = steps.read_rasters(sandbox, readers, extraction.rasters, pixels, _seconds(Stage.OCR))
        said = Said(extraction, readings, finding.find(extraction, readings, detector, _OPTIONS))
        return _rounds(tools, format_, data, said, step)


def _rounds(tools: Tools, format_: Format, data: bytes, said: Said, step: Callable[[str], None]) -> Redacted:
    for number in range(1, MAX_ROUNDS + 1):
        step("redact")
        output = steps.redact(tools.sandbox, format_, data, said.findings, said.readings, _seconds(Stage.REDACT))
        step("verify")
        looked = second_look(tools, format_, output, said, _OPTIONS)
        if isinstance(looked, Proof):
            return Redacted(output, said.findings, looked, number)
        said = looked
    raise StageFailed(ErrorCode.VERIFY_FAILED)


def _seconds(stage: Stage) -> int:
    return STAGE[stage].seconds
