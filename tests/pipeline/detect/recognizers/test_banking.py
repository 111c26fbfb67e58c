"""IBAN and CREDIT_CARD: what is found and what must not be."""

import pytest

from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import STRUCTURED, found, unmarked

ROWS = [
    "IBAN [[IBAN SA0380000000608010167519]]",
    "على الآيبان [[IBAN SA03 8000 0000 6080 1016 7519]] باسم العميل",
    "آيبان[[IBAN SA0380000000608010167519]]",
    "IBAN:[[IBAN sa03 8000 0000 6080 1016 7519]] to",
    "IBAN[[IBAN SA0380000000608010167519]]",
    "[[IBAN SA03-8000-0000-6080-1016-7519]]",
    "IBAN: [[IBAN SA03/8000/0000/6080/1016/7519]]",
    "[[IBAN SA03_8000_0000_6080_1016_7519]]",
    "[[IBAN SA٠٣ ٨٠٠٠ ٠٠٠٠ ٦٠٨٠ ١٠١٦ ٧٥١٩]]",
    "[[IBAN SA03\u00a08000\u00a00000\u00a06080\u00a01016\u00a07519]].",
    "[[IBAN SA0380000000608010167519]],[[IBAN SA4420000001234567891234]]",
    "card [[CREDIT_CARD 4123456789012349]] was charged",
    "بطاقتك [[CREDIT_CARD 9682 1234 5678 9011]] مرفوضة",
    "[[CREDIT_CARD 5123-4567-8901-2346]]",
    "[[CREDIT_CARD ٤١٢٣ ٤٥٦٧ ٨٩٠١ ٢٣٤٩]]",
    "Amex [[CREDIT_CARD 3712 345678 90120]]",
    "[[CREDIT_CARD 371234567890120]]",
    "Diners [[CREDIT_CARD 36123456789013]]",
    "[[CREDIT_CARD 6212345678901232]] unionpay",
    "Refund to [[CREDIT_CARD 4123 4567 8901 2349]] 09/27 123",
    "card no [[CREDIT_CARD 7012345678901232]]",
    "card: [[CREDIT_CARD 4123_4567_8901_2349]]",
    "IBAN [[IBAN S A 0 3 8 0 0 0 0 0 0 0 6 0 8 0 1 0 1 6 7 5 1 9]]",
    "IBAN: [[IBAN SA03 8000 0000\n6080 1016 7519]] of the holder",
    "IBAN:\t[[IBAN SA03 8\r\n000 0000 6080 1016 7519]]",
    "> [[IBAN SA038000000060\n> 8010167519]] ok",
    "sa 12 branches\n[[IBAN SA0380000000608010167519]]",
    "card [[CREDIT_CARD 4 1 2 3 4 5 6 7 8 9 0 1 2 3 4 9]]",
    # not
    "SA0380000000608010167518",
    "الآيبان SA88 8094 4021 7617 6667 5985 غير صحيح",
    "DE89370400440532013000",
    "IBAN SA03 8000 0000\n6080 1016 7518",
    "IBAN SA03 8000 0000\n\n6080 1016 7519",
    "visa03 8000 0000\n6080 1016 7519",
    "XSA0380000000608010167519",
    "SA** **** 4410",
    "SA038000000060801016751",
    "SAP 2024 said same old story as before 1234567890",
    "4123456789012348",
    "5385 8508 1782 6576",
    "5588 **** **** 7712",
    "order 7012345678901232",
    "20250117083000",
    "41234567890123490",
    "0.4123456789012349",
    "4123.456789012349",
    "26.98409473546212",
]


@pytest.mark.parametrize("row", ROWS)
def test_finds_exactly_what_is_marked(row: str) -> None:
    text, entities = unmarked(row)
    assert found(text) == entities


def test_lenient_keeps_an_iban_whose_check_fails_but_never_a_card() -> None:
    lenient = DetectOptions(enabled=STRUCTURED, strict_checksums=False)
    assert found("SA03 8000 0000 6080 1016 7518", lenient) == [("IBAN", "SA03 8000 0000 6080 1016 7518")]
    assert found("SA03 8000 0000\n6080 1016 7518", lenient) == []
    assert found("4123456789012348", lenient) == []


def test_lenient_keeps_a_misread_iban_behind_its_label() -> None:
    lenient = DetectOptions(enabled=STRUCTURED, strict_checksums=False)
    misread = "5803 8000 0000 6080 1016 7519"
    assert found(f"IBAN: {misread}", lenient) == [("IBAN", misread)]
    assert found(f"IBAN: {misread}") == []
    assert found("IBAN is missing, please send it to us as soon as you can", lenient) == []
