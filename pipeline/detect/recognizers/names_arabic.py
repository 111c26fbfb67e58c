"""PERSON in Arabic letters: chains of given names, connectors and family names, weighed by what stands around them."""

import re
from collections.abc import Iterator

from pipeline.detect.lexicons.loader import section
from pipeline.detect.recognizers.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.recognizers.words import Found, Words

_GIVEN = Word.GIVEN | Word.GIVEN_WEAK
_FAMILY = Word.FAMILY | Word.FAMILY_WEAK
_PARTS = NAME | Word.CONNECTOR | Word.ABD | Word.KUNYA | Word.DIVINE | Word.SECOND_PART
_CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.ASKING
_LONGEST = 9  # words after the first: given, father, grandfather, family, with their connectors
# Family names that are also ordinals, adjectives or peoples: too weak to make a name of a weak given name.
_FAINT = section("beside.txt", "faint family arabic")
# `ya` and "I am" before these is an exclamation or a feeling, not a name.
_CONTACT = section("beside.txt", "contact verb arabic")
_EXCLAIMED = section("beside.txt", "exclaimed arabic")


class ArabicNames:
    """Finds Arabic names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        latin = Word.CAPITAL | Word.LOWER
        outside = Word.ORDINARY | _CUES | Word.FACILITY
        first_known = vocabulary.one_of(NAME, without=latin)
        known = vocabulary.one_of(NAME, without=latin | Word.CLITIC | Word.ROLE)
        arabic = vocabulary.one_of(Word.ARABIC)
        plain = vocabulary.one_of(Word.ARABIC, without=outside)
        connector = vocabulary.one_of(Word.CONNECTOR, without=latin)
        bin_ = vocabulary.one_of(Word.CONNECTOR, without=latin | Word.WEAK_CONNECTOR)
        abd, divine = vocabulary.one_of(Word.ABD, without=latin), vocabulary.one_of(Word.DIVINE, without=latin)
        kunya = vocabulary.one_of(Word.KUNYA, without=latin)
        second = vocabulary.one_of(Word.SECOND_PART)
        two_words = rf"(?:(?:{kunya}[ ])?{abd}[ ]{divine} | {kunya}[ ]{arabic} | {first_known}[ ]{second})"
        family_like = vocabulary.one_of(Word.ARTICLE_AL, without=outside | Word.CLITIC)
        self._chain = re.compile(
            rf"""
            (?: {two_words}                # Abd Allah, Abu Fahd, Al Saud
              | {first_known}              # a word we know as a name
              | {plain}(?=[ ]{bin_}[ ])    # any word before bin
            )
            (?: [ ] (?: {bin_}[ ] (?: {two_words} | {plain} | {known} )   # bin and whatever follows
                      | {connector}[ ] (?: {two_words} | {known} )
                      | {two_words}
                      | {known}
                      | {family_like}      # perhaps a family name: al-…
                    )
            ){{0,{_LONGEST}}}
            """,
            re.VERBOSE,
        )

    def find(self, words: Words) -> Iterator[Found]:
        """Names by position, overlapping nowhere."""
        previous = -2
        for match in self._chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if first == previous + 1 and (found := _joined(words, first, last)) is not None:
                previous = found.last
                yield found
                continue
            if first == last and not words.meaning(first) & Word.GIVEN and not _beckons(words, first):
                # The commonest case, decided cheaply: one word that is not by itself a name.
                if words.meaning(first) & _FAMILY and (found := _unknown_before(words, first)) is not None:
                    yield found
                continue
            for piece in _without_prepositions(words, first, last):
                if (found := _weigh(words, *piece)) is not None:
                    previous = found.last
                    yield found


def _joined(words: Words, first: int, last: int) -> Found | None:
    """One weak given name that `and` ties to the name before it: أسيل وجنى."""
    weak = words.meaning(first) & Word.CLITIC and words.meaning(first) & Word.GIVEN_WEAK
    if first == last and weak and words.words[first][0] == "و" and words.after(first - 1) == " ":
        return Found(first, last, 1, 0.5)
    return None


def _beckons(words: Words, first: int) -> bool:
    """Whether the word before could make a name of one weak word."""
    return bool(words.meaning(first - 1) & _CUES) or (first > 0 and words.words[first - 1] == "مع")


def _without_prepositions(words: Words, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The chain cut at every `على`: on, not Ali, which folding makes of it."""
    if "علي" not in words.words[first : last + 1]:
        yield first, last
        return
    start = first
    for index in range(first, last + 2):
        if index > last or (words.words[index] == "علي" and words.raw[words.end(index) - 1] == "ى"):
            if start < index:
                yield start, index - 1
            start = index + 1


