"""Names, addresses, places and organizations in hostile texts: the work grows linearly with the text."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.detect.grammar import words as words_module
from pipeline.detect.recognizers.named_entities import LexicalRecognizer
from pipeline.detect.text.normalize import normalize
from schemas.spans import DetectOptions, Span
from tests.conftest import every

RECOGNIZER = LexicalRecognizer()
UNITS = [
    "a", "A", " ", "\n", "ا", "1", "-", "'", ".", ",", "Ahmed ", "Xyz ", "A ", "A. ", "A'b ", "al-", "Al-", "bin ",
    "محمد ", "بن ", "محمد بن ", "زعفران بن ", "ابو ", "عبد ", "الغريب ", "على ", "King ", "King Fahd ", "Ministry of ",
    "وزارة ال", "وزارة الشؤون ", "King Fahd St, ", "مبنى 1234 شارع ", "1234 ", "العنوان ", "Address: ", "الرياض ",
    "Riyadh 12345 ", "Name: ", "Name: Abc ", "اسم العميل: ", "الاسم\n", "P.O. Box ", "RHSD3394 ", "x@y.z ", "New York",
    "شركة جديدة ", "Al Al Khobar ", "\u064b", "😀",
]  # fmt: skip


class _Counted(words_module.Words):
    """Words that count the calls of their methods."""

    asked = 0

    def meaning(self, index: int) -> int:
        _Counted.asked += 1
        return super().meaning(index)

    def after(self, index: int) -> str:
        _Counted.asked += 1
        return super().after(index)


@pytest.mark.parametrize("unit", every(5, UNITS))
def test_questions_grow_linearly(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text makes at most about four times as many calls."""
    monkeypatch.setattr("pipeline.detect.recognizers.named_entities.Words", _Counted)

    def questions(size: int) -> int:
        _Counted.asked = 0
        list(RECOGNIZER.find(normalize(unit * (size // len(unit))), DetectOptions()))
        return _Counted.asked

    assert questions(24_000) <= 4.6 * questions(6_000) + 400


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.slow
def test_200_kb_of_one_thing_ends(unit: str) -> None:
    text = normalize(unit * (200_000 // len(unit)))
    for span in RECOGNIZER.find(text, DetectOptions()):
        assert 0 <= span.start < span.end <= len(text.text)


_WORDS = """
    محمد بن عبد الله ابو العتيبي الغريب وليد على شارع حي مبنى رقم العنوان الرمز البريدي ص ب وزارة جامعة الملك
    Ahmed bin Al Abdul Harbi O'Connor Xyz King Street St Rd District Bldg Unit P O Box Name is Mr Dr Riyadh US
    12345 1234 7 RHSD3394 x@y.z
"""
_PIECES = st.sampled_from(
    [*_WORDS.split(), " ", "  ", "\n", ", ", "، ", ": ", ". ", ".", "-", "'", "/", "(", "<", "😀"]
)


@settings(max_examples=300)
@given(st.lists(_PIECES | st.text(max_size=3), max_size=14), st.sampled_from(["", "Name", "العنوان", "x"]))
def test_any_mixture_gives_spans_inside_the_text(pieces: list[str], context: str) -> None:
    for text in ("".join(pieces), " ".join(pieces)):
        normalized = normalize(text)
        for span in RECOGNIZER.find(normalized, DetectOptions(context=context)):
            found = normalized.text[span.start : span.end]
            assert found
            assert found == found.strip()


def test_many_threads_find_the_same() -> None:
    text = normalize("السيد/ نايف الدوسري في الرياض and Dr. Priya Nair at King Saud University\n" * 50)

    def find(_: int) -> list[Span]:
        return list(RECOGNIZER.find(text, DetectOptions()))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(find, range(16)))
    assert all(result == results[0] for result in results)
    assert len(results[0]) >= 200


def test_no_two_findings_of_a_type_overlap_badly() -> None:
    """A labelled name found twice has the same edges, so that resolution keeps one whole name."""
    text = normalize("الاسم: نايف الدوسري\nName: Priya Nair\nالسيد/ وليد بن حمدان السفياني")
    names = {(span.start, span.end) for span in RECOGNIZER.find(text, DetectOptions()) if span.type.value == "PERSON"}
    assert len(names) == 3
