"""The second reading keeps the columns of a PDF page separate after text between them was removed."""

import pymupdf
import pytest

from pipeline.documents.document import Findings, FoundValue
from pipeline.verification.pdf import reader as pdf
from tests.pipeline.documents import papers
from tests.pipeline.verification.conftest import Judge


def read(*words: tuple[float, str], size: float = 10) -> pdf.SecondReading:
    """The second reading of a page with words on one line, each at its own place."""
    document = pymupdf.open()
    page = document.new_page()
    for left, word in words:
        page.insert_text((left, 100), word, fontsize=size, fontname="helv")
    return pdf.read(papers.saved(document))[0]


def test_cells_that_lost_what_stood_between_them_say_nothing_together(judge: Judge) -> None:
    """Row five of a staff list: name, number and mobile are removed, the department stays."""
    second = read((40, "5"), (300, "HR"), (350, "7,500.00"))
    assert "5\tHR" in {passage.text.strip().partition("\t7")[0] for passage in second.texts}
    assert judge(second) == ()
    assert [left.surface for left in judge("5 HR 7,500.00")] == ["5 HR"]


def test_cells_that_all_but_touch_are_not_read_as_one_word() -> None:
    assert _says(read((40, "1"), (49.9, "Salman"), size=14), "1 Salman")


def test_a_code_that_is_shown_piece_by_piece_stays_whole() -> None:
    assert _says(read((40, "K"), (49.34, "1234567"), size=14), "K1234567")


def _says(second: pdf.SecondReading, text: str) -> bool:
    return text in {passage.text.strip() for passage in second.texts}


@pytest.mark.parametrize("step", [12, 30, 55])
def test_a_number_with_a_box_to_a_digit_is_seen(judge: Judge, step: int) -> None:
    second = read(*((40 + step * n, digit) for n, digit in enumerate("1012345672")))
    assert judge(second, _found("1012345672"))


def test_groups_of_one_number_far_apart_are_seen(judge: Judge) -> None:
    assert judge(read((40, "10123"), (300, "45672")), _found("1012345672"))


def test_groups_that_stand_to_the_left_of_the_last_one_are_of_one_line() -> None:
    """Like the digits of an Arabic line, drawn in reading order."""
    document = pymupdf.open()
    page = document.new_page()
    font = pymupdf.Font(fontfile=str(papers.DEJAVU))
    right = 400.0
    for word in ("ﻝاﻮﺠﻟا", " ", "٠٥٥١٢٣٤٥", " ", "٤٤٣١٢٣٤٥", " ", "٣٢٢١٤٥٦٧"):
        right -= font.text_length(word, 10)
        writer = pymupdf.TextWriter(page.rect)
        writer.append((right, 100), word, font=font, fontsize=10)
        writer.write_text(page)
    texts = [passage.text for passage in pdf.read(papers.saved(document))[0].texts]
    assert any("٠٥٥١٢٣٤٥ ٤٤٣١٢٣٤٥ ٣٢٢١٤٥٦٧" in text for text in texts) and not any("\t" in text for text in texts)


def _found(number: str) -> Findings:
    return Findings((), (FoundValue("NATIONAL_ID", number, number, "NATIONAL_ID_01", True),))
