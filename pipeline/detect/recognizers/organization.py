"""ORGANIZATION: Saudi organizations, from the lexicon or by a typical structure: Ministry of …, جامعة الملك …."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.detect.grammar.phrases import Phrases
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import sections, table

_CONTEXT_WORDS = sections("context_words.txt")
_CUES = _CONTEXT_WORDS["organization cue arabic"] | _CONTEXT_WORDS["organization cue latin"]
_HEADS = _CONTEXT_WORDS["organization head arabic"]
_FOUNDED = _CONTEXT_WORDS["organization founded arabic"]
_OF_PLACE = _CONTEXT_WORDS["organization of place arabic"]
_SUFFIXES = _CONTEXT_WORDS["organization suffix arabic"]
_LEGAL_SUFFIXES = _CONTEXT_WORDS["organization legal suffix arabic"]
_PLURALS = _CONTEXT_WORDS["ministry of things arabic"]
_AFTER = _CONTEXT_WORDS["organization after latin"]
_KINDS = _CONTEXT_WORDS["organization kind latin"]


class Organization(NamedTuple):
    """A lexicon entry; an `ambiguous` spelling needs a cue."""

    kind: str
    ambiguous: bool


def load_organizations() -> Phrases[Organization]:
    """The Saudi organizations of the lexicon, by spelling."""
    rows = table("organizations.csv")
    return Phrases((phrase, Organization(kind, ambiguous == "1")) for phrase, kind, ambiguous in rows)


class OrganizationFinder:
    """Finds organizations in the words of a text. Immutable."""

    def __init__(self, vocabulary: Vocabulary, organizations: Phrases[Organization]) -> None:
        self._known = organizations
        self._known_heads = re.compile(vocabulary.one_of(Word.ORGANIZATION))
        self._built_heads = re.compile(vocabulary.one_of(Word.ORGANIZATION_HEAD | Word.FOUNDER))

    def find(self, words: Words) -> Iterator[WordSpan]:
        """Organizations of the lexicon, then those found by their structure; they may overlap."""
        reach = -1
        for match in self._known_heads.finditer(words.codes):
            index = match.start() // 2
            if index <= reach or (hit := self._known.at(words, index)) is None:
                continue
            cue = _cue(words, hit.first, hit.last) if hit.entry.ambiguous else hit.first
            if cue is None:
                continue
            if not _is_inside_identifier(words, hit.first, hit.last):
                reach = hit.last
                if words.after(reach) == " " and words.words[reach + 1] in ("Company", "Bank", "Group"):
                    hit = hit._replace(last=reach + 1)
                if hit.entry.ambiguous and not hit.first <= cue <= hit.last:
                    words.note("ORGANIZATION", hit.first, hit.last, (cue, cue), skip=hit.skip)
                yield WordSpan(hit.first, hit.last, hit.skip, 0.8)
        for match in self._built_heads.finditer(words.codes):
            first = match.start() // 2
            last = _built_latin(words, first) if words.meaning(first) & Word.CAPITAL else _built_arabic(words, first)
            if last is not None:
                yield WordSpan(first, last, _clitic(words.words[first]), 0.7)


def _cue(words: Words, first: int, last: int) -> int | None:
    """The index of the word before or after that makes an ambiguous spelling an organization."""
    if words.after(first - 1) in " /" and first > 0 and _is_cue(words.words[first - 1].lower()):
        return first - 1
    return last + 1 if words.after(last) == " " and words.words[last + 1].lower() in _AFTER else None


def _is_cue(word: str) -> bool:
    return any(word[letters:] in _CUES for letters in range(2)) or word.removeprefix("ال") in _CUES


def _is_inside_identifier(words: Words, first: int, last: int) -> bool:
    """Whether the name is part of an e-mail address, a host, a file name or a number (SCFHS-7710233)."""
    if words.after(last) == "-" and words.meaning(last + 1) & Word.NUMBER:
        return True
    return (words.after(last) in "@i" and bool(words.meaning(last + 1) & Word.LOWER)) or words.after(first - 1) in "@i"


def _clitic(word: str) -> int:
    """How many letters of an Arabic head are an attached conjunction or preposition."""
    return next((n for n in (0, 1, 2) if word[n:] in _HEADS), 0)


def _built_arabic(words: Words, first: int) -> int | None:
    """The last word of an organization that begins with a head word and goes on with a founder, place or legal form."""
    head = words.words[first][_clitic(words.words[first]) :]
    if words.after(first) != " ":
        return None
    if head == "وزاره":
        return _ministry(words, first)
    following = words.meaning(first + 1)
    if head in _FOUNDED and following & Word.FOUNDER:
        return _founded(words, first + 1)
    if head in _OF_PLACE and words.words[first + 1] in ("منطقه", "محافظه") and words.after(first + 1) == " ":
        return first + 2
    if head in ("شركه", "موسسه", "مؤسسه"):
        for index in range(first + 1, min(first + 7, len(words))):
            if words.after(index - 1) != " ":
                return None
            if words.words[index] in _LEGAL_SUFFIXES and index > first + 1:
                return _with_suffixes(words, index, _LEGAL_SUFFIXES)
    return None


def _with_suffixes(words: Words, last: int, suffixes: frozenset[str]) -> int:
    while words.after(last) == " " and last + 1 < len(words) and words.words[last + 1] in suffixes:
        last += 1
    return last


def _ministry(words: Words, first: int) -> int | None:
    """The last word of وزارة الحج والعمرة: a word with the article, then words that begin with wa-al-."""
    if not words.words[first + 1].startswith("ال"):
        return None
    last = first + 1
    if words.words[last] in _PLURALS and words.after(last) == " " and words.words[last + 1].startswith("ال"):
        last += 1  # الشؤون البلدية, الموارد البشرية
    while words.after(last) == " " and last + 1 < len(words) and words.words[last + 1].startswith("وال"):
        last += 1
        if last - first > 6:
            break
    return last


def _founded(words: Words, founder: int) -> int | None:
    """The last word of the Arabic name after the title of a king or prince, with the suffixes of institutions."""
    last = founder
    while words.after(last) == " " and last - founder < 8:
        meaning = words.meaning(last + 1)
        known = meaning & (NAME | Word.CONNECTOR | Word.ABD | Word.DIVINE | Word.KUNYA)
        if not (known or words.meaning(last) & Word.CONNECTOR) or not meaning & Word.ARABIC:
            break
        last += 1
    return _with_suffixes(words, last, _SUFFIXES) if last > founder else None


def _built_latin(words: Words, first: int) -> int | None:
    """The last word of `Ministry of X and Y` or `King X University of Y and Z`."""
    if words.words[first].lower() == "ministry":
        return _of_capitals(words, first)
    if not words.meaning(first) & Word.FOUNDER:
        return None
    for index in range(first + 1, min(first + 9, len(words))):
        if words.after(index - 1) not in " -'i":
            return None
        meaning = words.meaning(index)
        if words.words[index].lower() in _KINDS and index > first + 1 and meaning & Word.CAPITAL:
            return _of_capitals(words, index) or index
        if not meaning & (Word.CAPITAL | Word.CONNECTOR | Word.ARTICLE) or meaning & (Word.STREET | Word.DISTRICT):
            return None
    return None


def _of_capitals(words: Words, last: int) -> int | None:
    """The last word of `of X`, `for X and Y` or `of X, Y and Z` after word `last`; None if there is none."""
    found = None
    joint = True
    for index in range(last + 1, min(last + 9, len(words))):
        if words.after(index - 1) not in " ," or (words.after(index - 1) == "," and joint):
            break
        word = words.words[index].lower()
        if words.meaning(index) & Word.CAPITAL and (found is not None or joint is not True or index > last + 1):
            found, joint = index, False
        elif word in ("of", "for", "and", "the"):
            joint = True
        else:
            break
    return found
