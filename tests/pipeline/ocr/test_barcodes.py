"""What is located as a code that nobody can read is burned, unless it is a part of a word that is surely read."""

import pytest

from pipeline.documents.document import Reading, Word
from pipeline.documents.raster.codes.reader import Codes
from pipeline.ocr.barcodes import with_codes
from tests.pipeline.documents import papers
from tests.pipeline.ocr.test_recognition import read

BOX = (100, 50, 40, 36)


def test_even_letters_with_serifs_are_no_code() -> None:
    assert (
        read(papers.picture("Approved by the head of the office", "Signed at the branch in the morning")).unread == ()
    )


@pytest.mark.parametrize(
    ("word", "is_burned"),
    [
        (Word(0, 3, 90, 46, 56, 44, 97.0), False),
        (Word(0, 3, 90, 46, 56, 44, 80.0), True),  # not sure
        (Word(0, 3, 99, 46, 42, 44, 97.0), True),  # no longer than the modules
        (Word(0, 3, 90, 46, 46, 44, 97.0), True),  # ends before them
        (Word(0, 3, 90, 46, 56, 60, 97.0), True),  # of larger letters
    ],
)
def test_located_modules_in_a_word(word: Word, is_burned: bool) -> None:
    reading = with_codes(Reading("page", "the", (word,), ()), Codes((), (BOX,)), (200, 300))
    assert reading.unread == ((BOX,) if is_burned else ())
