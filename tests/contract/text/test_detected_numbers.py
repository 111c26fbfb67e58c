"""Numbers and codes that name somebody or something, over HTTP: what is found, and what is not."""

import pytest

from tests.contract.conftest import Finds


@pytest.mark.clause("DETECT-04", "DETECT-08", "DETECT-17", "DETECT-18")
def test_identity_numbers(finds: Finds) -> None:
    finds(
        "ID [[NATIONAL_ID 1000000008]] iqama [[RESIDENCE_PERMIT 2000000006]]",
        *(f"iqama {number}" for number in range(2000000000, 2000000010) if number != 2000000006),
        *(f"ID {number}" for number in range(1000000000, 1000000010) if number != 1000000008),
        "ID 3000000004 and 100000008",
    )


@pytest.mark.clause("DETECT-03")
def test_digits(finds: Finds) -> None:
    finds(
        "[[NATIONAL_ID ١٠٠٠٠٠٠٠٠٨]] [[NATIONAL_ID ۱۰۰۰۰۰۰۰۰۸]] [[NATIONAL_ID 1٠۰00٠٠٠0۸]]",
        "IBAN [[IBAN SA٠٣ ٨٠٠٠ ٠٠٠٠ ٦٠٨٠ ١٠١٦ ٧٥١٩]]",
        "[[PHONE_NUMBER ۰۵۰۱۲۳۴۵۶۷]] [[DATE_TIME ١٥/۰٣/2024]] [[MONETARY_AMOUNT ٢٠٠ ريال]]",
        "VAT [[TAX_ID ٣١٠١٢٢٣٩٣٥٠٠٠٠٣]] from [[IP_ADDRESS ١٨٨.٥٤.١٢.٩]]",
        "[[CREDIT_CARD ٤١١١ ١١١١ ١١١١ ١١١١]] plate [[VEHICLE_PLATE أ ب د ۱۲۳۴]]",
    )


@pytest.mark.clause("DETECT-12")
def test_both_at_once(finds: Finds) -> None:
    finds("CR [[NATIONAL_ID 1010123451]]", "CR No. [[BUSINESS_ID 4030608472]]", "CR [[RESIDENCE_PERMIT 2000000006]]")


@pytest.mark.clause("DETECT-05", "DETECT-19")
def test_ibans(finds: Finds) -> None:
    lettered = "SA" + f"{98 - int('99' + '0' * 4 + '10' * 14 + '281000') % 97:02d}" + "99" + "0" * 4 + "A" * 14
    finds(
        "[[IBAN SA0380000000608010167519]]",
        "[[IBAN SA03 8000 0000 6080 1016 7519]] [[IBAN sa03-8000-0000-6080-1016-7519]]",
        "[[IBAN SA03\u00a08000\u00a00000\u00a06080\u00a01016\u00a07519]]",
        f"IBAN [[IBAN {lettered}]]",
        "IBAN SA0380000000608010167518, DE89370400440532013000, SA038000000060801016751",
    )


@pytest.mark.clause("DETECT-06", "DETECT-30")
def test_cards(finds: Finds) -> None:
    finds(
        "[[CREDIT_CARD 4111111111111111]] [[CREDIT_CARD 5555 5555 5555 4444]] [[CREDIT_CARD 3782-822463-10005]]",
        "[[CREDIT_CARD 30569309025904]], [[CREDIT_CARD 6011111111111117]], [[CREDIT_CARD 3530111333300000]]",
        "[[CREDIT_CARD 6212345678901232]]; mada [[CREDIT_CARD 4123456789012349]]",
        "card no [[CREDIT_CARD 7012345678901232]]",
        "order 7012345678901232, 4111111111111112, 41111111111111110",
    )


@pytest.mark.clause("DETECT-20")
def test_passports(finds: Finds) -> None:
    name, line = (
        "P<SAU[[PERSON ALHARBI<<FAHAD<NASSER]]<<<<<<<<<<<<<<<<<<",
        "A123456784SAU9003152M3001019<<<<<<<<<<<<<<06",
    )
    finds(
        "passport no [[PASSPORT A12345678]]",
        "جواز السفر رقم [[PASSPORT A12345678]]",
        "code A12345678",
        f"{name}\n[[PASSPORT {line}]]",
        line.replace("784SAU", "785SAU"),
    )


@pytest.mark.clause("DETECT-07", "DETECT-24")
def test_tax_numbers(finds: Finds) -> None:
    finds(
        "[[TAX_ID 310122393500003]] and [[TAX_ID 310122393500013]]",
        "[[CREDIT_CARD 371234567890120]] [[CREDIT_CARD 378282246310005]]",
        "TIN [[TAX_ID 3002707692]], but border no. 3002707692 and 410122393500003",
    )


@pytest.mark.clause("DETECT-25")
def test_plates(finds: Finds) -> None:
    finds(
        "[[VEHICLE_PLATE A B D 1234]], [[VEHICLE_PLATE K-L-R 4402]], [[VEHICLE_PLATE أ ب د ١٢٣٤]]",
        "plate [[VEHICLE_PLATE SAR 1234]]; لوحة [[VEHICLE_PLATE حرب 4521]]",
        "حرب 4521; RSA 4096, SHA 512; A C E 1234",
    )


@pytest.mark.clause("DETECT-27", "DETECT-28")
def test_registers(finds: Finds) -> None:
    finds(
        "CR No. [[BUSINESS_ID 4030608472]]; [[BUSINESS_ID 4030608472]] هو رقم السجل التجاري",
        "التجاري: [[BUSINESS_ID 7001419314]]",
        "Commercial Registration Number\n[[BUSINESS_ID 4030608472]]",
        "MRN [[MRN 664120]] and رقم الملف الطبي [[MRN 0091823]]",
        "policy number [[INSURANCE_POLICY POL-2024-88121]]",
        "student ID [[STUDENT_ID 443201987]]; الرقم الجامعي [[STUDENT_ID 443201987]]",
        "license [[MEDICAL_LICENSE SCFHS-123456]], [[MEDICAL_LICENSE 12-R-M-012345]]",
        "4030608472, 664120, POL-2024-88121, 443201987",
    )


@pytest.mark.clause("DETECT-29")
def test_keys(finds: Finds) -> None:
    finds(
        "[[API_KEY " + "ghp_" + "K9abDCAAOOc1t3E9lh1OQltFyltRcz5MQCjT]]",
        "[[API_KEY " + "mk_live_" + "abc123def456_" + "Q7w-" * 10 + "xYz]]",
        "pk_" + "test_mEZNQVrWyU4TZqlF1ee8wLsW eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123",
        "550e8400-e29b-41d4-a716-446655440000 54400df255ce3a0b835a2d4247b962311dbc4042",
        "nonce=j5opeU0KtFJQuXOLQGerUP6UgVtRmfyQ " + "AC" + "0123456789abcdef0123456789abcdef",
    )


@pytest.mark.clause("DETECT-31")
def test_social_security_numbers(finds: Finds) -> None:
    finds("[[SSN 219-09-9999]]; SSN [[SSN 349228107]]", "349228107 units", "SSN 000-12-3456, 666-12-3456, 912-12-3456")
