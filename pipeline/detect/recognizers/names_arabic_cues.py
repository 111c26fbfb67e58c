"""What stands before an Arabic name and says that it is one, or that it is the name of a street, a school or a firm."""

from pipeline.detect.lexicons.loader import section
from pipeline.detect.recognizers.vocabulary import Word
from pipeline.detect.recognizers.words import Words

CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.ASKING
# Polite adjectives between a title and the name: عزيزنا الغالي فهد, الأخت الفاضلة هيفاء.
_COURTESY = section("beside.txt", "courtesy arabic")
# تواصل مع رائد, اتصل على وليد, نرجو من حنين.
_BEFORE_PREPOSITION = {
    "مع": section("beside.txt", "contact verb arabic"),
    "علي": section("beside.txt", "told to arabic"),
    "من": section("beside.txt", "asked of arabic"),
}


def cue_before(words: Words, first: int) -> int:
    """What the word before says: title, role, label, greeting."""
    between = words.after(first - 1)
    if between not in " :/.n,(":
        return 0
    meaning = words.meaning(first - 1) & CUES
    if not meaning:
        return _cue_further_before(words, first) if between == " " else 0
    word = words.words[first - 1]
    if len(word) == 1 and word not in "يا" and between not in "/.":
        return 0  # single letters are titles only with their mark: د. أ/ م.
    if between in "n,(" and not meaning & (Word.LABEL | Word.ROLE):
        return 0
    return meaning


def _cue_further_before(words: Words, first: int) -> int:
    """What the second word before says, when the first is an adjective to it or a preposition."""
    if first < 2:
        return 0
    word, before, between = words.words[first - 1], words.words[first - 2], words.after(first - 2)
    if between != " ":
        return Word.ASKING if word == "ل" else 0
    meaning = words.meaning(first - 2)
    if word in _COURTESY and meaning & (Word.TITLE | Word.ROLE | Word.GREETING):
        return Word.GREETING
    if word.startswith("ال") and meaning & Word.ROLE and not words.meaning(first - 1) & Word.THING:
        return Word.ROLE  # العاملة المنزلية, مدير المبيعات
    return Word.ASKING if word == "ل" or before in _BEFORE_PREPOSITION.get(word, ()) else 0


def words_before(words: Words, first: int) -> tuple[int, int]:
    """The first and last of the words that `cue_before` speaks of: the one before, or it and the one before it."""
    alone = words.meaning(first - 1) & CUES or words.words[first - 1] == "ل"
    return first - 1 if alone else first - 2, first - 1


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
