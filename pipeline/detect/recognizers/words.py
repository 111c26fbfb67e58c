"""A text as words: where each stands, and one code letter per word and per separator, so that a regex reads grammar.

The code string alternates word and separator: letter 2*i is word i, letter 2*i+1 what follows it. Making it is a
handful of passes in C over the whole text; Python is spent only where a grammar matches.
"""

import re
from functools import cached_property
from itertools import accumulate, chain, repeat
from operator import itemgetter
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold
from pipeline.detect.recognizers.vocabulary import Vocabulary

_SEPARATOR = re.compile(r"(\W+)")
_FIRST_LETTER = itemgetter(0)
_EMPTY = "\x00"  # stands for the word that is missing where a text begins or ends with a separator

# What follows a word: a blank, a hyphen, an apostrophe, a full stop (joined: i), a comma or table mark, a colon,
# a line end, a slash, an opening bracket or angle, anything else. A pure function of the separator's characters.
_KNOWN_SEPARATORS = {
    " ": " ", "  ": " ", "   ": " ", "-": "-", "'": "'", ". ": ".", ".": "i", "/": "/", "/ ": "/", " / ": "/",
    ", ": ",", ",": ",", "، ": ",", "،": ",", "؛ ": ",", " - ": ",", "\t": ",", "|": ",", " | ": ",", ";": ",",
    ": ": ":", ":": ":", " : ": ":", "\n": "n", "\n\n": "n", " \n": "n", "\r\n": "n", ".\n": "n", ",\n": "n",
    " (": "(", "(": "(", " <": "<", "<": "<", "@": "@", '"': "#", ' "': "#", '" ': "#", ") ": "#",
}  # fmt: skip


def _separator_code(separator: str) -> str:
    if ":" in separator or "=" in separator:
        return ":"
    if "\n" in separator or "\r" in separator:
        return "n"
    stripped = separator.strip()
    if not stripped:
        return " " if "\t" not in separator else ","
    if stripped in ("،", ",", "|", ";", "؛", "-", "—"):
        return ","
    if stripped in ("(", "[", "<"):
        return "<" if stripped == "<" else "("
    if stripped == "/":
        return "/"
    return "@" if "@" in separator else "#"


class Found(NamedTuple):
    """Words `first` to `last` (inclusive) are an entity, without the first `skip` letters (an attached clitic)."""

    first: int
    last: int
    skip: int
    score: float


class Words:
    """The words of one normalized text. Offsets are those of the text given."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self.raw = text
        self.text = fold(text)
        self._parts: list[str] = _SEPARATOR.split(self.text)
        words, separators = self._parts[::2], self._parts[1::2]
        words[0] = words[0] or _EMPTY
        words[-1] = words[-1] or _EMPTY
        self.words = words
        self._meaning = vocabulary.meaning
        self._vocabulary = vocabulary
        shapes = map(vocabulary.first.get, map(_FIRST_LETTER, words), repeat(vocabulary.other))
        codes = map(vocabulary.code.get, words, shapes)
        known = _KNOWN_SEPARATORS
        if unknown := set(separators).difference(known):
            known = known | {separator: _separator_code(separator) for separator in unknown}
        separators.append("\n")
        self.codes: str = "".join(chain.from_iterable(zip(codes, map(known.__getitem__, separators), strict=True)))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._parts)))

    def start(self, index: int) -> int:
        """Where word `index` begins in the text."""
        return self._ends[2 * index] - len(self._parts[2 * index])

    def end(self, index: int) -> int:
        """Where word `index` ends in the text."""
        return self._ends[2 * index]

    def meaning(self, index: int) -> int:
        """What word `index` can be; nothing for an index outside the text."""
        if 0 <= index < len(self.words):
            return self._meaning[self.codes[2 * index]]
        return 0

    def knows(self, word: str) -> int:
        """What a word that need not stand in the text can be."""
        return self._meaning[self._vocabulary.code.get(word, self._vocabulary.other)]

    def after(self, index: int) -> str:
        """The code of the separator after word `index` (`n` at both ends of the text)."""
        return self.codes[2 * index + 1] if 0 <= index < len(self.words) else "n"
