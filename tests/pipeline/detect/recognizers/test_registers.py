"""Numbers with labels: BUSINESS_ID, TAX_ID, PASSPORT, MRN, MEDICAL_LICENSE, INSURANCE_POLICY, STUDENT_ID."""

import pytest

from schemas.spans import DetectOptions
from tests.pipeline.detect.marked import STRUCTURED, found, unmarked

BUSINESS = [
    "commercial reg no [[BUSINESS_ID 4650217151]]",
    "السجل التجاري [[BUSINESS_ID 4650217151]]",
    "سجل تجاري رقم: [[BUSINESS_ID ٤٦٥٠٢١٧١٥١]]",
    "C.R. [[BUSINESS_ID 4030608472]], unified no. [[BUSINESS_ID 7002446555]]",
    "CR No. [[BUSINESS_ID 4030608472]]",
    "CR: [[BUSINESS_ID 4030 608 472]]",
    "الرقم الوطني الموحد للمنشأة هو [[BUSINESS_ID 7002446555]]",
    "س.ت [[BUSINESS_ID 4030608472]]",
    "[[BUSINESS_ID 4030608472]] (CR)",
    "[[BUSINESS_ID 4030608472]] هو رقم السجل التجاري",
    "Commercial Registration Number\n[[BUSINESS_ID 4030608472]]",
    "رقم المنشأة\t[[BUSINESS_ID 7002446555]]",
    "unified numbers [[BUSINESS_ID 7002446555]] and [[BUSINESS_ID 7002446563]]",
    "5901122338 and 4030608472 are totals",
    "CR 40306084",
    "the crew of 4030608472",
    "رقم الطلب 4030608472",
    "السجل التجاري منتهي، رقم الفاتورة 4030608472",
    "CR expired. Invoice 4030608472",
    "[[BUSINESS_ID 4030608472]]\nالسجل التجاري",
    '{"cr_number": "[[BUSINESS_ID 4030608472]]"}',
]
TAX = [
    "رقم التعريف الضريبي [[TAX_ID 3002707692]]",
    "الرقم الضريبي [[TAX_ID ٣٩٣٩٢١٩٤٧٩٠٠٠٠٣]] الإجمالي",
    "VAT [[TAX_ID 300710482300003]]",
    "[[TAX_ID 300710482300003]]",
    "VAT no. [[TAX_ID 300 710 482 300 003]]",
    "VAT Reg No: [[TAX_ID 3007104823-00003]]",
    "TIN [[TAX_ID 3002707692]]",
    "الرقم المميز: [[TAX_ID 3002707692]]",
    "VAT الرقم الضريبي [[TAX_ID 340080509200003]] Customer",
    "border no. 3002707692",
    "3002707692",
    "VAT 15%",
    "VAT of 300 SAR".replace("300 SAR", "[[MONETARY_AMOUNT 300 SAR]]"),
    "IMEI 356938035643809",
    "400710482300003",
    "3007104823000030",
    "A300710482300003",
]
PASSPORT = [
    "passport number is [[PASSPORT 512340987]]",
    "travel / PP [[PASSPORT Z4410098]] / visa",
    "رقم وثيقة السفر [[PASSPORT A12345678]]",
    "جوازي رقمه [[PASSPORT A12345678]]",
    "Passport No. [[PASSPORT C01X00T47]]",
    "Passport [[PASSPORT B55019823]], seat 14C",
    "جواز السفر رقم [[PASSPORT A12345678]]",
    "رقم الجواز: [[PASSPORT EM2828828]]",
    "(passport [[PASSPORT P1234567A]])",
    "passport no [[PASSPORT 123456789]]",
    "my passport number is [[PASSPORT K7729057]]",
    "Passport: [[PASSPORT A 12345678]]",
    "Name الاسم: X — Passport جواز: [[PASSPORT W7712098]]",
    "passports [[PASSPORT K7729057]] and [[PASSPORT L5952961]]",
    "[[PASSPORT A12345678]] is my passport number",
    "جوازه [[PASSPORT ج12345678]]".replace("[[PASSPORT ج12345678]]", "[[PASSPORT A١٢٣٤٥٦٧٨]]"),
    "P<SAUALHARBI<<FAHAD<NASSER<<<<<<<<<<<<<<<<<<\n[[PASSPORT A123456784SAU9003152M3001019<<<<<<<<<<<<<<06]]",
    "B55019823",
    "flight SV1234567",
    "passport expires 12 months later".replace("12 months", "[[DATE_TIME 12 months]]"),
    "passport office, ticket 55019823",
    "A123456785SAU9003152M3001019<<<<<<<<<<<<<<06",
    "the passport is 12345 pages",
]
MRN = [
    "السجل الطبي رقم: [[MRN 1-55-2210]]",
    "رقم الملف: [[MRN 10-22-45]]",
    "MRN [[MRN 12 34 56]]",
    "file no. [[MRN A664120B]]",
    "رقم الملف [[DATE_TIME 12/05/2024]]",
    "UHID: [[MRN 0091823]]",
    "MRN [[MRN 664120]] seen",
    "(MRN: [[MRN 0091823]])",
    "رقم الملف الطبي [[MRN 0091823]]",
    "ملف رقم [[MRN ٧٣٤١٤٣]] للمريضة",
    "file no. [[MRN KF-0091823]]",
    "Medical Record Number\n[[MRN 664120]]",
    '"mrn": "[[MRN 664120]]"',
    "mrn=[[MRN 664120]]",
    "رقم ملف المريض هو [[MRN 664120]]",
    "[[MRN 664120]] رقم ملفي الطبي".replace("رقم ملفي الطبي", "رقم الملف الطبي"),
    "The MRN of the patient is [[MRN 664120]]",
    "MRN-[[MRN 664120]]",
    "Pt file [[MRN 12-345-67]]",
    "664120",
    "lab id 77120334",
    "MRN pending, room 664120",
    "file size 664120 bytes",
    "MRN 12",
]
LICENSE = [
    "software license XK22-9912-ABCD",
    "trade license no 77120-22",
    "License no. [[MEDICAL_LICENSE SCFHS/2024/08172]]",
    "ترخيص رقم [[MEDICAL_LICENSE 14.R.M.008924]]",
    "SCFHS registration [[MEDICAL_LICENSE R-M-0012345]]",
    "رخصة ممارسة المهنة رقم [[MEDICAL_LICENSE 20144567]]",
    "SCFHS license no. [[MEDICAL_LICENSE SCFHS-7710233]] — Dr.",
    "ترخيص رقم [[MEDICAL_LICENSE 16-R-M-0033107]].",
    "[[MEDICAL_LICENSE 14-R-M-008924]]",
    "[[MEDICAL_LICENSE SCFHS-2024-08172]]",
    "رقم التصنيف [[MEDICAL_LICENSE 12345678]]",
    "رقم الترخيص: [[MEDICAL_LICENSE ١٢٣٤٥٦٧]]",
    "classification no [[MEDICAL_LICENSE 1234567]]",
    "SCFHS registration [[MEDICAL_LICENSE 16-R-T-0088749]], signed",
    "SCFHS is an authority",
    "1234567",
    "driver license 1234567890 lost",
    "14-X-M-008924",
    "software license 2024",
    "رقم رخصة الطبيبة [[MEDICAL_LICENSE 09812345]]",
    "الرخصة المهنية: [[MEDICAL_LICENSE 8127731]]",
    "ترخيص وزارة الصحة رقم [[MEDICAL_LICENSE 09812345]]",
    "رقم تصنيفه [[MEDICAL_LICENSE 8127731]]",
    "Lic# [[MEDICAL_LICENSE 09812345]]",
    "licence: [[MEDICAL_LICENSE 14/R/M/008924]]",
    "رقم الترخيص [[MEDICAL_LICENSE 11-N-0098123]]",
    '{"license_number": "[[MEDICAL_LICENSE 8127731]]"}',
    '{"medicalLicense": "[[MEDICAL_LICENSE 8127731]]"}',
    "[[MEDICAL_LICENSE 8127731]]\nSCFHS No",
    "التراخيص: [[MEDICAL_LICENSE 8127731]] و [[MEDICAL_LICENSE 8127732]]",
    "software licenses 12500",
    "عدد التراخيص 12500",
]
POLICY = [
    "my policy number is [[INSURANCE_POLICY 90112834]]",
    "Policy No. [[INSURANCE_POLICY HLT#44120]]",
    "insured person no. [[INSURANCE_POLICY 100229845]]",
    "Policy no. [[INSURANCE_POLICY MDG-44120-25]] covers",
    "وثيقة رقم [[INSURANCE_POLICY 90112834]] من",
    "Policy number [[INSURANCE_POLICY POL-2026-91863]], holder",
    "Policy number [[INSURANCE_POLICY P/01/2025/724080]], holder",
    "رقم البوليصة: [[INSURANCE_POLICY TAW-2024-118273]]",
    "Policy #[[INSURANCE_POLICY 12345678]]",
    "Membership No. [[INSURANCE_POLICY 4567891]]",
    "GOSI: [[INSURANCE_POLICY 534399771]]",
    "التأمينات الاجتماعية [[INSURANCE_POLICY ٥٣٤٣٩٩٧٧١]]",
    "رقم اشتراك التأمينات الاجتماعية: [[INSURANCE_POLICY 534399771]]",
    "بوليصة التأمين [[INSURANCE_POLICY ٩٠١١٢٨٣٤]]",
    "[[INSURANCE_POLICY 90112834]] (policy no.)",
    "return policy 30 days".replace("30 days", "[[DATE_TIME 30 days]]"),
    "our policy 2024 changed",
    "insurance is good",
    "90112834",
    "privacy policy version 12345",
    "رقم بوليصة الشحن 90112834",
    "وثيقتي [[INSURANCE_POLICY 90112834]]",
    "بوليصتي رقمها [[INSURANCE_POLICY 90112834]]",
    "وثيقة تأمين المركبة رقم [[INSURANCE_POLICY 90112834]]",
    "رقم عضوية بوبا [[INSURANCE_POLICY 4567891]]",
    "الوثيقتان [[INSURANCE_POLICY 90112834]] و [[INSURANCE_POLICY 90112835]]",
    "أرقام الوثائق: [[INSURANCE_POLICY 90112834]]، [[INSURANCE_POLICY 90112835]]",
    "policies [[INSURANCE_POLICY 90112834]] and [[INSURANCE_POLICY 90112835]]",
    "insured under [[INSURANCE_POLICY TAW-2024-118273]]",
    "pol. no. [[INSURANCE_POLICY 90112834]]",
    '{"policyNumber": "[[INSURANCE_POLICY POL-2026-9812]]"}',
    "policy_no=[[INSURANCE_POLICY POL-2026-9812]]",
    "[[INSURANCE_POLICY 90112834]]\nرقم الوثيقة",
    "التأمين [[MONETARY_AMOUNT 12000 ريال]]",
    "issued 120000 policies",
    "أصدرنا 12000 بوليصة",
    '{"policies": 12500}',
    "99120034\npolicy department",
    "طلب 12345678\nرقم الوثيقة",
    "رقم الفاتورة\n12345678\nرقم الوثيقة\n",
]
STUDENT = [
    "Student Reem Alsubaie ([[STUDENT_ID 444120987]]) pays",
    "the student union (room 12)",
    "my uni number: [[STUDENT_ID 2019004412]]",
    "الرقم الجامعي [[STUDENT_ID 442900178]] للطالبة",
    "Student number [[STUDENT_ID 441988210]], Taif",
    "Student ID: [[STUDENT_ID 35-1-2-2-0555]]",
    "رقم الطالب ٤٤٢٩٠٠١٧٨".replace("٤٤٢٩٠٠١٧٨", "[[STUDENT_ID ٤٤٢٩٠٠١٧٨]]"),
    "رقمي الأكاديمي [[STUDENT_ID 442900178]]",
    "uni id [[STUDENT_ID 2012345]]",
    "university ID\n[[STUDENT_ID 442900178]]",
    "[[STUDENT_ID 442900178]] رقمي الجامعي",
    "442900178",
    "Values 443100221, 99120034 are totals",
    "30 students passed",
    "student loan 442900178 riyals".replace("442900178 riyals", "[[MONETARY_AMOUNT 442900178 riyals]]"),
    "الأرقام الجامعية: [[STUDENT_ID 442900178]] و[[STUDENT_ID 442900179]]",
    "أرقام الطلاب [[STUDENT_ID 442900178]]، [[STUDENT_ID 442900179]]",
    "طالب برقم [[STUDENT_ID 442900178]]",
    "student (ID [[STUDENT_ID 442900178]])",
    "student with number [[STUDENT_ID 442900178]]",
    "Student No.: [[STUDENT_ID 442 900 178]]",
    "Student ID: [[STUDENT_ID STU/2023/0012]]",
    "Matric No [[STUDENT_ID 442900178]]",
    "رقم المتدرب [[STUDENT_ID 442900178]]",
    '{"student_id": "[[STUDENT_ID 442900178]]"}',
    '{"studentId": [[STUDENT_ID 442900178]]}',
    "uni-id: [[STUDENT_ID 442900178]]",
    "[[STUDENT_ID 442900178]]\nالرقم الجامعي",
    "Ahmed\nName\n[[NATIONAL_ID 1012345672]]\nID number\n[[STUDENT_ID 442900178]]\nStudent ID",
    "Student form\nStudent ID\n[[STUDENT_ID 442900178]]\nPolicy No\n[[INSURANCE_POLICY 90112834]]",
    "Student ID\n[[STUDENT_ID 442900178]]\nPolicy No\n[[INSURANCE_POLICY 90112834]]\nMRN",
    "بلغ عدد الطلاب 12500",
    "students 12500",
    "enrolled 45000 students",
    "student, ID 1012345671",
]
ROWS = BUSINESS + TAX + PASSPORT + MRN + LICENSE + POLICY + STUDENT


