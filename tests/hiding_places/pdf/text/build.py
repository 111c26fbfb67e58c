"""Makes small PDFs by hand for the places where what a page draws may hide: content streams, fonts, pictures."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import numpy as np
import pikepdf
import pymupdf
from pikepdf import Array, Dictionary, Name

from schemas.files import Format
from tests.hiding_places.proof.running import Place
from tests.pipeline.documents import papers

NATIONAL_ID = "1012345672"
IQAMA = "2012345675"
IBAN = "SA0380000000608010167519"
MOBILE = "0551234567"
EMAIL = "salman.alharbi@example.com"
NAME = "Salman Alharbi"
EASTERN_ID = "١٠١٢٣٤٥٦٧٢"
HARMLESS = "harbour"
KEPT_LINE = b"BT /F 11 Tf 40 250 Td (The harbour stays open) Tj ET "

Fill = Callable[[pikepdf.Pdf], None]


def place(
    name: str, build: Callable[[], bytes], *planted: str, kept: Sequence[str] = (HARMLESS,), **more: Any
) -> Place:
    """A PDF hiding place; plants the national ID unless told otherwise."""
    return Place(name, Format.PDF, build, planted or (NATIONAL_ID,), kept, **more)


def helvetica(file: pikepdf.Pdf, base: str = "Helvetica", **more: Any) -> Any:
    return file.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/" + base), Encoding=Name.WinAnsiEncoding, **more)
    )


def drawn(
    content: bytes, fill: Fill = lambda file: None, *, size: tuple[int, int] = (400, 300), harmless: bytes = KEPT_LINE
) -> bytes:
    """A page with that content and a harmless line; /F is Helvetica, /T Times. `fill` may add to the file."""
    return pages(harmless + content, fill=fill, size=size)


def pages(*contents: bytes, fill: Fill = lambda file: None, size: tuple[int, int] = (400, 300)) -> bytes:
    """A page for each content stream."""
    with pikepdf.new() as file:
        fonts = Dictionary(F=helvetica(file), T=helvetica(file, "Times-Roman"), C=helvetica(file, "Courier"))
        for content in contents:
            page = file.add_blank_page(page_size=size)
            page.obj.Resources = Dictionary(Font=fonts)
            page.obj.Contents = file.make_stream(content)
        fill(file)
        return written(file)


def written(file: pikepdf.Pdf) -> bytes:
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def resource(kind: str, name: str, value: Callable[[pikepdf.Pdf], Any]) -> Fill:
    """Puts what `value` makes into the first page's resources."""

    def fill(file: pikepdf.Pdf) -> None:
        resources = file.pages[0].obj.Resources
        if "/" + kind not in resources:
            resources["/" + kind] = Dictionary()
        resources["/" + kind]["/" + name] = value(file)

    return fill


def form(content: bytes, box: Sequence[float] = (0, 0, 400, 300), **more: Any) -> Callable[[pikepdf.Pdf], Any]:
    """A form XObject that draws this with /F."""

    def make(file: pikepdf.Pdf) -> Any:
        return file.make_stream(
            content,
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=Array(list(box)),
            Resources=Dictionary(Font=Dictionary(F=helvetica(file))),
            **more,
        )

    return make


def state(**keys: Any) -> Fill:
    """The graphics state /G."""
    return resource("ExtGState", "G", lambda file: Dictionary(Type=Name.ExtGState, **keys))


def line(text: str, x: float = 40, y: float = 150, size: float = 12, before: str = "") -> bytes:
    """A line of Helvetica."""
    shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F {size} Tf {before} {x} {y} Td ({shown}) Tj ET ".encode("latin-1")


def pixels(*lines: str, width: int = 900, points: int = 14) -> np.ndarray:
    """Lines of text as (height, width) gray at 150 dpi."""
    return papers.picture(*lines, width=width, points=points, dpi=150)


def outlined(array: np.ndarray, at: Callable[[float, float], tuple[float, float]]) -> bytes:
    """The dark shapes of a gray picture as closed paths, to be filled with `f*`; `at`: where a pixel (x, y) goes."""
    shapes, _ = cv2.findContours((array < 128).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_TC89_L1)
    paths = []
    for shape in shapes:
        first, *others = [at(x, y) for x, y in shape[:, 0]]
        if len(others) > 1:
            paths.append("{:.2f} {:.2f} m".format(*first) + "".join(f" {x:.2f} {y:.2f} l" for x, y in others) + " h")
    return " ".join(paths).encode()


