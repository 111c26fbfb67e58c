"""CSV files: what a cell says and is labelled with, and that nothing but changed cells changes."""

import csv as standard_csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.documents.csv import handler as csv
from pipeline.documents.document import Finding, Findings
from pipeline.documents.limits import MAX_CSV_FIELD
from schemas.errors import ErrorCode, StageFailed
from schemas.refusals import Reason

NONE = Findings(())
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be-bom", "cp1256"]


def encoded(text: str, encoding: str) -> bytes:
    if encoding == "utf-16-be-bom":
        return b"\xfe\xff" + text.encode("utf-16-be")
    return text.encode(encoding)


def units(data: bytes) -> dict[str, tuple[str, str]]:
    extraction, blobs = csv.extract(data)
    assert not blobs
    assert all(unit.billed for unit in extraction.units)
    return {unit.id: (unit.text, unit.context) for unit in extraction.units}


def without(data: bytes, *surfaces: str) -> bytes:
    """The file with each occurrence of each surface replaced by SECRET_01, SECRET_02 …"""
    places = []
    for unit in csv.extract(data)[0].units:
        for number, surface in enumerate(surfaces, 1):
            start = unit.text.find(surface)
            if start >= 0:
                places.append(Finding(unit.id, start, start + len(surface), "PERSON", f"SECRET_{number:02d}"))
    return csv.redact(data, Findings(tuple(places)), ())


TABLE = "الاسم;رقم الهوية;ملاحظة\r\nليلى;1000000008;“سطر؛ واحد”\r\nعمر;٢٠٠٠٠٠٠٠٠٦;\r\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_delimiters_and_line_ends(encoding: str, delimiter: str, line_end: str) -> None:
    text = TABLE.replace(";", delimiter).replace("\r\n", line_end)
    if encoding == "cp1256":  # has no Eastern-Arabic digits
        text = text.replace("٢٠٠٠٠٠٠٠٠٦", "2000000006")
    data = encoded(text, encoding)
    found = units(data)
    assert found["1:0"] == ("ليلى", "الاسم")
    assert found["1:1"] == ("1000000008", "رقم الهوية")
    assert found["0:0"] == ("الاسم", "")
    assert "2:2" not in found
    assert csv.redact(data, NONE, ()) == data
    assert without(data, "ليلى", "1000000008") == encoded(
        text.replace("ليلى", "SECRET_01").replace("1000000008", "SECRET_02"), encoding
    )


def test_quotes_line_breaks_in_cells_and_ragged_rows() -> None:
    data = b'name,note,"x"\n"Omar ""the"" second","two\r\nlines, one cell"\n\nlone\na,b,c,d,"e"\n'
    found = units(data)
    assert found["1:0"] == ('Omar "the" second', "name")
    assert found["1:1"] == ("two\r\nlines, one cell", "note")
    assert found["3:0"] == ("lone", "name")
    assert found["4:4"] == ("e", "")
    assert csv.redact(data, NONE, ()) == data
    redacted = without(data, 'Omar "', "two\r\nlines", "lone")
    assert b'\n"SECRET_01the"" second","SECRET_02, one cell"\n\nSECRET_03\na,b,c,d,"e"\n' in redacted


def test_only_the_changed_cell_is_written_anew() -> None:
    data = b' "odd" ,"quoted", plain ,="1000000008",\'x\r\n1.0E+09,"a""b" tail,007,,"" \r\n'
    assert without(data, "quoted") == data.replace(b'"quoted"', b'"SECRET_01"')
    assert without(data, "1000000008") == data.replace(b"1000000008", b"SECRET_01")
    assert without(data, "plain") == data.replace(b"plain", b"SECRET_01")
    assert without(data, 'a"') == data.replace(b'"a""b" tail', b'"SECRET_01b" tail')


def test_a_placeholder_never_makes_a_formula() -> None:
    data = b"phone,sum\n+966501234567,=A1+1\n-1000000008,@x\n"
    redacted = without(data, "+966501234567", "-1000000008")
    assert redacted == b"phone,sum\nSECRET_01,=A1+1\nSECRET_02,@x\n"


