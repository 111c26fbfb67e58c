"""Reads lines of text with Tesseract: they are stacked into one picture, upright and of one height."""

from collections.abc import Iterable, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines import tesseract
from pipeline.ocr.engines.line_word import LineWord

_HEIGHT = 64  # pixels of a line
_PITCH = 1.5  # times the height: from one line to the next
_MIN_STACK = 4  # lines of a picture: in fewer Tesseract misses some
_MARGIN = 32  # pixels at both sides
_DPI = 300
_MAX_PIXELS = 60_000_000  # of one picture
_MAX_LINES = 300  # of one picture: Tesseract takes none that is higher than 32,767 pixels
_MAX_WIDTH = 6000  # pixels of a line


def words_of_lines(lines: Sequence[Any], languages: str) -> list[list[LineWord]]:
    """The words of each line (grayscale arrays), from left to right. StageFailed(image_redact_failed)."""
    found: list[list[LineWord]] = []
    batch: list[Any] = []
    scaled = [_scaled(line) for line in lines]
    for line in scaled:
        width = max(other.shape[1] for other in (*batch, line)) + 2 * _MARGIN
        if len(batch) == _MAX_LINES or (batch and width * int(_HEIGHT * _PITCH) * (len(batch) + 1) > _MAX_PIXELS):
            found += _read_stacked(batch, languages)
            batch = []
        batch.append(line)
    found += _read_stacked(batch, languages) if batch else []
    scales = [line.shape[1] / small.shape[1] for line, small in zip(lines, scaled, strict=True)]
    return [
        [word._replace(left=word.left * scale, right=word.right * scale) for word in words]
        for words, scale in zip(found, scales, strict=True)
    ]


def _certainty(words: Sequence[LineWord]) -> tuple[float, float]:
    """The mean confidence of the letters in words without digits, then that of all characters."""
    return _mean(word for word in words if not word.has_digits), _mean(words)


def _mean(words: Iterable[LineWord]) -> float:
    """The mean confidence of the characters."""
    characters = [(len(word.text), word.confidence) for word in words]
    return sum(length * confidence for length, confidence in characters) / max(1, sum(n for n, _ in characters))


def _scaled(line: Any) -> Any:
    width = max(1, min(round(line.shape[1] * _HEIGHT / len(line)), _MAX_WIDTH))
    smaller = cv2.INTER_AREA if len(line) > _HEIGHT else cv2.INTER_CUBIC
    return cv2.resize(line, (width, _HEIGHT), interpolation=smaller)


def _read_stacked(lines: Sequence[Any], languages: str) -> list[list[LineWord]]:
    """The words of lines of one height. A few lines are stacked repeatedly, and the surest reading of each counts."""
    copies = -(-_MIN_STACK // len(lines))
    found = _read_picture([*lines] * copies, languages)
    return [max(found[number :: len(lines)], key=_certainty) for number in range(len(lines))]


def _read_picture(lines: Sequence[Any], languages: str) -> list[list[LineWord]]:
    pitch = int(_HEIGHT * _PITCH)
    width = max(line.shape[1] for line in lines) + 2 * _MARGIN
    paper = int(np.median([np.percentile(line, 90) for line in lines]))
    picture = np.full((pitch * len(lines) + pitch - _HEIGHT, width), paper, np.uint8)
    for number, line in enumerate(lines):
        top = number * pitch + pitch - _HEIGHT
        picture[top : top + _HEIGHT, _MARGIN : _MARGIN + line.shape[1]] = line
    found: list[list[LineWord]] = [[] for _ in lines]
    for row in tesseract.words_of(picture, _DPI, languages=languages, mode=tesseract.BLOCK):
        for word in row:
            middle = word.top + word.height / 2 - (pitch - _HEIGHT) / 2
            number = min(max(int(middle // pitch), 0), len(lines) - 1)
            left = float(word.left - _MARGIN)
            found[number].append(LineWord(word.text, left, left + word.width, word.confidence, word.engine))
    return [sorted(words, key=lambda word: word.left) for words in found]
