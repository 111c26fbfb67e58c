"""The meanings of words in names, addresses and places, and one code letter for each combination of meanings.

Grammars are regular expressions over these code letters.
"""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from pipeline.detect.lexicons.loader import sections, table


class Word:
    """Flags for the meanings of a word; a word may have several. Plain integers, as enum flags are ten times slower."""

    # shape
    CAPITAL = 1 << 0  # Latin, capital first
    LOWER = 1 << 1  # Latin, small first
    UPPER = 1 << 2  # Latin, written in capitals throughout (known words only)
    ARABIC = 1 << 3
    ARTICLE_AL = 1 << 4  # Arabic, begins with alif: may begin with the article
    NUMBER = 1 << 5
    INITIAL = 1 << 6  # one capital letter
    OTHER = 1 << 7
    # parts of names
    GIVEN = 1 << 8
    GIVEN_WEAK = 1 << 9  # also an ordinary word
    FAMILY = 1 << 10
    FAMILY_WEAK = 1 << 11
    CONNECTOR = 1 << 12  # bin, bint
    KUNYA = 1 << 13  # Abu, Umm, Al of a house
    ABD = 1 << 14  # Abd, completed by a divine name
    DIVINE = 1 << 15
    ARTICLE = 1 << 16  # Al, El in Latin letters
    PARTICLE = 1 << 17  # de, van
    PREFIX = 1 << 18  # Md., Mst.
    CLITIC = 1 << 19  # a given name with a conjunction or preposition attached
    ORDINARY = 1 << 20  # never part of a name
    # context words of names
    TITLE = 1 << 21
    ROYAL = 1 << 22
    ROLE = 1 << 23
    LABEL = 1 << 24
    GREETING = 1 << 25
    CONTACT = 1 << 26
    SPEECH = 1 << 27
    NON_PERSON = 1 << 28  # with it a label names something else: company name
    ID_CUE = 1 << 29
    FACILITY = 1 << 30  # a street, school, firm follows (Arabic) or ends here (Latin)
    FOUNDER = 1 << 31  # King, Prince: a facility named after one may follow
    # parts of addresses
    STREET = 1 << 32
    DISTRICT = 1 << 33
    BUILDING = 1 << 34
    UNIT = 1 << 35
    POSTAL = 1 << 36
    ADDITIONAL = 1 << 37
    POBOX = 1 << 38
    ADDRESS_CUE = 1 << 39
    FILLER = 1 << 40
    # phrases that begin with the word
    PLACE = 1 << 41
    ORGANIZATION = 1 << 42
    ORGANIZATION_HEAD = 1 << 43
    WEAK_CONNECTOR = 1 << 44  # also "son of", "his daughter" in running text
    SECOND_PART = 1 << 45  # completes a given name: Daif Allah, Nour al-Din


NAME = Word.GIVEN | Word.GIVEN_WEAK | Word.FAMILY | Word.FAMILY_WEAK

