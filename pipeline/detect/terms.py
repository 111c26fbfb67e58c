"""Finds glossary terms in a text: one automaton per set of terms, then each term's own rules.

A set is compiled once and remembered for as long as somebody holds it.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.canonical import canonical
from pipeline.detect.fold import Folded, widest
from pipeline.detect.normalize import NormalizedText
from pipeline.detect.term_rules import Surroundings, Way, ways_of
from schemas.entities import EntityType
from schemas.errors import Unprocessable
from schemas.spans import Action, MatchMode, Term, TermSet

_HEAD = 24  # characters of a term that the automaton knows: it stays small, and terms inside terms are few
_CHUNK = 8192  # characters searched at once
# Occurrences that are looked at closely, per character of text and besides: many times what real terms need, and far
# less than what a list of `a`, `aa`, `aaa`, ... asks for.
_LOOKS_PER_CHARACTER, _LOOKS_BESIDES = 3, 20_000


class TooManyOccurrences(Unprocessable):
    """Terms inside terms match so often in this text that looking at each place would take minutes."""

    def __init__(self) -> None:
        super().__init__("glossary_too_dense", ("body", "glossary"), "The terms overlap too often in this text")


class Occurrence(NamedTuple):
    """`text[start:end]` (normalized) is `term`, by its own rules."""

    start: int
    end: int
    term: Term


class Matcher:
    """A fixed list of terms, ready to be searched for. Immutable, safe from many threads."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.ways: dict[str, list[Way]] = {}  # by folded form, in the order of the terms
        for term in dict.fromkeys(terms):
            for way in ways_of(term):
                self.ways.setdefault(way.folded, []).append(way)
        self.margin = max(map(widest, self.ways), default=0)  # characters that a form may take up in a text

    @cached_property
    def _search(self) -> tuple[AhoCorasick, list[list[int]]]:
        """The automaton of the forms' heads, and the lengths of the forms behind each head, longest first."""
        heads: dict[str, set[int]] = {}
        for form in self.ways:
            heads.setdefault(form[:_HEAD], set()).add(len(form))
        automaton = AhoCorasick(list(heads), matchkind=MatchKind.Standard, implementation=Implementation.ContiguousNFA)
        return automaton, [sorted(lengths, reverse=True) for lengths in heads.values()]

    def codes(self, type_: EntityType) -> dict[str, list[Way]]:
        """The terms as values of an identifier's type are compared: without the separators that only group."""
        return self._phones if type_ is EntityType.PHONE_NUMBER else self._identifiers

    @cached_property
    def _phones(self) -> dict[str, list[Way]]:
        return self._codes(EntityType.PHONE_NUMBER)

    @cached_property
    def _identifiers(self) -> dict[str, list[Way]]:
        return self._codes(EntityType.NATIONAL_ID)

    def _codes(self, type_: EntityType) -> dict[str, list[Way]]:
        codes: dict[str, list[Way]] = {}
        for way in (way for ways in self.ways.values() for way in ways):
            if way.term.match_mode is not MatchMode.EXACT and not way.term.case_sensitive and not way.after_lam:
                codes.setdefault(canonical(type_, way.term.term), []).append(way)
        return codes

    def candidates(self, text: str) -> Iterator[tuple[int, int, list[Way]]]:
        """Where a form stands in a folded text, and whose it is; the list is empty where only a head stands there."""
        automaton, lengths = self._search
        for head, start, _ in automaton.find_matches_as_indexes(text, overlapping=True):
            for length in lengths[head]:
                yield start, start + length, self.ways.get(text[start : start + length], [])


def occurrences(text: NormalizedText, matchers: Sequence[Matcher]) -> Iterator[Occurrence]:
    """Every place of every term of all matchers; of a matcher's terms with the same form the first that holds there.

    The text is folded once, chunk by chunk; in each the matchers come in their order. TooManyOccurrences.
    """
    matchers = [matcher for matcher in matchers if matcher.ways]
    if not matchers:
        return
    margin = max(matcher.margin for matcher in matchers)
    around = Surroundings(text)
    looks = _LOOKS_BESIDES + _LOOKS_PER_CHARACTER * len(text.text)
    for begin in range(0, len(text.text), _CHUNK):
        chunk = _Chunk(begin, Folded(text.text[begin : begin + _CHUNK + margin]))
        for matcher in matchers:
            for start, end, ways in matcher.candidates(chunk.folded.text):
                looks -= 1 + len(ways)
                if looks < 0:
                    raise TooManyOccurrences
                found = _first(ways, around, chunk, start, end) if ways else None
                if found is not None:
                    yield found


class _Chunk(NamedTuple):
    """A stretch of a text, which begins there at `begin`; chunks overlap."""

    begin: int
    folded: Folded


def _first(ways: list[Way], around: Surroundings, chunk: _Chunk, start: int, end: int) -> Occurrence | None:
    """The first of `ways` that `start:end` of the folded chunk is by its term's rules."""
    source = chunk.folded.source(start, end)
    if source is None or source[0] >= _CHUNK:
        return None  # what begins in the next chunk is found there
    following = chunk.folded.text[end : end + 1]
    if following and unicodedata.combining(following):
        return None  # e is not é
    first, last = chunk.begin + source[0], chunk.begin + source[1]
    for way in ways:
        if around.has_case(way, first, last) and around.has_place(way, first, last):
            return Occurrence(first, last, way.term)
    return None


@dataclass(frozen=True, slots=True)
class Compiled:
    """A set's terms by what they ask for."""

    masks: Matcher
    allows: Matcher


_compiled: WeakKeyDictionary[TermSet, Compiled] = WeakKeyDictionary()
_compiling = Lock()


def compiled(terms: TermSet) -> Compiled:
    """The set made ready: now, or long ago."""
    known = _compiled.get(terms)
    if known is None:
        with _compiling:  # two at once would do the same work
            known = _compiled.get(terms)
            if known is None:
                known = _compiled[terms] = Compiled(_matcher(terms, Action.MASK), _matcher(terms, Action.ALLOW))
    return known


def _matcher(terms: TermSet, action: Action) -> Matcher:
    return Matcher(tuple(term for term in terms.terms if term.action is action))
