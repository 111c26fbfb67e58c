"""Reads Latin words and ASCII digits in lines of text with the recognizer of PP-OCRv6.

It knows no Arabic: of Arabic letters and Eastern digits it makes Latin and Chinese characters, with little confidence.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.document import Engine
from pipeline.networks.onnx_session import Session, run
from pipeline.networks.pretrained import RECOGNIZER, pretrained
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.engines.mail_address import inner_blanks, is_address

_HEIGHT = 48  # pixels of the network's input
_STRIDE = 8  # pixels of the input for each of its steps
_MIN_WIDTH, _MAX_WIDTH = 16, 3200  # pixels of the input
_BLANK = 0.22  # times the height of a line: the narrowest blank
_BLANK_IN_NUMBER = 0.4  # the same between two digits: a one has much room at its sides
_BLANK_AT_POINT = 0.7  # the same beside a point between two digits, which is lower than the ink that is looked at
_POINTS = frozenset(".,")
_WIDER = 2.0  # times the median gap between characters: what a blank is at least
_NARROW = 1.4  # times the median distance of characters: no blank in a mail address; in fixed pitch, gaps tell nothing
_BODY = (0.25, 0.75)  # of the height of a line: where letters have ink, and underlines have none
# What this engine is asked for: Latin letters, digits, punctuation and signs of currencies.
_LATIN = re.compile(r"[!-~\u00a1-\u024f\u2010-\u203a\u20a0-\u20bf\u2116\u2122\u2190-\u2193\u2212\u2022\u25cf]")
_LIKE_ASCII = str.maketrans("，：；！？（）％＋－．／～｜【】", ",:;!?()%+-./~|[]")
_SURE = 95.0  # confidence (0..100) of a word: below it, Arabic is among what was read as Latin
_SURE_CAPITALS = 99.5  # of one without small letters: Eastern digits look like capitals, ٧٨٧٨ like VAVA
_SURE_WITH_DIGITS = 97.0  # of a word with digits: the least probable character of it
_SURE_ADDRESS = 40.0  # of a mail address: nothing else has its form


class _Character(NamedTuple):
    text: str
    step: float
    probability: float


def latin_words(line: Any) -> list[LineWord]:
    """The words of a line (grayscale array), from left to right; a character that is not Latin has confidence 0."""
    height, width = line.shape
    wide = int(np.clip(round(width * _HEIGHT / height), _MIN_WIDTH, _MAX_WIDTH))
    scaled = cv2.resize(line, (wide, _HEIGHT), interpolation=cv2.INTER_AREA if height > _HEIGHT else cv2.INTER_LINEAR)
    plane = scaled.astype(np.float32) / 127.5 - 1
    probabilities = run(_network(), np.broadcast_to(plane, (1, 3, *plane.shape)).copy())[0]
    scale = width / wide
    characters: Sequence[_Character] = [
        _Character(character.text, (character.step + 0.5) * _STRIDE * scale, character.probability)
        for character in _characters(probabilities)
    ]
    blanks = _blanks(line, characters)
    if any(character.text == "@" for character in characters):
        characters, blanks = _with_whole_addresses(characters, blanks)
    return [_word(word, height, width) for word in _words(characters, blanks)]


def is_sure(word: LineWord) -> bool:
    """Whether a word was read so surely that it is Latin, and right; a mail address may be wrong in a character."""
    if is_address(word.text):
        return word.confidence >= _SURE_ADDRESS
    if word.has_digits:
        return word.confidence >= _SURE_WITH_DIGITS
    return word.confidence >= (_SURE if any(map(str.islower, word.text)) else _SURE_CAPITALS)


def load() -> None:
    """Loads the network, which is kept for the life of the process."""
    _network()


@cache
def _network() -> Session:
    return pretrained(RECOGNIZER)


@cache
def _alphabet() -> list[str]:
    """The characters of the network's classes; class 0 is none, the last a blank."""
    characters = _network().get_modelmeta().custom_metadata_map["character"].split("\n")
    return ["", *characters, " "]


