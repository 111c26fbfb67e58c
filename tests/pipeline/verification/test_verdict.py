"""The verdict finds every found value in every disguise, runs detection again, and accepts clean outputs."""

import re
from dataclasses import replace

import pytest

from pipeline.documents.document import Engine, Findings, FoundValue, Raster, Reading
from pipeline.verification.reading import Leftover, Passage, SecondReading
from pipeline.verification.verdict import partial_names, partial_numbers
from tests.pipeline.ocr.words import Word
from tests.pipeline.verification.conftest import Judge

PERSON, ID, IBAN, EMAIL, MRN = "PERSON", "NATIONAL_ID", "IBAN", "EMAIL_ADDRESS", "MRN"


def value(type_: str, surface: str, distinctive: bool = True) -> FoundValue:
    return FoundValue(type_, surface, surface, f"{type_}_01", distinctive)


VALUES = Findings(
    (),
    (
        value(ID, "1012345672"),
        value(IBAN, "SA0380000000608010167519"),
        value(PERSON, "فهد القحطاني"),
        value(PERSON, "Noura Almithali"),
        value(EMAIL, "noura@example.com"),
        value(MRN, "KF-55012", distinctive=False),
        value(PERSON, "Will", distinctive=False),
    ),
)

SURVIVORS = [
    ("as it was", "see 1012345672 there", ID),
    ("in Eastern digits", "رقم ١٠١٢٣٤٥٦٧٢", ID),
    ("in Persian digits", "رقم ۱۰۱۲۳۴۵۶۷۲", ID),
    ("in full-width digits", "１０１２３４５６７２", ID),
    ("grouped", "10123 45672", ID),
    ("grouped otherwise", "1.012.345.672", ID),
    ("broken by a line end", "10123\n45672", ID),
    ("with invisible characters", "1012\u200b34\u00ad5672", ID),
    ("inside a longer string", "file_2024x1012345672_scan", ID),
    ("inside longer digits", "0010123456720", ID),
    ("backwards, as visual order may have it", "٢٧٦٥٤٣٢١٠١", ID),
    ("an IBAN in lower case and groups", "sa03 8000 0000 6080 1016 7519", IBAN),
    ("a name with vowel marks", "فَهْد القَحطاني", PERSON),
    ("a name with tatweel and other alef", "فهــد ألقحطاني", PERSON),
    ("a name in presentation forms", "\ufed3\ufeec\ufeaa \ufe8d\ufedf\ufed8\ufea4\ufec4\ufe8e\ufee7\ufef2", PERSON),
    ("a name in visual order", "فهد القحطاني"[::-1], PERSON),
    ("a name whose words changed places", "القحطاني فهد", PERSON),
    ("a name torn by extraction", "No ura Almi thali", PERSON),
    ("a name in capitals across lines", "NOURA\nALMITHALI", PERSON),
    ("a name with accents", "Nöura Älmithali", PERSON),
    ("an address with other separators", "noura (at) example.com noura@ example.com", EMAIL),
    ("a short code as a token", "ward KF-55012, bed 2", MRN),
    ("a short code in other groups", "ward KF 55012", MRN),
    ("an ordinary word alone in a line", "Signed:\nWill\n", PERSON),
]


@pytest.mark.parametrize(("text", "type_"), [row[1:] for row in SURVIVORS], ids=[row[0] for row in SURVIVORS])
def test_a_found_value_is_seen_in_any_disguise(judge: Judge, text: str, type_: str):
    assert (type_, True) in [(left.type, left.known) for left in judge(text, VALUES)]


DISTINCTIVE_IN_RAW = [
    '<w:docPr id="7" name="1012345672"/>',
    '<w:instrText>HYPERLINK "mailto:noura@example.com"</w:instrText>',
    "<!-- Noura Almithali -->",
    "SA03 8000 0000 6080 1016 7519",
]