@pytest.mark.parametrize(
    "data", [b'a,b\n"never closed,1\n2,3\n', b'"', b'""', b'"\n', b'a,"b" c "d",e\n', b"\n\n", b","]
)
def test_malformed_files_come_back_as_they_were(data: bytes) -> None:
    csv.extract(data)
    assert csv.redact(data, NONE, ()) == data


def test_the_heading_labels_its_column_wherever_it_stands() -> None:
    report = "Payroll 2024,,\n,,\nEmployee name,IBAN,Grade\nSara Example,SA0380000000608010167519,12\n"
    found = units(report.encode())
    assert found["3:0"] == ("Sara Example", "Employee name")
    assert found["3:1"][1] == "IBAN"
    assert found["2:1"] == ("IBAN", "")


def test_a_table_without_headings_lends_no_labels_but_a_form_does() -> None:
    assert {context for _, context in units(b"Sara,1000000008\nOmar,2000000006\n").values()} <= {"", "Sara", "Omar"}
    form = units("الاسم,ليلى 7777\nرقم الملف:,55512\nPhone,0501234567\n".encode())
    assert form["1:1"] == ("55512", "رقم الملف:")
    assert form["2:1"][1] == "Phone"


def test_two_columns_may_be_a_form_under_a_row_that_reads_like_a_heading() -> None:
    said = units(b"Employee,Ziyad Bashraheel\nMobile,501234567\nMRN,0048213\n")
    assert said["1:1"] == ("501234567", "Mobile")
    assert said["2:1"] == ("0048213", "MRN")
    assert units(b"Name,City\nZiyad,Abha\n")["0:1"] == ("City", "")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1012345672.0", "1012345672"),
        ("501234567.00", "501234567"),
        ("1.012345672E+09", "1012345672"),
        ("1.012345672e9", "1012345672"),
        ("9.66501234567E+11", "966501234567"),
        ("12500.0", "12500.0"),
        ("1.01235E+09", "1012350000"),  # its last digits are gone, but under this heading it says too much
        ("1.0123456721E+09", "1.0123456721E+09"),
        ("1012345672.5", "1012345672.5"),
        ("1.0123456E+99", "1.0123456E+99"),
    ],
)
def test_long_numbers_are_read_as_they_were_meant(written: str, meant: str) -> None:
    data = f"Name,ID\nx,{written}\n".encode()
    assert units(data)["1:1"][0] == meant
    assert without(data, meant) == b"Name,ID\nx,SECRET_01\n"


def test_arabic_in_iso_8859_6_is_read_and_comes_back_in_it() -> None:
    data = "الاسم,رقم الهوية\nفهد العتيبي,1012345672\n".encode("iso8859-6")
    assert units(data)["1:0"] == ("فهد العتيبي", "الاسم")
    assert without(data, "1012345672") == "الاسم,رقم الهوية\nفهد العتيبي,SECRET_01\n".encode("iso8859-6")


def test_excel_names_its_own_delimiter() -> None:
    data = b"sep=;\nname;note\nSara, A.;x\n"
    assert units(data)["2:0"][0] == "Sara, A."
    assert csv.redact(data, NONE, ()) == data


@pytest.mark.parametrize(
    "data", [b"", b"a\0b", b"\xff\xfea", b"\xff\xfe\0\xd8a\0", b"\0\0\0", b"a,b\n" + bytes(60), bytes(range(256))]
)
def test_what_is_not_text_is_refused(data: bytes) -> None:
    for verb in (csv.extract, csv.inspect, lambda d: csv.redact(d, NONE, ())):
        with pytest.raises(StageFailed) as failure:
            verb(data)
        assert failure.value.code == ErrorCode.UNSUPPORTED_FORMAT


def test_findings_of_another_document_are_not_passed_over() -> None:
    with pytest.raises(StageFailed) as failure:
        csv.redact(b"a,b\n", Findings((Finding("7:7", 0, 1, "PERSON", "X_01"),)), ())
    assert failure.value.code == ErrorCode.REDACTION_INCOMPLETE


@pytest.mark.slow
def test_a_row_without_end_is_refused() -> None:
    with pytest.raises(StageFailed) as failure:
        csv.extract(b"," * 1_000_001)
    assert failure.value.code == ErrorCode.UNSUPPORTED_FORMAT