# The meaning of each section of context_words.txt.
_CUES: dict[str, int] = {
    "title arabic": Word.TITLE,
    "royal title arabic": Word.TITLE | Word.FOUNDER | Word.ROYAL,
    "role arabic": Word.ROLE,
    "label arabic": Word.LABEL,
    "greeting arabic": Word.GREETING,
    "relative arabic": Word.GREETING,
    "contact arabic": Word.CONTACT,
    "connector arabic": Word.CONNECTOR,
    "weak connector arabic": Word.CONNECTOR | Word.WEAK_CONNECTOR,
    "kunya arabic": Word.KUNYA,
    "abd arabic": Word.ABD,
    "divine arabic": Word.DIVINE,
    "second part arabic": Word.SECOND_PART,
    "facility arabic": Word.FACILITY,
    "non-person noun arabic": Word.NON_PERSON | Word.ORDINARY,
    "id cue arabic": Word.ID_CUE,
    "adjective arabic": Word.ORDINARY,
    "street arabic": Word.STREET | Word.FACILITY,
    "district arabic": Word.DISTRICT | Word.FACILITY,
    "building arabic": Word.BUILDING,
    "unit arabic": Word.UNIT,
    "postal arabic": Word.POSTAL,
    "additional arabic": Word.ADDITIONAL,
    "pobox arabic": Word.POBOX,
    "address cue arabic": Word.ADDRESS_CUE,
    "address filler arabic": Word.FILLER,
    "organization head arabic": Word.ORGANIZATION_HEAD,
    "latin title": Word.TITLE,
    "latin royal title": Word.TITLE | Word.FOUNDER | Word.ROYAL,
    "latin role": Word.ROLE,
    "latin label": Word.LABEL,
    "latin greeting": Word.GREETING,
    "latin contact": Word.CONTACT,
    "latin speech verb": Word.SPEECH,
    "latin connector": Word.CONNECTOR,
    "latin article": Word.ARTICLE,
    "latin abd": Word.ABD,
    "latin kunya": Word.KUNYA,
    "latin particle": Word.PARTICLE,
    "latin prefix": Word.PREFIX,
    "latin divine": Word.DIVINE,
    "facility latin after": Word.FACILITY | Word.ORDINARY,
    "non-person noun latin": Word.NON_PERSON,
    "id cue latin": Word.ID_CUE,
    "street latin": Word.STREET,
    "district latin": Word.DISTRICT,
    "building latin": Word.BUILDING,
    "unit latin": Word.UNIT,
    "postal latin": Word.POSTAL,
    "additional latin": Word.ADDITIONAL,
    "pobox latin": Word.POBOX,
    "address cue latin": Word.ADDRESS_CUE,
    "address filler latin": Word.FILLER,
    "organization head latin": Word.ORGANIZATION_HEAD,
}
# These also count with an attached conjunction or preposition.
_WITH_CLITICS = (
    Word.TITLE | Word.ROLE | Word.LABEL | Word.ADDRESS_CUE | Word.STREET | Word.DISTRICT | Word.FACILITY
    | Word.ORGANIZATION_HEAD | Word.CONTACT | Word.GREETING | Word.NON_PERSON
)  # fmt: skip
_CLITICS = ("و", "ف", "ب", "ل", "ك", "ول", "وب", "فل")
# Prepositions that folding makes equal to the name Ali: they are written with alif maqsura, على.
PREPOSITIONS = frozenset(["علي", "وعلي", "فعلي"])
_PREPOSITION = Word.ARABIC | Word.ORDINARY
NO_WORD = "\x00"  # the empty word before a separator that begins a text, or after one that ends it
# The first code letter of words. The codes of separators are plain ASCII.
_FIRST_CODE = 0xA1
_SCRIPTS_KNOWN = 0x700  # the shape of letters from here on, after the Arabic block, means nothing


def with_clitics(word: str) -> Iterable[str]:
    """An Arabic word with each conjunction or preposition attached (li + al- is written ll-, by some l-al-)."""
    for clitic in _CLITICS:
        if clitic.endswith("ل") and word.startswith("ال"):
            yield clitic + "ل" + word[2:]
        yield clitic + word


class Vocabulary:
    """The known words and their code letters. Immutable after construction."""

    def __init__(self, place_heads: Iterable[str], organization_heads: Iterable[str]) -> None:
        meanings: dict[str, int] = {}
        _add_names(meanings)
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            _add(meanings, letter, Word.INITIAL)
        _add_cues(meanings)
        _add_ordinary(meanings)
        _add_bare_families(meanings)
        _add_clitics(meanings)
        for word in place_heads:
            _add(meanings, word, Word.PLACE)
        for word in organization_heads:
            _add(meanings, word, Word.ORGANIZATION)
        shaped = {word: meaning | shape(word) for word, meaning in meanings.items()}
        alone = (Word.CAPITAL, Word.LOWER, Word.ARABIC, Word.ARABIC | Word.ARTICLE_AL, Word.NUMBER, Word.OTHER)
        combinations = sorted({*shaped.values(), *alone, _PREPOSITION})
        code_of = {meaning: chr(_FIRST_CODE + index) for index, meaning in enumerate(combinations)}
        self.meaning: dict[str, int] = {code: meaning for meaning, code in code_of.items()}
        self.other = code_of[Word.OTHER]
        self.code: dict[str, str] = {word: code_of[meaning] for word, meaning in shaped.items()}
        # The same as numbers: for a known word, and for any other by its first letter.
        self.number: dict[str, int] = {word: ord(code) for word, code in self.code.items()}
        self.number[NO_WORD] = ord(self.other)
        self.preposition = ord(code_of[_PREPOSITION])
        self.first = np.full(0x110000, ord(self.other), dtype=np.uint16)
        for n in range(_SCRIPTS_KNOWN):
            if chr(n).isalnum():
                self.first[n] = ord(code_of[_shape_of_first(chr(n))])

    def one_of(self, wanted: int, without: int = 0) -> str:
        """A regex character class of the words that have a meaning in `wanted` and none in `without`."""
        codes = [c for c, meaning in self.meaning.items() if meaning & wanted and not meaning & without]
        return f"[{''.join(map(re.escape, codes))}]"


