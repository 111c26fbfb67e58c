"""PERSON in Arabic letters: chains of given names, connectors and family names, weighed by what stands around them."""

import re
from collections.abc import Iterator

from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import section

# What stands before an Arabic name and says that it is one, or that it is the name of a street, a school or a firm.

CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT
# Polite adjectives between a title and the name: عزيزنا الغالي فهد, الأخت الفاضلة هيفاء.
_COURTESY = section("context_words.txt", "courtesy arabic")
# تواصل مع رائد, اتصل على وليد, نرجو من حنين.
_VERBS_BEFORE = {
    "مع": section("context_words.txt", "verb before with arabic"),
    "علي": section("context_words.txt", "verb before to arabic"),
    "من": section("context_words.txt", "verb before from arabic"),
}


def cue_before(words: Words, first: int) -> int:
    """What the word before says: title, role, label, greeting."""
    between = words.after(first - 1)
    if between not in " :/.n,(":
        return 0
    meaning = words.meaning(first - 1) & CUES
    if not meaning:
        return _cue_two_words_before(words, first) if between == " " else 0
    word = words.words[first - 1]
    if len(word) == 1 and word not in "يا" and between not in "/.":
        return 0  # single letters are titles only with their mark: د. أ/ م.
    if between in "n,(" and not meaning & (Word.LABEL | Word.ROLE):
        return 0
    return meaning


def _cue_two_words_before(words: Words, first: int) -> int:
    """What the second word before says, when the first is an adjective to it or a preposition."""
    if first < 2:
        return 0
    word, before, between = words.words[first - 1], words.words[first - 2], words.after(first - 2)
    if between != " ":
        return Word.CONTACT if word == "ل" else 0
    meaning = words.meaning(first - 2)
    if word in _COURTESY and meaning & (Word.TITLE | Word.ROLE | Word.GREETING):
        return Word.GREETING
    if word.startswith("ال") and meaning & Word.ROLE and not words.meaning(first - 1) & Word.NON_PERSON:
        return Word.ROLE  # العاملة المنزلية, مدير المبيعات
    return Word.CONTACT if word == "ل" or before in _VERBS_BEFORE.get(word, ()) else 0


def cue_words_before(words: Words, first: int) -> tuple[int, int]:
    """The first and last of the words that `cue_before` speaks of: the one before, or it and the one before it."""
    alone = words.meaning(first - 1) & CUES or words.words[first - 1] == "ل"
    return first - 1 if alone else first - 2, first - 1


def follows_facility(words: Words, first: int) -> bool:
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


# How sure a chain of Arabic words is a name: what is known of each, and what stands before them.

GIVEN = Word.GIVEN | Word.GIVEN_WEAK
FAMILY = Word.FAMILY | Word.FAMILY_WEAK
# Family names that are also ordinals, adjectives or peoples: too weak to make a name of a weak given name.
WEAK_FAMILIES = section("context_words.txt", "weak family arabic")
# `ya` and "I am" before these is an exclamation or a feeling, not a name.
_EXCLAMATIONS = section("context_words.txt", "exclamation arabic")
# After a role these say how somebody is: the director is fair, the customer is satisfied.
PREDICATES = section("context_words.txt", "predicate arabic") | _EXCLAMATIONS


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
            parts.append(Word.FAMILY if house else _kunya_meaning(words, index, following))
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


def _kunya_meaning(words: Words, index: int, following: int) -> int:
    """What Abu or Umm and a name are together: certain with a certain name, or where `or` cannot be meant."""
    if following & Word.GIVEN or (following & NAME and words.words[index] == "ابو"):
        return Word.GIVEN
    return Word.GIVEN_WEAK if following & NAME else 0


def score(words: Words, first: int, last: int, cue: int) -> float:
    """How sure words `first` to `last` are a name, 0 to 1; 0 is no name. `cue`: what stands before (CUES)."""
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
    return (
        _score_single(words, parts[0], cue, first)
        if len(parts) == 1
        else _score_several(words, parts, known, cue, last)
    )


def _score_several(words: Words, parts: list[int], known: int, cue: int, last: int) -> float:
    """Two or more names without a connector."""
    strong = any(part & (Word.GIVEN | Word.FAMILY) for part in parts)
    if parts[0] & GIVEN:
        if strong:
            return 0.85
        if cue or known >= 3:
            return 0.7
        # A second word that could be an adjective, too, makes no name: نجاح جميل.
        family = parts[-1] & Word.FAMILY_WEAK and (words.words[last].startswith("ال") or not parts[-1] & GIVEN)
        return 0.6 if family and words.words[last] not in WEAK_FAMILIES else 0.0
    if parts[0] & Word.FAMILY and any(part & Word.GIVEN for part in parts[1:]):
        return 0.6
    return 0.6 if cue & (Word.TITLE | Word.LABEL | Word.ROLE) and strong else 0.0


