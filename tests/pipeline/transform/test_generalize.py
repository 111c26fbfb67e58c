"""Smart generalization, row by row: what is shown, and what fails closed to the placeholder."""

from datetime import date

import pytest

from pipeline.transform.redact import redact
from schemas.entities import EntityType
from tests.pipeline.transform.marked import marked

TODAY = date(2026, 1, 15)
BOTH = (EntityType.DATE_TIME, EntityType.ADDRESS)

AGES = [
    ("born on [[DATE_TIME|1985/12/25]]", "born on age 40"),
    ("D.O.B. [[DATE_TIME|25-12-1985]]", "D.O.B. age 40"),
    ("DOB: [[DATE_TIME|1990-01-15]]", "DOB: age 36"),
    ("DOB: [[DATE_TIME|1990-01-16]]", "DOB: age 35"),
    ("DOB: [[DATE_TIME|1906-01-16]]", "DOB: age 119"),
    ("dob=[[DATE_TIME|1979-12-04]];status=ok", "dob=age 46;status=ok"),
    ('{"date_of_birth": "[[DATE_TIME|1979-12-04]]"}', '{"date_of_birth": "age 46"}'),
    ("Birth date [[DATE_TIME|02/28/2010]]", "Birth date age 15"),
    ("Date of birth:\n[[DATE_TIME|02/28/2010]]", "Date of birth:\nage 15"),
    ("[[DATE_TIME|02/28/2010]] (DOB)", "age 15 (DOB)"),
    ("DOB [[DATE_TIME|15/03/1990]], issued [[DATE_TIME|01/02/2020]]", "DOB age 35, issued 2020"),
    ("Signed [[DATE_TIME|01/02/2020]], DOB [[DATE_TIME|15/03/1990]]", "Signed 2020, DOB age 35"),
    ("[[DATE_TIME|15/03/1990]] (DOB), signed [[DATE_TIME|01/02/2020]]", "age 35 (DOB), signed 2020"),
    ("born [[DATE_TIME|15 March 1990]] in Abha", "born age 35 in Abha"),
    ("born on the [[DATE_TIME|fifteenth of March 1990]]", "born on the age 35"),
    ("تاريخ الميلاد [[DATE_TIME|١٩٩٠/٠٣/١٥]]", "تاريخ الميلاد العمر ٣٥ سنة"),
    ("مولود في [[DATE_TIME|25/12/1985]] بالمستشفى", "مولود في العمر 40 سنة بالمستشفى"),
    ("وتاريخ ميلادها [[DATE_TIME|۱۹۹۰/۰۳/۱۵]]", "وتاريخ ميلادها العمر ۳۵ سنة"),
    ("وُلِدت في [[DATE_TIME|15 مارس 1990]]", "وُلِدت في العمر 35 سنة"),
    ("مولودة بتاريخ [[DATE_TIME|الخامس عشر من مارس ١٩٩٠]]", "مولودة بتاريخ العمر ٣٥ سنة"),
]

SHOWN = [
    ("Invoice date: [[DATE_TIME|2025/2/17]].", "Invoice date: 2025."),
    ("تاريخ الفاتورة: [[DATE_TIME|١٧/٠٢/٢٠٢٥]]", "تاريخ الفاتورة: ٢٠٢٥"),
    ("التاريخ [[DATE_TIME|15/03/2024]] ميلادي", "التاريخ 2024 ميلادي"),
    ("on [[DATE_TIME|Sunday, 15 March 2024]]", "on March 2024"),
    ("on [[DATE_TIME|March 15th, 2024]]", "on March 2024"),
    ("on [[DATE_TIME|15-Mar-2024]]", "on Mar 2024"),
    ("signed [[DATE_TIME|March 2024]].", "signed March 2024."),
    ("يوم [[DATE_TIME|15 مارس 2024]] إن شاء الله", "يوم مارس 2024 إن شاء الله"),
    ("في [[DATE_TIME|الأحد ٣ أيلول ٢٠٢٣م]]", "في أيلول ٢٠٢٣"),
    ("في [[DATE_TIME|15 كانون الثاني 2024]]", "في كانون الثاني 2024"),
    ("Born to lead. Signed: [[DATE_TIME|03/15/1990]]", "Born to lead. Signed: 1990"),
    ("newborn ward, [[DATE_TIME|03/15/2020]]", "newborn ward, 2020"),
    ("DOB: unknown\nsigned [[DATE_TIME|03/15/1990]]", "DOB: unknown\nsigned 1990"),
    (f"DOB {'x' * 41} [[DATE_TIME|03/15/1990]]", f"DOB {'x' * 41} 1990"),
    ("1[[DATE_TIME|2024\u200e-01-\u200f05]]", "12024"),
]

