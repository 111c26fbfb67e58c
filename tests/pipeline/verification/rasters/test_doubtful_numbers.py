"""Numbers that only the second reading reads are burned, whatever detection says about them."""

import pytest

from pipeline.documents.document import Raster, Reading
from tests.pipeline.ocr.words import Word
from tests.pipeline.verification.again import in_doubt

FIRST = Raster("page/0/scan", 1000, 500, 300, 0)
SECOND = Raster("page/0", 2000, 1000, 300, 0)


def test_a_number_beside_unread_ink_may_be_its_rest():
    unread = Reading("page/0/scan", "", (), ((300, 48, 80, 22),))  # pixels of the first raster, half as large
    numbers = Reading("page/0", "0535 4711 0531 12 0535 0536", (
        Word(0, 4, 500, 100, 60, 40, 95), Word(5, 9, 790, 102, 80, 40, 95), Word(10, 14, 900, 100, 60, 40, 95),
        Word(15, 17, 560, 100, 30, 40, 95), Word(18, 22, 500, 200, 60, 40, 95), Word(23, 27, 880, 100, 60, 40, 95),
    ))  # fmt: skip
    beside = in_doubt([FIRST], [unread], [SECOND], [numbers])
    assert beside == {"page/0": [(500, 100, 60, 40), (790, 102, 80, 40)]}  # not far off, short, or in another line
    nothing = Reading("page/0/scan", "", ())
    assert in_doubt([FIRST], [nothing], [SECOND], [numbers]) == {}


def doubted(first: str, second: str) -> bool:
    """Whether a number of the second reading is in doubt: the first reads the words of `first` in its place."""
    words, start = [], 0
    for place, word in enumerate(first.split()):
        words.append(Word(start, start + len(word), 200 + 60 * place, 100, 50, 20, 40))
        start += len(word) + 1
    before = Reading("page/0/scan", first, (*words, Word(0, len(first), 200, 300, 500, 20, 90)))
    after = Reading("page/0", second, (Word(0, len(second), 400, 200, 110 * 2, 40, 95),))
    return in_doubt([FIRST], [before], [SECOND], [after]) == {"page/0": [(400, 200, 220, 40)]}


@pytest.mark.parametrize("first", ["10123", "١٠١٢٣", "101 23", "23 101", "ID:10123/4", "1-0-1-2-3"])
def test_a_number_is_not_in_doubt_if_the_first_reading_has_its_digits_in_that_place(first: str):
    assert not doubted(first, "10123")
    assert not doubted(first, "١٠١٢٣")


@pytest.mark.parametrize("first", ["", "ARMY", "10223", "1012", "1O123"])
def test_a_long_number_that_the_first_reading_read_otherwise_is_in_doubt(first: str):
    assert doubted(first, "10123")


def test_a_short_number_is_not_in_doubt_alone():
    assert not doubted("2O26", "2026")


def test_a_page_without_a_counterpart_is_never_in_doubt():
    first, lone = Raster("page/0/scan", 1000, 500, 300, 0), Raster("page/7", 2000, 1000, 300, 7)
    read = Reading(lone.id, "10123", (Word(0, 5, 400, 200, 220, 40, 95),))
    assert in_doubt([first], [Reading(first.id, "", ())], [lone], [read]) == {}


def test_each_number_of_a_full_page_is_compared_with_its_own_place():
    words = tuple(Word(6 * n, 6 * n + 5, 60 * (n % 30), 18 * (n // 30), 50, 16, 90) for n in range(1500))
    one, other = (Raster(name, 2000, 1000, 300, 0) for name in ("page/0/scan", "page/0"))
    first = Reading(one.id, " ".join(f"{n:05}" for n in range(1500)), words[::-1])
    second = Reading(other.id, " ".join(f"{n + (n % 7 == 0):05}" for n in range(1500)), words)
    wrong = [(word.left, word.top, word.width, word.height) for word in words[::7]]
    assert in_doubt([one], [first], [other], [second]) == {other.id: wrong}
