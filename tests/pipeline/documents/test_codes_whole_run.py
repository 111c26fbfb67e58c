"""Codes in whole documents, from upload to proof: what holds a value is burned, and no reader finds it again."""

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import openpyxl
import openpyxl.drawing.image
import pikepdf
import pptx
import pymupdf
import pytest
from docx import Document
from PIL import Image

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import Redacted, redact_document
from pipeline.sandbox.parent import Sandbox
from pipeline.verification.codes.reader import codes_in
from schemas.errors import StageFailed
from schemas.files import Format
from tests.pipeline.documents.office import contents as parts_of
from tests.pipeline.documents.papers import decoded, encoded, rendered
from tests.pipeline.documents.symbols import (
    CONTENT,
    HARMLESS,
    NATIONAL_ID,
    contents,
    damaged,
    draw_as_shapes,
    invoice_text,
    noisy,
    page,
    symbol,
    turned,
)
from tests.pipeline.sandbox.shared import shared

TESTS = Path(__file__).parents[2]
LINE = "Invoice number one of the shop in the street"


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.fixture(scope="module")
def blind() -> Iterator[Sandbox]:
    """A sandbox in which the reader of redaction finds no code."""
    sandbox = Sandbox("best-effort", answers="tests.pipeline.documents.symbols:answer_without_first_eyes", code=[TESTS])
    sandbox.warm_parsers()
    yield sandbox
    sandbox.close()


def redacted(detector: Detector, format_: Format, data: bytes, sandbox: Sandbox | None = None) -> Redacted:
    return redact_document(sandbox or shared(), DirectDetector(detector), format_, data, max_pages=10)


def shown(format_: Format, data: bytes) -> list[str]:
    """What codes say in any picture of a document, by the readers of both sides."""
    match format_:
        case Format.PNG | Format.JPEG:
            pictures = [decoded(data)]
        case Format.PDF:
            pictures = [rendered(data, dpi=200), *_images_of(data)]
        case _:
            pictures = [decoded(part) for name, part in parts_of(data).items() if "/media/" in name]
    grays = [np.asarray(Image.fromarray(picture).convert("L")) for picture in pictures]
    assert grays
    said = {text for gray in grays for text in contents(gray)}
    return sorted(said | {text for gray in grays for text, _ in codes_in(Image.fromarray(gray)) if text})


def _images_of(data: bytes) -> list[np.ndarray]:
    with pikepdf.open(io.BytesIO(data)) as file:
        images = [
            item for item in file.objects if isinstance(item, pikepdf.Stream) and item.get("/Subtype") == "/Image"
        ]
        return [np.asarray(pikepdf.PdfImage(image).as_pil_image().convert("L")) for image in images]


def png(drawn: np.ndarray) -> bytes:
    return encoded(page(drawn, text="Invoice"))


def jpeg(drawn: np.ndarray) -> bytes:
    return encoded(page(drawn, text="Invoice"), ".jpg")


def pdf(draw: Callable[[pymupdf.Document, pymupdf.Page], object]) -> bytes:
    with pymupdf.open() as document:
        sheet = document.new_page(width=320, height=300)
        sheet.insert_text((30, 40), LINE)
        draw(document, sheet)
        return bytes(document.tobytes())


def picture_pdf(drawn: np.ndarray) -> bytes:
    place = pymupdf.Rect(30, 70, 30 + drawn.shape[1] / 2, 70 + drawn.shape[0] / 2)
    return pdf(lambda _, sheet: sheet.insert_image(place, stream=encoded(drawn)))


def scanned_pdf(drawn: np.ndarray) -> bytes:
    return pdf(lambda _, sheet: sheet.insert_image(sheet.rect, stream=encoded(page(drawn, text="Invoice"))))


def word(drawn: np.ndarray) -> bytes:
    document = Document()
    document.add_paragraph(LINE)
    document.add_picture(io.BytesIO(encoded(drawn)))
    return _saved(document.save)


def workbook(drawn: np.ndarray) -> bytes:
    book = openpyxl.Workbook()
    book.active["A1"] = LINE
    book.active.add_image(openpyxl.drawing.image.Image(io.BytesIO(encoded(drawn))), "B2")
    return _saved(book.save)


def slides(drawn: np.ndarray) -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_picture(io.BytesIO(encoded(drawn)), 0, 0)
    return _saved(deck.save)


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


MAKERS: dict[str, tuple[Format, Callable[[np.ndarray], bytes]]] = {
    "png": (Format.PNG, png),
    "jpeg": (Format.JPEG, jpeg),
    "pdf": (Format.PDF, picture_pdf),
    "scan": (Format.PDF, scanned_pdf),
    "docx": (Format.DOCX, word),
    "xlsx": (Format.XLSX, workbook),
    "pptx": (Format.PPTX, slides),
}


def fast(*names: str, among: Iterable[str]) -> list[object]:
    """All names; the others are slow."""
    return [name if name in names else pytest.param(name, marks=pytest.mark.slow) for name in among]


KINDS = ("qr", "code128", "pdf417", "data-matrix", "aztec")
FAST = {"png": "qr", "pdf": "code128", "docx": "data-matrix", "xlsx": "aztec", "pptx": "pdf417"}
CASES = [
    pytest.param(kind, maker, id=f"{kind} {maker}", marks=[] if FAST.get(maker) == kind else pytest.mark.slow)
    for kind in KINDS
    for maker in MAKERS
    if kind == "qr" or maker == "scan" or FAST.get(maker) == kind
]


