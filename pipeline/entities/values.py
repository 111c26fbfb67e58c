"""What a document's detection knows: distinct values with all their surfaces, how far each spreads, their numbers."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.detect.mentions import PersonMentions, is_certain_name
from pipeline.detect.text.equivalence import canonical, compact_form, words_form
from pipeline.documents.document import FoundValue
from pipeline.entities.occurrences import MatchScope, SearchValue
from pipeline.entities.spans import ValueSpan
from schemas.entities import PREFIX, EntityType

# How people write an e-mail address that no program shall read: `sara (at) example dot com`.

_AT = ("at", "ات", "ايت")  # who looks for them knows the letters that careless spelling exchanges: `آت`, `أت`
_DOT = ("dot", "دوت", "نقطة")
_LEAST = 8  # letters and digits of an address that is looked for in words


def email_in_words(address: str) -> Iterator[str]:
    """The address in words, blanks between them; nothing for what is none. Brackets and capitals are the reader's."""
    local, at, domain = address.rpartition("@")
    if not at or not local or sum(map(str.isalnum, address)) < _LEAST:
        return
    for at in _AT:
        yield f"{local} {at} {domain}"
        for dot in _DOT if at != "at" else _DOT[:1]:
            yield f"{local} {at} {domain.replace('.', f' {dot} ')}"
            if "." in local:
                yield f"{local.replace('.', f' {dot} ')} {at} {domain.replace('.', f' {dot} ')}"


_T = EntityType

# Values that are a number or a code: spaces, hyphens and other separators inside them mean nothing.
_CODES = frozenset(
    {
        _T.NATIONAL_ID, _T.RESIDENCE_PERMIT, _T.PHONE_NUMBER, _T.IBAN, _T.CREDIT_CARD, _T.PASSPORT, _T.MRN,
        _T.BUSINESS_ID, _T.TAX_ID, _T.VEHICLE_PLATE, _T.STUDENT_ID, _T.INSURANCE_POLICY, _T.MEDICAL_LICENSE, _T.SSN,
    }
)  # fmt: skip
# A mobile or landline number of Saudi Arabia, in any way of dialling it.
_SAUDI = re.compile(r"(?:(?:00)?966)?0?(5\d{8}|1[1-7]\d{7})")
_SHAPED = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT})  # known by their shape wherever they stand
_WHOLE_CODE = 8  # letters and digits from which on a code must not stand even inside a longer string
_SHORT_CODE = 6  # from which on a code is removed wherever it stands as a token
_LEAST_SIGNS = 2  # different letters and digits
_LEAST_NAME = 7  # characters of a name of two words: shorter ones are too ordinary
_LEAST_WORD = 3  # characters of a word that is removed by itself
_SPACELESS = 10  # letters from which on a name is known without its blanks


@dataclass(slots=True)
class KnownValue:
    """One distinct value while it is being collected: all its surfaces, and how far it may be spread."""

    type: EntityType
    canonical: str
    surfaces: dict[str, None] = field(default_factory=dict)  # insertion-ordered set
    glossary: bool = True  # every sighting was a glossary term's own: its match mode says where it occurs
    term: bool = False  # some sighting was a glossary term's own
    forced: bool = False  # a leftover of a second reading: removed wherever it stands as a token


def index_of(known: list[KnownValue], index: dict[tuple[EntityType, str], int], type_: EntityType, surface: str) -> int:
    """The index in `known` of the value that a surface shows; a new one is added to both."""
    key = (type_, canonical(type_, surface))
    number = index.get(key)
    if number is None:
        number = index[key] = len(known)
        known.append(KnownValue(*key))
    known[number].surfaces.setdefault(surface)
    return number


def is_distinctive(type_: EntityType, surface: str) -> bool:
    """Whether a value is so long and structured that it may occur nowhere else, not even inside a longer string.

    One sign over and over (`aaaa@aaa.aa`, `00000000`) is no such value: any row of that sign would hold it.
    """
    if len(set(filter(str.isalnum, surface.casefold()))) < _LEAST_SIGNS:
        return False
    if type_ in _CODES:
        code = compact_form(surface)
        return len(code) >= _WHOLE_CODE and sum(c.isdigit() for c in code) >= _WHOLE_CODE // 2
    if type_ in (_T.EMAIL_ADDRESS, _T.API_KEY):
        return len(surface) >= _WHOLE_CODE
    words = words_form(surface)
    if type_ is _T.PERSON:
        return " " in words and len(words) >= _LEAST_NAME
    return type_ is _T.ADDRESS and words.count(" ") >= 2 and len(words) >= 2 * _LEAST_NAME


