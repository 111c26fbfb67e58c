"""A value found in one place of a document is removed in every spelling elsewhere, people by parts of their names too.

Each row: what detection finds thanks to a cue, a text elsewhere, and that text afterwards. All people are invented.
"""

import pytest

from pipeline.documents.document import Extraction, Findings, Fragment, JoinedText, Reading, TextUnit
from pipeline.documents.edits import applied, by_unit
from pipeline.entities.findings import find
from pipeline.entities.output_name import output_name, with_name
from schemas.spans import Action, DetectOptions, Term, TermSet
from tests.hiding_places.proof.running import detector

NAME, ARABIC = "Name: Zurkwen Talbari", "الاسم: زركوان الطلبري"
ORDINARY, ORDINARY_ARABIC = "Name: Faith Stone", "الاسم: سعيد نور"
P = "PERSON_NAME_01"

REMOVED = [
    # numbers
    ("ID 1012345672", "see 1,012,345,672 now", "see NATIONAL_ID_01 now"),
    ("ID 1012345672", "see 1012-345-672", "see NATIONAL_ID_01"),
    ("ID 1012345672", "رقم ١٠١٢٣٤٥٦٧٢", "رقم NATIONAL_ID_01"),
    ("ID 1012345672", "x?id=1012345672&y", "x?id=NATIONAL_ID_01&y"),
    ("ID 1012345672", "x1012345672x", "xNATIONAL_ID_01x"),
    ("ID 1012345672", "10123&#52;5672", "NATIONAL_ID_01"),
    ("ID 1012345672", "%31%30%31%32345672", "NATIONAL_ID_01"),
    ("ID 1012345672", r"\u00310123456\u00372", "NATIONAL_ID_01"),
    ("IBAN SA0380000000608010167519", "sa03-8000-0000-6080-1016-7519", "IBAN_01"),
    ("IBAN SA0380000000608010167519", "SA03%208000%200000%206080%201016%207519", "IBAN_01"),
    ("IBAN SA0380000000608010167519", "SA03\t8000\t0000\t6080\t1016\t7519", "IBAN_01"),
    ("passport A12345678", "a-123 456 78", "PASSPORT_01"),
    ("MRN: 55512345", "file 55512345.pdf", "file MRN_01.pdf"),
    ("MRN: 482133", "no. 482-133 there", "no. MRN_01 there"),
    ("Mobile: 501234567", "or 501234567 here", "or PHONE_01 here"),
    ("جوال 0501234567", "هذا 501234567 هنا", "هذا PHONE_01 هنا"),
    ("mail zurkwen@example.com", "mailto:zurkwen%40example.com?x=1", "mailto:EMAIL_01?x=1"),
    ("mail zurkwen@example.com", "zurkwen&#64;example&period;com", "EMAIL_01"),
    ("mail zurkwen@example.com", "a%252540b zurkwen%2540example.com", "a%252540b EMAIL_01"),
    # whole names
    (NAME, "by ZURKWEN  TALBARI", f"by {P}"),
    (NAME, "by zurkwen\ntalbari", f"by {P}"),
    (NAME, "?n=Zurkwen+Talbari&m=zurkwen%20talbari", f"?n={P}&m={P}"),
    (NAME, "zurkwen_talbari_cv.pdf", f"{P}_cv.pdf"),
    (NAME, "zurkwentalbari", P),
    (ARABIC, "كتبه زركـوان الطَّلبري", f"كتبه {P}"),
    (ARABIC, "وزركوان الطلبرى", f"و{P}"),
    (ARABIC, "%D8%B2%D8%B1%D9%83%D9%88%D8%A7%D9%86+%D8%A7%D9%84%D8%B7%D9%84%D8%A8%D8%B1%D9%8A", P),
    (ARABIC, "&#1586;&#1585;&#1603;&#1608;&#1575;&#1606; &#1575;&#1604;&#1591;&#1604;&#1576;&#1585;&#1610;", P),
    # parts of names
    (NAME, "Dear Zurkwen,", f"Dear {P},"),
    (NAME, "Mr. Talbari came", f"Mr. {P} came"),
    (NAME, "then Talbari came", f"then {P} came"),
    (NAME, "Talbari, Zurkwen", P),
    (NAME, "Talbari, Z. was here", f"{P}. was here"),
    (NAME, "Z. Talbari was here", f"{P} was here"),
    (NAME, "Zurkwen", P),
    (NAME, "Zurkwen's desk", f"{P}'s desk"),
    (NAME, "a friend of Zurkwen's", f"a friend of {P}'s"),
    ("Name: Salman Al-Talbari", "Salman and Al Talbari; AlTalbari, Salman", f"{P} and {P}; {P}"),
    ("Name: Abdul Rahman Talbari", "for Abdulrahman", f"for {P}"),
    ("Name: Sara bint Fahd Alharbi", "Ms. Sara", f"Ms. {P}"),
    (ORDINARY, "Dear Faith,", f"Dear {P},"),
    (ORDINARY, "we saw Faith there", f"we saw {P} there"),
    (ORDINARY, "Ms. Stone called", f"Ms. {P} called"),
    (ARABIC, "السيد الطلبري", f"السيد {P}"),
    (ARABIC, "حضر زركوان الاجتماع", f"حضر {P} الاجتماع"),
    (ARABIC, "وزركوان، لزركوان، للطلبري", f"و{P}، ل{P}، ل{P}"),
    (ARABIC, "زَركُوان", P),
    (ARABIC, "الطلبري، زركوان", P),
    ("الاسم: خالد بن سعيد الحارثي", "السيد الحارثي وصل", f"السيد {P} وصل"),
    (ORDINARY_ARABIC, "السيد سعيد", f"السيد {P}"),
    (ORDINARY_ARABIC, "الأستاذ نور حضر", f"الأستاذ {P} حضر"),
]
KEPT = [
    (NAME, "zurkwenish talbarian"),
    (NAME, "Talbari Hospital"),
    (NAME, "King Zurkwen Road"),
    (ORDINARY, "Faith is a virtue. Have faith."),
    (ORDINARY, "Stone walls and a stone"),
    (ORDINARY, "Stone Tiles"),
    (ORDINARY, "the Stone and a Faith"),
    (ORDINARY, "FAITH AND STONE"),
    ("Name: May Green", "we met in May in the green park; GREEN"),
    ("Name: Jordan Talbari", "made in Jordan last year"),
    (ORDINARY_ARABIC, "أنا سعيد بلقائكم"),
    (ORDINARY_ARABIC, "نور الشمس جميل"),
    ("الاسم: فهد الحربي", "وزارة الإنتاج الحربي"),
    ("الاسم: خالد الحارثي", "مستشفى الحارثي"),
    ("الاسم: ليلى البنكري", "النظام البنكري"),
    ("MRN: 482133", "14821330 x482133"),
    ("MRN: 4821", "the room 4821 there"),
]


