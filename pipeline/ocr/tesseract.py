"""Reads a raster with Tesseract (`ara+eng`) through pipes: the image goes in, words with boxes come out, no file."""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.documents.bidi import is_right_to_left
from pipeline.documents.document import BY_HUE, Raster, Reading, Word
from pipeline.documents.limits import MAX_OCR_OUTPUT_BYTES, MAX_OCR_WORDS, MAX_RASTER_PIXELS
from pipeline.documents.raster.burn import raster_png
from pipeline.documents.raster.ink import Ink, Mark, bounding_box, characters, ink_of, line_boxes
from pipeline.ocr.columns import columns, in_table, is_identifier, may_be_number, said_in, spelled
from pipeline.ocr.corrections import hides_account
from pipeline.ocr.lines import SeenWord, compose, is_doubtful, join_rows, joined, said_again, told, turned
from schemas.errors import ErrorCode, StageFailed

# Which words of Tesseract 5 may be believed.
#
# Measured here on rendered Arabic and English forms, 200 and 300 dpi, clean and noisy: right words come with 85 to 97,
# Eastern-Arabic digits with 0 to 50, but now and then as a Latin look-alike (`VAVA` for ٧٨٧٨) with 90.

_LEAST = 60.0  # below it words are wrong more often than right
_LEAST_WITH_DIGITS = 80.0  # one wrong digit hides an identifier from detection
_DIGIT = re.compile(r"\d")
_EASTERN_DIGIT = re.compile(r"[٠-٩۰-۹]")
# What Eastern digits are read as: ٧ V, ٨ A, ٢ and ٣ Y or W, ٤ E, ٥ O, ١ and ٦ a stroke, a one or T, ٠ a dot.
_LOOK_ALIKE = re.compile(r"[VAYWOET1I0¥£\\/|^+.,:*°«»\"'-]{2,}")
_TELLING = re.compile(r"[VAYW¥£\\^]")
_WORDS = frozenset(["WE", "AT", "TO", "VAT", "WAY", "TWO", "YET", "AVE", "TEA", "TV", "EAT", "VOTE", "IT", "WAIT"])


def is_confident(word: str, confidence: float, line: str) -> bool:
    """Whether a word, read with that confidence (0..100) in that line, says what stands there."""
    if _DIGIT.search(word) and hides_account(line):
        return False
    if confidence < (_LEAST_WITH_DIGITS if _DIGIT.search(word) else _LEAST) or _EASTERN_DIGIT.search(word):
        return False
    if _LOOK_ALIKE.fullmatch(word) and _TELLING.search(word):
        return word in _WORDS and not is_right_to_left([line])
    return True


# Turns dark boxes with light letters into light boxes with dark letters: Tesseract trips over solid black.
#
# Our own burned boxes are such boxes, so the second reading of an output sees placeholders and blanks where they stand
# instead of inventing words; headings of tables are others.

_DARK = 96  # gray level
_COARSE = 4  # times: boxes are looked for in a smaller picture first, which takes a tenth of the time
_LEAST_WIDTH, _LEAST_HEIGHT = 14, 10  # pixels
_FILLED = 0.45  # share of a box that stays dark between its letters
_SOLID = 0.9  # share of dark pixels along a box's edges
_RIM = 2  # pixels around a box that are neither black nor white


def lightened(image: Any) -> Any:
    """The grayscale array with such boxes inverted; the same array when it has none."""
    boxes = [box for area in _candidates(image) if (box := _box(image, *area))]
    if not boxes:
        return image
    image = image.copy()
    for left, top, right, bottom in boxes:
        letters = 255 - image[top:bottom, left:right]
        image[max(0, top - _RIM) : bottom + _RIM, max(0, left - _RIM) : right + _RIM] = 255
        image[top:bottom, left:right] = letters
    return image


def _candidates(image: Any) -> list[tuple[int, int, int, int]]:
    """Areas (left, top, right, bottom) that hold a dark blob, a little larger than it."""
    if min(image.shape) < 2 * _COARSE:
        return []
    small = cv2.resize(image, None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA)
    table = cv2.connectedComponentsWithStats((small < _DARK + 32).astype(np.uint8), connectivity=4)[2][1:]
    _, _, width, height, area = table.T
    large = (width * _COARSE >= _LEAST_WIDTH) & (height * _COARSE >= _LEAST_HEIGHT)
    areas = table[large & (area >= 0.8 * _FILLED * width * height)]
    scaled = [(int(x - 1), int(y - 1), int(x + w + 1), int(y + h + 1)) for x, y, w, h, _ in areas]
    return [(max(0, left) * _COARSE, max(0, top) * _COARSE, r * _COARSE, b * _COARSE) for left, top, r, b in scaled]


