"""Puts together what several engines read in one line, each place read by the engine that is sure of it."""

import unicodedata
from collections.abc import Iterable, Sequence

from pipeline.detect.lexicons.loader import fold
from pipeline.ocr.engines.arabic_vocabulary import is_known
from pipeline.ocr.engines.line_word import LineWord

_UNSURE = 50.0  # the highest confidence (0..100) of a word that nobody is sure of
_SURE = 90.0  # the least confidence of one that somebody is
_MIN_AGREED = 40.0  # confidence of two readings that agree: of each, and they then count as sure
_MIN_ALIKE = 2  # letters of a word that is sure because two engines read it alike
_MIN_NEAR = 5  # letters of one that they read alike but for a letter
_OVERLAP = 0.4  # of the narrower of two words: more is the same ink
_MIN_NUMBER = 3  # digits of a number that stands against a word, even if nobody is sure of it
_MIN_DIGITS = 2  # digits of a number that stands against a word
_MIN_LONG = 5  # digits of an unsure number that counts before unsure words

Claims = Sequence[tuple[LineWord, bool]]


def put_together(latin: Claims, numbers: Claims, own: Claims, arabic: Claims = ()) -> list[LineWord]:
    """The words of a line from left to right: claims of PP-OCR, numbers and words of our network, claims of Tesseract.

    Each claim comes with whether it is sure. A word whose readings contradict each other, or of which nobody is sure,
    has a confidence of at most 50. There long numbers count first: engines that know no such digits read them as words,
    and may be surer.
    """
    words: list[LineWord] = []
    for chosen in (
        [word for word, is_sure in latin if is_sure and not _contradicted(word, numbers)],
        [word for word, is_sure in numbers if is_sure and not _is_letter(word, own) and not _denied(word, latin)],
        _agreed(latin, numbers, arabic),
        _alike(own, arabic),
        [word for word, is_sure in own if is_sure and not word.has_digits and not _is_number(word, numbers)],
        [word for word, is_sure in arabic if is_sure and not word.has_digits and not _is_number(word, numbers)],
    ):
        sure = (word._replace(confidence=max(_SURE, word.confidence)) if word.has_digits else word for word in chosen)
        words += _beside(words, sure)
    long = [(word, is_sure) for word, is_sure in numbers if len(digits_of(word.text)) >= _MIN_LONG]
    likely = [(word, is_sure) for word, is_sure in long if word.confidence >= _MIN_AGREED]
    for claims in (likely, *sorted((latin, numbers, own, arabic), key=_mean, reverse=True)):
        words += _beside(words, (word._replace(confidence=min(_UNSURE, word.confidence)) for word, _ in claims))
    return sorted(words, key=lambda word: word.left)


def _mean(claims: Claims) -> float:
    return sum(word.confidence for word, _ in claims) / max(1, len(claims))


def digits_of(text: str) -> str:
    """The digits of a text, as ASCII digits."""
    return "".join(str(unicodedata.digit(character)) for character in text if character.isdigit())


def _beside(taken: Sequence[LineWord], words: Iterable[LineWord]) -> list[LineWord]:
    """The words whose ink is not taken. The words of one engine may overlap: its boxes are not exact."""
    return [word for word in words if not any(_is_same_ink(word, other) for other in taken)]


def _is_same_ink(one: LineWord, other: LineWord) -> bool:
    return one.shared(other) > _OVERLAP * min(one.right - one.left, other.right - other.left)


def _contradicted(word: LineWord, numbers: Claims) -> bool:
    """Whether a number stands in the place of a Latin word that says other digits, or none although it may be digits.

    Eastern digits look like Latin capitals: `VAVA` for ٧٨٧٨.
    """
    for number, is_sure in numbers:
        digits = digits_of(number.text)
        if not _is_same_ink(word, number) or len(digits) < _MIN_DIGITS:
            continue
        is_long = len(digits) >= _MIN_LONG and number.confidence >= _MIN_AGREED
        if not word.has_digits and any(map(str.islower, word.text)) and not is_long:
            continue
        if is_sure and digits not in digits_of(word.text):
            return True
        if not number.text.isascii() and (is_sure or not word.has_digits):
            return True
    return False


def _is_number(word: LineWord, numbers: Claims) -> bool:
    """Whether a number stands in the place of a word."""
    return any(
        len(digits_of(number.text)) >= _MIN_NUMBER
        and number.confidence >= _MIN_AGREED
        and word.shared(number) > _OVERLAP * (word.right - word.left)
        for number, _ in numbers
    )


def _denied(number: LineWord, latin: Claims) -> bool:
    """Whether a word that was surely read as Latin says other digits than a number in its place."""
    return any(
        is_sure
        and word.has_digits
        and _is_same_ink(word, number)
        and not (number.text.isascii() and digits_of(number.text) in digits_of(word.text))
        for word, is_sure in latin
    )


def _is_letter(number: LineWord, own: Claims) -> bool:
    """Whether a single digit is a part of a word: an alef looks like a one, a heh like a five."""
    return len(digits_of(number.text)) < _MIN_DIGITS and any(
        is_sure and not word.has_digits and len(word.text) > 1 and _is_same_ink(word, number) for word, is_sure in own
    )


def _agreed(*engines: Claims) -> list[LineWord]:
    """Numbers that two engines read alike, although no one is sure of them.

    Both may see ٥٥ as 00: they are not believed against a third that reads Eastern digits there.
    """
    claims = [[word for word, _ in words if word.has_digits and word.confidence >= _MIN_AGREED] for words in engines]
    found: list[LineWord] = []
    for place, words in enumerate(claims):
        others = [other for following in claims[place + 1 :] for other in following]
        alike = (
            word
            for word in words
            if any(_is_same_ink(word, other) and _folded(word) == _folded(other) for other in others)
            and not any(_is_eastern_instead(word, other) for read in claims for other in read)
        )
        found += _beside(found, list(alike))
    return found


def _is_eastern_instead(word: LineWord, other: LineWord) -> bool:
    """Whether the other one reads the ink of a number in ASCII digits as other digits, and Eastern ones."""
    is_other = digits_of(word.text) != digits_of(other.text)
    return word.text.isascii() and not other.text.isascii() and is_other and _is_same_ink(word, other)


def _alike(own: Claims, arabic: Claims) -> list[LineWord]:
    """Words without digits that our network is not sure of and that both engines read alike.

    Marks of an alef do not count. Longer words may differ in a letter if only one of the two is a known word.
    """
    readings = [word for word, _ in arabic if not word.has_digits]
    agreed = (
        _one_reading(word, other)
        for word, is_sure in own
        if not is_sure and not word.has_digits
        for other in readings
        if _is_same_ink(word, other)
    )
    return [word._replace(confidence=max(_SURE, word.confidence)) for word in agreed if word is not None]


def _one_reading(one: LineWord, other: LineWord) -> LineWord | None:
    """The better one of two readings of a word; None if they say different words."""
    said, instead = _folded(one), _folded(other)
    better = other if is_known(instead) and not is_known(said) else one
    if fold(said) == fold(instead):
        return better if len(said) >= _MIN_ALIKE else None
    is_one_known = is_known(said) != is_known(instead)
    return better if is_one_known and min(len(said), len(instead)) >= _MIN_NEAR and _is_near(said, instead) else None


def _is_near(one: str, other: str) -> bool:
    """Whether one letter makes one word the other: another one, one more, or one less."""
    start = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rest, others = one[start:], other[start:]
    return rest[1:] == others[1:] or rest[1:] == others or rest == others[1:]


def _folded(word: LineWord) -> str:
    return "".join(filter(str.isalnum, word.text))
