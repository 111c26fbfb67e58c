"""ADDRESS: one span from the first part to the last, in both languages and orders."""

import pytest

from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import found, unmarked

ADDRESSES = DetectOptions(enabled=frozenset({EntityType.ADDRESS}))

FOUND = [
    "الرمز البريدي للمنزل [[ADDRESS 12345]]",
    "الرمز البريدي الخاص بمنزلي: [[ADDRESS ١٢٣٤٥]]",
    "العنوان: [[ADDRESS الرياض، حي النخيل، شارع العليا 1234]]",
    "[[ADDRESS RRRD2929, 2929 King Road, Riyadh 12345]]",
    "العنوان الوطني: [[ADDRESS RRRD2929، 2929 طريق الملك فهد، حي العليا، الرياض 12345]]",
    "العنوان: [[ADDRESS 8080 طريق خريص، حي الروابي، الرياض 14214 – 2277]]",
    "[[ADDRESS 3128 شارع الإمام الشافعي، حي القدس، الرياض 13214 - 7721، المملكة العربية السعودية]] هذا عنواني",
    "العنوان الوطني: [[ADDRESS مبنى رقم ٧٣٤١، شارع الأمير سلطان، حي الزهراء، جدة ٢٣٥٢١، الرقم الإضافي ٣٠٢٨]]",
    "أسكن في [[ADDRESS حي الياسمين، شارع القيروان، مبنى 4410، شقة 12، الرياض]]",
    "عنواني [[ADDRESS حي الروضة شارع فلسطين مبنى 2210 جدة 23434]]",
    "[[ADDRESS شارع الملك فهد 8228، Makkah Road]]",  # the number of either
    "[[ADDRESS 8228 King Fahd Road, Jeddah 21411]]، [[ADDRESS شارع التحلية، حي العليا، الرياض]]",
    "[[ADDRESS P.O. Box 15501, Jeddah 21454]]\n[[ADDRESS P.O. Box 7, Riyadh 12345]]",
    "[[ADDRESS 12 Olaya St, Riyadh 12214, Riyadh Region]], [[ADDRESS Al Safa District, 9 Tahlia St, Jeddah 23326]]",
    "العنوان: [[ADDRESS ص.ب 7، منطقة الرياض]]\n\nالعنوان: [[ADDRESS ص.ب 8، جدة 21454]]",
    "[[ADDRESS 12 Olaya St, Riyadh 12214, P.O. Box 7]]",
    "العنوان: [[ADDRESS 2121 طريق المدينة المنورة، حي الروضة، جدة 23211]]",
    "المراسلات: [[ADDRESS ص.ب 4421 الدمام 31491]]",
    "[[ADDRESS صندوق بريد 9912، الخبر 31952]]",
    "العنوان الوطني المختصر: [[ADDRESS RNCA7878]]",
    "[[ADDRESS RYFD3885]] هو العنوان المختصر لبيتي",
    "العنوان: [[ADDRESS طريق الملك عبدالعزيز، حي الصفا، الدمام]]",
    "[[ADDRESS Bldg 2244, Al Imam Saud Rd, An Nuzhah Dist., Riyadh 12474-6603]]",
    "Send to Rasha at [[ADDRESS 6926 Ibn Sina St, As Safa Dist., Makkah 63309]].",
    "Deliver to [[ADDRESS Unit 7, Building 3316, Prince Mohammed bin Abdulaziz Street, Al Olaya District, "
    "Riyadh 12241-6610, Saudi Arabia]].",
    "Office: [[ADDRESS 4th Floor, Tower B, 7711 King Fahd Branch Rd, Al Aqiq Dist., Riyadh 13515]]",
    "Mailing address: [[ADDRESS P.O. Box 7712, Al Khobar 31952]]",
    "[[ADDRESS P O Box 88112, Riyadh 11662, Kingdom of Saudi Arabia]]",
    "Use short address [[ADDRESS RHGA3693]] for the courier.",
    "[[ADDRESS 7215 Abi Bakr As Siddiq Road, Al Wahah, Riyadh 12445, KSA]]",
    "She lives in [[ADDRESS Al Rawdah District, Jeddah 23435]].",
    "Address:\n[[ADDRESS Building No: 2244\nStreet: Al Olaya\nDistrict: Al Murooj\nCity: Riyadh\nPostal Code: 12245]]",
    "العنوان:\n[[ADDRESS رقم المبنى: 3394\nالشارع: العليا\nالحي: الورود\nالمدينة: الرياض\nالرمز البريدي: 12245]]",
    "Address: [[ADDRESS Al Narjis, Riyadh]]",
    "[[ADDRESS حي الشاطئ، شارع الخليج العربي، مبنى 2208، الدمام 32413]] للجار",
    "التوصيل على [[ADDRESS الطائف - حي شهار - شارع حسان بن ثابت - مبنى 3650 - 26513]]",
    "[[ADDRESS شارع الأمير نايف، وحدة رقم 5]]، 42319 ريال",
    "deliver to [[ADDRESS flat 3, 22 king road, al olaya, riyadh 12345]], please",
    "[[ADDRESS Gate 3, 2217 Palestine St, Mishrifah, Jeddah 23336]]",
    "Return address: [[ADDRESS 14 Wexcombe Lane, Bristol BS6 0ZZ, United Kingdom]]. Attn: Mr Standish",
    "It is at [[ADDRESS 12 Baker Street, London NW1 6XE, UK]] now",
]
NOT_FOUND = [
    "الرمز البريدي غير صحيح 12345",
    "الرمز للمنزل 12345",
    "Order RHSD3394 in Riyadh",
    "شارع العليا 30 متر",
    "طريق الملك فهد مزدحم",
    "يقع المحل في شارع الستين بجانب البنك",
    "سكان حي النسيم يشتكون",
    "نزلت في جدة 2024 مع الأهل",
    "اشتريت سيارة في الرياض بمبلغ 14214 ريال",
    "الرياض، جدة، الدمام",
    "He lives on Prince Sultan Street near the mosque.",
    "Traffic on King Abdullah Road was heavy",
    "villa 7, we met 4 people, jeddah 23614 was the number",
    "He waits at gate 4 in Riyadh",
    "take the second street, we are there",
    "In 2024 King Fahd Road was renewed",
    "Promo codes SAVE2024 and TEST1234 expired",
    "send TEST1234 to 5050",
    "Reference RHSD3394 was closed",
    "Riyadh 12474 was the flight",
    "box 12 and unit tests",
    "the apartment is small",
    "المبنى كبير والدور الأول مغلق",
    "from Riyadh to Jeddah on 12345",
    "Address: Riyadh",
    "Floor 3",
    "IP address 10.2.2.1",
    "e-mail address: x@example.com",
]


