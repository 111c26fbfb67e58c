"""A text as words: where each stands, and one code letter per word and per separator, so that a regex reads grammar.

The code string alternates word and separator: letter 2*i is word i, letter 2*i+1 what follows it. Making it is a
handful of passes in C over the whole text; Python is spent only where a grammar matches.
"""

import re
from bisect import bisect_right
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.detect.grammar.vocabulary import NO_WORD, Vocabulary
from pipeline.detect.lexicons.loader import fold
from pipeline.detect.text.normalize import NormalizedText, lazy

# What stands between two words, as one code letter: grammars read separators as they read words.

# What follows a word: a blank, a hyphen, an apostrophe, a full stop (joined: i), a comma or table mark, a colon,
# a line end, a slash, an opening bracket or angle, anything else. A pure function of the separator's characters.
SEPARATORS = {
    " ": " ", "  ": " ", "   ": " ", "-": "-", "'": "'", ". ": ".", ".": "i", "/": "/", "/ ": "/", " / ": "/",
    ", ": ",", ",": ",", "، ": ",", "،": ",", "؛ ": ",", " - ": ",", "\t": ",", "|": ",", " | ": ",", ";": ",",
    ": ": ":", ":": ":", " : ": ":", "\n": "n", "\n\n": "n", " \n": "n", "\r\n": "n", ".\n": "n", ",\n": "n",
    " (": "(", "(": "(", " <": "<", "<": "<", "@": "@", '"': "#", ' "': "#", '" ': "#", ") ": "#",
}  # fmt: skip


def separator_code(separator: str) -> str:
    """The code of any separator. `#` ends everything."""
    return SEPARATORS.get(separator) or _of_others(separator)


def _of_others(separator: str) -> str:
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


_BLANK = 0x20
_ALL = "".join(map(chr, range(0x110000)))


def _letters() -> NDArray[np.uint32]:
    """What each character is in a word, spelling variants folded; a blank when it is in none."""
    table = np.full(len(_ALL), _BLANK, dtype=np.uint32)
    for match in re.finditer(r"\w+", _ALL):
        table[match.start() : match.end()] = np.frombuffer(
            fold(match.group()).encode("utf-32-le", "surrogatepass"), dtype="<u4"
        )
    table.flags.writeable = False
    return table


def _separators_of_one() -> NDArray[np.uint8]:
    """The code of each character as a separator. Beyond the punctuation of living scripts none says anything."""
    table = np.full(len(_ALL), ord(separator_code("\uffff")), dtype=np.uint8)
    table[:0x3000] = [ord(separator_code(character)) for character in _ALL[:0x3000]]
    table.flags.writeable = False
    return table


_LETTERS, _OF_ONE = _letters(), _separators_of_one()


_OF_SEVERAL = {separator: ord(code) for separator, code in SEPARATORS.items()}


def _number(separator: str) -> int:
    return _OF_SEVERAL.get(separator) or ord(separator_code(separator))


class WordSpan(NamedTuple):
    """Words `first` to `last` (inclusive) are an entity, without the first `skip` letters (an attached clitic)."""

    first: int
    last: int
    skip: int
    score: float


class Words:
    """The words of one normalized text. Offsets are those of its normalized form."""

    def __init__(self, text: NormalizedText, vocabulary: Vocabulary) -> None:
        self.raw = text.text
        self.trace = text.trace
        self._vocabulary = vocabulary
        self._meaning = vocabulary.meaning
        letters = _LETTERS[text.codes]
        self.words = letters.tobytes().decode("utf-32-le", "surrogatepass").split()
        inside = np.zeros(len(letters) + 2, dtype=bool)
        np.not_equal(letters, _BLANK, out=inside[1:-1])
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        if not (inside[1] and inside[-2]):
            edges = self._completed(edges, not inside[1], not inside[-2], len(letters))
        self._starts, self._ends = edges[::2], edges[1::2]
        known = np.fromiter(map(vocabulary.number.get, self.words, repeat(0)), dtype=np.uint32, count=len(self.words))
        codes = np.empty(2 * len(self.words) - 1, dtype=np.uint32)
        codes[::2] = known
        unknown = np.flatnonzero(known == 0)
        codes[2 * unknown] = vocabulary.first[letters[self._starts[unknown]]]
        codes[1::2] = self._separators(text.codes)
        # Two words more that are nothing: the neighbours of the last word, and by negative index of the first.
        nothing = f"n{vocabulary.other}n{vocabulary.other}n"
        self.codes: str = codes.tobytes().decode("utf-32-le") + nothing

    def _completed(self, edges: NDArray[np.intp], front: bool, back: bool, size: int) -> NDArray[np.intp]:
        """The edges with those of the words that are missing at the text's ends, which are noted as empty."""
        if front:
            self.words.insert(0, NO_WORD)
        if back and size:
            self.words.append(NO_WORD)
        return np.concatenate(([0, 0] * front, edges, [size, size] * (back and size > 0))).astype(np.intp)

    def _separators(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """The code of what stands between each word and the next."""
        begin, end = self._ends[:-1], self._starts[1:]
        found = _OF_ONE[codes[begin]]
        longer = np.flatnonzero(end - begin > 1)
        if len(longer):
            places = zip(begin[longer].tolist(), end[longer].tolist(), strict=True)
            found[longer] = [_number(self.raw[left:right]) for left, right in places]
        return found

    def __len__(self) -> int:
        return len(self.words)

    @lazy
    def text(self) -> str:
        """The text with Arabic spelling variants folded."""
        return fold(self.raw)

    def start(self, index: int) -> int:
        """Where word `index` begins in the text."""
        return self._starts.item(index)

    def end(self, index: int) -> int:
        """Where word `index` ends in the text."""
        return self._ends.item(index)

    def place(self, first: int, last: int, skip: int = 0) -> tuple[int, int]:
        """Where words `first` to `last` stand, without the first `skip` letters."""
        return self.start(first) + skip, self.end(last)

    def at(self, offset: int) -> int:
        """The word in which, or right behind which, an offset of the text lies."""
        return bisect_right(self._starts, offset) - 1

    def meaning(self, index: int) -> int:
        """What word `index` can be; `Word.OTHER` up to two words outside the text."""
        return self._meaning[self.codes[2 * index]]

    def note(
        self,
        type_: str,
        first: int,
        last: int,
        cue: tuple[int, int] | None,
        *,
        certain: bool = False,
        skip: int = 0,
        shape: str = "",
    ) -> None:
        """Notes for an explanation, where one was asked for, that words `cue` made words `first` to `last` a `type_`.

        `certain`: they name what stands beside them. `shape`: what was found, if not what is most often found.
        """
        if self.trace is not None:
            word = None if cue is None else self.place(*cue)
            self.trace.note(self.place(first, last, skip), type_, word, certain=certain, shape=shape)

    def knows(self, word: str) -> int:
        """What a word that need not stand in the text can be."""
        return self._vocabulary.meaning[self._vocabulary.code.get(word, self._vocabulary.other)]

    def after(self, index: int) -> str:
        """The code of the separator after word `index` (`n` at both ends of the text, and two words beyond)."""
        return self.codes[2 * index + 1]