@pytest.mark.parametrize("raw", DISTINCTIVE_IN_RAW)
def test_distinctive_values_may_not_stand_in_what_programs_read(judge: Judge, raw: str):
    assert judge(SecondReading((), (), (raw,)), VALUES)


HONEST = [
    "",
    "NATIONAL_ID_01 PERSON_NAME_02, IBAN_01",
    "Dear PERSON_NAME_01,\nyour number NATIONAL_ID_01 was received.",
    "الاسم: PERSON_NAME_01 رقم الهوية: NATIONAL_ID_01",
    "PERSON NAME 01 and NATIONAL_ID_O1 and PHONE_Ol",  # as OCR reads them
    "EMAIL_0l\nCARD_O2\nADDRESS 01",
    "Will you come? We will.",  # the word, not the person: neither a cue nor alone
    "ward 12, bed 55",
    "Invoice 7781, page 3 of 12",
    "columns 1012 34 56 | 72 units",
    "11\t's\n12\n13\n14\n15\n16\t-harbi",  # row numbers that happen to have a valid check digit
    "318\t's\n319\n320\n321\n322\n323\t, ",
]


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_output_passes(judge: Judge, text: str):
    assert judge(text, VALUES) == ()


def test_a_number_that_lines_divide_is_seen_unless_they_count_upwards(judge: Judge):
    assert [left.type for left in judge("x\n10\n58\n37\n49\n25\ty")] == [ID]
    assert judge("x\n12\n13\n14\n15\n16\ty") == ()


def test_the_formats_own_words_are_no_findings(judge: Judge):
    raw = (
        '<w:p w:rsidR="00A12345" w:rsidRDefault="00B98765"><w:pPr><w:spacing w:after="160" w:line="259"/></w:pPr>'
        "<dcterms:created>2024-03-15T09:00:00Z</dcterms:created><w:sz w:val='1012'/>"
    )
    content = "\n".join(["BT", "/F1 12 Tf", "72 720 Td", "ET"]) + "0.1012 0.3456 0.72 rg"
    assert judge(SecondReading((), (), (raw, content)), VALUES) == ()


def test_what_detection_finds_anew_is_a_leftover_of_its_own_type(judge: Judge):
    assert Leftover("PHONE_NUMBER", "+966 50 123 4567", known=False) in judge("Call +966 50 123 4567 today", VALUES)
    assert Leftover(ID, "1098765432", known=False) in judge("ID 1098765432", VALUES)  # whatever its check digit


def test_a_heading_is_a_cue_in_the_second_reading_too(judge: Judge):
    second = SecondReading((Passage("441020055", "Student ID"), Passage("441020055")))
    assert [left.type for left in judge(second)] == ["STUDENT_ID"]


def test_what_surrounds_a_placeholder_is_still_looked_at(judge: Judge):
    assert judge("PERSON_NAME_01 1098765432 PERSON_NAME_02")
    assert judge("PHONE_01, +966501234567")


@pytest.mark.parametrize(
    "shown",
    [
        "AMouNT_01",
        "AMOUNT O1",
        "Person_Name_0l",
        "PERSON_NAME_O",
        "PERSON_NAME_l",
        "IDATE_02",
        "|PHONE_01",
        "PERSON_NAM E_02",
        "NATIONAL _ID_01",
    ],
)
def test_a_misread_placeholder_is_none_too(judge: Judge, shown: str):
    assert judge(f"Name: {shown}") == ()


@pytest.mark.parametrize(
    "text",
    [
        "phone_0501234567",
        "phone +966501234567",
        "id_1098765432",
        "Phone 01 or +966501234567",
        "PHONE_O 966501234567",
        "IPHONE_0501234567",
        "P E R S O N 0501234567",
    ],
)
def test_what_only_begins_like_a_placeholder_is_looked_at(judge: Judge, text: str):
    assert judge(text)


