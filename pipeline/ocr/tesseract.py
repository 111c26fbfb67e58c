"""Reads a raster with Tesseract (`ara+eng`) through pipes, without files: an image in, words with boxes out."""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import BY_HUE, Raster, Reading, Word
from pipeline.documents.limits import MAX_OCR_OUTPUT_BYTES, MAX_OCR_WORDS, MAX_RASTER_PIXELS
from pipeline.documents.raster.burn import raster_png
from pipeline.documents.raster.ink import Ink, ink_of
from pipeline.ocr.barcodes import with_codes
from pipeline.ocr.columns import with_column_lines
from pipeline.ocr.inverted_text import with_dark_boxes_inverted
from pipeline.ocr.lines import OcrWord, compose, join_rows, with_other_digit_orders
from pipeline.ocr.orientation import may_be_rotated, merged, rotated, rotation_from_osd
from pipeline.ocr.unread_ink import unread_ink
from schemas.errors import ErrorCode, StageFailed

_MAX_COMPONENT_HEIGHT, _MAX_COMPONENT_WIDTH = 2.2, 10.0  # times the word height: larger components are rules and frames
_MAX_GROWTH = 1.0  # times the word height: how far a box may grow on each side
_MAX_GAP = 0.4  # times the word height: distance from a word to a component that no word overlaps
_BATCH = 4096  # components per batch


LANGUAGES = "ara+eng"
_DEFAULT_DPI = 300
_AUTOMATIC = "3"  # page segmentation mode: automatic, without orientation detection
_ORIENTATION_ONLY = "0"  # page segmentation mode: orientation detection only
_MIN_CHARACTERS = 5  # characters that suffice for orientation detection
_WORD_LEVEL = "5"  # the level column of TSV rows for words


_LineKey = tuple[int, int, int]  # block, paragraph and line number


def read(raster: Raster, pixels: bytes) -> Reading:
    """The words of a raster (`pixels`: its PNG or PNM) in logical reading order, and the boxes of unread ink.

    Lines whose digit groups may be meant in another order follow again in that order, then what barcodes and matrix
    codes hold. StageFailed(image_redact_failed) if Tesseract is missing, fails, or writes something else than TSV.
    """
    image = _decoded(raster, pixels)
    return with_codes(with_other_digit_orders(_read(raster, image, pixels)), image)


def _read(raster: Raster, image: Any, pixels: bytes) -> Reading:
    inverted = with_dark_boxes_inverted(image)
    if inverted is not image:
        image, pixels = inverted, raster_png(inverted)
    stored = _read_upright(raster, image, pixels)
    if BY_HUE in raster.id or not may_be_rotated(stored.words):
        return stored
    degrees = _rotation(pixels, raster.dpi or _DEFAULT_DPI)
    if not degrees:
        return stored
    image = rotated(image, degrees)
    upright = _read_upright(raster, image, raster_png(image))
    return merged(upright, stored, degrees, raster.width, raster.height)


def _read_upright(raster: Raster, image: Any, pixels: bytes) -> Reading:
    lines: dict[_LineKey, list[OcrWord]] = {}
    for count, (line, word) in enumerate(_rows(_run(pixels, raster.dpi or _DEFAULT_DPI))):
        if count > MAX_OCR_WORDS:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        lines.setdefault(line, []).append(word)
    text, ocr_words = compose(join_rows(list(lines.values())))
    ink = ink_of(image, raster.dpi or _DEFAULT_DPI)
    words = with_full_boxes(ocr_words, ink)
    return Reading(raster.id, *with_column_lines(text, words), unread_ink(image, ink, text, words))


def engine() -> str:
    """`tesseract` and its version. StageFailed(image_redact_failed) if it is missing or reports no version."""
    output = _call(["--version"]).decode("ascii", "replace")
    version = re.match(r"tesseract v?(\d[\w.+-]*)", output)
    if version is None:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return f"tesseract {version[1]}"


def _decoded(raster: Raster, pixels: bytes) -> Any:
    if not pixels or raster.width * raster.height > MAX_RASTER_PIXELS:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    try:
        image = cv2.imdecode(np.frombuffer(pixels, np.uint8), cv2.IMREAD_GRAYSCALE)
    except cv2.error:
        image = None
    if image is None or image.shape != (raster.height, raster.width):
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return image


