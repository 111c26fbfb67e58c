"""Reads a raster: lines of text are found whatever their script, and each is read by the engines that suit it."""

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.ink import ink_of
from pipeline.networks.text_line import TextLine
from pipeline.ocr.columns import with_column_lines
from pipeline.ocr.cut_numbers import cut_numbers
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from pipeline.ocr.full_boxes import with_full_boxes
from pipeline.ocr.line_reading.words import words_of_lines
from pipeline.ocr.lines import OcrWord, compose, join_rows
from pipeline.ocr.neighbours import words_beside
from pipeline.ocr.page import DEFAULT_DPI, read_page
from pipeline.ocr.unread_ink import is_confident, unread_ink
from pipeline.ocr.unread_rest import is_sign, is_texture, unread_rest

_MIN_SPACED, _SAME_ROW = 3, 0.5  # digits in a row that may be a number; the share of their heights that is the same


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


def read(raster: Raster, pixels: bytes, threads: int = 1) -> Reading:
    """The words of a raster (`pixels`: its PNG or PNM) in logical reading order, and the boxes of unread ink.

    `threads` work at the same time; the reading does not depend on their number. StageFailed(image_redact_failed) if an
    engine is missing or fails.
    """
    with ThreadPoolExecutor(threads) as executor:
        return read_page(raster, pixels, _read_upright, executor)


def _read_upright(raster: Raster, image: Any, labels: Sequence[OcrWord], threads: Executor) -> Reading:
    where = threads.submit(text_map, image).result()
    found = where.lines()
    lines = [line.fitted(image) for line in found]
    cuts = [line.cut(image) for line in lines]
    read_lines = [_Line(*parts) for parts in zip(lines, cuts, words_of_lines(lines, cuts, threads), strict=True)]
    # A symbol that nobody is sure to be text is a drawing, and none of its readings counts.
    signs = [line for line in read_lines if is_sign(line.cut) and not line.is_read]
    drawings = {line.place for line in signs} - _spaced_digits(signs, read_lines)
    kept = [line for line in read_lines if line.place not in drawings and not line.is_texture]
    placed = [
        [OcrWord(word.text, *place.box(word.left, word.right, image.shape), word.confidence) for word in words]
        for place, _, words in kept
        if words
    ]
    text, ocr_words = compose(join_rows([*placed, *([label] for label in labels)]))
    ink = ink_of(image, raster.dpi or DEFAULT_DPI)
    # Photographs and drawings have much ink with the shape of characters.
    textures = (place for place, line in zip(found, read_lines, strict=True) if line.is_texture)
    may_be_text = where.without(textures).may_hold_text(ink.boxes)
    ink = ink._replace(is_character=ink.is_character & may_be_text)
    words = with_full_boxes(ocr_words, ink)
    rest = (
        place.box(left, right, image.shape)
        for place, cut, own in kept
        for left, right in unread_rest(cut, own, filter(_is_reliable, own))
    )
    unread = (*unread_ink(image, ink, text, words), *rest, *cut_numbers(image, text, words))
    return Reading(raster.id, *with_column_lines(text, words), (*unread, *words_beside(text, words, unread)))


def _spaced_digits(signs: Sequence[_Line], lines: Sequence[_Line]) -> set[TextLine]:
    """The places of signs in rows of which several may be digits: each row may be a number with wide gaps.

    A sign that may be digits also counts where other lines of its row have digits: it may be the last group of them.
    """
    every, alone = (
        [line.place for line in some if any(word.has_digits for word in line.words)] for some in (lines, signs)
    )
    may_be_digits = set(alone)
    rows = [(line.place, every if line.place in may_be_digits else alone) for line in signs]
    return {one for one, digits in rows if sum(_is_beside(one, other) for other in digits) >= _MIN_SPACED}


def _is_beside(one: TextLine, other: TextLine) -> bool:
    """Whether two upright lines share most of the lower one's height. A line stands beside itself."""
    shared = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    return shared >= _SAME_ROW * min(one.height, other.height)


def _is_reliable(word: LineWord) -> bool:
    return is_confident(word.text, word.confidence)
