"""Synthetic replacement: nothing of a value stays, no check digit holds, and a person keeps one name."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.detect.text.checksums import luhn, mod97
from pipeline.detect.text.equivalence import canonical, compact_form
from pipeline.transform.redact import redact
from pipeline.transform.synthetic.choices import synthetic_key
from pipeline.transform.synthetic.people import People, genders
from schemas.entities import RANK, EntityType
from schemas.spans import Detection, Span

T = EntityType
KEY = synthetic_key("a key of a test")
TODAY = date(2026, 1, 1)


def detection(*pieces: str | tuple[T, str]) -> Detection:
    """A detection of text pieces and values between them."""
    text, spans = "", []
    for piece in pieces:
        type_, value = (None, piece) if isinstance(piece, str) else piece
        if type_ is not None:
            spans.append(Span(len(text), len(text) + len(value), type_, 1.0, "test", RANK[type_]))
        text += value
    return Detection(text, tuple(spans))


def replaced(*pieces: str | tuple[T, str], key: bytes = KEY) -> list[str]:
    """The stand-in of every value, which must have one."""
    made = redact(detection(*pieces), (), TODAY, key)
    assert len(made.synthetic) == sum(not isinstance(piece, str) for piece in pieces), made.text
    return [made.text[place.start : place.end] for place in made.synthetic]


@pytest.mark.parametrize(
    ("type_", "value", "shape", "check"),
    [
        (T.NATIONAL_ID, "1058374925", r"1[0-9]{9}", luhn),
        (T.NATIONAL_ID, "1058-374-925", r"1[0-9]{3}-[0-9]{3}-[0-9]{3}", luhn),
        (T.NATIONAL_ID, "١٠٥٨٣٧٤٩٢٥", r"١[٠-٩]{9}", luhn),
        (T.RESIDENCE_PERMIT, "2058374926", r"2[0-9]{9}", luhn),
        (T.CREDIT_CARD, "4111 1111 1111 1111", r"4[0-9]{3}( [0-9]{4}){3}", luhn),
        (T.IBAN, "SA03 8000 0000 6080 1016 7519", r"SA[0-9]{2}( [0-9]{4}){5}", mod97),
    ],
)
def test_numbers_keep_their_layout_and_fail_their_check(type_: T, value: str, shape: str, check: object) -> None:
    assert callable(check)
    for number in range(200):
        (made,) = replaced((type_, value), key=synthetic_key(str(number)))
        assert re.fullmatch(shape, made)
        assert not check(canonical(type_, made))


@pytest.mark.parametrize(
    ("type_", "value", "shape"),
    [
        (T.PHONE_NUMBER, "0501234567", r"052[0-9]{7}"),
        (T.PHONE_NUMBER, "+966 55 123 4567", r"\+966 52 [0-9]{3} [0-9]{4}"),
        (T.PHONE_NUMBER, "00966551234567", r"0096652[0-9]{7}"),
        (T.PHONE_NUMBER, "٠٥٠-١٢٣-٤٥٦٧", r"٠٥٢-[٠-٩]{3}-[٠-٩]{4}"),
        (T.PHONE_NUMBER, "551234567", r"52[0-9]{7}"),
        (T.PHONE_NUMBER, "+44 20 7946 0018", r"\+44 [0-9]{2} [0-9]{4} [0-9]{4}"),
        (T.EMAIL_ADDRESS, "noura@mail.sa", r"[a-z'-]+[0-9]{4}@example\.(com|org|net)"),
        (T.IP_ADDRESS, "10.2.3.4", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.[0-9]{1,3}"),
        (T.IP_ADDRESS, "fe80::1", r"2001:db8::[0-9a-f]+:[0-9a-f]+"),
        (T.SSN, "123-45-6789", r"666-[0-9]{2}-[0-9]{4}"),
        (T.PASSPORT, "A12345678", r"[A-Z][0-9]{8}"),
        (T.VEHICLE_PLATE, "أ ب ح 1234", r"([ابحدرسصطعقكلمنهوى] ){3}[0-9]{4}"),
        (T.VEHICLE_PLATE, "ABD 1234", r"[ABDEGHJKLNRSTUVXZ]{3} [0-9]{4}"),
        (T.API_KEY, "sk-ant-abc123DEF", r"sk-ant-[a-z]{3}[0-9]{3}[A-Z]{3}"),
        (T.TAX_ID, "300012345600003", r"3[0-9]{14}"),
        (T.MONETARY_AMOUNT, "SAR 12,500.00", r"SAR [1-9][0-9],[0-9]{3}\.[0-9]{2}"),
        (T.MONETARY_AMOUNT, "٥ آلاف ريال", r"[١-٩] آلاف ريال"),
        (T.DATE_TIME, "12/03/1988", r"(0[1-9]|1[0-2])/(0[1-9]|1[0-2])/19[89][0-9]"),
        (T.DATE_TIME, "March 31, 2024", r"[A-Z][a-z]+ (1[3-9]|2[0-8]), 202[0-8]"),
        (T.DATE_TIME, "١٥ رمضان ١٤٤٥ هـ", r"(١[٣-٩]|٢[٠-٨]) \w+ ١٤٤[٠-٩] هـ"),
        (T.DATE_TIME, "23:59", r"(1[2-9]|2[0-3]):[0-5][0-9]"),
        (T.ADDRESS, "2929 King Fahd Road, Riyadh 12211", r"[0-9]{4} \w+ Street, [\w' -]+ [0-9]{5}"),
        (T.ADDRESS, "٣٤٥ شارع الملك فهد، الرياض", r"[٠-٩]{4} شارع \w+، [\w ]+ [٠-٩]{5}"),
        (T.ADDRESS, "RRRD2929", r"[A-Z]{4}[0-9]{4}"),
        (T.LOCATION, "جدة", r"[\u0621-\u064a ]+"),
        (T.LOCATION, "FRANCE", r"[A-Z .]+"),
        (T.ORGANIZATION, "Al Rajhi Bank", r"\w+ Bank"),
        (T.ORGANIZATION, "مستشفى الملك فيصل", r"مستشفى \w+"),
    ],
)
def test_values_read_like_their_type(type_: T, value: str, shape: str) -> None:
    for number in range(100):
        (made,) = replaced((type_, value), key=synthetic_key(str(number)))
        assert re.fullmatch(shape, made), made
        assert canonical(type_, made) != canonical(type_, value)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (T.CUSTOM_TERM, "Project Falcon"),
        (T.MONETARY_AMOUNT, "five hundred riyals"),
        (T.MONETARY_AMOUNT, "3 hundred and five riyals"),
        (T.DATE_TIME, "the third of March"),
        (T.DATE_TIME, "3 days after Eid 2024"),
        (T.PERSON, "Мария Иванова"),
        (T.PERSON, "Noura نورة" * 40),
        (T.NATIONAL_ID, "1" * 301),
    ],
)
def test_what_might_show_through_gets_its_placeholder(type_: T, value: str) -> None:
    made = redact(detection("of ", (type_, value), "."), (), TODAY, KEY)
    assert re.fullmatch(r"of [A-Z_]+_01\.", made.text)
    assert made.synthetic == ()


def test_equal_values_have_one_stand_in_in_every_writing() -> None:
    one, two, three, other = replaced(
        (T.NATIONAL_ID, "1058374925"), " ", (T.NATIONAL_ID, "1058 374 925"), " ",
        (T.NATIONAL_ID, "١٠٥٨٣٧٤٩٢٥"), " ", (T.NATIONAL_ID, "1020304052"),
    )  # fmt: skip
    assert canonical(T.NATIONAL_ID, two) == canonical(T.NATIONAL_ID, three) == one != other


def test_a_key_decides() -> None:
    value = (T.NATIONAL_ID, "1058374925")
    assert replaced(value) == replaced("before ", value) != replaced(value, key=synthetic_key("another"))


@given(st.lists(st.from_regex(r"[0-9]{4}", fullmatch=True), min_size=1, max_size=60, unique=True))
def test_different_values_differ_and_none_is_a_value_of_the_text(values: list[str]) -> None:
    """Policies of four digits: stand-ins meet each other and the values of the text all the time."""
    text = detection(*(piece for value in values for piece in ((T.INSURANCE_POLICY, value), " ")))
    made = redact(text, (), TODAY, KEY)
    shown = [made.text[place.start : place.end] for place in made.synthetic]
    assert len(set(shown)) == len(shown)
    assert not set(shown) & set(values)


def test_a_person_keeps_one_name_in_all_mentions_and_both_scripts() -> None:
    full, arabic, first, family = replaced(
        (T.PERSON, "Noura Salem Al Harbi"), " ", (T.PERSON, "نورة سالم الحربي"), " ",
        (T.PERSON, "Noura"), " ", (T.PERSON, "AL HARBI"),
    )  # fmt: skip
    words = full.split()
    assert words[0] == first
    assert words[2].upper() == family
    assert not {"Noura", "Salem", "Al", "Harbi"} & set(words)
    people = People(KEY, ["Noura Salem Al Harbi"])
    assert people.name("Noura Salem Al Harbi", "") == full
    assert people.name("نورة سالم الحربي", "") == arabic
    assert re.fullmatch("[\u0621-\u064a]+ [\u0621-\u064a]+ [\u0621-\u064a]+", arabic)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("Abdul Aziz bin Fahd Al Harbi", r"\S+ bin \S+ \S+"),
        ("عبد العزيز بن فهد الحربي", r"\S+ بن \S+ \S+"),
        ("أم خالد", r"أم \S+"),
        ("John A. Smith", r"\S+ [A-Z]\. \S+"),
        ("NOURA ALMITHALI", r"[A-Z' -]+ [A-Z' -]+"),
        ("Dr. Noura", r"Dr\. \S+"),
    ],
)
def test_names_keep_what_connects_their_parts(name: str, shape: str) -> None:
    for number in range(50):
        (made,) = replaced((T.PERSON, name), key=synthetic_key(str(number)))
        assert re.fullmatch(shape, made), made


def test_gender_stays() -> None:
    for number in range(100):
        key = synthetic_key(str(number))
        woman, man, titled = replaced(
            (T.PERSON, "نورة"), " ", (T.PERSON, "خالد"), " السيدة ", (T.PERSON, "جوانيتا"), key=key
        )
        assert [genders()[compact_form(name)] for name in (woman, man, titled)] == ["F", "M", "F"]


def test_more_people_than_names_get_placeholders() -> None:
    """No two people share a stand-in, however many there are."""
    names = [f"{chr(97 + one)}{chr(97 + two)}qx" for one in range(26) for two in range(26)]
    made = redact(detection(*(piece for name in names for piece in ((T.PERSON, name), " "))), (), TODAY, KEY)
    shown = [made.text[place.start : place.end].lower() for place in made.synthetic]
    assert 100 < len(shown) < len(names)
    assert len(set(shown)) == len(shown)
    assert f"PERSON_NAME_{len(names) - len(shown):02d}" in made.text


def test_generalized_values_go_first() -> None:
    text = detection("due ", (T.DATE_TIME, "02/17/2025"), " for ", (T.NATIONAL_ID, "1058374925"))
    made = redact(text, (T.DATE_TIME,), TODAY, KEY)
    assert made.text.startswith("due 2025 for 1")
    assert [place.type for place in made.synthetic] == [T.NATIONAL_ID]
    assert made.generalized_count == 1
