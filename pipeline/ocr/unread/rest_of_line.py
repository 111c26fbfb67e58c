"""Finds ink in a line of text that none of its reliable words covers: the rest of a number that was read in part."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import cv2
import numpy as np

from pipeline.ocr.engines.line_word import LineWord

_MIN_CONTRAST = 40  # gray levels between ink and paper
_MIN_HEIGHT = 0.22  # times the height of the line: lower ink is a dot or a stroke of a frame
_MAX_WIDTH = 8.0  # times the height: wider ink is a rule
_RULE = (0.9, 0.12)  # times the height: ink that is higher and narrower than this is the side of a frame
_AT_WORD, _AT_NUMBER = 0.45, 0.12  # times the height: distance from a word, or from one with digits, to ink of it
_MAX_UNREAD, _SHORT = 0.4, 3  # of the characters of a line, and letters of its words: with more unread none is read
_MAX_SIGN, _MIN_CHARACTERS = 1.3, 3  # of a sign: its width in heights is not more, its characters are fewer
_SURE_LINE = 0.8  # score of a line: printed lines of words have more
_PAPER_LEVELS, _PAPER = 33, 0.65  # gray levels of paper, and its share of a line that the detector is not sure of
_LONG_GAP = 1.5  # times the height: a part without words that is looked at by itself
_INKED = 1  # per cent of the pixels of such a part that are ink, at least
_JOINED = 0.5  # times the height: boxes that are nearer than this are one


def unread_rest(cut: Any, words: Sequence[LineWord], reliable: Iterable[LineWord]) -> list[tuple[float, float]]:
    """Left and right of each part of a line (grayscale array) with ink that belongs to no reliable word, in pixels.

    All of a line that is hardly read and has short words only. `words`: all words of the line. Letters belong to the
    nearest word, because the boxes of engines are not exact; for numbers they are, and digits beside one are not a part
    of it.
    """
    sure = set(reliable)
    height = len(cut)

    def is_read(left: float, right: float) -> bool:
        nearest = min(words, key=lambda word: _distance(word, left, right), default=None)
        reach = height * (_AT_NUMBER if nearest is not None and nearest.has_digits else _AT_WORD)
        return nearest is not None and nearest in sure and _distance(nearest, left, right) <= reach

    characters = characters_of(cut)
    unread = [place for place in characters if not is_read(*place)]
    if len(unread) > _MAX_UNREAD * len(characters) and not any(len(word.text) > _SHORT for word in sure):
        return [(0.0, float(cut.shape[1]))]
    found: list[tuple[float, float]] = []
    for left, right in sorted({*unread, *(place for place in _between(cut, words) if not is_read(*place))}):
        if found and left - found[-1][1] <= _JOINED * height:
            found[-1] = found[-1][0], max(right, found[-1][1])
        else:
            found.append((left, right))
    return found


def characters_of(cut: Any) -> list[tuple[float, float]]:
    """Left and right of the connected ink of a line that may be a character."""
    height = len(cut)
    if int(cut.max()) - int(cut.min()) < _MIN_CONTRAST:
        return []
    threshold, _ = cv2.threshold(cut, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    table = cv2.connectedComponentsWithStats((cut <= threshold).astype(np.uint8), connectivity=8)[2][1:]
    left, _, width, high, _ = table.T
    is_rule = (width > _MAX_WIDTH * height) | ((high > _RULE[0] * height) & (width < _RULE[1] * height))
    chosen = (high >= _MIN_HEIGHT * height) & ~is_rule
    return [(float(x), float(x + wide)) for x, wide in zip(left[chosen], width[chosen], strict=True)]


def is_sign(cut: Any) -> bool:
    """Whether a line is as wide as it is high and has little ink: a symbol, an emblem, a single letter or digit."""
    return cut.shape[1] <= _MAX_SIGN * len(cut) and len(characters_of(cut)) < _MIN_CHARACTERS


def is_texture(cut: Any, words: Iterable[LineWord], score: float) -> bool:
    """Whether a line of which nobody read a word reliably is a part of a photograph.

    It has no paper, the detector is not sure of it (`score`, 0..1), and all engines together read a letter or two.
    """
    read = "".join(word.text for word in words)
    is_text = len(read) >= _MIN_CHARACTERS or any(map(str.isdigit, read))
    return score < _SURE_LINE and not is_text and not _has_paper(cut)


def _has_paper(cut: Any) -> bool:
    """Whether most pixels have nearly the same gray level."""
    levels = np.bincount(cut.ravel(), minlength=256)
    return bool(np.convolve(levels, np.ones(_PAPER_LEVELS), "valid").max() >= _PAPER * cut.size)


def _between(cut: Any, words: Sequence[LineWord]) -> Iterator[tuple[float, float]]:
    """Left and right of ink where no word lies, which may be blurred or light beside that of the words."""
    ends = sorted((max(0, int(word.left)), int(word.right) + 1) for word in words)
    gap = 0
    for left, right in (*ends, (cut.shape[1], cut.shape[1])):
        if words and left - gap >= _LONG_GAP * len(cut):
            part = cut[:, gap:left]
            if np.median(part) - np.percentile(part, _INKED) >= _MIN_CONTRAST:
                yield from ((gap + first, gap + last) for first, last in characters_of(part))
        gap = max(gap, right)


def _distance(word: LineWord, left: float, right: float) -> float:
    """Pixels between a word and the middle of some ink; negative inside of the word."""
    middle = (left + right) / 2
    return max(word.left - middle, middle - word.right)
