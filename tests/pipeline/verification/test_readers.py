"""The second reading finds a value in every place of a document, and refuses what it cannot read."""

import io
import struct
import zipfile
import zlib

import pikepdf
import pymupdf
import pytest
from PIL import Image, PngImagePlugin

from pipeline.verification import csv
from pipeline.verification.image import reader as image
from pipeline.verification.ooxml import docx
from pipeline.verification.pdf import reader as pdf
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import StageFailed
from tests.pipeline.documents.office import W, word, zipped
from tests.pipeline.documents.papers import content_pdf
from tests.pipeline.verification import samples

SECRET = "1058374925"
NAME = "نورة المثالي"


def said(second: SecondReading) -> str:
    return "\n".join(passage.text for passage in second.texts)


def everything(second: SecondReading) -> str:
    return "\n".join((said(second), *second.raw))


def refused(reader, data: bytes) -> bool:
    with pytest.raises(StageFailed) as failure:
        reader.read(data)
    return failure.value.code == "verify_failed"


class TestCsv:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1256"])
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_cells_come_with_their_headings_in_every_encoding(self, encoding: str, delimiter: str):
        rows = (("الاسم", "ID"), (NAME, SECRET), ("سالم", "x y"))
        data = "\n".join(delimiter.join(row) for row in rows).encode(encoding)
        second, pixels = csv.read(data)
        assert Passage(NAME, "الاسم") in second.texts
        assert Passage(SECRET, f"ID\n{NAME}") in second.texts  # two columns may be a form: its labels stand on the left
        assert pixels == {}

    def test_quotes_hold_delimiters_and_line_breaks(self):
        second, _ = csv.read(b'Name,Note\r\n"Noura ""N"" Almithali","one, two\r\nthree"\r\n')
        assert [p.text for p in second.texts] == ["Name", "Note", 'Noura "N" Almithali', "one, two\r\nthree"]

    def test_a_quote_that_never_closes_swallows_nothing(self):
        second, _ = csv.read(b'a,"b\nc,1058374925\n')
        assert SECRET in [p.text for p in second.texts]

    def test_a_form_without_heading_has_its_labels(self):
        second, _ = csv.read(f"ID,{SECRET}\nالاسم,{NAME}\n".encode())
        assert Passage(NAME, "الاسم") in second.texts

    def test_bytes_that_are_no_text_are_refused(self):
        assert refused(csv, b"a,b\0\n1,2\n")

    def test_hostile_quotes_and_delimiters_take_linear_time(self):
        for data in (b'"' * 200_000, b'",' * 100_000, b'""",' * 50_000, b"," * 200_000, b'a"b""c\n' * 30_000):
            csv.read(data)


