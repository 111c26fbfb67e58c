"""From a document's texts to what must go: detection everywhere, one number per value, values spread everywhere.

Pure: no parser, no clock, no state. Linear in the size of the document.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from pipeline.detect.allowed_places import AllowedTerms
from pipeline.detect.canonical import canonical
from pipeline.documents.document import Extraction, Finding, Findings, FoundValue, Reading
from pipeline.spread import Reach, Spreader, Value, compact_form, words_form
from pipeline.verification.reading import Leftover
from pipeline.wrapped import Found, rejoined
from schemas.entities import ALL_TYPES, GLOSSARY_RANK, PREFIX, EntityType
from schemas.spans import Detection, DetectOptions, Span

_T = EntityType

# Values that are a number or a code: spaces, hyphens and other separators inside them mean nothing.
_CODES = frozenset(
    {
        _T.NATIONAL_ID, _T.RESIDENCE_PERMIT, _T.PHONE_NUMBER, _T.IBAN, _T.CREDIT_CARD, _T.PASSPORT, _T.MRN,
        _T.BUSINESS_ID, _T.TAX_ID, _T.VEHICLE_PLATE, _T.STUDENT_ID, _T.INSURANCE_POLICY, _T.MEDICAL_LICENSE, _T.SSN,
    }
)  # fmt: skip
_SHAPED = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT})  # known by their shape wherever they stand
_WHOLE_CODE = 8  # letters and digits from which on a code must not stand even inside a longer string
_SHORT_CODE = 6  # from which on a code is removed wherever it stands as a token
_LEAST_NAME = 7  # characters of a name of two words: shorter ones are too ordinary
_LEAST_WORD = 3  # characters of a word that is removed by itself
_SPACELESS = 10  # letters from which on a name is known without its blanks


class Detecting(Protocol):
    """What `find` needs of a detector."""

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """Spans in offsets of the text, sorted, overlapping nowhere."""


class _Text(NamedTuple):
    """A text that detection looks at: a unit's or a reading's."""

    id: str
    text: str
    context: str


class _Place(NamedTuple):
    """One span to remove, of the value with index `value`."""

    start: int
    end: int
    value: int


@dataclass(slots=True)
class _Known:
    """One distinct value while it is being collected: all its surfaces, and how far it may be spread."""

    type: EntityType
    canonical: str
    surfaces: dict[str, None] = field(default_factory=dict)  # insertion-ordered set
    glossary: bool = True  # every sighting was a glossary term's own: its match mode says where it occurs
    term: bool = False  # some sighting was a glossary term's own
    forced: bool = False  # a leftover of a second reading: removed wherever it stands as a token


def find(extraction: Extraction, readings: Sequence[Reading], detector: Detecting, options: DetectOptions) -> Findings:
    """Everything to remove from a document.

    Every type is looked for and checksums are lenient, whatever `options` says; its glossary terms count. Placeholders
    are `{PREFIX}_{NN}`, numbered by first appearance (units, then readings); equal canonical values share one.
    A distinctive value found in one place, perhaps thanks to a cue there, is removed everywhere.
    """
    texts = list(_texts(extraction, readings))
    lenient = replace(options, enabled=ALL_TYPES, strict_checksums=False, context="")
    known: list[_Known] = []
    detected = _detect(texts, detector, lenient, known)
    return _spread(texts, detected, known, AllowedTerms(options.terms))


def merge(
    findings: Findings,
    leftovers: Iterable[Leftover],
    extraction: Extraction,
    readings: Sequence[Reading],
    options: DetectOptions = DetectOptions(),
) -> Findings:
    """The findings for another round: what a second reading still found is removed wherever it stands as a token.

    Even where a term of `options` allows it, for there the two readings do not agree.

    A value of several words that stands nowhere in one text (two cells, two lines make it up) is removed word by word.
    Placeholders may be numbered anew.
    """
    texts = list(_texts(extraction, readings))
    known, places = _recalled(findings, texts)
    index = {(item.type, item.canonical): number for number, item in enumerate(known)}
    forced = {_index(known, index, _T(leftover.type), leftover.surface) for leftover in leftovers}
    for number in forced:
        known[number].forced, known[number].glossary = True, False
    allowed = AllowedTerms(options.terms)
    merged = _spread(texts, places, known, allowed)
    before = {(place.unit, place.start, place.end) for place in findings.places}
    moved = {place.placeholder for place in merged.places if (place.unit, place.start, place.end) not in before}
    found = {(_T(value.type), value.canonical) for value in merged.values if value.placeholder in moved}
    stuck = [known[number] for number in forced if (known[number].type, known[number].canonical) not in found]
    if not stuck:
        return merged
    for item in stuck:
        words = [word for surface in item.surfaces for word in surface.split()]
        item.surfaces.update(dict.fromkeys(word for word in words if len(word) >= _LEAST_WORD))
    return _spread(texts, places, known, allowed)


def is_distinctive(type_: EntityType, surface: str) -> bool:
    """Whether a value is so long and structured that it may occur nowhere else, not even inside a longer string."""
    if type_ in _CODES:
        code = compact_form(surface)
        return len(code) >= _WHOLE_CODE and sum(c.isdigit() for c in code) >= _WHOLE_CODE // 2
    if type_ in (_T.EMAIL_ADDRESS, _T.API_KEY):
        return len(surface) >= _WHOLE_CODE
    words = words_form(surface)
    if type_ is _T.PERSON:
        return " " in words and len(words) >= _LEAST_NAME
    return type_ is _T.ADDRESS and words.count(" ") >= 2 and len(words) >= 2 * _LEAST_NAME


def _recalled(findings: Findings, texts: Sequence[_Text]) -> tuple[list[_Known], dict[str, list[_Place]]]:
    """Findings as they were while being collected."""
    known = [
        _Known(_T(value.type), value.canonical, {value.surface: None}, glossary=False) for value in findings.values
    ]
    by_placeholder = {value.placeholder: number for number, value in enumerate(findings.values)}
    text_of = {text.id: text.text for text in texts}
    places: dict[str, list[_Place]] = {}
    for place in findings.places:
        number = by_placeholder[place.placeholder]
        known[number].surfaces.setdefault(text_of[place.unit][place.start : place.end])
        places.setdefault(place.unit, []).append(_Place(place.start, place.end, number))
    return known, places


def _values(number: int, item: "_Known") -> Iterator[Value]:
    """How far one value is spread, surface by surface."""
    if item.type in _SHAPED and not item.forced:
        return
    for surface in {**item.surfaces, item.canonical: None}:
        compact = compact_form(surface)
        digits = sum(c.isdigit() for c in compact)
        if is_distinctive(item.type, surface) and not item.glossary:
            yield Value(number, surface, 2 * digits >= len(compact) or len(compact) >= _SPACELESS, Reach.ANYWHERE)
        elif item.forced or (len(compact) >= _SHORT_CODE and 2 * digits >= len(compact) and not item.glossary):
            yield Value(number, surface, True, Reach.WHOLE)
        yield Value(number, surface, True, Reach.ALONE)


def _texts(extraction: Extraction, readings: Sequence[Reading]) -> Iterator[_Text]:
    for unit in extraction.units:
        yield _Text(unit.id, unit.text, unit.context)
    for reading in readings:
        yield _Text(reading.raster, reading.text, "")


def _detect(
    texts: Sequence[_Text], detector: Detecting, options: DetectOptions, known: list[_Known]
) -> dict[str, list[_Place]]:
    """Detection of every text, each distinct one once: tables repeat themselves."""
    index: dict[tuple[EntityType, str], int] = {}
    seen: dict[tuple[str, str], list[_Place]] = {}
    by_context: dict[str, DetectOptions] = {}
    places: dict[str, list[_Place]] = {}
    for text in texts:
        if not text.text or text.text.isspace():
            continue
        found = seen.get((text.text, text.context))
        if found is None:
            asked = by_context.get(text.context)
            if asked is None:
                asked = by_context[text.context] = replace(options, context=text.context)
            found = seen[text.text, text.context] = []
            for span, surface in _spans(text.text, detector, asked):
                number = _index(known, index, span.type, surface)
                known[number].glossary &= span.rank == GLOSSARY_RANK
                known[number].term |= span.rank == GLOSSARY_RANK
                found.append(_Place(span.start, span.end, number))
        if found:
            places[text.id] = found
    return places


def _spans(text: str, detector: Detecting, options: DetectOptions) -> list[Found]:
    """What stands in the lines of a text, and across their ends."""

    def detect(joined: str, strict: bool) -> Sequence[Span]:
        return detector.detect(joined, replace(options, strict_checksums=strict)).spans

    return rejoined(text, detector.detect(text, options).spans, detect)


def _index(known: list[_Known], index: dict[tuple[EntityType, str], int], type_: EntityType, surface: str) -> int:
    key = (type_, canonical(type_, surface))
    number = index.get(key)
    if number is None:
        number = index[key] = len(known)
        known.append(_Known(*key))
    known[number].surfaces.setdefault(surface)
    return number


def _spread(
    texts: Sequence[_Text], detected: dict[str, list[_Place]], known: Sequence[_Known], allowed: AllowedTerms
) -> Findings:
    spreader = Spreader(value for number, item in enumerate(known) for value in _values(number, item))
    numbered = _Numbering(known)
    places: list[Finding] = []
    for text in texts:
        own = detected.get(text.id, [])
        hits = _unallowed([_Place(*hit) for hit in spreader.hits(text.text)], text.text, known, allowed)
        for place in _together(text.text, own, hits) if hits else own:
            value = numbered.value(place.value, text.text[place.start : place.end])
            places.append(Finding(text.id, place.start, place.end, value.type, value.placeholder))
    return Findings(tuple(places), tuple(numbered.values.values()))


def _unallowed(hits: list[_Place], text: str, known: Sequence[_Known], allowed: AllowedTerms) -> list[_Place]:
    """The hits without those inside an allowed term, unless a term asked for the value, or a second reading did."""
    if not hits or not allowed:
        return hits
    places, values = allowed.places(text), [known[hit.value] for hit in hits]
    return [
        hit
        for hit, value in zip(hits, values, strict=True)
        if value.forced or value.term or not places.cover(hit.start, hit.end, value.type)
    ]


def _together(text: str, own: Sequence[_Place], hits: Sequence[_Place]) -> list[_Place]:
    """Both kinds of places without overlap: detected ones stay whole, hits keep what those leave uncovered."""
    taken = sorted(own)
    result = list(taken)
    cursor, covered = 0, 0  # next of `taken`; end of what earlier hits cover
    for hit in sorted(hits, key=lambda place: (place.start, -place.end)):
        start = max(hit.start, covered)
        while cursor < len(taken) and taken[cursor].end <= start:
            cursor += 1
        ahead = cursor
        while start < hit.end:
            if ahead < len(taken) and taken[ahead].start < hit.end:
                result += _trimmed(text, _Place(start, max(start, taken[ahead].start), hit.value))
                start = max(start, taken[ahead].end)
                ahead += 1
            else:
                result += _trimmed(text, _Place(start, hit.end, hit.value))
                start = hit.end
        covered = max(covered, hit.end)
    return sorted(result)


def _trimmed(text: str, place: _Place) -> list[_Place]:
    """The place without blanks at its edges; nothing when nothing of it can be read."""
    start, end = place.start, place.end
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [_Place(start, end, place.value)] if start < end else []


class _Numbering:
    """Hands out placeholders in order of first appearance."""

    def __init__(self, known: Sequence[_Known]) -> None:
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
