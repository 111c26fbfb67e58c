"""Verification of a candidate: leftovers that appear later, and uncertain OCR in the last round."""

import pytest

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_detection.leftovers import all_leftovers
from pipeline.documents.document import Extraction, Findings, Raster, Reading, TextUnit
from pipeline.entities.proof import Proof
from pipeline.second_reading import FirstReading, ReadingTools, verify_candidate
from pipeline.verification.reading import Passage, SecondReading
from schemas.spans import DetectOptions
from tests.pipeline.ocr.words import Word
from tests.pipeline.sandbox.shared import shared

OPTIONS = DetectOptions()
FIRST = Raster("page/0/scan", 100, 100, 300, 0)
SECOND = Raster("page/0", 100, 100, 300, 0)
GUESS = Reading("page/0", "DPR £632 85.0", (Word(4, 8, 10, 10, 9, 9, 66), Word(9, 13, 30, 10, 9, 9, 95)))


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def test_parts_of_names_that_only_this_round_finds_are_foreseen(detector: Detector) -> None:
    """In the next round the name is known, and other parts of it would fail the document."""
    second = SecondReading((Passage("Dear Mr. Tarek Weldonfield,"), Passage("We met Weldonfield again, in Riyadh.")))
    left = all_leftovers(second, (), Findings(()), detector, OPTIONS)
    assert "Weldonfield" in {item.surface for item in left}


def looked(detector: Detector, reading: Reading, *, is_last: bool) -> FirstReading | Proof:
    """The verification of a scan whose second OCR pass gives `reading`."""
    extraction = Extraction((TextUnit("page/0", "", ""),), (FIRST,))
    first = FirstReading(extraction, (Reading(FIRST.id, "DPR 632 85.0", ()),), Findings(()))
    tools, second = ReadingTools(shared(), DirectDetector(detector)), SecondReading((), (SECOND,))
    return verify_candidate(tools, b"", first, second, (reading,), OPTIONS, is_last=is_last)


def test_a_guess_of_ocr_is_burned_once_and_no_finding(detector: Detector) -> None:
    again = looked(detector, GUESS, is_last=False)
    assert isinstance(again, FirstReading)
    assert again.readings[0].unread == ((8, 8, 14, 14),)
    assert again.findings == Findings(())
    assert isinstance(looked(detector, GUESS, is_last=True), Proof)


def test_what_ocr_is_sure_of_is_refused_in_the_last_round_too(detector: Detector) -> None:
    sure = Reading("page/0", "ID 1012345672", (Word(3, 13, 10, 10, 9, 9, 66),))
    assert isinstance(looked(detector, sure, is_last=True), FirstReading)