class TestDocx:
    PLACES = (
        ("a paragraph", word(f"<w:p><w:r><w:t>{SECRET}</w:t></w:r></w:p>")),
        ("split runs", word("<w:p><w:r><w:t>10583</w:t></w:r><w:r><w:t>74925</w:t></w:r></w:p>")),
        ("a revision", word(f"<w:p><w:del><w:r><w:delText>{SECRET}</w:delText></w:r></w:del></w:p>")),
        ("a field code", word(f"<w:p><w:r><w:instrText>HYPERLINK {SECRET}</w:instrText></w:r></w:p>")),
        ("a tab between", word("<w:p><w:r><w:t>10583</w:t><w:noBreakHyphen/><w:t>74925</w:t></w:r></w:p>")),
        ("a bookmark", word(f'<w:p><w:bookmarkStart w:id="1" w:name="id_{SECRET}"/></w:p>')),
        ("a link", word("<w:p/>", links={"a": ("hyperlink", "https://example.com/%31058374925")})),
        ("a comment in XML", word(f"<!-- {SECRET} --><w:p/>")),
        ("an entity", word("<w:p><w:r><w:t>&#49;05837492&#x35;</w:t></w:r></w:p>")),
        ("a text box", word(f"<w:p><w:r><w:pict><w:p><w:r><w:t>{SECRET}</w:t></w:r></w:p></w:pict></w:r></w:p>")),
        ("a footnote", word("<w:p/>", {"word/footnotes.xml": ("footnotes", f'<w:f xmlns:w="{W}">{SECRET}</w:f>')})),
        ("a part's name", word("<w:p/>", {f"word/{SECRET}.xml": ("settings", f'<w:s xmlns:w="{W}"/>')})),
    )

    @pytest.mark.parametrize("data", [row[1] for row in PLACES], ids=[row[0] for row in PLACES])
    def test_a_value_is_seen_wherever_it_stands(self, data: bytes):
        text = everything(docx.read(data)[0])
        assert SECRET in text.replace("-", "")

    def test_a_table_gives_its_cells_their_headings(self):
        second, _ = docx.read(samples.docx())
        assert ("441020055", "Student ID") in [(p.text, p.context) for p in second.texts]

    def test_pictures_become_rasters(self):
        second, pixels = docx.read(word("<w:p/>", {"word/media/a.png": ("image", samples.png())}))
        assert len(second.rasters) == 1
        assert pixels.keys() == {second.rasters[0].id}

    def test_it_needs_a_content_type_part(self):
        assert refused(docx, zipped({"word/document.xml": "<a/>"}))

    @pytest.mark.parametrize(
        "part",
        [
            b"not XML",
            b"<a><b></a>",
            b'<!DOCTYPE a [<!ENTITY x "1058374925">]><a>&x;</a>',
            b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
            '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a [<!ENTITY x "y">]><a/>'.encode("utf-16"),
            b"<a>" * 5_000 + b"</a>" * 5_000,
            b"GIF89a" + b"\0" * 40,
            b"MZ" + b"\0" * 100,
        ],
        ids=["text", "broken", "entity", "external", "entity in utf-16", "deep", "gif", "program"],
    )
    def test_a_part_that_cannot_be_read_is_not_clean(self, part: bytes):
        assert refused(docx, word("<w:p/>", {"word/embedded.bin": ("oleObject", part)}))

    def test_bytes_outside_of_all_entries_are_not_clean(self):
        clean = word("<w:p/>")
        docx.read(clean)
        assert refused(docx, SECRET.encode() + clean)
        assert SECRET in everything(docx.read(_with_comment(clean))[0])
        assert refused(docx, _with_hidden_entry())

    def test_a_bomb_is_refused_before_it_is_unpacked(self):
        size = 12_345_678
        data = zipped({"[Content_Types].xml": "<a/>", "word/a.xml": b"<a>" + b" " * (size - 7) + b"</a>"})
        assert refused(docx, data.replace(struct.pack("<I", size), struct.pack("<I", 4_000_000_000)))


def _with_comment(data: bytes) -> bytes:
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = SECRET.encode()
    return buffer.getvalue()


