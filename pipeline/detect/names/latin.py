"""PERSON in Latin letters: chains of capitalized words, weighed by what is known of them and what stands around."""

import re
from collections.abc import Iterator

from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import section

# What stands beside a Latin name and says that it is one: a title, a label, a greeting, a verb of speech.

CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT | Word.SPEECH
_POSSESSIVES = section("context_words.txt", "possessive latin")
_PERSONAL = section("context_words.txt", "personal role latin")


_VERBS = frozenset({"is", "was", "am", "m"})


def cue_before(words: Words, first: int) -> int:
    """What the word before says: title, role, label, greeting."""
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


def cue_words_before(words: Words, first: int) -> tuple[int, int]:
    """The first and last of the words that `cue_before` speaks of: the one before, a verb with its subject."""
    verb = words.words[first - 1].lower() in _VERBS and words.after(first - 1) == " "
    return first - 1 - verb, first - 1


def has_possessor(words: Words, first: int) -> bool:
    """Whether the word before says whose wife, son or driver this is: my wife Noor."""
    if first < 2 or words.after(first - 1) not in " ," or words.after(first - 2) != " ":
        return False
    return words.words[first - 1] in _PERSONAL and words.words[first - 2].lower() in _POSSESSIVES


def _cue_of_verb(words: Words, verb: int, spelled: str) -> int:
    subject = words.words[verb - 1] if verb else ""
    if words.meaning(verb - 1) & Word.LABEL or (spelled in ("am", "m") and subject in ("I", "i")):
        return Word.LABEL
    return Word.GREETING if subject.lower() in ("this", "it") else 0


def cue_after(words: Words, last: int) -> int:
    """What the word after says: somebody speaks, or an identifier follows."""
    between = words.after(last)
    following = words.meaning(last + 1)
    if between == "<":
        return Word.ID_CUE
    if between in " (,:" and following & Word.ID_CUE:
        return Word.ID_CUE
    if between == " " and following & Word.SPEECH and following & Word.LOWER:
        return Word.SPEECH
    return 0


_STRONG = Word.GIVEN | Word.FAMILY
_GIVEN = Word.GIVEN | Word.GIVEN_WEAK
_FAMILY = Word.FAMILY | Word.FAMILY_WEAK
_JOINTS = Word.CONNECTOR | Word.ARTICLE | Word.PARTICLE
_GRAMMAR = _JOINTS | Word.ABD | Word.KUNYA | Word.DIVINE | Word.PREFIX | Word.INITIAL
_NOT_NAMES = (
    Word.ORDINARY | CUES | Word.NON_PERSON | Word.ID_CUE | Word.FACILITY | Word.FOUNDER | Word.STREET | Word.DISTRICT
    | Word.BUILDING | Word.UNIT | Word.POSTAL | Word.POBOX | Word.ADDITIONAL | Word.ADDRESS_CUE | Word.FILLER
)  # fmt: skip
_FIRM_SUFFIXES = section("context_words.txt", "firm suffix latin")
_SMALL_FACILITIES = section("context_words.txt", "facility small latin")
_DETERMINERS = section("context_words.txt", "determiner latin")
_OFFICES = section("context_words.txt", "office latin")
_MONTHS = section("context_words.txt", "month name latin")
_NAMING = Word.TITLE | Word.LABEL  # what these stand beside is a name, whoever doubts it
_ADDRESSING = Word.TITLE | Word.GREETING | Word.ROLE  # before a word that we do not know
# What a possessive or a contraction leaves after the apostrophe.
_AFTER_APOSTROPHE = frozenset(["s", "S", "ll", "LL", "re", "ve", "d", "m", "t", "M", "D", "T"])


