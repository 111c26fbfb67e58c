"""A person whom one script names in full is found by a part of the name in the other script, too."""

import time

import pytest

from pipeline.detect.detector import Detector
from pipeline.detect.mentions import PersonMentions

ARABIC = "محمد العتيبي"
LATIN = "Mohammed Alotaibi"


@pytest.fixture(scope="module")
def fast() -> Detector:
    return Detector(names="fast")


def mentions(text: str, *names: str) -> list[tuple[str, set[int]]]:
    people = PersonMentions(enumerate(names))
    return [(text[start:end], set(owners)) for start, end, owners in people.mentions_in(text)]


def surfaces(text: str, *names: str) -> list[str]:
    return [surface for surface, _ in mentions(text, *names)]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (ARABIC, "Please ask Mr. Otaibi to sign.", ["Otaibi"]),
        (ARABIC, "We met Al-Otaibi there, and Otaibi's car.", ["Al-Otaibi", "Otaibi"]),
        (ARABIC, "Signed: Mohammed Alotaibi", ["Mohammed Alotaibi"]),
        (ARABIC, "Alotaibi, Mohammed", ["Alotaibi, Mohammed"]),
        (ARABIC, "Otaibi, M.", ["Otaibi, M"]),
        (ARABIC, "M. Al Otaiby wrote", ["M. Al Otaiby"]),
        (ARABIC, "Mr. Al-Utaybi wrote", ["Al-Utaybi"]),
        (ARABIC, "then mohammed called", ["mohammed"]),
        ("عبد الرحمن القحطاني", "Abdul Rahman came with Abd al-Rahman", ["Abdul Rahman", "Abd al-Rahman"]),
        ("عبدالرحمن القحطاني", "Dear Abdurrahman Kahtani,", ["Abdurrahman Kahtani"]),
        ("سعد الدوسري", "Sa'ad Dossary called", ["Sa'ad Dossary"]),
        ("درخبيش الغنظري", "We saw Darkhabish there. Mr. Ghanzari, too.", ["Darkhabish", "Ghanzari"]),
        (LATIN, "اتصل العتيبي أمس", ["العتيبي"]),
        (LATIN, "قال محمد ذلك", ["محمد"]),
        (LATIN, "كتب السيد محمد العتيبي", ["محمد العتيبي"]),
        (LATIN, "السلام على العتيبي والعتيبي", ["العتيبي", "العتيبي"]),
        ("Abdul Rahman Kahtani", "سلّم لعبدالرحمن ثم عبد الرحمن بالقحطاني", ["عبدالرحمن", "عبد الرحمن", "القحطاني"]),
    ],
)
def test_a_part_in_the_other_script(name: str, text: str, found: list[str]) -> None:
    assert surfaces(text, name) == found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (ARABIC, "Mohair is cheap. The tab is open. He mowed. Mr. Tibbi"),
        ("سعد نور", "He said so. Sad news. Mr. Sided stood near. Near the end"),
        ("خالد سالم", "cold. Cold days. The Slim and Mr. Solomon"),
        ("علي القحطاني", "The Lo road, all of it. Ola and Lo sang."),
        ("سمر مطر", "Summer matters. In Summer the Motor and the Matter"),
        ("صهيب سرور", "the Server and the Ship"),
        (ARABIC, "King Khalid Street, Otaibi Hospital"),
        (ARABIC, "mail otaibi@example.com, https://example.com/otaibi"),
        (ARABIC, "محمدOtaibi Otaibiمحمد"),
        (LATIN, "حمد وعتاب محمود عتبي"),
        (LATIN, "شارع العتيبي"),
    ],
)
def test_other_words(name: str, text: str) -> None:
    assert surfaces(text, name) == []


def test_two_consonants_count_beside_another_part() -> None:
    """`هيل` has two, and no lexicon has it."""
    assert surfaces("Mr. Heel came", "هيل درخبيش") == []
    assert surfaces("Heel Darkhabish came", "هيل درخبيش") == ["Heel Darkhabish"]


def test_whose_mention_it_is() -> None:
    sara = "سارة العتيبي"
    assert mentions("Al-Otaibi came", ARABIC, sara) == [("Al-Otaibi", {0, 1})]
    assert mentions("Sara Otaibi came", ARABIC, sara) == [("Sara Otaibi", {1})]
    assert mentions("S. Otaibi came", ARABIC, sara) == [("S. Otaibi", {1})]


def test_a_name_in_its_own_script_comes_first() -> None:
    assert mentions("Alotaibi أو العتيبي", ARABIC, LATIN) == [("Alotaibi", {1}), ("العتيبي", {0})]


def test_the_owner_of_one_word_and_of_a_full_name() -> None:
    assert PersonMentions([(0, ARABIC)]).owner("Otaibi") == 0
    assert PersonMentions([(0, ARABIC)]).owner("Mohammed Otaibi") == 0
    assert PersonMentions([(0, ARABIC)]).owner("Khalid Otaibi") is None
    assert PersonMentions([(0, ARABIC), (1, LATIN)]).owner(ARABIC) == 0
    assert PersonMentions([(0, ARABIC), (1, LATIN)]).owner(LATIN) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"Dear Mr. {LATIN},\n\nthe contract is ready.\n\nنأمل أن يوقع العتيبي العقد غدا.", "العتيبي"),
        (f"سعادة السيد {ARABIC} المحترم،\n\nالعقد جاهز.\n\nWe hope that Mr. Otaiby signs it tomorrow.", "Otaiby"),
    ],
)
def test_a_letter_in_two_languages(fast: Detector, text: str, part: str) -> None:
    assert part in [text[span.start : span.end] for span in fast.detect(text).spans if span.type == "PERSON"]


def test_many_people_and_long_words_take_linear_time() -> None:
    letters = "بتثجحخدذرزسشصضطظغفقكلمن"
    given = [f"{a}{b}ي{c}" for a in letters for b in letters for c in letters]
    people = PersonMentions((n, f"{name} ال{name[::-1]}ي") for n, name in enumerate(given[:10_000]))
    words = ["Khalid", "Tiseed", "Dhasheer", "Saddeed", "ktb" + "a" * 10_000, "كتب" + "ا" * 10_000, "t" * 10_000]

    def seconds(repeats: int) -> float:
        text = " . ".join(words * repeats)
        began = time.process_time()
        people.mentions_in(text)
        return time.process_time() - began

    seconds(1)
    assert seconds(40) < 10 * max(seconds(10), 0.05)
