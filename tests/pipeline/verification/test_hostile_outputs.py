"""Hostile outputs (huge, nested, cyclic, truncated, damaged) neither crash the second reading nor pass as proven."""

import random
import struct
import zlib
from collections.abc import Callable
from types import ModuleType

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pipeline.verification import csv
from pipeline.verification.ooxml import docx, pptx, xlsx
from pipeline.verification.pdf import reader as pdf
from pipeline.verification.pdf.fonts import font
from pipeline.verification.reading import SecondReading
from schemas.errors import StageFailed
from tests.pipeline.documents.office import word, zipped
from tests.pipeline.verification import plants_pdf, samples
from tests.pipeline.verification.plants_office import packed, parts_of

FORMATS = {"csv": (csv, samples.csv), "docx": (docx, samples.docx), "xlsx": (xlsx, samples.xlsx),
           "pptx": (pptx, samples.pptx), "pdf": (pdf, samples.pdf)}  # fmt: skip
SEED = 20261121


def outcome(reader: ModuleType, data: bytes) -> SecondReading | None:
    """The second reading, None if it is refused; any other exception is a crash."""
    try:
        return reader.read(data)[0]
    except StageFailed as failure:
        assert failure.code == "verify_failed"
        return None


@pytest.mark.parametrize("name", FORMATS)
def test_bent_bytes_never_crash_a_reader(name: str):
    reader, make = FORMATS[name]
    data, chance = make(), random.Random(SEED)
    for _ in range(40):
        bent = bytearray(data)
        for _ in range(chance.choice((1, 3, 30))):
            bent[chance.randrange(len(bent))] = chance.randrange(256)
        start = chance.randrange(len(bent))
        if chance.random() < 0.3:
            del bent[start : start + chance.randrange(200)]
        outcome(reader, bytes(bent))


@pytest.mark.parametrize("name", FORMATS)
def test_cut_off_files_never_crash_a_reader(name: str):
    reader, make = FORMATS[name]
    data = make()
    for share in range(20):
        outcome(reader, data[: len(data) * share // 20])


def _xml(inner: str) -> bytes:
    return f"<a>{inner}</a>".encode()


PARTS: dict[str, bytes] = {
    "elements inside each other": b"<a>" * 100_000 + b"</a>" * 100_000,
    "an entity that grows": b'<!DOCTYPE a [<!ENTITY b "xxxxxxxxxx"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;&c;</a>',
    "a file of the reader's machine": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>',
    "bytes that are no text": b"<a>\xff\xfe\x00</a>",
    "an encoding that nobody knows": b'<?xml version="1.0" encoding="x-nobody"?><a/>',
    "nothing": b"",
    "a workbook in a language of its own": b"\xef\xbb\xbf\xef\xbb\xbf<a/>",
}


@pytest.mark.parametrize("reader", [docx, xlsx, pptx])
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_hostile_part_is_refused(part: bytes, reader: ModuleType):
    assert outcome(reader, word("<w:p/>", {"word/x.xml": ("settings", part)})) is None


def test_many_elements_attributes_and_cells_are_read_in_time():
    wide = "".join(f'<b c="{number}">x{number}</b>' for number in range(50_000))
    assert outcome(docx, word("<w:p/>", {"word/x.xml": ("settings", _xml(wide))})) is not None
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n * 7919}</v></c><c r="XFD{n}" t="s"><v>{n}</v></c></row>'
        for n in range(1, 9999)
    )
    parts = parts_of(samples.xlsx())
    sheet = f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    assert outcome(xlsx, packed({**parts, "xl/worksheets/sheet1.xml": sheet.encode()})) is not None


# fmt: off
ODD_CELLS = ('<c r="A1" t="s"><v>99999999999999999999</v></c>', '<c r="ZZZZ1"><v>1e400</v></c>', '<c t="d"><v/></c>',
             '<c r="A0" s="-5"><v>-1E-9</v></c>', '<c r="A1" t="nobody"><v>x</v></c>', "<c><is><is><is/></is></is></c>",
             '<c r="A1" s="1"><v>NaN</v></c>', '<c r="A1" s="1"><v>9999999999999</v></c>', '<c t="n"><v>1_000</v></c>')
# fmt: on


