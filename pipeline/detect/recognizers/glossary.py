"""The caller's glossary: every term found wherever it stands, by its match mode, case and locale, at rank 110."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

from pipeline.detect import characters
from pipeline.detect.normalize import NormalizedText, normalize
from pipeline.detect.recognizer import Recognizer, Rule
from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import DetectOptions, MatchMode, Span, Term

_COMPILED_SETS = 32  # glossaries in use at once, per process
_CLITICS = frozenset(
    first + article
    for first in ("", "و", "ف", "ب", "ل", "ك", "س", "وس", "فس", "وب", "ول", "وك", "فب", "فل")
    for article in ("", "ال")
) | {"لل", "ولل", "فلل"}
_LONGEST_CLITIC = 4
_ARABIC = re.compile(r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class _Compiled(NamedTuple):
    automaton: AhoCorasick
    terms: list[list[Term]]  # by pattern


@lru_cache(maxsize=_COMPILED_SETS)
def _compile(terms: tuple[Term, ...]) -> _Compiled | None:
    patterns: dict[str, list[Term]] = defaultdict(list)
    for term in terms:
        key = _key(normalize(term.term).text)
        if key.strip():
            patterns[key].append(term)
    if not patterns:
        return None
    automaton = AhoCorasick(list(patterns), matchkind=MatchKind.Standard, implementation=Implementation.ContiguousNFA)
    return _Compiled(automaton, list(patterns.values()))


def _key(text: str) -> str:
    """Lower case, one character for one: offsets stay (İ and the like keep their capital)."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _glossary(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    compiled = _compile(options.terms) if options.terms else None
    if compiled is None:
        return
    for pattern, start, end in compiled.automaton.find_matches_as_indexes(_key(text.text), overlapping=True):
        for term in compiled.terms[pattern]:
            if _holds(text, term, start, end):
                yield Span(start, end, term.type, 1.0, "glossary", GLOSSARY_RANK)
                break


def _holds(text: NormalizedText, term: Term, start: int, end: int) -> bool:
    """Whether this occurrence obeys the term's case, mode and locale."""
    surface = text.text[start:end]
    if (term.case_sensitive or term.match_mode is MatchMode.EXACT) and not _same_letters(
        text, term, start, end, surface
    ):
        return False
    if term.match_mode is not MatchMode.SUBSTRING:
        if end < len(text.text) and _is_word(text.text[end]) and _is_word(surface[-1]):
            return False
        if start and _is_word(text.text[start - 1]) and _is_word(surface[0]):
            attached = term.match_mode is MatchMode.WORD_BOUNDARY and _has_only_clitics(text.text, start)
            if not attached:
                return False
    return term.locale is None or term.locale.lower()[:2] == _language(text.text, start, end)


def _same_letters(text: NormalizedText, term: Term, start: int, end: int, surface: str) -> bool:
    if term.match_mode is MatchMode.EXACT:
        first, last = text.original_span(start, end)
        written = _visible(text.original[first:last])
        wanted = _visible(term.term)
        return written == wanted if term.case_sensitive else written.casefold() == wanted.casefold()
    return surface == normalize(term.term).text


def _visible(text: str) -> str:
    return "".join(c for c in text if c not in characters.INVISIBLE)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _has_only_clitics(text: str, start: int) -> bool:
    """Whether what is attached before the term is no more than an Arabic particle or article."""
    first = start
    while first > 0 and start - first <= _LONGEST_CLITIC and _is_word(text[first - 1]):
        first -= 1
    return text[first:start] in _CLITICS


def _language(text: str, start: int, end: int) -> str:
    """The language of most letters of the line around the match, or of the match when nothing else is there."""
    left, right = text.rfind("\n", max(0, start - 2000), start) + 1, text.find("\n", end, end + 2000)
    first = left or max(0, start - 2000)
    around = text[first:start] + " " + text[end : right if right >= 0 else end + 2000]
    for part in (around, text[start:end]):
        arabic, latin = len(_ARABIC.findall(part)), len(_LATIN.findall(part))
        if arabic or latin:
            return "ar" if arabic > latin else "en"
    return ""


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("glossary", frozenset({EntityType.CUSTOM_TERM}), _glossary),)
