"""Finds everything to remove from a document: detects in all texts, numbers the values, propagates them to all texts.

Pure functions: no parser, no clock, no state. Linear in the size of the document.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.detect.allowed_spans import AllowedTerms
from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Finding, Findings, Reading
from pipeline.entities.detection import detect_document
from pipeline.entities.occurrences import OccurrenceFinder
from pipeline.entities.spans import DocumentText, ValueSpan, merged_spans, texts_of
from pipeline.entities.values import KnownValue, PersonCoreference, PlaceholderNumbers, index_of, search_values
from pipeline.verification.reading import Leftover
from schemas.entities import EntityType
from schemas.spans import DetectOptions

_T = EntityType
_LEAST_WORD = 3  # characters of a word that is removed by itself


def find(extraction: Extraction, readings: Sequence[Reading], detector: Detector, options: DetectOptions) -> Findings:
    """Everything to remove from a document.

    All types are enabled and checksums are lenient, whatever `options` says; its glossary terms apply. Placeholders are
    `{PREFIX}_{NN}`, numbered by first appearance (units, then readings); equal canonical values share one.
    A distinctive value that is found in one place, perhaps only by a context word there, is removed everywhere.
    """
    texts = list(texts_of(extraction, readings))
    known, places, dismissed = detect_document(extraction, texts, detector, options)
    return replace(_propagate(texts, places, known, AllowedTerms(options.terms)), dismissed=dismissed)


def merge(
    findings: Findings,
    leftovers: Iterable[Leftover],
    extraction: Extraction,
    readings: Sequence[Reading],
    options: DetectOptions = DetectOptions(),
) -> Findings:
    """The findings for another round: what the second reading still found is removed wherever it is a whole word.

    It is removed even where a term of `options` allows it, because there the two readings do not agree. A value of
    several words that no text contains as a whole (it comes from two cells or two lines) is removed word by word.
    Placeholders may get new numbers.
    """
    texts = list(texts_of(extraction, readings))
    known, places = _collected(findings, texts)
    index = {(item.type, item.canonical): number for number, item in enumerate(known)}
    forced = {index_of(known, index, _T(leftover.type), leftover.surface) for leftover in leftovers}
    for number in forced:
        known[number].forced, known[number].glossary = True, False
    allowed = AllowedTerms(options.terms)
    merged = replace(_propagate(texts, places, known, allowed), dismissed=findings.dismissed)
    before = {(place.unit, place.start, place.end) for place in findings.places}
    moved = {place.placeholder for place in merged.places if (place.unit, place.start, place.end) not in before}
    found = {(_T(value.type), value.canonical) for value in merged.values if value.placeholder in moved}
    stuck = [known[number] for number in forced if (known[number].type, known[number].canonical) not in found]
    if not stuck:
        return merged
    for item in stuck:
        words = [word for surface in item.surfaces for word in surface.split()]
        item.surfaces.update(dict.fromkeys(word for word in words if len(word) >= _LEAST_WORD))
    return replace(_propagate(texts, places, known, allowed), dismissed=findings.dismissed)


def _collected(
    findings: Findings, texts: Sequence[DocumentText]
) -> tuple[list[KnownValue], dict[str, list[ValueSpan]]]:
    """The values and spans from which the findings were made."""
    known = [
        KnownValue(_T(value.type), value.canonical, {value.surface: None}, glossary=False) for value in findings.values
    ]
    by_placeholder = {value.placeholder: number for number, value in enumerate(findings.values)}
    text_of = {text.id: text.text for text in texts}
    places: dict[str, list[ValueSpan]] = {}
    for place in findings.places:
        number = by_placeholder[place.placeholder]
        known[number].surfaces.setdefault(text_of[place.unit][place.start : place.end])
        places.setdefault(place.unit, []).append(ValueSpan(place.start, place.end, number))
    return known, places


def _propagate(
    texts: Sequence[DocumentText], detected: dict[str, list[ValueSpan]], known: list[KnownValue], allowed: AllowedTerms
) -> Findings:
    finder = OccurrenceFinder(value for number, item in enumerate(known) for value in search_values(number, item))
    coreference = PersonCoreference(known)
    placeholders = PlaceholderNumbers(known)
    places: list[Finding] = []
    for text in texts:
        own = coreference.merged(detected.get(text.id, []))
        hits = list(coreference.merged([ValueSpan(*hit) for hit in finder.hits(text.text)]))
        if not _is_covered(text.text, own):
            hits += coreference.mentions_in(text.text)
        hits = _without_allowed(hits, text.text, known, allowed)
        if hits:
            own = merged_spans(text.text, _outside_longer(text.text, own, hits, known), hits)
        for place in own:
            value = placeholders.value(place.value, text.text[place.start : place.end])
            places.append(Finding(text.id, place.start, place.end, value.type, value.placeholder))
    return Findings(tuple(places), tuple(placeholders.values.values()))


def _outside_longer(
    text: str, own: Sequence[ValueSpan], hits: Sequence[ValueSpan], known: Sequence[KnownValue]
) -> list[ValueSpan]:
    """The detected spans that are no part of a hit of their type with more letters: `Brown` is one of `Mr. Brown`."""
    by_start = deque(sorted(hits))
    reaching: dict[EntityType, ValueSpan] = {}  # of the hits that began, the one that ends last
    kept = []
    for place in sorted(own):
        while by_start and by_start[0].start <= place.start:
            hit = by_start.popleft()
            type_ = known[hit.value].type
            if type_ not in reaching or hit.end > reaching[type_].end:
                reaching[type_] = hit
        longer = reaching.get(known[place.value].type, place)
        around = text[longer.start : place.start] + text[place.end : longer.end]
        if longer.end < place.end or not any(map(str.isalnum, around)):
            kept.append(place)
    return kept


def _is_covered(text: str, own: Sequence[ValueSpan]) -> bool:
    return len(own) == 1 and own[0].start == 0 and own[0].end == len(text)


def _without_allowed(
    hits: list[ValueSpan], text: str, known: Sequence[KnownValue], allowed: AllowedTerms
) -> list[ValueSpan]:
    """The hits without those inside an allowed term, unless a term or the second reading asks for their removal."""
    if not hits or not allowed:
        return hits
    places, values = allowed.spans_in(text), [known[hit.value] for hit in hits]
    return [
        hit
        for hit, value in zip(hits, values, strict=True)
        if value.forced or value.term or not places.cover(hit.start, hit.end, value.type)
    ]