class LatinNames:
    """Finds Latin names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        outside = Word.LOWER | Word.ARABIC | Word.NUMBER | Word.OTHER
        unknown = vocabulary.one_of(Word.CAPITAL, without=_NOT_NAMES | NAME | _GRAMMAR)
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
        lower = vocabulary.one_of(_STRONG, without=Word.CAPITAL | Word.ARABIC)
        self._small_chain = re.compile(rf"{lower}(?:[ -](?:{joint}[ -])?{lower}){{0,4}}")

    def find(self, words: Words, taken: frozenset[int]) -> Iterator[WordSpan]:
        """Names outside the words `taken` by organizations and places, by position within each alphabet case."""
        for match in self._chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if first == last and not words.meaning(first) & NAME and not words.meaning(first - 1) & _ADDRESSING:
                continue  # one unknown word: the commonest case, decided cheaply
            for piece in _pieces(first, last, taken):
                if (found := _scored_name(words, *piece)) is not None:
                    yield found
        for match in self._small_chain.finditer(words.codes):
            first, last = match.start() // 2, (match.end() - 1) // 2
            if (found := _scored_lowercase_name(words, first, last)) is not None:
                yield found


def _pieces(first: int, last: int, taken: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The stretches of words between those taken."""
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
    """What of a chain is a name, if anything."""
    first, last = _trimmed(words, first, last)
    if last < first or _in_identifier(words, first, last) or is_facility_name(words, first, last):
        return None
    parts = _parts(words, first, last)
    cue = cue_before(words, first) | cue_after(words, last)
    if not cue and (particle := _titled_particle(words, first)) < first:
        first, cue = particle, Word.TITLE
    score = _certainty(words, parts, cue, first, last)
    if score and words.trace is not None:
        _note(words, parts, first, last)
    return WordSpan(first, last, 0, score) if score else None


def _note(words: Words, parts: list[int], first: int, last: int) -> None:
    """Notes for an explanation which words beside the name made it one, or made it surer."""
    before, after = cue_before(words, first), cue_after(words, last)
    alone = _certainty(words, parts, 0, first, last)
    shape = "" if any(part & NAME for part in parts) else "capitalized words beside a word that calls for a name"
    if _certainty(words, parts, before, first, last) > alone:
        words.note("PERSON", first, last, cue_words_before(words, first), certain=bool(before & _NAMING), shape=shape)
    elif _certainty(words, parts, before | after, first, last) > alone:
        words.note("PERSON", first, last, (last + 1, last + 1), shape=shape)
    elif len(parts) == 1 and not parts[0] & Word.GIVEN and has_possessor(words, first):
        words.note("PERSON", first, last, (first - 2, first - 1), shape=shape)


def _titled_particle(words: Words, first: int) -> int:
    """Where the particles before a family name begin, when a title stands before them: Ms. van der Berg."""
    begin = first
    while first - begin < 3 and words.after(begin - 1) == " " and words.meaning(begin - 1) & Word.PARTICLE:
        begin -= 1
    return begin if cue_before(words, begin) & Word.TITLE else first


def _trimmed(words: Words, first: int, last: int) -> tuple[int, int]:
    """The chain without a possessive at its end, and without dangling articles and particles."""
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
    """Whether a word is grammar of names and no name itself."""
    return bool(words.meaning(index) & grammar) and not words.meaning(index) & NAME


