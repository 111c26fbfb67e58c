"""Finds every other occurrence of values already found, in any spelling that normalizes alike, in linear time.

Texts and values are compared in two forms. *Words* keeps words apart and nothing else. *Compact* keeps letters and
digits alone, so that groups, hyphens and lost or invented blanks do not matter. In both, case, accents, vowel marks,
invisible characters, the script of digits, and letters that careless spelling exchanges do not matter either.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from pipeline.detect.character_table import CharacterTable
from pipeline.detect.normalize import normalize

_ALIKE = str.maketrans("أإآٱىةؤئ", "اااايهوي")
_HANGING = frozenset("وفبلك")  # Arabic prepositions and conjunctions, written onto the next word
_UNSEEN = frozenset({"Mn", "Me", "Cf", "Lm", "Sk"})


class Reach(Enum):
    """Where an occurrence counts."""

    ANYWHERE = "inside longer strings too"
    WHOLE = "as a token of its own"
    ALONE = "where a text, or a line of it, says nothing else"


class Value(NamedTuple):
    """What to look for; `key` comes back with each hit. `compact`: in which form."""

    key: int
    surface: str
    compact: bool
    reach: Reach


class Hit(NamedTuple):
    """`text[start:end]`, in offsets of the text that was searched, is an occurrence of the value `key`."""

    start: int
    end: int
    key: int


def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKD", normalize(character).text).casefold().translate(_ALIKE)
    return "".join(normalize(c).text for c in folded if unicodedata.category(c) not in _UNSEEN)


def _words_of(character: str) -> str:
    return "".join(c if c.isalnum() else "" if c == "'" else " " for c in _plain(character))


def _compact_of(character: str) -> str:
    return "".join(c for c in _plain(character) if c.isalnum())


_WORDS, _COMPACT = CharacterTable(_words_of), CharacterTable(_compact_of)


def words_form(text: str) -> str:
    """The *words* form of a text: words parted by single blanks."""
    return " ".join(text.translate(_WORDS).split())


def compact_form(text: str) -> str:
    """The *compact* form of a text: letters and digits alone."""
    return text.translate(_COMPACT)


class Spreader:
    """Looks for a fixed set of values in any number of texts. Immutable."""

    def __init__(self, values: Iterable[Value]) -> None:
        values = list(values)
        self._alone: dict[str, int] = {}
        for value in values:
            if value.reach is Reach.ALONE:
                self._alone.setdefault(compact_form(value.surface), value.key)
        self._alone.pop("", None)
        self._longest_line = 4 * max(map(len, self._alone), default=0)
        searches = (
            _Search([v for v in values if v.compact is compact and v.reach is reach], compact, reach)
            for compact in (False, True)
            for reach in (Reach.ANYWHERE, Reach.WHOLE)
        )
        self._searches = [search for search in searches if search.patterns]

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence, in order of position; hits may overlap each other."""
        found: list[Hit] = []
        for search in self._searches:
            found += search.hits(text)
        if self._alone:
            found += self._lines(text)
        return sorted(found)

    def _lines(self, text: str) -> Iterator[Hit]:
        whole = [(0, text)] if "\n" in text else []
        start = 0
        for line in text.split("\n"):
            whole.append((start, line))
            start += len(line) + 1
        for start, line in whole:
            key = self._alone.get(compact_form(line)) if len(line) <= self._longest_line else None
            if key is not None:
                yield Hit(start, start + len(line), key)


class _Search:
    """One automaton over one form. Anywhere: leftmost-longest matches, so that every occurrence of every pattern loses
    at least a part. Tokens: all matches, since the edges refuse most of them."""

    def __init__(self, values: Sequence[Value], compact: bool, reach: Reach) -> None:
        self._form, self._table = (compact_form, _COMPACT) if compact else (words_form, _WORDS)
        self.patterns: dict[str, int] = {}
        for value in values:
            folded = self._form(value.surface)
            if folded:
                self.patterns.setdefault(folded, value.key)
        self._keys = list(self.patterns.values())
        self._anywhere = reach is Reach.ANYWHERE
        kind = MatchKind.LeftmostLongest if self._anywhere else MatchKind.Standard
        self._automaton = AhoCorasick(list(self.patterns), matchkind=kind)

    def hits(self, text: str) -> Iterator[Hit]:
        folded = self._form(text)
        origin: list[int] | None = None
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=not self._anywhere):
            if origin is None:
                origin = _origins(text, self._table)
            first, last = origin[start], _with_marks(text, origin[end - 1] + 1)
            if self._anywhere or (_opens(text, first) and _closes(text, last)):
                yield Hit(first, last, self._keys[pattern])


def _origins(text: str, table: CharacterTable) -> list[int]:
    """The index in `text` behind each character of its form."""
    origin: list[int] = []
    blank = True  # leading blanks are dropped, runs of them become one
    for index, character in enumerate(text):
        for folded in table[ord(character)]:
            if folded != " " or not blank:
                origin.append(index)
            blank = folded == " "
    return origin


def _opens(text: str, start: int) -> bool:
    """Whether a token may begin here: after a non-word character, or after one Arabic letter that hangs on words."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return text[start - 1] in _HANGING and (start == 1 or not text[start - 2].isalnum())


def _closes(text: str, end: int) -> bool:
    return end == len(text) or not text[end].isalnum()


def _with_marks(text: str, end: int) -> int:
    """Vowel marks and invisible characters that hang on the last letter belong to it."""
    while end < len(text) and not text[end].isspace() and not text[end].translate(_WORDS):
        end += 1
    return end
