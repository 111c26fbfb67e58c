"""Numbers and codes that name somebody or something, over HTTP: what is found, and what is not."""

from tests.contract.conftest import Finds


def test_identity_numbers(finds: Finds) -> None:
    """“NATIONAL_ID | core | 100 | 10 digits, leading 1, checksum-validated”; “RESIDENCE_PERMIT | core | 95 | 10
    digits, leading 2, checksum-validated”; “NATIONAL_ID and RESIDENCE_PERMIT use a position-doubling Luhn variant
    over all 10 digits”; “A span that fails its check is dropped, so a number of the right shape with a bad check
    digit is not masked.”
    """
    finds(
        "ID [[NATIONAL_ID 1000000008]] iqama [[RESIDENCE_PERMIT 2000000006]]",
        *(f"iqama {number}" for number in range(2000000000, 2000000010) if number != 2000000006),
        *(f"ID {number}" for number in range(1000000000, 1000000010) if number != 1000000008),
        "ID 3000000004 and 100000008",
    )


def test_digits(finds: Finds) -> None:
    """“digits | every recognizer accepts ASCII, Eastern-Arabic (٠-٩) and Persian (۰-۹) digits, also mixed in one
    value”
    """
    finds(
        "[[NATIONAL_ID ١٠٠٠٠٠٠٠٠٨]] [[NATIONAL_ID ۱۰۰۰۰۰۰۰۰۸]] [[NATIONAL_ID 1٠۰00٠٠٠0۸]]",
        "IBAN [[IBAN SA٠٣ ٨٠٠٠ ٠٠٠٠ ٦٠٨٠ ١٠١٦ ٧٥١٩]]",
        "[[PHONE_NUMBER ۰۵۰۱۲۳۴۵۶۷]] [[DATE_TIME ١٥/۰٣/2024]] [[MONETARY_AMOUNT ٢٠٠ ريال]]",
        "VAT [[TAX_ID ٣١٠١٢٢٣٩٣٥٠٠٠٠٣]] from [[IP_ADDRESS ١٨٨.٥٤.١٢.٩]]",
        "[[CREDIT_CARD ٤١١١ ١١١١ ١١١١ ١١١١]] plate [[VEHICLE_PLATE أ ب د ۱۲۳۴]]",
    )


def test_both_at_once(finds: Finds) -> None:
    """“a number that is both | literal ranks: a commercial-registration number that passes the ID check is
    NATIONAL_ID or RESIDENCE_PERMIT”
    """
    finds("CR [[NATIONAL_ID 1010123451]]", "CR No. [[BUSINESS_ID 4030608472]]", "CR [[RESIDENCE_PERMIT 2000000006]]")


def test_ibans(finds: Finds) -> None:
    """“IBAN | core | 95 | 24-char Saudi IBAN, mod-97”; “IBAN uses ISO 13616 mod-97.”; “IBAN | Saudi only, groups
    with spaces, hyphens or NBSP, lower case, letters allowed in the account part, bank codes not validated”
    """
    lettered = "SA" + f"{98 - int('99' + '0' * 4 + '10' * 14 + '281000') % 97:02d}" + "99" + "0" * 4 + "A" * 14
    finds(
        "[[IBAN SA0380000000608010167519]]",
        "[[IBAN SA03 8000 0000 6080 1016 7519]] [[IBAN sa03-8000-0000-6080-1016-7519]]",
        "[[IBAN SA03\u00a08000\u00a00000\u00a06080\u00a01016\u00a07519]]",
        f"IBAN [[IBAN {lettered}]]",
        "IBAN SA0380000000608010167518, DE89370400440532013000, SA038000000060801016751",
    )


def test_cards(finds: Finds) -> None:
    """“CREDIT_CARD | core | 50 | 14-16 digit card numbers, Luhn”; “CREDIT_CARD uses standard Luhn (never relaxed)”;
    “CREDIT_CARD | Luhn, 14-16 digits, grouped in any usual way; scheme prefixes known (Visa, Mastercard, mada,
    Amex, Diners, UnionPay, JCB, Discover), others with a cue”
    """
    finds(
        "[[CREDIT_CARD 4111111111111111]] [[CREDIT_CARD 5555 5555 5555 4444]] [[CREDIT_CARD 3782-822463-10005]]",
        "[[CREDIT_CARD 30569309025904]], [[CREDIT_CARD 6011111111111117]], [[CREDIT_CARD 3530111333300000]]",
        "[[CREDIT_CARD 6212345678901232]]; mada [[CREDIT_CARD 4123456789012349]]",
        "card no [[CREDIT_CARD 7012345678901232]]",
        "order 7012345678901232, 4111111111111112, 41111111111111110",
    )


