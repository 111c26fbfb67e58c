"""Pages that may be turned by a quarter or a half.

Tesseract reads rotated digits as other digits and letters, with high confidence: `1012345672` upside down as
`CLOGVECTOT`.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.lines import words_by_line

_UPRIGHT_CONFIDENCE = 60.0  # word confidence (0..100): a word below it is wrong more often than right
_UPRIGHT_SHARE = 0.5  # of the letters: upright pages have .56 and more with that confidence, turned ones .3 and less
_OSD_OUTPUT = re.compile(r"^Rotate: (90|180|270)$.*^Orientation confidence: (\d+\.\d+)$", re.MULTILINE | re.DOTALL)
_READ = 0.5  # of the words of a line: more of them stand where the turned page was read
_MIN_OSD_CONFIDENCE = 0.5  # orientation confidence: a lower one is a guess


def may_be_rotated(words: Iterable[Word]) -> bool:
    """Whether so many letters have so little confidence, with any engine, that the page may be rotated."""
    every = [(word.end - word.start, word.confidence) for word in words]
    letters = sum(length for length, _ in every)
    return sum(length for length, confidence in every if confidence >= _UPRIGHT_CONFIDENCE) < _UPRIGHT_SHARE * letters


def rotation_from_osd(answer: str) -> int:
    """The clockwise rotation in degrees from the output of Tesseract's orientation detection; 0 if it is uncertain."""
    match = _OSD_OUTPUT.search(answer)
    return int(match[1]) if match is not None and float(match[2]) >= _MIN_OSD_CONFIDENCE else 0


def with_rest(turned: Reading, stored: Reading) -> Reading:
    """The reading of the turned page, followed by the lines of the stored one that stand where it read nothing surely.

    They may be upright in the stored raster, as one of two cards on a page, or the page was not to be turned.
    """
    sure = (word for word in turned.words if word.confidence >= _UPRIGHT_CONFIDENCE)
    boxes = np.array([(word.left, word.top, word.width, word.height) for word in sure], int).reshape(-1, 4)
    parts, words, position = [turned.text], list(turned.words), len(turned.text) + 1
    for start, end, own in words_by_line(stored):
        if own and sum(_is_in(word, boxes) for word in own) <= _READ * len(own):
            shift = position - start
            words += [replace(word, start=word.start + shift, end=word.end + shift) for word in own]
            parts.append(stored.text[start:end])
            position += 1 + end - start
    return replace(turned, text="\n".join(parts), words=tuple(words))


def _is_in(word: Word, boxes: NDArray[np.int_]) -> bool:
    left, top, width, height = boxes.T
    across, down = word.left + word.width // 2 - left, word.top + word.height // 2 - top
    return bool(((across >= 0) & (across < width) & (down >= 0) & (down < height)).any())
