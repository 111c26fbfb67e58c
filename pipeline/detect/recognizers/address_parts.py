"""The parts of an address, one by one: street, district, building or unit, post box, city, postal and short code."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.detect.lexicons.loader import section
from pipeline.detect.recognizers.vocabulary import Word
from pipeline.detect.recognizers.words import Words

_SHORT_CODE = re.compile(r"[A-Z]{4} ?[0-9]{4}(?![0-9A-Za-z])")
PART_CUES = (
    Word.STREET | Word.DISTRICT | Word.BUILDING | Word.UNIT | Word.POSTAL | Word.ADDITIONAL | Word.POBOX
)  # fmt: skip
# Words that may stand between the parts of an address or inside one, such as `no.` and `رقم`.
FILLERS = Word.FILLER | Word.POSTAL | Word.ADDITIONAL


class Part(NamedTuple):
    """Words `first` to `last` (inclusive) are one part of an address."""

    first: int
    last: int
    kind: str


def find_parts(words: Words, anchors: list[int], city_at: dict[int, int]) -> Iterator[Part]:
    """Every part, overlapping ones too."""
    for index in anchors:
        meaning = words.meaning(index)
        if meaning & Word.STREET:
            yield from _named(words, index, "street", 5, city_at)
        if meaning & Word.DISTRICT:
            yield from _named(words, index, "district", 3, city_at)
        if meaning & Word.POBOX:
            yield from _post_box(words, index)
        if meaning & (Word.BUILDING | Word.UNIT):
            yield from _numbered(words, index, "building" if meaning & Word.BUILDING else "unit", 1, 5)
        if meaning & Word.POSTAL:
            yield from _numbered(words, index, "postal", 5, 5)
        if meaning & Word.ADDITIONAL:
            yield from _numbered(words, index, "additional", 4, 4)
    yield from short_codes(words)
    for first, last in city_at.items():
        yield from _city(words, first, last)


def is_number(words: Words, index: int, shortest: int, longest: int) -> bool:
    """Whether word `index` is a number of so many digits, perhaps with one letter (12B)."""
    if index < 0 or not words.meaning(index) & Word.NUMBER:
        return False
    word = words.words[index]
    digits = word.rstrip("ABCDEFabcdefابجد") if len(word) > 1 else word
    return digits.isdigit() and shortest <= len(digits) <= longest and len(word) - len(digits) <= 1


def _named(words: Words, index: int, kind: str, most: int, city_at: dict[int, int]) -> Iterator[Part]:
    """A street or district: its name follows (Arabic, and forms: `Street: …`) or stands before it (English)."""
    meaning = words.meaning(index)
    if words.after(index) == ":" or meaning & Word.ARABIC:
        last = _name_after(words, index, most, city_at)
        if last > index:
            yield from _house_number(words, index)
            yield Part(index, last, kind)
            yield from _number_behind(words, last, kind)
        return
    if not meaning & Word.CAPITAL:
        return
    first = index
    while index - first < most and _continues_before(words, first):
        first -= 1
    while first < index and words.meaning(first) & Word.LOWER:
        first += 1
    if first < index:
        yield from _house_number(words, first)
        yield Part(first, index, kind)
        yield from _number_behind(words, index, kind)
    elif words.after(index) == " " and is_number(words, index + 1, 1, 4):
        yield Part(index, index + 1, kind)


def _continues_before(words: Words, first: int) -> bool:
    """Whether the word before `first` still belongs to an English street name."""
    if words.after(first - 1) not in " -'i.":
        return False
    meaning = words.meaning(first - 1)
    if words.after(first - 1) == "." and len(words.words[first - 1]) > 3:
        return False
    if meaning & PART_CUES or (meaning & Word.ORDINARY and words.words[first - 1].lower() in _NOT_IN_STREETS):
        return False
    return bool(meaning & (Word.CAPITAL | Word.CONNECTOR | Word.ARTICLE))


_NOT_IN_STREETS = section("beside.txt", "not in streets latin")


def _name_after(words: Words, index: int, most: int, city_at: dict[int, int]) -> int:
    """The last word of the name that follows a street or district word."""
    last = index
    allowed = " :./-'" if words.after(index) in ":." else " -'/"
    while last - index < most and words.after(last) in (allowed if last == index else " -'/"):
        following = last + 1
        meaning = words.meaning(following)
        if meaning & (Word.NUMBER | Word.OTHER):
            return following if last == index and is_number(words, following, 1, 3) else last
        if meaning & PART_CUES or (following in city_at and last > index):
            return last
        is_city = last == index and following in city_at  # "the city" is also Madinah
        if meaning & Word.ORDINARY and not meaning & (Word.CAPITAL | Word.FOUNDER | Word.TITLE) and not is_city:
            return last
        last = city_at.get(following, following) if last == index else following
    return last


def _house_number(words: Words, first: int) -> Iterator[Part]:
    """The bare building number directly before a street: `7878 Eastern Ring Rd`."""
    if words.after(first - 1) in " ," and is_number(words, first - 1, 1, 5):
        yield Part(first - 1, first - 1, "building")


def _number_behind(words: Words, last: int, kind: str) -> Iterator[Part]:
    """The bare number directly behind a street: شارع العليا 1234. It says nothing of what the street is part of."""
    ends = words.after(last + 1) in ",n.-(#" or not words.meaning(last + 1) & Word.NUMBER
    if kind == "street" and words.after(last) == " " and is_number(words, last + 1, 1, 5) and ends:
        yield Part(last + 1, last + 1, "house")


def _numbered(words: Words, index: int, kind: str, shortest: int, longest: int) -> Iterator[Part]:
    """A word such as building, unit, postal code, with its number after fillers: `رقم المبنى: 3394`, `Apt. no. 5`."""
    first, number = index, index + 1
    while number <= index + 3 and words.after(number - 1) in " .:/-#" and words.meaning(number) & FILLERS:
        number += 1
    if kind == "unit" and words.after(index - 1) == " " and words.words[index - 1].lower() in _ORDINALS:
        yield Part(index - 1, index, kind)  # 4th Floor
    lettered = kind in ("unit", "building") and _is_letter(words, number) and words.after(number - 1) == " "
    if lettered or (words.after(number - 1) in " .:/-#" and is_number(words, number, shortest, longest)):
        if words.after(first - 1) == " " and words.words[first - 1] in ("رقم", "الرقم", "الرمز"):
            first -= 1
        yield Part(first, number, kind)


def _is_letter(words: Words, index: int) -> bool:
    """Whether word `index` is one letter that names a tower or a block."""
    return index < len(words) and words.words[index] in _LETTERS


_ORDINALS = section("beside.txt", "ordinal")
_LETTERS = frozenset("ABCDEFGHابجد")


def _post_box(words: Words, index: int) -> Iterator[Part]:
    """P.O. Box 15501, ص.ب 15501, صندوق بريد 15501."""
    first, number = index, index + 1
    spelled = words.words[index].lower()
    if spelled == "box":
        while first > 0 and index - first < 2 and words.words[first - 1].upper() in ("P", "O", "PO", "POST", "OFFICE"):
            first -= 1
        if first == index:
            return
    elif spelled in ("po", "pob", "ص", "صندوق"):
        if words.words[number : number + 1] in (["ب"], ["بريد"], ["البريد"]):
            number += 1
        elif spelled != "pob":
            return
    if words.after(number - 1) in " .:#" and words.meaning(number) & Word.FILLER:
        number += 1
    if words.after(number - 1) in " .:/#" and is_number(words, number, 1, 7):
        yield Part(first, number, "pobox")


def _city(words: Words, first: int, last: int) -> Iterator[Part]:
    """A place, and the postal code and additional number beside it: `Riyadh 12474-6603`, `14214 الرياض`."""
    yield Part(first, last, "city")
    number = last + 1
    if words.after(last) in " ,-" and is_number(words, number, 5, 5):
        yield Part(number, number, "postal")
        if words.after(number) in "-, " and is_number(words, number + 1, 4, 4):
            yield Part(number + 1, number + 1, "additional")
    elif words.after(first - 1) in " ,-" and is_number(words, first - 1, 5, 5):
        yield Part(first - 1, first - 1, "postal")


def short_codes(words: Words) -> Iterator[Part]:
    """Every short code: `RHSD3394`, `RHSD 3394`. A cue or other parts must stand beside it."""
    for match in _SHORT_CODE.finditer(words.raw):
        first, last = words.at(match.start()), words.at(match.end() - 1)
        whole = words.start(first) == match.start() and words.end(last) == match.end()
        if whole and last - first < 2 and not _spells_a_word(words, match.group()[:4]):
            yield Part(first, last, "short")


def _spells_a_word(words: Words, letters: str) -> bool:
    """SAVE2024 and TEST1234 are codes of another kind."""
    return bool(words.knows(letters) & (Word.ORDINARY | Word.THING | Word.UNIT)) or letters in _TRAPS


_TRAPS = section("beside.txt", "not short codes")