def _parts(words: Words, first: int, last: int) -> list[int]:
    """The meanings of the name's words; connectors and articles are dropped, Sa'ad is one word.

    A word of no known meaning gives 0; an initial gives INITIAL; one after an article counts as a family name.
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
        elif meaning & (_JOINTS | Word.KUNYA | Word.PREFIX) and not meaning & _STRONG and index < last:
            if meaning & (Word.ARTICLE | Word.KUNYA) and words.meaning(index + 1) & Word.CAPITAL:
                following = words.meaning(index + 1) & NAME
                parts.append(following | (Word.FAMILY if following else Word.FAMILY_WEAK))
                index += 1
        elif meaning & Word.INITIAL:
            parts.append(Word.INITIAL)
        else:
            parts.append(meaning & NAME or _family_by_article(words.words[index]))
        index += 1
    return parts or [0]


def _joined(words: Words, index: int) -> int:
    """What two words joined by an apostrophe mean: Sa'ad is Saad, O'Connor a family name in any case."""
    left, right = words.words[index], words.words[index + 1]
    known = words.knows((left + right).capitalize()) & NAME
    return _STRONG if left in ("O", "D") else known or words.meaning(index) & NAME


def _family_by_article(word: str) -> int:
    """Alqahtany, ALDOSARI: a family name by its article, known or not."""
    return Word.FAMILY_WEAK if len(word) >= 6 and word[:2] in ("Al", "AL", "El", "EL") else 0


def _certainty(words: Words, parts: list[int], cue: int, first: int, last: int) -> float:
    """How sure the words are a name beside this cue, 0 to 1; 0 is no name."""
    if len(parts) == 1:
        return _score_one(words, parts[0], cue, first, last)
    return _score(words, parts, cue, first, last)


def _score(words: Words, parts: list[int], cue: int, first: int, last: int) -> float:
    strong = sum(1 for part in parts if part & _STRONG)
    known = sum(1 for part in parts if part & NAME)
    initials = sum(1 for part in parts if part & Word.INITIAL)
    joined = any(words.meaning(index) & Word.CONNECTOR for index in range(first + 1, last))
    if any(part & Word.GIVEN for part in parts) or (joined and strong):
        return 0.9 if known >= 2 or joined or cue else 0.75
    if cue & (Word.TITLE | Word.LABEL):
        return 0.8 if known or not _has_all_caps_word(words, first, last) or cue & Word.LABEL else 0.0
    if strong and (parts[-1] & _FAMILY):
        return 0.7
    if cue & Word.ROLE and (known or not _has_all_caps_word(words, first, last)):
        return 0.65
    if cue & (Word.GREETING | Word.CONTACT | Word.ID_CUE) and not _has_all_caps_word(words, first, last):
        return 0.6 if known or cue & (Word.GREETING | Word.ID_CUE) else 0.0
    if parts[0] & _GIVEN and parts[-1] & _FAMILY:
        return 0.6
    if initials and len(parts) > initials and (known or len(parts) - initials >= 2):
        return 0.55 if any(words.after(index) == "." for index in range(first, last)) else 0.0
    return 0.55 if known and parts[-1] == Word.FAMILY_WEAK and _has_article(words, first, last) else 0.0


def _has_article(words: Words, first: int, last: int) -> bool:
    return any(words.meaning(index) & Word.ARTICLE for index in range(first, last)) or bool(
        _family_by_article(words.words[last])
    )


def _has_all_caps_word(words: Words, first: int, last: int) -> bool:
    return any(len(word) > 1 and word.isupper() for word in words.words[first : last + 1])


def _score_one(words: Words, part: int, cue: int, first: int, last: int) -> float:
    """One name word alone."""
    before = words.words[first - 1].lower() if first and words.after(first - 1) == " " else ""
    if before in _DETERMINERS or (len(words.words[last]) <= 2 and not cue & (Word.TITLE | Word.GREETING)):
        return 0.0
    if part & Word.GIVEN and (cue or not _has_all_caps_word(words, first, last)):
        return 0.7 if cue else 0.5
    if part & _GIVEN and words.after(first - 1) == "," and words.meaning(first - 1) & Word.FAMILY:
        return 0.5  # the given name behind it
    if has_possessor(words, first) and not _has_all_caps_word(words, first, last):
        return 0.6
    if cue & Word.GREETING and words.after(last) in ",n:" and not part and not _has_all_caps_word(words, first, last):
        return 0.55  # Dear Xyz,
    headline = words.after(last) == " " and words.meaning(last + 1) & Word.CAPITAL
    if part & Word.GIVEN_WEAK and words.words[first].lower() not in _MONTHS:
        if headline and not cue & (Word.TITLE | Word.GREETING):
            return 0.0  # Olive Oil
        if cue & (Word.TITLE | Word.LABEL | Word.GREETING | Word.CONTACT):
            return 0.55
        return 0.55 if cue & Word.SPEECH and not _has_all_caps_word(words, first, last) else 0.0
    if cue & Word.TITLE and before not in _OFFICES and not words.meaning(first - 1) & Word.FOUNDER:
        return 0.65 if part & _FAMILY or not _has_all_caps_word(words, first, last) else 0.0
    if part & _FAMILY and words.after(last) == "," and words.meaning(last + 1) & _GIVEN:
        return 0.5  # Gomez, Luis
    if part & Word.FAMILY and first < last and words.meaning(first) & Word.ARTICLE:
        return 0.5
    return 0.0


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
    """Whether a street, a hospital, a firm carries the name."""
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


def _scored_lowercase_name(words: Words, first: int, last: int) -> WordSpan | None:
    """Names without capitals: two known words, or one after a label or a greeting."""
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
