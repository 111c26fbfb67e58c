"""PHONE_NUMBER and EMAIL_ADDRESS: what is found and what must not be."""

import pytest

from tests.pipeline.detect.marked import found, unmarked

PHONES = [
    "جوالي [[PHONE_NUMBER 0501234567]]",
    "[[PHONE_NUMBER ٠٥٠١٢٣٤٥٦٧]] أو [[PHONE_NUMBER 0551234567]]",
    "[[PHONE_NUMBER +966501234567]]",
    "[[PHONE_NUMBER +966 50 123 4567]]",
    "[[PHONE_NUMBER (+966) 50-123-4567]]",
    "[[PHONE_NUMBER +966-50-1234567]]",
    "[[PHONE_NUMBER 00966501234567]]",
    "[[PHONE_NUMBER 00966 50 123 4567]]",
    "[[PHONE_NUMBER 966501234567]]",
    "[[PHONE_NUMBER 966 50 123 4567]]",
    "[[PHONE_NUMBER +٩٦٦ ٥٠ ١٢٣ ٤٥٦٧]]",
    "[[PHONE_NUMBER +966 (0)50 123 4567]]",
    "[[PHONE_NUMBER 055-112-8840]] واتساب",
    "[[PHONE_NUMBER 05 4119 0083]]",
    "[[PHONE_NUMBER 050.123.4567]]",
    "[[PHONE_NUMBER 050 1234567]] [[PHONE_NUMBER 050 7654321]]",
    "رقمي 501234567".replace("501234567", "[[PHONE_NUMBER 501234567]]"),
    "mobile: [[PHONE_NUMBER 50 123 4567]]",
    "هاتف [[PHONE_NUMBER 0112345678]]",
    "Tel [[PHONE_NUMBER 011 234 5678]]",
    "[[PHONE_NUMBER 013-812-3456]]",
    "[[PHONE_NUMBER +966 11 234 5678]]",
    "call us on [[PHONE_NUMBER 920012345]]",
    "للتواصل: [[PHONE_NUMBER 9200 12345]]",
    "toll free [[PHONE_NUMBER 800 124 0000]]",
    "[[PHONE_NUMBER +971 50 123 4567]]",
    "[[PHONE_NUMBER +1 (415) 555-0132]]",
    "[[PHONE_NUMBER +44 20 7946 0958]]",
    "[[PHONE_NUMBER 0020 100 123 4567]]",
    "[[PHONE_NUMBER +977 984-1234567]].",
    "[[PHONE_NUMBER +919876543210]]",
    "tel:[[PHONE_NUMBER +966501234567]]",
    "https://wa.me/[[PHONE_NUMBER 966501234567]]",
    "الرقم:[[PHONE_NUMBER 0501234567]]،",
    "phone=[[PHONE_NUMBER 0501234567]];",
    "جواله[[PHONE_NUMBER 0501234567]]",
]
NO_PHONES = [
    "[[DATE_TIME 01/01/2024]] - [[DATE_TIME 30/06/2024]]",
    "[[DATE_TIME 05/06/2024]] - [[DATE_TIME 07/08/2024]]",
    "[[DATE_TIME 2024/01/05]] - [[DATE_TIME 2024/01/09]]",
    "[[DATE_TIME 01/12/2023]] 15 items",
    "920012345",
    "501234567 units",
    "8001240000",
    "call 937 or 911",
    "order 0212345678",
    "05012345678",
    "x0501234567",
    "+12",
    "+999 123 456 789",
    "5 + 12345678",
    "C++ 2024",
    "1+1234567",
    "0.0501234567",
    "INV00501234",
    "items 10 20 30 40 50 60 70",
]
EMAILS = [
    "أرسل إلى [[EMAIL_ADDRESS support@wadi-example.com.sa]] اليوم",
    "<[[EMAIL_ADDRESS k.raman@example.in]]>",
    "mailto:[[EMAIL_ADDRESS a_b+tag@example.co.uk]]?subject=x",
    "user=[[EMAIL_ADDRESS n.otaibi460@example.com]] from",
    "[[EMAIL_ADDRESS AHMED.ALI@EXAMPLE.COM]].",
    "[[EMAIL_ADDRESS a@b.co]],[[EMAIL_ADDRESS c@d.org]]",
    "البريد[[EMAIL_ADDRESS ahmad@example.com]]وشكرا",
    '"[[EMAIL_ADDRESS x-y@sub.example.io]]"',
    "([[EMAIL_ADDRESS first.last@example.edu.sa]])",
    "[[EMAIL_ADDRESS ａｂｃ@example.com]]",
    "[[EMAIL_ADDRESS علي@مثال.السعودية]]",
    "email:[[EMAIL_ADDRESS o'brien@example.com]]",
]
NO_EMAILS = [
    "@handle and @another.",
    "a@b",
    "a@.com",
    "foo@bar@",
    "user@localhost",
    "price @ 5.00",
    "@@@@ ....",
    "@property\ndef x",
    "npm i react@18.2.0",
    "name@",
    "git@",
]


@pytest.mark.parametrize("row", PHONES + NO_PHONES + EMAILS + NO_EMAILS)
def test_finds_exactly_what_is_marked(row: str) -> None:
    text, entities = unmarked(row)
    assert found(text) == entities
