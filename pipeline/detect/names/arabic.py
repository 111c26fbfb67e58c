"""PERSON in Arabic letters: finds chains of given names, connectors and family names, and scores each in its context.

A chain is a match of one regular expression over the word codes (see grammar/words.py). Its score comes from what is
known of its words and from the context words before it.
"""

import re
from collections.abc import Iterator

from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import section
from pipeline.detect.names.arabic_scores import FAMILY, GIVEN, PREDICATES, WEAK_FAMILIES, name_score

# The meanings of context words before a name.
CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.CONTACT
# Polite adjectives between a title and a name: عزيزنا الغالي فهد, الأخت الفاضلة هيفاء.
_COURTESY = section("context_words.txt", "courtesy arabic")
# Verbs that make a context word of the preposition after them: تواصل مع رائد, اتصل على وليد, نرجو من حنين.
_VERBS_BEFORE = {
    "مع": section("context_words.txt", "verb before with arabic"),
    "علي": section("context_words.txt", "verb before to arabic"),
    "من": section("context_words.txt", "verb before from arabic"),
}
_PARTS = NAME | Word.CONNECTOR | Word.ABD | Word.KUNYA | Word.DIVINE | Word.SECOND_PART
_LONGEST = 9  # words after the first: given, father, grandfather, family, with their connectors
_AND = frozenset(["و", "او"])
_ENDS = ",n.:(#"
_NAMING = Word.TITLE | Word.LABEL  # these make a name certain
_ANNOUNCING = Word.TITLE | Word.ROLE | Word.LABEL
_VERBAL = frozenset("وفبلكيتن")  # attached conjunctions and prepositions, and the first letters of verbs


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

        # The words with which a chain can begin. To search for them first is many times faster than to try the whole
        # expression at every word.
        self._heads = re.compile(f"[{first_known[1:-1]}{abd[1:-1]}{kunya[1:-1]}]")
        self._bin = re.compile(f"{bin_}[ ]")

        announcing = vocabulary.one_of(Word.TITLE | Word.LABEL | Word.ROLE, without=latin)
        self._announced = re.compile(rf"{announcing}[ ./:](?P<name>{strange}[ ]{family_like})")

    def find_unknown(self, words: Words) -> Iterator[WordSpan]:
        """Two unknown words after a title or a label, the second with the ending of a family name."""
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
                # The most frequent case, decided cheaply: one word that is no name by itself.
                if words.meaning(first) & FAMILY:
                    found = _unknown_word_before_family(words, first)
            else:
                listed = previous >= 0 and _is_listed(words, first, last, previous)
                last, found = _scored_name(words, first, last, listed=listed)
            if found is not None:
                previous = last = found.last
                yield found
            position = 2 * last + 2  # the rest of the chain may hold another name


def _is_listed(words: Words, first: int, last: int, previous: int) -> bool:
    """Whether a name comes before, with only `and`, `or` or a comma between: أسيل وجنى, وليد او ماهر."""
    word = words.words[first]
    if first == previous + 1:
        if words.after(previous) == " ":
            return word[0] == "و" and bool(words.meaning(first) & Word.CLITIC)
        return words.after(previous) == "," and words.after(last) in ",n." and not word.startswith("ال")
    return first == previous + 2 and words.words[first - 1] in _AND and words.after(previous) in " ,"


def _may_be_single_name(words: Words, first: int, previous: int) -> bool:
    """Whether the context before may make a name of one weak word."""
    if words.after(first - 1) == "n" and words.after(first) == ",":
        return True
    return previous + 2 >= first or (
        first > 0 and (words.meaning(first - 1) & CUES != 0 or _may_be_cue(words, first - 1))
    )


def _may_be_cue(words: Words, index: int) -> bool:
    """Whether a word, alone or with the word before it, may be a cue: مع, ل, الموظفة الفاضلة."""
    return words.words[index] in ("مع", "ل", "علي", "من") or bool(words.meaning(index - 1) & CUES)


