"""PERSON in Latin letters: finds chains of capitalized words, and scores each by its words and its context words.

The scores are in `latin_scores`. Names of known words in small letters are found too.
"""

import re
from collections.abc import Iterator

from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import section
from pipeline.detect.names.latin_scores import STRONG, family_by_article, has_possessor, name_score

# The meanings of context words of a name.
CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT | Word.SPEECH
_VERBS = frozenset({"is", "was", "am", "m"})
_JOINTS = Word.CONNECTOR | Word.ARTICLE | Word.PARTICLE
_GRAMMAR = _JOINTS | Word.ABD | Word.KUNYA | Word.DIVINE | Word.PREFIX | Word.INITIAL
# Capitalized words that belong to no name.
OUTSIDE_NAMES = (
    Word.ORDINARY | CUES | Word.NON_PERSON | Word.ID_CUE | Word.FACILITY | Word.FOUNDER | Word.STREET | Word.DISTRICT
    | Word.BUILDING | Word.UNIT | Word.POSTAL | Word.POBOX | Word.ADDITIONAL | Word.ADDRESS_CUE | Word.FILLER
)  # fmt: skip
_FIRM_SUFFIXES = section("context_words.txt", "firm suffix latin")
_SMALL_FACILITIES = section("context_words.txt", "facility small latin")
_NAMING = Word.TITLE | Word.LABEL  # these make a name certain
_BEFORE_UNKNOWN = Word.TITLE | Word.GREETING | Word.ROLE  # these can make a name of one unknown word
# What a possessive or a contraction leaves after the apostrophe.
_AFTER_APOSTROPHE = frozenset(["s", "S", "ll", "LL", "re", "ve", "d", "m", "t", "M", "D", "T"])


