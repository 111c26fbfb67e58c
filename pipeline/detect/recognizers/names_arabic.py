"""PERSON in Arabic letters: chains of given names, connectors and family names, weighed by what stands around them."""

import re
from collections.abc import Iterator

from pipeline.detect.lexicons.loader import section
from pipeline.detect.recognizers.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.recognizers.words import Found, Words

_GIVEN = Word.GIVEN | Word.GIVEN_WEAK
_FAMILY = Word.FAMILY | Word.FAMILY_WEAK
_CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.ASKING
_LONGEST = 9  # words after the first: given, father, grandfather, family, with their connectors
# Family names that are also ordinals, adjectives or peoples: too weak to make a name of a weak given name.
_FAINT = section("beside.txt", "faint family arabic")
# `ya` and "I am" before these is an exclamation or a feeling, not a name.
_EXCLAIMED = section("beside.txt", "exclaimed arabic")


class ArabicNames:
    """Finds Arabic names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        known = vocabulary.one_of(NAME, without=Word.CAPITAL | Word.LOWER)
        arabic = vocabulary.one_of(Word.ARABIC)
        plain = vocabulary.one_of(Word.ARABIC, without=Word.ORDINARY | _CUES | Word.FACILITY)
        connector = vocabulary.one_of(Word.CONNECTOR, without=Word.CAPITAL | Word.LOWER)
        completed = vocabulary.one_of(Word.ABD | Word.KUNYA, without=Word.CAPITAL | Word.LOWER)
        family_like = vocabulary.one_of(Word.ARTICLE_AL, without=Word.ORDINARY | _CUES | Word.FACILITY)
        self._chain = re.compile(
            rf"""
            (?: {completed}[ ]{arabic}        # Abd Allah, Abu Fahd, Al Saud
              | {known}                       # a word we know as a name
              | {plain}(?=[ ]{connector}[ ])  # any word before bin
            )
            (?: [ ] (?: {connector}[ ] (?: {completed}[ ]{arabic} | {plain} | {known} )   # bin and whatever follows
                      | {completed}[ ]{arabic}
                      | {known}
                      | {family_like}         # perhaps a family name: al-…
                    )
            ){{0,{_LONGEST}}}
            """,
            re.VERBOSE,
        )

    def find(self, words: Words) -> Iterator[Found]:
        """Names by position, overlapping nowhere."""
        for match in self._chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if first == last and not words.meaning(first) & Word.GIVEN and words.meaning(first - 1) & _CUES == 0:
                continue  # the commonest case, decided cheaply
            if (found := weigh(words, first, last)) is not None:
                yield found


def weigh(words: Words, first: int, last: int) -> Found | None:
    """What of a chain is a name, if anything."""
    if in_facility(words, first):
        return None
    cue = cue_before(words, first)
    end = _trimmed(words, first, last, cue)
    if end is None:
        return None
    last = end
    meanings = [words.meaning(index) for index in range(first, last + 1)]
    connectors = sum(1 for meaning in meanings if meaning & Word.CONNECTOR)
    parts = _parts(words, first, last)
    strong = sum(1 for part in parts if part & (Word.GIVEN | Word.FAMILY))
    known = sum(1 for part in parts if part & NAME)
    score = _score(words, parts, connectors, strong, known, cue, first, last)
    if score == 0.0:
        return None
    return Found(first, last, _clitic_letters(words, first), score)


def _parts(words: Words, first: int, last: int) -> list[int]:
    """The meanings of the name's units: Abd Allah and Abu Fahd are one given name, connectors are none."""
    parts: list[int] = []
    index = first
    while index <= last:
        meaning = words.meaning(index)
        if meaning & Word.ABD and index < last and words.meaning(index + 1) & Word.DIVINE:
            parts.append(Word.GIVEN)
            index += 1
        elif meaning & Word.KUNYA and index < last and not meaning & NAME:
            following = words.meaning(index + 1)
            house = words.words[index] == "ال"
            parts.append(Word.FAMILY if house else (following & NAME and Word.GIVEN_WEAK) or 0)
            index += 1
        elif not meaning & Word.CONNECTOR or meaning & NAME:
            parts.append(meaning & NAME)
        index += 1
    return parts


