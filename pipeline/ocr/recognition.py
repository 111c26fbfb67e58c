"""Reads a raster: lines of text are found whatever their script, and each is read by the engines that suit it."""

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.codes.reader import codes_in
from pipeline.documents.raster.ink import Ink, ink_of
from pipeline.geometry.rows import share_row
from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from pipeline.ocr.full_boxes import with_full_boxes
from pipeline.ocr.hidden_text import Scores, doubted, hidden_lines, hidden_rows
from pipeline.ocr.layout.columns import with_column_lines
from pipeline.ocr.layout.comb_fields import comb_fields
from pipeline.ocr.layout.lines import OcrWord, compose, join_rows
from pipeline.ocr.layout.table import table_of
from pipeline.ocr.line_reading.contrast import as_dark_ink, is_visible
from pipeline.ocr.line_reading.row_numbers import with_row_numbers
from pipeline.ocr.line_reading.upright_rows import with_upright_rows
from pipeline.ocr.line_reading.words import words_of_lines
from pipeline.ocr.page import DEFAULT_DPI, Page, Reader, read_page
from pipeline.ocr.unread.cut_numbers import cut_numbers
from pipeline.ocr.unread.doubtful_cells import doubtful_cells
from pipeline.ocr.unread.ink import is_confident, unread_ink
from pipeline.ocr.unread.labels import numbers_without_label
from pipeline.ocr.unread.neighbours import words_beside
from pipeline.ocr.unread.rest_of_line import characters_of, is_sign, is_texture, unread_rest
from pipeline.ocr.unread.unexplained_numbers import unexplained_numbers

_MIN_DIGITS = 3  # of a hidden number: it counts as unread, because chroma is blurred, and dark ink cuts light ink
# Of 72 values in hue over pictures and patterns all have .73 and more; watermarks .84, contours of maps up to .80
_SURE_HIDDEN = Scores(hue=0.7, light=0.82)
_MIN_SPACED = 3  # digits in a row that may be a number


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
        return read_page(raster, pixels, Reader(text_map, _read_upright, codes_in), executor)


def _read_upright(raster: Raster, page: Page, threads: Executor) -> Reading:
    image, where = page.shown.gray, page.where
    found = [line for line in with_upright_rows(page.lines, image) if is_visible(line.cut(image))]
    places = [line.fitted(image) for line in found]
    read_lines = _read(places, [as_dark_ink(place.cut(image)) for place in places], threads)
    kept = _texts(read_lines)
    reliable = (line.place.part(word.left, word.right) for line in kept for word in line.words if _is_reliable(word))
    lines = hidden_lines(page.shown, text_map, reliable, _SURE_HIDDEN)
    read_hidden = _read([line.place for line in lines], [line.cut for line in lines], threads)
    hidden = _texts([line._replace(words=doubted(line.words)) for line in read_hidden])
    crossed = {line.place for line in lines if line.is_crossed}
    told = [_with_reliable_words(line) if line.place in crossed else line for line in hidden]
    rows = join_rows([*_placed(kept, image.shape), *([label] for label in page.labels)], page.slant)
    text, ocr_words = compose([*rows, *hidden_rows(_placed(told, image.shape), rows)])
    ink = ink_of(image, raster.dpi or DEFAULT_DPI)
    # Photographs and drawings have much ink with the shape of characters.
    textures = (place for place, line in zip(found, read_lines, strict=True) if line.is_texture)
    may_be_text = where.without(textures).may_hold_text(ink.boxes)
    ink = ink._replace(is_character=ink.is_character & may_be_text)
    words = with_full_boxes(with_full_boxes(ocr_words, ink), _ink_of(hidden, image.shape))
    rest = (
        box
        for place, cut, own in (*kept, *hidden)
        for left, right in unread_rest(cut, own, filter(_is_reliable, own))
        for box in place.strip(left, right).boxes(image.shape)
    )
    numbers = (
        box
        for place, _, own in hidden
        for word in own
        if sum(map(str.isdigit, word.text)) >= _MIN_DIGITS
        for box in place.strip(word.left, word.right).boxes(image.shape)
    )
    slope = math.tan(math.radians(page.slant))
    unread = (*unread_ink(image, ink, text, words, slope), *rest, *cut_numbers(image, text, words), *numbers)
    unread = (*unread, *comb_fields(text, words, unread))
    table = table_of(text, words)
    unread = (*unread, *numbers_without_label(text, words, unread, table), *doubtful_cells(text, table))
    unread = (*unread, *words_beside(text, words, unread), *unexplained_numbers(text, words, table))
    return Reading(raster.id, *with_column_lines(text, words), unread)


def _with_reliable_words(line: _Line) -> _Line:
    """A slanted line without the words that are burned: upright boxes around these would take the text over them."""
    return line._replace(words=list(filter(_is_reliable, line.words)))


def _read(places: Sequence[TextLine], cuts: Sequence[Any], threads: Executor) -> list[_Line]:
    words = with_row_numbers(places, words_of_lines(places, cuts, threads))
    return [_Line(*parts) for parts in zip(places, cuts, words, strict=True)]


def _texts(lines: Sequence[_Line]) -> list[_Line]:
    """The lines without drawings and photographs.

    A symbol that nobody is sure to be text is a drawing, and none of its readings counts.
    """
    signs = [line for line in lines if is_sign(line.cut) and not line.is_read]
    drawings = {line.place for line in signs} - _spaced_digits(signs, lines)
    return [line for line in lines if line.place not in drawings and not line.is_texture]


def _ink_of(lines: Iterable[_Line], shape: tuple[int, int]) -> Ink:
    """The characters of lines, each as high as its line."""
    places = [place.box(left, right, shape) for place, cut, _ in lines for left, right in characters_of(cut)]
    boxes = [(left, top, left + width, top + height) for left, top, width, height in places]
    return Ink(np.array(boxes, int).reshape(-1, 4), np.ones(len(boxes), bool))


def _placed(lines: Iterable[_Line], shape: tuple[int, int]) -> list[list[OcrWord]]:
    return [
        [OcrWord(word.text, *place.box(word.left, word.right, shape), word.confidence, word.engine) for word in words]
        for place, _, words in lines
        if words
    ]


def _spaced_digits(signs: Sequence[_Line], lines: Sequence[_Line]) -> set[TextLine]:
    """The places of signs in rows of which several may be digits: each row may be a number with wide gaps.

    A sign that may be digits also counts where other lines of its row have digits: it may be the last group of them.
    """
    every, alone = (
        [line.place for line in some if any(word.has_digits for word in line.words)] for some in (lines, signs)
    )
    may_be_digits = set(alone)
    rows = [(line.place, every if line.place in may_be_digits else alone) for line in signs]
    return {
        one
        for one, digits in rows
        if sum(share_row((one.top, one.height), (other.top, other.height)) for other in digits) >= _MIN_SPACED
    }


def _is_reliable(word: LineWord) -> bool:
    return is_confident(word.text, word.confidence)
