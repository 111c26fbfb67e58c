"""Finds every other occurrence of values already found, in any spelling that normalizes alike, in linear time.

Texts and values are compared in two forms (pipeline.detect.spellings). *Words* keeps words apart and nothing else.
*Compact* keeps letters and digits alone, so that groups, hyphens and lost or invented blanks do not matter. Characters
that a text spells otherwise, as addresses of the web do, are read as what they mean.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.spellings import compact_form, compact_origins, hangs, words_form, words_origins
from pipeline.encoded import decoded

_HANGING = frozenset("وفبلك")  # Arabic prepositions and conjunctions, written onto the next word


class Reach(Enum):
    """Where an occurrence counts."""

    ANYWHERE = "inside longer strings too"
    WHOLE = "as a token of its own"
    ALONE = "where a text, or a line of it, says nothing else"


class Value(NamedTuple):
    """What to look for; `key` comes back with each hit. `compact`: in which form. `signed`: a plus belongs to it."""

    key: int
    surface: str
    compact: bool
    reach: Reach
    signed: bool = False


class Hit(NamedTuple):
    """`text[start:end]`, in offsets of the text that was searched, is an occurrence of the value `key`."""

    start: int
    end: int
    key: int


class _Forms:
    """A text, its two forms and the origins of their characters, each made when first needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> str:
        return words_form(self.text)

    @cached_property
    def compact(self) -> str:
        return compact_form(self.text)

    @cached_property
    def words_origins(self) -> list[int]:
        return words_origins(self.text)

    @cached_property
    def compact_origins(self) -> list[int]:
        return compact_origins(self.text)


class Spreader:
    """Looks for a fixed set of values in any number of texts. Immutable.

    `every`: a value is told also where it lies inside another one, or begins there.
    """

    def __init__(self, values: Iterable[Value], *, every: bool = False) -> None:
        values = list(values)
        self._alone: dict[str, int] = {}
        for value in values:
            if value.reach is Reach.ALONE:
                self._alone.setdefault(compact_form(value.surface), value.key)
        self._alone.pop("", None)
        self._longest_line = 4 * max(map(len, self._alone), default=0)
        searches = (
            _Search([v for v in values if v.compact is compact and v.reach is reach], compact, reach, every)
            for compact in (False, True)
            for reach in (Reach.ANYWHERE, Reach.WHOLE)
        )
        self._searches = [search for search in searches if search.patterns]

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence, in order of position; hits may overlap each other."""
        found = set(self._plain_hits(text))
        meant = decoded(text)
        if meant is not None:
            found.update(
                Hit(meant.starts[start], meant.ends[end - 1], key) for start, end, key in self._plain_hits(meant.text)
            )
        return sorted(found)

    def _plain_hits(self, text: str) -> Iterator[Hit]:
        forms = _Forms(text)
        for search in self._searches:
            yield from search.hits(forms)
        if self._alone:
            yield from self._lines(forms)

    def _lines(self, forms: _Forms) -> Iterator[Hit]:
        text = forms.text
        yield from self._line(text, 0, forms)
        if "\n" not in text:
            return
        start = 0
        for line in text.split("\n"):
            yield from self._line(line, start, _Forms(line))
            start += len(line) + 1

    def _line(self, line: str, start: int, forms: _Forms) -> Iterator[Hit]:
        """The line without the marks before its first letter, if it says one of the values and nothing else."""
        key = self._alone.get(forms.compact) if len(line) <= self._longest_line else None
        if key is not None:
            lead = next(index for index, character in enumerate(line) if character.isalnum())
            yield Hit(start + lead, start + len(line), key)


class _Search:
    """One automaton over one form. Anywhere: leftmost-longest matches, so that every occurrence of every pattern loses
    at least a part. Tokens: all matches, since the edges refuse most of them; and wherever `every` one is asked for."""

    def __init__(self, values: Sequence[Value], compact: bool, reach: Reach, every: bool) -> None:
        self._is_compact = compact
        form = compact_form if compact else words_form
        self.patterns: dict[str, Value] = {}
        for value in values:
            folded = form(value.surface)
            if folded:
                self.patterns.setdefault(folded, value)
        self._values = list(self.patterns.values())
        self._anywhere = reach is Reach.ANYWHERE
        self._overlapping = every or not self._anywhere
        kind = MatchKind.Standard if self._overlapping else MatchKind.LeftmostLongest
        # Left to itself, the library takes the kind that is searched a little faster and made four times more slowly.
        how = Implementation.ContiguousNFA
        self._automaton = AhoCorasick(list(self.patterns), matchkind=kind, implementation=how)

    def hits(self, forms: _Forms) -> Iterator[Hit]:
        text, folded = forms.text, forms.compact if self._is_compact else forms.words
        origin: list[int] | None = None
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=self._overlapping):
            if origin is None:
                origin = forms.compact_origins if self._is_compact else forms.words_origins
            first, last = origin[start], _with_marks(text, origin[end - 1] + 1)
            if self._anywhere or (_opens(text, first) and _closes(text, last)):
                value = self._values[pattern]
                yield Hit(_with_sign(text, first, last) if value.signed else first, last, value.key)


def _opens(text: str, start: int) -> bool:
    """Whether a token may begin here: after a non-word character, or after one Arabic letter that hangs on words."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return text[start - 1] in _HANGING and (start == 1 or not text[start - 2].isalnum())


def _closes(text: str, end: int) -> bool:
    return end == len(text) or not text[end].isalnum()


def _with_marks(text: str, end: int) -> int:
    """Vowel marks and invisible characters that hang on the last letter belong to it."""
    while end < len(text) and hangs(text[end]):
        end += 1
    return end


def _with_sign(text: str, start: int, end: int) -> int:
    """Where a telephone number begins whose digits stand at `start:end`: its plus, and the bracket that it closes."""
    if start and text[start - 1] in "+\uff0b":
        start -= 1
    if start and text[start - 1] in "(\uff08" and any(closing in text[start:end] for closing in ")\uff09"):
        start -= 1
    return start
