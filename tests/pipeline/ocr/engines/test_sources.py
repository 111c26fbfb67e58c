"""Each word of a reading names the engine that read it, from the line that it stands in to the text of the page."""

import numpy as np
import pytest

from pipeline.documents.document import Engine, Reading
from pipeline.documents.raster.burn import Box, burn
from pipeline.ocr import recognition
from pipeline.ocr.engines import line_recognizer
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.line_reading.agreement import put_together
from pipeline.rereading import read_again
from tests.pipeline.documents import papers
from tests.pipeline.documents.symbols import CONTENT, symbol

LABEL = "NATIONAL_ID_01"
EASTERN = "٢٠١٢٣٤٥٦٧٥"


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    """Words of both scripts with both kinds of digits, a burned box and a code."""
    lines = papers.picture("صدرت من مكتب الرياض", f"الهوية {EASTERN}", "Issued at the office 1012345672")
    code = symbol("qr")
    sheet = np.full((lines.shape[0] + code.shape[0] + 200, lines.shape[1]), 255, np.uint8)
    sheet[: len(lines)] = lines
    burn(sheet, [Box(100, len(lines) + 20, 500, len(lines) + 60, LABEL)])
    sheet[len(lines) + 100 : len(lines) + 100 + code.shape[0], 100 : 100 + code.shape[1]] = code
    return sheet


def engines(reading: Reading) -> dict[str, Engine]:
    """What read each word, by the text of the word; of words that stand in the text again, the first."""
    return {reading.text[word.start : word.end]: word.engine for word in reversed(reading.words)}


def test_the_first_reading_names_who_read_each_word(page: np.ndarray) -> None:
    found = engines(recognition.read(papers.raster(page, 200), papers.encoded(page)))
    assert found["مكتب"] == found[EASTERN] == found["Issued"] == Engine.LINE_RECOGNIZER
    assert found["1012345672"] == Engine.PP_OCR
    assert found[LABEL] == Engine.LABEL
    assert found[CONTENT["qr"]] == Engine.CODE
    assert set(found.values()) == set(Engine) - {Engine.TESSERACT, Engine.NUMBER_RECOGNIZER}


def test_the_second_reading_names_who_read_each_word(page: np.ndarray) -> None:
    found = engines(read_again(papers.raster(page, 200), papers.encoded(page)))
    assert found["مكتب"] == found["Issued"] == found["1012345672"] == Engine.TESSERACT
    assert found[EASTERN] == Engine.NUMBER_RECOGNIZER
    assert found[LABEL] == Engine.LABEL
    assert found[CONTENT["qr"]] == Engine.CODE
    assert set(found.values()) == set(Engine) - {Engine.LINE_RECOGNIZER, Engine.PP_OCR}


def test_where_our_network_reads_no_words_tesseract_does(page: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_recognizer, "words_of", lambda characters: [])
    found = engines(recognition.read(papers.raster(page, 200), papers.encoded(page)))
    assert found["مكتب"] == Engine.TESSERACT
    assert found["Issued"] == Engine.PP_OCR
    assert found[EASTERN] == Engine.LINE_RECOGNIZER


def test_the_word_that_is_chosen_keeps_its_engine() -> None:
    def read(text: str, left: float, engine: Engine, is_sure: bool) -> tuple[LineWord, bool]:
        return LineWord(text, left, left + 50, 80.0, engine), is_sure

    latin, number = read("Ahmed", 0, Engine.PP_OCR, True), read("1012", 100, Engine.LINE_RECOGNIZER, True)
    own = [read("Ahmad", 0, Engine.LINE_RECOGNIZER, True), read("مكتت", 200, Engine.LINE_RECOGNIZER, False)]
    arabic = [read("مكتب", 200, Engine.TESSERACT, True)]
    chosen = put_together([latin], [number], own, arabic)
    assert [(word.text, word.engine) for word in chosen] == [
        ("Ahmed", Engine.PP_OCR),
        ("1012", Engine.LINE_RECOGNIZER),
        ("مكتب", Engine.TESSERACT),
    ]