def _box(image: Any, left: int, top: int, right: int, bottom: int) -> tuple[int, int, int, int] | None:
    """The dark box in that area, exactly, or None when what is dark there is no box."""
    dark = (image[top:bottom, left:right] < _DARK).astype(np.uint8)
    table = cv2.connectedComponentsWithStats(dark, connectivity=4)[2][1:]
    if not len(table):
        return None
    x, y, width, height, area = (int(value) for value in table[table[:, cv2.CC_STAT_AREA].argmax()])
    if width < _LEAST_WIDTH or height < _LEAST_HEIGHT or area < _FILLED * width * height:
        return None
    patch = dark[y : y + height, x : x + width]
    if any(float(edge.mean()) < _SOLID for edge in (patch[1], patch[-2], patch[:, 1], patch[:, -2])):
        return None
    return left + x, top + y, left + x + width, top + y + height


# Widens words' boxes to the ink they cut: Tesseract often cuts off the first or last letter of an Arabic word.

_TALL, _WIDE = 2.2, 10.0  # of the word's height: larger components are rules and frames
_REACH = 1.0  # of the word's height: how far a box may grow to a side
_GAP = 0.4  # of the word's height: a component that no word overlaps belongs to the nearest one within it
_CHUNK = 4096  # components at a time


def grown(words: Sequence[Word], ink: Ink) -> tuple[Word, ...]:
    """The words, each with its box around the components that it overlaps most, or that stand nearest to it."""
    if not words or not len(ink.boxes):
        return tuple(words)
    boxes = np.array([(w.left, w.top, w.left + w.width, w.top + w.height) for w in words])
    fitted = boxes.copy()
    for start in range(0, len(ink.boxes), _CHUNK):
        _fit(boxes, fitted, ink.boxes[start : start + _CHUNK])
    reach = (_REACH * (boxes[:, 3] - boxes[:, 1])).astype(int)[:, None]
    fitted[:, :2] = np.maximum(fitted[:, :2], boxes[:, :2] - reach)
    fitted[:, 2:] = np.minimum(fitted[:, 2:], boxes[:, 2:] + reach)
    return tuple(
        Word(w.start, w.end, int(box[0]), int(box[1]), int(box[2] - box[0]), int(box[3] - box[1]), w.confidence)
        for w, box in zip(words, np.maximum(fitted, 0), strict=True)
    )


def _fit(boxes: Any, fitted: Any, components: Any) -> None:
    part = components[:, None, :]
    across = np.minimum(part[..., 2], boxes[:, 2]) - np.maximum(part[..., 0], boxes[:, 0])
    down = np.minimum(part[..., 3], boxes[:, 3]) - np.maximum(part[..., 1], boxes[:, 1])
    height = boxes[:, 3] - boxes[:, 1]
    suits = (part[..., 3] - part[..., 1] <= _TALL * height) & (part[..., 2] - part[..., 0] <= _WIDE * height)
    tall = (components[:, 3] - components[:, 1])[:, None]
    beside = (across <= 0) & (across > -_GAP * height) & (down > 0.5 * tall)
    shared = np.where((across > 0) & (down > 0), across * down, beside / (1.0 + np.maximum(-across, 0))) * suits
    owner = shared.argmax(axis=1)
    owned = shared.max(axis=1) > 0
    np.minimum.at(fitted[:, :2], owner[owned], components[owned, :2])
    np.maximum.at(fitted[:, 2:], owner[owned], components[owned, 2:])


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
        image, pixels = light, raster_png(light)
    stored = _as_stored(raster, image, pixels)
    if BY_HUE in raster.id or not is_doubtful(stored.words):
        return stored
    degrees = _turn(pixels, raster.dpi or _DEFAULT_DPI)
    if not degrees:
        return stored
    image = turned(image, degrees)
    upright = _as_stored(raster, image, raster_png(image))
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


