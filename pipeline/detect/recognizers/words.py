"""A text as words: where each stands, and one code letter per word and per separator, so that a regex reads grammar.

The code string alternates word and separator: letter 2*i is word i, letter 2*i+1 what follows it. Making it is a
handful of passes in C over the whole text; Python is spent only where a grammar matches.
"""

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, repeat
from operator import itemgetter
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold
from pipeline.detect.recognizers.separators import UNKNOWN_SEPARATOR, separator_code
from pipeline.detect.recognizers.vocabulary import Vocabulary

_SEPARATOR = re.compile(r"(\W+)")
_FIRST_LETTER = itemgetter(0)
_EMPTY = "\x00"  # stands for the word that is missing where a text begins or ends with a separator

_UNKNOWN = re.compile(re.escape(UNKNOWN_SEPARATOR))


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
        parts: list[str] = _SEPARATOR.split(self.text)
        # An empty word, possible at both ends only, is made one character long for the pass below.
        self._shift = 0 if parts[0] else 1
        parts[0], parts[-1] = parts[0] or _EMPTY, parts[-1] or _EMPTY
        self._parts = parts
        self.words = parts[::2]
        self._vocabulary = vocabulary
        # Each different word or separator is looked up once: texts repeat theirs.
        different = list(set(parts))
        shapes = map(vocabulary.first.get, map(_FIRST_LETTER, different), repeat(vocabulary.other))
        code = dict(zip(different, map(vocabulary.code.get, different, shapes), strict=True))
        codes = "".join(map(code.__getitem__, parts))
        if UNKNOWN_SEPARATOR in codes:
            codes = _UNKNOWN.sub(lambda match: separator_code(parts[match.start()]), codes)
        # Two words more that are nothing: the neighbours of the last word, and by negative index of the first.
        self.codes: str = codes + f"n{vocabulary.other}n{vocabulary.other}n"
        self._meaning = vocabulary.meaning

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._parts)))

    def start(self, index: int) -> int:
        """Where word `index` begins in the text."""
        return max(0, self._ends[2 * index] - len(self._parts[2 * index]) - self._shift)

    def end(self, index: int) -> int:
        """Where word `index` ends in the text."""
        return min(len(self.text), self._ends[2 * index] - self._shift)

    def at(self, offset: int) -> int:
        """The word in which, or right behind which, an offset of the text lies."""
        return bisect_right(self._ends, offset + self._shift) // 2

    def meaning(self, index: int) -> int:
        """What word `index` can be; `Word.OTHER` up to two words outside the text."""
        return self._meaning[self.codes[2 * index]]

    def knows(self, word: str) -> int:
        """What a word that need not stand in the text can be."""
        return self._vocabulary.meaning[self._vocabulary.code.get(word, self._vocabulary.other)]

    def after(self, index: int) -> str:
        """The code of the separator after word `index` (`n` at both ends of the text, and two words beyond)."""
        return self.codes[2 * index + 1]