def test_passports(finds: Finds) -> None:
    """“PASSPORT | core | 90 | ICAO format”; “PASSPORT | needs a cue, or is an MRZ line whose check digits hold; the
    MRZ name is PERSON”
    """
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


def test_tax_numbers(finds: Finds) -> None:
    """“TAX_ID | extended | 80 | leading 3, shape-only”; “TAX_ID is shape-only.”; “TAX_ID | 15 digits with leading 3
    (a Luhn-valid 34… or 37… that does not end in 3 is a card); 10-digit TINs with leading 3 only with a cue”
    """
    finds(
        "[[TAX_ID 310122393500003]] and [[TAX_ID 310122393500013]]",
        "[[CREDIT_CARD 371234567890120]] [[CREDIT_CARD 378282246310005]]",
        "TIN [[TAX_ID 3002707692]], but border no. 3002707692 and 410122393500003",
    )


def test_plates(finds: Finds) -> None:
    """“VEHICLE_PLATE | extended | 75 | Latin and Arabic plate alphabets”; “VEHICLE_PLATE | the 17 letter pairs only;
    spaced or hyphenated letters, or a cue; joined Arabic letters need a cue; currency codes and common acronyms
    made of those letters (SAR, AED, USD, RSA, SHA, …) only with a cue”
    """
    finds(
        "[[VEHICLE_PLATE A B D 1234]], [[VEHICLE_PLATE K-L-R 4402]], [[VEHICLE_PLATE أ ب د ١٢٣٤]]",
        "plate [[VEHICLE_PLATE SAR 1234]]; لوحة [[VEHICLE_PLATE حرب 4521]]",
        "حرب 4521; RSA 4096, SHA 512; A C E 1234",
    )


def test_registers(finds: Finds) -> None:
    """“BUSINESS_ID | extended | 65 | commercial registration (context-gated)”; “INSURANCE_POLICY | extended | 60 |
    policy ids (context-gated)”; “STUDENT_ID | extended | 60 | student ids (context-gated)”; “MRN | extended | 55
    | hospital medical record numbers”; “MEDICAL_LICENSE | extended | 60 | practitioner license numbers”;
    “BUSINESS_ID, INSURANCE_POLICY, STUDENT_ID, MRN | a cue near (before or after, either language, table header
    counts)”; “MEDICAL_LICENSE | a cue, or the `SCFHS-…` / `yy-R-X-nnnnnn` shapes”
    """
    finds(
        "CR No. [[BUSINESS_ID 4030608472]]; [[BUSINESS_ID 4030608472]] هو رقم السجل التجاري",
        "Commercial Registration Number\n[[BUSINESS_ID 4030608472]]",
        "MRN [[MRN 664120]] and رقم الملف الطبي [[MRN 0091823]]",
        "policy number [[INSURANCE_POLICY POL-2024-88121]]",
        "student ID [[STUDENT_ID 443201987]]; الرقم الجامعي [[STUDENT_ID 443201987]]",
        "license [[MEDICAL_LICENSE SCFHS-123456]], [[MEDICAL_LICENSE 12-R-M-012345]]",
        "4030608472, 664120, POL-2024-88121, 443201987",
    )


def test_keys(finds: Finds) -> None:
    """“API_KEY | extended | 60 | provider-prefixed secrets only; arbitrary high-entropy strings are not flagged”;
    “API_KEY | secret keys with a provider prefix, and our own `mk_live_…`; not publishable `pk_` keys, JWTs,
    account ids, UUIDs, hashes”
    """
    finds(
        "[[API_KEY " + "ghp_" + "K9abDCAAOOc1t3E9lh1OQltFyltRcz5MQCjT]]",
        "[[API_KEY " + "mk_live_" + "abc123def456_" + "Q7w-" * 10 + "xYz]]",
        "pk_" + "test_mEZNQVrWyU4TZqlF1ee8wLsW eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123",
        "550e8400-e29b-41d4-a716-446655440000 54400df255ce3a0b835a2d4247b962311dbc4042",
        "nonce=j5opeU0KtFJQuXOLQGerUP6UgVtRmfyQ " + "AC" + "0123456789abcdef0123456789abcdef",
    )


def test_social_security_numbers(finds: Finds) -> None:
    """“SSN | extended | 50 | US-format social security numbers”; “SSN | hyphens or spaces with a valid area; 9 bare
    digits only with a cue”
    """
    finds("[[SSN 219-09-9999]]; SSN [[SSN 349228107]]", "349228107 units", "SSN 000-12-3456, 666-12-3456, 912-12-3456")
