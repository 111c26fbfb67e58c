"""Splits a text into words, with one code letter for each word and each separator, so that grammars are expressions.

In the code string words and separators alternate: letter 2*i is word i, letter 2*i+1 the separator after it. The string
is made in a few vectorized passes over the text; Python code runs only where a grammar matches.
"""

import re
from bisect import bisect_right
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.detect.grammar.vocabulary import NO_WORD, PREPOSITIONS, Vocabulary
from pipeline.detect.lexicons.loader import fold
from pipeline.detect.text.normalize import NormalizedText, lazy

# The code of the separators that are frequent: a blank, a hyphen, an apostrophe, a full stop (`i` if no blank follows),
# a comma or cell delimiter, a colon, a slash, an opening bracket or angle, `@`; `n` is a line end, `#` anything else.
SEPARATORS = {
    " ": " ", "  ": " ", "   ": " ", "-": "-", "'": "'", ". ": ".", ".": "i", "/": "/", "/ ": "/", " / ": "/",
    ", ": ",", ",": ",", "، ": ",", "،": ",", "؛ ": ",", " - ": ",", "\t": ",", "|": ",", " | ": ",", ";": ",",
    ": ": ":", ":": ":", " : ": ":", "\n": "n", "\n\n": "n", " \n": "n", "\r\n": "n", ".\n": "n", ",\n": "n",
    " (": "(", "(": "(", " <": "<", "<": "<", "@": "@", '"': "#", ' "': "#", '" ': "#", ") ": "#",
}  # fmt: skip


def separator_code(separator: str) -> str:
    """The code of any separator. No phrase, name or address continues after `#`."""
    return SEPARATORS.get(separator) or _code_of_other(separator)


def _code_of_other(separator: str) -> str:
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
_ALIF_MAQSURA = 0x649
_ALL = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _folded_letters() -> NDArray[np.uint32]:
    """For each character its folded letter inside words; a blank if it separates words."""
    table = np.full(len(_ALL), _BLANK, dtype=np.uint32)
    for match in re.finditer(r"\w+", _ALL):
        table[match.start() : match.end()] = np.frombuffer(
            fold(match.group()).encode("utf-32-le", "surrogatepass"), dtype="<u4"
        )
    table.flags.writeable = False
    return table


def _character_codes() -> NDArray[np.uint8]:
    """The separator code of each character. Characters from U+3000 on all have the code of an unknown separator."""
    table = np.full(len(_ALL), ord(separator_code("\uffff")), dtype=np.uint8)
    table[:0x3000] = [ord(separator_code(character)) for character in _ALL[:0x3000]]
    table.flags.writeable = False
    return table


_LETTERS, _CODE_OF_CHARACTER = _folded_letters(), _character_codes()


_CODE_OF_SEPARATOR = {separator: ord(code) for separator, code in SEPARATORS.items()}


def _separator_number(separator: str) -> int:
    return _CODE_OF_SEPARATOR.get(separator) or ord(separator_code(separator))


class WordSpan(NamedTuple):
    """Words `first` to `last` (inclusive) are an entity, except the first `skip` letters, an attached clitic."""

    first: int
    last: int
    skip: int
    score: float


class Words:
    """The words of one normalized text. All offsets are offsets of the normalized text."""

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
        for index in np.flatnonzero(text.codes[self._ends - 1] == _ALIF_MAQSURA).tolist() if len(letters) else ():
            if self.words[index] in PREPOSITIONS:
                codes[2 * index] = vocabulary.preposition
        codes[1::2] = self._separators(text.codes)
        # Two empty words more: the neighbours of the last word and, by negative index, of the first.
        nothing = f"n{vocabulary.other}n{vocabulary.other}n"
        self.codes: str = codes.tobytes().decode("utf-32-le") + nothing

    def _completed(self, edges: NDArray[np.intp], front: bool, back: bool, size: int) -> NDArray[np.intp]:
        """The word edges, with an empty word added where the text begins or ends with a separator."""
        if front:
            self.words.insert(0, NO_WORD)
        if back and size:
            self.words.append(NO_WORD)
        return np.concatenate(([0, 0] * front, edges, [size, size] * (back and size > 0))).astype(np.intp)

    def _separators(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """The code of the separator between each word and the next."""
        begin, end = self._ends[:-1], self._starts[1:]
        found = _CODE_OF_CHARACTER[codes[begin]]
        longer = np.flatnonzero(end - begin > 1)
        if len(longer):
            places = zip(begin[longer].tolist(), end[longer].tolist(), strict=True)
            found[longer] = [_separator_number(self.raw[left:right]) for left, right in places]
        return found

    def __len__(self) -> int:
        return len(self.words)

    @lazy
    def text(self) -> str:
        """The text with Arabic spelling variants folded."""
        return fold(self.raw)

    def start(self, index: int) -> int:
        """The offset at which word `index` begins."""
        return self._starts.item(index)

    def end(self, index: int) -> int:
        """The offset at which word `index` ends."""
        return self._ends.item(index)

    def offsets(self, first: int, last: int, skip: int = 0) -> tuple[int, int]:
        """The offsets of words `first` to `last`, without the first `skip` letters."""
        return self.start(first) + skip, self.end(last)

    def at(self, offset: int) -> int:
        """The index of the word that contains an offset, or else of the last word before it."""
        return bisect_right(self._starts, offset) - 1

    def meaning(self, index: int) -> int:
        """The meanings of word `index`; `Word.OTHER` up to two words outside the text."""
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
        """Records for an explanation, if one was asked for, that words `cue` made words `first` to `last` a `type_`.

        `certain`: the cue is a label or a title. `shape`: what was found, if it is not the usual shape.
        """
        if self.trace is not None:
            cue_offsets = None if cue is None else self.offsets(*cue)
            self.trace.note(self.offsets(first, last, skip), type_, cue_offsets, certain=certain, shape=shape)

    def knows(self, word: str) -> int:
        """The meanings of any word, in the text or not."""
        return self._vocabulary.meaning[self._vocabulary.code.get(word, self._vocabulary.other)]

    def after(self, index: int) -> str:
        """The code of the separator after word `index`; `n` at both ends of the text and up to two words outside."""
        return self.codes[2 * index + 1]
