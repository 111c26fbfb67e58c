"""Finds all other occurrences of known values, in every spelling that normalizes to the same form, in linear time.

Texts and values are compared in two forms (`detect.text.equivalence`). The *words* form keeps the words apart. The
*compact* form keeps letters and digits alone, so that grouping, hyphens and blanks make no difference. Escaped
characters, as in URLs, are decoded.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.text.equivalence import compact_form, compact_origins, is_attached_mark, words_form, words_origins
from pipeline.entities.escapes import decode_escapes

_CLITICS = frozenset("وفبلك")  # Arabic prepositions and conjunctions of one letter, attached to the next word


class MatchScope(Enum):
    """Where a match counts as an occurrence."""

    ANYWHERE = "inside longer strings too"
    WORD = "as a whole word or number"
    LINE = "as a whole text or a whole line"


class SearchValue(NamedTuple):
    """A surface to search for. `key` is returned with each hit. `compact`: the form. `signed`: a plus belongs to it."""

    key: int
    surface: str
    compact: bool
    scope: MatchScope
    signed: bool = False


class Hit(NamedTuple):
    """`text[start:end]` of the searched text is an occurrence of the value `key`."""

    start: int
    end: int
    key: int


class _Forms:
    """A text with its two forms and their offset mappings, each computed at first use."""

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


class OccurrenceFinder:
    """Searches any number of texts for a fixed set of values. Immutable.

    `overlapping`: a value is also found where it is inside another one, or begins there.
    """

    def __init__(self, values: Iterable[SearchValue], *, overlapping: bool = False) -> None:
        values = list(values)
        self._alone: dict[str, int] = {}
        for value in values:
            if value.scope is MatchScope.LINE:
                self._alone.setdefault(compact_form(value.surface), value.key)
        self._alone.pop("", None)
        self._longest_line = 4 * max(map(len, self._alone), default=0)
        searched = [value for value in values if value.scope is not MatchScope.LINE]
        self._searches = [
            _Search(patterns, compact, scope, overlapping)
            for compact in (False, True)
            for scope in (MatchScope.ANYWHERE, MatchScope.WORD)
            if (patterns := _patterns([v for v in searched if v.compact is compact and v.scope is scope], compact))
        ]

    def hits(self, text: str) -> list[Hit]:
        """Every occurrence by position. Hits may overlap."""
        found = set(self._plain_hits(text))
        meant = decode_escapes(text)
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
        """The line from its first letter or digit on, if it is one of the values and nothing else."""
        key = self._alone.get(forms.compact) if len(line) <= self._longest_line else None
        if key is not None:
            lead = next(index for index, character in enumerate(line) if character.isalnum())
            yield Hit(start + lead, start + len(line), key)


class _Search:
    """One automaton over one form of a text.

    For ANYWHERE it takes leftmost-longest matches, which cover at least a part of every occurrence of every pattern.
    For WORD it takes all matches, because the word boundaries reject most of them; with `overlapping` too.
    """

    def __init__(
        self, patterns: Mapping[str, SearchValue], compact: bool, scope: MatchScope, overlapping: bool
    ) -> None:
        self._is_compact = compact
        self._values = list(patterns.values())
        self._anywhere = scope is MatchScope.ANYWHERE
        self._overlapping = overlapping or not self._anywhere
        kind = MatchKind.Standard if self._overlapping else MatchKind.LeftmostLongest
        # The default implementation searches a little faster but takes four times longer to build.
        how = Implementation.ContiguousNFA
        self._automaton = AhoCorasick(list(patterns), matchkind=kind, implementation=how)

    def hits(self, forms: _Forms) -> Iterator[Hit]:
        text, folded = forms.text, forms.compact if self._is_compact else forms.words
        origin: list[int] | None = None
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=self._overlapping):
            if origin is None:
                origin = forms.compact_origins if self._is_compact else forms.words_origins
            first, last = origin[start], _with_marks(text, origin[end - 1] + 1)
            if self._anywhere or (_begins_token(text, first) and _ends_token(text, last)):
                value = self._values[pattern]
                yield Hit(_with_sign(text, first, last) if value.signed else first, last, value.key)


def _patterns(values: Iterable[SearchValue], compact: bool) -> dict[str, SearchValue]:
    """The values by what is searched for; of two that are spelled alike in this form, the first."""
    form = compact_form if compact else words_form
    patterns: dict[str, SearchValue] = {}
    for value in values:
        patterns.setdefault(form(value.surface), value)
    patterns.pop("", None)
    return patterns


def _begins_token(text: str, start: int) -> bool:
    """Whether a word may begin here: after a character that is no letter or digit, or after an Arabic clitic."""
    if start == 0 or not text[start - 1].isalnum():
        return True
    return text[start - 1] in _CLITICS and (start == 1 or not text[start - 2].isalnum())


def _ends_token(text: str, end: int) -> bool:
    return end == len(text) or not text[end].isalnum()


def _with_marks(text: str, end: int) -> int:
    """The end with the vowel marks and invisible characters that belong to the last letter."""
    while end < len(text) and is_attached_mark(text[end]):
        end += 1
    return end


def _with_sign(text: str, start: int, end: int) -> int:
    """The start of the telephone number with the digits `start:end`: at its plus, or at the bracket that it closes."""
    if start and text[start - 1] in "+\uff0b":
        start -= 1
    if start and text[start - 1] in "(\uff08" and any(closing in text[start:end] for closing in ")\uff09"):
        start -= 1
    return start
