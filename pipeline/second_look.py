"""The second look at a redacted document: other libraries read it, the verdict judges; a proof, or what to amend."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

from pipeline import findings as finding
from pipeline import steps
from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.output_name import without_name
from pipeline.proof import Proof, proof
from pipeline.sandbox import Sandbox
from pipeline.verification.remedy import burned_too
from pipeline.verification.verdict import leftovers
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

MAX_ROUNDS = 4  # what is removed may show something new to the second look, or to OCR; one that finds no end fails


class Tools(NamedTuple):
    """What reads and judges; `readers` runs as many OCR children at once as it has threads."""

    sandbox: Sandbox
    detector: Detector
    readers: Executor


class Said(NamedTuple):
    """What the document said at the first look, and what was found in it."""

    extraction: Extraction
    readings: Sequence[Reading]
    findings: Findings


def second_look(
    tools: Tools,
    format_: Format,
    candidate: bytes,
    first: Said,
    options: DetectOptions,
    *,
    heard: Callable[[int, int], None] = lambda done, of: None,
) -> Said | Proof:
    """The proof when the candidate is clean; else the first look again with what must be removed besides.

    `heard` is told how many of the candidate's rasters are read.

    StageFailed when it cannot be read: what cannot be read cannot be proven clean.
    """
    second, pixels = steps.second_reading(tools.sandbox, format_, candidate, STAGE[Stage.VERIFY].seconds)
    seconds = STAGE[Stage.OCR].seconds
    readings = steps.read_rasters(tools.sandbox, tools.readers, second.rasters, pixels, seconds, heard=heard)
    left = leftovers(second, readings, without_name(first.findings), tools.detector, options)
    if not left:
        engine = steps.ocr_engine(tools.sandbox) if first.extraction.rasters or second.rasters else ""
        return proof(candidate, first.extraction, first.findings, second, engine)
    merged = finding.merge(first.findings, left, first.extraction, first.readings, options)
    burned = burned_too(first.extraction.rasters, first.readings, second.rasters, readings, left)
    return Said(first.extraction, burned, merged)