def _score_single(words: Words, part: int, cue: int, first: int) -> float:
    """One name word alone: an unmistakable given name, or one with a title or a greeting before it."""
    if part & Word.GIVEN:
        return 0.7 if cue else 0.55
    word = words.words[first]
    if not cue:
        spoken_to = part & Word.GIVEN_WEAK and words.after(first - 1) == "n" and words.after(first) == ","
        return 0.5 if spoken_to and word not in PREDICATES else 0.0  # إيمان، وينك؟
    if part & Word.GIVEN_WEAK:
        if cue & (Word.GREETING | Word.LABEL) and (word in _EXCLAMATIONS or words.words[first - 1] == "انا"):
            return 0.0
        if cue & (Word.TITLE | Word.GREETING | Word.CONTACT | Word.LABEL):
            return 0.6
        return 0.55 if word not in PREDICATES and not word.startswith("ال") else 0.0
    return 0.6 if part & Word.FAMILY and cue & Word.TITLE else 0.0


_PARTS = NAME | Word.CONNECTOR | Word.ABD | Word.KUNYA | Word.DIVINE | Word.SECOND_PART
_LONGEST = 9  # words after the first: given, father, grandfather, family, with their connectors
_AND = frozenset(["و", "او"])
_ENDS = ",n.:(#"
_NAMING = Word.TITLE | Word.LABEL  # what these stand before is a name, whoever doubts it
_ANNOUNCING = Word.TITLE | Word.ROLE | Word.LABEL


