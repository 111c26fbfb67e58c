"""Hiding places of a PDF inside what its pages use: forms, pictures, colours, fonts, and the names of all of these."""

import io
import struct
import zlib
from decimal import Decimal
from typing import Any

import cv2
import numpy as np
import pikepdf
import pymupdf
from pikepdf import Array, Dictionary, Name, String

from tests.hiding_places.pdf.objects.build import (
    CONTENT,
    IQAMA,
    NAME,
    NATIONAL_ID,
    form,
    helvetica,
    made,
    place,
    shown,
    written,
)
from tests.pipeline.documents.papers import DEJAVU

_ID = NATIONAL_ID.encode()


def _in_xobject(name: str, item: Any, *planted: str) -> Any:
    """A place in an XObject that the page uses."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page.Resources.XObject = Dictionary(Fm0=item(file))
        page.Contents = file.make_stream(CONTENT + b"q 1 0 0 1 40 60 cm /Fm0 Do Q")

    return made(name, fill, *planted)


def _image(file: pikepdf.Pdf, data: bytes = b"\x80", extra: bytes = b"", **keys: Any) -> Any:
    """A gray image of one pixel unless told otherwise."""
    keys = {"Width": 1, "Height": 1, "ColorSpace": Name.DeviceGray, "BitsPerComponent": 8, **keys}
    return file.make_stream(data + extra, Type=Name.XObject, Subtype=Name.Image, **keys)


def _jpeg(file: pikepdf.Pdf) -> Any:
    encoded = bytes(cv2.imencode(".jpg", np.full((8, 8), 128, np.uint8))[1])
    comment = b"\xff\xfe" + struct.pack(">H", 2 + len(_ID)) + _ID
    return _image(file, encoded[:2] + comment + encoded[2:] + _ID, Width=8, Height=8, Filter=Name.DCTDecode)


def _flate_tail(file: pikepdf.Pdf) -> Any:
    return _image(file, zlib.compress(b"\x80") + _ID, Filter=Name.FlateDecode)


def _fax(file: pikepdf.Pdf) -> Any:
    black = bytes.fromhex("26a0 001001".replace(" ", ""))  # one white row of 8 pixels, end of block
    parameters = Dictionary(K=-1, Columns=8, Rows=1)
    return _image(
        file, black, b"\n" + _ID, Width=8, BitsPerComponent=1, Filter=Name.CCITTFaxDecode, DecodeParms=parameters
    )


def _jbig2(file: pikepdf.Pdf) -> Any:
    """A page of white pixels, and a comment beside it."""
    page = struct.pack(">IBBBI", 0, 48, 0, 1, 19) + struct.pack(">IIIIBH", 8, 8, 0, 0, 0, 0)
    comment = struct.pack(">IBBBI", 1, 62, 0, 1, 4 + len(_ID)) + b"\x20\0\0\0" + _ID
    return _image(file, page + comment, Width=8, Height=8, BitsPerComponent=1, Filter=Name.JBIG2Decode)


def _jbig2_globals(file: pikepdf.Pdf) -> Any:
    comment = struct.pack(">IBBBI", 0, 62, 0, 0, 4 + len(_ID)) + b"\x20\0\0\0" + _ID
    page = struct.pack(">IBBBI", 1, 48, 0, 1, 19) + struct.pack(">IIIIBH", 8, 8, 0, 0, 0, 0)
    parameters = Dictionary(JBIG2Globals=file.make_stream(comment))
    return _image(file, page, Width=8, Height=8, BitsPerComponent=1, Filter=Name.JBIG2Decode, DecodeParms=parameters)


def _palette(file: pikepdf.Pdf) -> Any:
    space = Array([Name.Indexed, Name.DeviceGray, 1, String(b"\0\xff" + _ID)])
    return _image(file, b"\0", ColorSpace=space)


def _soft_mask(file: pikepdf.Pdf) -> Any:
    return _image(file, SMask=_image(file, extra=_ID, Secret=String(IQAMA)))


def _alternate(file: pikepdf.Pdf) -> Any:
    return _image(file, Alternates=Array([Dictionary(Image=_image(file, _ID, Width=10))]))


def _colored(name: str, space: Any, *planted: str) -> Any:
    """A place in a colour space that an image has."""
    return _in_xobject(name, lambda file: _image(file, ColorSpace=space(file)), *planted)


def _tint(file: pikepdf.Pdf, **more: Any) -> Any:
    return Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([1]), C1=Array([0]), N=1, **more)


def _ink(file: pikepdf.Pdf) -> Any:
    return Array([Name.Separation, Name(f"/{NATIONAL_ID}"), Name.DeviceGray, _tint(file)])


def _inks(file: pikepdf.Pdf) -> Any:
    details = Dictionary(Colorants=Dictionary({f"/{IQAMA}": _ink(file)}))
    return Array([Name.DeviceN, Array([Name(f"/{NATIONAL_ID}")]), Name.DeviceGray, _tint(file), details])


def _calculated(file: pikepdf.Pdf) -> Any:
    code = b"{ % " + _ID + b"\n 1 exch sub }"
    function = file.make_stream(code, FunctionType=4, Domain=Array([0, 1]), Range=Array([0, 1]))
    return Array([Name.Separation, Name.Black, Name.DeviceGray, function])


def icc(text: bytes) -> bytes:
    """A gray profile whose copyright is that text."""
    curve = b"curv\0\0\0\0" + struct.pack(">I", 0)
    white = b"XYZ \0\0\0\0" + struct.pack(">iii", 63190, 65536, 54061)
    words = b"text\0\0\0\0" + text + b"\0"
    tags = [(b"kTRC", curve), (b"wtpt", white), (b"cprt", words), (b"desc", words), (b"targ", words)]
    at, table, body = 132 + 12 * len(tags), b"", b""
    for name, content in tags:
        table += struct.pack(">4sII", name, at + len(body), len(content))
        body += content + bytes(-len(content) % 4)
    header = bytearray(128)
    header[0:4] = struct.pack(">I", at + len(body))
    header[8:12], header[12:24], header[36:40] = b"\x02\x10\0\0", b"mntrGRAYXYZ ", b"acsp"
    header[68:80] = struct.pack(">III", 63190, 65536, 54061)
    return bytes(header) + struct.pack(">I", len(tags)) + table + body


def _profile(file: pikepdf.Pdf) -> Any:
    return Array([Name.ICCBased, file.make_stream(icc(_ID), N=1, Metadata=file.make_stream(IQAMA.encode()))])


def _font(**keys: Any) -> Any:
    """The page's font with further keys; {…} in a name is replaced."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        font = helvetica(file)
        for key, value in keys.items():
            font["/" + key] = value(file) if callable(value) else value
        page.Resources.Font = Dictionary(F1=font)

    return fill


