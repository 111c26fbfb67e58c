"""Reads a raster: lines of text are found whatever their script, and each is read by the engines that suit it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pipeline.documents.document import Raster, Reading
from pipeline.documents.raster.ink import ink_of
from pipeline.numbers import numbers_of
from pipeline.ocr.agreement import put_together
from pipeline.ocr.columns import with_column_lines
from pipeline.ocr.engines import arabic_recognizer, latin_recognizer, line_recognizer
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.text_detector import text_map
from pipeline.ocr.engines.text_line import TextLine
from pipeline.ocr.full_boxes import with_full_boxes
from pipeline.ocr.lines import OcrWord, compose, join_rows
from pipeline.ocr.neighbours import words_beside
from pipeline.ocr.page import DEFAULT_DPI, read_page
from pipeline.ocr.unread_ink import is_confident, unread_ink
from pipeline.ocr.unread_rest import is_sign, is_texture, unread_rest

_MAX_UPWARD = 50.0  # confidence (0..100)
_BESIDE = 0.3  # times the height of a line: what engines see beside the words that they are asked about
_MIN_ASKED = 2  # letters and digits of a word that Tesseract is asked about
_NO_DOUBT = 90.0  # confidence of a Latin word of our network that PP-OCR need not read as well
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
    """The words of each line by our network, by PP-OCR where it may be Latin, by Tesseract where a doubt is left."""
    reader = line_recognizer.reader()
    claims = []
    for cut, characters in zip(cuts, reader.read_lines(cuts), strict=True):
        own = [(word, line_recognizer.is_sure(word)) for word in line_recognizer.words_of(characters)]
        numbers = [
            (LineWord(one.text, one.left, one.right, 100 * one.confidence), reader.is_sure(one))
            for one in numbers_of(characters)
        ]
        read = _latin_words(cut, own)
        claims.append(([(word, latin_recognizer.is_sure(word)) for word in read], numbers, own))
    found = [put_together(*engines) for engines in claims]
    doubtful = [n for n, words in enumerate(found) if not words or any(map(_is_doubtful, words))]
    parts = [_part(cuts[n], _with_neighbours(found[n])) for n in doubtful]
    third = arabic_recognizer.arabic_words([cuts[n][:, part] for n, part in zip(doubtful, parts, strict=True)])
    for n, part, read in zip(doubtful, parts, third, strict=True):
        arabic = [(word.moved(part.start), arabic_recognizer.is_sure(word)) for word in read]
        found[n] = put_together(*claims[n], arabic)
    return [_unsure(words) if line.runs_upward else words for line, words in zip(lines, found, strict=True)]


def _is_doubtful(word: LineWord) -> bool:
    """Whether Tesseract is asked about a word: of single digits and signs it knows nothing."""
    return not _is_reliable(word) and sum(map(str.isalnum, word.text)) >= _MIN_ASKED


def _with_neighbours(words: Sequence[LineWord]) -> Sequence[LineWord]:
    """The words from the one before the first doubtful one to the one after the last."""
    places = [place for place, word in enumerate(words) if _is_doubtful(word)]
    return words[max(0, places[0] - 1) : places[-1] + 2] if places else []


def _part(cut: Any, words: Sequence[LineWord]) -> slice:
    """The columns of a line from the first to the last of some words, with a little beside them; all without words."""
    if not words:
        return slice(0, cut.shape[1])
    left = min(word.left for word in words) - _BESIDE * len(cut)
    right = max(word.right for word in words) + _BESIDE * len(cut)
    return slice(max(0, int(left)), min(cut.shape[1], int(right)))


def _latin_words(cut: Any, own: Sequence[tuple[LineWord, bool]]) -> list[LineWord]:
    """What PP-OCR reads from the first to the last word that may be Latin.

    Those are words with ASCII digits, and with Latin letters that our network did not read without doubt. All of a line
    in which it is sure of nothing.
    """
    is_any_sure = any(is_sure for _, is_sure in own)
    asked = [
        word
        for word, is_sure in own
        if (word.has_digits or not is_sure or word.confidence < _NO_DOUBT) and any(map(_is_ascii_alnum, word.text))
    ]
    if is_any_sure and not asked:
        return []
    part = _part(cut, asked if is_any_sure else [])
    return [word.moved(part.start) for word in latin_recognizer.latin_words(cut[:, part])]


def _is_ascii_alnum(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _unsure(words: Iterable[LineWord]) -> list[LineWord]:
    """The words of a line that runs upward: on an upright page it may run downward, and on another all lines do so."""
    return [word._replace(confidence=min(word.confidence, _MAX_UPWARD)) for word in words]
