"""Measures pages: runs each through the job and compares the output with the truth."""

import difflib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from benchmarks.scans import score
from benchmarks.scans.damage import Pixels
from benchmarks.scans.figures import Measured, Outcome
from benchmarks.scans.job import Done, Jobs, bare_tesseract
from benchmarks.scans.pages import Page
from benchmarks.scans.values import Value
from pipeline.documents.document import Engine, FoundValue, Reading
from schemas.files import Format

_ALIKE = 0.8  # of the characters of a value that the finding has read


def measure(jobs: Jobs, page: Page, *, bare: bool) -> Measured:
    """The page after its job; with `bare` beside the seconds of Tesseract alone, which reads the same raster."""
    png = page.png()
    done = jobs.run(Format.PNG, png)
    seconds = bare_tesseract(png) if bare else 0.0
    outcomes, burned = compare(page, done) if not done.error else ([], 0.0)
    read = words_read(done.readings)
    return Measured(
        page.name, page.layout, page.damage, done.error, outcomes, read, burned, done.ocr, done.whole, seconds
    )


def words_read(readings: Iterable[Reading]) -> Counter[Engine]:
    """How many words each engine read. Lines that follow again repeat words in their boxes, which count once."""
    return Counter(
        engine
        for reading in readings
        for engine in {(w.left, w.top, w.width, w.height): w.engine for w in reading.words}.values()
    )


def compare(page: Page, done: Done) -> tuple[list[Outcome], float]:
    """The values after the job, and the share of the other ink that was burned."""
    output = grey(done.output)
    outcomes = []
    for item in page.planted:
        is_left = score.is_left(page.pixels, output, item.polygon, len(item.value.text))
        outcomes.append(
            Outcome(page.name, item.value, page.damage, is_left, is_found(item.value, done.findings.values))
        )
    rightly = [*(item.polygon for item in page.planted), *page.named]
    return outcomes, score.share_burned(page.pixels, output, rightly)


def grey(data: bytes) -> Pixels:
    """The pixels of an image. ValueError for other bytes."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise ValueError("not an image")
    return np.asarray(image, np.uint8)


def is_found(value: Value, values: Sequence[FoundValue]) -> bool:
    """Whether a finding has the type of the value and its text, read right but for a character in five."""
    wanted = _plain(value.text)
    return any(
        found.type == value.type
        and difflib.SequenceMatcher(None, wanted, _plain(found.surface), autojunk=False).ratio() >= _ALIKE
        for found in values
    )


def _plain(text: str) -> str:
    """Letters and digits alone, digits as ASCII."""
    digits = (str(unicodedata.digit(character, character)) for character in text.casefold())
    return "".join(character for character in digits if character.isalnum())
