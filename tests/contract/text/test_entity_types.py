"""What `/mask` finds, type by type: the entity table of the interface and the decisions beside it, over HTTP.

In a row's text, ‹ › stand around what is found as the row's type; nothing else in it is found.
"""

from collections.abc import Iterator

import httpx
import pytest

from schemas.entities import CATALOG, CORE_TYPES, EXTENDED_TYPES, RANK, TOGGLABLE_TYPES
from tests.api.serving import Served, serving, settings_for

SECRET_KEY = "sk-proj-" + "abcdefghijklmnopqrstuvwxyz" + "0123456789ABCD"
OUR_KEY = f"mk_live_{'k3v9q2m7x1ab'}_{'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'}"


def icao(field: str) -> str:
    """The field with its check digit (ICAO Doc 9303, part 3, 4.9)."""
    values = [int(c, 36) if c != "<" else 0 for c in field]
    return field + str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)


PASSPORT_LINE = icao("A12345678") + "SAU" + icao("900317") + "F" + icao("300101") + icao("<" * 14)
PASSPORT_LINE += icao(PASSPORT_LINE[:10] + PASSPORT_LINE[13:20] + PASSPORT_LINE[21:43])[-1]

TABLE = [
    ("NATIONAL_ID", "ID ‹1000000008›, not 1000000009, 3000000004 or 100000008"),
    ("NATIONAL_ID", "رقم الهوية ‹١٠٠٠٠٠٠٠٠٨›"),
    ("RESIDENCE_PERMIT", "iqama ‹2000000006›, not 2000000007"),
    ("IBAN", "pay to ‹SA0380000000608010167519›, not SA0380000000608010167518"),
    ("PASSPORT", "passport no. ‹A12345678›"),
    ("PERSON", "I met ‹Noura Salem Almithali› today"),
    ("PERSON", "قابلت ‹نورة سالم المثالي› اليوم"),
    ("ADDRESS", "at ‹7421 King Fahd Road, Riyadh 12211›"),
    ("ADDRESS", "short address ‹RRRD2929›"),
    ("EMAIL_ADDRESS", "mail ‹noura@example.com›"),
    ("TAX_ID", "VAT ‹310122393500003›, which has no check digit"),
    ("VEHICLE_PLATE", "plate ‹ABD 1234›"),
    ("VEHICLE_PLATE", "لوحة ‹أ ب د 1234›"),
    ("PHONE_NUMBER", "call ‹0551234567› or ‹+966 55 123 4567› or ‹+44 20 7946 0958›"),
    ("BUSINESS_ID", "CR ‹1010123456›"),
    ("BUSINESS_ID", "reference 1010123456"),
    ("MEDICAL_LICENSE", "license ‹SCFHS-123456›"),
    ("INSURANCE_POLICY", "policy number ‹POL-1234567›"),
    ("INSURANCE_POLICY", "item POL-1234567"),
    ("STUDENT_ID", "student ID ‹441234567›"),
    ("STUDENT_ID", "item 441234567"),
    ("API_KEY", f"the secret is ‹{SECRET_KEY}›"),
    ("API_KEY", "the digest is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ("MRN", "MRN: ‹12345678›"),
    ("CREDIT_CARD", "card ‹4111 1111 1111 1111›, not 4111 1111 1111 1112"),
    ("SSN", "SSN ‹123-45-6789›"),
    ("MONETARY_AMOUNT", "it costs ‹SAR 1,250.50› or ‹$20 million›"),
    ("MONETARY_AMOUNT", "السعر ‹خمسة آلاف ريال›"),
    ("DATE_TIME", "on ‹17 March 2024 at 14:30› for ‹3 days›"),
    ("LOCATION", "in ‹Jeddah›, ‹Makkah Region›, ‹Japan›"),
    ("ORGANIZATION", "works at ‹Saudi Aramco›"),
    ("IP_ADDRESS", "hosts ‹192.0.2.7› and ‹2001:db8::1›"),
]
NOT_DETECTED = [
    "diagnosis E11.9, acute bronchitis",
    "account 608010167519",
    "device id 8f14e45f-ceea-467f-a9e6-4d8c1e0b3a22",
    "secret 9fJ3kQ0vLx7TzR2mWc8Yb5NdHs1PaUeG",
]
DETAILS = [
    ("NATIONAL_ID", "ids ‹۱۰۰۰۰۰۰۰۰۸› and ‹١٠٠۰۰000٠٨›"),
    ("PHONE_NUMBER", "اتصل على ‹٠٥٥١٢٣٤٥٦٧›"),
    ("DATE_TIME", "بتاريخ ‹١٧/٠٣/٢٠٢٤›"),
    ("NATIONAL_ID", "CR number ‹1000000008›"),
    ("IBAN", "‹SA03 8000 0000 6080 1016 7519›, ‹SA03-8000-0000-6080-1016-7519›, ‹sa0380000000608010167519›"),
    ("IBAN", "DE89370400440532013000 is of elsewhere"),
    ("PASSPORT", "item A12345678 without a cue"),
    ("PHONE_NUMBER", "‹0112345678›, ‹00966551234567›, item 920012345"),
    ("PHONE_NUMBER", "call ‹920012345›"),
    ("TAX_ID", "TIN ‹3101223935›, item 3101223935"),
    ("CREDIT_CARD", "pay with ‹340000000000009›"),
    ("MRN", "medical record number ‹12345678›; رقم الملف الطبي ‹87654321›"),
    ("MEDICAL_LICENSE", "issued as ‹24-R-M-012345›"),
    ("VEHICLE_PLATE", "‹A B D 1234›; ABD1234 without a cue; لوحة ‹أبد 1234›"),
    ("VEHICLE_PLATE", "item C-Y-Q 1234; encrypted with RSA 2048, hashed with SHA 1234"),
    ("ADDRESS", "the code RRRD2929 alone"),
    ("CREDIT_CARD", "‹4111-1111-1111-1111› or ‹4111111111111111›"),
    ("SSN", "‹123 45 6789›, not 123456789 or 900-45-6789"),
    ("SSN", "SSN ‹123456789›"),
    ("API_KEY", f"key ‹{OUR_KEY}›"),
    ("API_KEY", "pk_live_51H8abcdefghijklmnopqrstuvwx and 123e4567-e89b-12d3-a456-426614174000"),
    ("MONETARY_AMOUNT", "‹100 ﷼›; ‹50 \u20c1›; ‹20 halalas›; ‹KWD 5›; ‹₹300›; ‹PHP 1,250›"),
    ("DATE_TIME", "‹2024-03-17T14:30:00Z›, ‹15 رمضان 1445 هـ›"),
    ("DATE_TIME", "yesterday, Monday, in 2024, aged 36"),
    ("PERSON", "السيد ‹عبدالله بن محمد آل سعيد›"),
    ("PERSON", "Dr. ‹Fahad bin Omar Al-Tajribi›'s car"),
    ("PERSON", "at Prince Sultan University, in King Faisal Hospital"),
    ("LOCATION", "he is Saudi, she is Egyptian, they live in ‹Jeddah›"),
    ("ADDRESS", "‹7421 King Fahd Road, Riyadh 12211, Saudi Arabia›"),
]


INVISIBLE = [
    "\u200b", "\u200d", "\u200f", "\u202e", "\u2066", "\u00ad", "\ufeff", "\u061c", "\ufe0f", "\u034f", "\u3164",
]  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """An account that looks for every type."""
    with serving(settings_for(tmp_path_factory.mktemp("types"), rate_limit_per_minute=10**6)) as served:
        yield from everything(served)


def everything(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        assert client.put("/me/entities", json={"enabled": [type_.value for type_ in TOGGLABLE_TYPES]}).is_success
        yield client


def found(page: httpx.Client, text: str) -> list[tuple[str, str]]:
    answer = page.post("/api/v1/mask", json={"text": text})
    assert answer.status_code == 200
    return [(span["type"], text[span["start"] : span["end"]]) for span in answer.json()["spans"]]


def marked(row: str) -> tuple[str, list[str]]:
    """The text of a row and what is marked in it."""
    pieces = row.replace("›", "‹").split("‹")
    return "".join(pieces), pieces[1::2]


def check(page: httpx.Client, type_: str, row: str, also: frozenset[str] = frozenset()) -> None:
    text, surfaces = marked(row)
    assert [item for item in found(page, text) if item[0] not in also] == [(type_, surface) for surface in surfaces]


@pytest.mark.clause(
    "DETECT-17",
    "DETECT-18",
    "DETECT-19",
    "DETECT-20",
    "DETECT-21",
    "DETECT-22",
    "DETECT-23",
    "DETECT-24",
    "DETECT-25",
    "DETECT-26",
    "DETECT-27",
    "DETECT-28",
    "DETECT-29",
    "DETECT-30",
    "DETECT-31",
    "DETECT-32",
    "DETECT-33",
    "DETECT-34",
    "DETECT-35",
    "DETECT-36",
)
@pytest.mark.parametrize(("type_", "row"), TABLE)
def test_the_entity_table(page: httpx.Client, type_: str, row: str) -> None:
    check(page, type_, row)


@pytest.mark.clause("DETECT-14", "DETECT-37")
def test_every_type_has_its_row() -> None:
    assert {type_ for type_, _ in TABLE} == {type_.value for type_ in TOGGLABLE_TYPES}
    assert (len(TOGGLABLE_TYPES), len(CORE_TYPES), len(EXTENDED_TYPES), len(CATALOG)) == (23, 10, 13, 24)
    assert max(RANK.values()) == 110


@pytest.mark.clause("DETECT-10")
def test_ranks(page: httpx.Client) -> None:
    assert found(page, "CR number 1000000008") == [("NATIONAL_ID", "1000000008")]  # 100 before 65
    assert found(page, "card 310122393500003") == [("TAX_ID", "310122393500003")]  # 80 before 50
    body = {"text": "call Noura Salem Almithali", "glossary": ["Salem"]}
    spans = page.post("/api/v1/mask", json=body).json()["spans"]
    assert [span["type"] for span in spans] == ["PERSON", "CUSTOM_TERM", "PERSON"]


@pytest.mark.clause("DETECT-13")
@pytest.mark.parametrize("text", NOT_DETECTED)
def test_what_is_not_detected(page: httpx.Client, text: str) -> None:
    assert found(page, text) == []


@pytest.mark.clause("DETECT-04", "DETECT-05", "DETECT-06", "DETECT-07", "DETECT-08")
def test_checksums(page: httpx.Client) -> None:
    for head, cue, type_ in [
        ("100000000", "ID", "NATIONAL_ID"),
        ("200000000", "iqama", "RESIDENCE_PERMIT"),
        ("411111111111111", "card", "CREDIT_CARD"),
    ]:
        text = "; ".join(f"{cue} {head}{digit}" for digit in range(10))
        assert len([item for item in found(page, text) if item[0] == type_]) == 1
    ibans = [f"SA{check:02}80000000608010167519" for check in range(2, 99)]
    assert found(page, "; ".join(ibans)) == [("IBAN", "SA0380000000608010167519")]
    assert [type_ for type_, _ in found(page, "VAT 310122393500003, VAT 310122393600003")] == ["TAX_ID", "TAX_ID"]


@pytest.mark.clause("DETECT-01", "DETECT-02")
@pytest.mark.parametrize("invisible", INVISIBLE)
def test_input_is_normalized_before_detection(page: httpx.Client, invisible: str) -> None:
    surface = f"1000{invisible}0000{invisible}08"
    assert found(page, f"{invisible}ID {surface} it is") == [("NATIONAL_ID", surface)]
    assert found(page, "ID １０００００００08 it is") == [("NATIONAL_ID", "１０００００００08")]


@pytest.mark.clause("DETECT-20")
def test_machine_readable_passports(page: httpx.Client) -> None:
    name = "P<SAUALMITHALI<<NOURA<SALEM".ljust(44, "<")
    spans = found(page, f"{name}\n{PASSPORT_LINE}")
    assert ("PASSPORT", PASSPORT_LINE[:9]) in spans or ("PASSPORT", PASSPORT_LINE) in spans
    assert any(type_ == "PERSON" and "ALMITHALI" in surface and "NOURA" in surface for type_, surface in spans)
    spoiled = PASSPORT_LINE.replace("A12345678", "A12345679")
    assert not any(type_ == "PASSPORT" for type_, _ in found(page, f"x\n{spoiled}"))


@pytest.mark.clause(
    "DETECT-03",
    "DETECT-12",
    "DETECT-19",
    "DETECT-21",
    "DETECT-22",
    "DETECT-24",
    "DETECT-25",
    "DETECT-26",
    "DETECT-27",
    "DETECT-28",
    "DETECT-29",
    "DETECT-30",
    "DETECT-31",
    "DETECT-32",
    "DETECT-33",
    "DETECT-34",
)
@pytest.mark.parametrize(("type_", "row"), DETAILS)
def test_details(page: httpx.Client, type_: str, row: str) -> None:
    check(page, type_, row, also=frozenset({"ORGANIZATION"}))


@pytest.mark.clause("DETECT-11")
def test_what_a_higher_rank_covers_in_part(page: httpx.Client) -> None:
    for text, term, types in [
        ("I met Salman Alharbi", "Salman", ["CUSTOM_TERM", "PERSON"]),
        ("paid SAR 1,250.50", "SAR", ["CUSTOM_TERM"]),
    ]:
        spans = page.post("/api/v1/mask", json={"text": text, "glossary": [term]}).json()["spans"]
        assert [span["type"] for span in spans] == types
