"""What a code holds, as text for detection: plain, packed, foreign, broken."""

from base64 import b64encode, urlsafe_b64encode

import numpy as np
import pytest

from pipeline.documents.document import Reading
from pipeline.documents.raster.codes.reader import Code, Codes
from pipeline.geometry.strip import Strip
from pipeline.ocr.barcodes import with_codes
from pipeline.ocr.code_content import texts_of
from tests.pipeline.documents.symbols import invoice

INVOICE = (
    "Seller name: Salman Alharbi\nVAT registration number: 310122393500003\nInvoice date: 2024-05-01T10:00:00Z\n"
    "Invoice total: 1150.00 SAR\nVAT total: 150.00 SAR"
)
PHASE_TWO = invoice() + bytes([6, 44]) + b"x" * 44 + bytes([8, 88]) + b"\x00\xff" * 44
CARD = (
    "BEGIN:VCARD\r\nN:Alharbi;Salman;;;\r\nitem1.TEL;TYPE=CELL:0501234567\r\nADR:;;12 King Fahd Road;\r\n Riyadh;;;SA"
    "\r\nEND:VCARD"
)


@pytest.mark.parametrize(
    ("text", "unpacked"),
    [
        (b64encode(invoice()).decode(), INVOICE),
        (b64encode(PHASE_TWO).decode(), INVOICE),
        (f"https://example.com/q?d={b64encode(invoice()).decode().rstrip('=')}", INVOICE),
        ("https://example.com/u?n=Salman+Alharbi%20Jr", "https://example.com/u?n=Salman Alharbi Jr"),
        ("MECARD:N:Alharbi,Salman;TEL:0501234567;;", "Name: Salman Alharbi\nPhone: 0501234567"),
        (CARD, "Name: Salman Alharbi\nPhone: 0501234567\nAddress: 12 King Fahd Road Riyadh SA"),
        ("WIFI:T:WPA;S:home;P:a\\;b;;", "Network: home\nPassword: a;b"),
        ("M1ALHARBI/SALMAN MR   EABC123 JEDRUHSV 1234", "Passenger: ALHARBI/SALMAN MR"),
        (urlsafe_b64encode("سالم الحربي 0501234567".encode()).decode(), "سالم الحربي 0501234567"),
    ],
)
def test_known_packings_are_opened(text: str, unpacked: str) -> None:
    texts = texts_of(text, text.encode(), False)
    assert texts[0].split() == text.split()
    assert unpacked in texts


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/menu",
        "ABCDEFGHIJKLMNOPQRSTUVWX",
        b64encode(b"\x01\xfe" + bytes(30)).decode(),  # a tag whose length goes beyond the end
        b64encode(b"\xff\xfe\x00\x81" * 8).decode(),
        "AAAA====AAAA====AAAA",
        "M1 NO NAME HERE 123456789",
        "MECARD:",
        "%zz%",
    ],
)
def test_what_is_no_packing_stays_as_it_is(text: str) -> None:
    assert [form for form in texts_of(text, text.encode(), False) if ":" in form and form != text] == []


def test_bytes_are_read_as_utf_8_or_in_the_arabic_code_page() -> None:
    assert texts_of("?", "سالم الحربي".encode(), True) == ("سالم الحربي",)
    assert texts_of("?", "سالم الحربي".encode("cp1256"), True) == ("سالم الحربي",)
    assert INVOICE in texts_of("?", invoice(), True)


@pytest.mark.parametrize("content", [bytes(range(128, 256)), b"\x00\x01\x02\x03", b"", b"\x01\xff"])
def test_bytes_that_are_no_text_give_none(content: bytes) -> None:
    assert texts_of("?", content, True) == ()


def test_separators_end_a_line() -> None:
    assert texts_of("01062\x1d10AB\x1e21C", b"", False)[0] == "01062\n10AB\n21C"


def test_nested_base64_ends() -> None:
    text = "Salman Alharbi 0501234567"
    for _ in range(6):
        text = b64encode(text.encode()).decode()
    assert len(texts_of(text, text.encode(), False)) < 8


def test_what_looks_like_ink_and_lines_inside_a_code_is_neither() -> None:
    corners = np.array([(100, 100), (300, 100), (300, 200), (100, 200)], float)
    code = Code("item 7", b"item 7", is_binary=False, is_clean=True, is_linear=True, corners=corners)
    inside, outside = (120, 120, 150, 20), (120, 320, 150, 20)
    bars, line = Strip(110, 150, 180, 0, 30), Strip(110, 350, 180, 0, 30)
    reading = with_codes(Reading("r", "", (), (inside, outside), (bars, line)), Codes((code,), ()), (400, 400))
    assert (reading.unread, reading.unread_lines) == ((outside,), (line,))
    assert reading.text == "item 7"
