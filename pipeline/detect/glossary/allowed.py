"""Removes the spans that the caller allows to stay: those whose whole surface is an allowed term, and all inside them.

An allowed term applies to its own characters only. Spans inside it are removed whatever their rank. A span that extends
beyond it is kept, because its own surface is not allowed. Spans of terms to mask are always kept.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from pipeline.detect.glossary.folding import folded
from pipeline.detect.glossary.forms import TermContext, TermForm
from pipeline.detect.glossary.terms import Matcher, compiled
from pipeline.detect.text.equivalence import canonical, is_identifier
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import Span, TermSet

_T = EntityType
Zone = tuple[int, int]


def without_allowed(text: NormalizedText, spans: list[Span], sets: Sequence[TermSet]) -> list[Span]:
    """`spans` (normalized offsets) without those that terms of the sets allow to stay."""
    matchers = [matcher for terms in sets if (matcher := compiled(terms).allows).forms]
    if not matchers:
        return spans
    context = TermContext(text)
    typed: set[Zone] = set()  # spans of terms that are for their own type only
    zones: list[Zone] = []
    gone: set[Span] = set()
    for span in spans:
        form = None if span.rank == GLOSSARY_RANK else _allowing_term(matchers, text, context, span)
        if form is not None:
            gone.add(span)
            (zones.append if form.term.type is _T.CUSTOM_TERM else typed.add)((span.start, span.end))
    free, inside = Intervals(zones), Intervals((*zones, *typed))

    def stays(span: Span) -> bool:
        if span.rank == GLOSSARY_RANK:
            return True
        own = span in gone or free.cover(span.start, span.end)
        return not own and ((span.start, span.end) in typed or not inside.cover(span.start, span.end))

    return [span for span in spans if stays(span)] if gone else spans


class Intervals:
    """Intervals of a text, for the question whether one of them covers a span."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        ordered = sorted(zones)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def cover(self, start: int, end: int) -> bool:
        """Whether one interval covers all of `start:end`."""
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and self._reach[index] >= end


def _allowing_term(
    matchers: Sequence[Matcher], text: NormalizedText, context: TermContext, span: Span
) -> TermForm | None:
    """The form of the term that allows the span; a term for all types is preferred to one for the span's type."""
    surface = text.text[span.start : span.end]
    surface_form = folded(surface)
    code = canonical(span.type, surface) if is_identifier(span.type) else None
    found: TermForm | None = None
    for matcher in matchers:
        written = [
            form for form in matcher.forms.get(surface_form, ()) if context.matches_case(form, span.start, span.end)
        ]
        grouped = matcher.codes(span.type).get(code, []) if code else []
        for form in written + grouped:
            if form.term.type in (_T.CUSTOM_TERM, span.type) and context.matches_context(form, span.start, span.end):
                if form.term.type is _T.CUSTOM_TERM:
                    return form
                found = form
    return found
