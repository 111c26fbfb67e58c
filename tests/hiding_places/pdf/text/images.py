"""PDF places: pictures of every kind, scans with text under them, text that is drawn as shapes."""

from typing import Any

import cv2
import numpy as np
import pikepdf
from pikepdf import Array, Dictionary, Name
from PIL import Image

from tests.hiding_places.pdf.text.build import (
    KEPT_LINE,
    NATIONAL_ID,
    drawn,
    encoded,
    encoded_picture,
    image,
    line,
    outlined,
    packed_bits,
    pages,
    pixels,
    place,
    resource,
    shown_picture,
)

TEXT = f"National ID {NATIONAL_ID} of"


def written() -> np.ndarray:
    return pixels(TEXT, width=560)


def fax(*, inverted: bool = False) -> bytes:
    """A CCITT group 4 picture, as fax machines and scanners make."""
    page = Image.fromarray(written() if not inverted else 255 - written()).convert("1")
    import io

    out = io.BytesIO()
    page.save(out, "TIFF", compression="group4")
    with Image.open(io.BytesIO(out.getvalue())) as tiff:
        start, length = tiff.tag_v2[273][0], tiff.tag_v2[279][0]
        black_is_one = tiff.tag_v2[262] == 0
    data = out.getvalue()[start : start + length]
    parameters = Dictionary(K=-1, Columns=page.width, Rows=page.height, BlackIs1=not black_is_one)
    make = encoded_picture(
        data,
        page.width,
        page.height,
        ColorSpace=Name.DeviceGray,
        BitsPerComponent=1,
        Filter=Name.CCITTFaxDecode,
        DecodeParms=parameters,
    )
    return shown_picture(make, (page.height, page.width))


def photo(suffix: str, name: Name) -> bytes:
    array = written()
    make = encoded_picture(
        encoded(array, suffix),
        array.shape[1],
        array.shape[0],
        ColorSpace=Name.DeviceGray,
        BitsPerComponent=8,
        Filter=name,
    )
    return shown_picture(make, array.shape)


def stencil(*, decode: list[int] | None = None) -> bytes:
    array = written()
    make = encoded_picture(
        packed_bits(array),
        array.shape[1],
        array.shape[0],
        ImageMask=True,
        BitsPerComponent=1,
        Decode=Array(decode or [0, 1]),
    )
    return shown_picture(make, array.shape, "0 g")


def masked(**keys: Any) -> bytes:
    array = written()
    return shown_picture(image(array, **keys), array.shape)


def in_mask() -> bytes:
    """A black picture whose soft mask is the text."""
    array = written()
    return shown_picture(image(np.zeros_like(array), SMask=lambda file: image(255 - array)(file)), array.shape)


def hidden_by_mask() -> bytes:
    array = written()
    return shown_picture(image(array, SMask=lambda file: image(np.zeros_like(array))(file)), array.shape)


def hidden_by_stencil() -> bytes:
    array = written()

    def mask(file: pikepdf.Pdf) -> Any:
        bits = np.packbits(np.ones(array.shape, np.uint8), axis=1).tobytes()
        return encoded_picture(bits, array.shape[1], array.shape[0], ImageMask=True, BitsPerComponent=1)(file)

    return shown_picture(image(array, Mask=mask), array.shape)


def palette(colors: bytes) -> bytes:
    array = (written() < 128).astype(np.uint8)
    space = Array([Name.Indexed, Name.DeviceRGB, 1, pikepdf.String(colors)])
    return shown_picture(image(array, ColorSpace=space), array.shape)


def spot_picture() -> bytes:
    turn = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 0, 0], C1=[0, 0.2, 0.9, 0.1], N=1)
    array = written()
    return shown_picture(
        image(255 - array, ColorSpace=Array([Name.Separation, Name("/Gold"), Name.DeviceCMYK, turn])), array.shape
    )


def four_inks() -> bytes:
    array = written()
    inks = np.zeros((*array.shape, 4), np.uint8)
    inks[:, :, 3] = 255 - array
    return shown_picture(image(inks), array.shape)


def lab() -> bytes:
    array = written()
    planes = np.dstack((array, np.full_like(array, 128), np.full_like(array, 128)))
    space = Array([Name.Lab, Dictionary(WhitePoint=[0.95, 1, 1.09], Range=[-128, 127, -128, 127])])
    return shown_picture(image(planes, ColorSpace=space), array.shape)


def deep() -> bytes:
    array = written().astype(">u2") * 257
    make = encoded_picture(
        array.tobytes(), array.shape[1], array.shape[0], ColorSpace=Name.DeviceGray, BitsPerComponent=16
    )
    return shown_picture(make, array.shape)


def inline() -> bytes:
    """An inline image, in hexadecimal."""
    array = written()
    wide, tall = array.shape[1] * 72 / 150, array.shape[0] * 72 / 150
    size = f"/W {array.shape[1]} /H {array.shape[0]}"
    head = f"q {wide:.1f} 0 0 {tall:.1f} 40 100 cm BI {size} /CS /G /BPC 1 /F /AHx ID ".encode()
    return drawn(head + packed_bits(array).hex().encode() + b"> EI Q ")


