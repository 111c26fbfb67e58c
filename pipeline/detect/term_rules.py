"""What a term asks of a place besides its letters: case, what stands attached to it, and the language of its line."""

import re
from typing import NamedTuple

from pipeline.detect import characters
from pipeline.detect.fold import cased, folded
from pipeline.detect.normalize import NormalizedText, normalize
from schemas.spans import MatchMode, Term

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


class Way(NamedTuple):
    """One way in which a term can stand in a text: its folded form, its form with upper and lower case apart.

    `after_lam`: behind a ل, before which the article loses its alef (`المشروع`, `للمشروع`).
    """

    folded: str
    cased: str
    term: Term
    after_lam: bool = False


def ways_of(term: Term) -> list[Way]:
    """The forms to look for; none for a term of which detection's normalization leaves nothing."""
    text = normalize(term.term).text.strip()
    if not text:
        return []
    ways = [Way(folded(text), cased(text), term)]
    if term.match_mode is MatchMode.WORD_BOUNDARY and text.startswith(_ARTICLE) and len(text) > len(_ARTICLE) + 1:
        ways.append(Way(folded(text[1:]), cased(text[1:]), term, after_lam=True))
        if text[2] == "ل":  # three of them are never written: اللغة, للغة
            ways.append(Way(folded(text[2:]), cased(text[2:]), term, after_lam=True))
    return ways


class Surroundings:
    """A text in which rules are asked about many places; remembers the line that it looked at last."""

    def __init__(self, text: NormalizedText) -> None:
        self._text = text
        self._first, self._last, self._balance = 0, -1, 0

    def has_case(self, way: Way, start: int, end: int) -> bool:
        """Whether `text[start:end]` (normalized), which folds to the way's form, is written as its term asks."""
        term = way.term
        if term.match_mode is MatchMode.EXACT:
            first, last = self._text.original_span(start, end)
            written, wanted = _visible(self._text.original[first:last]), _visible(term.term).strip()
            return cased(written) == cased(wanted) if term.case_sensitive else folded(written) == folded(wanted)
        return not term.case_sensitive or cased(self._text.text[start:end]) == way.cased

    def has_place(self, way: Way, start: int, end: int) -> bool:
        """Whether `text[start:end]` (normalized) stands where its term counts: its edges, and its line's language."""
        if not self._has_edges(way, start, end):
            return False
        return way.term.locale is None or way.term.locale == self._language(start, end)

    def _has_edges(self, way: Way, start: int, end: int) -> bool:
        text, mode = self._text.text, way.term.match_mode
        if mode is MatchMode.SUBSTRING:
            return True
        if end < len(text) and _is_word(text[end]) and _is_word(text[end - 1]):
            return False
        attached = _attached(text, start) if _is_word(text[start]) else ""
        if way.after_lam:
            return attached in _WITH_LAM
        return attached == "" or (mode is MatchMode.WORD_BOUNDARY and attached in _CLITICS)

    def _language(self, start: int, end: int) -> str:
        """The language of most letters of the line around; of the place itself where the line does not tell."""
        own = _balance(self._text.text[start:end])
        around = self._balance_of_line(start, end) - own
        return "ar" if (around or own) > 0 else "en" if (around or own) < 0 else ""

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
    """Arabic letters less Latin ones."""
    return len(_ARABIC.findall(text)) - len(_LATIN.findall(text))


def _visible(text: str) -> str:
    return "".join(c for c in text if c not in characters.INVISIBLE)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _attached(text: str, start: int) -> str:
    """What of a word stands before `start`: no more of it than the longest clitic, and one letter besides."""
    first = start
    while first > 0 and start - first <= _LONGEST_CLITIC and _is_word(text[first - 1]):
        first -= 1
    return text[first:start]