def test_an_amount_or_a_date_is_none_that_our_placeholder_makes_up(judge: Judge):
    assert judge("$ AMOUNT_01 3. Estimate the pay") == ()
    assert judge("$ 1,950.00 AMOUNT_01 3. Estimate the pay")


def test_one_letter_over_and_over_stands_in_no_longer_row_of_it(judge: Judge):
    values = Findings((), (value(EMAIL, "aaaa@aaa-aaaaaa.aa"),))
    assert judge("a" * 60, values) == ()
    assert judge("a" * 60 + " write to aaaa@aaa-aaaaaa.aa", values)


def test_readings_of_rasters_count(judge: Judge):
    raster = Raster("page/0", 100, 100)
    reading = Reading("page/0", "10123 45672", ())
    assert judge(SecondReading((), (raster,)), VALUES, (reading,))
    assert judge(SecondReading((), (raster,)), VALUES, (Reading("page/0", "", ()),)) == ()


def test_the_number_of_a_printed_label_is_no_part_of_the_number_in_the_next_line(judge: Judge):
    text = "number\tIBAN\nE-13582\tIBAN_01\n66383\tIBAN_02"
    words = [Word(match.start(), match.end(), 0, 0, 9, 9, 95.0) for match in re.finditer(r"\S+", text)]
    labels = [replace(word, engine=Engine.LABEL) if "_" in text[word.start : word.end] else word for word in words]
    second = SecondReading((), (Raster("page/0", 100, 100),))
    assert judge(second, Findings(()), (Reading("page/0", text, tuple(words)),))
    assert judge(second, Findings(()), (Reading("page/0", text, tuple(labels)),)) == ()


def test_a_raster_that_nobody_read_proves_nothing(judge: Judge):
    with pytest.raises(ValueError, match="raster"):
        judge(SecondReading((), (Raster("page/0", 100, 100),)), VALUES)


def test_each_leftover_is_named_once(judge: Judge):
    left = judge("1012345672 and 1012345672 and ١٠١٢٣٤٥٦٧٢ and again 1012345672", VALUES)
    assert len([item for item in left if item.known and item.surface == "1012345672"]) == 1


def test_lines_in_visual_order_are_detected_in_logical_order(judge: Judge):
    line = "اسم العميل: خالد بن عبدالله الغامدي في الرياض"
    assert "PERSON" in [left.type for left in judge(line[::-1])]


def test_reversed_arabic_is_a_guess_where_ocr_read_it(judge: Judge):
    """Alef that is read as a bar makes a line look reversed; OCR gives logical order."""
    raster, line = Raster("page/0", 100, 100), "اسم العميل: خالد بن عبدالله الغامدي في الرياض"
    for text, sure in ((line, {True}), (line[::-1], {False})):
        words = tuple(Word(m.start(), m.end(), 0, 0, 9, 9, 95) for m in re.finditer(r"\S+", text))
        found = judge(SecondReading((), (raster,)), Findings(()), (Reading(raster.id, text, words),))
        assert {left.sure for left in found if left.type == PERSON} == sure


def test_it_is_linear_in_text_and_values(judge: Judge):
    """100 KB of digits against thousands of values: nothing quadratic survives the timeout."""
    values = tuple(value(ID, f"{1_000_000_000 + 7_919 * number}") for number in range(1_000))
    short = tuple(value(MRN, f"A{100_000 + number}", distinctive=False) for number in range(1_000))
    judge(SecondReading((), (), ("0 12345 " * 12_000, "x" * 100_000)), Findings((), values + short))
    judge(SecondReading((Passage("12 " * 20_000),)), Findings((), values + short))


@pytest.mark.parametrize(("confidence", "sure"), [(66, False), (85, True)])
def test_an_amount_that_ocr_doubts_is_a_guess_unless_it_was_found_before(judge: Judge, confidence: int, sure: bool):
    raster = Raster("page/0", 100, 100)
    reading = Reading(raster.id, "DPR £632 85.0", (Word(4, 8, 0, 0, 9, 9, confidence), Word(9, 13, 0, 0, 9, 9, 95)))
    second = SecondReading((), (raster,))
    assert [(left.type, left.sure) for left in judge(second, Findings(()), (reading,))] == [("MONETARY_AMOUNT", sure)]
    found = Findings((), (value("MONETARY_AMOUNT", "£632", distinctive=False),))
    assert [left.sure for left in judge(second, found, (reading,))] == [True]


