"""Runs Tesseract through pipes, without files: an image in, words with boxes out."""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.documents.document import Engine
from pipeline.documents.limits import MAX_OCR_OUTPUT_BYTES, MAX_OCR_WORDS
from pipeline.ocr.layout.lines import OcrWord
from pipeline.ocr.orientation.quarter_turns import rotation_from_osd
from schemas.errors import ErrorCode, StageFailed

LANGUAGES = "ara+eng"
# Page segmentation modes: automatic, without orientation detection; one block of lines.
PAGE, BLOCK = "3", "6"
_ORIENTATION_ONLY = "0"  # page segmentation mode: orientation detection only
_MIN_CHARACTERS = 5  # characters that suffice for orientation detection
_WORD_LEVEL = "5"  # the level column of TSV rows for words

_LineKey = tuple[int, int, int]  # block, paragraph and line number


def engine() -> str:
    """`tesseract` and its version. StageFailed(image_redact_failed) if it is missing or reports no version."""
    output = _call(["--version"]).decode("ascii", "replace")
    version = re.match(r"tesseract v?(\d[\w.+-]*)", output)
    if version is None:
        raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
    return f"tesseract {version[1]}"


def words_of(image: Any, dpi: int, *, languages: str = LANGUAGES, mode: str = PAGE) -> list[list[OcrWord]]:
    """The words that Tesseract reads in a grayscale array, by line. StageFailed(image_redact_failed)."""
    arguments = ["stdin", "stdout", "-l", languages, "--psm", mode, "--dpi", str(dpi), "tsv"]
    tsv = _call(arguments, _pgm(image)).decode("utf-8", "replace")
    lines: dict[_LineKey, list[OcrWord]] = {}
    for count, (line, word) in enumerate(_rows(tsv)):
        if count > MAX_OCR_WORDS:
            raise StageFailed(ErrorCode.IMAGE_REDACT_FAILED)
        lines.setdefault(line, []).append(word)
    return list(lines.values())


def rotation(image: Any, dpi: int) -> int:
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
        return rotation_from_osd(_call(arguments, _pgm(image)).decode("ascii", "replace"))
    except StageFailed:  # Tesseract fails on a page with too few characters
        return 0


def _pgm(image: Any) -> bytes:
    """A grayscale array as binary PGM, which takes a tenth of the time of a PNG and needs no space on a disk."""
    height, width = image.shape
    return b"".join((b"P5 %d %d 255\n" % (width, height), image.tobytes()))


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
            word = OcrWord(text, left, top, width, height, confidence, Engine.TESSERACT)
            yield (block, paragraph, line_number), word
