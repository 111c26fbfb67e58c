"""Words that OCR saw are billed once, also where their line is said again in another order."""

from pipeline.documents.document import Extraction, Reading, TextUnit
from pipeline.ocr.layout.lines import with_other_digit_orders
from tests.pipeline.ocr.words import Word
from workers import stages


def test_a_line_that_is_said_again_is_billed_once() -> None:
    text = "رقم الجوال 3221 443 055\nشكرا"
    starts = [0, 4, 11, 16, 20, 24]
    words = [Word(start, start + len(text[start:].split()[0]), 50 * start, 0, 40, 20, 95.0) for start in starts]
    again = with_other_digit_orders(Reading("page/0/scan", text, tuple(words)))
    assert len(again.text) > len(text)
    unit = TextUnit("page/1", "four words of text")
    assert stages._words(Extraction((unit,)), (again,)) == 4 + 6
