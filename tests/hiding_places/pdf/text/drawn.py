"""PDF places: text that the page draws and nobody sees, or not where it seems to be."""

from typing import Any

import numpy as np
import pikepdf
from pikepdf import Array, Dictionary, Name

from tests.hiding_places.pdf.text.build import (
    EMAIL,
    IBAN,
    IQAMA,
    KEPT_LINE,
    MOBILE,
    NAME,
    NATIONAL_ID,
    drawn,
    form,
    helvetica,
    image,
    line,
    pages,
    place,
    resource,
    state,
)

ID_LINE = line(f"National ID {NATIONAL_ID} of the holder")


def both(*fills: Any) -> Any:
    def fill(file: pikepdf.Pdf) -> None:
        for one in fills:
            one(file)

    return fill


def with_boxes(**boxes: list[float]) -> Any:
    def fill(file: pikepdf.Pdf) -> None:
        for name, box in boxes.items():
            file.pages[0].obj["/" + name] = Array(box)

    return fill


def layer(content: bytes, *, shown_off: bool = True) -> bytes:
    """Content in an optional-content group that is off."""

    def fill(file: pikepdf.Pdf) -> None:
        group = file.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String("notes")))
        file.pages[0].obj.Resources.Properties = Dictionary(L=group)
        config = Dictionary(OFF=Array([group]), Order=Array([group]), BaseState=Name.ON)
        file.Root.OCProperties = Dictionary(OCGs=Array([group]), D=config)

    return drawn(b"/OC /L BDC " + content + b" EMC ", fill)


def tiling(content: bytes) -> Any:
    return resource(
        "Pattern",
        "P",
        lambda file: file.make_stream(
            content,
            Type=Name.Pattern,
            PatternType=1,
            PaintType=1,
            TilingType=1,
            BBox=Array([0, 0, 300, 40]),
            XStep=300,
            YStep=40,
            Resources=Dictionary(Font=Dictionary(F=helvetica(file))),
        ),
    )


def soft_mask(content: bytes) -> Any:
    """A graphics state whose soft mask's group draws the content."""

    def make(file: pikepdf.Pdf) -> Any:
        group = form(content, Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray))(file)
        return Dictionary(Type=Name.ExtGState, SMask=Dictionary(Type=Name.Mask, S=Name.Luminosity, G=group))

    return resource("ExtGState", "G", make)


def spot(tint: str) -> bytes:
    def make(file: pikepdf.Pdf) -> Any:
        turn = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 0, 0], C1=[0, 0, 0, 1], N=1)
        return Array([Name.Separation, Name("/Varnish"), Name.DeviceCMYK, turn])

    return drawn(f"/S cs {tint} scn ".encode() + ID_LINE, resource("ColorSpace", "S", make))


def stamped() -> bytes:
    """A stamp annotation's appearance stream."""

    def fill(file: pikepdf.Pdf) -> None:
        look = form(line(f"National ID {NATIONAL_ID} seen", 5, 10), (0, 0, 300, 30))(file)
        stamp = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=[40, 100, 340, 130], F=4, AP=Dictionary(N=look))
        file.pages[0].obj.Annots = Array([file.make_indirect(stamp)])

    return drawn(b"", fill)


def unused_form() -> bytes:
    return drawn(b"", resource("XObject", "X", form(ID_LINE)))


def in_glyph() -> bytes:
    """A Type 3 glyph that draws the whole line in another font."""

    def make(file: pikepdf.Pdf) -> Any:
        glyph = file.make_stream(b"1000 0 d0 BT /F 12 Tf 0 0 Td (" + f"National ID {NATIONAL_ID}".encode() + b") Tj ET")
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=[0, 0, 300, 20],
            FontMatrix=[0.1, 0, 0, 0.1, 0, 0],
            FirstChar=97,
            LastChar=97,
            Widths=[1000],
            CharProcs=Dictionary(a=glyph),
            Encoding=Dictionary(Differences=Array([97, Name("/a")])),
            Resources=Dictionary(Font=Dictionary(F=helvetica(file))),
        )

    return drawn(b"BT /H 10 Tf 40 150 Td (a) Tj ET ", resource("Font", "H", make))


def shaded() -> bytes:
    def make(file: pikepdf.Pdf) -> Any:
        blend = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0.2, 0.2, 0.9], C1=[0.9, 0.2, 0.2], N=1)
        return Dictionary(
            ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=[0, 0, 400, 0], Function=blend, Extend=[True, True]
        )

    return drawn(ID_LINE + b"q 30 130 300 40 re W n /H sh Q ", resource("Shading", "H", make))


def split_contents() -> bytes:
    """The operators of one line in many streams, an array cut between its pieces."""

    def fill(file: pikepdf.Pdf) -> None:
        parts = [KEPT_LINE, b"BT /F 12 Tf", b"40 150 Td [(ID ", b"10123) -10", b"(45672)] TJ", b"ET"]
        parts[2] = b"40 150 Td [(ID )"
        parts[3] = b"(10123) -10"
        file.pages[0].obj.Contents = Array([file.make_stream(part) for part in parts])

    return drawn(b"", fill)


def picture_over() -> bytes:
    return drawn(
        ID_LINE + b"q 260 0 0 30 35 140 cm /I Do Q ", resource("XObject", "I", image(np.full((30, 260), 90, np.uint8)))
    )


