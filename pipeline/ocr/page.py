"""What every reading of a raster does: decodes it, shows light text dark, makes it upright, and adds codes."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple, TypeAlias

import cv2
import numpy as np

from pipeline.documents.document import Engine, Raster, Reading
from pipeline.documents.limits import MAX_RASTER_PIXELS
from pipeline.documents.raster.codes.reader import Codes
from pipeline.documents.raster.light_ink import without_dark_ink
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.barcodes import with_codes
from pipeline.ocr.dark_places import dark_places, without_dark_places
from pipeline.ocr.engines import tesseract
from pipeline.ocr.hidden_text import Shown, shown, without_even_boxes
from pipeline.ocr.layout.labelled_values import with_labelled_values
from pipeline.ocr.layout.lines import Line, OcrWord, with_other_digit_orders
from pipeline.ocr.layout.number_cells import with_joined_cells
from pipeline.ocr.orientation.quarter_turns import may_be_rotated, with_rest
from pipeline.ocr.orientation.rotation import Rotation
from pipeline.ocr.orientation.skew import skew
from schemas.errors import ErrorCode, StageFailed

DEFAULT_DPI = 300  # of a raster that does not say
_LEAST_SKEW = 4.0  # degrees: rows of lines that are less slanted are joined as they are
_MAX_GROWTH = 2.1  # times the pixels of a page: a long strip of paper, made level, would have many more


Ahead: TypeAlias = Sequence[Future[list[Line]]]


class Page(NamedTuple):
    """What a reading gets of a page: its planes, where its detector sees text, and the labels that it does not show.

    The lines are those of the detector, and `slant` the degrees by which most of them are turned clockwise; the labels
    are those that redaction printed. `ahead` is what is being read while the detector looks for text.
    """

    shown: Shown
    where: TextMap
    lines: Sequence[TextLine]
    slant: float
    labels: Sequence[OcrWord]
    ahead: Ahead = ()


def nothing_ahead(_image: Any, _dpi: int, _threads: Executor) -> Ahead:
    """Leaves all of the reading until the detector has seen the page."""
    return ()


class Reader(NamedTuple):
    """A reading: its detector, what reads an upright page, and what reads the codes of a raster as it is stored.

    What can be read at the same time may be given to the executor; by `ahead`, what needs no detector, for a grayscale
    array of so many dots per inch. That is read again where the page turns out not to be level.
    `is_drawing`: it reads what we drew black on white, which has neither dark boxes nor light ink.
    """

    detector: Callable[[Any], TextMap]
    read: Callable[[Raster, Page, Executor], Reading]
    codes: Callable[[Any], Codes]
    ahead: Callable[[Any, int, Executor], Ahead] = nothing_ahead
    is_drawing: bool = False


def read_page(raster: Raster, pixels: bytes, reader: Reader, threads: Executor) -> Reading:
    """The reading of a raster (`pixels`: its PNG or PNM).

    Lines whose cells may hold the groups of one number follow again with it, lines whose digit groups may be meant in
    another order in that order, then what barcodes and matrix codes hold. StageFailed(image_redact_failed) if these are
    not the pixels of the raster, or for too many codes.
    """
    stored = _decoded(raster, pixels)
    dpi = raster.dpi or DEFAULT_DPI
    light, labels = (stored, []) if reader.is_drawing else _without_dark_places(stored)
    codes = threads.submit(reader.codes, stored.gray)  # from here on this thread waits: one thread reads in one
    page = _seen(light, labels, dpi, reader, threads)
    rotation = deskewing(page)
    if rotation is not None:
        for part in page.ahead:
            part.cancel()
        level, more = _without_dark_places(light.mapped(rotation.image))
        page = _seen(level, [*rotation.turned(labels), *more], dpi, reader, threads)
    reading = _turned_upright(raster, page, reader, threads)
    if rotation is not None:
        reading = rotation.in_stored(reading)
    return with_codes(with_other_digit_orders(reading), codes.result(), stored.gray.shape)


def _without_dark_places(stored: Shown) -> tuple[Shown, list[OcrWord]]:
    places = dark_places(stored.gray)
    light, labels = without_dark_places(stored.gray, places)
    hues = tuple(without_even_boxes(plane, places.boxes) for plane in stored.hues)
    return Shown(light, hues, without_dark_ink(light)), labels


def _seen(shown: Shown, labels: Sequence[OcrWord], dpi: int, reader: Reader, threads: Executor) -> Page:
    detected = threads.submit(reader.detector, shown.gray)
    ahead = reader.ahead(shown.gray, dpi, threads)
    where = detected.result()
    lines = where.lines()
    return Page(shown, where, lines, skew(lines), labels, ahead)


def deskewing(page: Page) -> Rotation | None:
    """What makes the lines of a page level. None for a page that is nearly so, and for one that would be too large."""
    shape = page.shown.gray.shape
    if abs(page.slant) < _LEAST_SKEW:
        return None
    rotation = Rotation(-page.slant, shape)
    largest = min(MAX_RASTER_PIXELS, _MAX_GROWTH * math.prod(shape))
    return rotation if math.prod(rotation.shape) <= largest else None


def _turned_upright(raster: Raster, page: Page, reader: Reader, threads: Executor) -> Reading:
    """The reading of a page. If that may lie on its side or its head, of the turned page, and the rest of this one."""
    read = _with_cells(reader.read(raster, page, threads))
    # Labels are upright on a turned page, too.
    if not may_be_rotated(word for word in read.words if word.engine is not Engine.LABEL):
        return read
    dpi = raster.dpi or DEFAULT_DPI
    degrees = tesseract.rotation(page.shown.gray, dpi)
    if not degrees:
        return read
    rotation = Rotation(degrees, page.shown.gray.shape)
    upright = reader.read(raster, _seen(page.shown.mapped(rotation.image), (), dpi, reader, threads), threads)
    return with_rest(rotation.in_stored(_with_cells(upright)), read)


def _with_cells(reading: Reading) -> Reading:
    """The reading of an upright page; numbers over several cells, and values behind their labels, in further lines."""
    return with_labelled_values(with_joined_cells(reading))


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
