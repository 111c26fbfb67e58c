"""A reading repeats Arabic lines with their digit groups in the other order."""

import cv2

from pipeline.documents.document import Reading
from pipeline.ocr.layout.lines import with_other_digit_orders
from schemas.files import Format
from tests.hiding_places.proof import running
from tests.pipeline.documents import papers
from tests.pipeline.ocr.words import Word


def reading(text: str) -> Reading:
    """A reading whose word boxes have the index of the word."""
    words, start = [], 0
    for number, word in enumerate(text.split(" ")):
        words.append(Word(start, start + len(word), 100 * number, 0, 80, 20, 90.0))
        start += len(word) + 1
    return Reading("r", text, tuple(words))


def test_each_word_keeps_its_box_in_the_other_order() -> None:
    again = with_other_digit_orders(reading("الجوال +3221 443-12 055 مساء"))
    first, other, *_ = again.text.split("\n")
    assert first == "الجوال +3221 443-12 055 مساء"
    assert other == "الجوال +055 12-443 3221 مساء"
    by_box = {}
    for word in again.words:
        by_box.setdefault(word.left, []).append(again.text[word.start : word.end])
    assert by_box[300][:2] == ["055", "055"]
    assert by_box[200][:2] == ["443-12", "12-443"]


def test_what_has_one_order_is_said_once() -> None:
    assert with_other_digit_orders(reading("Mobile 055 443 3221")) == reading("Mobile 055 443 3221")


def test_a_phone_number_in_a_picture_is_found_by_its_groups_from_the_right() -> None:
    picture = bytes(cv2.imencode(".png", papers.picture("رقم الجوال 055 443 3221"))[1])
    found = running.run(Format.PNG, picture)
    assert found.output is not None
    assert [value.surface for value in found.findings.values] == ["055 443 3221"]