def redacted(
    *texts: str, joints: tuple[JoinedText, ...] = (), terms: tuple[TermSet, ...] = ()
) -> tuple[list[str], Findings]:
    units = tuple(TextUnit(str(number), text) for number, text in enumerate(texts))
    findings = find(Extraction(units, joints=joints), (), detector(), DetectOptions(terms=terms))
    edits = by_unit(findings)
    return [applied(unit.text, unit.id, edits) for unit in units], findings


@pytest.mark.parametrize(("found", "elsewhere", "after"), REMOVED)
def test_a_value_goes_wherever_it_is_written(found: str, elsewhere: str, after: str) -> None:
    assert redacted(found, elsewhere)[0][1] == after


@pytest.mark.parametrize(("found", "elsewhere"), KEPT)
def test_what_only_looks_like_a_part_of_a_value_stays(found: str, elsewhere: str) -> None:
    (_, alone), _ = redacted("nothing", elsewhere)
    (first, after), _ = redacted(found, elsewhere)
    assert "_01" in first
    assert after == alone  # what detection sees without the other text, and nothing more


def test_a_part_that_two_people_share_has_a_number_of_its_own() -> None:
    texts, findings = redacted("Sara Alharbi and Omar Alharbi", "Mr. Alharbi", "Dear Sara,", "Alharbi, O.")
    assert texts == [
        "PERSON_NAME_01 and PERSON_NAME_02",
        "Mr. PERSON_NAME_03",
        "Dear PERSON_NAME_01,",
        "PERSON_NAME_02.",
    ]
    assert [value.surface for value in findings.values] == ["Sara Alharbi", "Omar Alharbi", "Alharbi"]