def _descriptor(file: pikepdf.Pdf) -> Any:
    return Dictionary(
        Type=Name.FontDescriptor, FontName=Name(f"/{NATIONAL_ID}"), FontFamily=String(NAME), Flags=32, ItalicAngle=0,
        Ascent=800, Descent=-200, CapHeight=700, StemV=80, FontBBox=Array([0, 0, 999, 999]),
        CharSet=String(f"/{IQAMA}"),
    )  # fmt: skip


def _map(body: str) -> Any:
    def value(file: pikepdf.Pdf) -> Any:
        code = f"% {NATIONAL_ID}\n/CIDInit /ProcSet findresource begin begincmap /CMapName /{IQAMA} def {body} endcmap"
        return file.make_stream(code.encode(), Note=String(NAME))

    return value


_BYTES = f"1 beginbfchar <01> <{_ID.hex()}> endbfchar"
_CODES = f"1 beginbfchar <{_ID.hex()}> <0041> endbfchar"
_ENTRY = (
    "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <01> <"
    + NATIONAL_ID.encode("utf-16-be").hex()
    + "> endbfchar"
)


def _differences(file: pikepdf.Pdf) -> Any:
    return Dictionary(
        Type=Name.Encoding, BaseEncoding=Name.WinAnsiEncoding, Differences=Array([1, Name(f"/{NATIONAL_ID}")])
    )


def _embedded() -> bytes:
    """A font program whose table of names says an ID, as does a table of no standard."""
    document_ = pymupdf.open()
    page = document_.new_page(width=400, height=300)
    writer = pymupdf.TextWriter(page.rect)
    writer.append((40, 50), "The harbour stays open", font=pymupdf.Font(fontfile=str(DEJAVU)), fontsize=11)
    writer.write_text(page)
    data = document_.tobytes(garbage=3)
    with pikepdf.open(io.BytesIO(data)) as file:
        for item in file.objects:
            if isinstance(item, pikepdf.Dictionary) and "/FontFile2" in item:
                item.FontFile2.write(_with_table(_with_names(item.FontFile2.read_bytes()), b"MyId", _ID * 2))
        return written(file)


