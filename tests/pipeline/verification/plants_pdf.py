"""Hiding places of a PDF: each function puts a value into one place of a clean file."""

import io
import re
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pymupdf
from pikepdf import Array, Dictionary, Name, Stream, String

from tests.pipeline.verification.plants_image import JPEG_PLACES, clean_jpeg

Plant = Callable[[bytes, str], bytes]
Change = Callable[[pikepdf.Pdf, str], None]


def clean() -> bytes:
    """A page without personal data, as redaction would write it."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 90), "Full name: PERSON_NAME_01")
    page.insert_text((72, 120), "Nothing of this line is about anybody.")
    with pikepdf.open(io.BytesIO(document.tobytes())) as pdf:
        for key in ("/Info", "/ID"):
            if key in pdf.trailer:
                del pdf.trailer[key]
        return _saved(pdf)


def _saved(pdf: pikepdf.Pdf) -> bytes:
    out = io.BytesIO()
    pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def _made(change: Change) -> Plant:
    def plant(data: bytes, value: str) -> bytes:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            change(pdf, value)
            return _saved(pdf)

    return plant


def _in_page(key: str, make: Callable[[pikepdf.Pdf, str], object]) -> Plant:
    def change(pdf: pikepdf.Pdf, value: str) -> None:
        pdf.pages[0].obj[key] = make(pdf, value)

    return _made(change)


def _in_root(key: str, make: Callable[[pikepdf.Pdf, str], object]) -> Plant:
    def change(pdf: pikepdf.Pdf, value: str) -> None:
        pdf.Root[key] = make(pdf, value)

    return _made(change)


def _annotation(**fields: Callable[[pikepdf.Pdf, str], object]) -> Plant:
    def make(pdf: pikepdf.Pdf, value: str) -> object:
        entries = {"/" + key: field(pdf, value) for key, field in fields.items()}
        return Array([pdf.make_indirect(Dictionary({"/Type": Name.Annot, "/Rect": Array([0, 0, 9, 9]), **entries}))])

    return _in_page("/Annots", make)


def _content(operators: Callable[[str], bytes]) -> Plant:
    def change(pdf: pikepdf.Pdf, value: str) -> None:
        page = pdf.pages[0]
        font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica,
                                            Encoding=Name.WinAnsiEncoding))  # fmt: skip
        page.add_resource(font, Name.Font, Name("/Plant"))
        page.contents_add(pdf.make_stream(operators(value)))

    return _made(change)


def _literal(value: str) -> bytes:
    return b"(" + re.sub(rb"([()\\])", rb"\\\1", value.encode("cp1252", "replace")) + b")"


def _latin(value: str) -> bytes:
    return value.encode("utf-16-be").hex().encode() if not value.isascii() else value.encode().hex().encode()


def _octal(value: str) -> bytes:
    return b"".join(b"\\%03o" % byte for byte in bytes.fromhex(_latin(value).decode()))


def _wide(value: str) -> bytes:
    return value.encode("utf-16-be").hex().encode()


def _show(before: bytes, after: bytes = b"") -> Callable[[str], bytes]:
    return lambda value: b"q " + before + b" BT /Plant 9 Tf 72 400 Td <" + _latin(value) + b"> Tj ET " + after + b" Q"


def _spelled(value: str) -> bytes:
    steps = (b"<" + _latin(letter) + b"> Tj 7 0 Td " for letter in value)
    return b"BT /Plant 9 Tf 72 400 Td " + b"".join(steps) + b"ET"


def _form(pdf: pikepdf.Pdf, value: str) -> pikepdf.Object:
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    form = pdf.make_stream(_show(b"")(value))
    form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 600, 800])
    form.Resources = Dictionary(Font=Dictionary(Plant=font))
    return form


def _mapped(pdf: pikepdf.Pdf, value: str) -> None:
    """Text with codes of other letters and a correct ToUnicode CMap."""
    rows = "".join(f"<{n:02x}> <{letter.encode('utf-16-be').hex()}>\n" for n, letter in enumerate(value, 33))
    table = f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(value)} beginbfchar\n{rows}endbfchar"
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, ToUnicode=pdf.make_stream(table.encode())
    )
    page = pdf.pages[0]
    page.add_resource(pdf.make_indirect(font), Name.Font, Name("/Mapped"))
    codes = bytes(range(33, 33 + len(value))).hex().encode()
    page.contents_add(pdf.make_stream(b"q 0 0 1 1 re W n BT /Mapped 9 Tf 72 400 Td <" + codes + b"> Tj ET Q"))


def _named(pdf: pikepdf.Pdf, value: str) -> None:
    """Text with a wrong ToUnicode CMap and correct glyph names."""
    names = Array([33, *(Name(f"/uni{ord(letter):04X}") for letter in value)])
    table = "1 begincodespacerange <00> <ff> endcodespacerange\n1 beginbfrange\n<21> <7f> <0078>\nendbfrange"
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica,
                      Encoding=Dictionary(Type=Name.Encoding, Differences=names),
                      ToUnicode=pdf.make_stream(table.replace("<0078>", f"[{'<0078>' * 95}]").encode()))  # fmt: skip
    page = pdf.pages[0]
    page.add_resource(pdf.make_indirect(font), Name.Font, Name("/Named"))
    codes = bytes(range(33, 33 + len(value))).hex().encode()
    page.contents_add(pdf.make_stream(b"BT /Named 9 Tf 72 400 Td <" + codes + b"> Tj ET"))


def _glyphs(pdf: pikepdf.Pdf, value: str) -> None:
    """A Type 3 font whose glyphs draw the value."""
    font = Dictionary(Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 9, 9]), FirstChar=65, LastChar=65)
    font.FontMatrix, font.Widths = Array([1, 0, 0, 1, 0, 0]), Array([9])
    font.Encoding = Dictionary(Differences=Array([65, Name.A]))
    font.CharProcs = Dictionary(A=pdf.make_stream(b"9 0 d0 " + _show(b"")(value)))
    pdf.pages[0].add_resource(pdf.make_indirect(font), Name.Font, Name("/Glyphs"))


def _picture(pdf: pikepdf.Pdf, data: bytes, *, drawn: bool) -> None:
    image = Stream(pdf, data)
    image.Type, image.Subtype, image.Width, image.Height = Name.XObject, Name.Image, 40, 40
    image.ColorSpace, image.BitsPerComponent, image.Filter = Name.DeviceGray, 8, Name.DCTDecode
    page = pdf.pages[0]
    page.add_resource(pdf.make_indirect(image), Name.XObject, Name("/Plant"))
    if drawn:
        page.contents_add(pdf.make_stream(b"q 40 0 0 40 0 0 cm /Plant Do Q"))


def _layer(pdf: pikepdf.Pdf, value: str) -> None:
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("notes")))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
    page = pdf.pages[0]
    page.obj.Resources.Properties = Dictionary(L=layer)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    page.add_resource(pdf.make_indirect(font), Name.Font, Name("/Plant"))
    page.contents_add(pdf.make_stream(b"/OC /L BDC " + _show(b"")(value) + b" EMC"))


def _attached(pdf: pikepdf.Pdf, value: str) -> None:
    pdf.attachments["a.txt"] = pikepdf.AttachedFileSpec(pdf, value.encode())


def _orphan(pdf: pikepdf.Pdf, value: str) -> None:
    """An unreferenced object that the writer keeps."""
    pdf.trailer.Plant = pdf.make_indirect(Dictionary(A=String(value)))


def _xmp(value: str) -> bytes:
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="{value}"/></rdf:RDF></x:xmpmeta>'
    ).encode()


def _before_table(text: Callable[[str], bytes]) -> Plant:
    """Bytes between the last object and the cross-reference table."""

    def plant(data: bytes, value: str) -> bytes:
        place = int(re.findall(rb"startxref\s+(\d+)", data)[-1])
        more = text(value)
        moved = re.sub(rb"startxref\s+\d+", b"startxref\n%d" % (place + len(more)), data)
        return moved[:place] + more + moved[place:]

    return plant


def _revised(data: bytes, value: str) -> bytes:
    """An incremental update over a revision with the value."""
    document = pymupdf.open("pdf", _content(_show(b""))(data, value))
    buffer = io.BytesIO(document.tobytes())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        path.write_bytes(buffer.getvalue())
        with pymupdf.open(path) as again:
            for xref in again[0].get_contents():
                again.update_stream(xref, b" ")
            again.saveIncr()
        return path.read_bytes()


def _stream(encode: Callable[[bytes], bytes], filter_: str | None) -> Plant:
    def change(pdf: pikepdf.Pdf, value: str) -> None:
        stream = Stream(pdf, encode(value.encode("utf-16-be")))
        if filter_:
            stream.Filter = Name(filter_)
        pdf.Root.Plant = pdf.make_indirect(stream)

    return _made(change)


PLACES: dict[str, Plant] = {
    "a title": _made(lambda pdf, value: pdf.docinfo.__setitem__("/Title", String(value))),
    "a key of the information": _made(
        lambda pdf, value: pdf.docinfo.__setitem__(f"/X{value.replace(' ', '')}", String("x"))
    ),
    "XMP": _in_root("/Metadata", lambda pdf, value: pdf.make_stream(_xmp(value), Type=Name.Metadata)),
    "XMP in UTF-16": _in_page("/Metadata", lambda pdf, value: pdf.make_stream(value.encode("utf-16-le"))),
    "an outline": _in_root("/Outlines", lambda pdf, value: Dictionary(First=Dictionary(Title=String(value)))),
    "a named destination": _in_root(
        "/Names", lambda pdf, v: Dictionary(Dests=Dictionary(Names=Array([String(v), Array()])))
    ),
    "a page label": _in_root(
        "/PageLabels", lambda pdf, value: Dictionary(Nums=Array([0, Dictionary(P=String(value))]))
    ),
    "the language": _in_root("/Lang", lambda pdf, value: String(value)),
    "a structure tree": _in_root(
        "/StructTreeRoot", lambda pdf, value: Dictionary(K=Dictionary(ActualText=String(value)))
    ),
    "a script": _in_root("/OpenAction", lambda pdf, value: Dictionary(S=Name.JavaScript, JS=String(f"x='{value}'"))),
    "XFA": _in_root("/AcroForm", lambda pdf, value: Dictionary(XFA=pdf.make_stream(f"<a>{value}</a>".encode()))),
    "a field's value": _in_root(
        "/AcroForm", lambda pdf, value: Dictionary(Fields=Array([Dictionary(V=String(value))]))
    ),
    "a field's choices": _in_root(
        "/AcroForm", lambda pdf, v: Dictionary(Fields=Array([Dictionary(Opt=Array([Array([String(v), String("x")])]))]))
    ),
    "an annotation": _annotation(Subtype=lambda p, v: Name.Text, Contents=lambda p, v: String(v)),
    "an annotation's rich text": _annotation(RC=lambda p, v: String("".join(f"&#{ord(c)};" for c in v))),
    "an annotation's author": _annotation(T=lambda p, v: String(v)),
    "an appearance": _annotation(AP=lambda p, v: Dictionary(N=_form(p, v))),
    "a link": _annotation(
        A=lambda p, v: Dictionary(URI=String("http://x/" + "".join(f"%{b:02x}" for b in v.encode())))
    ),
    "a file": _made(_attached),
    "a thumbnail": _in_page(
        "/Thumb", lambda pdf, value: pdf.make_stream(bytes(64), Subtype=Name.Image, Width=8, Height=8)
    ),
    "a program's own data": _in_page("/PieceInfo", lambda pdf, value: Dictionary(A=Dictionary(Private=String(value)))),
    "an unknown key": _in_page("/Plant", lambda pdf, value: String(value.encode("utf-16-be"))),
    "a name": _in_page("/Plant", lambda pdf, value: Name("/" + value.replace(" ", ""))),
    "invisible text": _content(_show(b"3 Tr")),
    "white text": _content(_show(b"1 g")),
    "text off the page": _content(_show(b"1 0 0 1 5000 5000 cm")),
    "clipped text": _content(_show(b"0 0 1 1 re W n")),
    "text under a box": _content(_show(b"", b"0 g 0 300 600 200 re f")),
    "turned text": _content(_show(b"0 1 -1 0 300 300 cm")),
    "mirrored text": _content(_show(b"-1 0 0 1 500 0 cm")),
    "letters placed one by one": _content(_spelled),
    "an octal string": _content(
        lambda v: (
            b"BT /Plant 9 Tf (" + b"".join(b"\\%03o" % byte for byte in bytes.fromhex(_latin(v).decode())) + b") Tj ET"
        )
    ),
    "marked content": _content(lambda v: b"/Span <</ActualText <feff" + _wide(v) + b">>> BDC EMC"),
    "a comment in content": _content(lambda v: b"% " + v.encode() + b"\n"),
    "a layer that is off": _made(_layer),
    "a map of codes": _made(_mapped),
    "names of glyphs": _made(_named),
    "glyphs that are drawings": _made(_glyphs),
    "a form that nothing draws": _made(
        lambda pdf, v: pdf.pages[0].add_resource(_form(pdf, v), Name.XObject, Name("/Plant"))
    ),
    "an object that nothing needs": _made(_orphan),
    "a stream that nothing needs": _stream(lambda b: b, None),
    "a compressed stream": _stream(zlib.compress, "/FlateDecode"),
    "a stream in hexadecimal": _stream(lambda b: b.hex().encode() + b">", "/ASCIIHexDecode"),
    "a stream with an unknown filter": _stream(lambda b: b, "/Plant"),
    "a comment between objects": _before_table(lambda value: b"% " + value.encode() + b"\n"),
    "an object that no table names": _before_table(lambda v: b"99 0 obj\n<< /A (%s) >>\nendobj\n" % v.encode()),
    "a compressed object that no table names": _before_table(
        lambda v: (
            b"99 0 obj\n<< /Filter /FlateDecode >>\nstream\n" + zlib.compress(v.encode()) + b"\nendstream\nendobj\n"
        )
    ),
    "an older version of an object": _before_table(
        lambda v: b"1 0 obj\n<< /A <" + v.encode().hex().encode() + b"> >>\nendobj\n"
    ),
    "an older revision": _revised,
    "behind the end": lambda data, value: data + value.encode(),
    "before the beginning": lambda data, value: value.encode() + b"\n" + data,
    "a picture that nothing draws": _made(lambda pdf, value: _picture(pdf, clean_jpeg(), drawn=False)),
    **{
        f"{place} of a picture": _made(lambda pdf, v, put=put: _picture(pdf, put(clean_jpeg(), v), drawn=True))
        for place, put in JPEG_PLACES.items()
    },
}