def search_values(number: int, item: KnownValue) -> Iterator[SearchValue]:
    """How far one value is spread, surface by surface."""
    if item.type in _SHAPED and not item.forced:
        return
    for surface in {**item.surfaces, item.canonical: None}:
        compact = compact_form(surface)
        digits = sum(c.isdigit() for c in compact)
        if is_distinctive(item.type, surface) and not item.glossary:
            is_phone = item.type is _T.PHONE_NUMBER
            is_compact = 2 * digits >= len(compact) or len(compact) >= _SPACELESS
            yield SearchValue(number, surface, is_compact, MatchScope.ANYWHERE, is_phone)
            if is_phone:
                yield from _dialled(number, compact)
            if item.forced and not is_compact:  # another reader parted words that stand without a blank here
                yield SearchValue(number, surface, True, MatchScope.WORD)
        elif item.forced or (len(compact) >= _SHORT_CODE and 2 * digits >= len(compact) and not item.glossary):
            yield SearchValue(number, surface, True, MatchScope.WORD)
        if item.type is _T.EMAIL_ADDRESS and not item.glossary:
            yield from (SearchValue(number, words, True, MatchScope.WORD) for words in email_in_words(surface))
        yield SearchValue(number, surface, True, MatchScope.LINE)


def _dialled(number: int, digits: str) -> Iterator[SearchValue]:
    """The other ways in which a telephone number is dialled: 05…, 5…, +966 5…, 00966 5…, +966 (0)5…"""
    match = _SAUDI.fullmatch(digits)
    if match is None:
        international = digits.removeprefix("00")
        if international != digits:
            yield SearchValue(number, international, True, MatchScope.ANYWHERE, True)
        return
    local = match[1]
    for prefix in ("0", "966", "00966", "9660"):
        yield SearchValue(number, prefix + local, True, MatchScope.ANYWHERE, True)
    yield SearchValue(number, local, True, MatchScope.WORD)


class PlaceholderNumbers:
    """Hands out placeholders in order of first appearance."""

    def __init__(self, known: Sequence[KnownValue]) -> None:
        self._known = known
        self._last: dict[EntityType, int] = {}
        self.values: dict[int, FoundValue] = {}

    def value(self, number: int, surface: str) -> FoundValue:
        """The value with index `number`, numbered now when it is met for the first time."""
        found = self.values.get(number)
        if found is None:
            item = self._known[number]
            ordinal = self._last[item.type] = self._last.get(item.type, 0) + 1
            found = self.values[number] = FoundValue(
                type=item.type.value,
                surface=next(iter(item.surfaces), surface),
                canonical=item.canonical,
                placeholder=f"{PREFIX[item.type]}_{ordinal:02d}",
                distinctive=not item.glossary and any(is_distinctive(item.type, s) for s in item.surfaces),
            )
        return found


# People by parts of their names: `Sara` of `Sara Alharbi` has her number, where only one person may be meant.
#
# A part that several people share has a number of its own. A name of one word that is known as a name is left to
# detection, which sees it wherever it stands.

_PERSON = EntityType.PERSON


class PersonCoreference:
    """The people among the known values. Adds a value to `known` for each part that several of them share."""

    def __init__(self, known: list[KnownValue]) -> None:
        self._known = known
        self._index = {item.canonical: number for number, item in enumerate(known) if item.type is _PERSON}
        named = [(number, item) for number, item in enumerate(known) if item.type is _PERSON and not item.glossary]
        several = [(n, surface) for n, item in named for surface in item.surfaces if is_distinctive(_PERSON, surface)]
        people = PersonMentions(several)
        self._owner: dict[int, int] = {}
        alone = []
        for number, item in named:
            owner = people.owner(next(iter(item.surfaces), ""))
            if owner is not None and owner != number:
                self._owner[number] = owner
            elif owner is None:
                alone += [(number, s) for s in item.surfaces if len(s.split()) == 1 and not is_certain_name(s)]
        self._people = PersonMentions((*several, *alone)) if alone else people

    def merged(self, places: Sequence[ValueSpan]) -> Sequence[ValueSpan]:
        """Places of values, those of a part of one person's name as places of that person."""
        if self._owner.keys().isdisjoint(place.value for place in places):
            return places
        return [place._replace(value=self._owner.get(place.value, place.value)) for place in places]

    def mentions_in(self, text: str) -> list[ValueSpan]:
        """Where parts of known people's names stand as names."""
        if not self._people:
            return []
        return [
            ValueSpan(mention.start, mention.end, self._number(mention.people, text[mention.start : mention.end]))
            for mention in self._people.mentions_in(text)
        ]

    def _number(self, people: frozenset[int], surface: str) -> int:
        if len(people) == 1:
            (number,) = people
            return self._owner.get(number, number)
        key = canonical(_PERSON, surface)
        number = self._index.get(key, -1)
        if number < 0:
            number = self._index[key] = len(self._known)
            self._known.append(KnownValue(_PERSON, key, {surface: None}, glossary=False))
        return number
