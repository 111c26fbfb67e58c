"""The sandbox child's answers with one engine of the readings silent, or lying with confidence."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.networks.line_reader import LineReader
from pipeline.networks.numbers import Character, Number
from pipeline.networks.pretrained_detector import THRESHOLDS
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.layout.lines import OcrWord
from pipeline.sandbox.child import answer

Answer = tuple[Any, dict[str, bytes]]
_LIE = "7"  # what a lying engine reads in the place of every digit


def _lied(text: str) -> str:
    return "".join(_LIE if character.isdigit() else character for character in text)


def _nothing(image: Any, longest_side: int = 0) -> TextMap:
    return TextMap(np.zeros((32, 32), np.float32), image.shape, THRESHOLDS)


class _Lower(TextMap):
    """Each line is found two heights too low."""

    def lines(self) -> list[TextLine]:
        return [line._replace(top=line.top + 2 * line.height) for line in super().lines()]


def _detector_silent() -> None:
    from pipeline.ocr import recognition

    recognition.text_map = _nothing


def _detector_lying() -> None:
    from pipeline.ocr import recognition

    honest = recognition.text_map
    recognition.text_map = lambda *given: _Lower(*honest(*given))


def _second_detector_silent() -> None:
    from pipeline import rereading

    rereading.text_map = _nothing


def _second_detector_lying() -> None:
    from pipeline import rereading

    honest = rereading.text_map
    rereading.text_map = lambda *given: _Lower(*honest(*given))


def _latin_silent() -> None:
    from pipeline.ocr.engines import latin_recognizer

    latin_recognizer.latin_words = lambda line: []


def _latin_lying() -> None:
    from pipeline.ocr.engines import latin_recognizer

    honest = latin_recognizer.latin_words
    latin_recognizer.latin_words = lambda line: [
        word._replace(text=_lied(word.text), confidence=100.0) for word in honest(line)
    ]


class _Silent:
    """A reader of lines that sees none."""

    def read_lines(self, lines: Sequence[Any]) -> list[list[Any]]:
        return [[] for _ in lines]


class _Lying:
    """A reader of lines that is sure of other digits in the places of the true ones."""

    def __init__(self, honest: LineReader) -> None:
        self._honest = honest
        self.word_weights = honest.word_weights

    def read_lines(self, lines: Sequence[Any]) -> list[list[Character]]:
        return [
            [one._replace(text=_lied(one.text), probability=1.0) for one in characters]
            for characters in self._honest.read_lines(lines)
        ]

    def is_sure(self, number: Number) -> bool:
        return True


def _lines_silent() -> None:
    from pipeline.ocr.engines import line_recognizer

    line_recognizer.reader = _Silent


def _lines_lying() -> None:
    from pipeline.ocr.engines import line_recognizer

    lying = _Lying(line_recognizer.reader())
    line_recognizer.reader = lambda: lying


def _words_lying() -> None:
    from pipeline.ocr.engines import line_recognizer

    honest = line_recognizer.words_of
    line_recognizer.words_of = lambda characters: [
        word._replace(text="كتاب", confidence=96.0) for word in honest(characters)
    ]


def _tesseract_silent() -> None:
    from pipeline.ocr.engines import tesseract

    tesseract.words_of = lambda image, dpi, languages="", mode="": []


def _tesseract_lying() -> None:
    from pipeline.ocr.engines import tesseract

    honest = tesseract.words_of

    def lie(image: Any, dpi: int, **options: str) -> list[list[OcrWord]]:
        return [
            [word._replace(text=_lied(word.text), confidence=96.0) for word in line]
            for line in honest(image, dpi, **options)
        ]

    tesseract.words_of = lie


def _second_numbers_silent() -> None:
    from pipeline.verification import number_recognizer

    number_recognizer.reader = _Silent


def _ink_silent() -> None:
    from pipeline.ocr import recognition

    recognition.unread_ink = lambda *_: ()


def _hidden_lines_silent() -> None:
    from pipeline.ocr import recognition

    recognition.hidden_lines = lambda *given: []


def _second_hidden_lines_silent() -> None:
    from pipeline import rereading

    rereading.hidden_lines = lambda *given: []


FAULTS: dict[str, Callable[[], None]] = {
    name.removeprefix("_"): fault
    for name, fault in list(globals().items())
    if name.endswith(("_silent", "_lying")) and callable(fault)
}


def answer_with_fault(verb: str, meta: dict[str, Any], blobs: Mapping[str, bytes]) -> Answer:
    """As the child answers, but with the fault that `meta` names."""
    fault = meta.pop("fault", None)
    if fault:
        FAULTS[fault]()
    return answer(verb, meta, blobs)
