"""What every reading of a raster does: decodes it, shows light text dark, turns it upright, and adds codes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any, TypeAlias

import cv2
import numpy as np

from pipeline.documents.document import Engine, Raster, Reading
from pipeline.documents.limits import MAX_RASTER_PIXELS
from pipeline.documents.raster.codes.reader import codes_in
from pipeline.documents.raster.light_ink import without_dark_ink
from pipeline.ocr.barcodes import with_codes
from pipeline.ocr.dark_boxes import dark_boxes, without_dark_boxes
from pipeline.ocr.engines import tesseract
from pipeline.ocr.hidden_text import Shown, shown, without_even_boxes
from pipeline.ocr.lines import OcrWord, with_other_digit_orders
from pipeline.ocr.number_cells import with_joined_cells
from pipeline.ocr.orientation import may_be_rotated, merged, rotated
from schemas.errors import ErrorCode, StageFailed

DEFAULT_DPI = 300  # of a raster that does not say


ReadUpright: TypeAlias = Callable[[Raster, Shown, Sequence[OcrWord], Executor], Reading]
"""Reads an upright page, with the labels that redaction printed and that the page does not show.

What can be read at the same time may be given to the executor.
"""


def read_page(raster: Raster, pixels: bytes, read_upright: ReadUpright, threads: Executor) -> Reading:
    """The reading of a raster (`pixels`: its PNG or PNM), whose page `read_upright` reads.

    Lines whose cells may hold the groups of one number follow again with it, lines whose digit groups may be meant in
    another order in that order, then what barcodes and matrix codes hold. StageFailed(image_redact_failed) if these are
    not the pixels of the raster, or for too many codes.
    """
    page = _decoded(raster, pixels)
    codes = threads.submit(codes_in, page.gray)
    reading = with_other_digit_orders(_turned_upright(raster, page, read_upright, threads))
    return with_codes(reading, codes.result(), page.gray.shape)


def _turned_upright(raster: Raster, page: Shown, read_upright: ReadUpright, threads: Executor) -> Reading:
    boxes = dark_boxes(page.gray)
    light, labels = without_dark_boxes(page.gray, boxes)
    hues = tuple(without_even_boxes(plane, boxes) for plane in page.hues)
    page = Shown(light, hues, without_dark_ink(light))
    stored = read_upright(raster, page, labels, threads)
    # Labels are upright on a turned page, too.
    may_turn = may_be_rotated(word for word in stored.words if word.engine is not Engine.LABEL)
    stored = with_joined_cells(stored)
    if not may_turn:
        return stored
    degrees = tesseract.rotation(page.gray, raster.dpi or DEFAULT_DPI)
    if not degrees:
        return stored
    turned = page.mapped(lambda plane: rotated(plane, degrees))
    return merged(
        with_joined_cells(read_upright(raster, turned, (), threads)), stored, degrees, raster.width, raster.height
    )


def _decoded(raster: Raster, pixels: bytes) -> Shown:
    if not pixels or raster.width * raster.height > MAX_RASTER_PIXELS:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    try:
        image: Any = cv2.imdecode(np.frombuffer(pixels, np.uint8), cv2.IMREAD_ANYCOLOR)
    except cv2.error:
        image = None
    if image is None or image.shape[:2] != (raster.height, raster.width):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return shown(image)