@pytest.mark.parametrize("cell", ODD_CELLS)
def test_odd_cells_are_read(cell: str):
    sheet = f'<worksheet xmlns="x"><sheetData><row r="x">{cell}</row></sheetData></worksheet>'
    style = ('<styleSheet xmlns="x"><numFmts><numFmt numFmtId="200" formatCode="yyyy[h]&quot;&lt;&quot;mm;"/></numFmts>'
             '<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>')  # fmt: skip
    assert outcome(xlsx, zipped({"[Content_Types].xml": "<a/>", "xl/s.xml": sheet, "xl/t.xml": style})) is not None


def _pages_in_a_circle(pdf_: pikepdf.Pdf) -> None:
    pdf_.Root.Pages.Kids = Array([pdf_.Root.Pages])


def _parents_in_a_circle(pdf_: pikepdf.Pdf) -> None:
    page = pdf_.pages[0].obj
    del page["/Resources"]
    page.Parent = page


def _resources_in_a_circle(pdf_: pikepdf.Pdf) -> None:
    form = pdf_.make_stream(b"/F Do /F Do", Subtype=Name.Form, Type=Name.XObject)
    form.Resources = Dictionary(XObject=Dictionary(F=form))
    pdf_.pages[0].add_resource(form, Name.XObject, Name("/F"))
    pdf_.pages[0].contents_add(pdf_.make_stream(b"/F Do"))


def _doubling_forms(pdf_: pikepdf.Pdf) -> None:
    """Each of thirty form XObjects paints the one before it twice."""
    form = pdf_.make_stream(b"0 0 1 1 re f", Subtype=Name.Form, Type=Name.XObject)
    for _ in range(30):
        outer = pdf_.make_stream(b"/F Do /F Do", Subtype=Name.Form, Type=Name.XObject)
        outer.Resources = Dictionary(XObject=Dictionary(F=form))
        form = outer
    pdf_.pages[0].add_resource(form, Name.XObject, Name("/F"))
    pdf_.pages[0].contents_add(pdf_.make_stream(b"/F Do"))


def _arrays_inside_each_other(pdf_: pikepdf.Pdf) -> None:
    inner = Array([])
    for _ in range(400):
        inner = Array([inner])
    pdf_.Root.Deep = inner


def _bomb(pdf_: pikepdf.Pdf) -> None:
    pdf_.Root.Bomb = pikepdf.Stream(pdf_, zlib.compress(bytes(600 * 1024 * 1024), 1), Filter=Name.FlateDecode)


def _one_stream_on_all_pages(pdf_: pikepdf.Pdf) -> None:
    stream = pdf_.make_stream(b"BT (x) Tj ET " * 600_000)
    for _ in range(120):
        pdf_.add_blank_page()
    for page in pdf_.pages:
        page.obj.Contents = stream


def _fonts_in_a_circle(pdf_: pikepdf.Pdf) -> None:
    circle = pdf_.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/Identity-H")))
    circle.DescendantFonts = Array([circle])
    pdf_.pages[0].add_resource(circle, Name.Font, Name("/C"))
    pdf_.pages[0].contents_add(pdf_.make_stream(b"BT /C 9 Tf <00410042> Tj ET"))


