"""Scores Latin words as the name of a person: one table of rules for a single name word, one for several.

The first rule whose condition holds gives the score, from 0 to 1. A score of 0 means that the words are no name. Each
table is read from top to bottom: a rule may rely on those above it not holding.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipeline.detect.grammar.vocabulary import NAME, Word
from pipeline.detect.grammar.words import Words
from pipeline.detect.lexicons.loader import section

STRONG = Word.GIVEN | Word.FAMILY
_GIVEN = Word.GIVEN | Word.GIVEN_WEAK
_FAMILY = Word.FAMILY | Word.FAMILY_WEAK
_TITLE_OR_LABEL = Word.TITLE | Word.LABEL
_TITLE_OR_GREETING = Word.TITLE | Word.GREETING
_GREETING_OR_ID = Word.GREETING | Word.ID_CUE
_BEFORE_WEAK_NAME = Word.TITLE | Word.LABEL | Word.GREETING | Word.CONTACT

_POSSESSIVES = section("context_words.txt", "possessive latin")
_PERSONAL_ROLES = section("context_words.txt", "personal role latin")
_DETERMINERS = section("context_words.txt", "determiner latin")
_OFFICES = section("context_words.txt", "office latin")
_MONTHS = section("context_words.txt", "month name latin")
_SAINTS = section("context_words.txt", "saint latin")
_SHORT = 2  # letters of a name word that counts only after a title or a greeting


class Candidate:
    """Words `first` to `last` of a text, weighed as a name.

    `parts` are the meanings of the name words among them, 0 for an unknown word. `cue` is the meaning of the context
    words before and after (title, role, label, greeting, contact, speech, identifier).
    """

    __slots__ = ("cue", "first", "last", "part", "parts", "words")

    def __init__(self, words: Words, first: int, last: int, parts: Sequence[int], cue: int) -> None:
        self.words, self.first, self.last, self.parts, self.cue = words, first, last, parts, cue
        self.part = parts[0]

    @property
    def known(self) -> int:
        """How many of the words are known names."""
        return sum(1 for part in self.parts if part & NAME)

    @property
    def is_strong(self) -> bool:
        """Whether one of the words is a name and hardly ever anything else."""
        return any(part & STRONG for part in self.parts)

    @property
    def has_connector(self) -> bool:
        """Whether a connector such as `bin` is among the words."""
        return any(self.words.meaning(index) & Word.CONNECTOR for index in range(self.first + 1, self.last))

    @property
    def is_certain(self) -> bool:
        """Whether a word is a given name and nothing else, or a strong name is joined by a connector."""
        return any(part & Word.GIVEN for part in self.parts) or (self.is_strong and self.has_connector)

    @property
    def has_capitals(self) -> bool:
        """Whether a word is written in capitals throughout, as headings are."""
        return any(len(word) > 1 and word.isupper() for word in self.words.words[self.first : self.last + 1])

    @property
    def has_initials(self) -> bool:
        """Whether initials come with a known name or with two other words."""
        initials = sum(1 for part in self.parts if part & Word.INITIAL)
        others = len(self.parts) - initials
        return bool(initials and others and (self.known or others >= 2))

    @property
    def has_full_stop(self) -> bool:
        """Whether a full stop follows one of the words, as it follows an initial."""
        return any(self.words.after(index) == "." for index in range(self.first, self.last))

    @property
    def previous(self) -> str:
        """The word before in lower case, if only a blank is between; otherwise ""."""
        is_near = self.first and self.words.after(self.first - 1) == " "
        return self.words.words[self.first - 1].lower() if is_near else ""

    @property
    def is_saint(self) -> bool:
        """Whether a saint's word is before or among the words, without a known name in front: Safeway San Juan."""
        for index in range(self.first, self.last + 1):
            if self.words.words[index].lower() in _SAINTS:
                return True
            if self.words.meaning(index) & NAME:
                break
        is_after = self.before in " ." and self.words.words[self.first - 1].lower() in _SAINTS
        return is_after and not self.words.meaning(self.first - 2) & Word.TITLE  # Mr. St. John

    @property
    def previous_meaning(self) -> int:
        """What the word before can be."""
        return self.words.meaning(self.first - 1)

    @property
    def next_meaning(self) -> int:
        """What the word after can be."""
        return self.words.meaning(self.last + 1)

    @property
    def before(self) -> str:
        """The code of the separator before the first word."""
        return self.words.after(self.first - 1)

    @property
    def after(self) -> str:
        """The code of the separator after the last word."""
        return self.words.after(self.last)

    @property
    def is_weak_given(self) -> bool:
        """Whether the word is a given name that is also an ordinary word, and no month."""
        return bool(self.part & Word.GIVEN_WEAK) and self.words.words[self.first].lower() not in _MONTHS

    @property
    def is_titled_person(self) -> bool:
        """Whether a title before the word is that of a person: it is not of an office or of a founder."""
        return self.previous not in _OFFICES and not self.previous_meaning & Word.FOUNDER


