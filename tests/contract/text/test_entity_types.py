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


@pytest.mark.parametrize(("type_", "row"), TABLE)
def test_the_entity_table(page: httpx.Client, type_: str, row: str) -> None:
    """“NATIONAL_ID | core | 100 | 10 digits, leading 1, checksum-validated”, “RESIDENCE_PERMIT | core | 95 | 10 digits,
    leading 2, checksum-validated”, “IBAN | core | 95 | 24-char Saudi IBAN, mod-97”, “PASSPORT | core | 90 | ICAO
    format”, “PERSON | core | 90 | Latin and Arabic names”, “ADDRESS | core | 85 | national-address and short-code
    addresses”, “EMAIL_ADDRESS | core | 80 | e-mail addresses”, “TAX_ID | extended | 80 | leading 3, shape-only”,
    “VEHICLE_PLATE | extended | 75 | Latin and Arabic plate alphabets”, “PHONE_NUMBER | core | 70 | KSA mobile and
    international”, “BUSINESS_ID | extended | 65 | commercial registration (context-gated)”, “MEDICAL_LICENSE |
    extended | 60 | practitioner license numbers”, “INSURANCE_POLICY | extended | 60 | policy ids (context-gated)”,
    “STUDENT_ID | extended | 60 | student ids (context-gated)”, “API_KEY | extended | 60 | provider-prefixed secrets
    only; arbitrary high-entropy strings are not flagged”, “MRN | extended | 55 | hospital medical record numbers”,
    “CREDIT_CARD | core | 50 | 14-16 digit card numbers, Luhn”, “SSN | extended | 50 | US-format social security
    numbers”, “MONETARY_AMOUNT | extended | 35 | amounts in 18 currencies, symbol/ISO/word forms incl. Arabic”,
    “DATE_TIME | core | 30 | dates, times, durations”, “LOCATION | extended | 20 | cities, regions, countries”,
    “ORGANIZATION | extended | 10 | Saudi organizations”, “IP_ADDRESS | extended | 5 | IPv4 and IPv6 literals”
    """
    check(page, type_, row)


def test_every_type_has_its_row() -> None:
    """“Detection types (what `/mask` reports in `spans[].type` and in tokens). 23 togglable types plus `CUSTOM_TERM`.”
    “CUSTOM_TERM | always on, never filtered | 110 | caller glossary terms; bypass confidence filters”
    """
    assert {type_ for type_, _ in TABLE} == {type_.value for type_ in TOGGLABLE_TYPES}
    assert (len(TOGGLABLE_TYPES), len(CORE_TYPES), len(EXTENDED_TYPES), len(CATALOG)) == (23, 10, 13, 24)
    assert max(RANK.values()) == 110


def test_ranks(page: httpx.Client) -> None:
    """“when detections overlap, the one with the higher priority rank survives; ties fall to the recognizer's
    confidence. Ranks are in the entity table below.”
    """
    assert found(page, "CR number 1000000008") == [("NATIONAL_ID", "1000000008")]  # 100 before 65
    assert found(page, "card 310122393500003") == [("TAX_ID", "310122393500003")]  # 80 before 50
    body = {"text": "call Noura Salem Almithali", "glossary": ["Salem"]}
    spans = page.post("/api/v1/mask", json=body).json()["spans"]
    assert [span["type"] for span in spans] == ["PERSON", "CUSTOM_TERM", "PERSON"]


@pytest.mark.parametrize("text", NOT_DETECTED)
def test_what_is_not_detected(page: httpx.Client, text: str) -> None:
    """“Not detected: free-form diagnosis codes, bank account numbers outside IBAN format, biometric and
    device/advertising identifiers, arbitrary secrets without a recognizable provider prefix.”
    """
    assert found(page, text) == []


def test_checksums(page: httpx.Client) -> None:
    """“NATIONAL_ID and RESIDENCE_PERMIT use a position-doubling Luhn variant over all 10 digits; IBAN uses ISO 13616
    mod-97; CREDIT_CARD uses standard Luhn (never relaxed). A span that fails its check is dropped, so a number of the
    right shape with a bad check digit is not masked. TAX_ID is shape-only.” For each, exactly the right last digit.
    """
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


