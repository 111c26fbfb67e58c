"""Which text layers are believed: a font is judged by its glyphs; pages of liars go through OCR."""

import re
from collections.abc import Callable

import pikepdf
import pymupdf
import pytest

from pipeline.documents.pdf import handler as pdf
from tests.conftest import every
from tests.hiding_places.pdf.text.build import remapped
from tests.pipeline.documents import papers

SENTENCE = "The quick brown fox jumps over 13 lazy dogs and 24 567 890 cats"


def rasters(data: bytes) -> list[str]:
    extraction, pixels = pdf.extract(data)
    assert pixels.keys() == {raster.id for raster in extraction.rasters}
    return [raster.id for raster in extraction.rasters]


def type0_fonts(file: pikepdf.Pdf) -> list[pikepdf.Dictionary]:
    return [f for f in file.objects if isinstance(f, pikepdf.Dictionary) and f.get("/Subtype") == "/Type0"]


def without_map(file: pikepdf.Pdf) -> None:
    for font in type0_fonts(file):
        del font["/ToUnicode"]


def with_swapped_digits(file: pikepdf.Pdf) -> None:
    """1 is said to be 7 and the reverse, 2 to be 5, 0 to be 8."""
    swap = {"0031": "0037", "0037": "0031", "0032": "0035", "0035": "0032", "0030": "0038", "0038": "0030"}
    for font in type0_fonts(file):
        said = font.ToUnicode.read_bytes().decode()
        font.ToUnicode.write(
            re.sub(r"(<[0-9a-fA-F]{4}>)\s*<(003[0-9])>", lambda m: f"{m[1]}<{swap.get(m[2], m[2])}>", said).encode()
        )


def without_own_map(file: pikepdf.Pdf) -> None:
    """As most producers embed fonts: the program's own character map is gone, the PDF's is right."""
    for stream in file.objects:
        if isinstance(stream, pikepdf.Stream) and stream.read_raw_bytes() and b"cmap" in stream.read_bytes()[:400]:
            stream.write(stream.read_bytes().replace(b"cmap", b"cmbp", 1))


def subset_pdf(text: str = SENTENCE) -> bytes:
    return papers.changed(papers.embedded_font_pdf(text), one_to_one)


def one_to_one(file: pikepdf.Pdf) -> None:
    """bfrange entries become bfchar entries, which the changes above can swap."""
    for font in type0_fonts(file):
        said = font.ToUnicode.read_bytes().decode()
        pairs = re.findall(r"<([0-9a-fA-F]{4})>\s*<([0-9a-fA-F]{4})>\s*<([0-9a-fA-F]{4})>", said)
        lines = [
            f"<{code:04x}> <{int(first, 16) + code - int(low, 16):04x}>"
            for low, high, first in pairs
            for code in range(int(low, 16), int(high, 16) + 1)
        ]
        lines += [
            f"<{a}> <{b}>" for a, b in re.findall(r"^<([0-9a-fA-F]{4})>\s*<([0-9a-fA-F]{4})>\s*$", said, re.MULTILINE)
        ]
        blocks = [lines[n : n + 100] for n in range(0, len(lines), 100)]
        maps = "\n".join(f"{len(b)} beginbfchar\n" + "\n".join(b) + "\nendbfchar" for b in blocks)
        head = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /X def\n/CMapType 2 def\n"
        space = "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        font.ToUnicode.write(f"{head}{space}{maps}\nendcmap\nend\nend".encode())


def test_standard_fonts_are_trusted() -> None:
    assert rasters(papers.pdf([((50, 100), SENTENCE)])) == []


@pytest.mark.parametrize(
    "change", every(2, [lambda file: None, without_own_map]), ids=["own map agrees", "shapes agree"]
)
def test_an_honest_embedded_font_is_trusted(change: Callable[[pikepdf.Pdf], None]) -> None:
    data = papers.changed(subset_pdf(), change)
    assert rasters(data) == []
    assert SENTENCE in pdf.extract(data)[0].units[0].text


@pytest.mark.parametrize(
    "also", every(2, [lambda file: None, without_own_map]), ids=["own map differs", "shapes differ"]
)
def test_a_map_that_swaps_digits_is_not_believed(also: Callable[[pikepdf.Pdf], None]) -> None:
    data = papers.changed(papers.changed(subset_pdf(), with_swapped_digits), also)
    assert "13 lazy" not in pdf.extract(data)[0].units[0].text  # it does lie
    assert rasters(data) == ["page/0/scan"]


def in_cells(file: pikepdf.Pdf) -> None:
    """Rules run close above and below the line, as the edges of a table's cells do."""
    rules = b"q 0.7 w 40 756 m 560 756 l S 40 738 m 560 738 l S Q"
    file.pages[0].contents_add(file.make_stream(rules))


EASTERN = "٤ ٨ ٠ ٣ ٥ ٦ ٩"


