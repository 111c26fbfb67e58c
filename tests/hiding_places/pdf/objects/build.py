"""Makes small PDFs object by object for the places that no page shows."""

import io
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from schemas.files import Format
from tests.hiding_places.proof.running import Place

NATIONAL_ID = "1012345672"
IQAMA = "2012345675"
IBAN = "SA0380000000608010167519"
MOBILE = "0551234567"
EMAIL = "salman.alharbi@example.com"
NAME = "Salman Alharbi"
ARABIC = "سلمان الحربي"
HARMLESS = "harbour"
CONTENT = b"BT /F1 11 Tf 40 250 Td (The harbour stays open) Tj ET "

Fill = Callable[[pikepdf.Pdf, Any], None]
Change = Callable[[bytes], bytes]


def place(name: str, build: Callable[[], bytes], *planted: str, **more: Any) -> Place:
    """A PDF hiding place; plants the national ID unless told otherwise. Its page says that a harbour stays open."""
    return Place(name, Format.PDF, build, planted or (NATIONAL_ID,), more.pop("kept", (HARMLESS,)), **more)


def made(name: str, fill: Fill, *planted: str, content: bytes = CONTENT, **more: Any) -> Place:
    """A place that `fill` makes out of a file and its one page."""
    return place(name, lambda: document(fill, content=content), *planted, **more)


def document(fill: Fill = lambda file, page: None, *, content: bytes = CONTENT, pages: int = 1, **save: Any) -> bytes:
    """A file of upright pages of 400 by 300 points; /F1 is Helvetica. `fill` gets the file and its first page."""
    with pikepdf.new() as file:
        for _ in range(pages):
            page = file.add_blank_page(page_size=(400, 300))
            page.obj.Resources = Dictionary(Font=Dictionary(F1=helvetica(file)))
            page.obj.Contents = file.make_stream(content)
        fill(file, file.pages[0].obj)
        return written(file, **save)


def written(file: pikepdf.Pdf, **save: Any) -> bytes:
    out = io.BytesIO()
    file.save(out, fix_metadata_version=False, **save)
    return out.getvalue()


def helvetica(file: pikepdf.Pdf) -> Any:
    return file.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    )


def form(file: pikepdf.Pdf, content: bytes, **more: Any) -> Any:
    """A form XObject of 200 by 20 points."""
    fonts = Dictionary(Font=Dictionary(F1=helvetica(file)))
    return file.make_stream(
        content, Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 200, 20], Resources=fonts, **more
    )


def shown(text: str) -> bytes:
    """A content that shows a text at the lower left."""
    return b"BT /F1 11 Tf 2 4 Td (" + text.encode("latin-1") + b") Tj ET"


def annotate(file: pikepdf.Pdf, page: Any, subtype: str, **keys: Any) -> Any:
    """An annotation on the page, printed and viewed."""
    keys.setdefault("F", 4)
    note = file.make_indirect(
        Dictionary(Type=Name.Annot, Subtype=Name("/" + subtype), Rect=Array([40, 100, 240, 120]), **keys)
    )
    page.Annots = Array([*page.get("/Annots", Array()), note])
    return note


def noted(name: str, subtype: str, key: str, *planted: str, value: Any = None, **more: Any) -> Place:
    """A place in a key of an annotation; `value` builds it from the file."""
    planted = planted or (NATIONAL_ID,)

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        built = String(" and ".join(planted)) if value is None else value(file)
        annotate(file, page, subtype, **{key: built})

    return made(name, fill, *planted, **more)


def field(file: pikepdf.Pdf, page: Any, kind: str, on_page: bool = True, **keys: Any) -> Any:
    """A form field, on the page or on none."""
    keys = {"T": String("field"), "DA": String("/Helv 11 Tf 0 g"), **keys}
    if on_page:
        item = annotate(file, page, "Widget", FT=Name("/" + kind), **keys)
    else:
        item = file.make_indirect(Dictionary(FT=Name("/" + kind), **keys))
    if "/AcroForm" not in file.Root:
        file.Root.AcroForm = Dictionary(Fields=Array([]), DA=String("/Helv 11 Tf 0 g"))
    file.Root.AcroForm.Fields.append(item)
    return item


def fielded(name: str, kind: str, *planted: str, **more: Any) -> Place:
    """A place in a form field; keys in capitals are the field's."""
    keys = {key: more.pop(key) for key in list(more) if key[:1].isupper()}
    return made(name, lambda file, page: field(file, page, kind, **keys) and None, *planted, **more)


def rooted(name: str, key: str, value: Callable[[pikepdf.Pdf], Any], *planted: str, **more: Any) -> Place:
    """A place below a key of the catalog."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        file.Root["/" + key] = value(file)

    return made(name, fill, *planted, **more)


def paged(name: str, key: str, value: Callable[[pikepdf.Pdf], Any], *planted: str, **more: Any) -> Place:
    """A place below a key of the page."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page["/" + key] = value(file)

    return made(name, fill, *planted, **more)


def changed(name: str, change: Change, *planted: str, **more: Any) -> Place:
    """A place in the bytes of the file itself."""
    return place(name, lambda: change(document(qdf=False)), *planted, **more)


def revised(data: bytes, *objects: bytes) -> bytes:
    """The file with a revision appended that defines `objects` (each `N 0 obj … endobj`) anew; a plain table."""
    start = data.rfind(b"startxref") + len(b"startxref")
    previous = int(data[start : data.index(b"%%EOF", start)])
    out = bytearray(data)
    if not out.endswith(b"\n"):
        out += b"\n"
    rows = []
    for item in objects:
        rows.append(b"%d 1\n%010d 00000 n \n" % (int(item.split()[0]), len(out)))
        out += item + b"\n"
    table = len(out)
    size, root = _size_and_root(data)
    out += b"xref\n" + b"".join(rows) + b"trailer\n<< /Size %d /Root %s /Prev %d >>\n" % (size + 5, root, previous)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


def _size_and_root(data: bytes) -> tuple[int, bytes]:
    with pikepdf.open(io.BytesIO(data)) as file:
        number, generation = file.Root.objgen
        return int(file.trailer.Size), b"%d %d R" % (number, generation)


def packed(text: str) -> bytes:
    return zlib.compress(text.encode())


def plain(fill: Fill = lambda file, page: None, **more: Any) -> bytes:
    """A file with a plain cross-reference table and no object streams."""
    return document(fill, object_stream_mode=pikepdf.ObjectStreamMode.disable, **more)


def text_of(values: Sequence[str]) -> str:
    return " and ".join(values)
