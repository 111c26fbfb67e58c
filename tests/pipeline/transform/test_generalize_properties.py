"""For any span, a generalized value reveals only a year, the name of a month, an age or the name of a place."""

import re
import unicodedata
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pipeline.detect.detector import Detector
from pipeline.transform.generalize import Generalizer
from pipeline.transform.redact import redact
from schemas.entities import CORE_TYPES, RANK, EntityType
from schemas.spans import Detection, DetectOptions, Span

TODAY = date(2026, 1, 15)
BOTH = (EntityType.DATE_TIME, EntityType.ADDRESS)
PIECES = [
    "15", "3", "03", "1990", "2024", "1446", "٢٠٢٤", "١٥", "٣", "۱۹۹۰", "/", "-", ".", " ", ", ", "March", "مارس",
    "Mar", "رمضان", "th", "of", "هـ", "م", "H", "AD", ":", "30", "pm", "Sunday", "الأحد", "\u200f", "T", "Z", "عام",
    "24", "fifteenth", "الخامس عشر",
]  # fmt: skip
ADDRESS_PIECES = [
    "Riyadh", "الرياض", "Makkah", "Road", "St", "شارع", "طريق", "حي", "7878", "١٢٣", ", ", "، ", " ", "\n",
    "Asir Region", "منطقة عسير", "P.O. Box", "\u200f", "-", "القديم", "Jeddah 23326",
]  # fmt: skip


# Digits by any other name: other scripts, superscripts, circled, Roman, tags that no eye sees, words of CJK.
ODD_DIGITS = ["१५", "𝟏𝟓", "²⁰²⁴", "₅", "⑫", "Ⅻ", "½", "〇", "三", "\U000e0031\U000e0035", "１５", "๑๕", "🄂", "𐒡"]
LABELS = ["Address: ", "العنوان: ", "DOB ", "تاريخ الميلاد ", "on ", "P.O. Box ", "ص.ب "]
DETECTOR = Detector()


def shown(surface: str, type_: EntityType, before: str) -> tuple[str, int]:
    """The replacement of a surface, and whether it was generalized."""
    span = Span(len(before), len(before) + len(surface), type_, 1.0, "any", RANK[type_])
    redacted = redact(Detection(before + surface, (span,)), BOTH, TODAY)
    return redacted.text[len(before) :], redacted.generalized_count


def digit_groups(text: str) -> list[str]:
    return [str(int(group)) for group in re.findall(r"\d+", re.sub("[\u200e\u200f]", "", text))]


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join),
    st.sampled_from(["on ", "DOB: ", "تاريخ الميلاد "]),
)
def test_a_date_shows_its_year_or_an_age_at_most(surface: str, before: str) -> None:
    value, generalized = shown(surface, EntityType.DATE_TIME, before)
    if not generalized:
        assert value == "DATE_01"
        return
    (number,) = digit_groups(value)
    if before == "on ":
        assert len(number) == 4 and number in digit_groups(surface) and not 1300 <= int(number) <= 1500
    else:
        assert 0 < int(number) < 120
        assert value in (f"age {number}", f"العمر {number} سنة") or "العمر" in value


@given(st.lists(st.sampled_from(ADDRESS_PIECES), min_size=1, max_size=12).map("".join))
def test_an_address_shows_no_digit(surface: str) -> None:
    value, generalized = shown(surface, EntityType.ADDRESS, "at ")
    assert value == "ADDRESS_01" if not generalized else not re.search(r"\d", value) and value in surface


def numbers_in(value: str) -> str:
    """All digits in a value, of every script, and tag digits."""
    return "".join(c for c in value if unicodedata.numeric(c, None) is not None or "\U000e0030" <= c <= "\U000e0039")


def assert_bare(detection: Detection) -> None:
    """No generalized value of the detection has digits other than those of its year or its age."""
    generalizer = Generalizer(detection, BOTH, TODAY)
    for span in detection.spans:
        value = generalizer.value(span)
        if value is None:
            continue
        digits = numbers_in(value)
        if span.type is EntityType.ADDRESS:
            assert digits == ""
        elif value.startswith(("age ", "العمر ")):
            assert digits.isdecimal() and 0 < int(digits) < 120
        else:
            surface = "".join(c for c in detection.text[span.start : span.end] if unicodedata.category(c) != "Cf")
            assert len(digits) == 4 and digits.isdecimal() and digits in surface and int(digits) > 1500


@given(st.lists(st.sampled_from(PIECES + ADDRESS_PIECES + ODD_DIGITS + LABELS), min_size=2, max_size=14).map("".join))
def test_no_number_of_any_script_shows_in_free_text(text: str) -> None:
    assert_bare(DETECTOR.detect(text, DetectOptions(enabled=frozenset(CORE_TYPES))))


@given(
    st.lists(st.sampled_from(PIECES + ADDRESS_PIECES + ODD_DIGITS), min_size=1, max_size=12).map("".join),
    st.sampled_from(BOTH),
    st.sampled_from(["at ", "DOB: ", "ولد في "]),
)
def test_no_number_of_any_script_shows_whatever_the_span(surface: str, type_: EntityType, before: str) -> None:
    span = Span(len(before), len(before) + len(surface), type_, 1.0, "any", RANK[type_])
    assert_bare(Detection(before + surface, (span,)))


@given(
    st.integers(1000, 9999), st.integers(10000, 99999), st.sampled_from(["٠", "۰", "０", "०", "0"]),
    st.sampled_from(
        [
            "Address: Building {0}, King Fahd Rd, Unit {1}, Riyadh {1}-{0}", "P.O. Box {0}, Jeddah {1}, Makkah Region",
            "العنوان: مبنى {0}، شارع العليا، شقة {1}، الرياض {1}", "ص.ب {0}، أبها {1}، منطقة عسير",
        ]
    ),
)  # fmt: skip
def test_no_building_box_or_postal_number_shows(building: int, postal: int, zero: str, form: str) -> None:
    digits = {ord("0") + value: ord(zero) + value for value in range(10)}
    text = form.format(building, postal).translate(digits)
    detection = DETECTOR.detect(text, DetectOptions(enabled=frozenset(CORE_TYPES)))
    assert_bare(detection)
    if zero != "०":  # Saudi addresses are found in the digits that people here write
        assert [span.type for span in detection.spans] == [EntityType.ADDRESS]
        assert numbers_in(redact(detection, BOTH, TODAY).text) == ""


@given(st.text(max_size=60), st.sampled_from(BOTH))
def test_any_surface_is_coped_with(surface: str, type_: EntityType) -> None:
    value, generalized = shown(surface, type_, "born ")
    assert generalized or value.endswith("_01")


def test_many_dates_are_each_read_with_their_own_cue() -> None:
    line, count = "DOB 15/03/1990, seen 01/02/2024\n", 20_000
    spans = tuple(
        Span(at + start, at + start + 10, EntityType.DATE_TIME, 1.0, "any", 30)
        for at in range(0, len(line) * count, len(line))
        for start in (4, 21)
    )
    redacted = redact(Detection(line * count, spans), BOTH, TODAY)
    assert redacted.text == "DOB age 35, seen 2024\n" * count
