"""Finds allowed terms in a text, detected or not: propagation of values and the verdict leave them as they are."""

from collections.abc import Callable, Iterable, Sequence

from pipeline.detect.detector import without_placeholders
from pipeline.detect.glossary.allowed import Intervals
from pipeline.detect.glossary.terms import Matcher, compiled, occurrences
from pipeline.detect.text.normalize import normalize
from schemas.entities import EntityType
from schemas.spans import Term, TermSet


class AllowedSpans:
    """The allowed terms of one text. `spans`: start, end and type of each term, found by its own rules."""

    def __init__(self, spans: Iterable[tuple[int, int, EntityType]]) -> None:
        self.spans = list(spans)
        self._intervals: dict[EntityType, Intervals] = {}

    def cover(self, start: int, end: int, type_: EntityType) -> bool:
        """Whether `start:end` lies inside a term for this type. A term of type CUSTOM_TERM is for all types."""
        intervals = self._intervals.get(type_)
        if intervals is None:
            own = (span[:2] for span in self.spans if span[2] in (EntityType.CUSTOM_TERM, type_))
            intervals = self._intervals[type_] = Intervals(own)
        return intervals.cover(start, end)

    def is_exact(self, start: int, end: int, type_: EntityType) -> bool:
        """Whether `start:end` is a whole term for this type."""
        return not {(start, end, type_), (start, end, EntityType.CUSTOM_TERM)}.isdisjoint(self.spans)


class AllowedTerms:
    """The allowed terms of several sets."""

    def __init__(self, sets: Sequence[TermSet]) -> None:
        self._matchers: list[Matcher] = [matcher for terms in sets if (matcher := compiled(terms).allows).forms]

    def __bool__(self) -> bool:
        return bool(self._matchers)

    def only(self, wanted: Callable[[Term], bool]) -> "AllowedTerms":
        """The terms for which `wanted` is true."""
        terms = {form.term: None for matcher in self._matchers for forms in matcher.forms.values() for form in forms}
        chosen = TermSet(tuple(term for term in terms if wanted(term)))
        return AllowedTerms([chosen] if chosen.terms else [])

    def spans_in(self, text: str) -> AllowedSpans:
        """Every occurrence of every term, in offsets of `text`."""
        if not self._matchers:
            return AllowedSpans(())
        normalized = without_placeholders(normalize(text))
        return AllowedSpans(
            (*normalized.original_span(*normalized.widened(start, end)), term.type)
            for start, end, term in occurrences(normalized, self._matchers)
        )