DRAWN = (
    place("text under a black box", lambda: drawn(ID_LINE + b"0 g 30 140 320 25 re f ")),
    place("text under a white box", lambda: drawn(ID_LINE + b"1 g 30 140 320 25 re f ")),
    place("text under a picture", picture_over),
    place("text under a shading", shaded),
    place("text on a box of its own colour", lambda: drawn(b"0 0 1 rg 30 140 320 25 re f " + ID_LINE)),
    place("white text", lambda: drawn(b"1 g " + ID_LINE)),
    place("white text of a name", lambda: drawn(b"1 1 1 rg " + line(f"Patient name: {NAME}")), NAME),
    place("text drawn invisibly", lambda: drawn(line(f"National ID {NATIONAL_ID}", before="3 Tr"))),
    place("text that only clips", lambda: drawn(b"q " + line(f"National ID {NATIONAL_ID}", before="7 Tr") + b" Q ")),
    place("stroked text without width", lambda: drawn(b"1 G 0 w " + line(f"National ID {NATIONAL_ID}", before="1 Tr"))),
    place("tiny text", lambda: drawn(line(f"National ID {NATIONAL_ID}", size=0.4))),
    place(
        "text scaled to nothing",
        lambda: drawn(b"q 0.01 0 0 0.01 40 150 cm " + line(f"National ID {NATIONAL_ID}", 0, 0) + b"Q "),
    ),
    place("text squeezed to no width", lambda: drawn(line(f"National ID {NATIONAL_ID}", before="0.01 Tz"))),
    place("text of size zero", lambda: drawn(line(f"National ID {NATIONAL_ID}", size=0))),
    place("transparent text", lambda: drawn(b"q /G gs " + ID_LINE + b"Q ", state(ca=0, CA=0))),
    place("text blended away", lambda: drawn(b"q /G gs 1 g " + ID_LINE + b"Q ", state(BM=Name.Multiply))),
    place("text masked away", lambda: drawn(b"q /G gs " + ID_LINE + b"Q ", soft_mask(b"0 g 0 0 400 300 re f "))),
    place("text in a soft mask", lambda: drawn(b"q /G gs 0.5 g 0 0 400 200 re f Q ", soft_mask(b"1 g " + ID_LINE))),
    place("clipped text", lambda: drawn(b"q 300 10 20 20 re W n " + ID_LINE + b"Q ")),
    place("text clipped by nothing", lambda: drawn(b"q 0 0 0 0 re W n " + ID_LINE + b"Q ")),
    place("text left of and below the page", lambda: drawn(line(f"National ID {NATIONAL_ID}", -400, -90))),
    place("text far right of the page", lambda: drawn(line(f"National ID {NATIONAL_ID}", 4000, 90))),
    place("text across the page's edge", lambda: drawn(line(f"National ID {NATIONAL_ID}", 330, 90))),
    place(
        "text outside the crop box",
        lambda: drawn(line(f"National ID {NATIONAL_ID}", 40, 20), with_boxes(CropBox=[0, 60, 400, 300])),
    ),
    place(
        "text in the bleed",
        lambda: drawn(
            line(f"National ID {NATIONAL_ID}", 40, 20),
            with_boxes(TrimBox=[0, 60, 400, 300], BleedBox=[0, 60, 400, 300], ArtBox=[0, 90, 400, 300]),
        ),
    ),
    place(
        "a page whose origin lies elsewhere",
        lambda: drawn(line(f"National ID {NATIONAL_ID}", -60, 120), with_boxes(MediaBox=[-100, 50, 300, 350])),
    ),
    place("text in a spot colour", lambda: spot("1")),
    place("text in a spot colour without ink", lambda: spot("0")),
    place("overprinted text", lambda: drawn(b"q /G gs 0 0 0 0 k " + ID_LINE + b"Q ", state(OP=True, op=True, OPM=1))),
    place(
        "text in a tiling pattern",
        lambda: drawn(b"/Pattern cs /P scn 0 0 400 200 re f ", tiling(line(f"National ID {NATIONAL_ID}", 5, 10))),
    ),
    place("text in a pattern that nobody uses", lambda: drawn(b"", tiling(line(f"National ID {NATIONAL_ID}", 5, 10)))),
    place(
        "text in a form outside its box",
        lambda: drawn(b"/X Do ", resource("XObject", "X", form(ID_LINE, (0, 0, 20, 20)))),
    ),
    place("text in a form that nobody paints", unused_form),
    place("text in an annotation's appearance", stamped),
    place("text in a layer that is off", lambda: layer(ID_LINE)),
    place("text in a glyph's own drawing", in_glyph),
    place("text in pieces of content", split_contents),
    place(
        "several values in one hidden line",
        lambda: drawn(
            b"1 g "
            + line(f"Name: {NAME}, mobile {MOBILE}, {EMAIL}", size=9)
            + line(f"IBAN {IBAN} Iqama {IQAMA}", y=120, size=9)
        ),
        NAME,
        MOBILE,
        EMAIL,
        IBAN,
        IQAMA,
    ),
    place(
        "an invisible copy of visible text",
        lambda: drawn(ID_LINE + line(f"National ID {NATIONAL_ID} of the holder", before="3 Tr")),
    ),
    place("two pages, the second empty but for white text", lambda: pages(KEPT_LINE, b"1 g " + ID_LINE)),
)
