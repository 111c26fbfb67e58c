"""Finds every other occurrence of values already found, in any spelling that normalizes alike, in linear time.

Texts and values are compared in two forms. *Words* keeps words apart (names, addresses, e-mail addresses): case, vowel
marks, invisible characters and the kind of blank or hyphen do not matter. *Compact* keeps letters and digits alone
(identifiers): groups, however they are separated, do not matter either.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from pipeline.detect.normalize import normalize

_ALIKE = str.maketrans("أإآٱىة", "ااااي" + "ه")  # letters that careless spelling exchanges
_CLITICS = frozenset("وفبلك")


class Value(NamedTuple):
    """What to look for. `key` comes back with each hit; `anywhere`: also inside longer strings, else whole tokens."""

    key: int
    surface: str
    compact: bool
    anywhere: bool


class Hit(NamedTuple):
    """`text[start:end]`, in offsets of the text that was searched, is an occurrence of the value `key`."""

    start: int
    end: int
    key: int


class _Table(dict[int, str]):
    """What `str.translate` makes of each character; filled as characters are met."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded


def _words_of(character: str) -> str:
    plain = normalize(character).text.casefold().translate(_ALIKE)
    if (not plain.strip() and plain) or plain in "-_":
        return " " if plain else ""
    return "" if plain == "'" else plain


def _compact_of(character: str) -> str:
    plain = normalize(character).text.casefold().translate(_ALIKE)
    return "".join(c for c in plain if c.isalnum())


_WORDS, _COMPACT = _Table(_words_of), _Table(_compact_of)


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
        self._searches = tuple(
            _Search([v for v in values if v.compact is compact and v.anywhere is anywhere], compact, anywhere)
            for compact in (False, True)
            for anywhere in (True, False)
        )

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence, in order of position; hits may overlap each other."""
        found: list[Hit] = []
        for compact, form in ((False, words_form), (True, compact_form)):
            searches = [s for s in self._searches if s.compact is compact and s.patterns]
            if searches and text:
                folded = form(text)
                for search in searches:
                    found += search.hits(text, folded)
        return sorted(found)


class _Search:
    """One automaton over one form. `anywhere` searches take leftmost-longest matches: every occurrence of every
    pattern then loses at least a part. Token searches look at all matches, since the edges refuse most of them."""

    def __init__(self, values: Sequence[Value], compact: bool, anywhere: bool) -> None:
        self.compact = compact
        self.patterns: dict[str, int] = {}
        form = compact_form if compact else words_form
        for value in values:
            folded = form(value.surface)
            if folded:
                self.patterns.setdefault(folded, value.key)
        self._keys = list(self.patterns.values())
        self._anywhere = anywhere
        kind = MatchKind.LeftmostLongest if anywhere else MatchKind.Standard
        self._automaton = AhoCorasick(list(self.patterns), matchkind=kind) if self.patterns else None

    def hits(self, text: str, folded: str) -> Iterable[Hit]:
        if self._automaton is None:
            return
        matches = self._automaton.find_matches_as_indexes(folded, overlapping=not self._anywhere)
        origin: list[int] | None = None
        for pattern, start, end in matches:
            if origin is None:
                origin = _origins(text, self.compact)
            first, last = origin[start], origin[end - 1] + 1
            if self._anywhere or (_opens(text, first) and _closes(text, last)):
                yield Hit(first, _with_marks(text, last), self._keys[pattern])


def _origins(text: str, compact: bool) -> list[int]:
    """The index in `text` behind each character of its form."""
    table = _COMPACT if compact else _WORDS
    origin: list[int] = []
    blank = True  # leading blanks are dropped, runs of them become one
    for index, character in enumerate(text):
        for folded in table[ord(character)]:
            if not compact and folded.isspace():
                if not blank:
                    origin.append(index)
                blank = True
            else:
                origin.append(index)
                blank = False
    return origin


def _opens(text: str, start: int) -> bool:
    """Whether a token may begin here: after a non-word character, or after one Arabic letter that hangs on words."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return text[start - 1] in _CLITICS and (start == 1 or not text[start - 2].isalnum())


def _closes(text: str, end: int) -> bool:
    return end == len(text) or not text[end].isalnum()


def _with_marks(text: str, end: int) -> int:
    """Vowel marks and invisible characters that hang on the last letter belong to it."""
    while end < len(text) and not text[end].isspace() and not text[end].translate(_WORDS):
        end += 1
    return end
