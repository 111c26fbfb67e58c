"""The distinct values of a document: surfaces, scope of propagation, placeholders, coreference of persons."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.detect.mentions import PersonMentions, is_certain_name
from pipeline.detect.text.equivalence import canonical, compact_form, is_identifier, words_form
from pipeline.documents.document import FoundValue
from pipeline.documents.limits import MAX_VALUES
from pipeline.entities.occurrences import MatchScope, SearchValue
from pipeline.entities.spans import ValueSpan
from schemas.entities import PREFIX, EntityType
from schemas.errors import unsupported
from schemas.refusals import Reason

_AT = ("at", "ات", "ايت")  # in folded spelling: also `آت` and `أت`
_DOT = ("dot", "دوت", "نقطة")
_LEAST = 8  # letters and digits of an address that is searched for in words


def email_in_words(address: str) -> Iterator[str]:
    """The spellings of an e-mail address in words, against programs: `sara (at) example dot com`; none if it is none.

    Brackets and capital letters make no difference in the compact form in which they are searched for.
    """
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

# A Saudi mobile or landline number with any prefix.
_SAUDI = re.compile(r"(?:(?:00)?966)?0?(5\d{8}|1[1-7]\d{7})")
_SHAPED = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT})  # detection finds them everywhere by their shape
_LONG_CODE = 8  # letters and digits from which on a code is removed even inside a longer string
_SHORT_CODE = 6  # letters and digits from which on a code is removed as a whole word
_LEAST_DISTINCT = 2  # different letters and digits
_LEAST_NAME = 7  # characters of a name of two words; shorter names are too frequent
_LEAST_WORD = 3  # characters of a word that is removed by itself
_LEAST_WITHOUT_BLANKS = 10  # letters from which on a name is known without its blanks


@dataclass(slots=True)
class KnownValue:
    """A distinct value that is being collected: all its surfaces, and how far it may be propagated."""

    type: EntityType
    canonical: str
    surfaces: dict[str, None] = field(default_factory=dict)  # insertion-ordered set
    glossary: bool = True  # every span was found by a glossary term, whose match mode defines its occurrences
    term: bool = False  # a span was found by a glossary term
    forced: bool = False  # a leftover of the second reading: removed wherever it is a whole word


def index_of(known: list[KnownValue], index: dict[tuple[EntityType, str], int], type_: EntityType, surface: str) -> int:
    """The index in `known` of the value with this surface. A new value is added to `known` and `index`.

    StageFailed (too_complex) past MAX_VALUES.
    """
    key = (type_, canonical(type_, surface))
    number = index.get(key)
    if number is None:
        if len(known) >= MAX_VALUES:
            raise unsupported(Reason.TOO_COMPLEX)
        number = index[key] = len(known)
        known.append(KnownValue(*key))
    known[number].surfaces.setdefault(surface)
    return number


def is_distinctive(type_: EntityType, surface: str) -> bool:
    """Whether a value is long and structured enough to be removed everywhere, even inside longer strings.

    A value of one repeated character (`aaaa@aaa.aa`, `00000000`) is not: every row of this character would contain it.
    """
    if len(set(filter(str.isalnum, surface.casefold()))) < _LEAST_DISTINCT:
        return False
    if is_identifier(type_):
        code = compact_form(surface)
        return len(code) >= _LONG_CODE and _digits(code) >= _LONG_CODE // 2
    if type_ in (_T.EMAIL_ADDRESS, _T.API_KEY):
        return len(surface) >= _LONG_CODE
    words = words_form(surface)
    if type_ is _T.PERSON:
        return " " in words and len(words) >= _LEAST_NAME
    return type_ is _T.ADDRESS and words.count(" ") >= 2 and len(words) >= 2 * _LEAST_NAME


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def search_values(number: int, item: KnownValue) -> Iterator[SearchValue]:
    """The searches that propagate one value, for each of its surfaces."""
    if item.type in _SHAPED and not item.forced:
        return
    for surface in {**item.surfaces, item.canonical: None}:
        compact = compact_form(surface)
        digits = _digits(compact)
        if is_distinctive(item.type, surface) and not item.glossary:
            is_phone = item.type is _T.PHONE_NUMBER
            is_compact = 2 * digits >= len(compact) or len(compact) >= _LEAST_WITHOUT_BLANKS
            yield SearchValue(number, surface, is_compact, MatchScope.ANYWHERE, is_phone)
            if is_phone:
                yield from _dialled(number, compact)
            if item.forced and not is_compact:  # a reader separated words that have no blank between here
                yield SearchValue(number, surface, True, MatchScope.WORD)
        elif item.forced or (len(compact) >= _SHORT_CODE and 2 * digits >= len(compact) and not item.glossary):
            yield SearchValue(number, surface, True, MatchScope.WORD)
        if item.type is _T.EMAIL_ADDRESS and not item.glossary:
            yield from (SearchValue(number, words, True, MatchScope.WORD) for words in email_in_words(surface))
        yield SearchValue(number, surface, True, MatchScope.LINE)


def _dialled(number: int, digits: str) -> Iterator[SearchValue]:
    """The searches for other notations of a telephone number: 05…, 5…, +966 5…, 00966 5…, +966 (0)5…"""
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
    """Assigns placeholders by first appearance."""

    def __init__(self, known: Sequence[KnownValue]) -> None:
        self._known = known
        self._last: dict[EntityType, int] = {}
        self.values: dict[int, FoundValue] = {}

    def value(self, number: int, surface: str) -> FoundValue:
        """The value with index `number`. At its first call it gets its placeholder."""
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


_PERSON = EntityType.PERSON


class PersonCoreference:
    """Coreference of persons: `Sara` gets the number of `Sara Alharbi` if only one person can be meant.

    A part that several persons share becomes a value of its own, which is added to `known`. A known name of one word is
    left to detection, which finds it everywhere.
    """

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
        """The spans, with a part of the name of one person as a span of that person."""
        if self._owner.keys().isdisjoint(place.value for place in places):
            return places
        return [place._replace(value=self._owner.get(place.value, place.value)) for place in places]

    def mentions_in(self, text: str) -> list[ValueSpan]:
        """The mentions of known persons by parts of their names."""
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
