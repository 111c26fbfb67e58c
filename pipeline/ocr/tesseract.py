"""Reads a raster with Tesseract (`ara+eng`) through pipes: the image goes in, words with boxes come out, no file."""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import BY_HUE, Raster, Reading
from pipeline.documents.limits import MAX_OCR_OUTPUT_BYTES, MAX_OCR_WORDS, MAX_RASTER_PIXELS
from pipeline.documents.raster.burn import packed
from pipeline.documents.raster.ink import ink_of
from pipeline.ocr.banners import lightened
from pipeline.ocr.boxes import grown
from pipeline.ocr.columns import spelled
from pipeline.ocr.groups import said_again
from pipeline.ocr.lines import SeenWord, compose
from pipeline.ocr.rows import join_rows
from pipeline.ocr.turned import is_doubtful, joined, told, turned
from pipeline.ocr.unread import unread_ink
from schemas.errors import ErrorCode, StageFailed

LANGUAGES = "ara+eng"
_DEFAULT_DPI = 300
_PSM = "3"  # automatic page segmentation, no orientation detection
_ORIENTATION = "0"  # orientation detection alone
_FEW = 5  # characters that it may judge by
_WORD_LEVEL = "5"  # the TSV's level column


_Line = tuple[int, int, int]  # block, paragraph and line number


def read(raster: Raster, pixels: bytes) -> Reading:
    """Words of the raster (`pixels`: a PNG or PNM of it) in logical reading order, and the ink that nobody could read.

    Lines whose groups of digits may be meant in another order follow once more in that one. StageFailed
    (image_redact_failed) when Tesseract fails, is missing or says something that is no answer.
    """
    return said_again(_read(raster, pixels))


def _read(raster: Raster, pixels: bytes) -> Reading:
    image = _decoded(raster, pixels)
    light = lightened(image)
    if light is not image:
        image, pixels = light, packed(light)
    stored = _as_stored(raster, image, pixels)
    if BY_HUE in raster.id or not is_doubtful(stored.words):
        return stored
    degrees = _turn(pixels, raster.dpi or _DEFAULT_DPI)
    if not degrees:
        return stored
    image = turned(image, degrees)
    upright = _as_stored(raster, image, packed(image))
    return joined(upright, stored, degrees, raster.width, raster.height)


def _as_stored(raster: Raster, image: Any, pixels: bytes) -> Reading:
    lines: dict[_Line, list[SeenWord]] = {}
    for count, (line, word) in enumerate(_rows(_run(pixels, raster.dpi or _DEFAULT_DPI))):
        if count > MAX_OCR_WORDS:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        lines.setdefault(line, []).append(word)
    text, seen = compose(join_rows(list(lines.values())))
    ink = ink_of(image, raster.dpi or _DEFAULT_DPI)
    words = grown(seen, ink)
    return Reading(raster.id, *spelled(text, words), unread_ink(image, ink, text, words))


def engine() -> str:
    """`tesseract` and its version. StageFailed(image_redact_failed) when it is missing or does not tell."""
    said = _call(["--version"]).decode("ascii", "replace")
    version = re.match(r"tesseract v?(\d[\w.+-]*)", said)
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
    arguments = ["stdin", "stdout", "-l", LANGUAGES, "--psm", _PSM, "--dpi", str(dpi), "tsv"]
    return _call(arguments, pixels).decode("utf-8", "replace")


def _turn(pixels: bytes, dpi: int) -> int:
    """The clockwise turn, in degrees, that brings the page upright; 0 where Tesseract sees too little to tell."""
    arguments = ["stdin", "stdout", "--psm", _ORIENTATION, "-c", f"min_characters_to_try={_FEW}", "--dpi", str(dpi)]
    try:
        return told(_call(arguments, pixels).decode("ascii", "replace"))
    except StageFailed:  # too few characters is an error to it
        return 0


def _call(arguments: Sequence[str], given: bytes = b"") -> bytes:
    program = shutil.which("tesseract")
    if program is None:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    done = subprocess.run(
        [program, *arguments],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it may quote what it read
        env={"OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"},  # one page, one core: OpenMP only burns time here
        check=False,
    )
    if done.returncode != 0 or len(done.stdout) > MAX_OCR_OUTPUT_BYTES:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return done.stdout


def _rows(tsv: str) -> Iterator[tuple[_Line, SeenWord]]:
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
            yield (block, paragraph, line_number), SeenWord(text, left, top, width, height, confidence)