@pytest.mark.parametrize(("kind", "maker"), CASES)
def test_a_code_that_holds_a_value_is_burned(detector: Detector, kind: str, maker: str) -> None:
    format_, make = MAKERS[maker]
    data = make(symbol(kind))
    assert CONTENT[kind] in shown(format_, data)
    done = redacted(detector, format_, data)
    assert done.proof.findings
    assert shown(format_, done.data) == []
    assert done.proof.passes[1] == 0 or "zbar" in " ".join(done.proof.readers)


@pytest.mark.parametrize("maker", fast("pdf", among=MAKERS))
def test_an_electronic_invoice_is_burned_and_what_it_holds_goes_elsewhere(detector: Detector, maker: str) -> None:
    format_, make = MAKERS[maker]
    done = redacted(detector, format_, make(symbol("qr", invoice_text())))
    assert shown(format_, done.data) == []
    assert {"TAX_ID", "DATE_TIME", "MONETARY_AMOUNT", "PERSON"} <= done.proof.findings.keys()


@pytest.mark.parametrize("maker", fast("png", among=MAKERS))
def test_a_harmless_code_stays_readable(detector: Detector, maker: str) -> None:
    format_, make = MAKERS[maker]
    done = redacted(detector, format_, make(symbol("qr", HARMLESS)))
    assert shown(format_, done.data) == [HARMLESS]
    assert not done.proof.findings.keys() - {"PERSON"}  # the template of python-pptx names its author


@pytest.mark.slow
@pytest.mark.parametrize("form", ["20 degrees", "90 degrees", "inverted", "small", "worn"])
@pytest.mark.parametrize("kind", ["qr", "pdf417"])
def test_a_code_in_any_form_is_burned(detector: Detector, kind: str, form: str) -> None:
    drawn = {
        "20 degrees": lambda: turned(symbol(kind), 20),
        "90 degrees": lambda: np.rot90(symbol(kind)).copy(),
        "inverted": lambda: 255 - symbol(kind),
        "small": lambda: symbol(kind, pixels=2),
        "worn": lambda: noisy(symbol(kind)),
    }[form]()
    done = redacted(detector, Format.PNG, png(drawn))
    assert done.proof.findings
    assert shown(Format.PNG, done.data) == []


@pytest.mark.parametrize("kind", fast("qr", among=("qr", "code128", "data-matrix")))
def test_a_code_that_cannot_be_read_is_burned(detector: Detector, kind: str) -> None:
    drawn = damaged(symbol(kind), kind)
    output = decoded(redacted(detector, Format.PNG, png(drawn)).data)
    there = output[80 : 80 + drawn.shape[0], 100 : 100 + drawn.shape[1]]
    middle = there[there.shape[0] // 3 : -there.shape[0] // 3, there.shape[1] // 3 : -there.shape[1] // 3]
    assert int(middle.max()) == 0


@pytest.mark.parametrize("kind", fast("qr", among=("qr", "code128", "data-matrix")))
def test_a_code_drawn_as_shapes_is_removed_from_its_page(detector: Detector, kind: str) -> None:
    data = pdf(lambda _, sheet: draw_as_shapes(sheet, kind, (30, 70), 2))
    done = redacted(detector, Format.PDF, data)
    assert shown(Format.PDF, done.data) == []
    assert done.proof.findings


def hidden(sheet: pymupdf.Page, place: pymupdf.Rect, cover: tuple[float, ...] | None) -> None:
    sheet.insert_image(place, stream=encoded(symbol("qr")))
    if cover:
        sheet.draw_rect(pymupdf.Rect(place.x0 - 5, place.y0 - 5, place.x1 + 5, place.y1 + 5), fill=cover, color=None)


@pytest.mark.parametrize(
    ("place", "cover"),
    [
        pytest.param(pymupdf.Rect(100, 150, 104, 154), None, id="too small"),
        pytest.param(pymupdf.Rect(100, 150, 200, 250), (1.0, 1.0, 1.0), id="covered", marks=pytest.mark.slow),
        pytest.param(pymupdf.Rect(285, 150, 385, 250), None, id="cut off", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_a_code_that_its_page_does_not_show_is_not_in_the_file(
    detector: Detector, place: pymupdf.Rect, cover: tuple[float, ...] | None
) -> None:
    data = pdf(lambda _, sheet: hidden(sheet, place, cover))
    assert CONTENT["qr"] in shown(Format.PDF, data)
    assert shown(Format.PDF, redacted(detector, Format.PDF, data).data) == []


@pytest.mark.slow
def test_a_code_printed_in_block_characters_makes_its_page_a_picture(detector: Detector) -> None:
    modules = np.pad(symbol("qr", NATIONAL_ID, pixels=1) < 128, 2)
    rows = ["".join("\u2588" if dark else " " for dark in row) for row in modules]

    def draw(_: pymupdf.Document, sheet: pymupdf.Page) -> None:
        writer = pymupdf.TextWriter(sheet.rect)
        font = pymupdf.Font("cour")
        for number, row in enumerate(rows):
            for column, sign in enumerate(row):
                if sign.strip():
                    writer.append((100 + 4 * column, 150 + 4 * number), sign, font=font, fontsize=6.7)
        writer.write_text(sheet)

    data = pdf(draw)
    done = redacted(detector, Format.PDF, data)
    assert NATIONAL_ID not in shown(Format.PDF, done.data)


@pytest.mark.parametrize("kind", fast("qr", among=KINDS))
@pytest.mark.parametrize("maker", ["png", pytest.param("pdf", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_what_the_first_reader_misses_never_comes_out_readable(
    detector: Detector, blind: Sandbox, kind: str, maker: str
) -> None:
    """The output is burned in the second round, or the document fails."""
    format_, make = MAKERS[maker]
    try:
        done = redacted(detector, format_, make(symbol(kind)), blind)
    except StageFailed as failed:
        assert failed.code == "verify_failed"
    else:
        assert done.rounds == 2
        assert shown(format_, done.data) == []
