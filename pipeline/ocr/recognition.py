"""Reads a raster: lines of text are found whatever their script, and each is read by the engines that suit it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.ink import ink_of
from pipeline.numbers import numbers_of
from pipeline.ocr.agreement import put_together
from pipeline.ocr.columns import with_column_lines
from pipeline.ocr.engines import arabic_recognizer, latin_recognizer, number_recognizer
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from pipeline.ocr.engines.text_line import TextLine
from pipeline.ocr.full_boxes import with_full_boxes
from pipeline.ocr.lines import OcrWord, compose, join_rows
from pipeline.ocr.neighbours import words_beside
from pipeline.ocr.page import DEFAULT_DPI, read_page
from pipeline.ocr.unread_ink import is_confident, unread_ink
from pipeline.ocr.unread_rest import is_sign, is_texture, unread_rest

_MIN_LATIN = 4  # small Latin letters of a line that is read in both scripts
_MAX_UPWARD = 50.0  # confidence (0..100)
_MIN_SPACED, _SAME_ROW = 3, 0.5  # digits in a row that may be a number; the share of their heights that is the same
_MAX_REST = 0.6  # times the height of a line: the widest ink beside its words that is not read again


class _Line(NamedTuple):
    """A line with its cut and the words that were read in it."""

    place: TextLine
    cut: Any
    words: list[LineWord]

    @property
    def is_read(self) -> bool:
        """Whether somebody read a word of it reliably."""
        return any(map(_is_reliable, self.words))

    @property
    def is_texture(self) -> bool:
        """Whether it is a part of a photograph."""
        return not self.is_read and is_texture(self.cut, self.words, self.place.score)


def read(raster: Raster, pixels: bytes) -> Reading:
    """The words of a raster (`pixels`: its PNG or PNM) in logical reading order, and the boxes of unread ink.

    StageFailed(image_redact_failed) if an engine is missing or fails.
    """
    return read_page(raster, pixels, _read_upright)


def _read_upright(raster: Raster, image: Any) -> Reading:
    where = text_map(image)
    lines = where.lines()
    cuts = [line.cut(image) for line in lines]
    read_lines = [_Line(*parts) for parts in zip(lines, cuts, _by_all(lines, cuts), strict=True)]
    # A symbol that nobody is sure to be text is a drawing, and none of its readings counts.
    signs = [line for line in read_lines if is_sign(line.cut) and not line.is_read]
    drawings = {line.place for line in signs} - _spaced_digits(signs)
    kept = [line for line in read_lines if line.place not in drawings and not line.is_texture]
    placed = [
        [OcrWord(word.text, *place.box(word.left, word.right, image.shape), word.confidence) for word in words]
        for place, _, words in kept
        if words
    ]
    text, ocr_words = compose(join_rows(placed))
    ink = ink_of(image, raster.dpi or DEFAULT_DPI)
    # Photographs and drawings have much ink with the shape of characters.
    may_be_text = where.without(line.place for line in read_lines if line.is_texture).may_hold_text(ink.boxes)
    ink = ink._replace(is_character=ink.is_character & may_be_text)
    words = with_full_boxes(ocr_words, ink)
    rest = (
        place.box(left, right, image.shape)
        for place, cut, own in kept
        for left, right in unread_rest(cut, own, filter(_is_reliable, own))
    )
    unread = (*unread_ink(image, ink, text, words), *rest)
    return Reading(raster.id, *with_column_lines(text, words), (*unread, *words_beside(text, words, unread)))


def _spaced_digits(signs: Sequence[_Line]) -> set[TextLine]:
    """The places of signs in rows of which several may be digits: each row may be a number with wide gaps."""
    digits = [line.place for line in signs if any(word.has_digits for word in line.words)]
    places = [line.place for line in signs]
    return {one for one in places if sum(_is_beside(one, other) for other in digits) >= _MIN_SPACED}


def _is_beside(one: TextLine, other: TextLine) -> bool:
    """Whether two upright lines share most of the lower one's height. A line stands beside itself."""
    shared = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return shared >= _SAME_ROW * min(one.height, other.height)


def _is_reliable(word: LineWord) -> bool:
    return is_confident(word.text, word.confidence)


def _by_all(lines: Sequence[TextLine], cuts: Sequence[Any]) -> list[list[LineWord]]:
    latin = [[(word, latin_recognizer.is_sure(word)) for word in latin_recognizer.latin_words(cut)] for cut in cuts]
    reader = number_recognizer.reader()
    numbers = [
        [
            (LineWord(one.text, one.left, one.right, 100 * one.confidence), reader.is_sure(one))
            for one in numbers_of(characters)
        ]
        for characters in reader.read_lines(cuts)
    ]
    rest = [n for n, cut in enumerate(cuts) if not _is_all_latin(cut, latin[n])]
    has_latin = [
        sum(map(str.islower, "".join(word.text for word, is_sure in latin[n] if is_sure))) >= _MIN_LATIN for n in rest
    ]
    arabic: list[list[tuple[LineWord, bool]]] = [[] for _ in lines]
    for n, read in zip(rest, arabic_recognizer.arabic_words([cuts[n] for n in rest], has_latin), strict=True):
        arabic[n] = [(word, arabic_recognizer.is_sure(word)) for word in read]
    words = [put_together(latin[n], numbers[n], arabic[n]) for n in range(len(lines))]
    return [_unsure(own) if line.runs_upward else own for line, own in zip(lines, words, strict=True)]


def _unsure(words: Iterable[LineWord]) -> list[LineWord]:
    """The words of a line that runs upward: on an upright page it may run downward, and on another all lines do so."""
    return [word._replace(confidence=min(word.confidence, _MAX_UPWARD)) for word in words]


def _is_all_latin(cut: Any, words: Sequence[tuple[LineWord, bool]]) -> bool:
    """Whether all words are surely Latin, and no ink beside them is wide enough for another one."""
    if not words or not all(is_sure for _, is_sure in words):
        return False
    threshold, _ = cv2.threshold(cut, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    rest = (cut <= threshold).any(axis=0)
    for word, _ in words:
        rest[max(0, int(word.left)) : int(word.right) + 1] = False
    borders = np.flatnonzero(np.diff(rest.astype(np.int8), prepend=0, append=0))
    return int((borders[1::2] - borders[::2]).max(initial=0)) <= _MAX_REST * len(cut)
