"""Reads lines of Arabic and Latin text, with digits of both kinds: a small recurrent network of ours.

docs/models/lines.md tells how the network was made (`make train-scans`) and how well it reads.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import mul
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pipeline.documents.document import Engine
from pipeline.networks.line_reader import LEAST_CONTRAST, MOST_RATIO, OTHER, STRIDE, LineReader
from pipeline.networks.numbers import Character
from pipeline.ocr.engines.arabic_vocabulary import is_known
from pipeline.ocr.engines.line_word import LineWord

HEIGHT = 40
# In prepared pixels.
_WINDOW, _EDGE = 2000, 160
_SURE = 60.0  # confidence (0..100) of a word: the probability that it is right
_SURE_SIGN = 90.0  # of one of punctuation alone: it may be a speck
_LONG = 5  # letters: among shorter words, more misreadings are words as well
_MIN_LETTERS = 2  # of a sure word: alef and heh look like Eastern digits, O and l like others
_UNCONNECTED = frozenset("اأإآدذرزو")  # letters that do not connect to the one after them
_MIRRORED = str.maketrans("()[]<>", ")(][><")


@cache
def reader() -> LineReader:
    """The network, loaded once in the life of the process."""
    return LineReader(Path(__file__).with_suffix(".onnx").read_bytes(), prepared, _WINDOW, _EDGE)


def prepared(line: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A line (h, w) as the network sees it: (HEIGHT, w), paper 0 and ink 1."""
    height, width = line.shape
    target = max(2, round(min(width / height, MOST_RATIO) * HEIGHT / STRIDE)) * STRIDE
    method = cv2.INTER_AREA if height > HEIGHT else cv2.INTER_LINEAR
    scaled = cv2.resize(line, (target, HEIGHT), interpolation=method)
    shares = np.cumsum(np.bincount(scaled.ravel(), minlength=256)) / scaled.size
    ink, paper = np.searchsorted(shares, (0.005, 0.9))
    levels = (paper - np.arange(256)) / max(float(paper) - float(ink), LEAST_CONTRAST)
    return np.asarray(np.clip(levels, 0, 1).astype(np.float32)[scaled])


def words_of(characters: Sequence[Character]) -> list[LineWord]:
    """The words among the characters of a line, from left to right.

    What has no name in a word is left out of it, and so are words of nothing else.
    """
    runs = [list(run) for blank, run in groupby(characters, key=lambda one: one.text == " ") if not blank]
    return [word for run in _mended(runs) if (word := _word(run)).text]


def _mended(runs: Sequence[list[Character]]) -> list[list[Character]]:
    """The runs of characters between blanks, those put together that are a known word only together.

    Wide fonts leave gaps behind letters that do not connect to the next one: `ر قم` for رقم. From left to right the
    rest of such a word comes first.
    """
    mended: list[list[Character]] = []
    for run in runs:
        if mended and run[0].text in _UNCONNECTED and _is_torn(run, mended[-1]):
            mended[-1] += run
        else:
            mended.append(run)
    return mended


def _is_torn(start: Sequence[Character], rest: Sequence[Character]) -> bool:
    """Whether both are a known word together, and the rest is none alone. An alef alone is none in any case."""
    shown = [one.text for one in (*rest, *start)]
    if not _is_arabic(rest[-1].text) or any(sign.isalnum() and not _is_arabic(sign) for sign in shown):
        return False
    first, second = ("".join(filter(_is_arabic, reversed([one.text for one in run]))) for run in (start, rest))
    whole = (first + second).replace("ى", "ي")
    return (is_known(first + second) or is_known(whole)) and (first == "ا" or not is_known(second))


def features(word: str, probability: float) -> tuple[float, ...]:
    """What tells whether a word is right, beside the product of the probabilities of its characters."""
    probability = min(max(probability, 1e-6), 1 - 1e-6)
    logit = math.log(probability / (1 - probability))
    letters = "".join(filter(_is_arabic, word))
    known = is_known(letters)
    return (1.0, logit, known, known * logit, known and len(letters) >= _LONG, len(letters) < _MIN_LETTERS + 1)


def is_sure(word: LineWord) -> bool:
    """Whether a word without digits is right more often than wrong, and a sign alone surely right."""
    letters = sum(map(str.isalpha, word.text))
    if not letters and not word.has_digits:
        return word.confidence >= _SURE_SIGN
    return word.confidence >= _SURE and not word.has_digits and letters >= _MIN_LETTERS


def _word(shown: Sequence[Character]) -> LineWord:
    named = [one.text for one in shown if one.text != OTHER]
    text = "".join(logical(named))
    probability = math.prod(one.probability for one in shown) if len(named) == len(shown) else 0.0
    if probability and any(map(_is_arabic, text)) and not any(map(str.isdigit, text)):
        total = sum(map(mul, reader().word_weights, features(text, probability)))
        probability = 1 / (1 + math.exp(-total))
    return LineWord(text, shown[0].left, shown[-1].right, 100 * probability, Engine.LINE_RECOGNIZER)


def logical(shown: Sequence[str]) -> Iterator[str]:
    """The characters of a word in logical order; those of an Arabic one are shown from right to left."""
    if not any(_is_arabic(character) for character in shown):
        yield from shown
        return
    runs = [list(run) for _, run in groupby(shown, key=lambda one: one.isalnum() and not _is_arabic(one))]
    for run in reversed(runs):
        if run[0].isalnum() and not _is_arabic(run[0]):
            yield from run
        else:
            yield from (character.translate(_MIRRORED) for character in reversed(run))


def _is_arabic(character: str) -> bool:
    return "\u0621" <= character <= "\u064a"
