"""Finds glossary terms in a text: with one automaton per set of terms, then by the rules of each term.

A set is compiled once and cached as long as it is in use.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.glossary.folding import Folded, longest_source
from pipeline.detect.glossary.forms import TermContext, TermForm, forms_of
from pipeline.detect.text.equivalence import canonical
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import EntityType
from schemas.errors import Unprocessable
from schemas.spans import Action, MatchMode, Term, TermSet

_HEAD = 24  # characters of a term that the automaton holds: it stays small, and few terms contain another
_CHUNK = 8192  # characters searched at once
# How many candidates are checked: per character of the text, and at least. That is many times what real terms need, and
# far less than a list of `a`, `aa`, `aaa`, … would cause.
_CHECKS_PER_CHARACTER, _CHECKS_AT_LEAST = 3, 20_000


class TooManyOccurrences(Unprocessable):
    """Overlapping terms match so often in this text that to check each match would take minutes."""

    def __init__(self) -> None:
        super().__init__("glossary_too_dense", ("body", "glossary"), "The terms overlap too often in this text")


class Occurrence(NamedTuple):
    """`text[start:end]` (normalized) is `term`, by its own rules."""

    start: int
    end: int
    term: Term


class Matcher:
    """A fixed list of terms, compiled for search. Immutable, safe from many threads."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.forms: dict[str, list[TermForm]] = {}  # by folded form, in the order of the terms
        for term in dict.fromkeys(terms):
            for form in forms_of(term):
                self.forms.setdefault(form.folded, []).append(form)
        self.margin = max(map(longest_source, self.forms), default=0)  # characters that a form may take up in a text

    @cached_property
    def _search(self) -> tuple[AhoCorasick, list[list[int]]]:
        """The automaton of the heads of all forms, and for each head the lengths of its forms, longest first."""
        heads: dict[str, set[int]] = {}
        for form in self.forms:
            heads.setdefault(form[:_HEAD], set()).add(len(form))
        automaton = AhoCorasick(list(heads), matchkind=MatchKind.Standard, implementation=Implementation.ContiguousNFA)
        return automaton, [sorted(lengths, reverse=True) for lengths in heads.values()]

    def codes(self, type_: EntityType) -> dict[str, list[TermForm]]:
        """The forms of the terms by their canonical value as this type of identifier, without grouping separators."""
        return self._phones if type_ is EntityType.PHONE_NUMBER else self._identifiers

    @cached_property
    def _phones(self) -> dict[str, list[TermForm]]:
        return self._codes(EntityType.PHONE_NUMBER)

    @cached_property
    def _identifiers(self) -> dict[str, list[TermForm]]:
        return self._codes(EntityType.NATIONAL_ID)

    def _codes(self, type_: EntityType) -> dict[str, list[TermForm]]:
        codes: dict[str, list[TermForm]] = {}
        for form in (form for forms in self.forms.values() for form in forms):
            if form.term.match_mode is not MatchMode.EXACT and not form.term.case_sensitive and not form.after_lam:
                codes.setdefault(canonical(type_, form.term.term), []).append(form)
        return codes

    def candidates(self, text: str) -> Iterator[tuple[int, int, list[TermForm]]]:
        """The offsets of candidates in a folded text with their forms; no forms where only a head matches."""
        automaton, lengths = self._search
        for head, start, _ in automaton.find_matches_as_indexes(text, overlapping=True):
            for length in lengths[head]:
                yield start, start + length, self.forms.get(text[start : start + length], [])


def occurrences(text: NormalizedText, matchers: Sequence[Matcher]) -> Iterator[Occurrence]:
    """Every occurrence of every term of all matchers. Of terms of one matcher with the same form the first applies.

    The text is folded once, in chunks; in each chunk the matchers run in order. Raises TooManyOccurrences.
    """
    matchers = [matcher for matcher in matchers if matcher.forms]
    if not matchers:
        return
    margin = max(matcher.margin for matcher in matchers)
    context = TermContext(text)
    checks = _CHECKS_AT_LEAST + _CHECKS_PER_CHARACTER * len(text.text)
    for begin in range(0, len(text.text), _CHUNK):
        chunk = _Chunk(begin, Folded(text.text[begin : begin + _CHUNK + margin]))
        for matcher in matchers:
            for start, end, forms in matcher.candidates(chunk.folded.text):
                checks -= 1 + len(forms)
                if checks < 0:
                    raise TooManyOccurrences
                found = _first(forms, context, chunk, start, end) if forms else None
                if found is not None:
                    yield found


class _Chunk(NamedTuple):
    """A part of a text that begins at `begin`. Chunks overlap."""

    begin: int
    folded: Folded


def _first(forms: list[TermForm], context: TermContext, chunk: _Chunk, start: int, end: int) -> Occurrence | None:
    """The first of `ways` that `start:end` of the folded chunk is by its term's rules."""
    source = chunk.folded.source(start, end)
    if source is None or source[0] >= _CHUNK:
        return None  # it begins in the next chunk and is found there
    following = chunk.folded.text[end : end + 1]
    if following and unicodedata.combining(following):
        return None  # e is not é
    first, last = chunk.begin + source[0], chunk.begin + source[1]
    for form in forms:
        if context.matches_case(form, first, last) and context.matches_context(form, first, last):
            return Occurrence(first, last, form.term)
    return None


@dataclass(frozen=True, slots=True)
class Compiled:
    """The terms of a set by their action."""

    masks: Matcher
    allows: Matcher


_compiled: WeakKeyDictionary[TermSet, Compiled] = WeakKeyDictionary()
_compiling = Lock()


def compiled(terms: TermSet) -> Compiled:
    """The compiled set, from the cache if it was compiled before."""
    known = _compiled.get(terms)
    if known is None:
        with _compiling:  # only one thread compiles
            known = _compiled.get(terms)
            if known is None:
                known = _compiled[terms] = Compiled(_matcher(terms, Action.MASK), _matcher(terms, Action.ALLOW))
    return known


def _matcher(terms: TermSet, action: Action) -> Matcher:
    return Matcher(tuple(term for term in terms.terms if term.action is action))