@pytest.mark.parametrize("invisible", INVISIBLE)
def test_input_is_normalized_before_detection(page: httpx.Client, invisible: str) -> None:
    """“Before detection, input is normalized: invisible Unicode format characters (zero-width characters, bidi marks
    and embeds, soft hyphen, byte-order mark, Arabic format marks) and variation selectors are deleted, and fullwidth
    digits are folded to ASCII. Returned offsets always refer to the original text as sent; callers must not pre-clean
    input.” “general category Cf, variation selectors and every Default_Ignorable_Code_Point (also combining grapheme
    joiner, Hangul fillers) are deleted”
    """
    surface = f"1000{invisible}0000{invisible}08"
    assert found(page, f"{invisible}ID {surface} it is") == [("NATIONAL_ID", surface)]
    assert found(page, "ID １０００００００08 it is") == [("NATIONAL_ID", "１０００００００08")]


def test_machine_readable_passports(page: httpx.Client) -> None:
    """“PASSPORT | needs a cue, or is an MRZ line whose check digits hold; the MRZ name is PERSON”."""
    name = "P<SAUALMITHALI<<NOURA<SALEM".ljust(44, "<")
    spans = found(page, f"{name}\n{PASSPORT_LINE}")
    assert ("PASSPORT", PASSPORT_LINE[:9]) in spans or ("PASSPORT", PASSPORT_LINE) in spans
    assert any(type_ == "PERSON" and "ALMITHALI" in surface and "NOURA" in surface for type_, surface in spans)
    spoiled = PASSPORT_LINE.replace("A12345678", "A12345679")
    assert not any(type_ == "PASSPORT" for type_, _ in found(page, f"x\n{spoiled}"))


@pytest.mark.parametrize(("type_", "row"), DETAILS)
def test_details(page: httpx.Client, type_: str, row: str) -> None:
    """“every recognizer accepts ASCII, Eastern-Arabic (٠-٩) and Persian (۰-۹) digits, also mixed in one value”

    “literal ranks: a commercial-registration number that passes the ID check is NATIONAL_ID or RESIDENCE_PERMIT”

    “IBAN | Saudi only, groups with spaces, hyphens or NBSP, lower case, letters allowed in the account part, bank codes
    not validated”; “KSA mobiles (05x, 5x with a cue, +966/00966/966), KSA landlines (01x), international + or 00
    numbers that the phonenumbers package finds possible; 9200 and 800 numbers only with a cue”

    “15 digits with leading 3 (a Luhn-valid 34… or 37… that does not end in 3 is a card); 10-digit TINs with leading 3
    only with a cue”; “BUSINESS_ID, INSURANCE_POLICY, STUDENT_ID, MRN | a cue near (before or after, either language,
    table header counts)”; “a cue, or the `SCFHS-…` / `yy-R-X-nnnnnn` shapes”

    “the 17 letter pairs only; spaced or hyphenated letters, or a cue; joined Arabic letters need a cue; currency codes
    and common acronyms made of those letters (SAR, AED, USD, RSA, SHA, …) only with a cue”

    “short address code | a cue or other address parts beside it”; “Luhn, 14-16 digits, grouped in any usual way; scheme
    prefixes known (Visa, Mastercard, mada, Amex, Diners, UnionPay, JCB, Discover), others with a cue”

    “hyphens or spaces with a valid area; 9 bare digits only with a cue”; “secret keys with a provider prefix, and our
    own `mk_live_…`; not publishable `pk_` keys, JWTs, account ids, UUIDs, hashes”

    “SAR AED KWD QAR BHD OMR EGP JOD YER USD EUR GBP INR PKR PHP TRY CNY JPY, with ﷼ and the riyal sign U+20C1,
    subunits, magnitude words, numbers in words”

    “dates, clock times, durations, ISO and RFC stamps, Hijri; not: relative words, weekdays alone, bare years, ages”

    “the whole name with its connectors (بن, bin, آل, Al-); titles, possessives and clitics (و ف ب ل ك) outside; names
    inside streets, universities, hospitals and brands are not persons”

    “cities, regions, countries; not nationality adjectives; inside an ADDRESS only ADDRESS”; “one span from the first
    to the last part, country tail included”
    """
    check(page, type_, row, also=frozenset({"ORGANIZATION"}))


def test_what_a_higher_rank_covers_in_part(page: httpx.Client) -> None:
    """“What remains of a PERSON or ADDRESS that a higher rank covers only in part, if a whole word, is a new detection
    of its own that overlaps nothing (a glossary term `Salman` in `Salman Alharbi` must not leave `Alharbi` in the
    clear); every other type is dropped”
    """
    for text, term, types in [
        ("I met Salman Alharbi", "Salman", ["CUSTOM_TERM", "PERSON"]),
        ("paid SAR 1,250.50", "SAR", ["CUSTOM_TERM"]),
    ]:
        spans = page.post("/api/v1/mask", json={"text": text, "glossary": [term]}).json()["spans"]
        assert [span["type"] for span in spans] == types
