"""Verifies a redacted document: other libraries read it, the verdict searches it for leftovers.

The result is a proof, or the input of another redaction round.
"""

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
from pipeline.verification.remedy import numbers_at_unread, with_leftovers_burned
from pipeline.verification.seen_codes import unread_codes, with_seen_codes
from pipeline.verification.verdict import leftovers
from schemas.entities import EntityType
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from schemas.spans import DetectOptions
from schemas.stages import STAGE, Stage

MAX_ROUNDS = 2  # the second reading may find new values once; if it does so again, the document fails
_WORD = re.compile(r"\S*\w\S*")
_MAX_PASSES = 3  # how often the texts are judged again with the leftovers removed


class ReadingTools(NamedTuple):
    """Sandbox, detector and OCR executor; `readers` runs as many OCR children at once as it has threads."""

    sandbox: Sandbox
    detector: Detector
    readers: Executor


class FirstReading(NamedTuple):
    """The extraction and the OCR readings of the input document, and its findings."""

    extraction: Extraction
    readings: Sequence[Reading]
    findings: Findings


def verify_candidate(
    tools: ReadingTools,
    format_: Format,
    candidate: bytes,
    first: FirstReading,
    options: DetectOptions,
    *,
    is_last: bool,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> FirstReading | Proof:
    """The proof if the candidate is clean; else the first reading with the leftovers added for another round.

    A leftover of uncertain OCR is burned if its box is known. In the last round it is ignored, because each new box
    makes OCR misread something else; so is a number beside ink that was burned unread. A barcode or matrix code that
    nobody could read is burned too. `on_progress` gets the number of read rasters of the candidate and of all.

    StageFailed if the candidate cannot be read, or if a code in it still cannot: then it cannot be proven clean.
    """
    second, pixels = stages.second_reading(tools.sandbox, format_, candidate, STAGE[Stage.VERIFY].seconds)
    seconds = STAGE[Stage.OCR].seconds
    readings = stages.read_rasters(
        tools.sandbox, tools.readers, second.rasters, pixels, seconds, again=True, on_progress=on_progress
    )
    unread = unread_codes(readings, second.codes)
    readings = with_seen_codes(readings, second.codes)
    remaining = _leftovers(second, readings, without_name(first.findings), tools.detector.by_rules, options)
    both = first.extraction.rasters, first.readings, second.rasters, readings
    # Not in the last round: each box that is burned has new neighbours.
    beside = {} if is_last else numbers_at_unread(*both)
    to_burn = {raster: [*unread.get(raster, ()), *beside.get(raster, ())] for raster in {**unread, **beside}}
    readings_with_burned = with_leftovers_burned(*both, remaining, to_burn)
    if unread and (is_last or readings_with_burned == tuple(first.readings)):
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    certain = [leftover for leftover in remaining if leftover.sure]
    if not certain and not to_burn and (is_last or readings_with_burned == tuple(first.readings)):
        engines = stages.ocr_engines(tools.sandbox) if first.extraction.rasters or second.rasters else ()
        return proof(candidate, first.extraction, first.findings, second, engines)
    merged = (
        finding.merge(first.findings, certain, first.extraction, first.readings, options) if certain else first.findings
    )
    return FirstReading(first.extraction, readings_with_burned, merged)


def _leftovers(
    second: SecondReading,
    readings: Sequence[Reading],
    findings: Findings,
    detector: Detector,
    options: DetectOptions,
) -> tuple[Leftover, ...]:
    """The leftovers, and those that appear once these are removed: a last name remains when its first name goes.

    New leftovers become found values for the next pass, so their parts and other spellings are searched as well.
    """
    remaining = leftovers(second, readings, findings, detector, options)
    known, new_ones = {(item.type, item.surface): item for item in remaining}, remaining
    for _ in range(_MAX_PASSES):
        if not new_ones:
            break
        second, readings = _with_removed(second, readings, new_ones)
        findings = replace(findings, values=(*findings.values, *(_value(item) for item in new_ones if item.sure)))
        following = leftovers(second, readings, findings, detector, options)
        new_ones = tuple(item for item in following if (item.type, item.surface) not in known)
        known.update(((item.type, item.surface), item) for item in new_ones)
    return tuple(known.values())


def _value(leftover: Leftover) -> FoundValue:
    """The leftover as a found value."""
    type_, surface = EntityType(leftover.type), leftover.surface
    return FoundValue(leftover.type, surface, canonical(type_, surface), "", is_distinctive(type_, surface))


def _with_removed(
    second: SecondReading, readings: Sequence[Reading], remaining: Sequence[Leftover]
) -> tuple[SecondReading, Sequence[Reading]]:
    """The second reading without the words of the leftovers; adjacent punctuation stays.

    In OCR readings spaces replace the letters, so that the offsets of words stay valid.
    """
    surfaces = sorted({item.surface for item in remaining}, key=len, reverse=True)
    pattern = re.compile("|".join(r"\s+".join(map(re.escape, surface.split())) for surface in surfaces))

    def shortened(text: str) -> str:
        return pattern.sub(lambda match: " ".join(_WORD.sub("", match[0]).split()), text)

    def blanked(text: str) -> str:
        return pattern.sub(lambda match: _WORD.sub(lambda word: " " * len(word[0]), match[0]), text)

    texts = tuple(replace(passage, text=shortened(passage.text)) for passage in second.texts)
    return replace(second, texts=texts), [replace(reading, text=blanked(reading.text)) for reading in readings]