def _unknown_word_before_family(words: Words, last: int) -> WordSpan | None:
    """An unknown word and an unambiguous family name, or after a cue any family name."""
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
    """The last word of the name with which a chain begins, and the name with its score, if it is one.

    `listed`: it continues a list of names.
    """
    while first < last and (words.meaning(first) & CUES or words.words[first] in WEAK_FAMILIES):
        first += 1  # الشيخ حمد: titles and peoples are family names too
    if follows_facility(words, first) or (first < last and words.meaning(first) & Word.FACILITY):
        return last, None
    cue = cue_before(words, first) or _company(words, first, last)
    end = _trimmed(words, first, last, cue | (Word.TITLE if listed else 0))
    if end is None:
        return first, None
    certainty = name_score(words, first, end, cue)
    joined = words.after(first - 1) == " "  # by `and`; after a comma the word may be an adjective
    if not certainty and listed and words.meaning(first) & GIVEN and (joined or words.words[first] not in PREDICATES):
        certainty = 0.5
    if not certainty:
        return end, None
    skip = _clitic_letters(words, first)
    if words.trace is not None and cue and name_score(words, first, end, 0) < certainty:
        words.note("PERSON", first, end, cue_words_before(words, first), certain=bool(cue & _NAMING), skip=skip)
    return end, WordSpan(first, end, skip, certainty)


def _trimmed(words: Words, first: int, last: int, cue: int) -> int | None:
    """The last word of the name. A word that is no part of names ends it, unless it looks like a family name."""
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
    """Whether a weak given name follows a family name, and no other family name follows it: نايف الحربي سارية حتى."""
    before, meaning = words.meaning(index - 1), words.meaning(index)
    if not before & FAMILY or before & GIVEN or not words.words[index - 1].startswith("ال"):
        return False
    weak = meaning & NAME == Word.GIVEN_WEAK and not meaning & (Word.KUNYA | Word.ABD)
    return weak and not (words.after(index) == " " and words.meaning(index + 1) & (FAMILY | Word.CONNECTOR))


def _looks_like_family(words: Words, first: int, last: int, cue: int) -> bool:
    """Whether a word that is no known name is the family name of the names before it."""
    word, before = words.words[last], words.meaning(last - 1)
    if len(word) < 3 or (before & FAMILY and not before & GIVEN):
        return False
    if not word.startswith("ال"):
        # At the end of a clause after a title or a label there is neither a verb nor its object.
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


def _clitic_letters(words: Words, first: int) -> int:
    """How many letters of the first word are an attached conjunction or preposition."""
    if not words.meaning(first) & Word.CLITIC:
        return 0
    word = words.words[first]
    without = words.knows(word[1:])
    if without & NAME and not without & Word.CLITIC:
        return 1  # ولمياء: مياء is a name, too
    return 2 if word[:2] in ("ول", "وب", "فل") and words.knows(word[2:]) else 1


def cue_before(words: Words, first: int) -> int:
    """What the context word before word `first` is: title, role, label, greeting or contact word; 0 if it is none."""
    between = words.after(first - 1)
    if between not in " :/.n,(i":
        return 0
    meaning = words.meaning(first - 1) & (Word.TITLE if between == "i" else CUES)  # د.سلطان
    if not meaning:
        return _cue_two_words_before(words, first) if between == " " else 0
    word = words.words[first - 1]
    if len(word) == 1 and word not in "يا" and between not in "/.i":
        return 0  # single letters are titles only with their mark: د. أ/ م.
    if between in "n,(" and not meaning & (Word.LABEL | Word.ROLE):
        return 0
    return meaning


def _company(words: Words, first: int, last: int) -> int:
    """What the preposition `with` is before several words: مع نبيل الرشيد; not مع نجاح باهر, with great success."""
    if words.words[first - 1] != "مع" or words.after(first - 1) != " " or first == last:
        return 0
    return Word.CONTACT if words.words[last].startswith("ال") else 0


def _cue_two_words_before(words: Words, first: int) -> int:
    """What the second word before is, if the first is an adjective of it or a preposition."""
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
    """The first and last word of the cue that `cue_before` found: one word or two."""
    alone = words.meaning(first - 1) & CUES or words.words[first - 1] == "ل"
    return first - 1 if alone else first - 2, first - 1


def follows_facility(words: Words, first: int) -> bool:
    """Whether the name belongs to the name of a street, school or firm: شارع الأمير ماجد."""
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
