"""Verifies a redacted document that other libraries have read: the verdict searches what they read for leftovers.

The result is a proof, or the input of another redaction round.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pipeline import stages
from pipeline.document_detection.caged import DocumentDetector
from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.entities.output_name import without_name
from pipeline.entities.proof import Proof, proof
from pipeline.sandbox.parent import Sandbox
from pipeline.verification.doubtful_numbers import numbers_in_doubt
from pipeline.verification.raster_matching import counterparts
from pipeline.verification.reading import SecondReading
from pipeline.verification.remedy import with_leftovers_burned
from pipeline.verification.unread_lines import lines_in_doubt
from schemas.errors import ErrorCode, StageFailed
from schemas.spans import DetectOptions

MAX_ROUNDS = 2  # the second reading may find new values once; if it does so again, the document fails


class ReadingTools(NamedTuple):
    """What all stages work with."""

    sandbox: Sandbox
    detector: DocumentDetector


class FirstReading(NamedTuple):
    """The extraction and the OCR readings of the input document, and its findings."""

    extraction: Extraction
    readings: Sequence[Reading]
    findings: Findings


def verify_candidate(
    tools: ReadingTools,
    candidate: bytes,
    first: FirstReading,
    second: SecondReading,
    again: Sequence[Reading],
    options: DetectOptions,
    *,
    is_last: bool,
) -> FirstReading | Proof:
    """The proof if the candidate is clean; else the first reading with the leftovers added for another round.

    `second` is the candidate as other libraries read it, `again` what other engines read in its rasters.
    A leftover of uncertain OCR is burned if its box is known. In the last round it is ignored, because each new box
    makes OCR misread something else; so are a number beside ink that was burned unread, or that the first reading read
    otherwise, and a line that nobody read. A barcode or matrix code that nobody could read is burned too. StageFailed
    if a code still cannot be read: then it cannot be proven clean.
    """
    unread = {reading.raster: reading.unread for reading in again if reading.unread}
    remaining = tools.detector.leftovers(second, again, without_name(first.findings), options)
    matches = counterparts(first.extraction.rasters, second.rasters, (*first.readings, *again))
    both = matches, first.readings, second.rasters, again
    # Not in the last round: each box that is burned has new neighbours.
    in_doubt = {} if is_last else numbers_in_doubt(*both)
    overlooked = {} if is_last else lines_in_doubt(*both)
    kinds = (unread, in_doubt, overlooked)
    to_burn = {raster: [box for kind in kinds for box in kind.get(raster, ())] for raster in set().union(*kinds)}
    readings_with_burned = with_leftovers_burned(*both, remaining, to_burn)
    if unread and (is_last or readings_with_burned == tuple(first.readings)):
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    certain = [leftover for leftover in remaining if leftover.sure]
    if not certain and not to_burn and (is_last or readings_with_burned == tuple(first.readings)):
        engines = stages.ocr_engines(tools.sandbox) if first.extraction.rasters or second.rasters else ()
        return proof(candidate, first.extraction, first.findings, second, engines)
    findings = first.findings
    if certain:
        findings = tools.detector.merge(findings, certain, first.extraction, first.readings, options)
    return FirstReading(first.extraction, readings_with_burned, findings)