@pytest.mark.parametrize("row", ROWS)
def test_finds_exactly_what_is_marked(row: str) -> None:
    text, entities = unmarked(row)
    assert found(text) == entities


HEADINGS = [
    ("MRN", "664120", "MRN"),
    ("رقم الملف", "٠٠٩١٨٢٣", "MRN"),
    ("Student ID", "442900178", "STUDENT_ID"),
    ("الرقم الجامعي", "442900178", "STUDENT_ID"),
    ("Policy No", "POL-2026-91863", "INSURANCE_POLICY"),
    ("CR", "4030608472", "BUSINESS_ID"),
    ("السجل التجاري", "4030608472", "BUSINESS_ID"),
    ("Passport", "B55019823", "PASSPORT"),
    ("Mobile", "501234567", "PHONE_NUMBER"),
    ("Plate", "حرب 4521", "VEHICLE_PLATE"),
    ("TIN", "3002707692", "TAX_ID"),
    ("SSN", "349228107", "SSN"),
]


@pytest.mark.parametrize(("heading", "cell", "kind"), HEADINGS)
def test_a_table_heading_is_a_label(heading: str, cell: str, kind: str) -> None:
    assert found(cell, DetectOptions(enabled=STRUCTURED, context=heading)) == [(kind, cell)]
    assert found(cell, DetectOptions(enabled=STRUCTURED, context="Total")) == []


def test_the_name_above_a_valid_machine_readable_line_is_a_person() -> None:
    lines = "P<SAUALHARBI<<FAHAD<NASSER<<<<<<<<<<<<<<<<<<\nA123456784SAU9003152M3001019<<<<<<<<<<<<<<06"
    spans = found(lines, DetectOptions())
    assert ("PERSON", "ALHARBI<<FAHAD<NASSER") in spans
    assert ("PASSPORT", "A123456784SAU9003152M3001019<<<<<<<<<<<<<<06") in spans


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("P<PHLELTAYEB<<ABDELGADIR<<<<<<\nwords", [("PERSON", "ELTAYEB<<ABDELGADIR")]),
        ("P288053805PHL9110085M26011132032289676\t54", [("PASSPORT", "P288053805PHL9110085M26011132032289676")]),
        ("P<Q<<a", []),
    ],
)
def test_a_line_of_a_passport_that_was_read_from_pixels_needs_no_other(
    text: str, values: list[tuple[str, str]]
) -> None:
    assert found(text, DetectOptions(from_pixels=True)) == values
    assert found(text, DetectOptions()) == []