def scan(*, layer: str) -> bytes:
    """A scanned page with an invisible text layer, as OCR programs make."""
    array = pixels(TEXT, "The harbour stays open", width=700)
    wide, tall = array.shape[1] * 72 / 150, array.shape[0] * 72 / 150
    content = f"q {wide} 0 0 {tall} 0 0 cm /I Do Q ".encode() + line(layer, 10, tall - 25, before="3 Tr")
    return drawn(content, resource("XObject", "I", image(array)), size=(int(wide), int(tall)), harmless=b"")


def twice() -> bytes:
    array = written()
    wide, tall = array.shape[1] * 72 / 150, array.shape[0] * 72 / 150
    draw = f"q {wide} 0 0 {tall} 40 150 cm /I Do Q q {wide / 2} 0 0 {tall / 2} 40 80 cm /I Do Q ".encode()
    return drawn(draw, resource("XObject", "I", image(array)))


def on_two_pages() -> bytes:
    array = written()
    wide, tall = array.shape[1] * 72 / 150, array.shape[0] * 72 / 150

    def fill(file: pikepdf.Pdf) -> None:
        shared = file.make_indirect(image(array)(file))
        for page in file.pages:
            page.obj.Resources.XObject = Dictionary(I=shared)

    show = f"q {wide} 0 0 {tall} 40 120 cm /I Do Q ".encode()
    return pages(KEPT_LINE + show, KEPT_LINE + b"q 300 20 60 60 re W n " + show + b"Q", fill=fill)


def halves() -> bytes:
    """A picture in two strips side by side, cut through the number."""
    array = written()
    cut = 250
    left, right = array[:, :cut], array[:, cut:]
    tall = array.shape[0] * 72 / 150
    one, other = left.shape[1] * 72 / 150, right.shape[1] * 72 / 150
    draw = f"q {one} 0 0 {tall} 40 120 cm /I Do Q q {other} 0 0 {tall} {40 + one} 120 cm /J Do Q ".encode()

    def fill(file: pikepdf.Pdf) -> None:
        file.pages[0].obj.Resources.XObject = Dictionary(I=image(left)(file), J=image(right)(file))

    return drawn(draw, fill)


def outlines(text: str = TEXT) -> bytes:
    """Text as filled paths, as designers export it."""
    array = cv2.resize(pixels(text, width=560), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    factor = 72 / 300
    return drawn(b"0 g " + outlined(array, lambda x, y: (40 + x * factor, 180 - y * factor)) + b" f* ")


def moved(before: str) -> bytes:
    array = written()
    return shown_picture(image(array), array.shape, before)


def covered() -> bytes:
    array = written()
    wide, tall = array.shape[1] * 72 / 150, array.shape[0] * 72 / 150
    return drawn(
        f"q {wide} 0 0 {tall} 40 100 cm /I Do Q 1 g 30 90 {wide + 20} {tall + 20} re f ".encode(),
        resource("XObject", "I", image(array)),
    )


def unused() -> bytes:
    return drawn(b"", resource("XObject", "I", image(written())))


PICTURES = (
    place("a scan with a true text layer", lambda: scan(layer=f"National ID {NATIONAL_ID} of"), shown=True, kept=()),
    place("a scan with a wrong text layer", lambda: scan(layer="nothing to be seen here"), shown=True, kept=()),
    place(
        "a scan whose text layer alone has a number",
        lambda: scan(layer="National ID 2012345675 of"),
        NATIONAL_ID,
        "2012345675",
        shown=True,
        kept=(),
    ),
    place("a fax", fax, shown=True),
    place("a JPEG", lambda: photo(".jpg", Name.DCTDecode), shown=True),
    place("a JPEG 2000 picture", lambda: photo(".jp2", Name.JPXDecode), shown=True),
    place("a stencil", stencil, shown=True),
    place("a stencil of the ground", lambda: stencil(decode=[1, 0]), shown=True),
    place("a picture that a decode array turns to its negative", lambda: masked(Decode=Array([1, 0])), shown=True),
    place("a picture whose paper is keyed out", lambda: masked(Mask=Array([250, 255])), shown=True),
    place("a picture in a soft mask", in_mask, shown=True),
    place("a picture that a soft mask hides", hidden_by_mask),
    place("a picture that a stencil hides", hidden_by_stencil),
    place("a palette of two colours", lambda: palette(b"\xff\xff\xff\x10\x10\x80"), shown=True),
    place("a palette of one colour", lambda: palette(b"\xff\xff\xff\xff\xff\xff")),
    place("a picture in a spot colour", spot_picture, shown=True),
    place("a picture in four inks", four_inks, shown=True),
    place("a picture in Lab", lab, shown=True),
    place("a picture of 16 bits", deep, shown=True),
    place("an inline image", inline, shown=True),
    place("a picture drawn twice", twice, shown=True),
    place("a picture on two pages, clipped on one", on_two_pages, shown=True),
    place("a picture in two strips", halves, shown=True),
    place("a picture under a white box", covered),
    place("a clipped picture", lambda: moved("0 0 20 20 re W n")),
    place("a picture off the page", lambda: moved("1 0 0 1 -900 0 cm")),
    place("a picture made tiny", lambda: moved("0.04 0 0 0.04 100 100 cm")),
    place("a picture on its side", lambda: moved("0 1 -1 0 360 -20 cm"), shown=True),
    place("a picture in a mirror", lambda: moved("-1 0 0 1 380 0 cm")),
    place("a picture that nobody paints", unused),
    place("text drawn as outlines", outlines, shown=True),
)