def _with_hidden_entry() -> bytes:
    """An entry whose bytes are in the archive although the central directory does not list it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<a/>")
        archive.writestr("hidden.xml", f"<a>{SECRET}</a>")
        archive.writestr("word/document.xml", "<a/>")
        archive.filelist = [entry for entry in archive.filelist if entry.filename != "hidden.xml"]
        archive.NameToInfo.pop("hidden.xml")
    return buffer.getvalue()


def png(image_: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image_.save(buffer, "PNG", **options)
    return buffer.getvalue()


class TestImage:
    def test_a_picture_is_one_raster_at_a_size_for_ocr(self):
        second, pixels = image.read(samples.png())
        (raster,) = second.rasters
        with Image.open(io.BytesIO(pixels[raster.id])) as shown:
            assert shown.size == (raster.width, raster.height) == (1500, 700)
        small, _ = image.read(png(Image.linear_gradient("L").resize((300, 200))))
        assert (small.rasters[0].width, small.rasters[0].height) == (900, 600)

    def test_a_blank_picture_needs_no_reading(self):
        assert image.read(png(Image.new("L", (400, 400), 255)))[0].rasters == ()

    def test_text_beside_the_pixels_is_seen(self):
        info = PngImagePlugin.PngInfo()
        info.add_text("Author", SECRET)
        info.add_itxt("Comment", NAME)
        info.add_text("Zipped", SECRET, zip=True)
        plain = Image.new("L", (64, 64), 255)
        assert SECRET in said(image.read(png(plain, pnginfo=info))[0])
        assert NAME in said(image.read(png(plain, pnginfo=info))[0])
        assert SECRET in said(image.read(png(plain) + SECRET.encode())[0])

    def test_what_stands_beside_a_jpegs_pixels_is_seen(self):
        buffer = io.BytesIO()
        exif = Image.Exif()
        exif[0x013B] = SECRET  # artist
        Image.new("RGB", (64, 64)).save(buffer, "JPEG", exif=exif, comment=NAME.encode())
        text = said(image.read(buffer.getvalue() + b"tail " + SECRET[::-1].encode())[0])
        assert SECRET in text
        assert NAME in text
        assert SECRET[::-1] in text

    def test_what_hides_under_transparent_pixels_is_not_clean(self):
        hidden = Image.new("RGBA", (200, 100), (255, 255, 255, 0))
        image.read(png(hidden))
        hidden.paste((0, 0, 0, 0), (20, 20, 60, 40))
        assert refused(image, png(hidden))

    def test_every_frame_is_read(self):
        frames = [Image.new("L", (64, 64), 255), Image.linear_gradient("L").resize((64, 64))]
        data = png(frames[0], save_all=True, append_images=frames[1:])
        assert [raster.id for raster in image.read(data)[0].rasters] == ["image/1"]

    @pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", samples.png()[:-4000], b"GIF89a", b"BM"])
    def test_a_damaged_picture_is_not_clean(self, data: bytes):
        assert refused(image, data)

    def test_a_bomb_is_not_unpacked(self):
        header = struct.pack(">2I5B", 60_000, 60_000, 8, 0, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
        rows = (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            for kind, body in chunks
        )
        assert refused(image, b"\x89PNG\r\n\x1a\n" + b"".join(rows))


def page_with(text: str = "nothing") -> pymupdf.Document:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), text)
    return document


class TestPdf:
    def test_the_text_of_every_page_is_read(self):
        second, pixels = pdf.read(samples.pdf())
        assert said(second).count(SECRET) == 2
        assert "Noura Salem Almithali" in said(second)  # the title too
        assert pixels == {}

    def test_annotations_links_outlines_and_invisible_text_are_read(self):
        document = page_with()
        page = document[0]
        page.add_text_annot((100, 100), f"note {SECRET}")
        page.insert_link(
            {"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(0, 0, 9, 9), "uri": "mailto:noura@example.com"}
        )
        page.insert_text((72, 300), "in white 2409173651", color=(1, 1, 1))
        page.insert_text((72, 400), "not painted 1072645185", render_mode=3)
        document.set_toc([[1, "Almithali, Noura", 1]])
        text = said(pdf.read(document.tobytes())[0])
        for expected in (SECRET, "noura@example.com", "2409173651", "1072645185", "Almithali, Noura"):
            assert expected in text

    def test_strings_of_content_streams_are_raw(self):
        document = page_with()
        page = document[0]
        content = b"q BT /F1 1 Tf [(105) -20 (8374) 3 (925)] TJ ET /Span <</ActualText (hidden 2409173651)>> BDC EMC Q"
        xref = document.get_new_xref()
        document.update_object(xref, "<<>>")
        document.update_stream(xref, content)
        page.set_contents(xref)
        raw = "\n".join(pdf.read(document.tobytes())[0].raw)
        assert SECRET in raw
        assert "2409173651" in raw

    def test_operands_do_not_add_up_to_values(self):
        document = page_with()
        xref = document.get_new_xref()
        document.update_object(xref, "<<>>")
        document.update_stream(xref, b"q 10 58 37 49 25 0 cm 1058 374 925 1 re f Q")
        document[0].set_contents(xref)
        assert SECRET not in "".join(pdf.read(document.tobytes())[0].raw).replace(" ", "")

    def test_pages_with_pictures_become_rasters_and_others_do_not(self):
        second, pixels = pdf.read(samples.scan())
        assert [(raster.page, raster.dpi) for raster in second.rasters] == [(0, 300)]
        assert pixels.keys() == {second.rasters[0].id}
        assert pdf.read(page_with().tobytes())[0].rasters == ()

    def test_letters_drawn_as_shapes_become_a_raster(self):
        document = page_with()
        for number in range(30):
            document[0].draw_circle((100 + 12 * number, 200), 4)
        assert len(pdf.read(document.tobytes())[0].rasters) == 1

    @pytest.mark.parametrize("rotation", [0, 90])
    def test_pictures_under_drawings_are_rasters_of_their_own(self, rotation: int):
        document = pymupdf.open("pdf", samples.scan())
        document[0].set_rotation(rotation)
        assert len(pdf.read(document.tobytes())[0].rasters) == 1
        document[0].draw_rect((10, 10, 300, 60), fill=(0, 0, 0))
        assert [raster.id for raster in pdf.read(document.tobytes())[0].rasters] == ["page/0", "page/0/under/0"]

    def test_boxes_over_an_even_ground_hide_nothing(self):
        document = pymupdf.open("pdf", samples.scan())
        document[0].draw_rect((300, 225, 530, 250), fill=(0, 0, 0))
        assert [raster.id for raster in pdf.read(document.tobytes())[0].rasters] == ["page/0"]

    def test_pictures_beyond_the_page_are_rasters_of_their_own(self):
        document = pymupdf.open("pdf", samples.scan())
        document[0].set_cropbox((0, 0, 200, 252))
        assert [raster.id for raster in pdf.read(document.tobytes())[0].rasters] == ["page/0", "page/0/under/0"]

    def test_fonts_that_say_nothing_make_a_raster(self):
        document = page_with(SECRET)
        (font,) = document[0].get_fonts()
        document.update_object(font[0], "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[]>>")
        assert len(pdf.read(document.tobytes())[0].rasters) <= 1  # pdfium may show nothing of it at all

    @pytest.mark.parametrize(
        ("name", "shown", "rasters"),
        [
            ("ABCDEF+Wingdings-Regular", b"<0041> Tj 40 0 Td <0042> Tj 0 -14 Td <0043> Tj", 0),
            ("ABCDEF+Wingdings-Regular", b"<0041> Tj 8 0 Td <0042> Tj 8 0 Td <0043> Tj", 1),
            ("ABCDEF+Wingdings-Regular", b"<0043> Tj -16 0 Td <0041> Tj 8 0 Td <0042> Tj", 1),
            ("ABCDEF+Wingdings-Regular", b"0 1 -1 0 72 300 Tm <0041> Tj 8 0 Td <0042> Tj 8 0 Td <0043> Tj", 1),
            ("ABCDEF+Arial", b"<0041> Tj", 1),
        ],
    )
    def test_signs_of_picture_fonts_are_in_doubt_only_in_rows(self, name: str, shown: bytes, rasters: int):
        def add(file: pikepdf.Pdf) -> None:
            inner = pikepdf.Dictionary(
                Type=pikepdf.Name.Font, Subtype=pikepdf.Name.CIDFontType2, BaseFont=pikepdf.Name("/" + name), DW=600,
                CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
            )  # fmt: skip
            outer = pikepdf.Dictionary(
                Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type0, BaseFont=pikepdf.Name("/" + name),
                Encoding=pikepdf.Name("/Identity-H"), DescendantFonts=pikepdf.Array([inner]),
            )  # fmt: skip
            file.pages[0].obj.Resources.Font.Signs = file.make_indirect(outer)

        page = content_pdf(b"BT /F 12 Tf 72 700 Td (harmless) Tj ET BT /Signs 12 Tf 72 400 Td " + shown + b" ET", add)
        assert len(pdf.read(page)[0].rasters) == rasters

    def test_codes_of_an_embedded_font_of_symbols_are_no_letters(self):
        """The codes count up from 33 in the order of first use: read as letters they would form amounts and dates."""
        program = pymupdf.Font("helv").buffer

        def add(file: pikepdf.Pdf, flags: int) -> None:
            table = "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <21> <7e> <0041> endbfrange"
            descriptor = pikepdf.Dictionary(
                Type=pikepdf.Name.FontDescriptor, FontName=pikepdf.Name("/ABCDEF+Sub"), Flags=flags,
                FontFile2=file.make_stream(b"\0\1\0\0" + b"\0" * 8 + program[12:]),
            )  # fmt: skip
            font = pikepdf.Dictionary(
                Type=pikepdf.Name.Font, Subtype=pikepdf.Name.TrueType, BaseFont=pikepdf.Name("/ABCDEF+Sub"),
                FontDescriptor=descriptor, ToUnicode=file.make_stream(table.encode()),
            )  # fmt: skip
            file.pages[0].obj.Resources.Font.Sub = file.make_indirect(font)

        shown = b"BT /Sub 12 Tf 72 400 Td ($7:14 370$) Tj ET"
        symbols, letters = (content_pdf(shown, lambda file, flags=flags: add(file, flags)) for flags in (4, 32))
        assert "7:14" not in "".join(passage.text for passage in pdf.read(symbols)[0].texts)
        assert "7:14" in "".join(passage.text for passage in pdf.read(letters)[0].texts)

    def test_earlier_revisions_are_not_clean(self, tmp_path):
        path = tmp_path / "a.pdf"
        page_with(SECRET).save(path)
        with pymupdf.open(path) as document:
            document[0].clean_contents()
            document.saveIncr()
        assert refused(pdf, path.read_bytes())

    def test_objects_that_no_table_names_are_not_clean(self):
        data = page_with().tobytes()
        orphan = b"99 0 obj\n<</A (1058374925)>>\nendobj\n"
        assert refused(pdf, data.replace(b"xref\n", orphan + b"xref\n", 1))

    def test_what_follows_the_end_is_seen(self):
        assert SECRET in everything(pdf.read(page_with().tobytes() + SECRET.encode())[0])

    def test_other_files_inside_are_not_clean(self):
        document = page_with()
        document.embfile_add("a.txt", SECRET.encode())
        assert refused(pdf, document.tobytes())

    def test_encrypted_and_damaged_files_are_not_clean(self):
        assert refused(pdf, page_with().tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"))
        data = samples.pdf()
        for broken in (b"", b"%PDF-1.7", data[: len(data) // 2], data[500:]):
            assert refused(pdf, broken)
