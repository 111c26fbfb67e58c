"""The forms in which a text may contain a glossary term, and the rules of case, word boundaries and locale."""

import re
from typing import NamedTuple

from pipeline.detect.glossary.folding import cased, folded
from pipeline.detect.text import characters
from pipeline.detect.text.normalize import NormalizedText, normalize
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