def _with_names(program: bytes) -> bytes:
    record = struct.pack(">HHHHHH", 1, 0, 0, 0, len(_ID), 0)
    return _with_table(program, b"name", struct.pack(">HHH", 0, 1, 18) + record + _ID)


def _with_table(program: bytes, tag: bytes, content: bytes) -> bytes:
    (count,) = struct.unpack_from(">H", program, 4)
    rows = [struct.unpack_from(">4sIII", program, 12 + 16 * n) for n in range(count)]
    tables = {row[0]: program[row[2] : row[2] + row[3]] for row in rows}
    tables[tag] = content
    at, table, body = 12 + 16 * len(tables), b"", b""
    for name in sorted(tables):
        table += struct.pack(">4sIII", name, 0, at + len(body), len(tables[name]))
        body += tables[name] + bytes(-len(tables[name]) % 4)
    return program[:4] + struct.pack(">H", len(tables)) + program[6:12] + table + body


def _type3(file: pikepdf.Pdf, page: Any) -> None:
    glyph = file.make_stream(b"500 0 0 0 500 500 d1 0 0 500 500 re f % " + _ID)
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 500, 500]),
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        CharProcs=Dictionary({f"/{IQAMA}": glyph}), FirstChar=1, LastChar=1, Widths=Array([500]),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array([1, Name(f"/{IQAMA}")])),
    )  # fmt: skip
    page.Resources.Font.T3 = file.make_indirect(font)
    page.Contents = file.make_stream(CONTENT + b"BT /T3 9 Tf 200 20 Td <01> Tj ET")


def _pictured(file: pikepdf.Pdf, page: Any) -> None:
    """A glyph that draws a picture out of its font's resources."""
    _type3(file, page)
    font = page.Resources.Font.T3
    font.Resources = Dictionary(XObject=Dictionary(Im0=_image(file, ID=String(NATIONAL_ID))))
    font.CharProcs = Dictionary({f"/{IQAMA}": file.make_stream(b"500 0 d0 400 0 0 400 0 0 cm /Im0 Do")})


def _collection(file: pikepdf.Pdf, page: Any) -> None:
    child = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Helvetica, FontDescriptor=_descriptor(file),
        CIDSystemInfo=Dictionary(Registry=String(NATIONAL_ID), Ordering=String(IQAMA), Supplement=0), DW=500,
    )  # fmt: skip
    page.Resources.Font.T0 = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name.Helvetica,
        Encoding=Name("/Identity-H"),
        DescendantFonts=Array([child]),
    )