def _run(pixels: bytes, dpi: int) -> str:
    arguments = ["stdin", "stdout", "-l", LANGUAGES, "--psm", _AUTOMATIC, "--dpi", str(dpi), "tsv"]
    return _call(arguments, pixels).decode("utf-8", "replace")


def _rotation(pixels: bytes, dpi: int) -> int:
    """The clockwise rotation in degrees that makes the page upright; 0 if Tesseract cannot tell."""
    arguments = [
        "stdin",
        "stdout",
        "--psm",
        _ORIENTATION_ONLY,
        "-c",
        f"min_characters_to_try={_MIN_CHARACTERS}",
        "--dpi",
        str(dpi),
    ]
    try:
        return rotation_from_osd(_call(arguments, pixels).decode("ascii", "replace"))
    except StageFailed:  # Tesseract fails on a page with too few characters
        return 0


def _call(arguments: Sequence[str], given: bytes = b"") -> bytes:
    program = shutil.which("tesseract")
    if program is None:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    done = subprocess.run(
        [program, *arguments],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # its messages may quote the document
        env={"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"},  # one page, one core: more threads are slower
        check=False,
    )
    if done.returncode != 0 or len(done.stdout) > MAX_OCR_OUTPUT_BYTES:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return done.stdout


def _rows(tsv: str) -> Iterator[tuple[_LineKey, OcrWord]]:
    for line in tsv.split("\n")[1:]:
        fields = line.split("\t", 11)
        if len(fields) != 12 or fields[0] != _WORD_LEVEL:
            continue
        try:
            _, block, paragraph, line_number, _, left, top, width, height = map(int, fields[1:10])
            confidence = min(max(float(fields[10]), 0.0), 100.0)
        except ValueError:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED) from None
        text = "".join(c for c in fields[11] if unicodedata.category(c) not in ("Cf", "Cc")).strip()
        if text:
            yield (block, paragraph, line_number), OcrWord(text, left, top, width, height, confidence)


def with_full_boxes(words: Sequence[Word], ink: Ink) -> tuple[Word, ...]:
    """The words with their boxes enlarged to the components that they overlap most or that are nearest.

    Tesseract often cuts off the first or last letter of an Arabic word.
    """
    if not words or not len(ink.boxes):
        return tuple(words)
    boxes = np.array([(w.left, w.top, w.left + w.width, w.top + w.height) for w in words])
    fitted = boxes.copy()
    for start in range(0, len(ink.boxes), _BATCH):
        _fit_to_components(boxes, fitted, ink.boxes[start : start + _BATCH])
    reach = (_MAX_GROWTH * (boxes[:, 3] - boxes[:, 1])).astype(int)[:, None]
    fitted[:, :2] = np.maximum(fitted[:, :2], boxes[:, :2] - reach)
    fitted[:, 2:] = np.minimum(fitted[:, 2:], boxes[:, 2:] + reach)
    return tuple(
        Word(w.start, w.end, int(box[0]), int(box[1]), int(box[2] - box[0]), int(box[3] - box[1]), w.confidence)
        for w, box in zip(words, np.maximum(fitted, 0), strict=True)
    )


def _fit_to_components(boxes: Any, fitted: Any, components: Any) -> None:
    part = components[:, None, :]
    across = np.minimum(part[..., 2], boxes[:, 2]) - np.maximum(part[..., 0], boxes[:, 0])
    down = np.minimum(part[..., 3], boxes[:, 3]) - np.maximum(part[..., 1], boxes[:, 1])
    height = boxes[:, 3] - boxes[:, 1]
    suits = (part[..., 3] - part[..., 1] <= _MAX_COMPONENT_HEIGHT * height) & (
        part[..., 2] - part[..., 0] <= _MAX_COMPONENT_WIDTH * height
    )
    tall = (components[:, 3] - components[:, 1])[:, None]
    is_adjacent = (across <= 0) & (across > -_MAX_GAP * height) & (down > 0.5 * tall)
    shared = np.where((across > 0) & (down > 0), across * down, is_adjacent / (1.0 + np.maximum(-across, 0))) * suits
    owner = shared.argmax(axis=1)
    owned = shared.max(axis=1) > 0
    np.minimum.at(fitted[:, :2], owner[owned], components[owned, :2])
    np.maximum.at(fitted[:, 2:], owner[owned], components[owned, 2:])
