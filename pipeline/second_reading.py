"""The second look at a redacted document: other libraries read it, the verdict judges; a proof, or what to amend."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import NamedTuple

from pipeline import stages
from pipeline.detect.detector import Detector
from pipeline.detect.text.equivalence import canonical
from pipeline.documents.document import Extraction, Findings, FoundValue, Reading
from pipeline.entities import findings as finding
from pipeline.entities.output_name import without_name
from pipeline.entities.proof import Proof, proof
from pipeline.entities.values import is_distinctive
from pipeline.sandbox.parent import Sandbox
from pipeline.verification.reading import Leftover, SecondReading
from pipeline.verification.remedy import with_leftovers_burned
from pipeline.verification.verdict import leftovers
from schemas.entities import EntityType
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

MAX_ROUNDS = 2  # the second look may find something new once; a second time the document fails
_WORD = re.compile(r"\S*\w\S*")
_FORESIGHT = 3  # how often texts are judged again without what was left in them


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
    is_last: bool,
    heard: Callable[[int, int], None] = lambda done, of: None,
) -> Said | Proof:
    """The proof when the candidate is clean; else the first look again with what must be removed besides.

    What OCR only guesses is burned where its place is known; in the last round it is no reason to refuse any more, for
    every further box lets OCR guess anew. `heard` is told how many of the candidate's rasters are read.

    StageFailed when it cannot be read: what cannot be read cannot be proven clean.
    """
    second, pixels = stages.second_reading(tools.sandbox, format_, candidate, STAGE[Stage.VERIFY].seconds)
    seconds = STAGE[Stage.OCR].seconds
    readings = stages.read_rasters(tools.sandbox, tools.readers, second.rasters, pixels, seconds, heard=heard)
    left = _leftovers(second, readings, without_name(first.findings), tools.detector, options)
    burned = with_leftovers_burned(first.extraction.rasters, first.readings, second.rasters, readings, left)
    sure = [leftover for leftover in left if leftover.sure]
    if not sure and (is_last or burned == tuple(first.readings)):
        engine = stages.ocr_engine(tools.sandbox) if first.extraction.rasters or second.rasters else ""
        return proof(candidate, first.extraction, first.findings, second, engine)
    merged = finding.merge(first.findings, sure, first.extraction, first.readings, options) if sure else first.findings
    return Said(first.extraction, burned, merged)


def _leftovers(
    second: SecondReading,
    readings: Sequence[Reading],
    findings: Findings,
    detector: Detector,
    options: DetectOptions,
) -> tuple[Leftover, ...]:
    """What is left, and what will be once that is gone: behind a first name that goes, the last one stands alone.

    The next round knows what is new in this one, and refuses it by its parts and in other spellings as well.
    """
    left = leftovers(second, readings, findings, detector, options)
    found, new = {(item.type, item.surface): item for item in left}, left
    for _ in range(_FORESIGHT):
        if not new:
            break
        second, readings = _without(second, readings, new)
        findings = Findings(findings.places, (*findings.values, *(_value(item) for item in new if item.sure)))
        foreseen = leftovers(second, readings, findings, detector, options)
        new = tuple(item for item in foreseen if (item.type, item.surface) not in found)
        found.update(((item.type, item.surface), item) for item in new)
    return tuple(found.values())


def _value(leftover: Leftover) -> FoundValue:
    """The value as which the next round knows a leftover."""
    type_, surface = EntityType(leftover.type), leftover.surface
    return FoundValue(leftover.type, surface, canonical(type_, surface), "", is_distinctive(type_, surface))


def _without(
    second: SecondReading, readings: Sequence[Reading], left: Sequence[Leftover]
) -> tuple[SecondReading, Sequence[Reading]]:
    """The texts of a second reading as they will be without the words of `left`; signs beside them stay.

    Readings get blanks for letters, for they know where their words stand.
    """
    surfaces = sorted({item.surface for item in left}, key=len, reverse=True)
    pattern = re.compile("|".join(r"\s+".join(map(re.escape, surface.split())) for surface in surfaces))

    def drawn_together(text: str) -> str:
        return pattern.sub(lambda match: " ".join(_WORD.sub("", match[0]).split()), text)

    def blanked(text: str) -> str:
        return pattern.sub(lambda match: _WORD.sub(lambda word: " " * len(word[0]), match[0]), text)

    texts = tuple(replace(passage, text=drawn_together(passage.text)) for passage in second.texts)
    return replace(second, texts=texts), [replace(reading, text=blanked(reading.text)) for reading in readings]