class Rule(NamedTuple):
    """One line of a table."""

    name: str
    holds: Callable[[Candidate], object]
    score: float


SEVERAL_WORDS: tuple[Rule, ...] = (
    Rule("not: a place called after a saint: Santa Clara",
         lambda c: c.is_saint and not c.cue & _TITLE_OR_LABEL, 0.0),
    Rule("certain, and a second name, a connector or a cue",
         lambda c: c.is_certain and (c.cue or c.known >= 2 or c.has_connector), 0.9),
    Rule("certain",
         lambda c: c.is_certain, 0.75),
    Rule("after a title or label",
         lambda c: c.cue & _TITLE_OR_LABEL and (c.cue & Word.LABEL or c.known or not c.has_capitals), 0.8),
    Rule("strong name, and a family name at the end",
         lambda c: c.parts[-1] & _FAMILY and c.is_strong, 0.7),
    Rule("after a role",
         lambda c: c.cue & Word.ROLE and (c.known or not c.has_capitals), 0.65),
    Rule("with a greeting or an identifier, or a known name with a contact word",
         lambda c: (c.cue & _GREETING_OR_ID or (c.cue & Word.CONTACT and c.known)) and not c.has_capitals, 0.6),
    Rule("given name first, family name last, both weak",
         lambda c: c.part & _GIVEN and c.parts[-1] & _FAMILY, 0.6),
    Rule("initials with a full stop: J. Smith",
         lambda c: c.has_initials and c.has_full_stop, 0.55),
)  # fmt: skip

SINGLE_WORD: tuple[Rule, ...] = (
    Rule("not: after a determiner",
         lambda c: c.previous in _DETERMINERS, 0.0),
    Rule("not: a place called after a saint: San Juan",
         lambda c: c.is_saint and not c.cue & _TITLE_OR_LABEL, 0.0),
    Rule("not: one or two letters without a title or greeting",
         lambda c: len(c.words.words[c.last]) <= _SHORT and not c.cue & _TITLE_OR_GREETING, 0.0),
    Rule("certain given name with a cue",
         lambda c: c.part & Word.GIVEN and c.cue, 0.7),
    Rule("certain given name",
         lambda c: c.part & Word.GIVEN and not c.has_capitals, 0.5),
    Rule("given name after a family name and a comma: Gomez, Luis",
         lambda c: c.part & _GIVEN and c.before == "," and c.previous_meaning & Word.FAMILY, 0.5),
    Rule("after a possessive and a personal role: my wife Noor",
         lambda c: has_possessor(c.words, c.first) and not c.has_capitals, 0.6),
    Rule("unknown word in a salutation: Dear Xyz,",
         lambda c: c.cue & Word.GREETING and c.after in ",n:" and not c.part and not c.has_capitals, 0.55),
    Rule("not: weak given name before another capitalized word: Olive Oil",
         lambda c: c.is_weak_given and c.after == " " and c.next_meaning & Word.CAPITAL
         and not c.cue & _TITLE_OR_GREETING, 0.0),
    Rule("weak given name after a title, label, greeting or contact word",
         lambda c: c.is_weak_given and c.cue & _BEFORE_WEAK_NAME, 0.55),
    Rule("weak given name before a verb of speech",
         lambda c: c.is_weak_given and c.cue & Word.SPEECH and not c.has_capitals, 0.55),
    Rule("not: weak given name without any of these",
         lambda c: c.is_weak_given, 0.0),
    Rule("family name or unknown word after a title",
         lambda c: c.cue & Word.TITLE and c.is_titled_person and (c.part & _FAMILY or not c.has_capitals), 0.65),
    Rule("family name before a comma and a given name: Gomez, Luis",
         lambda c: c.part & _FAMILY and c.after == "," and c.next_meaning & _GIVEN, 0.5),
    Rule("family name with its article: Al Harbi",
         lambda c: c.part & Word.FAMILY and c.first < c.last and c.words.meaning(c.first) & Word.ARTICLE, 0.5),
)  # fmt: skip


def name_score(words: Words, parts: Sequence[int], cue: int, first: int, last: int) -> float:
    """How sure words `first` to `last` are a name with this cue, 0 to 1; 0 is no name. See `Candidate`."""
    candidate = Candidate(words, first, last, parts, cue)
    for rule in SINGLE_WORD if len(parts) == 1 else SEVERAL_WORDS:
        if rule.holds(candidate):
            return rule.score
    return 0.0


def has_possessor(words: Words, first: int) -> bool:
    """Whether a possessive and a personal role come before: my wife Noor."""
    if first < 2 or words.after(first - 1) not in " ," or words.after(first - 2) != " ":
        return False
    return words.words[first - 1] in _PERSONAL_ROLES and words.words[first - 2].lower() in _POSSESSIVES


def family_by_article(word: str) -> int:
    """FAMILY_WEAK for a word that begins with the Arabic article, known or not: Alqahtany, ALDOSARI. Otherwise 0."""
    return Word.FAMILY_WEAK if len(word) >= 6 and word[:2] in ("Al", "AL", "El", "EL") else 0
