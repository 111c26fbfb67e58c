"""The detection stage: normalizes the text, runs the recognizers, resolves overlaps, maps offsets to the original."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.detect.explain import explain_spans, passes_check, shape_of
from pipeline.detect.glossary.allowed import without_allowed
from pipeline.detect.mentions import TAGGER, further_mentions
from pipeline.detect.recognizer import Recognizer
from pipeline.detect.recognizers import (
    api_key,
    banking,
    business,
    date_time,
    email_address,
    glossary,
    identity,
    ip_address,
    misread_number,
    monetary_amount,
    named_entities,
    passport,
    phone_number,
    registers,
    vehicle_plate,
)
from pipeline.detect.resolve import OverlapLog, outside_values, resolve
from pipeline.detect.tagger import release
from pipeline.detect.text.normalize import NormalizedText, normalize
from pipeline.detect.text.placeholders import find_placeholders
from pipeline.detect.text.trace import Trace
from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import Detection, DetectOptions, Span

if TYPE_CHECKING:
    from pipeline.detect.recognizers.tagged import DocumentNames, TaggedRecognizer

# Every recognizer, in the order in which they run.
RECOGNIZERS: tuple[Recognizer, ...] = (
    *identity.RECOGNIZERS,
    *banking.RECOGNIZERS,
    *business.RECOGNIZERS,
    *passport.RECOGNIZERS,
    *registers.RECOGNIZERS,
    *email_address.RECOGNIZERS,
    *phone_number.RECOGNIZERS,
    *vehicle_plate.RECOGNIZERS,
    *misread_number.RECOGNIZERS,
    *ip_address.RECOGNIZERS,
    *api_key.RECOGNIZERS,
    *date_time.RECOGNIZERS,
    *monetary_amount.RECOGNIZERS,
    *glossary.RECOGNIZERS,
    *named_entities.RECOGNIZERS,
)

RULES, FAST, ACCURATE = "rules", release.FAST, release.ACCURATE
_MOST_WORDS = 250_000  # of a document for the accurate tagger: about a minute of reading
_CACHED_SETS = 256  # different sets of enabled types


class Detector:
    """Built once per process, immutable, safe from many threads.

    `names`: what finds persons, places and organizations: the `rules` alone, or also the `fast` or the `accurate`
    tagger, whose weights are loaded here. WrongWeights if they are not those of this release.
    """

    def __init__(self, recognizers: Sequence[Recognizer] = RECOGNIZERS, *, names: str = RULES) -> None:
        self._rules = recognizers
        self._tagged = _tagged(names)
        self._recognizers = _with_names(recognizers, self._tagged) if self._tagged else recognizers
        self._needed = lru_cache(maxsize=_CACHED_SETS)(self._needed_for)

    @property
    def by_rules(self) -> "Detector":
        """The same detector without its tagger."""
        return Detector(self._rules) if self._tagged else self

    def of_document(self, texts: Iterable[tuple[str, str]]) -> tuple["Detector", "DocumentNames | None"]:
        """A detector for one document, not safe from several threads, and what its tagger said, if it has one.

        The tagger reads `texts`, given with their contexts, all of them now and together; the accurate one leaves the
        end of a long document to the fast one. In any other text the rules alone find names.
        """
        if self._tagged is None:
            return self, None
        names = self._tagged.of_document(
            (without_placeholders(normalize(text)), _without_placeholders(context)) for text, context in texts
        )
        return Detector(_with_names(self._rules, names)), names

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        """The entities of `text` by position, without overlaps. Offsets are code points of `text` as given."""
        normalized = without_placeholders(normalize(text))
        normalized.trace = Trace() if options.explain else None
        if "_" in options.context:
            options = replace(options, context=_without_placeholders(options.context))
        found: list[Span] = []
        for recognizer in self._needed(options.enabled):
            found += recognizer.find(normalized, options)
        if self._tagged:
            found += further_mentions(normalized.text, found)
        found = [span for span in found if span.type in options.enabled or span.rank == GLOSSARY_RANK]
        if options.min_score:
            found = [span for span in found if span.score >= options.min_score or _always_counts(span, normalized.text)]
        found = outside_values(found, normalized.text, TAGGER)
        if normalized.expanded:
            found = [_widened(normalized, span) for span in found]
        if options.terms:
            found = without_allowed(normalized, found, options.terms)
        overlaps = OverlapLog() if options.explain else None
        survivors = resolve(found, normalized.text, overlaps)
        if options.terms:
            # The remainder of a name under a span of higher rank is a detection of its own.
            survivors = without_allowed(normalized, survivors, options.terms)
        why = None if overlaps is None else explain_spans(normalized, survivors, overlaps)
        if not normalized.is_identity:
            survivors = [_in_original(normalized, span) for span in survivors]
        return Detection(text, tuple(survivors), why)

    def _needed_for(self, enabled: frozenset[EntityType]) -> tuple[Recognizer, ...]:
        """The recognizers of these types and of custom terms."""
        wanted = enabled | {EntityType.CUSTOM_TERM}
        return tuple(recognizer for recognizer in self._recognizers if not wanted.isdisjoint(recognizer.types))


def _tagged(names: str) -> "TaggedRecognizer | None":
    """The recognizer of names with the tagger of this tier; None for the rules."""
    if names == RULES:
        return None
    # These import the runtime of the taggers, which the rules do without.
    from pipeline.detect.recognizers.tagged import TaggedRecognizer
    from pipeline.detect.tagger.model import load

    if names == ACCURATE:
        return TaggedRecognizer(load(ACCURATE), most_words=_MOST_WORDS, beyond=TaggedRecognizer(load(FAST)))
    return TaggedRecognizer(load(names))


def _with_names(recognizers: Sequence[Recognizer], names: Recognizer) -> tuple[Recognizer, ...]:
    """The recognizers with `names` in place of the rules for names."""
    return tuple(names if recognizer is named_entities.LEXICAL else recognizer for recognizer in recognizers)


@lru_cache(maxsize=1024)
def _without_placeholders(label: str) -> str:
    """A label without placeholders: the heading `PERSON_NAME_01` does not mean that the column holds names."""
    normalized = normalize(label)
    cleaned = without_placeholders(normalized)
    return label if cleaned is normalized else cleaned.text


def without_placeholders(normalized: NormalizedText) -> NormalizedText:
    """The text with the tokens and placeholders of earlier calls blanked, so that nothing is found in them."""
    zones = list(find_placeholders(normalized.text))
    return normalized.blanked(zones) if zones else normalized


def _always_counts(span: Span, text: str) -> bool:
    """Whether a span counts whatever its score: a term, or a number whose check digits hold."""
    check = shape_of(span.recognizer, span.type).check
    return span.rank == GLOSSARY_RANK or (check is not None and passes_check(check, text[span.start : span.end]))


def _widened(normalized: NormalizedText, span: Span) -> Span:
    start, end = normalized.widened(span.start, span.end)
    return span._replace(start=start, end=end)


def _in_original(normalized: NormalizedText, span: Span) -> Span:
    start, end = normalized.original_span(span.start, span.end)
    return Span(start, end, span.type, span.score, span.recognizer, span.rank)
