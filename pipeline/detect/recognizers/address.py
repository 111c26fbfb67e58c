"""ADDRESS: national addresses in both languages and orders, from their first part to their last.

Parts (a street, a district, a numbered building or unit, a post box, a city with its postal code, a short code) are
found one by one; parts that stand together make an address when they say enough, or when a cue announces them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.detect.lexicons.loader import fold, section
from pipeline.detect.recognizers.phrases import Hit
from pipeline.detect.recognizers.places import Place
from pipeline.detect.recognizers.vocabulary import Vocabulary, Word
from pipeline.detect.recognizers.words import Found, Words

_SHORT_CODE = re.compile(r"[A-Z]{4}[0-9]{4}")
_PART_CUES = (
    Word.STREET | Word.DISTRICT | Word.BUILDING | Word.UNIT | Word.POSTAL | Word.ADDITIONAL | Word.POBOX
)  # fmt: skip
_ANCHORS = _PART_CUES | Word.ADDRESS_CUE
_NUMBERED = frozenset({"building", "unit", "postal", "additional", "pobox", "short"})
_LABELS = section("beside.txt", "address label")


class Part(NamedTuple):
    """Words `first` to `last` (inclusive) are one part of an address."""

    first: int
    last: int
    kind: str


class AddressFinder:
    """Finds addresses among the words of a text. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._anchors = re.compile(vocabulary.one_of(_ANCHORS))

    def find(self, words: Words, places: Sequence[Hit[Place]], context: str) -> list[Found]:
        """Addresses by position, overlapping nowhere. `context`: the heading of the cell, if the text is one."""
        anchors = [match.start() // 2 for match in self._anchors.finditer(words.codes)]
        if not anchors and not context:
            return []
        city_at = {hit.first: hit.last for hit in places}
        announced = bool(_HEADING.search(fold(context).lower()))
        parts = _without_overlaps(_parts(words, anchors, city_at, announced))
        judged = (_judge(words, cluster, announced) for cluster in _clusters(words, parts))
        return [address for address in judged if address is not None]


_HEADING = re.compile(r"address|عنوان|العنوان|location|السكن")


def _parts(words: Words, anchors: list[int], city_at: dict[int, int], announced: bool) -> Iterator[Part]:
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
        if meaning & Word.ADDRESS_CUE:
            yield from _short_code(words, index + 1)
    if announced:
        yield from _short_code(words, 0)
    for first, last in city_at.items():
        yield from _city(words, first, last)


def _is_number(words: Words, index: int, shortest: int, longest: int) -> bool:
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
    elif words.after(index) == " " and _is_number(words, index + 1, 1, 4):
        yield Part(index, index + 1, kind)


def _continues_before(words: Words, first: int) -> bool:
    """Whether the word before `first` still belongs to an English street name."""
    if words.after(first - 1) not in " -'i.":
        return False
    meaning = words.meaning(first - 1)
    if words.after(first - 1) == "." and len(words.words[first - 1]) > 3:
        return False
    if meaning & _PART_CUES or (meaning & Word.ORDINARY and words.words[first - 1].lower() in _NOT_IN_STREETS):
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
            return following if last == index and _is_number(words, following, 1, 3) else last
        if meaning & _PART_CUES or (following in city_at and last > index):
            return last
        if meaning & Word.ORDINARY and not meaning & (Word.CAPITAL | Word.FOUNDER | Word.TITLE):
            return last
        last = city_at.get(following, following) if last == index else following
    return last


def _house_number(words: Words, first: int) -> Iterator[Part]:
    """The bare building number directly before a street: `7878 Eastern Ring Rd`."""
    if words.after(first - 1) in " ," and _is_number(words, first - 1, 1, 5):
        yield Part(first - 1, first - 1, "building")


def _numbered(words: Words, index: int, kind: str, shortest: int, longest: int) -> Iterator[Part]:
    """A word such as building, unit, postal code, with its number after fillers: `رقم المبنى: 3394`, `Apt. no. 5`."""
    first, number = index, index + 1
    while number <= index + 3 and words.after(number - 1) in " .:/-#" and words.meaning(number) & _FILLERS:
        number += 1
    if kind == "unit" and words.after(index - 1) == " " and words.words[index - 1].lower() in _ORDINALS:
        yield Part(index - 1, index, kind)  # 4th Floor
    lettered = kind in ("unit", "building") and _is_letter(words, number) and words.after(number - 1) == " "
    if lettered or (words.after(number - 1) in " .:/-#" and _is_number(words, number, shortest, longest)):
        if words.after(first - 1) == " " and words.words[first - 1] in ("رقم", "الرقم", "الرمز"):
            first -= 1
        yield Part(first, number, kind)


def _is_letter(words: Words, index: int) -> bool:
    """Whether word `index` is one letter that names a tower or a block."""
    return index < len(words) and words.words[index] in _LETTERS


_FILLERS = Word.FILLER | Word.POSTAL | Word.ADDITIONAL
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
    if words.after(number - 1) in " .:/#" and _is_number(words, number, 1, 7):
        yield Part(first, number, "pobox")


def _city(words: Words, first: int, last: int) -> Iterator[Part]:
    """A place, and the postal code and additional number beside it: `Riyadh 12474-6603`, `14214 الرياض`."""
    yield Part(first, last, "city")
    number = last + 1
    if words.after(last) in " ,-" and _is_number(words, number, 5, 5):
        yield Part(number, number, "postal")
        if words.after(number) in "-, " and _is_number(words, number + 1, 4, 4):
            yield Part(number + 1, number + 1, "additional")
    elif words.after(first - 1) in " ,-" and _is_number(words, first - 1, 5, 5):
        yield Part(first - 1, first - 1, "postal")


def _short_code(words: Words, first: int) -> Iterator[Part]:
    """A short code within a few words of its cue, and those glued after it: `RHSD3394, RHSD3395`."""
    for index in range(first, min(first + 7, len(words))):
        if _SHORT_CODE.fullmatch(words.words[index]):
            yield Part(index, index, "short")
        elif words.words[index].isdigit() and words.after(index - 1) == " " and len(words.words[index]) == 4:
            letters = words.words[index - 1]
            if len(letters) == 4 and letters.isascii() and letters.isupper() and letters.isalpha():
                yield Part(index - 1, index, "short")


def _without_overlaps(parts: Iterator[Part]) -> list[Part]:
    """The parts by position; of two that overlap the longer stays."""
    kept: list[Part] = []
    for part in sorted(set(parts), key=lambda p: (p.first, -p.last)):
        if kept and part.first <= kept[-1].last:
            if kept[-1].kind == "city" and part.last > kept[-1].last:
                kept[-1] = part
            continue
        kept.append(part)
    return kept


def _clusters(words: Words, parts: list[Part]) -> Iterator[list[Part]]:
    """Runs of parts that stand together."""
    cluster: list[Part] = []
    for part in parts:
        if cluster and not _together(words, cluster[-1], part):
            yield cluster
            cluster = []
        cluster.append(part)
    if cluster:
        yield cluster


def _together(words: Words, left: Part, right: Part) -> bool:
    """Whether nothing but commas, fillers and perhaps an unlabelled district stands between two parts."""
    gap = range(left.last + 1, right.first)
    if len(gap) > 5 or words.text.count("\n", words.end(left.last), words.start(right.first)) > 2:
        return False
    between = [words.after(index) for index in range(left.last, right.first)]
    if any(mark not in " ,-/.:n(i#" for mark in between):
        return False
    if all(
        words.meaning(index) & (_FILLERS | Word.ADDRESS_CUE) or words.words[index].lower() in _LABELS for index in gap
    ):
        return between[0] != "." or len(words.words[left.last]) <= 4 or not gap
    enclosed = between[0] in ",n-" and between[-1] in ",n-" and len(gap) <= 4
    return enclosed and "." not in between and all(_could_be_district(words, index) for index in gap)


def _is_filler(words: Words, index: int) -> bool:
    return bool(words.meaning(index) & (_FILLERS | Word.ADDRESS_CUE)) or words.words[index].lower() in _LABELS


def _could_be_district(words: Words, index: int) -> bool:
    meaning = words.meaning(index)
    if meaning & (Word.ORDINARY | Word.TITLE | Word.ROLE | Word.LABEL | Word.ID_CUE) and not meaning & Word.CAPITAL:
        return False
    return bool(meaning & (Word.CAPITAL | Word.ARABIC)) or _is_number(words, index, 4, 4)


def _judge(words: Words, cluster: list[Part], announced: bool) -> Found | None:
    """An address, if the parts of the cluster say enough."""
    kinds = {part.kind for part in cluster}
    first, last = cluster[0].first, cluster[-1].last
    if kinds == {"city"}:
        return _announced_line(words, cluster)
    cue = announced or _has_cue(words, first)
    if cue and kinds & {"street", "district", "pobox", "short", "postal", "building"}:
        return Found(first, last, 0, 0.85)
    numbered = kinds & _NUMBERED
    if "pobox" in kinds or ("short" in kinds and len(kinds) > 1):
        return Found(first, last, 0, 0.8)
    if numbered and kinds & {"street", "district"} and (len(kinds) > 2 or not _is_year(words, first)):
        return Found(first, last, 0, 0.8)
    if {"city", "postal"} <= kinds and len(kinds) > 2:
        return Found(first, last, 0, 0.75)
    if {"street", "district", "city"} <= kinds:
        return Found(first, last, 0, 0.7)
    return None


def _is_year(words: Words, index: int) -> bool:
    return words.words[index][:2] in ("19", "20", "14") and len(words.words[index]) == 4


def _has_cue(words: Words, first: int) -> bool:
    """Whether an address cue stands before, with nothing but fillers between."""
    for index in range(first - 1, max(first - 6, -1), -1):
        meaning = words.meaning(index)
        if words.after(index) in "@,":
            return False
        if meaning & Word.ADDRESS_CUE:
            return True
        if not meaning & _FILLERS and words.words[index].lower() not in _BETWEEN_CUE:
            return False
    return False


_BETWEEN_CUE = section("beside.txt", "between cue and address")


def _announced_line(words: Words, cluster: list[Part]) -> Found | None:
    """`Address: Al Narjis, Riyadh`: everything between the label and the city, when that is more than the city."""
    first = cluster[0].first
    for index in range(first - 1, max(first - 9, -1), -1):
        if words.after(index) == ":":
            if words.meaning(index) & Word.ADDRESS_CUE and first - index > 1:
                return Found(index + 1, cluster[-1].last, 0, 0.75)
            return None
        if words.after(index) not in " ,-/'":
            return None
    return None