# Text-like ink that no confident word covers: what Tesseract saw and could not read, and what it did not see.

_LIKE = (0.6, 1.4)  # of the middle height of a word's characters: others are dots, rules and stains
_SPREAD = 2.0  # of its height: no letter of a word without digits is wider than this
_LEAST_CONTRAST = 40  # gray levels; Tesseract also sees words in specks and empty corners


def unread_ink(image: Any, ink: Ink, text: str, words: Sequence[Word]) -> tuple[tuple[int, int, int, int], ...]:
    """Boxes (left, top, width, height) of such ink in a grayscale raster: doubtful words, and uncovered characters."""
    covered, spoken = np.zeros(image.shape, bool), np.zeros(image.shape, bool)
    doubtful: list[Mark] = []
    read: list[Word] = []
    for word in words:
        if _is_read(text, word) and not _says_less(text[word.start : word.end], word, ink):
            margin = max(2, word.height // 4)
            top, left = max(0, word.top - margin), max(0, word.left - margin)
            covered[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
            read.append(word)
            if word.end - word.start > 1:
                spoken[top : word.top + word.height + margin, left : word.left + word.width + margin] = True
        elif _has_contrast(image, word):
            doubtful.append(Mark(word.left, word.top, word.width, word.height))
    every = characters(ink)
    marks = [m for m in every if not covered[m.top + m.height // 2, m.left + m.width // 2]]
    # Of a page scanned sideways the lines run downwards, and what stands there alone in its row is text all the same.
    sideways = [_turned(mark) for mark in line_boxes([_turned(mark) for mark in marks])]
    alone = [m for m in every if not spoken[m.top + m.height // 2, m.left + m.width // 2]]
    below = _half_read(image, alone, text, (words, read))
    return tuple((m.left, m.top, m.width, m.height) for m in [*doubtful, *line_boxes(marks), *sideways, *below])


def _half_read(
    image: Any, marks: Sequence[Mark], text: str, words: tuple[Sequence[Word], Sequence[Word]]
) -> list[Mark]:
    """Columns of single characters of which not every one was read: what was read of a number goes with the rest.

    `words`: all of them, and those that were read with confidence.
    """
    found = []
    every = columns(image, marks)
    for column in every:
        said = said_in(column.marks, text, words[1])
        if len(said) == len(column.marks):
            continue
        guessed = said_in(column.marks, text, words[0])
        proven = len(guessed) == len(column.marks) and is_identifier("".join(guessed[n] for n in sorted(guessed)))
        ordinary = not may_be_number(column, said) or in_table(column.marks, [other.marks for other in every])
        if proven or not ordinary:
            found.append(bounding_box(column.marks))
    return found


def _turned(mark: Mark) -> Mark:
    return Mark(mark.top, mark.left, mark.height, mark.width)


def _is_read(text: str, word: Word) -> bool:
    start = text.rfind("\n", 0, word.start) + 1
    end = text.find("\n", word.end)
    return is_confident(text[word.start : word.end], word.confidence, text[start : end if end >= 0 else len(text)])


def _says_less(said: str, word: Word, ink: Ink) -> bool:
    """Whether more characters stand in the word's box than were read: Tesseract drops digits out of long numbers.

    It gives `156` and `7`, confident of both, for 1562408987. Letters run together and break apart: they must also be
    much too few for so wide a box.
    """
    if not said.isascii() or not len(ink.boxes):
        return False
    left, top, right, bottom = ink.boxes[ink.is_character].T
    across, down = (left + right) / 2 - word.left, (top + bottom) / 2 - word.top
    heights = (bottom - top)[(across > 0) & (across < word.width) & (down > 0) & (down < word.height)]
    if not len(heights):
        return False
    least, most = (factor * float(np.median(heights)) for factor in _LIKE)
    seen = int(((heights >= least) & (heights <= most)).sum())
    if any(map(str.isdigit, said)):
        return seen > len(said) + 2 * said.count("%")
    return seen > len(said) + 1 and word.width > _SPREAD * word.height * len(said)


def _has_contrast(image: Any, word: Word) -> bool:
    patch = image[word.top : word.top + word.height, word.left : word.left + word.width]
    return bool(patch.size) and int(patch.max()) - int(patch.min()) > _LEAST_CONTRAST