@pytest.mark.parametrize(
    ("text", "types"),
    [("Desk £5 left", []), ("Desk $5 left", []), ("Desk £45 left", ["MONETARY_AMOUNT"]),
     ("Paid 5 SAR", ["MONETARY_AMOUNT"])],
)  # fmt: skip
@pytest.mark.parametrize("confidence", [70, 95])
def test_a_sign_with_one_digit_is_no_amount_in_a_raster(judge: Judge, text: str, types: list[str], confidence: int):
    """Tesseract takes Eastern digits for them."""
    raster = Raster("page/0", 100, 100)
    word = Word(5, text.rindex(" "), 0, 0, 9, 9, confidence)
    found = judge(SecondReading((), (raster,)), Findings(()), (Reading(raster.id, text, (word,)),))
    assert [left.type for left in found] == types
    if "5 " in text:
        assert judge(SecondReading((Passage(text),)))  # in text for people it is one


@pytest.mark.parametrize(("confidence", "sure"), [(20, False), (95, True)])
def test_words_beside_a_doubtful_one_are_a_guess(judge: Judge, confidence: int, sure: bool):
    raster = Raster("page/0", 100, 100)
    text = "الاسم: فهد بن القحطاني"
    words = (Word(0, 6, 0, 0, 9, 9, 95), Word(7, 10, 0, 0, 9, 9, 95), Word(11, 13, 0, 0, 9, 9, confidence),
             Word(14, 22, 0, 0, 9, 9, 95))  # fmt: skip
    seen = {
        left.surface: left.sure
        for left in judge(SecondReading((), (raster,)), Findings(()), (Reading(raster.id, text, words),))
    }
    assert {sure_ for surface, sure_ in seen.items() if surface.startswith("فهد") and "القحطاني" in surface} == {sure}


def test_a_name_that_the_tagger_dismissed_is_no_leftover_of_that_type(judge: Judge):
    heading = "Roman Arches"
    text = f"{heading}\nThe walls are made of stone."
    assert [left.surface for left in judge(text, Findings(()))] == [heading]
    assert not judge(text, Findings((), dismissed=((PERSON, "ROMAN  arches"),)))
    assert judge(text, Findings((), dismissed=((MRN, heading), (PERSON, "Roman"))))
    assert judge(f"{heading} and Noura Almithali", Findings((), VALUES.values, ((PERSON, "Noura Almithali"),)))


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("محمد العتيبي", "Please ask Mr. Otaibi.", ["Otaibi"]),
        ("Mohammed Alotaibi", "وصل العتيبي أمس", ["العتيبي"]),
        ("محمد العتيبي", "PERSON_NAME_01 sells Mohair in Otaibi Hospital.", []),
    ],
)
def test_a_part_of_a_name_in_the_other_script_is_a_leftover(name: str, text: str, left: list[str]) -> None:
    values = [FoundValue("PERSON", name, name, "PERSON_NAME_01", True)]
    assert [leftover.surface for leftover in partial_names(values, [Passage(text)])] == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Card 23456 of", ["23456"]),
        ("رقم ٢٣٤٥٦ في", ["23456"]),
        ("Account 0000 6080 of", ["0000 6080"]),
        ("Card 2345 of", []),  # too short to tell of it
        ("Total 99999 of 1012345999", []),
    ],
)
def test_a_raster_shows_no_part_of_a_number(text: str, left: list[str]):
    reading = Reading("image/0", text, ())
    assert [leftover.surface for leftover in partial_numbers(VALUES.values, [reading])] == left
