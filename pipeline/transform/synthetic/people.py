"""Stand-ins of names: word by word, in the same script and gender, so that a person keeps one name in all mentions.

An Arab name and its Latin spelling have one stand-in, in two scripts. A name that no pool or no script fits has none.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold, section, table
from pipeline.detect.text.equivalence import compact_form
from pipeline.transform.synthetic.characters import any_letter, is_arabic
from pipeline.transform.synthetic.choices import Choices

_WORD = re.compile(r"[^\W\d_]+(?:[-'\u2018\u2019`][^\W\d_]+)*")
_ARTICLES = frozenset({"al", "el", "ال"}) | frozenset({fold("آل")})
_ABD = section("context_words.txt", "abd arabic") | section("context_words.txt", "latin abd")
_MAN, _WOMAN = "M", "F"
_LADIES = frozenset(fold("mrs ms miss madam السيدة الأستاذة الآنسة الدكتورة المهندسة").split())


class Name(NamedTuple):
    """A name in Arabic and in Latin letters."""

    arabic: str
    latin: str


class _Part(NamedTuple):
    """Words of a name that stand for one part of it: offsets in the name, and the words."""

    start: int
    end: int
    words: tuple[str, ...]

    @property
    def identity(self) -> str:
        """What is one and the same part in any spelling of either script."""
        compact = compact_form("".join(self.words))
        return _arabic_of().get(compact, compact)


class People:
    """The stand-ins of the names of one text. `names`: all of them, none of whose parts is used as a stand-in."""

    def __init__(self, key: bytes, names: Iterable[str]) -> None:
        self._key = key
        self._taken = {part.identity for name in names for part in _parts(name)}
        self._standing: dict[str, Name] = {}
        self._spent: set[int] = set()  # pools of which every name stands for somebody

    def name(self, surface: str, before: str) -> str | None:
        """The stand-in of a name; `before`: the text in front of it, whose title may tell a woman."""
        parts = _parts(surface)
        if not parts:
            return None
        made: list[str] = []
        position = 0
        for index, part in enumerate(parts):
            stand_in = self._part(part, _Role(parts, index, before))
            if stand_in is None:
                return None
            made += (surface[position : part.start], stand_in)
            position = part.end
        return "".join(made) + surface[position:]

    def _part(self, part: _Part, role: "_Role") -> str | None:
        word = part.words[-1]
        if len(part.words) == 1 and len(word) == 1:
            return any_letter(word, Choices(self._key, "initial", fold(word)))
        script = _script(part.words)
        if script is None:
            return None
        standing = self._standing.get(part.identity) or self._chosen(part.identity, role.pool)
        return None if standing is None else _cased(standing[script], word)

    def _chosen(self, identity: str, pool: Sequence[Name]) -> Name | None:
        """A name of the pool that stands for no other; None once all of them do."""
        if id(pool) in self._spent:
            return None
        choices = Choices(self._key, "name", identity)
        first = choices.below(len(pool))
        for step in range(len(pool)):
            name = pool[(first + step) % len(pool)]
            other = compact_form(name.arabic)
            if other not in self._taken:
                self._taken.add(other)
                self._standing[identity] = name
                return name
        self._spent.add(id(pool))
        return None


class _Role:
    """What a part is within a name: a given name of a woman or a man, or a family's."""

    def __init__(self, parts: Sequence[_Part], index: int, before: str) -> None:
        self._parts = parts
        self._index = index
        self._before = before

    @property
    def pool(self) -> Sequence[Name]:
        """The names that may stand for it."""
        part = self._parts[self._index]
        gender = genders().get(part.identity)
        is_first = self._index == 0
        is_last = self._index == len(self._parts) - 1
        has_article = part.words[0].lower() in _ARTICLES or part.identity.startswith(("ال", "al"))
        if (not is_first and is_last) or (is_first and is_last and gender is None and has_article):
            return _families()
        if is_first:
            title = fold(self._before.lower()).split()[-1:]
            woman = gender == _WOMAN or (gender is None and bool({word.strip(".:,") for word in title} & _LADIES))
            return _given(_WOMAN if woman else _MAN)
        return _given(_MAN)  # fathers and grandfathers


def latin_given_name(choices: Choices) -> str:
    """Any given name in Latin letters."""
    return choices.of(_given(_MAN) + _given(_WOMAN)).latin


def _parts(name: str) -> list[_Part]:
    """The parts of a name, without connectors and titles. `Abd Al Aziz` is one part, so is `Al Harbi`."""
    parts: list[_Part] = []
    words = list(_WORD.finditer(name))
    index = 0
    while index < len(words):
        first = index
        plain = fold(words[index][0]).lower()
        if plain in _connectors() and plain not in _ARTICLES:
            index += 1
            continue
        if plain in _ABD and index + 1 < len(words):
            index += 1
        if fold(words[index][0]).lower() in _ARTICLES and index + 1 < len(words):
            index += 1
        chosen = words[first : index + 1]
        parts.append(_Part(chosen[0].start(), chosen[-1].end(), tuple(word[0] for word in chosen)))
        index += 1
    return parts


def _script(words: Iterable[str]) -> int | None:
    """The place in `Name` of the script of all letters; None if they are of several, or of another."""
    letters = [character for word in words for character in word if character.isalpha()]
    if all(map(is_arabic, letters)):
        return 0
    is_latin = all(compact_form(letter).isascii() for letter in letters)
    return 1 if is_latin else None


def _cased(name: str, like: str) -> str:
    if like.isupper():
        return name.upper()
    return name.lower() if like.islower() else name


@cache
def _connectors() -> frozenset[str]:
    """Words that stay: son of, daughter of, father of, and titles."""
    names = (
        "connector arabic", "weak connector arabic", "kunya arabic", "title arabic", "latin connector", "latin kunya",
        "latin particle", "latin title",
    )  # fmt: skip
    words = {word for name in names for word in section("context_words.txt", name)}
    return frozenset(word for word in words if len(word) > 1)  # a single letter may be an initial


@cache
def _given(gender: str) -> tuple[Name, ...]:
    return _pool(gender)


@cache
def _families() -> tuple[Name, ...]:
    return _pool("family")


def _pool(kind: str) -> tuple[Name, ...]:
    """The names of one word that are no other words. Each Latin spelling stands once."""
    by_spelling = {
        latin.split("|")[0]: arabic
        for arabic, other, ambiguous, latin in table("arab_names.csv")
        if other == kind and ambiguous == "0" and latin and " " not in arabic + latin.split("|")[0]
    }
    return tuple(Name(arabic, latin) for latin, arabic in by_spelling.items())


@cache
def genders() -> dict[str, str]:
    """The gender of a given name by its compact Arabic form."""
    return {compact_form(arabic): kind for arabic, kind, *_ in table("arab_names.csv") if kind in (_MAN, _WOMAN)}


@cache
def _arabic_of() -> dict[str, str]:
    """The compact Arabic form of a name by each Latin spelling: of given names first, then of what is usually so."""
    names = sorted(table("arab_names.csv"), key=lambda row: row[1] == "family")
    rows = [(compact_form(arabic), latin.split("|")) for arabic, _, _, latin in names]
    known: dict[str, str] = {}
    for arabic, variants in rows:
        known.setdefault(compact_form(variants[0]), arabic)
    for arabic, variants in rows:
        for variant in variants[1:]:
            known.setdefault(compact_form(variant), arabic)
    return known