def image(array: np.ndarray, **more: Any) -> Callable[[pikepdf.Pdf], Any]:
    """An image XObject of an (height, width[, channels]) array of bytes."""

    def make(file: pikepdf.Pdf) -> Any:
        height, width = array.shape[:2]
        space = {1: Name.DeviceGray, 3: Name.DeviceRGB, 4: Name.DeviceCMYK}[1 if array.ndim == 2 else array.shape[2]]
        keys = {
            "ColorSpace": space,
            "BitsPerComponent": 8,
            **{k: v(file) if callable(v) else v for k, v in more.items()},
        }
        keys = {key: value for key, value in keys.items() if value is not None}
        return file.make_stream(
            np.ascontiguousarray(array).tobytes(),
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=width,
            Height=height,
            **keys,
        )

    return make


def shown_picture(
    make: Callable[[pikepdf.Pdf], Any], shape: tuple[int, ...], before: str = "", more: Fill | None = None
) -> bytes:
    """A page that shows the picture at 150 dpi under the harmless line."""
    wide, tall = shape[1] * 72 / 150, shape[0] * 72 / 150
    fill = resource("XObject", "I", make)

    def both(file: pikepdf.Pdf) -> None:
        fill(file)
        if more:
            more(file)

    size = (max(400, int(wide) + 80), 300)
    return drawn(f"q {before} {wide:.1f} 0 0 {tall:.1f} 40 100 cm /I Do Q ".encode(), both, size=size)


def packed_bits(array: np.ndarray) -> bytes:
    """One bit for each pixel, 1 where it is light."""
    return np.packbits(array > 128, axis=1).tobytes()


def encoded_picture(data: bytes, width: int, height: int, **keys: Any) -> Callable[[pikepdf.Pdf], Any]:
    """An image XObject of encoded bytes."""

    def make(file: pikepdf.Pdf) -> Any:
        values = {key: value(file) if callable(value) else value for key, value in keys.items()}
        return pikepdf.Stream(file, data, Type=Name.XObject, Subtype=Name.Image, Width=width, Height=height, **values)

    return make


def typed(*texts: tuple[tuple[float, float], str], font: Any = None, size: float = 12) -> bytes:
    """Texts in an embedded font with a right Unicode map, and the harmless line."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_text((40, 50), "The harbour stays open", fontsize=11)
    writer = pymupdf.TextWriter(page.rect)
    for where, text in texts:
        writer.append(where, text, font=font or pymupdf.Font("helv"), fontsize=size)
    writer.write_text(page)
    document.subset_fonts()
    return papers.saved(document, garbage=3)


def remapped(data: bytes, meaning: Mapping[str, str] | None) -> bytes:
    """The PDF whose Unicode maps say `meaning[character]` of each character; None: without any map."""

    def change(file: pikepdf.Pdf) -> None:
        for font in file.objects:
            if not isinstance(font, Dictionary) or font.get("/Subtype") != "/Type0":
                continue
            if meaning is None:
                del font["/ToUnicode"]
                continue
            said = pairs(font.ToUnicode.read_bytes().decode())
            font.ToUnicode.write(unicode_map({code: meaning.get(char, char) for code, char in said.items()}, 4))

    return papers.changed(data, change)


def pairs(cmap: str) -> dict[int, str]:
    """What a ToUnicode stream says, code by code."""
    found: dict[int, str] = {}
    for block in re.findall(r"beginbfrange(.*?)endbfrange", cmap, re.DOTALL):
        for low, high, first in re.findall(r"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]{4})>", block):
            for code in range(int(low, 16), int(high, 16) + 1):
                found[code] = chr(int(first, 16) + code - int(low, 16))
        for low, _, texts in re.findall(r"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*\[([^\]]*)\]", block):
            for step, text in enumerate(re.findall(r"<([0-9a-fA-F]+)>", texts)):
                found[int(low, 16) + step] = bytes.fromhex(text).decode("utf-16-be")
    for block in re.findall(r"beginbfchar(.*?)endbfchar", cmap, re.DOTALL):
        for code, text in re.findall(r"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>", block):
            if len(text) % 4 == 0:
                found[int(code, 16)] = bytes.fromhex(text).decode("utf-16-be")
    return found


def _is_half(text: str) -> bool:
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def unicode_map(meaning: Mapping[int, str], digits: int = 2) -> bytes:
    """A ToUnicode stream; codes have that many hexadecimal digits."""
    rows = [
        f"<{code:0{digits}x}> <{text.encode('utf-16-be').hex()}>"
        for code, text in sorted(meaning.items())
        if not _is_half(text)
    ]
    blocks = [rows[n : n + 100] for n in range(0, len(rows), 100)]
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    space = f"1 begincodespacerange\n<{'0' * digits}> <{'f' * digits}>\nendcodespacerange\n"
    head = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /X def\n/CMapType 2 def\n"
    return f"{head}{space}{body}\nendcmap\nend\nend".encode()


def encoded(array: np.ndarray, suffix: str, *options: int) -> bytes:
    return bytes(cv2.imencode(suffix, array, list(options))[1])
