"""The words of lines, each part read by the engines that suit it."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from itertools import chain
from typing import Any, TypeAlias

from pipeline.documents.document import Engine
from pipeline.networks.numbers import numbers_of
from pipeline.networks.text_line import TextLine
from pipeline.ocr.engines import arabic_recognizer, latin_recognizer, line_recognizer
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.line_reading.agreement import put_together
from pipeline.ocr.line_reading.blurred_words import without_blurred
from pipeline.ocr.line_reading.separators import with_slashes
from pipeline.ocr.line_reading.short_numbers import with_short_numbers
from pipeline.ocr.line_reading.split_addresses import with_whole_addresses
from pipeline.ocr.unread.ink import is_confident

_MAX_UPWARD = 50.0  # confidence (0..100)
_BESIDE = 0.3  # times the height of a line: what engines see beside the words that they read
_MIN_ASKED = 2  # letters and digits of a word that Tesseract is asked about
_NO_DOUBT = 90.0  # confidence of a Latin word of our network that PP-OCR need not read as well
_MIN_HALVED = 16  # lines that Tesseract gets in two pictures at the same time

_Claims: TypeAlias = list[tuple[LineWord, bool]]  # the words of an engine, and whether it is sure of each


def words_of_lines(lines: Sequence[TextLine], cuts: Sequence[Any], threads: Executor) -> list[list[LineWord]]:
    """The words of each line, of which `cuts` are the grayscale arrays, from left to right in pixels of its cut.

    Our network reads all of a line, PP-OCR what may be Latin, and Tesseract's Arabic model where a doubt is left. Of
    blurred ink nobody is sure.
    """
    claims = list(threads.map(_claims, cuts))
    found = [put_together(*engines) for engines in claims]
    doubtful = [n for n, words in enumerate(found) if not words or any(map(_is_doubtful, words))]
    parts = [_part(cuts[n], found[n], list(map(_is_doubtful, found[n]))) for n in doubtful]
    third = _arabic_words([cuts[n][:, part] for n, part in zip(doubtful, parts, strict=True)], threads)
    for n, part, read in zip(doubtful, parts, third, strict=True):
        arabic = [(word.moved(part.start), arabic_recognizer.is_sure(word)) for word in read]
        found[n] = put_together(*claims[n], arabic)
    for n, (_, numbers, _) in enumerate(claims):
        read = with_short_numbers(found[n], [word for word, _ in numbers], len(cuts[n]))
        whole = with_whole_addresses(cuts[n], without_blurred(cuts[n], read))
        found[n] = with_slashes(whole, _is_reliable, len(cuts[n]))
    return [_unsure(words) if line.runs_upward else words for line, words in zip(lines, found, strict=True)]


def _claims(cut: Any) -> tuple[_Claims, _Claims, _Claims]:
    """The Latin words of PP-OCR in a line, the numbers of our network, and its words."""
    reader = line_recognizer.reader()
    (characters,) = reader.read_lines([cut])
    own = [(word, line_recognizer.is_sure(word)) for word in line_recognizer.words_of(characters)]
    numbers = [
        (LineWord(one.text, one.left, one.right, 100 * one.confidence, Engine.LINE_RECOGNIZER), reader.is_sure(one))
        for one in numbers_of(characters)
    ]
    return [(word, latin_recognizer.is_sure(word)) for word in _latin_words(cut, own)], numbers, own


def _arabic_words(parts: Sequence[Any], threads: Executor) -> list[list[LineWord]]:
    middle = len(parts) // 2 if len(parts) >= _MIN_HALVED else len(parts)
    return list(chain.from_iterable(threads.map(arabic_recognizer.arabic_words, (parts[:middle], parts[middle:]))))


def _is_reliable(word: LineWord) -> bool:
    return is_confident(word.text, word.confidence)


def _is_doubtful(word: LineWord) -> bool:
    """Whether Tesseract is asked about a word: of single digits and signs it knows nothing."""
    return not _is_reliable(word) and sum(map(str.isalnum, word.text)) >= _MIN_ASKED


def _part(cut: Any, words: Sequence[LineWord], asked: Sequence[bool]) -> slice:
    """The columns of a line from the word before the first one asked about to the one after the last; else all."""
    places = [place for place, is_asked in enumerate(asked) if is_asked]
    if not places:
        return slice(0, cut.shape[1])
    shown = words[max(0, places[0] - 1) : places[-1] + 2]
    left = min(word.left for word in shown) - _BESIDE * len(cut)
    right = max(word.right for word in shown) + _BESIDE * len(cut)
    return slice(max(0, int(left)), min(cut.shape[1], int(right)))


def _latin_words(cut: Any, own: Sequence[tuple[LineWord, bool]]) -> list[LineWord]:
    """What PP-OCR reads around the words that may be Latin.

    Those are words with ASCII digits, and with Latin letters that our network did not read without doubt. All of a line
    in which it is sure of nothing.
    """
    asked = [
        (word.has_digits or not is_sure or word.confidence < _NO_DOUBT) and any(map(_is_ascii_alnum, word.text))
        for word, is_sure in own
    ]
    if not any(is_sure for _, is_sure in own):
        asked = []
    elif not any(asked):
        return []
    part = _part(cut, [word for word, _ in own], asked)
    return [word.moved(part.start) for word in latin_recognizer.latin_words(cut[:, part])]


def _is_ascii_alnum(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _unsure(words: Iterable[LineWord]) -> list[LineWord]:
    """The words of a line that runs upward: on an upright page it may run downward, and on another all lines do so."""
    return [word._replace(confidence=min(word.confidence, _MAX_UPWARD)) for word in words]