HOSTILE: dict[str, Callable[[pikepdf.Pdf], None]] = {
    "pages in a circle": _pages_in_a_circle,
    "parents in a circle": _parents_in_a_circle,
    "arrays inside each other": _arrays_inside_each_other,
    "forms in a circle": _resources_in_a_circle,
    "forms that double": _doubling_forms,
}
ODD: dict[str, Callable[[pikepdf.Pdf], None]] = {
    "fonts in a circle": _fonts_in_a_circle,
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_structure_is_refused(change: Callable[[pikepdf.Pdf], None]):
    assert outcome(pdf, plants_pdf._made(lambda pdf_, _: change(pdf_))(plants_pdf.clean(), "")) is None


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_an_odd_structure_is_survived(change: Callable[[pikepdf.Pdf], None]):
    outcome(pdf, plants_pdf._made(lambda pdf_, _: change(pdf_))(plants_pdf.clean(), ""))


@pytest.mark.slow
@pytest.mark.parametrize("change", [_bomb, _one_stream_on_all_pages])
def test_more_than_the_limits_is_refused(change: Callable[[pikepdf.Pdf], None]):
    assert outcome(pdf, plants_pdf._made(lambda pdf_, _: change(pdf_))(plants_pdf.clean(), "")) is None


# fmt: off
CONTENT = (
    b"BI " * 30_000, b"BI x ID " * 30_000, b"(" * 100_000, b"<" * 100_000, b"/a " * 50_000, b"/F" + b" " * 100_000,
    b"<" + b"a" * 100_000, b"[" * 100_000, b"\\" * 100_000, b"(\\" * 50_000, b"/F 1 Tf " * 20_000, b"q " * 50_000,
    b"% " * 50_000, b"-100" * 50_000, b"(x) Tj " * 20_000,
)
# fmt: on


@pytest.mark.parametrize("content", CONTENT, ids=[str(row[:8]) for row in CONTENT])
def test_hostile_content_takes_linear_time(content: bytes):
    outcome(
        pdf,
        plants_pdf._made(lambda pdf_, _: pdf_.pages[0].contents_add(pdf_.make_stream(content)))(plants_pdf.clean(), ""),
    )


def _mapped(pdf_: pikepdf.Pdf, table: bytes) -> object:
    return Dictionary(Type=Name.Font, Subtype=Name.Type0, ToUnicode=pdf_.make_stream(table))


def _sfnt(cmap: bytes) -> bytes:
    head = b"\0\1\0\0" + struct.pack(">4H", 1, 16, 0, 0) + b"cmap" + struct.pack(">3I", 0, 28, len(cmap))
    return head + cmap


MAPS = (
    b"beginbfrange " + b"<0000><ffffffff><0041>" * 1000 + b" endbfrange",
    b"beginbfrange <00><ff>[" + b"<0041>" * 100_000 + b"] endbfrange",
    b"beginbfchar <0041><d800> <> <> endbfchar begincodespacerange <> endcodespacerange",
    b"beginbfrange <ffff><0000><0041> [ ] ] [ endbfrange",
)
PROGRAMS = (
    _sfnt(
        struct.pack(">HHHHI", 0, 1, 3, 10, 12)
        + struct.pack(">HHIII", 12, 0, 0, 0, 5000)
        + struct.pack(">3I", 0, 0x10FFFF, 0) * 5000
    ),
    _sfnt(
        struct.pack(">HHHHI", 0, 1, 3, 1, 12)
        + struct.pack(">7H", 4, 0, 0, 60_000, 0, 0, 0)
        + b"\xff\xff" * 60_000
        + bytes(240_000)
    ),
    _sfnt(b""),
    _sfnt(struct.pack(">HHHHI", 0, 60_000, 3, 1, 0xFFFFFFF0)),
)


@pytest.mark.parametrize("number", range(len(MAPS)))
def test_hostile_unicode_maps_take_bounded_time(number: int):
    def change(pdf_: pikepdf.Pdf, _: str) -> None:
        pdf_.pages[0].add_resource(_mapped(pdf_, MAPS[number]), Name.Font, Name("/M"))
        pdf_.pages[0].contents_add(pdf_.make_stream(b"BT /M 9 Tf <00410042> Tj ET"))

    outcome(pdf, plants_pdf._made(change)(plants_pdf.clean(), ""))


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_hostile_font_programs_take_bounded_time(number: int):
    def change(pdf_: pikepdf.Pdf, _: str) -> None:
        descriptor = Dictionary(Type=Name.FontDescriptor, Flags=4, FontFile2=pdf_.make_stream(PROGRAMS[number]))
        inner = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, FontDescriptor=descriptor)
        outer = Dictionary(
            Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/Identity-H"), DescendantFonts=Array([inner])
        )
        pdf_.pages[0].add_resource(pdf_.make_indirect(outer), Name.Font, Name("/M"))
        pdf_.pages[0].contents_add(pdf_.make_stream(b"BT /M 9 Tf <00410042> Tj ET"))

    outcome(pdf, plants_pdf._made(change)(plants_pdf.clean(), ""))


def test_a_font_that_is_none_reads_latin():
    assert font(None).read(b"abc") == ("abc", "abc")
