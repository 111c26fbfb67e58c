"""Names, places, times, amounts and addresses over HTTP: what is found, and what is not; what is hidden in a text."""

import httpx
import pytest

from schemas.entities import RANK, TOGGLABLE_TYPES, EntityType
from tests.contract.conftest import Finds


@pytest.mark.clause("DETECT-14")
def test_the_catalogue() -> None:
    assert len(TOGGLABLE_TYPES) == 23
    assert set(EntityType) - set(TOGGLABLE_TYPES) == {EntityType.CUSTOM_TERM} and RANK[EntityType.CUSTOM_TERM] == 110


@pytest.mark.clause("DETECT-21")
def test_people(finds: Finds) -> None:
    finds(
        "السيد/ [[PERSON عبدالإله بن ناصر الزهراني]] و[[PERSON أحمد]]",
        "Dear Mr. [[PERSON Salman bin Fahad Al-Harbi]], [[PERSON Noura Alharbi]]'s file",
        "Dr. [[PERSON Fatimah Al-Zahrani]] called",
        "[[ORGANIZATION جامعة الملك سعود]]",
    )


@pytest.mark.clause("DETECT-22", "DETECT-34")
def test_addresses(finds: Finds) -> None:
    finds(
        "at [[ADDRESS 7215 Abi Bakr As Siddiq Road, Al Wahah, Riyadh 12445-3312, Saudi Arabia]].",
        "العنوان: [[ADDRESS 2121 طريق الملك فهد، حي الروضة، جدة 23211، المملكة العربية السعودية]]",
        "short address [[ADDRESS RHGA3693]]",
        "[[ADDRESS RRRD2929, 2929 King Road, Riyadh 12345]]",
        "Order RHSD3394",
    )


@pytest.mark.clause("DETECT-23", "DETECT-26")
def test_contacts(finds: Finds) -> None:
    finds(
        "[[EMAIL_ADDRESS a_b+tag@example.co.uk]] not a@b or b@c",
        "[[PHONE_NUMBER 0501234567]] [[PHONE_NUMBER +966501234567]] [[PHONE_NUMBER 00966 50 123 4567]]",
        "[[PHONE_NUMBER 966501234567]], tel [[PHONE_NUMBER 0112345678]], mobile: [[PHONE_NUMBER 50 123 4567]]",
        "[[PHONE_NUMBER +44 20 7946 0958]] [[PHONE_NUMBER 0020 100 123 4567]]",
        "call us on [[PHONE_NUMBER 920012345]], toll free [[PHONE_NUMBER 800 124 0000]]",
        "920012345 and 8001240000 and 501234567 units, +999 123 456 789",
    )


@pytest.mark.clause("DETECT-32")
@pytest.mark.parametrize(
    "code",
    [
        "SAR",
        "AED",
        "KWD",
        "QAR",
        "BHD",
        "OMR",
        "EGP",
        "JOD",
        "YER",
        "USD",
        "EUR",
        "GBP",
        "INR",
        "PKR",
        "PHP",
        "TRY",
        "CNY",
        "JPY",
    ],
)
def test_currencies(finds: Finds, code: str) -> None:
    finds(f"paid [[MONETARY_AMOUNT {code} 4,500]] or [[MONETARY_AMOUNT 12.50 {code}]]")


@pytest.mark.clause("DETECT-32")
def test_amounts(finds: Finds) -> None:
    finds(
        "[[MONETARY_AMOUNT ﷼ 500]] [[MONETARY_AMOUNT \u20c175]] [[MONETARY_AMOUNT $45]] [[MONETARY_AMOUNT €99.99]]",
        "[[MONETARY_AMOUNT 50 هللة]] and [[MONETARY_AMOUNT SAR 3.5 million]] and [[MONETARY_AMOUNT 45 ألف ريال]]",
        "[[MONETARY_AMOUNT two hundred riyals]] [[MONETARY_AMOUNT مائة وخمسون ألف ريال]]",
    )


@pytest.mark.clause("DETECT-33")
def test_dates_and_times(finds: Finds) -> None:
    finds(
        "[[DATE_TIME 15/03/2024]], then [[DATE_TIME 9:15 pm]] for [[DATE_TIME 30 days]]",
        "[[DATE_TIME 2024-03-15T08:14:22Z]]; [[DATE_TIME Tue, 11 Feb 2025 09:01:44 +0300]]",
        "[[DATE_TIME 15 رمضان 1445]] و [[DATE_TIME 12/05/1446 هـ]]",
        "tomorrow, next week, Sunday, in 2024, he is 45 years old, اليوم وغداً، عمره 45 سنة",
    )


@pytest.mark.clause("DETECT-34", "DETECT-35")
def test_places_and_organizations(finds: Finds) -> None:
    finds(
        "from [[LOCATION Buraydah]] to [[LOCATION المنطقة الشرقية]] and [[LOCATION France]]",
        "Saudi and Egyptian engineers; مهندس سعودي وآخر مصري",
        "[[ORGANIZATION Saudi Aramco]] hires",
    )


@pytest.mark.clause("DETECT-36")
def test_network_addresses(finds: Finds) -> None:
    finds("[[IP_ADDRESS 203.0.113.7]] [[IP_ADDRESS 2001:db8::1]]", "256.1.1.1, v1.2.3.4, A4:83:E7:12:9B:01")


@pytest.mark.clause("DETECT-13")
def test_what_is_not_detected(finds: Finds) -> None:
    finds(
        "diagnosis E11.9 and J45.40",
        "account 608010167519",
        "fingerprint FP-99A1, IDFA 6D92078A-8246-4BA4-AE5B-76104861E7DC, IMEI 356938035643809",
        "secret Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1",
    )


@pytest.mark.clause("DETECT-01", "DETECT-02")
def test_invisible_characters(client: httpx.Client) -> None:
    for hidden in "\u200b\u200d\u200f\u202a\u2066\u00ad\ufeff\u061c\u0600\ufe0f\U000e0100\u034f\u3164\U000e0041":
        text = f"(ID {hidden}10000{hidden * 3}00008)"
        (span,) = client.post("/api/v1/mask", json={"text": text}).json()["spans"]
        assert text[span["start"] : span["end"]] == f"10000{hidden * 3}00008"
    text = "ID １０００００００08"
    assert client.post("/api/v1/mask", json={"text": text}).json()["pii_count"] == 1


@pytest.mark.clause("DETECT-10", "DETECT-11")
def test_overlaps(client: httpx.Client) -> None:
    text = "Mr. Salman Alharbi"
    answer = client.post("/api/v1/redact", json={"text": text, "glossary": ["Salman"]}).json()
    assert answer["redacted_text"] == "Mr. CUSTOM_TERM_01 PERSON_NAME_01"
    answer = client.post("/api/v1/redact", json={"text": "a@example.com", "glossary": ["example"]}).json()
    assert answer["redacted_text"] == "a@CUSTOM_TERM_01.com"
