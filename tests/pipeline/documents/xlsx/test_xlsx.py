"""Workbooks from extraction to output: labels, billing, formulas that became values, names that follow, refusals."""

import io
import zipfile

import openpyxl
import pytest

from pipeline.documents.document import Unread
from pipeline.documents.xlsx import handler as xlsx
from pipeline.verification.ooxml import xlsx as verification
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format
from tests.hiding_places.office_build import ID, NAME, PHONE, Part
from tests.hiding_places.proof.running import run
from tests.hiding_places.xlsx.places import PLACES
from tests.hiding_places.xlsx.workbook import SHEETML, WORKBOOK, book, formula, number, rooted, row, shared, text


def _opened(data: bytes) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(data))


def _units(data: bytes) -> dict[str, str]:
    extraction, _ = xlsx.extract(data)
    return {unit.text: unit.context for unit in extraction.units}


def test_cells_stand_under_their_headings() -> None:
    rows = row(1, text("A1", "Item"), text("B1", "Mobile"), text("C1", "City")) + row(
        2, text("A2", "Seed"), number("B2", "551234567"), text("C2", "North")
    )
    rows += row(4, text("A4", "Soil"), number("B4", "559876543"), text("C4", "South"))
    units = _units(book(rows))
    assert units["551234567"] == "Mobile"
    assert "Mobile" in units["559876543"]
    assert units["Mobile"] == ""


def test_merged_headings_label_all_their_columns() -> None:
    rows = row(1, text("A1", "Item"), text("B1", "Mobile"), text("D1", "City"))
    rows += row(2, text("A2", "Seed"), number("B2", "551234567"), number("C2", "559876543"), text("D2", "North"))
    data = book(rows, '<mergeCells count="1"><mergeCell ref="B1:C1"/></mergeCells>')
    assert _units(data)["559876543"] == "Mobile"


def test_cells_are_billed_and_nothing_else() -> None:
    data = book(row(1, shared("A1", 0)), strings=["<t>Two words</t>"], names=("Harvest", "Third sheet name"))
    extraction, _ = xlsx.extract(data)
    billed = " ".join(unit.text for unit in extraction.units if unit.billed)
    assert "Two words" in billed
    assert "Third sheet name" not in billed
    assert extraction.pages == 0 == xlsx.inspect(data)


def test_formulas_on_removed_cells_become_values_and_others_stay() -> None:
    rows = row(
        1, text("A1", NAME), number("B1", "5"), formula("C1", "B1*2", "10", "n"), formula("D1", "LEN(A1)", "14", "n")
    )
    rows += row(2, formula("A2", "D1+1", "15", "n"), formula("B2", "C1+1", "11", "n"))
    sheet = _opened(run(Format.XLSX, book(rows)).clean)["Harvest"]
    assert [sheet[a].value for a in ("A1", "C1", "D1", "A2", "B2")] == [
        "PERSON_NAME_01",
        "=B1*2",
        14,
        "=D1+1",
        "=C1+1",
    ]


def test_what_formulas_show_of_a_removed_value_becomes_its_placeholder_however_far() -> None:
    rows = row(1, text("A1", ID), formula("B1", "LEFT(A1,6)", ID[:6]), formula("C1", 'B1&"x"', ID[:6] + "x"))
    sheet = _opened(run(Format.XLSX, book(rows)).clean)["Harvest"]
    assert [sheet[a].value for a in ("A1", "B1", "C1")] == ["NATIONAL_ID_01"] * 3


def test_a_formula_never_calculated_goes_on_with_placeholders() -> None:
    rows = row(1, text("A1", NAME), formula("B1", 'A1&" farm"'))
    sheet = _opened(run(Format.XLSX, book(rows)).clean)["Harvest"]
    assert sheet["B1"].value == '=A1&" farm"'


def test_no_formula_is_ever_made() -> None:
    rows = row(1, text("A1", f"=HYPERLINK({NAME})"), text("B1", f"+{PHONE}"))
    output = run(Format.XLSX, book(rows)).clean
    with zipfile.ZipFile(io.BytesIO(output)) as archive:
        assert b"<f" not in archive.read("xl/worksheets/sheet1.xml")


