"""ADDRESS: Saudi national addresses in both languages and orders, from the first part to the last.

Neighbouring parts (street, district, building, unit, post box, city, postal code, short code) form a cluster. A cluster
is an address if its parts are enough, or if a context word such as `العنوان` announces it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.detect.grammar.phrases import PhraseMatch
from pipeline.detect.grammar.vocabulary import NAME, Vocabulary, Word
from pipeline.detect.grammar.words import Words, WordSpan
from pipeline.detect.lexicons.loader import fold, section
from pipeline.detect.recognizers.location import Place

CODE_PAIR = re.compile(r"(?<![\d-])\d{5} ?[-\u2010-\u2015] ?\d{4}(?![\d-])")  # postal code and additional number
_SHORT_CODE = re.compile(r"[A-Z]{4} ?[0-9]{4}(?![0-9A-Za-z])")
PART_CUES = (
    Word.STREET | Word.DISTRICT | Word.BUILDING | Word.UNIT | Word.POSTAL | Word.ADDITIONAL | Word.POBOX
)  # fmt: skip
# Words that may stand between the parts of an address or inside a part, such as `no.` and `رقم`.
FILLERS = Word.FILLER | Word.POSTAL | Word.ADDITIONAL
_NOT_IN_STREETS = section("context_words.txt", "not in streets latin")
_NUMBER = frozenset({"رقم", "no", "number"})
BETWEEN_CUE = section("context_words.txt", "between cue and address")
_ORDINALS = section("context_words.txt", "ordinal")
_POSTAL_OWNERS = section("context_words.txt", "postal code owner arabic")  # للمنزل, الخاص بالبيت
_LETTERS = frozenset("ABCDEFGHابجد")
_POSTAL_CODE = re.compile(rf"{CODE_PAIR.pattern}|(?<![\w.,-])\d{{5}}(?![\w-]|[.,]\d)")
LONGEST_TOWN = 3  # words
_FOREIGN_CODE = re.compile(r"(?=.*\d)[A-Z0-9]{2,5}")  # NW1, 20099
_TO_COUNTRY = 7  # words from a foreign street to its country
_BEFORE_TOWN = Word.ADDRESS_CUE | Word.STREET | Word.DISTRICT
_NOT_SHORT_CODES = section("context_words.txt", "not short codes")
_ANCHORS = PART_CUES | Word.ADDRESS_CUE
_NUMBERED = frozenset({"building", "unit", "postal", "additional", "pobox", "short"})
_LABELS = section("context_words.txt", "address label")
_HEADING = re.compile(r"address|عنوان|العنوان|location|السكن")
_ONCE = frozenset({"street", "district", "building", "unit", "pobox"})
_AFTER_CITY = frozenset({"postal", "additional"})
# Words that mean only a postal code. الرمز alone may also be a code that a bank sends.
_POSTAL_WORDS = frozenset({"postal", "zip", "zipcode", "postcode", "البريدي", "بريدي", "البريد", "الرمزالبريدي"})


class Part(NamedTuple):
    """Words `first` to `last` (inclusive) are a part of an address of this kind."""

    first: int
    last: int
    kind: str


class AddressFinder:
    """Finds addresses among the words of a text. Immutable."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._anchors = re.compile(vocabulary.one_of(_ANCHORS))

    def find(self, words: Words, places: Sequence[PhraseMatch[Place]], context: str) -> list[WordSpan]:
        """Addresses by position, without overlaps. `context`: the heading, if the text is a table cell."""
        anchors = [match.start() // 2 for match in self._anchors.finditer(words.codes)]
        if not anchors and not context and not CODE_PAIR.search(words.raw):
            return []
        city_at = {hit.first: hit.last for hit in places}
        countries = {hit.first: hit.last for hit in places if hit.entry.kind == "country"}
        announced = bool(_HEADING.search(fold(context).lower()))
        parts = _without_overlaps(find_parts(words, anchors, city_at))
        found: list[WordSpan] = []
        for cluster in _clusters(words, parts):
            addresses = [_address(words, piece, announced) for piece in _split(words, cluster)]
            if None in addresses:
                addresses = [_address(words, cluster, announced)]
            found += [
                _with_country_after(words, _with_town_after(words, _with_code_after(words, address)), countries)
                for address in addresses
                if address is not None
            ]
        return found


def _without_overlaps(parts: Iterable[Part]) -> list[Part]:
    """The parts by position. Of two that overlap the longer is kept, of two with the same words the postal code."""
    kept: list[Part] = []
    for part in sorted(set(parts), key=lambda p: (p.first, -p.last, p.kind != "postal", p.kind)):
        if kept and part.first <= kept[-1].last:
            if kept[-1].kind == "city" and part.last > kept[-1].last:
                kept[-1] = part
            continue
        kept.append(part)
    return kept


def _clusters(words: Words, parts: list[Part]) -> Iterator[list[Part]]:
    """Runs of neighbouring parts."""
    cluster: list[Part] = []
    for part in parts:
        if cluster and not _are_neighbours(words, cluster[-1], part):
            yield cluster
            cluster = []
        cluster.append(part)
    if cluster:
        yield cluster


def _are_neighbours(words: Words, left: Part, right: Part) -> bool:
    """Whether only commas, fillers and perhaps a district without its word stand between two parts."""
    gap = range(left.last + 1, right.first)
    if len(gap) > 5 or words.text.count("\n", words.end(left.last), words.start(right.first)) > 2:
        return False
    between = [words.after(index) for index in range(left.last, right.first)]
    if any(mark not in " ,-/.:n(i#" for mark in between):
        return False
    if all(_is_filler(words, index) for index in gap):
        return between[0] != "." or len(words.words[left.last]) <= 4 or not gap
    opened = between[0] in ",n-" or (between[0] == ":" and words.words[left.last].lower() in _LABELS)
    enclosed = opened and between[-1] in ",n-" and len(gap) <= 4
    return (
        enclosed
        and "." not in between
        and all(_is_filler(words, index) or _could_be_district(words, index) for index in gap)
    )


def _is_filler(words: Words, index: int) -> bool:
    return bool(words.meaning(index) & (FILLERS | Word.ADDRESS_CUE)) or words.words[index].lower() in _LABELS


def _could_be_district(words: Words, index: int) -> bool:
    meaning = words.meaning(index)
    if meaning & (Word.ORDINARY | Word.TITLE | Word.ROLE | Word.LABEL | Word.ID_CUE) and not meaning & Word.CAPITAL:
        return False
    return bool(meaning & (Word.CAPITAL | Word.ARABIC)) or is_number(words, index, 4, 4) or _is_small_name(words, index)


def _split(words: Words, cluster: list[Part]) -> list[list[Part]]:
    """The addresses in a cluster. An address with its city ends where the next repeats a part or is announced."""
    pieces: list[list[Part]] = [[]]
    complete = 0  # number of parts of the last piece up to its city and the codes after it
    kinds, begun = set[str](), set[str]()  # of these parts, and of the parts after them
    for part in cluster:
        piece = pieces[-1]
        if complete and (
            part.kind in kinds & _ONCE or (complete == len(piece) and _is_announced(words, piece[-1], part))
        ):
            pieces[-1:] = [piece[:complete], piece[complete:]]
            piece, complete, kinds = pieces[-1], 0, set()
        piece.append(part)
        begun.add(part.kind)
        if part.kind == "city" or (complete and part.kind in _AFTER_CITY):
            complete, kinds, begun = len(piece), kinds | begun, set()
    return pieces


def _is_announced(words: Words, left: Part, right: Part) -> bool:
    """Whether an address cue stands between two parts, as the label of the second."""
    return any(words.meaning(index) & Word.ADDRESS_CUE for index in range(left.last + 1, right.first))


def _address(words: Words, cluster: list[Part], announced: bool) -> WordSpan | None:
    """The address that a cluster is; None if its parts are not enough. `announced`: by the heading of the cell."""
    kinds = {part.kind for part in cluster}
    first, last = cluster[0].first, cluster[-1].last
    if kinds == {"city"}:
        return _whole_cell(words, first, last) if announced else _announced_line(words, cluster)
    if kinds <= _AFTER_CITY and _POSTAL_WORDS & {word.lower() for word in words.words[first : cluster[0].last]}:
        words.note("ADDRESS", cluster[0].last, last, (first, cluster[0].last - 1), certain=True)
        return WordSpan(cluster[0].last, last, 0, 0.75)  # without the label
    first = _announced_start(words, first)
    label = _cue_before(words, first)
    has_cue = announced or label is not None
    if "short" in kinds:
        if kinds & {"street", "district", "postal", "building"}:
            return WordSpan(first, last, 0, 0.85)
        label = label if has_cue else _near_cue(words, first, last)
        return _labelled(words, first, last, label) if has_cue or label is not None else None
    if has_cue and (kinds & _NUMBERED or len(kinds) > 1 or _is_labelled(words, first)):
        return _labelled(words, first, last, label)
    score = _score_without_cue(words, cluster, kinds, first)
    return WordSpan(first, last, 0, score) if score else None


def _announced_start(words: Words, first: int) -> int:
    """The first word of an address. After a cue, a town before it that is not in the gazetteer belongs to it."""
    begin = first
    while first - begin < LONGEST_TOWN and words.after(begin - 1) in " ,-n" and names_a_town(words, begin - 1):
        begin -= 1
    enclosed = begin < first and words.after(first - 1) in ",n-"
    return begin if enclosed and _cue_before(words, begin) is not None else first


def _cue_before(words: Words, first: int) -> int | None:
    """The address cue before, with only fillers between."""
    for index in range(first - 1, max(first - 6, -1), -1):
        meaning = words.meaning(index)
        if words.after(index) in "@,":
            return None
        if meaning & Word.ADDRESS_CUE:
            return index
        if not meaning & FILLERS and words.words[index].lower() not in BETWEEN_CUE:
            return None
    return None


def _near_cue(words: Words, first: int, last: int) -> int | None:
    """The address cue up to 8 words before or 3 words after: `use short address RHGA3693`."""
    near = (*range(max(0, first - 8), first), *range(last + 1, min(last + 4, len(words))))
    return next((index for index in near if words.meaning(index) & Word.ADDRESS_CUE), None)


def _labelled(words: Words, first: int, last: int, label: int | None) -> WordSpan:
    """An address that word `label` announces; None for a label outside the text, the heading of the column."""
    if label is not None:
        words.note("ADDRESS", first, last, (label, label), certain=True)
    return WordSpan(first, last, 0, 0.85)


def _is_labelled(words: Words, first: int) -> bool:
    """Whether a label with a colon comes directly before: there a street alone is an address, in a sentence not."""
    return words.after(first - 1) == ":" or (words.after(first - 1) == "n" and words.after(first - 2) in ":n")


def _whole_cell(words: Words, city: int, last: int) -> WordSpan | None:
    """The whole cell under an address heading that ends with a city, if there is more than the city."""
    plain = all(words.after(index) in " ,-/'n" for index in range(last)) and len(words.words[0]) > 1
    return WordSpan(0, last, 0, 0.75) if plain and city > 0 and last < 12 else None


def _announced_line(words: Words, cluster: list[Part]) -> WordSpan | None:
    """`Address: Al Narjis, Riyadh`: everything from the label to the city, if there is more than the city."""
    first = cluster[0].first
    for index in range(first - 1, max(first - 9, -1), -1):
        if words.after(index) == ":":
            if words.meaning(index) & Word.ADDRESS_CUE and first - index > 1:
                words.note("ADDRESS", index + 1, cluster[-1].last, (index, index), certain=True)
                return WordSpan(index + 1, cluster[-1].last, 0, 0.75)
            return None
        if words.after(index) not in " ,-/'":
            return None
    return None


def _score_without_cue(words: Words, cluster: list[Part], kinds: set[str], first: int) -> float:
    """How sure a cluster that nothing announces is an address, 0 to 1; 0 is none."""
    if "pobox" in kinds:
        return 0.8
    if kinds & _NUMBERED and kinds & {"street", "district"} and (len(kinds) > 2 or not _is_year(words, first)):
        return 0.8
    if "postal" in kinds and _is_partial(words, cluster, kinds):
        return 0.75
    if {"city", "postal"} <= kinds and len(kinds) > 2:
        return 0.75
    return 0.7 if {"street", "district", "city"} <= kinds else 0.0


def _is_year(words: Words, index: int) -> bool:
    return words.words[index][:2] in ("19", "20", "14") and len(words.words[index]) == 4


def _is_partial(words: Words, cluster: list[Part], kinds: set[str]) -> bool:
    """Whether a postal code without its street is part of an address: by its label or by the other parts.

    A number that comes first may be of any kind: `order 12345-6789, Riyadh`.
    """
    if _is_postal(words, cluster):
        return len(kinds) > 1
    begin = cluster[0].first - 1
    foreign = words.after(begin) in " :#" and not _is_filler(words, begin)
    if cluster[0].kind == "postal" and foreign:
        return False
    return bool(kinds & {"building", "unit"}) or {"additional", "city"} <= kinds


def _is_postal(words: Words, cluster: list[Part]) -> bool:
    """Whether a label, and not only its shape, makes a number the postal code."""
    return any(part.kind == "postal" and part.last > part.first for part in cluster)


def _with_town_after(words: Words, found: WordSpan) -> WordSpan:
    """The address with the town that ends its line and is not in the gazetteer."""
    last = end = found.last
    while end - last < LONGEST_TOWN and _is_unknown(words, end + 1):
        if words.after(end) not in (" -" if end > last else ","):
            break
        end += 1
    return found._replace(last=end) if end > last and words.after(end) == "n" else found


def _with_code_after(words: Words, found: WordSpan) -> WordSpan:
    """The address with the five digits that end it, a postal code without its city: `مبنى 3650 - 26513`."""
    code = found.last + 1
    is_code = words.after(found.last) in ",-" and is_number(words, code, 5, 5) and words.words[code].isdigit()
    ends = words.after(code) in ",n."
    return found._replace(last=code) if is_code and ends else found


def _with_country_after(words: Words, found: WordSpan, countries: Mapping[int, int]) -> WordSpan:
    """The address with a foreign town and its codes up to the country: `…, Bristol BS6 0ZZ, United Kingdom`."""
    end = found.last
    while end - found.last < _TO_COUNTRY and words.after(end) in ",n -":
        if end == found.last and words.after(end) in " -" and not _FOREIGN_CODE.fullmatch(words.words[end + 1]):
            break
        end += 1
        if end in countries:
            return found._replace(last=countries[end])
        if end >= len(words) or not (words.meaning(end) & (Word.CAPITAL | Word.NUMBER) or words.words[end].isupper()):
            break
    return found


def _is_unknown(words: Words, index: int) -> bool:
    """Whether a word can be the name of a town and has no other known meaning."""
    return names_a_town(words, index) and not words.meaning(index) & (NAME | Word.ORGANIZATION_HEAD | Word.ORGANIZATION)


def find_parts(words: Words, anchors: list[int], city_at: dict[int, int]) -> Iterator[Part]:
    """Every part of an address; parts may overlap. `anchors`: the words with which a part can begin or end."""
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
    for match in _POSTAL_CODE.finditer(words.raw):
        yield from _at_postal_code(words, match)


def _named(words: Words, index: int, kind: str, most: int, city_at: dict[int, int]) -> Iterator[Part]:
    """A street or district. Its name follows in Arabic and in forms (`Street: …`), and comes before in English."""
    meaning = words.meaning(index)
    if words.after(index) == ":" or meaning & Word.ARABIC:
        last = _name_after(words, index, most, city_at)
        if last > index:
            yield from _house_number_before(words, index)
            yield Part(index, last, kind)
            yield from _house_number_after(words, last, kind)
        return
    if not meaning & Word.CAPITAL:
        yield from _in_small_letters(words, index, kind)
        return
    first = index
    while index - first < most and _continues_before(words, first):
        first -= 1
    while first < index and words.meaning(first) & Word.LOWER:
        first += 1
    if first < index:
        yield from _house_number_before(words, first)
        yield Part(first, index, kind)
        yield from _house_number_after(words, index, kind)
    elif words.after(index) == " " and is_number(words, index + 1, 1, 4):
        yield Part(index, index + 1, kind)


def _in_small_letters(words: Words, index: int, kind: str) -> Iterator[Part]:
    """A street or district in small letters between commas or behind its number: `bldg 4415, hira street, jeddah`."""
    first = index
    while index - first < LONGEST_TOWN and words.after(first - 1) == " " and _is_small_name(words, first - 1):
        first -= 1
    numbered = words.after(first - 1) in " ," and is_number(words, first - 1, 1, 5)
    if first < index and words.after(index) in ",n" and (numbered or words.after(first - 1) in ",n"):
        yield from _house_number_before(words, first)
        yield Part(first, index, kind)


def _is_small_name(words: Words, index: int) -> bool:
    """Whether a word in small letters can be part of the name of a street or district: `king`, `al`, `hira`."""
    meaning = words.meaning(index)
    return words.words[index].islower() and bool(
        meaning & (Word.ARTICLE | Word.TITLE) or not meaning & (Word.ORDINARY | PART_CUES)
    )


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
            # `شارع الخليج العربي، مبنى 5`: what stands between the name and the next part belongs to the name
            ends = last > index and words.after(following) in ",-" and words.meaning(following + 1) & PART_CUES
            return following if ends else last
        last = city_at.get(following, following) if last == index else following
    return last


def _house_number_before(words: Words, first: int) -> Iterator[Part]:
    """The building number directly before a street: `7878 Eastern Ring Rd`."""
    if words.after(first - 1) in " ," and is_number(words, first - 1, 1, 5):
        yield Part(first - 1, first - 1, "building")


def _house_number_after(words: Words, last: int, kind: str) -> Iterator[Part]:
    """The number directly after a street: شارع العليا 1234. It is no evidence that the street is in an address."""
    number = last + 1
    if words.meaning(number) & Word.FILLER and words.after(number) in " :." and words.words[number].lower() in _NUMBER:
        number += 1
    labelled = number > last + 1
    ends = labelled or words.after(number) in ",n.-(#" or bool(words.meaning(number + 1) & PART_CUES)
    if kind == "street" and words.after(last) == " " and is_number(words, number, 1, 5) and ends:
        yield Part(last + 1, number, "house")


def _numbered(words: Words, index: int, kind: str, shortest: int, longest: int) -> Iterator[Part]:
    """A word such as building, unit or postal code, with its number after fillers: `رقم المبنى: 3394`, `Apt. no. 5`."""
    first, number = index, index + 1
    while number <= index + 3 and words.after(number - 1) in " .:/-#" and _may_precede_number(words, number, kind):
        number += 1
    if kind == "unit" and words.after(index - 1) == " " and words.words[index - 1].lower() in _ORDINALS:
        yield Part(index - 1, index, kind)  # 4th Floor
    lettered = kind in ("unit", "building") and _is_letter(words, number) and words.after(number - 1) == " "
    if lettered or (words.after(number - 1) in " .:/-#" and is_number(words, number, shortest, longest)):
        if words.after(first - 1) == " " and words.words[first - 1] in ("رقم", "الرقم", "الرمز"):
            first -= 1
        yield Part(first, number, kind)
        if kind == "postal" and words.after(number) == "-" and is_number(words, number + 1, 4, 4):
            yield Part(number + 1, number + 1, "additional")


def _may_precede_number(words: Words, index: int, kind: str) -> bool:
    word = words.words[index].lower()
    return bool(words.meaning(index) & FILLERS) or word in BETWEEN_CUE or (kind == "postal" and word in _POSTAL_OWNERS)


def _is_letter(words: Words, index: int) -> bool:
    """Whether word `index` is one letter, the name of a tower or a block."""
    return index < len(words) and words.words[index] in _LETTERS


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
    """A city with its postal code and additional number: `Riyadh 12474-6603`, `14214 الرياض`."""
    yield Part(first, last, "city")
    number = last + 1
    if words.after(last) in " ,-" and is_number(words, number, 5, 5):
        yield Part(number, number, "postal")
        if words.after(number) in "-, " and is_number(words, number + 1, 4, 4):
            yield Part(number + 1, number + 1, "additional")
    elif words.after(first - 1) in " ,-" and is_number(words, first - 1, 5, 5):
        yield Part(first - 1, first - 1, "postal")


def _at_postal_code(words: Words, match: re.Match[str]) -> Iterator[Part]:
    """A postal code with its additional number, and a town before it that is not in the gazetteer."""
    number, last = words.at(match.start()), words.at(match.end() - 1)
    if words.start(number) != match.start() or words.end(last) != match.end() or last - number > 1:
        return
    if last > number:
        yield Part(number, number, "postal")
        yield Part(last, last, "additional")
    first = number
    while number - first < LONGEST_TOWN and words.after(first - 1) in " -" and names_a_town(words, first - 1):
        first -= 1
    begins = words.after(first - 1) in ",n:" or words.meaning(first - 1) & _BEFORE_TOWN
    if not begins or first == number or words.after(number - 1) != " ":
        return
    ends = words.after(last) != " " or last > number or words.meaning(first) & Word.CAPITAL
    if ends:  # an Arabic word before a number in a sentence counts something
        yield Part(first, number - 1, "town")
        if last == number:
            yield Part(number, number, "postal")


def names_a_town(words: Words, index: int) -> bool:
    """Whether a word can be part of the name of a town that is not in the gazetteer."""
    meaning = words.meaning(index)
    if meaning & (PART_CUES | Word.TITLE | Word.ROLE | Word.LABEL | Word.ID_CUE | Word.NON_PERSON | Word.ADDRESS_CUE):
        return False
    return bool(meaning & (Word.CAPITAL | Word.ARABIC)) and not meaning & (Word.ORDINARY | FILLERS)


def short_codes(words: Words) -> Iterator[Part]:
    """Every short code: `RHSD3394`, `RHSD 3394`. It counts only with a cue or with other parts."""
    for match in _SHORT_CODE.finditer(words.raw):
        first, last = words.at(match.start()), words.at(match.end() - 1)
        whole = words.start(first) == match.start() and words.end(last) == match.end()
        if whole and last - first < 2 and not _spells_a_word(words, match.group()[:4]):
            yield Part(first, last, "short")


def _spells_a_word(words: Words, letters: str) -> bool:
    """Whether the letters are a word: SAVE2024 and TEST1234 are no short codes."""
    return bool(words.knows(letters) & (Word.ORDINARY | Word.NON_PERSON | Word.UNIT)) or letters in _NOT_SHORT_CODES


def is_number(words: Words, index: int, shortest: int, longest: int) -> bool:
    """Whether word `index` is a number with `shortest` to `longest` digits, perhaps with one letter (12B)."""
    if index < 0 or not words.meaning(index) & Word.NUMBER:
        return False
    word = words.words[index]
    digits = word.rstrip("ABCDEFabcdefابجد") if len(word) > 1 else word
    return digits.isdigit() and shortest <= len(digits) <= longest and len(word) - len(digits) <= 1
