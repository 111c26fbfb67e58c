"""Whatever the span, a generalized value gives away nothing but a year, a month's name, an age or a place's name."""

import re
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pipeline.transform.redact import redact
from schemas.entities import RANK, EntityType
from schemas.spans import Detection, Span

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


def shown(surface: str, type_: EntityType, before: str) -> tuple[str, int]:
    """What stands in place of a surface, and whether it was generalized."""
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
