"""Draws barcodes and matrix codes for tests, with zxing-cpp's writer, and reads pictures by it."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pymupdf
import zxingcpp

NATIONAL_ID = "1012345672"
OWNER = "IBAN SA0380000000608010167519 Salman Alharbi"
HARMLESS = "https://example.com/menu"
FORMATS = {
    "qr": zxingcpp.BarcodeFormat.QRCode,
    "code128": zxingcpp.BarcodeFormat.Code128,
    "pdf417": zxingcpp.BarcodeFormat.PDF417,
    "data-matrix": zxingcpp.BarcodeFormat.DataMatrix,
    "aztec": zxingcpp.BarcodeFormat.Aztec,
    "ean13": zxingcpp.BarcodeFormat.EAN13,
    "code39": zxingcpp.BarcodeFormat.Code39,
    "itf": zxingcpp.BarcodeFormat.ITF,
}
CONTENT = dict.fromkeys(FORMATS, NATIONAL_ID) | {"ean13": "6281234567895", "qr": OWNER}


def symbol(kind: str, content: str | bytes | None = None, *, pixels: int = 4) -> np.ndarray:
    """A symbol with its quiet zone, gray; `pixels`: the width of a module."""
    content = CONTENT[kind] if content is None else content
    barcode = zxingcpp.create_barcode(content[:12] if kind == "ean13" else content, FORMATS[kind])
    return np.array(zxingcpp.write_barcode_to_image(barcode, scale=pixels, add_quiet_zones=True))


def turned(pixels: np.ndarray, degrees: float) -> np.ndarray:
    """The symbol turned on white."""
    height, width = pixels.shape
    side = int(np.hypot(height, width)) + 20
    canvas = np.full((side, side), 255, np.uint8)
    top, left = (side - height) // 2, (side - width) // 2
    canvas[top : top + height, left : left + width] = pixels
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), degrees, 1)
    return cv2.warpAffine(canvas, turn, (side, side), borderValue=255)


def noisy(pixels: np.ndarray) -> np.ndarray:
    """The symbol blurred, with noise, as a JPEG of low quality."""
    noise = np.random.default_rng(7).normal(0, 15, pixels.shape)
    worn = np.clip(cv2.GaussianBlur(pixels, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", worn, [cv2.IMWRITE_JPEG_QUALITY, 40])[1], cv2.IMREAD_GRAYSCALE)


def damaged(pixels: np.ndarray, kind: str) -> np.ndarray:
    """The symbol with so much missing that no decoder reads it."""
    worn = pixels.copy()
    height, width = worn.shape
    if kind in ("code128", "ean13", "code39", "itf"):
        worn[:, width // 3 : width // 3 + 25] = 0
    else:
        worn[int(height * 0.35) : int(height * 0.65), int(width * 0.3) : int(width * 0.75)] = 255
    return worn


def page(*symbols: np.ndarray, text: str = "") -> np.ndarray:
    """The symbols below each other on a white page."""
    width = max(700, *(own.shape[1] + 200 for own in symbols))
    sheet = np.full((sum(own.shape[0] + 80 for own in symbols) + 120, width), 255, np.uint8)
    top = 80
    for own in symbols:
        sheet[top : top + own.shape[0], 100 : 100 + own.shape[1]] = own
        top += own.shape[0] + 80
    if text:
        cv2.putText(sheet, text, (60, 50), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 0, 3)
    return sheet


def invoice(seller: str = "Salman Alharbi", vat: str = "310122393500003") -> bytes:
    """ZATCA's fields of an e-invoice as tags, lengths and values; everybody in it is made up."""
    fields = (seller, vat, "2024-05-01T10:00:00Z", "1150.00", "150.00")
    return b"".join(bytes([tag, len(value.encode())]) + value.encode() for tag, value in enumerate(fields, 1))


def invoice_text() -> str:
    return b64encode(invoice()).decode()


def draw_as_shapes(sheet: Any, kind: str, place: tuple[float, float], module: float) -> None:
    """Draws the symbol on a page of a PDF as one path of rectangles; `module` in points."""
    shape = sheet.new_shape()
    for row, column in zip(*np.nonzero(symbol(kind, pixels=1) < 128), strict=True):
        left, top = place[0] + column * module, place[1] + row * module
        shape.draw_rect(pymupdf.Rect(left, top, left + module, top + module))
    shape.finish(fill=(0, 0, 0), color=None, width=0)
    shape.commit()


def contents(pixels: np.ndarray) -> list[str]:
    """What zxing-cpp reads in a gray picture."""
    return [barcode.text for barcode in zxingcpp.read_barcodes(np.ascontiguousarray(pixels))]


def answer_without_first_eyes(
    verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]
) -> tuple[Any, dict[str, bytes]]:
    """The sandbox child's answer where redaction sees no code at all, not even as unread ink."""
    from pipeline.documents.pdf.page import codes as pdf_codes
    from pipeline.documents.raster.codes.reader import NO_CODES
    from pipeline.ocr import page
    from pipeline.sandbox.child import answer

    page.with_codes = lambda reading, codes, shape: replace(reading, unread=())
    pdf_codes.codes_in = lambda gray: NO_CODES
    pdf_codes.codes_read_in = lambda gray: ()
    return answer(verb, meta, blobs)
