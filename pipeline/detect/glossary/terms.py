"""Finds glossary terms in a text: with one automaton per set of terms, then by the rules of each term.

A set is compiled once and cached as long as it is in use. Terms and texts are compared in a folded form: full case
folding of Unicode (ß is ss, every sigma is σ) over canonical decompositions (é in one character or two), and one blank
for several. i with a dot, i without one, and their capitals are one letter, because the language of a line is unknown.
Arabic letters are as the normalization of detection left them.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect.text import characters
from pipeline.detect.text.characters import CharacterTable
from pipeline.detect.text.equivalence import canonical
from pipeline.detect.text.normalize import NormalizedText, lazy, normalize
from schemas.entities import EntityType
from schemas.errors import Unprocessable
from schemas.spans import Action, MatchMode, Term, TermSet

# Texts of only these characters keep their length: ASCII, Arabic, and signs that are the same in every form.
_SIMPLE = (
    r"\x00-\x7f\xa1-\xa7\xa9-\xae\xb0-\xb3\xb6\xb7\xb9\xbb\xbf\u0600-\u06ff\u2010-\u2016\u2018-\u2023\u20a0-\u20a8"
)
_IS_COMPLEX = re.compile(f"[^{_SIMPLE}]")
# Layout between two words: blanks with at most one line end, and few enough to fit into the margin of a chunk.
_BLANKS = re.compile(r"[^\S\n]{0,8}\n[^\S\n]{0,8}|[^\S\n]{1,8}")
_HAS_RUN = re.compile(r"[^\S\n]{2}|[^\S\n]\n|\n[^\S\n]|[^\S \n\t\r]")
_WIDEST_BLANK = 17
_DOTTED_I = "i\u0307"


class Folded:
    """The folded form of a text, `text`, and its offset mapping, computed at first use."""

    def __init__(self, source: str) -> None:
        self.text = folded(source)
        self._source = source

    @lazy
    def _origin(self) -> list[int] | None:
        """The index in the source of each folded character and of the end; None if all are the same."""
        if _IS_COMPLEX.search(self._source) is None and _HAS_RUN.search(self._source) is None:
            return None
        return _origins(self._source)

    def source(self, start: int, end: int) -> tuple[int, int] | None:
        """`text[start:end]` (not empty) as offsets of the source; None if it begins or ends inside a character."""
        origin = self._origin
        if origin is None:
            return start, end
        first, last = origin[start], origin[end]
        if (start and origin[start - 1] == first) or origin[end - 1] == last:
            return None
        return first, last


def _decomposed(character: str) -> str:
    return character if "\u0600" <= character <= "\u06ff" else unicodedata.normalize("NFD", character)


def _caseless(character: str) -> str:
    if character in "\u0130\u0131":  # İ ı
        return "i"
    return _decomposed(_decomposed(character).casefold())


_CASELESS, _CASED = CharacterTable(_caseless), CharacterTable(_decomposed)


def folded(text: str) -> str:
    """The folded form of a text (already normalized for detection)."""
    if _IS_COMPLEX.search(text) is None:
        return _one_blank(text.lower())
    return _one_blank(text.translate(_CASELESS)).replace(_DOTTED_I, "i")


def cased(text: str) -> str:
    """The folded form with upper and lower case kept apart."""
    return _one_blank(text if _IS_COMPLEX.search(text) is None else text.translate(_CASED))


def longest_source(form: str) -> int:
    """The most characters of a text that may fold to this form: up to 17 for a blank, two for an i with its dot."""
    return 2 * len(form) + _WIDEST_BLANK * form.count(" ")


def _one_blank(text: str) -> str:
    if _HAS_RUN.search(text) is None:
        return text.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    return _BLANKS.sub(" ", text)


def _origins(text: str) -> list[int]:
    """The index in `text` of each character of its folded form, by the same steps as `folded`."""
    origin: list[int] = []
    last = ""
    blanks = {match.start(): match.end() for match in _BLANKS.finditer(text)}
    index = 0
    while index < len(text):
        if index in blanks:
            origin.append(index)
            index, last = blanks[index], " "
            continue
        for letter in _CASELESS[ord(text[index])]:
            if last != "i" or letter != "\u0307":
                origin.append(index)
            last = "" if letter == "\u0307" and last == "i" else letter
        index += 1
    origin.append(len(text))
    return origin


_ARTICLE = "ال"
_CLITICS = frozenset(
    first + article
    for first in ("", "و", "ف", "ب", "ل", "ك", "س", "وس", "فس", "وب", "ول", "وك", "فب", "فل")
    for article in ("", _ARTICLE)
) | {"لل", "ولل", "فلل"}
_WITH_LAM = frozenset({"ل", "ول", "فل"})
_LONGEST_CLITIC = 4
_ARABIC = re.compile(r"[\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")


class TermForm(NamedTuple):
    """A form in which a text can contain a term: folded, and folded with upper and lower case apart (`cased`).

    `after_lam`: the form after a ل, where the article loses its alef (`المشروع`, `للمشروع`).
    """

    folded: str
    cased: str
    term: Term
    after_lam: bool = False


def forms_of(term: Term) -> list[TermForm]:
    """The forms of a term; none if normalization deletes all its characters."""
    text = normalize(term.term).text.strip()
    if not text:
        return []
    forms = [TermForm(folded(text), cased(text), term)]
    if term.match_mode is MatchMode.WORD_BOUNDARY and text.startswith(_ARTICLE) and len(text) > len(_ARTICLE) + 1:
        forms.append(TermForm(folded(text[1:]), cased(text[1:]), term, after_lam=True))
        if text[2] == "ل":  # never three in a row: اللغة, للغة
            forms.append(TermForm(folded(text[2:]), cased(text[2:]), term, after_lam=True))
    return forms


class TermContext:
    """Checks the rules of terms at places of one text. Caches the letter counts of the last line."""

    def __init__(self, text: NormalizedText) -> None:
        self._text = text
        self._first, self._last, self._balance = 0, -1, 0

    def matches_case(self, form: TermForm, start: int, end: int) -> bool:
        """Whether `text[start:end]` (normalized), which folds to this form, has the case and spelling of its term."""
        term = form.term
        if term.match_mode is MatchMode.EXACT:
            first, last = self._text.original_span(start, end)
            written, wanted = _visible(self._text.original[first:last]), _visible(term.term).strip()
            return cased(written) == cased(wanted) if term.case_sensitive else folded(written) == folded(wanted)
        return not term.case_sensitive or cased(self._text.text[start:end]) == form.cased

    def matches_context(self, form: TermForm, start: int, end: int) -> bool:
        """Whether the word boundaries and the language of the line at `text[start:end]` (normalized) suit the term."""
        if not self._has_boundaries(form, start, end):
            return False
        return form.term.locale is None or form.term.locale == self._language(start, end)

    def _has_boundaries(self, form: TermForm, start: int, end: int) -> bool:
        text, mode = self._text.text, form.term.match_mode
        if mode is MatchMode.SUBSTRING:
            return True
        if end < len(text) and _is_word(text[end]) and _is_word(text[end - 1]):
            return False
        attached = _attached(text, start) if _is_word(text[start]) else ""
        if form.after_lam:
            return attached in _WITH_LAM
        return attached == "" or (mode is MatchMode.WORD_BOUNDARY and attached in _CLITICS)

    def _language(self, start: int, end: int) -> str:
        """The language of most letters of the rest of the line; if there are none, of the text itself."""
        own = _balance(self._text.text[start:end])
        context = self._balance_of_line(start, end) - own
        return "ar" if (context or own) > 0 else "en" if (context or own) < 0 else ""

    def _balance_of_line(self, start: int, end: int) -> int:
        if not self._first <= start <= end <= self._last:
            text = self._text.text
            self._first = text.rfind("\n", 0, start) + 1
            self._last = text.find("\n", end)
            if self._last < 0:
                self._last = len(text)
            self._balance = _balance(text[self._first : self._last])
        return self._balance


def _balance(text: str) -> int:
    """The number of Arabic letters minus that of Latin letters."""
    return len(_ARABIC.findall(text)) - len(_LATIN.findall(text))


def _visible(text: str) -> str:
    return "".join(c for c in text if c not in characters.INVISIBLE)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _attached(text: str, start: int) -> str:
    """The letters of the same word before `start`, at most one more than the longest clitic has."""
    first = start
    while first > 0 and start - first <= _LONGEST_CLITIC and _is_word(text[first - 1]):
        first -= 1
    return text[first:start]


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
