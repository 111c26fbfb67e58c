"""On a form handwritten numbers go like printed ones; photographs, stamps and the text of the form stay."""

import numpy as np
import pytest

from benchmarks.scans.score import characters_left
from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from schemas.files import Format
from tests.pipeline.documents import papers
from tests.pipeline.ocr.forms.form import form
from tests.pipeline.ocr.forms.handwriting import Box
from tests.pipeline.sandbox.shared import shared

FORMS = [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(1, 12))]
CHANGED = 60  # gray levels


def corners(box: Box) -> np.ndarray:
    left, top, right, bottom = box
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)


def share_kept(before: np.ndarray, after: np.ndarray, box: Box) -> float:
    """The share of the ink in a box that is as it was."""
    left, top, right, bottom = box
    was, now = (image[top:bottom, left:right].astype(int) for image in (before, after))
    return float((np.abs(was - now) < CHANGED)[was < 200].mean())


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("number", FORMS)
@pytest.mark.slow
def test_numbers_go_whoever_wrote_them_and_the_rest_stays(detector: Detector, number: int) -> None:
    drawn = form(number)
    data = papers.encoded(drawn.pixels)
    done = redact_document(shared(), DirectDetector(detector), Format.PNG, data, max_pages=1)
    output = papers.decoded(done.data)
    for value, box in drawn.values.items():
        assert sum(map(bool, characters_left(drawn.pixels, output, corners(box), len(value)))) <= 1, value
    for box in (*drawn.lines, drawn.photograph, drawn.stamp):
        assert share_kept(drawn.pixels, output, box) > 0.97
    assert share_kept(drawn.pixels, output, drawn.signature) > 0.5  # of one that looks like letters, parts go