def _characters(probabilities: Any) -> Iterator[_Character]:
    """The characters of the likeliest path (connectionist temporal classification) with their mean step."""
    best, alphabet = probabilities.argmax(axis=1), _alphabet()
    borders = np.flatnonzero(np.diff(best, prepend=-1, append=-1))
    for start, end in pairwise(borders):
        class_ = int(best[start])
        if class_:
            text = alphabet[class_].translate(_LIKE_ASCII)
            yield _Character(text, float(start + end - 1) / 2, float(probabilities[start:end, class_].max()))


def _blanks(line: Any, characters: Sequence[_Character]) -> list[bool]:
    """Whether a blank stands before each character: the network often drops it."""
    if not characters:
        return []
    height = len(line)
    top, bottom = (int(height * part) for part in _BODY)
    threshold, _ = cv2.threshold(line, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    is_ink = (line[top : bottom + 1] <= threshold).any(axis=0)
    steps = [min(int(character.step), line.shape[1] - 1) for character in characters]
    gaps = [0, *(_longest_gap(is_ink[one : other + 1]) for one, other in pairwise(steps))]
    usual = _WIDER * float(np.median(gaps[1:])) if len(gaps) > 1 else 0.0
    least = [height * bound for bound in (_BLANK, *(_blank_between(*four) for four in _fours(characters)))]
    return [gap > max(usual, bound) for gap, bound in zip(gaps, least, strict=True)]


def _fours(characters: Sequence[_Character]) -> Iterator[tuple[str, str, str, str]]:
    """Each two characters side by side, with the one before them and the one behind them, if any."""
    texts = ["", *(character.text for character in characters), ""]
    return zip(texts, texts[1:], texts[2:], texts[3:], strict=False)


def _blank_between(before: str, one: str, other: str, behind: str) -> float:
    """The narrowest blank between one and the other, in heights of the line."""
    if one.isdigit() and other.isdigit():
        return _BLANK_IN_NUMBER
    is_point = (other in _POINTS and one.isdigit() and behind.isdigit()) or (
        one in _POINTS and before.isdigit() and other.isdigit()
    )
    return _BLANK_AT_POINT if is_point else _BLANK


def _with_whole_addresses(
    characters: Sequence[_Character], blanks: Sequence[bool]
) -> tuple[list[_Character], list[bool]]:
    """The visible characters, and whether a blank stands before each; there is none inside a mail address."""
    visible: list[_Character] = []
    seen: list[bool] = []
    pending = False
    for character, blank in zip(characters, blanks, strict=True):
        pending = pending or blank or character.text.isspace()
        if not character.text.isspace():
            visible.append(character)
            seen.append(pending)
            pending = False
    pitches = [0.0, *(other.step - one.step for one, other in pairwise(visible))]
    usual = _NARROW * float(np.median(pitches))
    inner = inner_blanks([character.text for character in visible], seen, [pitch <= usual for pitch in pitches])
    return visible, [blank and place not in inner for place, blank in enumerate(seen)]


def _longest_gap(is_ink: Any) -> int:
    borders = np.flatnonzero(np.diff(is_ink.astype(np.int8), prepend=1, append=1))
    return int((borders[1::2] - borders[::2]).max(initial=0))


def _words(characters: Sequence[_Character], blanks: Sequence[bool]) -> Iterator[list[_Character]]:
    word: list[_Character] = []
    for character, has_blank in zip(characters, blanks, strict=True):
        if word and (character.text.isspace() or has_blank):
            yield word
            word = []
        if not character.text.isspace():
            word.append(character)
    if word:
        yield word


def _word(characters: Sequence[_Character], height: int, width: int) -> LineWord:
    text = "".join(character.text for character in characters)
    probabilities = [character.probability if _LATIN.fullmatch(character.text) else 0.0 for character in characters]
    if any(map(str.isdigit, text)):
        confidence = min(probabilities)
    else:
        confidence = sum(probabilities) / len(probabilities) if min(probabilities) > 0 else 0.0
    # The steps are near the middles of the characters.
    half = (characters[-1].step - characters[0].step) / (len(characters) - 1) / 2 if len(characters) > 1 else height / 4
    left, right = characters[0].step - half, characters[-1].step + half
    return LineWord(text, max(0.0, left), min(float(width), right), 100 * confidence, Engine.PP_OCR)