@pytest.mark.parametrize("marked", FOUND)
def test_an_address_is_one_span(marked: str) -> None:
    text, expected = unmarked(marked)
    assert found(text, ADDRESSES) == expected


@pytest.mark.parametrize("text", NOT_FOUND)
def test_a_street_a_number_or_a_code_alone_is_no_address(text: str) -> None:
    assert found(text, ADDRESSES) == []


def test_a_short_code_under_an_address_heading() -> None:
    options = DetectOptions(enabled=ADDRESSES.enabled, context="العنوان الوطني")
    assert found("RHSD3394", options) == [("ADDRESS", "RHSD3394")]
    assert found("RHSD3394", DetectOptions(enabled=ADDRESSES.enabled, context="Reference")) == []


def test_inside_an_address_is_only_the_address() -> None:
    text = "العنوان: 8080 شارع الأمير ماجد، حي الروابي، الرياض 14214"
    assert [kind for kind, _ in found(text, DetectOptions())] == ["ADDRESS"]


@pytest.mark.parametrize(
    "cell",
    ["حي النرجس", "Al Narjis, Riyadh", "King Fahd Road", "الرياض حي الملقا", "7788 Al Amal St", "النرجس، الرياض"],
)
def test_a_cell_under_an_address_heading_is_the_whole_address(cell: str) -> None:
    assert found(cell, DetectOptions(enabled=ADDRESSES.enabled, context="Home address")) == [("ADDRESS", cell)]


@pytest.mark.parametrize("cell", ["Riyadh", "n/a", "غير متوفر", "", "x@example.com"])
def test_other_cells_under_an_address_heading_are_not(cell: str) -> None:
    assert found(cell, DetectOptions(enabled=ADDRESSES.enabled, context="Home address")) == []