def test_names_of_two_words_are_never_taken_for_one_person() -> None:
    texts, _ = redacted("خالد سعيد الحارثي", "خالد الحارثي")
    assert texts == ["PERSON_NAME_01", "PERSON_NAME_02"]


def test_what_files_are_called_and_what_ocr_reads_counts_as_found() -> None:
    extraction = with_name(Extraction((TextUnit("0", "Dear Sara,"),)), "letter_of_Sara_Alharbi.csv")
    findings = find(extraction, (Reading("r", "Mr. Alharbi", ()),), detector(), DetectOptions())
    assert output_name("letter_of_Sara_Alharbi.csv", findings) == "letter_of_PERSON_NAME_01.csv"
    assert {place.unit for place in findings.places} == {"0", "r", "::file-name"}
    assert [value.surface for value in findings.values] == ["Sara Alharbi"]


def test_an_allowed_term_keeps_a_part_of_a_name() -> None:
    allowed = TermSet((Term("Talbari", action=Action.ALLOW),))
    assert redacted(NAME, "then Talbari came", terms=(allowed,))[0][1] == "then Talbari came"


def joint(*lengths: int, **fields: object) -> JoinedText:
    return JoinedText(tuple(Fragment(str(n), 0, length) for n, length in enumerate(lengths)), **fields)  # type: ignore[arg-type]


def test_a_value_in_two_neighbours_is_one_value() -> None:
    name = joint(7, 7, context="First name\nLast name")
    assert redacted("Zurkwen", "Talbari", joints=(name,))[0] == [P, P]
    assert redacted("Zurkwen", "Talbari")[0] == ["Zurkwen", "Talbari"]
    iban = joint(14, 14)
    assert redacted("SA03 8000 0000", "6080 1016 7519", joints=(iban,))[0] == ["IBAN_01", "IBAN_01"]
    digits = joint(*[1] * 10, glue="", context="رقم الهوية")
    assert redacted(*"1012345672", joints=(digits,))[0] == ["NATIONAL_ID_01"] * 10
    mail = joint(10, 9, glue="")
    assert redacted("write zurk", "w@ex.com.", joints=(mail,))[0] == ["write EMAIL_01", "EMAIL_01."]


def test_running_text_goes_on_over_a_cut() -> None:
    texts = ("This letter is about Mr. Fahad", "Alotaibi who lives here")
    flowing = joint(len(texts[0]), len(texts[1]), flows=True)
    assert redacted(*texts, joints=(flowing,))[0] == [f"This letter is about Mr. {P}", f"{P} who lives here"]
    assert redacted(*texts, joints=(joint(len(texts[0]), len(texts[1])),))[0][1] == texts[1]


def test_neighbours_without_a_label_are_not_made_one() -> None:
    assert redacted("10123", "45672", joints=(joint(5, 5, glue=""),))[0] == ["10123", "45672"]
    assert redacted("Riyadh", "Jeddah", joints=(joint(6, 6, context="City"),))[0] == ["LOCATION_01", "LOCATION_02"]
    bad = joint(5, 5, glue="", context="National ID")
    assert redacted("10123", "45673", joints=(bad,))[0] == ["10123", "45673"]  # its check digit fails