@pytest.mark.parametrize("frame", ["note\n{}", 'note\n"{}"\nend', "note\n1,{},2\n"])
def test_a_cell_without_end_is_refused(frame: str) -> None:
    assert len(units(frame.format("7" * (MAX_CSV_FIELD - 2)).encode())) >= 2
    with pytest.raises(StageFailed) as failure:
        csv.extract(frame.format("7" * (MAX_CSV_FIELD + 1)).encode())
    assert (failure.value.code, failure.value.reason) == (ErrorCode.UNSUPPORTED_FORMAT, Reason.TOO_COMPLEX)


def test_no_page_is_billed() -> None:
    assert csv.inspect(b"a,b\n") == 0


ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200)
PIECES = st.lists(st.sampled_from(['"', '""', ",", ";", "\t", "|", "\r", "\n", "\r\n", "a", "ب", "1", " ", "sep=;"]))


@given(ANY_TEXT | PIECES.map("".join), st.sampled_from(ENCODINGS))
def test_an_untouched_file_is_the_same_bytes(text: str, encoding: str) -> None:
    try:
        data = encoded(text, encoding)
    except UnicodeEncodeError:
        return
    if data:
        assert csv.redact(data, NONE, ()) == data


ROWS = st.lists(
    st.lists(st.text(st.sampled_from('ab1 ",;\n\r\t|ب'), max_size=6), min_size=1, max_size=4), min_size=1, max_size=6
)


@given(ROWS, st.sampled_from(",;\t|"))
@settings(max_examples=60)
def test_cells_are_what_pythons_reader_says_when_the_delimiter_is_named(rows: list[list[str]], delimiter: str) -> None:
    buffer = io.StringIO()
    buffer.write(f"sep={delimiter}\r\n")
    standard_csv.writer(buffer, delimiter=delimiter).writerows(rows)
    found = units(buffer.getvalue().encode())
    expected = {
        f"{row}:{column}": cell
        for row, cells in enumerate(rows, 1)
        for column, cell in enumerate(cells)
        if cell.strip()
    }
    assert {key: text for key, (text, _) in found.items() if not key.startswith("0:")} == expected


@given(ROWS, st.data())
@settings(max_examples=60)
def test_a_replaced_cell_reads_as_its_placeholder_and_its_neighbours_as_before(
    rows: list[list[str]], data: st.DataObject
) -> None:
    buffer = io.StringIO()
    buffer.write("sep=,\r\n")
    standard_csv.writer(buffer).writerows(rows)
    file = buffer.getvalue().encode()
    before = units(file)
    target = data.draw(st.sampled_from(sorted(before)).filter(lambda key: not key.startswith("0:")) if len(before) > 1
                       else st.none())  # fmt: skip
    if target is None:
        return
    start = data.draw(st.integers(0, len(before[target][0]) - 1))
    end = data.draw(st.integers(start + 1, len(before[target][0])))
    redacted = csv.redact(file, Findings((Finding(target, start, end, "PERSON", "SECRET_01"),)), ())
    after = {key: text for key, (text, _) in units(redacted).items()}
    text = before[target][0]
    assert after == {key: t for key, (t, _) in before.items()} | {target: text[:start] + "SECRET_01" + text[end:]}


@pytest.mark.slow
def test_real_documents(shared_dir: Path) -> None:
    for path in sorted((shared_dir / "data" / "documents" / "csv").iterdir()):
        data = path.read_bytes()
        assert csv.extract(data)[0].units
        assert csv.redact(data, NONE, ()) == data


@pytest.mark.slow
def test_a_hundred_thousand_rows() -> None:
    row = 'ليلى,1000000008,0501234567,12,"a, b"\n'
    data = ("الاسم,الهوية,الجوال,a,b\n" + row * 100_000).encode()
    extraction, _ = csv.extract(data)
    assert len(extraction.units) == 500_005
    places = tuple(Finding(f"{row}:1", 0, 10, "NATIONAL_ID", "NATIONAL_ID_01") for row in range(1, 100_001))
    assert b"1000000008" not in csv.redact(data, Findings(places), ())
