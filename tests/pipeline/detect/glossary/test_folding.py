"""Case folding that keeps every offset: ß, sigma, the Turkish i, accents in one character or two, blanks."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.detect.glossary.folding import Folded, cased, folded, longest_source

ALPHABET = st.sampled_from("aAbBiIİıßẞσςΣÉé\u0301\u0307ﬁŋΐK\u212a \n\t\r\x0b\x1f\u2028أا٣ـ😀가\ud800")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"), ("straẞe", "strasse"), ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ", "οδοσ"), ("İstanbul", "ISTANBUL"),
        ("ıspanak", "Ispanak"), ("i\u0307stanbul", "istanbul"), ("CAFÉ", "cafe\u0301"), ("ﬁle", "FILE"),
        ("K", "\u212a"),         ("a  b", "A\nb"), ("a \r\n b", "a b"), ("a\tb", "a b"), ("Ǆ", "ǆ"),
    ],
)  # fmt: skip
def test_what_is_alike(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("cafe", "café"), ("a b", "ab"), ("a\n\nb", "a b"), ("أحمد", "احمد"), ("o", "ö"), ("a" + " " * 9 + "b", "a b")],
)
def test_what_is_not(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize("text", ["Straße", "É", "Σ"])
def test_upper_and_lower_case_apart(text: str) -> None:
    assert cased(text) != cased(text.swapcase())


@settings(max_examples=400)
@given(st.text(ALPHABET, max_size=60))
def test_every_place_leads_back(text: str) -> None:
    form = Folded(text)
    covered = 0
    for start in range(len(form.text)):
        for end in range(start + 1, min(start + 4, len(form.text)) + 1):
            source = form.source(start, end)
            if source is None:
                continue
            first, last = source
            assert 0 <= first < last <= len(text)
            assert folded(text[first:last]) == form.text[start:end] or form.text[start:end].isspace()
            assert last - first <= longest_source(form.text[start:end])
            covered += 1
    assert covered or not form.text


@settings(max_examples=200)
@given(st.text(ALPHABET, max_size=40))
def test_folding_again_changes_nothing(text: str) -> None:
    assume("\u0307\u0307" not in text)  # an i has one dot to lose
    once = folded(text)
    assert folded(once).replace(" ", "") == once.replace(" ", "")