class LatinNames:
    """Finds Latin names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        outside = Word.LOWER | Word.ARABIC | Word.NUMBER | Word.OTHER
        unknown = vocabulary.one_of(Word.CAPITAL, without=OUTSIDE_NAMES | NAME | _GRAMMAR)
        known = vocabulary.one_of(NAME | _GRAMMAR, without=outside)
        capital = f"[{unknown[1:-1]}{known[1:-1]}]"
        small = vocabulary.one_of(Word.LOWER)
        joint = vocabulary.one_of(_JOINTS, without=Word.CAPITAL | Word.ARABIC)
        short = vocabulary.one_of(Word.INITIAL | Word.PREFIX)
        self._chain = re.compile(
            rf"""
            {capital} (?:'{small})?                  # Ahmed, Sa'ad
            (?: (?: [ '-] (?:{joint}[ -]){{0,2}}     # bin, al-, de la
                  | (?<={short})[.i] )               # J. Smith, Md. Karim
                {capital} (?:'{small})? ){{0,8}}
            """,
            re.VERBOSE,
        )
        lower = vocabulary.one_of(STRONG, without=Word.CAPITAL | Word.ARABIC)
        self._small_chain = re.compile(rf"{lower}(?:[ -](?:{joint}[ -])?{lower}){{0,4}}")

    def find(self, words: Words, taken: frozenset[int]) -> Iterator[WordSpan]:
        """Names outside the words `taken` by organizations and places: first the capitalized ones, then the others."""
        for match in self._chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if first == last and not words.meaning(first) & NAME and not words.meaning(first - 1) & _BEFORE_UNKNOWN:
                continue  # one unknown word: the most frequent case, decided cheaply
            for piece in _pieces(first, last, taken):
                if (found := _scored_name(words, *piece)) is not None:
                    yield found
        for match in self._small_chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if (found := _scored_lowercase_name(words, first, last)) is not None:
                yield found


def _pieces(first: int, last: int, taken: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The runs of words between the taken ones, as first and last word."""
    if taken.isdisjoint(range(first, last + 1)):
        yield first, last
        return
    start = first
    for index in range(first, last + 2):
        if index > last or index in taken:
            if start < index:
                yield start, index - 1
            start = index + 1


def _scored_name(words: Words, first: int, last: int) -> WordSpan | None:
    """The part of a chain that is a name, with its score; None if there is none."""
    first, last = _trimmed(words, first, last)
    if last < first or _in_identifier(words, first, last) or is_facility_name(words, first, last):
        return None
    parts = _parts(words, first, last)
    cue = cue_before(words, first) | cue_after(words, last)
    if not cue and (particle := _titled_particle(words, first)) < first:
        first, cue = particle, Word.TITLE
    score = name_score(words, parts, cue, first, last)
    if score and words.trace is not None:
        _note(words, parts, first, last)
    return WordSpan(first, last, 0, score) if score else None


def _note(words: Words, parts: list[int], first: int, last: int) -> None:
    """Records for an explanation which context words made the name certain enough, or raised its score."""
    before, after = cue_before(words, first), cue_after(words, last)
    alone = name_score(words, parts, 0, first, last)
    shape = "" if any(part & NAME for part in parts) else "capitalized words beside a word that calls for a name"
    if name_score(words, parts, before, first, last) > alone:
        words.note("PERSON", first, last, cue_words_before(words, first), certain=bool(before & _NAMING), shape=shape)
    elif name_score(words, parts, before | after, first, last) > alone:
        words.note("PERSON", first, last, (last + 1, last + 1), shape=shape)
    elif len(parts) == 1 and not parts[0] & Word.GIVEN and has_possessor(words, first):
        words.note("PERSON", first, last, (first - 2, first - 1), shape=shape)


def _titled_particle(words: Words, first: int) -> int:
    """The first of the particles before a family name that follow a title: Ms. van der Berg. Otherwise `first`."""
    begin = first
    while first - begin < 3 and words.after(begin - 1) == " " and words.meaning(begin - 1) & Word.PARTICLE:
        begin -= 1
    return begin if cue_before(words, begin) & Word.TITLE else first


def _trimmed(words: Words, first: int, last: int) -> tuple[int, int]:
    """The chain without a possessive ending, and without articles, particles or pronouns at its ends."""
    if last > first and words.after(last - 1) == "'" and words.words[last] in _AFTER_APOSTROPHE:
        last -= 1
    if first < last and words.words[first] == "I" and words.after(first) == "'":
        first += 2  # I'm, I'd
    while last >= first and _is_only(words, last, _JOINTS | Word.ABD | Word.PREFIX):
        last -= 1
    while first <= last and _is_only(words, first, Word.CONNECTOR | Word.DIVINE | Word.PARTICLE):
        first += 1
    if first < last and words.words[first] in ("A", "I") and words.after(first) == " ":
        first += 1  # the article, the pronoun
    if first < last and words.words[last] == "I" and words.after(last - 1) == " ":
        last -= 1
    return first, last


def _is_only(words: Words, index: int, grammar: int) -> bool:
    """Whether a word is one of these grammar words and no name itself."""
    return bool(words.meaning(index) & grammar) and not words.meaning(index) & NAME


def _parts(words: Words, first: int, last: int) -> list[int]:
    """The meanings of the name words. Connectors and articles are left out; Sa'ad is one word.

    An unknown word gives 0, an initial INITIAL, a word after an article a family name.
    """
    parts: list[int] = []
    index = first
    while index <= last:
        meaning = words.meaning(index)
        if index < last and words.after(index) == "'":
            parts.append(_joined(words, index))
            index += 2
            continue
        if meaning & Word.ABD and index < last:
            while index < last and words.meaning(index + 1) & Word.ARTICLE:
                index += 1
            parts.append(Word.GIVEN if index < last else 0)
            index += 1
        elif meaning & (_JOINTS | Word.KUNYA | Word.PREFIX) and not meaning & STRONG and index < last:
            if meaning & (Word.ARTICLE | Word.KUNYA) and words.meaning(index + 1) & Word.CAPITAL:
                following = words.meaning(index + 1) & NAME
                parts.append(following | (Word.FAMILY if following else Word.FAMILY_WEAK))
                index += 1
        elif meaning & Word.INITIAL:
            parts.append(Word.INITIAL)
        else:
            parts.append(meaning & NAME or family_by_article(words.words[index]))
        index += 1
    return parts or [0]


def _joined(words: Words, index: int) -> int:
    """The meaning of two words with an apostrophe between: Sa'ad is Saad, O'Connor is always a family name."""
    left, right = words.words[index], words.words[index + 1]
    known = words.knows((left + right).capitalize()) & NAME
    return STRONG if left in ("O", "D") else known or words.meaning(index) & NAME


def _scored_lowercase_name(words: Words, first: int, last: int) -> WordSpan | None:
    """A name in small letters: two known words, or one after a title, label, greeting or contact word."""
    if words.after(last) in "@i" and words.meaning(last + 1) & (Word.LOWER | Word.NUMBER):
        return None
    if words.after(first - 1) not in " :n,(#" or (first and words.after(first - 1) == ":" and words.after(last) == ":"):
        return None
    parts = [words.meaning(index) for index in range(first, last + 1)]
    cue = cue_before(words, first) & (Word.TITLE | Word.LABEL | Word.GREETING | Word.CONTACT)
    if len(parts) >= 2 and any(part & Word.GIVEN for part in parts):
        return WordSpan(first, last, 0, 0.6)
    if not (cue and parts[0] & Word.GIVEN):
        return None
    words.note("PERSON", first, last, cue_words_before(words, first), certain=bool(cue & _NAMING))
    return WordSpan(first, last, 0, 0.55)


def cue_before(words: Words, first: int) -> int:
    """What the context word before word `first` is: title, role, label, greeting or contact word; 0 if it is none."""
    between = words.after(first - 1)
    if between not in " :/.n,(" or first == 0:
        return 0
    previous = words.words[first - 1].lower()
    if previous in _VERBS and between == " ":
        return _cue_of_verb(words, first - 1, previous)
    meaning = words.meaning(first - 1) & CUES & ~Word.SPEECH
    if between in "n,(" and not (between == "n" and meaning & (Word.LABEL | Word.ROLE)):
        meaning &= Word.GREETING if between == "," else 0
    if between == "." and not meaning & Word.TITLE:
        return 0
    if meaning & Word.LABEL and words.meaning(first - 2) & Word.NON_PERSON:
        return 0  # file name, company name
    return meaning


def _cue_of_verb(words: Words, verb: int, spelled: str) -> int:
    subject = words.words[verb - 1] if verb else ""
    if words.meaning(verb - 1) & Word.LABEL or (spelled in ("am", "m") and subject in ("I", "i")):
        return Word.LABEL
    return Word.GREETING if subject.lower() in ("this", "it") else 0


def cue_words_before(words: Words, first: int) -> tuple[int, int]:
    """The first and last word of the cue that `cue_before` found: one word, or a verb with its subject."""
    verb = words.words[first - 1].lower() in _VERBS and words.after(first - 1) == " "
    return first - 1 - verb, first - 1


def cue_after(words: Words, last: int) -> int:
    """What the word after word `last` is: SPEECH for a verb of speech, ID_CUE before an identifier, otherwise 0."""
    between = words.after(last)
    following = words.meaning(last + 1)
    if between == "<":
        return Word.ID_CUE
    if between in " (,:" and following & Word.ID_CUE:
        return Word.ID_CUE
    if between == " " and following & Word.SPEECH and following & Word.LOWER:
        return Word.SPEECH
    return 0


def _in_identifier(words: Words, first: int, last: int) -> bool:
    """Whether the words are part of an e-mail address, a host, a handle or a file name."""
    before, after = words.after(first - 1), words.after(last)
    if after == "@" or (after == "i" and not words.meaning(last + 1) & (Word.CAPITAL | Word.ARABIC)):
        return (
            words.end(last) + 1 < len(words.text)
            and not words.text[words.end(last) + 1 : words.end(last) + 2].isspace()
        )
    if after == "-" and words.meaning(last + 1) & Word.NUMBER:
        return True
    if before == "/" and words.meaning(first - 1) & (Word.LOWER | Word.NUMBER) and not words.meaning(first - 1) & CUES:
        return words.text[words.start(first) - 1] == "/"  # a path
    mention = before == "@" and words.text[max(0, words.start(first) - 2) : words.start(first)].strip() == "@"
    return (before == "@" and not mention) or (before == "i" and not words.meaning(first - 1) & (Word.INITIAL | CUES))


def is_facility_name(words: Words, first: int, last: int) -> bool:
    """Whether the name is that of a street, a hospital or a firm."""
    after, following = words.after(last), words.meaning(last + 1)
    if after in " -" and following & Word.CAPITAL and following & (Word.FACILITY | Word.STREET | Word.DISTRICT):
        return True
    if after == " " and words.words[last + 1] in _SMALL_FACILITIES:
        return True
    if (
        after == "#"
        and words.text.startswith(" & ", words.end(last))
        and words.words[last + 1].lower() in _FIRM_SUFFIXES
    ):
        return True
    before = words.meaning(first - 1) if words.after(first - 1) == " " else 0
    if before & Word.FOUNDER and before & Word.CAPITAL:
        return after == " " and bool(following & Word.CAPITAL)
    return bool(before & (Word.STREET | Word.DISTRICT) and before & Word.CAPITAL)