def test_a_renamed_sheet_is_found_by_formulas_and_names() -> None:
    place = next(place for place in PLACES if place.name == "a sheet's name in formulas")
    opened = _opened(run(Format.XLSX, place.build()).clean)
    assert opened.sheetnames == ["Harvest", "PERSON_NAME_01"]
    assert opened["Harvest"]["A1"].value == "=SUM(PERSON_NAME_01!B1:B9)"
    assert opened.defined_names["Crops"].attr_text == "PERSON_NAME_01!$A$1:$B$9"
    assert opened["Harvest"]["A1"].hyperlink.location == "PERSON_NAME_01!A1"


def test_two_sheets_of_one_person_keep_two_names() -> None:
    opened = _opened(run(Format.XLSX, book(names=(NAME, f"{NAME} "))).clean)
    assert len(set(map(str.lower, opened.sheetnames))) == 2
    assert all(name.startswith("PERSON_NAME_01") and len(name) <= 31 for name in opened.sheetnames)


def test_a_table_is_called_what_its_headers_say() -> None:
    place = next(place for place in PLACES if place.name == "a table's column")
    sheet = _opened(run(Format.XLSX, place.build()).clean)["Harvest"]
    (table,) = sheet.tables.values()
    assert (
        [column.name for column in table.tableColumns]
        == [sheet["A1"].value, sheet["B1"].value]
        == ["Crop", "PERSON_NAME_01"]
    )
    assert sheet["A9"].value == "=SUM(Crops[PERSON_NAME_01])"


def test_untouched_pivot_tables_and_rules_stay() -> None:
    place = next(place for place in PLACES if place.name == "who refreshed a pivot table")
    output = run(Format.XLSX, place.build()).clean
    with zipfile.ZipFile(io.BytesIO(output)) as archive:
        assert "xl/pivotTables/pivotTable1.xml" in archive.namelist()
    column = '<filterColumn colId="0"><filters><filter val="Wheat"/></filters></filterColumn>'
    kept = book(row(1, text("A1", "Wheat")), f'<autoFilter ref="A1:B3">{column}</autoFilter>')
    with zipfile.ZipFile(io.BytesIO(run(Format.XLSX, kept).clean)) as archive:
        assert b'<filter val="Wheat"/>' in archive.read("xl/worksheets/sheet1.xml")


def test_what_goes_unread_is_counted() -> None:
    place = next(place for place in PLACES if place.name == "a connection")
    extraction, _ = xlsx.extract(place.build())
    assert dict(extraction.unread)[Unread.CONNECTION] == 1


def _with(name: str, content: str, kind: str, type_: str) -> bytes:
    return book(parts=[Part(name, content, kind, type_, WORKBOOK)])


def _main(type_: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book())) as old, zipfile.ZipFile(buffer, "w") as new:
        for entry in old.namelist():
            content = old.read(entry)
            new.writestr(entry, content.replace(f"{SHEETML}.sheet.main+xml".encode(), type_.encode()))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\3\4" + b"\0" * 100,
        book()[:-40],
        _main("application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
        _main("application/vnd.ms-excel.sheet.binary.macroEnabled.main"),
        _main("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"),
        _with(
            "xl/macrosheets/sheet1.xml",
            rooted("<macrosheet/>"),
            "xlMacrosheet",
            "application/vnd.ms-excel.macrosheet+xml",
        ),
        _with("xl/vbaProject.bin", "x", "vbaProject", "application/vnd.ms-office.vbaProject"),
        _with("xl/x.xml", "<a>" * 300 + "</a>" * 300, "x", "application/xml"),
    ],
    ids=["empty", "no zip", "truncated", "macros", "binary", "word", "macro sheet", "vba", "deep"],
)
def test_what_is_no_plain_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(StageFailed) as failed:
        xlsx.inspect(data)
    assert failed.value.code == ErrorCode.UNSUPPORTED_FORMAT


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="x"><c r="!!" t="s"><v>99999</v></c><c r="ZZZZ9" t="s"><v>-1</v></c><c t="q"><v>x</v></c></row>',
        '<row r="0"/><row r="99999999"><c r="A1"/></row><row><c/></row>',
        '<row r="1"><c r="A1" s="999"><v>1E400</v></c><c r="B1" s="-1"><v>NaN</v></c></row>',
        '<row r="1"><c r="A1"><f t="shared" si="7"/><v>5</v></c><c r="B1"><f t="array" ref="??">1</f></c></row>',
        '<row r="1"><c r="A1" t="inlineStr"/><c r="A1" t="inlineStr"><is/></c><c r="A1"><v/></c></row>',
        '<row r="1"><c r="A1"><f>' + "A1+" * 4000 + "1</f><v>2</v></c></row>",
    ],
)
def test_odd_cells_are_read_without_harm(rows: str) -> None:
    assert run(Format.XLSX, book(rows)).output is not None


