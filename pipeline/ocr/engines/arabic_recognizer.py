"""Reads Arabic in lines of text with Tesseract: the lines are stacked into one picture, upright and of one height."""

from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines import tesseract
from pipeline.ocr.engines.line_word import LineWord

_HEIGHT, _OTHER_HEIGHT = 64, 48  # pixels of a line, and of one that is read once more
_PITCH = 1.5  # times the height: from one line to the next
_MIN_STACK = 4  # lines of a picture: in fewer Tesseract misses some
_MARGIN = 32  # pixels at both sides
_DPI = 300
_MAX_PIXELS = 60_000_000  # of one picture
_MAX_WIDTH = 6000  # pixels of a line
_SURE = 60.0  # confidence (0..100) of a word without digits: below it, words are wrong more often than right
_MIN_LETTERS = 2  # of a sure word: Eastern digits are read as single letters and signs, ٢ as ؟


def arabic_words(lines: Sequence[Any], has_latin: Sequence[bool]) -> list[list[LineWord]]:
    """The words of each line (grayscale arrays), from left to right.

    `has_latin`: whether a line holds Latin words, too. Lines with unsure words are read at a second size, and the surer
    reading counts.
    """
    found: list[list[LineWord]] = [[] for _ in lines]
    for languages, mixed in (("ara", False), (tesseract.LANGUAGES, True)):
        chosen = [number for number, latin in enumerate(has_latin) if latin is mixed]
        for number, words in zip(chosen, _read([lines[n] for n in chosen], languages, _HEIGHT), strict=True):
            found[number] = words
        unsure = [number for number in chosen if not found[number] or _weakest(found[number]) < _SURE]
        for number, words in zip(unsure, _read([lines[n] for n in unsure], languages, _OTHER_HEIGHT), strict=True):
            if words and (not found[number] or _mean(words) > _mean(found[number])):
                found[number] = words
    return found


def is_sure(word: LineWord) -> bool:
    """Whether a word was read with so much confidence that it is right more often than wrong; never one with digits."""
    letters = sum(map(str.isalpha, word.text))
    return word.confidence >= _SURE and not word.has_digits and letters >= _MIN_LETTERS


def _weakest(words: Iterable[LineWord]) -> float:
    return min((word.confidence for word in words if not word.has_digits), default=100.0)


def _mean(words: Iterable[LineWord]) -> float:
    """The mean confidence of the letters."""
    letters = [(len(word.text), word.confidence) for word in words if not word.has_digits]
    return sum(length * confidence for length, confidence in letters) / max(1, sum(length for length, _ in letters))


def _read(lines: Sequence[Any], languages: str, height: int) -> list[list[LineWord]]:
    found: list[list[LineWord]] = []
    batch: list[Any] = []
    scaled = [_scaled(line, height) for line in lines]
    for line in scaled:
        width = max(other.shape[1] for other in (*batch, line)) + 2 * _MARGIN
        if batch and width * int(height * _PITCH) * (len(batch) + 1) > _MAX_PIXELS:
            found += _read_stacked(batch, languages, height)
            batch = []
        batch.append(line)
    found += _read_stacked(batch, languages, height) if batch else []
    scales = [line.shape[1] / small.shape[1] for line, small in zip(lines, scaled, strict=True)]
    return [
        [word._replace(left=word.left * scale, right=word.right * scale) for word in words]
        for words, scale in zip(found, scales, strict=True)
    ]


def _scaled(line: Any, height: int) -> Any:
    width = max(1, min(round(line.shape[1] * height / len(line)), _MAX_WIDTH))
    smaller = cv2.INTER_AREA if len(line) > height else cv2.INTER_CUBIC
    return cv2.resize(line, (width, height), interpolation=smaller)


def _read_stacked(lines: Sequence[Any], languages: str, height: int) -> list[list[LineWord]]:
    """The words of lines of one height. A few lines are stacked repeatedly, and the surest reading of each counts."""
    copies = -(-_MIN_STACK // len(lines))
    found = _read_picture([*lines] * copies, languages, height)
    return [max(found[number :: len(lines)], key=_mean) for number in range(len(lines))]


def _read_picture(lines: Sequence[Any], languages: str, height: int) -> list[list[LineWord]]:
    pitch = int(height * _PITCH)
    width = max(line.shape[1] for line in lines) + 2 * _MARGIN
    paper = int(np.median([np.percentile(line, 90) for line in lines]))
    picture = np.full((pitch * len(lines) + pitch - height, width), paper, np.uint8)
    for number, line in enumerate(lines):
        top = number * pitch + pitch - height
        picture[top : top + height, _MARGIN : _MARGIN + line.shape[1]] = line
    found: list[list[LineWord]] = [[] for _ in lines]
    for row in tesseract.words_of(picture, _DPI, languages=languages, mode=tesseract.BLOCK):
        for word in row:
            middle = word.top + word.height / 2 - (pitch - height) / 2
            number = min(max(int(middle // pitch), 0), len(lines) - 1)
            left = float(word.left - _MARGIN)
            found[number].append(LineWord(word.text, left, left + word.width, word.confidence))
    return [sorted(words, key=lambda word: word.left) for words in found]