def shape(word: str) -> int:
    """The shape of a known word."""
    found = _shape_of_first(word[0])
    return found | Word.UPPER if found == Word.CAPITAL and len(word) > 1 and word.isupper() else found


@cache
def _shape_of_first(letter: str) -> int:
    if letter.isdigit():
        return Word.NUMBER
    if "ء" <= letter <= "ۓ":
        return Word.ARABIC | Word.ARTICLE_AL if letter == "ا" else Word.ARABIC
    if letter.isupper():
        return Word.CAPITAL
    return Word.LOWER if letter.islower() else Word.OTHER


def _add(meanings: dict[str, int], word: str, meaning: int) -> None:
    meanings[word] = meanings.get(word, 0) | meaning


def _add_names(meanings: dict[str, int]) -> None:
    kinds = {
        ("given", "0"): Word.GIVEN, ("given", "1"): Word.GIVEN_WEAK,
        ("family", "0"): Word.FAMILY, ("family", "1"): Word.FAMILY_WEAK,
    }  # fmt: skip
    for word, kind, ambiguous, _arab in table("names_arabic.csv"):
        _add(meanings, word, kinds[kind, ambiguous])
    for word in sections("context_words.txt")["divine arabic"]:
        if word.startswith("ال"):
            _add(meanings, f"عبد{word}", Word.GIVEN)
    ordinary = sections("ordinary.txt")["latin"]
    for word, kind, ambiguous, arab in table("names_latin.csv"):
        meaning = kinds[kind, ambiguous]
        _add(meanings, word, meaning)
        _add(meanings, word.upper(), meaning)
        # People write Arab names without capitals; other names are too often words of some language.
        if arab == "1" and ambiguous == "0" and len(word) > 3 and word.lower() not in ordinary:
            _add(meanings, word.lower(), meaning)


def _add_cues(meanings: dict[str, int]) -> None:
    for title, words in sections("context_words.txt").items():
        meaning = _CUES.get(title, 0)
        if not meaning:
            continue
        for word in words:
            if not word.isascii():
                _add(meanings, word, meaning)
                if meaning & _WITH_CLITICS and len(word) > 2:
                    for attached in with_clitics(word):
                        _add(meanings, attached, meaning)
                continue
            for form in (word, word.capitalize(), word.upper()):
                _add(meanings, form, meaning)


def _add_ordinary(meanings: dict[str, int]) -> None:
    """Adds the ordinary words, except those that are also names."""
    lists = sections("ordinary.txt")
    words = set(lists["arabic"])
    for word in lists["latin"]:
        words.update((word, word.capitalize(), word.upper()))
    for word in words:
        if not meanings.get(word, 0) & NAME:
            _add(meanings, word, Word.ORDINARY)


def _add_bare_families(meanings: dict[str, int]) -> None:
    """Adds family names without their article: الزهراني is also written زهراني."""
    bare = [w[2:] for w, m in meanings.items() if m & Word.FAMILY and w.startswith("ال") and w.endswith("ي")]
    for word in bare:
        if len(word) > 3 and word not in meanings:
            meanings[word] = Word.FAMILY_WEAK


def _add_clitics(meanings: dict[str, int]) -> None:
    """Adds given names with an attached conjunction or preposition, unless the result is another known word."""
    given = [(w, m) for w, m in meanings.items() if m & (Word.GIVEN | Word.GIVEN_WEAK) and "ء" <= w[0] <= "ۓ"]
    attached: dict[str, int] = {}
    for word, meaning in given:
        for form in with_clitics(word):
            if form not in meanings and len(word) > 2:
                attached[form] = attached.get(form, 0) | (meaning & (Word.GIVEN | Word.GIVEN_WEAK)) | Word.CLITIC
    meanings.update(attached)