def _trimmed(words: Words, first: int, last: int, cue: int) -> int | None:
    """The last word that can belong to the name: words that merely begin with al- need the look of a family name."""
    while last >= first:
        meaning = words.meaning(last)
        previous = words.meaning(last - 1) if last > first else 0
        if meaning & (NAME | Word.DIVINE) or previous & (Word.CONNECTOR | Word.ABD | Word.KUNYA):
            if meaning & Word.CONNECTOR and not meaning & NAME:
                last -= 1
                continue
            return last
        if last > first and meaning & Word.ARTICLE_AL and _looks_like_family(words, first, last, cue):
            return last
        if last == first:
            return last if meaning & NAME else None
        last -= 1
    return None


def _looks_like_family(words: Words, first: int, last: int, cue: int) -> bool:
    word = words.words[last]
    if (
        not word.startswith("ال")
        or len(word) < 5
        or words.meaning(last - 1) & (Word.FAMILY | Word.FAMILY_WEAK) & ~_GIVEN
    ):
        return False
    if any(words.meaning(index) & Word.CONNECTOR for index in range(first, last)) or cue & (Word.LABEL | Word.ROLE):
        return True
    if word[-1] == "ي" and not word.endswith("ائي"):
        return words.meaning(last - 1) & Word.GIVEN != 0 or last - first >= 2
    return last - first >= 2 and words.meaning(last - 1) & NAME != 0 and word[-1] not in "هتن"


def _score(
    words: Words, parts: list[int], connectors: int, strong: int, known: int, cue: int, first: int, last: int
) -> float:
    if connectors and len(parts) >= 2 and (known or connectors >= 2):
        return 0.9
    if connectors and len(parts) >= 2 and cue:
        return 0.8
    if not parts or not known:
        return 0.0
    if len(parts) == 1:
        return _single(words, parts[0], cue, first)
    if parts[0] & _GIVEN:
        if strong:
            return 0.85
        if cue or known >= 3:
            return 0.7
        family = any(part & Word.FAMILY_WEAK for part in parts[1:])
        return 0.6 if family and words.words[last] not in _FAINT else 0.0
    if parts[0] & Word.FAMILY and any(part & Word.GIVEN for part in parts[1:]):
        return 0.6
    return 0.6 if cue & (Word.TITLE | Word.LABEL | Word.ROLE) and strong else 0.0


def _single(words: Words, part: int, cue: int, first: int) -> float:
    """One name word alone: an unmistakable given name, or one with a title or a greeting before it."""
    if part & Word.GIVEN:
        return 0.7 if cue else 0.55
    if not cue:
        return 0.0
    word = words.words[first]
    if part & Word.GIVEN_WEAK:
        if cue & (Word.GREETING | Word.LABEL) and (word in _EXCLAIMED or words.words[first - 1] == "انا"):
            return 0.0
        return 0.6 if cue & (Word.TITLE | Word.GREETING | Word.ASKING | Word.LABEL) else 0.0
    return 0.6 if part & Word.FAMILY and cue & Word.TITLE else 0.0


def cue_before(words: Words, first: int) -> int:
    """What the word before says: title, role, label, greeting."""
    between = words.after(first - 1)
    if between not in " :/.n,(":
        return 0
    meaning = words.meaning(first - 1) & _CUES
    if not meaning:
        return 0
    word = words.words[first - 1]
    if len(word) == 1 and word not in "يا" and between not in "/.":
        return 0  # single letters are titles only with their mark: د. أ/ م.
    if between in "n,(" and not meaning & (Word.LABEL | Word.ROLE):
        return 0
    return meaning


def in_facility(words: Words, first: int) -> bool:
    """Whether the name completes the name of a street, school or firm: شارع الأمير ماجد."""
    index = first - 1
    for _ in range(2):
        if words.after(index) not in " ./":
            return False
        meaning = words.meaning(index)
        if meaning & Word.FACILITY:
            return True
        if not meaning & (Word.TITLE | Word.CONNECTOR):
            return False
        index -= 1
    return False


def _clitic_letters(words: Words, first: int) -> int:
    """How many letters of the first word are an attached conjunction or preposition."""
    if not words.meaning(first) & Word.CLITIC:
        return 0
    word = words.words[first]
    if word[:2] in ("ول", "وب", "فل") and words.knows(word[2:]):
        return 2
    return 1