def test_the_extent_of_a_picture_is_no_empty_extension() -> None:
    place = next(place for place in PLACES if place.name == "a shape's text")
    with zipfile.ZipFile(io.BytesIO(run(Format.XLSX, place.build()).clean)) as archive:
        assert b'<a:ext cx="2000000" cy="900000"/>' in archive.read("xl/drawings/drawing1.xml")


def test_price_tax_and_total_of_one_row_make_up_no_number() -> None:
    rows = row(1, *(text(f"{c}1", label) for c, label in zip("ABCD", ("Item", "Price", "Tax", "Total"), strict=True)))
    rows += row(2, text("A2", "Seed"), number("B2", "200"), number("C2", "270"), number("D2", "2070"))  # 2002702070
    sheet = _opened(run(Format.XLSX, book(rows)).clean)["Harvest"]
    assert [sheet[a].value for a in ("B2", "C2", "D2")] == [200, 270, 2070]


def test_a_sheet_may_be_called_like_cells() -> None:
    rows = row(1, text("A1", "Seed"), formula("B1", "SUM('Q1 2024'!C1:C9)", "5", "n"))
    opened = _opened(run(Format.XLSX, book(names=("Q1 2024", "Stock"), second=rows)).clean)
    assert opened.sheetnames == ["DATE_01", "Stock"]
    assert opened["Stock"]["B1"].value == "=SUM(DATE_01!C1:C9)"


_DATES = [
    "Date of birth", "Birth date", "BirthDate", "date_of_birth", "DOB", "D.O.B.", "Birthday", "Born on", "Patient DOB",
    "Date of birth / تاريخ الميلاد", "Date of Birth (Gregorian)", "تاريخ الميلاد", "تاريخ ميلاد الموظف",
    "تاريخ الولادة", "Date", "Hire date", "Date of joining", "Date joined", "Date:", "تاريخ", "تاريخ التعيين",
]  # fmt: skip
_FIGURES = [
    "Paid to date", "Sales year-to-date", "Birth rate", "Rows per date", "Run date code", "Cost at due date",
    "إجمالي المبيعات حتى تاريخه", "Births", "Update", "Candidate count", "Mandate", "Total up to date", "Dates",
    "عدد المواليد", "رقم التاريخ", "Date total", "Average birth weight",
]  # fmt: skip


def _column(heading: str, *numbers: str) -> bytes:
    rows = row(1, text("A1", "Crop"), text("B1", heading), text("C1", "Field"))
    for at, said in enumerate(numbers, start=2):
        rows += row(at, text(f"A{at}", "Wheat"), number(f"B{at}", said), text(f"C{at}", "North"))
    return book(rows)


@pytest.mark.parametrize("heading", _DATES)
def test_bare_numbers_under_a_date_are_days(heading: str) -> None:
    data = _column(heading, "31920", "31921")
    assert {"1987-05-23", "1987-05-24"} <= _units(data).keys()
    second, _ = verification.read(data)
    assert {"1987-05-23", "1987-05-24"} <= {passage.text for passage in second.texts}


@pytest.mark.parametrize("heading", _FIGURES)
def test_bare_numbers_under_other_labels_are_no_days(heading: str) -> None:
    data = _column(heading, "31920", "31921")
    assert "1987-05-23" not in _units(data)
    second, _ = verification.read(data)
    assert "1987-05-23" not in {passage.text for passage in second.texts}


@pytest.mark.parametrize("other", ["1250", "31921.5", "99000", "-40000"])
def test_a_column_with_other_numbers_under_a_mere_date_holds_none(other: str) -> None:
    assert "1987-05-23" not in _units(_column("Date", "31920", other))
    assert "1987-05-23" not in {passage.text for passage in verification.read(_column("Date", "31920", other))[0].texts}
    assert "1987-05-23" in _units(_column("Date of birth", "31920", other))


def test_figures_to_date_stay_in_the_workbook() -> None:
    outcome = run(Format.XLSX, _column("Paid to date", "12500", "12630", "31920"))
    assert outcome.output
    assert [cell.value for cell in _opened(outcome.output).worksheets[0]["B"][1:4]] == [12500, 12630, 31920]
