"""Which content streams stay as they are, and what others lose."""

import io
import struct

import pikepdf
import pymupdf
import pytest

from pipeline.documents.pdf.sanitize import fonts, images
from pipeline.documents.pdf.sanitize.allow_list import Names
from pipeline.documents.pdf.sanitize.content_stream import plain_calculator, plain_content, plain_map
from pipeline.documents.pdf.sanitize.images import plain_jbig2
from pipeline.documents.pdf.sanitize.rewrite import sanitized
from tests.hiding_places.pdf.objects.inner import icc
from tests.pipeline.documents.papers import DEJAVU, NATIONAL_ID

_ID = NATIONAL_ID.encode()


def plain(content: bytes) -> bytes | None:
    with pikepdf.new() as file:
        stream = file.make_stream(content)
        return plain_content(content, lambda: pikepdf.parse_content_stream(stream), Names())


@pytest.mark.parametrize(
    "content",
    [
        b"q 1 0 0 1 0 0 cm /F1 12 Tf BT 50 700 Td (sh(o)wn) Tj [(a)-20<41>]TJ ET Q",
        b"/Im0 Do/GS1 gs\n0.5 .5 -1 rg [3 2] 0 d 1 2 3 4 re W* n f* (x) ' 1 2 (x) \" T*",
        b"/Cs8 cs 1 0 0 scn /P1 scn /DeviceRGB CS 0 0 0 SC /Sh0 sh /Perceptual ri",
        rb"(a \) b \( c \\) Tj (\101\102) Tj",
        b"",
    ],
)
def test_plain_content_stays_byte_for_byte(content: bytes) -> None:
    assert plain(content) is None


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (b"q % why\n Q", b"q\nQ"),
        (b"/P <</MCID 3>> BDC (x) Tj EMC", b"(x) Tj"),
        (b"/Span <</ActualText (\\() /K <</A (1)>>>> BDC (EMC) Tj EMC", b"(EMC) Tj"),
        (b"/P /MC0 BDC 1 w EMC /Q MP /R <</A 1>> DP", b"1 w"),
        (b"(secret) 1 0 0 RG", b"1 0 0 RG"),
        (b"0 0 m (x) unknown 1 1 l", b"0 0 m\n1 1 l"),
        (b"/Salman#20Alharbi gs", b"/Xn0 gs"),
        (b"/Salman 12 Tf (/Salman) Tj /F1 9 Tf", b"/Xn0 12 Tf (/Salman) Tj /F1 9 Tf"),
        (b"q (never closed", b"q"),
    ],
)
def test_what_nobody_sees_goes(content: bytes, left: bytes) -> None:
    found = plain(content)
    assert found is not None and found.split() == left.split()


def test_a_name_is_the_same_in_every_content() -> None:
    names = Names()
    assert names.word("Salman") == names.word("Salman") != names.word("Xn0")
    assert (
        names.word("TT0") == "TT0"
        and names.spelled(b"C2_0") == b"C2_0"
        and names.spelled(b"1012345672") != b"1012345672"
    )


def test_a_new_name_takes_no_other_ones_place() -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for place, (name, face) in enumerate((("Salman", "cour"), ("Xn0", "helv"), ("Xn1", "tiro"))):
            page.insert_font(fontname=name, fontbuffer=pymupdf.Font(face).buffer)
            page.insert_text((50, 100 + 20 * place), "shown", fontname=name)
        before = [span["font"] for span in document[0].get_texttrace()]
        data = document.tobytes()
    with pymupdf.open(stream=sanitized(data)) as document:
        after = [span["font"] for span in document[0].get_texttrace()]
        assert sorted(name for _, _, _, _, name, _ in document[0].get_fonts()) == ["Xn0", "Xn1", "Xn2"]
    assert len(set(before)) == len(set(after)) == 3


def test_a_function_keeps_its_calculation_alone() -> None:
    code = plain_calculator(b"{ % by " + _ID + b"\n 1 exch sub secret dup 0.5 ge { pop 1 } if }")
    assert code == b"{ 1 exch sub dup 0.5 ge { pop 1 } if }"


def test_a_map_keeps_its_mappings_alone() -> None:
    told = NATIONAL_ID.encode("utf-16-be").hex().encode()
    code = (
        b"% " + _ID + b"\n/Registry (" + _ID + b") def 1 begincodespacerange <00><ff> endcodespacerange\n"
        b"2 beginbfchar <01> <0041>\n<02> <"
        + told
        + b"> endbfchar 1 beginbfrange <03> <05> [<0061> <0062> <0063>] endbfrange"
    )
    found = plain_map(code, [NATIONAL_ID])
    assert _ID not in found and told not in found
    assert b"1 beginbfchar\n<01> <0041>\nendbfchar" in found
    assert b"<03> <05> [<0061> <0062> <0063>]" in found and b"<00> <ff>" in found


def test_a_font_without_words_draws_the_same() -> None:
    program = DEJAVU.read_bytes()
    without = fonts.wordless(program)
    assert "DejaVu".encode("utf-16-be") in program and "DejaVu".encode("utf-16-be") not in without
    assert b"name" not in without[: 12 + 16 * 40] and struct.unpack_from(">I", program, 0) == struct.unpack_from(
        ">I", without, 0
    )
    pictures = []
    for font in (program, without):
        page = pymupdf.open().new_page(width=200, height=40)
        writer = pymupdf.TextWriter(page.rect)
        writer.append((5, 25), "Harbour السلام", font=pymupdf.Font(fontbuffer=font), fontsize=14)
        writer.write_text(page)
        pictures.append(page.get_pixmap().samples)
    assert pictures[0] == pictures[1]


def test_a_type_1_font_loses_its_notices_not_its_length() -> None:
    program = (
        b"%!PS-AdobeFont-1.0: Name 1.0\n% made for " + _ID + b"\n/FontInfo 3 dict dup begin /Notice (of " + _ID
        + b" (100%) ok) readonly def /FullName (" + _ID + b") def end /FontName /X" + _ID + b" def eexec\x01\x02"
        + b"0" * 64 + b"cleartomark " + _ID
    )  # fmt: skip
    without = fonts.wordless(program)
    assert len(without) == len(program) and _ID not in without
    assert b"/Notice (" in without and b"eexec\x01\x02" in without


def test_a_profile_without_words_is_still_one() -> None:
    without = images.wordless(icc(_ID))
    assert without is not None and _ID not in without and b"kTRC" in without and b"wtpt" in without
    assert struct.unpack_from(">I", without, 0)[0] == len(without)
    assert images.wordless(b"no profile") is None and images.wordless(icc(_ID)[:140]) is None


def test_jbig2_comments_go_and_damaged_streams_stay() -> None:
    page = struct.pack(">IBBBI", 0, 48, 0, 1, 19) + struct.pack(">IIIIBH", 8, 8, 0, 0, 0, 0)
    comment = struct.pack(">IBBBI", 1, 62, 0, 1, len(_ID)) + _ID
    assert plain_jbig2(page + comment) == page
    assert plain_jbig2(b"\xff" * 5) == b"\xff" * 5


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_cut_programs_and_profiles_raise_nothing(cut: int) -> None:
    for whole in (DEJAVU.read_bytes()[:400], icc(_ID), b"\1\0\4\1" + bytes(200)):
        fonts.wordless(whole[:cut])
        images.wordless(whole[:cut])
        plain_jbig2(whole[:cut])


def test_pillow_reads_the_profile_that_is_left() -> None:
    from PIL import ImageCms

    without = images.wordless(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    assert without is not None
    assert ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(without))).strip() == ""