@pytest.mark.parametrize("said", every(2, [SENTENCE, EASTERN]), ids=["Latin", "Eastern digits"])
def test_an_honest_font_is_trusted_in_the_cells_of_a_table(said: str) -> None:
    assert rasters(papers.changed(papers.changed(subset_pdf(said), without_own_map), in_cells)) == []


def test_a_lying_map_is_not_believed_in_the_cells_of_a_table() -> None:
    liar = papers.changed(papers.changed(subset_pdf(), with_swapped_digits), without_own_map)
    assert rasters(papers.changed(liar, in_cells)) == ["page/0/scan"]


def nameless(text: str, *signs: str) -> bytes:
    """Arabic as presentation forms from the left; the Unicode map does not know these signs."""
    data = remapped(papers.embedded_font_pdf(text), dict.fromkeys(signs, "\ufffd"))
    return papers.changed(data, without_own_map)


def test_a_nameless_stroke_that_lengthens_a_word_is_read_as_that() -> None:
    data = nameless("ﻲـﺑﺮﺤﻟا نﺎـــﻤﻠﺳ دﻼﻴﻤﻟا ﺦﻳرﺎﺗ", "ـ")
    assert rasters(data) == []
    assert pdf.extract(data)[0].units[0].text == "تاريخ الميلاد سلمـــان الحربـي"


@pytest.mark.parametrize("sign", ["ﻤ", *(pytest.param(sign, marks=pytest.mark.slow) for sign in "ﻠﺑ")])
def test_a_nameless_letter_between_arabic_ones_is_not_believed(sign: str) -> None:
    assert rasters(nameless("ﻲـﺑﺮﺤﻟا نﺎـــﻤﻠﺳ دﻼﻴﻤﻟا ﺦﻳرﺎﺗ", "ـ", sign)) == ["page/0/scan"]


def test_a_font_without_a_unicode_map_is_not_believed() -> None:
    data = papers.changed(papers.changed(subset_pdf(), without_map), without_own_map)
    assert rasters(data) == ["page/0/scan"]


def test_arabic_by_the_html_writer_is_not_believed() -> None:
    assert rasters(papers.html_pdf("<p dir=rtl>الاسم: سلمان الحربي، لا إله إلا الله</p>")) == ["page/0/scan"]


@pytest.mark.parametrize("font", every(2, [papers.AMIRI, papers.DEJAVU]), ids=["Amiri", "DejaVu"])
def test_honest_arabic_is_trusted_by_its_shapes(font: object) -> None:
    said = "ﻲﺑﺮﺤﻟا نﺎﻤﻠﺳ ﻢﻗر ﺔﻳﻮﻬﻟا ضﺎﻳﺮﻟا ﺔﻨﻳﺪﻣ ﺦﻳرﺎﺗ دﻼﻴﻤﻟا ٠١٢٣٤٥٦٧٨٩"
    assert rasters(papers.changed(papers.embedded_font_pdf(said, font), without_own_map)) == []  # type: ignore[arg-type]


def test_a_nameless_bullet_does_not_condemn_the_page_but_nameless_words_do() -> None:
    def bullet(text: str) -> bytes:
        document = pymupdf.open()
        page = document.new_page()
        writer = pymupdf.TextWriter(page.rect)
        writer.append((50, 100), text, font=pymupdf.Font(fontfile=str(papers.DEJAVU)), fontsize=12)
        writer.write_text(page)
        page.insert_text((80, 100), SENTENCE, fontsize=12)
        return papers.changed(papers.changed(papers.saved(document), without_map), without_own_map)

    assert rasters(bullet("•")) == []
    assert rasters(bullet("word")) == ["page/0/scan"]


def test_invisible_glyphs_are_not_judged() -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((50, 100), SENTENCE, render_mode=3)
    assert rasters(papers.saved(document)) == []


def type3_pdf(letters: str) -> bytes:
    """A Type 3 font whose glyphs a, b, c … draw bars, under the names of `letters`."""

    def fill(file: pikepdf.Pdf) -> None:
        names = [f"/{letter}" for letter in letters]
        draws = [b"600 0 0 0 600 700 d1 %d 0 200 700 re f" % (40 * n) for n in range(len(letters))]
        font = pikepdf.Dictionary(
            Type=pikepdf.Name.Font,
            Subtype=pikepdf.Name.Type3,
            FontBBox=[0, 0, 600, 700],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            FirstChar=97,
            LastChar=96 + len(letters),
            Widths=[600] * len(letters),
            CharProcs=pikepdf.Dictionary(
                {name: file.make_stream(draw) for name, draw in zip(names, draws, strict=True)}
            ),
            Encoding=pikepdf.Dictionary(Differences=[97, *map(pikepdf.Name, names)]),
            Resources=pikepdf.Dictionary(),
        )
        file.pages[0].obj.Resources.Font.T = file.make_indirect(font)

    return papers.content_pdf(b"BT /T 20 Tf 50 700 Td (abcdefgh) Tj ET", fill)


def test_a_type_3_font_that_draws_something_else_is_not_believed() -> None:
    assert rasters(type3_pdf("SalmnBcd")) == ["page/0/scan"]
