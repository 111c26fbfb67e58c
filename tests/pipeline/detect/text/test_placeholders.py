"""Nothing is found in tokens and placeholders of earlier calls; values that only begin like them are found."""

from functools import cache

import pytest

from pipeline.detect.detector import Detector
from pipeline.detect.text.placeholders import find_placeholders
from schemas.entities import PREFIX, EntityType
from schemas.spans import DetectOptions

LENIENT = DetectOptions(strict_checksums=False)


@cache
def detector() -> Detector:
    return Detector()


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in detector().detect(text).spans]


EVERY = [f"{prefix}_{number}" for prefix in PREFIX.values() for number in ("01", "12", "120", "4096", "100000")] + [
    f"{opening}MASKED_{type_}_{digits}{closing}"
    for type_ in EntityType
    for opening, digits, closing in (
        *(("<", digits, ">") for digits in ("ab12cd34", "12345678", "05012345")),
        ("", "05012345", ">"),
        ("", "ab12cd34", ""),
        ("", "0501234f", ""),
        ("<", "a2345678", ""),
    )
]
AROUND = [
    "{}", "{}.", "({})", "[{}]", '"{}"', "«{}»", "{}'s", "{}’s car", "{}, {}; {}", "{}/{}", "{}|{}", "**{}**", "{}!",
    "{}:", "و{}", "ول{} التحية", "السيد {} في المكتب", "إلى {}، شكرا", "بـ{}؟", '{{"name": "{}", "age": "{}"}}',
    "{},{},25,paid", "{}\t{}\t17", "{}\n{}\n", "<p>{}</p>", "Dear {}, thank you.", "{} and {} met", "{}.pdf", "{} 12",
    "no. {} - 7",
]  # fmt: skip


@pytest.mark.parametrize("around", AROUND)
def test_what_was_taken_out_before_comes_through_whatever_stands_around_it(around: str) -> None:
    for mark in EVERY:
        text = around.replace("{}", mark).replace("{{", "{").replace("}}", "}")
        assert not detector().detect(text, LENIENT).spans, text


VALUES = [
    ("MASKED_PHONE_{}", "0501234567"),
    ("MASKED_NATIONAL_{}.pdf", "1012345672"),
    ("MASKED_NATIONAL_ID_{}", "1012345672"),
    ("<MASKED_PHONE_NUMBER_{}>", "0501234567"),
    ("<MASKED_PHONE_NUMBER_{}", "05012345 67"),
    ("MASKED_CARD_{}", "4111111111111111"),
    ("MASKED_PASSPORT_{}", "41111111 11111111"),
    ("<MASKED_PERSON_ab12cd34>{}", "1012345672"),
    ("<MASKED_PERSON_ab12cd34>,{}", "1012345672"),
    ("{}", "MASKED_EMAIL_deadbeef@example.com"),
    ("{}", "MASKED_EMAIL_ADDRESS_ab12cd34@example.com"),
    ("{}", "PERSON_NAME_01@example.com"),
    ("{}", "EMAIL_01.noura@example.com"),
    ("{}", "EMAIL_01+x@example.com"),
    ("IP_{}", "10.23.45.67"),
    ("IP_{}", "2001:16a2:c0ff::10"),
    ("PHONE_{}", "0501234567"),
    ("PHONE_{}", "966 50 123 4567"),
    ("PHONE_{}", "966\u00a050\u00a0123\u00a04567"),
    ("PHONE_{}", "05-0123-4567"),
    ("PHONE_{}", "05.0123.4567"),
    ("PHONE_{}", "050 (123) 4567"),
    ("PHONE_{}", "966(50)1234567"),
    ("PHONE_{}", "٠٥٠ ١٢٣ ٤٥٦٧"),
    ("NATIONAL_ID_{}", "10 1234 5672"),
    ("CARD_{}", "4111 1111 1111 1111"),
    ("CARD_{}", "4111-1111-1111-1111"),
    ("TAX_ID_{}", "310 123 456 700 003"),
    ("DATE_{}", "12/05/1990"),
    ("DATE_{}", "12–05–1990"),
    ("DATE_{}", "1990.05.12"),
    ("DATE_{}", "12 May 1990"),
    ("DATE_{}", "12-May-1990"),
    ("DATE_{}", "15 رمضان 1445"),
    ("DATE_{}", "12:30"),
    ("DATE_{}", "10 pm"),
    ("VEHICLE_PLATE_{}", "1234 ABJ"),
    ("MEDICAL_LICENSE_{}", "16-R-M-1234567"),
]


@pytest.mark.parametrize(("around", "value"), VALUES)
def test_what_only_begins_as_a_token_or_placeholder_hides_no_value(around: str, value: str) -> None:
    assert found(f"see {around.format(value)} please") == [value]


@pytest.mark.parametrize(
    "text", ["PERSON_NAME_00", "PERSON_NAME_1", "PERSON_NAME_012", "XPERSON_NAME_01", "WHO_01", "PERSON_NAME_01_02",
             "MASKED_SECRET_ab12cd34", "<MASKED_EMAIL_ab12cd34>", "MASKED_PERSON_ab12cd345", "MASKED_PERSON_AB12CD34",
             "MASKED_PERSON_\nab12cd34", "PERSON_NAME\n_01", "PERSON_NAME_01st", "PERSON_NAME_1234567"],
)  # fmt: skip
def test_what_no_call_writes_is_neither(text: str) -> None:
    assert not list(find_placeholders(text))


def test_the_places_are_told_without_what_stands_beside_them() -> None:
    text = "(<MASKED_PERSON_ab12cd34>) وNATIONAL_ID_01، MASKED_IBAN_00000000> PHONE_966 50, ORG_12 May, DATE_12 May"
    assert [text[start:end] for start, end in find_placeholders(text)] == [
        "<MASKED_PERSON_ab12cd34>",
        "NATIONAL_ID_01",
        "MASKED_IBAN_00000000>",
        "PHONE",
        "ORG_12",
        "DATE",
    ]