def _named(kind: str, item: Any, use: bytes) -> Any:
    """A resource whose name is the ID."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        page.Resources["/" + kind] = Dictionary({f"/{NATIONAL_ID}": item(file)})
        page.Contents = file.make_stream(CONTENT + use.replace(b"NAME", _ID))

    return fill


def _idle_inside(file: pikepdf.Pdf) -> Any:
    """A form with another one among its resources, which it does not draw."""
    outer = form(file, b"0 0 9 9 re f")
    outer.Resources.XObject = Dictionary(Fm1=form(file, shown(NATIONAL_ID)))
    return outer


def _font_name(file: pikepdf.Pdf, page: Any) -> None:
    page.Resources.Font = Dictionary({f"/{NAME}": helvetica(file)})
    page.Contents = file.make_stream(CONTENT.replace(b"/F1", b"/Salman#20Alharbi"))


def _halftone(file: pikepdf.Pdf) -> Any:
    screen = Dictionary(Type=Name.Halftone, HalftoneType=1, HalftoneName=String(NATIONAL_ID), Frequency=60, Angle=45)
    return Dictionary(Type=Name.ExtGState, HT=screen, BG=Name(f"/{IQAMA}"), LW=1)


PLACES = (
    _in_xobject(
        "a form's private data", lambda f: form(f, b"0 0 9 9 re f", PieceInfo=Dictionary(A=String(NATIONAL_ID)))
    ),
    _in_xobject("a form's metadata", lambda f: form(f, b"0 0 9 9 re f", Metadata=f.make_stream(_ID))),
    _in_xobject("a form's name", lambda f: form(f, b"0 0 9 9 re f", Name=Name(f"/{NATIONAL_ID}"))),
    _in_xobject("a comment in a form", lambda f: form(f, b"0 0 9 9 re f % " + _ID)),
    _in_xobject(
        "a form that shows another file",
        lambda f: form(f, b"0 0 9 9 re f", Ref=Dictionary(F=String(NATIONAL_ID), Page=0)),
    ),
    _in_xobject("PostScript", lambda f: f.make_stream(_ID, Type=Name.XObject, Subtype=Name.PS)),
    _in_xobject("OPI", lambda f: form(f, b"0 0 9 9 re f", OPI=Dictionary({"/1.3": Dictionary(F=String(NATIONAL_ID))}))),
    _in_xobject("an image's metadata", lambda f: _image(f, Metadata=f.make_stream(_ID))),
    _in_xobject("an image's tag", lambda f: _image(f, ID=String(NATIONAL_ID))),
    _in_xobject("an image's other versions", _alternate),
    _in_xobject("bytes behind an image's pixels", lambda f: _image(f, extra=_ID)),
    _in_xobject("bytes behind a packed image", _flate_tail),
    _in_xobject("a JPEG's comment and tail", _jpeg),
    _in_xobject("bytes behind a fax", _fax),
    _in_xobject("a JBIG2 comment", _jbig2),
    _in_xobject("a JBIG2 comment that pictures share", _jbig2_globals),
    _in_xobject("colours of a palette that no pixel has", _palette),
    _in_xobject("an image's soft mask", _soft_mask, NATIONAL_ID, IQAMA),
    _in_xobject("an image in another file", lambda f: _image(f, b"", F=String(NATIONAL_ID))),
    _colored("the name of an ink", _ink),
    _colored("names of inks", _inks, NATIONAL_ID, IQAMA),
    _colored("a function's comment", _calculated),
    _colored("a colour profile", _profile, NATIONAL_ID, IQAMA),
    made("an XObject that no page draws", _named("XObject", lambda f: form(f, shown(NATIONAL_ID)), b"")),
    _in_xobject("an XObject that no form draws", _idle_inside),
    made("the name of an XObject", _named("XObject", lambda f: form(f, b"0 0 9 9 re f"), b"/NAME Do")),
    made("the name of a graphics state", _named("ExtGState", lambda f: Dictionary(LW=2), b"/NAME gs")),
    made("the name of a colour space", _named("ColorSpace", lambda f: Array([Name.DeviceRGB]), b"/NAME cs")),
    made("the name of a font", _font_name, NAME),
    made("halftones", _named("ExtGState", _halftone, b"/NAME gs"), NATIONAL_ID, IQAMA),
    made("kinds of resources that there are not", _named("Secret", lambda f: String(IQAMA), b""), NATIONAL_ID, IQAMA),
    made("a typeface's name", _font(BaseFont=Name(f"/ABCDEF+{NATIONAL_ID}"))),
    made("a font's own name", _font(Name=Name(f"/{NATIONAL_ID}"))),
    made("a font's description", _font(FontDescriptor=_descriptor), NATIONAL_ID, IQAMA, NAME),
    made("a map to Unicode: comment, name, keys", _font(ToUnicode=_map("")), NATIONAL_ID, IQAMA, NAME),
    made("a map to Unicode: one letter that is an ID", _font(ToUnicode=_map(_ENTRY)), NATIONAL_ID, IQAMA, NAME),
    made("names of glyphs", _font(Encoding=_differences)),
    made("a glyph that is drawn", _type3, NATIONAL_ID, IQAMA),
    made("a glyph that draws a picture", _pictured, NATIONAL_ID, IQAMA),
    made("a character collection", _collection, NATIONAL_ID, IQAMA),
    place("a font program's names and private tables", _embedded),
    _in_xobject("a form's numbers", lambda f: form(f, b"0 0 9 9 re f", Matrix=[1, 0, 0, 1, 0, int(NATIONAL_ID)])),
    _in_xobject(
        "a form's fractions", lambda f: form(f, b"0 0 9 9 re f", Matrix=[1, 0, 0, 1, 0, Decimal("0.1012345672")])
    ),
    made("a typeface with a number", _font(BaseFont=Name(f"/Arial-{NATIONAL_ID}"))),
    made("a map to Unicode: single bytes", _font(ToUnicode=_map(_BYTES)), NATIONAL_ID, IQAMA, NAME),
    made("a map to Unicode: codes", _font(ToUnicode=_map(_CODES)), NATIONAL_ID, IQAMA, NAME),
)
