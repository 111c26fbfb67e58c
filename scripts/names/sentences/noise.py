"""Varies labelled words as people, keyboards and OCR do: case, spelling, Arabic letters, clitics, line breaks."""

import random
from collections.abc import Callable

from pipeline.detect.tagger.pieces import LINE_BREAK
from scripts.names.sentences.corpora import inside

Words = list[str]
Tags = list[int]

_ALIF = str.maketrans("أإآ", "ااا")
_ENDS = {"ة": "ه", "ى": "ي", "ه": "ة", "ي": "ى"}
_CLITICS = ("و", "ب", "ل", "ف", "ك", "وب", "ول")
_OCR = {"l": "1I", "I": "l1", "O": "0", "o": "0c", "e": "c", "m": "rn", "n": "u", "S": "5", "B": "8", "a": "o",
        "t": "f",
        "ب": "يت", "ت": "نب", "ن": "تب", "ث": "ت", "ج": "ح", "ح": "ج", "خ": "ح", "د": "ذ", "ذ": "د", "ر": "ز", "ز": "ر",
        "س": "ش", "ش": "س", "ص": "ض", "ض": "ص", "ع": "غ", "غ": "ع", "ف": "ق", "ق": "ف", "ي": "ب"}  # fmt: skip


def varied(words: Words, tags: Tags, draw: random.Random) -> tuple[Words, Tags]:
    """A copy of the words and tags, varied."""
    words, tags = list(words), list(tags)
    chance = draw.random()
    if chance < 0.10:
        words = [word.lower() for word in words]
    elif chance < 0.14:
        words = [word.upper() for word in words]
    elif chance < 0.17:
        words = [word.capitalize() for word in words]
    elif chance < 0.20:
        words = [word.lower() if draw.random() < 0.5 else word for word in words]
    if draw.random() < 0.15:
        words = [_ends(word.translate(_ALIF), draw) for word in words]
    if draw.random() < 0.08:
        words = [_changed(word, draw, _ocr) if draw.random() < 0.15 else word for word in words]
    elif draw.random() < 0.15:
        words = [_changed(word, draw, _typo) if draw.random() < 0.08 else word for word in words]
    if draw.random() < 0.2:
        words = [
            draw.choice(_CLITICS) + word if tag % 2 and draw.random() < 0.3 and _takes_clitic(word) else word
            for word, tag in zip(words, tags, strict=True)
        ]
    if draw.random() < 0.15:
        words, tags = _broken(words, tags, draw)
    return words, tags


def _takes_clitic(word: str) -> bool:
    return len(word) > 2 and "\u0621" <= word[0] <= "\u064a" and word[0] not in "وبلفك"


def _ends(word: str, draw: random.Random) -> str:
    end = _ENDS.get(word[-1]) if word else None
    return word[:-1] + end if end and draw.random() < 0.5 else word


def _changed(word: str, draw: random.Random, change: Callable[[str, int, random.Random], str]) -> str:
    return change(word, draw.randrange(len(word)), draw) if len(word) > 3 else word


def _ocr(word: str, at: int, draw: random.Random) -> str:
    return word[:at] + draw.choice(_OCR.get(word[at], word[at])) + word[at + 1 :]


def _typo(word: str, at: int, draw: random.Random) -> str:
    kind = draw.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    return word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


def _broken(words: Words, tags: Tags, draw: random.Random) -> tuple[Words, Tags]:
    """Line breaks every few words, also inside names, where the break has the tag of the name."""
    new_words: Words = []
    new_tags: Tags = []
    for word, tag in zip(words, tags, strict=True):
        if new_words and draw.random() < 0.1:
            new_words.append(LINE_BREAK)
            new_tags.append(tag if tag and inside(tag) == tag else 0)
        new_words.append(word)
        new_tags.append(tag)
    return new_words, new_tags
