"""A document of which nobody can read most text fails: an output would be black."""

import pytest

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.documents.document import Extraction, Raster, Reading, TextUnit
from pipeline.legibility import is_illegible
from schemas.errors import StageFailed
from schemas.files import Format
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import Word
from tests.pipeline.sandbox.shared import shared

PAGE = Raster("page", 1240, 1754, 150)
UNREAD = tuple((100, 100 + 60 * n, 1000, 30) for n in range(20))  # 1,300 characters
FIELDS = (
    *((100 + 50 * n, 200 * row, 50, 78) for n in range(20) for row in range(3)),
    *((10 * n, 700 + 20 * row, 9, 13) for n in range(100) for row in range(2)),
)
DRAWING = (*((40 * n, 20, 10, 10) for n in range(20)), (100, 100, 300, 80))  # dashes, and a box that is no line


def word(row: int) -> Word:
    return Word(0, 60, 100, 100 + 60 * row, 1000, 30, confidence=95.0)


@pytest.mark.parametrize(
    ("words", "unread", "text", "illegible"),
    [
        ((), UNREAD, "", True),
        ((), UNREAD * 3, "", True),  # a place counts once
        ((), UNREAD[:5], "", False),  # little of it
        (tuple(map(word, range(20))), (), "", False),
        (tuple(map(word, range(10))), UNREAD[10:], "", False),
        (tuple(map(word, range(20))), UNREAD, "", True),  # words that are burned
        ((word(0),) * 60, UNREAD[1:], "", True),  # a line that follows again repeats its words
        ((), UNREAD, "text " * 200, False),
        ((), ((0, 0, 1240, 1754),), "", False),  # a picture
        ((), DRAWING, "", False),
        ((word(0),), FIELDS, "", False),  # fields of a form, and specks
    ],
)
def test_most_text_must_be_unread(words, unread, text: str, illegible: bool) -> None:
    extraction = Extraction((TextUnit("1", text),), (PAGE,))
    assert is_illegible(extraction, [Reading("page", "x" * 60, words, unread)]) is illegible


def test_a_legible_page_makes_up_for_a_part_of_another() -> None:
    other = Raster("other", PAGE.width, PAGE.height, PAGE.dpi)
    read = Reading("other", "x" * 60, tuple(map(word, range(10))))
    assert not is_illegible(Extraction((), (PAGE, other)), [Reading("page", "", (), UNREAD), read])


@pytest.mark.parametrize("fails", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_page_in_a_script_that_no_engine_reads(fails: bool) -> None:
    lines = [f"The office number {n} is open from the morning to the afternoon" for n in range(14)]
    page = papers.illegible() if fails else papers.picture(*lines, width=1200, points=10)
    try:
        redact_document(shared(), DirectDetector(Detector()), Format.PNG, papers.encoded(page), max_pages=1)
    except StageFailed as failure:
        assert fails and failure.code == "image_redact_failed"
    else:
        assert not fails