FAIL_CLOSED = [
    "DOB: [[DATE_TIME|2030-05-05]]",
    "DOB: [[DATE_TIME|1900-01-01]]",
    "DOB: [[DATE_TIME|2026-01-15]]",
    "DOB: [[DATE_TIME|1990-02-30]]",
    "DOB: [[DATE_TIME|March 1990]]",
    "DOB: [[DATE_TIME|1408/3/15]]",
    "on [[DATE_TIME|1446-05-12]]هـ",
    "on [[DATE_TIME|12/05/1446 هـ]]",
    "on [[DATE_TIME|15 رمضان 1445]]",
    "on [[DATE_TIME|غرة شعبان ١٤٤٦]]",
    "on [[DATE_TIME|12/05/2026]] AH",
    "at [[DATE_TIME|9:15 pm]]",
    "at [[DATE_TIME|2024-03-15T08:14:22Z]]",
    "at [[DATE_TIME|15/03/2024 14:30]]",
    "on [[DATE_TIME|15 March]]",
    "on [[DATE_TIME|15/03/24]]",
    "on [[DATE_TIME|12 - 15 March 2024]]",
    "for [[DATE_TIME|30 days]]",
    "on [[DATE_TIME|31 April 2024]]",
    "at [[ADDRESS|7878 Eastern Ring Branch Rd, Al Manakh]]",
    "at [[ADDRESS|12 Makkah Road, Al Olaya]]",
    "at [[ADDRESS|طريق مكة القديم، مبنى 3394]]",
    "at [[ADDRESS|حي الرياض 3394]]",
    "at [[ADDRESS|12 Sheikh Zayed Rd, Dubai]]",
    "at [[ADDRESS|Rd 5, Jeddahville]]",
]

PLACES = [
    ("Building 2550, Tahlia St, Al Andalus, Jeddah 23326-7214", "Jeddah"),
    ("Apt 4, Bldg 6622, Prince Turki St, Al Yarmuk, Al-Khobar 34422", "Al-Khobar"),
    ("ص.ب 2421، الدمام 31451", "الدمام"),
    ("1180 شارع الستين، حي الورود، سكاكا، منطقة الجوف 72341", "منطقة الجوف"),
    ("3394 شارع الأمير سلطان الرياض 12345", "الرياض"),
    ("2121 طريق المدينة المنورة، جدة 23211", "جدة"),
    ("12 Makkah Road, Abha, Asir Region, Saudi Arabia", "Asir Region"),
    ("8228 King Abdulaziz Rd, Unit 12\nAsh Shati District\nJEDDAH 23613 - 3204", "JEDDAH"),
    ("حي النزهة بمكه المكرمه", "مكه المكرمه"),
    ("12 Jeddah Building, Olaya, Riyadh 12214", "Riyadh"),
    ("Makkah Road, Jeddah Road, Taif Street, Abha", "Abha"),
    ("خميس\nمشيط 61961، طريق أبها القديم", "خميس\nمشيط"),
    ("P.O. Box 1, Ta'if 21944, Makkah Province", "Makkah Province"),
    ("Al Noor District, Ri\u200dyadh 1234", "Riyadh"),
    ("Al Noor District, Ri\U000e0031\U000e0032yadh 1234", "Riyadh"),
]


@pytest.mark.parametrize(("source", "expected"), AGES + SHOWN)
def test_a_date_is_generalized(source: str, expected: str) -> None:
    redacted = redact(marked(source), BOTH, TODAY)
    assert redacted.text == expected
    assert redacted.generalized_count == source.count("[[")


@pytest.mark.parametrize(("address", "expected"), PLACES)
def test_an_address_becomes_its_region_or_city(address: str, expected: str) -> None:
    assert redact(marked(f"to [[ADDRESS|{address}]]."), BOTH, TODAY).text == f"to {expected}."


@pytest.mark.parametrize("source", FAIL_CLOSED)
def test_in_doubt_the_placeholder_stands(source: str) -> None:
    redacted = redact(marked(source), BOTH, TODAY)
    assert redacted.generalized_count == 0
    assert redacted.text.rstrip("هـAH ").endswith("_01")


def test_a_leap_day_birthday_is_reached_on_the_first_of_march() -> None:
    born = marked("DOB: [[DATE_TIME|2000-02-29]]")
    assert redact(born, BOTH, date(2026, 2, 28)).text == "DOB: age 25"
    assert redact(born, BOTH, date(2026, 3, 1)).text == "DOB: age 26"


def test_counts_are_those_of_detection_and_no_number_is_used_up() -> None:
    source = "[[DATE_TIME|02/17/2025]] [[DATE_TIME|9:15 pm]] [[DATE_TIME|02/17/2025]] [[DATE_TIME|10:15 pm]]"
    redacted = redact(marked(source), BOTH, TODAY)
    assert redacted.text == "2025 DATE_01 2025 DATE_02"
    assert (redacted.pii_count, redacted.entity_counts, redacted.generalized_count) == (3, {"DATE": 3}, 2)


def test_only_the_types_asked_for_are_generalized() -> None:
    source = "[[DATE_TIME|02/17/2025]] in [[ADDRESS|King Fahd Rd, Riyadh 12214]]"
    assert redact(marked(source), [EntityType.DATE_TIME], TODAY).text == "2025 in ADDRESS_01"
    assert redact(marked(source), [], TODAY).text == "DATE_01 in ADDRESS_01"
