"""Reads a raster of an output with other eyes than OCR used on the input.

Tesseract reads the page in two halves, and the number recognizer of the verification reads the lines, which another
detector finds, and rows of components where it finds none. Other libraries read the codes.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from pipeline.documents.document import INVISIBLE_INK, Engine, Raster, Reading, Word
from pipeline.documents.raster.codes.reader import NO_CODES, Codes, codes_in
from pipeline.documents.raster.ink import Ink, characters, ink_of, line_boxes
from pipeline.geometry.strip import Box, Strip, strip_of
from pipeline.networks.numbers import numbers_of
from pipeline.networks.pretrained_detector import text_map
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.engines import tesseract
from pipeline.ocr.engines.stacked_lines import words_of_lines
from pipeline.ocr.full_boxes import with_full_boxes
from pipeline.ocr.halves import halves
from pipeline.ocr.hidden_text import HiddenLine, Scores, Shown, hidden_lines, hidden_rows
from pipeline.ocr.layout.columns import with_column_lines
from pipeline.ocr.layout.lines import Line, OcrWord, compose, join_rows
from pipeline.ocr.line_reading.contrast import as_dark_ink, is_dim, is_visible, legible
from pipeline.ocr.page import DEFAULT_DPI, Ahead, Page, Reader, nothing_ahead, read_page
from pipeline.verification import number_recognizer
from pipeline.verification.codes.reader import codes_of
from pipeline.verification.seen_codes import with_seen_codes
from pipeline.verification.unread_lines import unread_lines

_LONGEST_SIDE = 1120  # pixels of what the detector sees; more blurred lines are seen so than at its full size
_LIKELY = 0.6  # score of a line that counts as unread where no word lies
_INK, _INKED = 40, 1.5  # gray levels between ink and paper, and how long ink is in heights of such a part of a line
_MIN_DIGITS = 4  # digits of a number that is added
_LONG_NUMBER = 5  # digits of one that may be a value, however unsure
_COVERED = 0.4  # of a word: how much of it a number covers that it is read for
_CREDIBLE, _MIN_CHARACTERS = 60.0, 4  # confidence and letters or digits of a word where the detector sees no text
_SURE_LETTERS = 80.0  # confidence of a word in light ink, which may be upside down
_EDGE = 0.25  # times the height of a line of components: paper around it
_MAX_OVERLOOKED = 500  # such lines that are read
_SURE_HIDDEN = Scores(hue=0.0, light=0.9)  # watermarks have .95 and more; drawings up to .56
_STEP, _WINDOW = 9, 5  # the ground of a plane: every ninth pixel, and the square of those whose median it is
_GAIN, _EVEN = 3.0, 128.0  # how much the difference from it is raised, and the level that it becomes
_SURE = 90.0  # the least confidence (0..100) of a number that the recognizer is sure of


def read_again(raster: Raster, pixels: bytes, threads: int = 1) -> Reading:
    """The words of a raster (`pixels`: its PNG) in logical reading order, and as unread ink the codes nobody can read.

    Lines with numbers that Tesseract read otherwise follow again with these. `threads` work at the same time.
    StageFailed(image_redact_failed), or (verify_failed) for too many codes.
    """
    with ThreadPoolExecutor(threads) as executor:
        seen = executor.submit(codes_of, pixels)

        def codes_beside(gray: Any) -> Codes:
            # The library of the first reading says what a code holds that the others only locate.
            return codes_in(gray) if seen.result() else NO_CODES

        reader = Reader(_text_map, _read_upright, codes_beside, _ahead)
        if raster.id.endswith(INVISIBLE_INK):  # mostly no text, and specks and contours take Tesseract half a minute
            reader = reader._replace(ahead=nothing_ahead, is_drawing=True)
        reading = read_page(raster, pixels, reader, executor)
        lines = (*reading.unread_lines, *map(strip_of, reading.unread))
        return replace(with_seen_codes(reading, seen.result()), unread_lines=lines)


def _ahead(image: Any, dpi: int, threads: Executor) -> Ahead:
    """What Tesseract reads in both halves of a page."""
    return [threads.submit(_words_from, top, part, dpi) for top, part in halves(image)]


def _words_from(top: int, part: Any, dpi: int) -> list[Line]:
    """The words of a part of a page that begins at a row of it, in pixels of the page."""
    return [[word._replace(top=word.top + top) for word in line] for line in tesseract.words_of(part, dpi)]


def _text_map(image: Any) -> TextMap:
    return text_map(image, _LONGEST_SIDE)


def _read_upright(raster: Raster, page: Page, threads: Executor) -> Reading:
    image, where, dpi = page.shown.gray, page.where, raster.dpi or DEFAULT_DPI
    ink = ink_of(image, dpi)
    seen = {line: cut for line in page.lines if is_visible(cut := line.cut(image))}
    cuts = seen | {line: line.cut(image) for line in _overlooked(ink, where)}
    by_recognizer = threads.submit(_numbers, list(cuts), list(map(as_dark_ink, cuts.values())), image.shape)
    ahead = page.ahead or (_ahead(image, dpi, threads) if page.lines else ())
    by_tesseract = [line for part in ahead for line in part.result()]
    rows = join_rows([*by_tesseract, *([label] for label in page.labels)], page.slant)
    found = [*rows, *_number_rows(list(cuts), by_recognizer.result(), rows, image.shape)]
    found = [words for row in found if (words := _plausible(row, where))]
    low = _low_contrast_lines(page.shown, seen, rows)
    low_rows = list(filter(_is_credible, _words_in(low, image.shape)))
    text, ocr_words = compose([*found, *hidden_rows(low_rows, rows)])
    read = with_full_boxes(ocr_words, ink)
    seen_words = [_box(word) for word in read]
    likely = (_strip(line) for line in seen if line.score >= _LIKELY)
    unread = [strip for strip in unread_lines(likely, seen_words) if _has_ink(image, strip)]
    likely_low = [line for line in low if line.place.score >= _LIKELY]
    beside_low, in_low = (
        [_box(word) for row in some for word in row if word.confidence >= _CREDIBLE] for some in (rows, low_rows)
    )
    unread += unread_lines((_strip(line.place) for line in likely_low if not line.is_crossed), [*beside_low, *in_low])
    crossed = (_strip(line.place)._replace(is_crossed=True) for line in likely_low if line.is_crossed)
    unread += unread_lines(crossed, [_box(word) for row in low_rows for word in row if _explains_light_ink(word)])
    return Reading(raster.id, *with_column_lines(text, read), (), tuple(unread))


def _strip(line: TextLine) -> Strip:
    return line.strip(0, line.width)


def _line(strip: Strip) -> TextLine:
    (u, v), reach = strip.along, strip.height / 2
    return TextLine(strip.x + v * reach, strip.y - u * reach, (u, v), strip.length, strip.height, 1.0)


def _box(word: Word | OcrWord) -> Box:
    return word.left, word.top, word.width, word.height


def _upright(word: OcrWord) -> TextLine:
    return TextLine(word.left, word.top, (1.0, 0.0), word.width, word.height, 1.0)


def _is_credible(row: Sequence[OcrWord]) -> bool:
    """Whether a row of low contrast is text; in patterns and photographs Tesseract reads short words. Or a number."""
    if any(word.engine is Engine.NUMBER_RECOGNIZER and len(_digits(word.text)) >= _LONG_NUMBER for word in row):
        return True
    read = (word.text for word in row if word.confidence >= _CREDIBLE)
    return sum(sum(map(str.isalnum, text)) for text in read) >= _MIN_CHARACTERS


def _explains_light_ink(word: OcrWord) -> bool:
    """Whether light ink may count as read: upside down, short numbers and odd words are read surely, too.

    A long number does because what the first reading read otherwise is in doubt anyway.
    """
    if word.engine is Engine.NUMBER_RECOGNIZER and len(_digits(word.text)) >= _LONG_NUMBER:
        return True
    return word.confidence >= _SURE_LETTERS and not _digits(word.text)


def _low_contrast_lines(
    page: Shown, seen: Mapping[TextLine, Any], rows: Iterable[Sequence[OcrWord]]
) -> list[HiddenLine]:
    """The lines of faint ink, and those that grayscale hides, in full contrast."""
    words = [word for row in rows for word in row if word.confidence >= _CREDIBLE]
    x, y = (np.array(middles) for middles in zip(*map(_middle, words), strict=True)) if words else (np.zeros(0),) * 2
    faint: list[HiddenLine] = []
    for line, cut in seen.items():
        left, top, width, height = line.box(0, line.width, page.gray.shape)
        is_read = ((left <= x) & (x < left + width) & (top <= y) & (y < top + height)).any()
        if not is_read and is_dim(cut):
            faint.append(HiddenLine(line, legible(cut)))
    return [*faint, *hidden_lines(page, _text_map_of_plane, map(_upright, words), _SURE_HIDDEN)]


def _text_map_of_plane(plane: Any) -> TextMap:
    """Where a plane may hold text. The detector is made for pages: the ground becomes even."""
    sample = np.ascontiguousarray(plane[_STEP // 2 :: _STEP, _STEP // 2 :: _STEP])
    ground = cv2.resize(cv2.medianBlur(sample, _WINDOW), plane.shape[::-1], interpolation=cv2.INTER_LINEAR)
    return _text_map(cv2.addWeighted(plane, _GAIN, ground, -_GAIN, _EVEN))


def _words_in(lines: Sequence[HiddenLine], shape: tuple[int, int]) -> list[list[OcrWord]]:
    """The words of Tesseract in each of these lines; in its place the numbers that the recognizer reads otherwise."""
    if not lines:
        return []
    places, cuts = [line.place for line in lines], [line.cut for line in lines]
    rows = [
        [OcrWord(word.text, *place.box(word.left, word.right, shape), word.confidence, word.engine) for word in words]
        for place, words in zip(places, words_of_lines(cuts, tesseract.LANGUAGES), strict=True)
    ]
    found = [row for row in rows if row]
    return [*found, *_number_rows(places, _numbers(places, cuts, shape), found, shape)]


def _overlooked(ink: Ink, where: TextMap) -> list[TextLine]:
    """Lines of components with the shape of characters where the detector sees no text: it may be blind."""
    unseen = ink._replace(is_character=ink.is_character & ~where.may_hold_text(ink.boxes))
    return [
        TextLine(left - _EDGE * height, top - _EDGE * height, (1.0, 0.0), width + 2 * _EDGE * height, 1.5 * height, 0.0)
        for left, top, width, height in line_boxes(characters(unseen))[:_MAX_OVERLOOKED]
    ]


def _has_ink(image: Any, strip: Strip) -> bool:
    """Whether a part of a line is more than a blank between words and the edges of these."""
    left, top, width, height = strip.box
    part, cut = image[max(0, top) : top + height, max(0, left) : left + width], _line(strip).cut(image)
    inked = np.flatnonzero((cut < int(part.max(initial=0)) - _INK).any(axis=0))
    return len(inked) > 0 and bool(inked[-1] - inked[0] >= _INKED * cut.shape[0])


def _plausible(row: Sequence[OcrWord], where: TextMap) -> list[OcrWord]:
    """The words without those that were read in drawings and photographs.

    They are short or doubtful, and the detector sees no text there. If it is blind, the words that matter remain.
    """
    boxes = [(word.left, word.top, word.left + word.width, word.top + word.height) for word in row]
    return [
        word
        for word, is_seen in zip(row, where.may_hold_text(boxes), strict=True)
        if is_seen or (word.confidence >= _CREDIBLE and sum(map(str.isalnum, word.text)) >= _MIN_CHARACTERS)
    ]


def _number_rows(
    lines: Sequence[TextLine],
    numbers_of_lines: Sequence[Sequence[OcrWord]],
    rows: Iterable[Sequence[OcrWord]],
    shape: tuple[int, int],
) -> list[list[OcrWord]]:
    """The lines that hold a number, each with it and with the words of Tesseract beside it."""
    found, words = [], [word for row in rows for word in row]
    for line, numbers in zip(lines, numbers_of_lines, strict=True):
        if not numbers:
            continue
        box = line.box(0, line.width, shape)
        own = [word for word in words if _is_in(word, box)]
        if any(_digits(number.text) not in _digits("".join(word.text for word in own)) for number in numbers):
            found.append([*numbers, *(word for word in own if not any(_covers(number, word) for number in numbers))])
    return found


def _numbers(lines: Sequence[TextLine], cuts: Sequence[Any], shape: tuple[int, int]) -> list[list[OcrWord]]:
    reader = number_recognizer.reader()
    found = reader.read_lines(cuts)
    return [
        [
            OcrWord(
                number.text,
                *line.box(number.left, number.right, shape),
                max(_SURE, 100 * number.confidence) if reader.is_sure(number) else 100 * number.confidence,
                Engine.NUMBER_RECOGNIZER,
            )
            for number in numbers_of(characters)
            if len(_digits(number.text)) >= _MIN_DIGITS
        ]
        for line, characters in zip(lines, found, strict=True)
    ]


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _is_in(word: OcrWord, box: tuple[int, int, int, int]) -> bool:
    left, top, width, height = box
    x, y = _middle(word)
    return left <= x < left + width and top <= y < top + height


def _middle(word: OcrWord) -> tuple[float, float]:
    return word.left + word.width / 2, word.top + word.height / 2


def _covers(number: OcrWord, word: OcrWord) -> bool:
    shared = min(number.left + number.width, word.left + word.width) - max(number.left, word.left)
    return shared > _COVERED * word.width