def _unknown_before(words: Words, last: int) -> Found | None:
    """A word that we do not know and an unmistakable family name, or with a cue any family name."""
    first = last - 1
    word = words.words[first] if first >= 0 else ""
    if words.after(first) != " " or not words.meaning(first) & Word.ARABIC or word.startswith("ال") or len(word) < 3:
        return None
    if words.meaning(first) & (Word.ORDINARY | _CUES | Word.FACILITY) or in_facility(words, first):
        return None
    if word[0] == "و" or word[-1] == "ت":
        return None  # and he said, she said
    if cue_before(words, first) & (Word.TITLE | Word.ROLE | Word.LABEL):
        return Found(first, last, 0, 0.7)
    return Found(first, last, 0, 0.5) if words.meaning(last) & Word.FAMILY else None


def _weigh(words: Words, first: int, last: int) -> Found | None:
    """What of a chain is a name, if anything."""
    while first < last and (words.meaning(first) & _CUES or words.words[first] in _FAINT):
        first += 1  # الشيخ حمد: titles and peoples are family names too
    if in_facility(words, first):
        return None
    cue = cue_before(words, first)
    end = _trimmed(words, first, last, cue)
    if end is None:
        return None
    score = _score(words, first, end, cue)
    return Found(first, end, _clitic_letters(words, first), score) if score else None


def _parts(words: Words, first: int, last: int) -> list[int]:
    """The meanings of the name's units: Abd Allah and Abu Fahd are one given name, connectors are none."""
    parts: list[int] = []
    index = first
    while index <= last:
        meaning = words.meaning(index)
        if meaning & Word.ABD and index < last and words.meaning(index + 1) & Word.DIVINE:
            parts.append(Word.GIVEN)
            index += 1
        elif meaning & Word.KUNYA and index < last and words.meaning(index + 1) & Word.ABD:
            pass  # Abu Abd Allah: what follows counts
        elif meaning & Word.KUNYA and index < last and not meaning & NAME:
            following = words.meaning(index + 1)
            house = words.words[index] == "ال"
            parts.append(Word.FAMILY if house else (following & NAME and Word.GIVEN_WEAK) or 0)
            index += 1
        elif index < last and words.meaning(index + 1) & Word.SECOND_PART:
            # Nour al-Din is nobody but a person; the grace of Allah may be meant by Fadl Allah.
            certain = words.words[index + 1] != "الله" or parts
            parts.append(Word.GIVEN if certain else Word.GIVEN_WEAK)
            index += 1
        elif not meaning & Word.CONNECTOR or meaning & NAME:
            parts.append(meaning & NAME)
        index += 1
    return parts


def _trimmed(words: Words, first: int, last: int, cue: int) -> int | None:
    """The last word of the name: the first that is none ends it, unless it has the look of a family name."""
    end = first
    for index in range(first, last + 1):
        meaning = words.meaning(index)
        previous = words.meaning(index - 1) if index > first else 0
        if meaning & _PARTS or previous & (Word.CONNECTOR | Word.ABD | Word.KUNYA):
            end = index
        elif index > first:
            end = index if _looks_like_family(words, first, index, cue) else index - 1
            break
    while end > first and words.meaning(end) & Word.CONNECTOR and not words.meaning(end) & NAME:
        end -= 1
    return end if end > first or words.meaning(end) & NAME else None


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


def _score(words: Words, first: int, last: int, cue: int) -> float:
    parts = _parts(words, first, last)
    known = sum(1 for part in parts if part & NAME)
    connectors = [m for m in map(words.meaning, range(first, last + 1)) if m & Word.CONNECTOR and not m & NAME]
    if connectors and len(parts) >= 2:
        certain = any(not meaning & Word.WEAK_CONNECTOR for meaning in connectors)
        if known >= 2 or (certain and known) or len(connectors) >= 2:
            return 0.9
        if cue:
            return 0.8
    if not known:
        return 0.0
    return _single(words, parts[0], cue, first) if len(parts) == 1 else _several(words, parts, known, cue, last)


def _several(words: Words, parts: list[int], known: int, cue: int, last: int) -> float:
    """Two or more names without a connector."""
    strong = any(part & (Word.GIVEN | Word.FAMILY) for part in parts)
    if parts[0] & _GIVEN:
        if strong:
            return 0.85
        if cue or known >= 3:
            return 0.7
        # A second word that could be an adjective, too, makes no name: نجاح جميل.
        family = parts[-1] & Word.FAMILY_WEAK and (words.words[last].startswith("ال") or not parts[-1] & _GIVEN)
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
        return Word.ASKING if _is_contacted(words, first) else 0
    word = words.words[first - 1]
    if len(word) == 1 and word not in "يا" and between not in "/.":
        return 0  # single letters are titles only with their mark: د. أ/ م.
    if between in "n,(" and not meaning & (Word.LABEL | Word.ROLE):
        return 0
    return meaning


def _is_contacted(words: Words, first: int) -> bool:
    """Whether the text speaks of being in touch with the name: تواصل مع رائد."""
    with_ = first > 1 and words.words[first - 1] == "مع" and words.after(first - 2) == " "
    return with_ and words.words[first - 2] in _CONTACT


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