class ArabicNames:
    """Finds Arabic names. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        latin = Word.CAPITAL | Word.LOWER
        outside = Word.ORDINARY | CUES | Word.FACILITY
        first_known = vocabulary.one_of(NAME, without=latin)
        known = vocabulary.one_of(NAME, without=latin | Word.CLITIC | Word.ROLE)
        called = vocabulary.one_of(Word.ARABIC, without=Word.ORDINARY | CUES)
        plain = vocabulary.one_of(Word.ARABIC, without=outside)
        strange = vocabulary.one_of(Word.ARABIC, without=outside | NAME | Word.CLITIC | Word.ARTICLE_AL)
        identifier = vocabulary.one_of(Word.ID_CUE, without=latin)
        connector = vocabulary.one_of(Word.CONNECTOR, without=latin)
        bin_ = vocabulary.one_of(Word.CONNECTOR, without=latin | Word.WEAK_CONNECTOR)
        abd, divine = vocabulary.one_of(Word.ABD, without=latin), vocabulary.one_of(Word.DIVINE, without=latin)
        kunya = vocabulary.one_of(Word.KUNYA, without=latin)
        second = vocabulary.one_of(Word.SECOND_PART)
        called = f"[{called[1:-1]}{known[1:-1]}]"
        two_words = rf"(?:(?:{kunya}[ ])?{abd}[ ]{divine} | {kunya}[ ]{called} | {known}[ ]{second})"
        family_like = vocabulary.one_of(Word.ARTICLE_AL, without=outside | Word.CLITIC)
        self._chain = re.compile(
            rf"""
            (?: {first_known}[ ]{second} | {two_words}                # Abd Allah, Abu Fahd, Al Saud
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
            (?: [ ]{strange}(?=[{_ENDS}]|[ ]{identifier}) )?  # a family name unknown, where a clause ends
            """,
            re.VERBOSE,
        )

        # Where a chain can begin: scanned for by themselves, which is many times faster than trying it everywhere.
        self._heads = re.compile(f"[{first_known[1:-1]}{abd[1:-1]}{kunya[1:-1]}]")
        self._bin = re.compile(f"{bin_}[ ]")

        announcing = vocabulary.one_of(Word.TITLE | Word.LABEL | Word.ROLE, without=latin)
        self._announced = re.compile(rf"{announcing}[ ./:](?P<name>{strange}[ ]{family_like})")

    def find_unknown(self, words: Words) -> Iterator[WordSpan]:
        """Two words that we do not know behind a title or a label, the second with the look of a family name."""
        for match in self._announced.finditer(words.codes):
            first = match.start("name") // 2
            family = words.words[first + 1]
            shaped = len(family) > 4 and family[-1] == "ي" and len(words.words[first]) > 2
            if shaped and cue_before(words, first) & (Word.TITLE | Word.LABEL) and not follows_facility(words, first):
                shape = "unknown words behind a title or a label, the last like a family name"
                words.note("PERSON", first, first + 1, cue_words_before(words, first), certain=True, shape=shape)
                yield WordSpan(first, first + 1, 0, 0.6)

    def find(self, words: Words) -> Iterator[WordSpan]:
        """Names by position, overlapping nowhere."""
        heads = {match.start() for match in self._heads.finditer(words.codes)}
        heads.update(match.start() - 2 for match in self._bin.finditer(words.codes, 2))
        previous, position = -2, 0
        for head in sorted(heads):
            match = self._chain.match(words.codes, head) if head >= position else None
            if match is None:
                continue
            first, last = head // 2, (match.end() - 1) // 2
            found: WordSpan | None = None
            if (
                first == last
                and not words.meaning(first) & Word.GIVEN
                and not _may_be_single_name(words, first, previous)
            ):
                # The commonest case, decided cheaply: one word that is not by itself a name.
                if words.meaning(first) & FAMILY:
                    found = _unknown_word_before_family(words, first)
            else:
                last, found = _read(words, first, last, previous)
            if found is not None:
                previous = last = found.last
                yield found
                if words.words[last + 1 : last + 2] == ["وعلي"] and words.after(last) == " ":
                    last += 1
                    if words.raw[words.end(last) - 1] == "ي":  # and Ali, not `and on`
                        previous = last
                        yield WordSpan(last, last, 1, 0.5)
            position = 2 * last + 2  # what a name leaves of its chain may be another


def _read(words: Words, first: int, last: int, previous: int) -> tuple[int, WordSpan | None]:
    """Where the name that may begin with word `first` ends, and the name, if it is one.

    A preposition that folding makes a name of (على, Ali) ends it; what follows is read anew.
    """
    for index in range(first, last + 1):
        if words.words[index] == "علي" and words.raw[words.end(index) - 1] == "ى":
            if index == first:
                return first, None
            last = index - 1
            break
    listed = previous >= 0 and _is_listed(words, first, last, previous)
    return _scored_name(words, first, last, listed=listed)


def _is_listed(words: Words, first: int, last: int, previous: int) -> bool:
    """Whether a name stands before, with nothing but `and`, `or` or a comma between: أسيل وجنى, وليد او ماهر."""
    word = words.words[first]
    if first == previous + 1:
        if words.after(previous) == " ":
            return word[0] == "و" and bool(words.meaning(first) & Word.CLITIC)
        return words.after(previous) == "," and words.after(last) in ",n." and not word.startswith("ال")
    return first == previous + 2 and words.words[first - 1] in _AND and words.after(previous) in " ,"


def _may_be_single_name(words: Words, first: int, previous: int) -> bool:
    """Whether what stands before could make a name of one weak word."""
    if words.after(first - 1) == "n" and words.after(first) == ",":
        return True
    return previous + 2 >= first or (
        first > 0 and (words.meaning(first - 1) & CUES != 0 or _may_be_cue(words, first - 1))
    )


def _may_be_cue(words: Words, index: int) -> bool:
    """Whether a word alone, or with one before it, may be a cue: مع, ل, الموظفة الفاضلة."""
    return words.words[index] in ("مع", "ل", "علي", "من") or bool(words.meaning(index - 1) & CUES)


def _unknown_word_before_family(words: Words, last: int) -> WordSpan | None:
    """A word that we do not know and an unmistakable family name, or with a cue any family name."""
    first = last - 1
    word = words.words[first] if first >= 0 else ""
    if words.after(first) != " " or not words.meaning(first) & Word.ARABIC or word.startswith("ال") or len(word) < 3:
        return None
    if words.meaning(first) & (Word.ORDINARY | CUES | Word.FACILITY) or follows_facility(words, first):
        return None
    cue, shape = cue_before(words, first) & _ANNOUNCING, "unknown word before a family name"
    if cue:
        words.note("PERSON", first, last, cue_words_before(words, first), certain=bool(cue & _NAMING), shape=shape)
        return WordSpan(first, last, 0, 0.7)
    if word[0] == "و" or word[-1] == "ت":
        return None  # and he said, she said
    if not words.meaning(last) & Word.FAMILY:
        return None
    words.note("PERSON", first, last, None, shape=shape)
    return WordSpan(first, last, 0, 0.5)


def _scored_name(words: Words, first: int, last: int, *, listed: bool) -> tuple[int, WordSpan | None]:
    """Where the name ends that a chain begins with, and the name, if it is one. `listed`: one stands before it."""
    while first < last and (words.meaning(first) & CUES or words.words[first] in WEAK_FAMILIES):
        first += 1  # الشيخ حمد: titles and peoples are family names too
    if follows_facility(words, first) or (first < last and words.meaning(first) & Word.FACILITY):
        return last, None
    cue = cue_before(words, first)
    end = _trimmed(words, first, last, cue | (Word.TITLE if listed else 0))
    if end is None:
        return first, None
    certainty = score(words, first, end, cue)
    joined = words.after(first - 1) == " "  # by `and`: behind a comma an adjective may stand
    if not certainty and listed and words.meaning(first) & GIVEN and (joined or words.words[first] not in PREDICATES):
        certainty = 0.5
    if not certainty:
        return end, None
    skip = _clitic_letters(words, first)
    if words.trace is not None and cue and score(words, first, end, 0) < certainty:
        words.note("PERSON", first, end, cue_words_before(words, first), certain=bool(cue & _NAMING), skip=skip)
    return end, WordSpan(first, end, skip, certainty)


def _trimmed(words: Words, first: int, last: int, cue: int) -> int | None:
    """The last word of the name: the first that is none ends it, unless it has the look of a family name."""
    end = first
    for index in range(first, last + 1):
        meaning = words.meaning(index)
        previous = words.meaning(index - 1) if index > first else 0
        if previous & (Word.CONNECTOR | Word.ABD | Word.KUNYA):
            end = index
        elif meaning & _PARTS:
            if index > first + 1 and _is_after_family_name(words, index):
                break
            end = index
        elif index > first:
            end = index if _looks_like_family(words, first, index, cue) else index - 1
            break
    while end > first and words.meaning(end) & Word.CONNECTOR and not words.meaning(end) & NAME:
        end -= 1
    return end if end > first or words.meaning(end) & NAME else None


def _is_after_family_name(words: Words, index: int) -> bool:
    """Whether a weak given name follows a family name, and no other family name it: نايف الحربي سارية حتى."""
    before, meaning = words.meaning(index - 1), words.meaning(index)
    if not before & FAMILY or before & GIVEN or not words.words[index - 1].startswith("ال"):
        return False
    weak = meaning & NAME == Word.GIVEN_WEAK and not meaning & (Word.KUNYA | Word.ABD)
    return weak and not (words.after(index) == " " and words.meaning(index + 1) & (FAMILY | Word.CONNECTOR))


def _looks_like_family(words: Words, first: int, last: int, cue: int) -> bool:
    """Whether a word that we do not know, or know as something else, is the family name of the names before it."""
    word, before = words.words[last], words.meaning(last - 1)
    if len(word) < 3 or (before & FAMILY and not before & GIVEN):
        return False
    if not word.startswith("ال"):
        # At the end of a clause, behind a title or a label: no verb stands there, and no object of one.
        ends = words.after(last) in _ENDS or bool(words.meaning(last + 1) & Word.ID_CUE)
        return ends and bool(cue & _ANNOUNCING and before & NAME) and word[0] not in _VERBAL and word[-1] not in "هتن"
    if len(word) < 5:
        return False
    if any(words.meaning(index) & Word.CONNECTOR for index in range(first, last)) or cue & (Word.LABEL | Word.ROLE):
        return True
    if word[-1] == "ي" and not word.endswith("ائي"):
        return bool(before & Word.GIVEN or cue & Word.TITLE) or last - first >= 2
    ends = words.after(last) in _ENDS and bool(cue & (Word.TITLE | Word.GREETING))
    return (ends or last - first >= 2) and before & NAME != 0 and word[-1] not in "هتن"


_VERBAL = frozenset("وفبلكيتن")  # conjunctions and prepositions attached, and the letters that verbs begin with


def _clitic_letters(words: Words, first: int) -> int:
    """How many letters of the first word are an attached conjunction or preposition."""
    if not words.meaning(first) & Word.CLITIC:
        return 0
    word = words.words[first]
    if word[:2] in ("ول", "وب", "فل") and words.knows(word[2:]):
        return 2
    return 1
