"""Partial national addresses, redacted with generalization and without: nothing of them stays, nothing beside is lost.

A row holds the address in brackets, and what it is generalized to: its city, or no more than the placeholder.
"""

from datetime import date

import pytest

from pipeline.detect.detector import Detector
from pipeline.transform.redact import redact
from schemas.entities import CORE_TYPES, EntityType
from schemas.spans import DetectOptions

CORE = DetectOptions(enabled=frozenset(CORE_TYPES))
DETECTOR = Detector()
PLACEHOLDER = "ADDRESS_01"

# An additional number behind the postal code.
PAIRS = [
    ("[Olaya St, Riyadh 12345-6789]", "Riyadh"),
    ("ship to [Olaya St 12345-6789]", PLACEHOLDER),
    ("[Al Olaya Dist. 12345-6789] please", PLACEHOLDER),
    ("[7878 Olaya St, 12345-6789]", PLACEHOLDER),
    ("[Olaya St, Al Olaya District, 12345-6789]", PLACEHOLDER),
    ("Address: [12345-6789]", PLACEHOLDER),
    ("go to [Building 7878, 12345-6789]", PLACEHOLDER),
    ("we met at [Riyadh 12345-6789].", "Riyadh"),
    ("[12345-6789 الرياض]", "الرياض"),
    ("أرسلها إلى [جدة ٢٣٤٣٤-٧٦٥٤]", "جدة"),
    ("أسكن في [حي الصفا ٢٣٤٣٤-٧٦٥٤]", PLACEHOLDER),
    ("[شارع الستين ٧٨٧٨، ٢٣٤٣٤-٧٦٥٤]", PLACEHOLDER),
]
# The words for the postal code.
LABELLED = [
    ("Postal code: [12345-6789]", PLACEHOLDER),
    ("Zip code [12345]", PLACEHOLDER),
    ("الرمز البريدي: [12345]", PLACEHOLDER),
    ("الرمز البريدى [١٢٣٤٥-٦٧٨٩]", PLACEHOLDER),
    ("الرمز البريدي هو [12345]", PLACEHOLDER),
    ("رمز البريد [12345]", PLACEHOLDER),
    ("يصل إلى [شارع العليا الرمز البريدي ١٢٣٤٥-٦٧٨٩] غدا", PLACEHOLDER),
    ("[شارع العليا رقم 12، الرمز البريدي رقم 12345]", PLACEHOLDER),
    ("عنواني [شارع العليا 3394 الرمز 12245]", PLACEHOLDER),
    ("[حي النخيل الرمزالبريدي 12345]", PLACEHOLDER),
    ("[مبنى 7878، الرقم الإضافي 6789، الرمز البريدي 12345]", PLACEHOLDER),
    ("[الرياض، الرمز البريدي 12345-6789]", "الرياض"),
    ("[الرياض الرمز البريدي 12345]", "الرياض"),
    ("[P.O. Box 4455, Postal Code 31491-1234, Fictionville]", PLACEHOLDER),
]
# A town of no gazetteer.
UNKNOWN_TOWN = [
    ("the parcel goes to [12 Flower Street, Fictionville 31491] before noon", PLACEHOLDER),
    ("[12 Flower Street, Fictionville 31491, Saudi Arabia]", PLACEHOLDER),
    ("[12 Flower Street\nFictionville 31491\nSaudi Arabia]", PLACEHOLDER),
    ("[7878 Flower Street Fictionville 31491-1234]", PLACEHOLDER),
    ("Address: [7878 Olaya St, Fictionville 12345-6789]", PLACEHOLDER),
    ("Address: [Fictionville, 12 Flower Street]", PLACEHOLDER),
    ("Address: [Fictionville 31491]", PLACEHOLDER),
    ("[Flat 5, Bldg 12, Flower Street, Fictionville]", PLACEHOLDER),
    ("[Street: Flower\nCity: Fictionville\nPostal code: 31491-1234]", PLACEHOLDER),
    ("[الشارع: الزهور\nالمدينة: وهميتان\nالرمز البريدي: 31491-1234]", PLACEHOLDER),
    ("[ص ب 4455، وهميتان 31491]", PLACEHOLDER),
    ("العنوان: [3394 شارع العليا، وهميتان 12245]", PLACEHOLDER),
    ("[7878 شارع الزهور - وهميتان - 31491-1234]", PLACEHOLDER),
    ("[7878 شارع الزهور وهميتان 31491-1234]", PLACEHOLDER),
    ("العنوان: [وهميتان، حي النخيل، شارع الزهور 12]", PLACEHOLDER),
    ("أسكن في [قرية وهميتان، شارع الزهور، مبنى 12]", PLACEHOLDER),
    ("العنوان [وهميتان 31491-1234]", PLACEHOLDER),
]
NO_ADDRESS = [
    "the code 12345-6789 of the part",
    "Reference: 12345-6789",
    "Part 12345-6789, Building 12 is new",
    "الرمز 12345 صالح لخمس دقائق",
    "your code 12345",
    "شارع العليا، بيع 12345 سيارة",
    "Traffic on King Road, Toyota sold 12345 cars",
    "Status: Approved 12345",
]


@pytest.mark.parametrize(("marked", "general"), PAIRS + LABELLED + UNKNOWN_TOWN)
def test_a_partial_address_is_taken_out_whole(marked: str, general: str) -> None:
    before, _, rest = marked.partition("[")
    address, _, after = rest.partition("]")
    detection = DETECTOR.detect(before + address + after, CORE)
    today = date(2026, 1, 15)
    assert redact(detection, (), today).text == f"{before}{PLACEHOLDER}{after}"
    assert redact(detection, (EntityType.ADDRESS,), today).text == f"{before}{general}{after}"


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_a_number_of_that_shape_alone_is_no_address(text: str) -> None:
    assert DETECTOR.detect(text, CORE).spans == ()
