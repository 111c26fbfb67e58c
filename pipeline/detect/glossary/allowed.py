"""What the caller's lists allow to stay: spans whose whole surface is an allowed term, and all that lies inside them.

An allowed surface speaks for its own characters alone. Spans inside it go with it, whatever their rank; a span that
reaches out of it stays whole, as its own surface was not allowed; a term that says mask is never touched.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from pipeline.detect.glossary.terms import Matcher, TermContext, TermForm, compiled, folded
from pipeline.detect.text.equivalence import canonical, is_identifier
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import Span, TermSet

_T = EntityType
Zone = tuple[int, int]


def without_allowed(text: NormalizedText, spans: list[Span], sets: Sequence[TermSet]) -> list[Span]:
    """`spans` (normalized offsets) less those that the sets' terms allow to stay."""
    matchers = [matcher for terms in sets if (matcher := compiled(terms).allows).forms]
    if not matchers:
        return spans
    around = TermContext(text)
    typed: set[Zone] = set()  # where a term speaks for its own type alone
    zones: list[Zone] = []
    gone: set[Span] = set()
    for span in spans:
        form = None if span.rank == GLOSSARY_RANK else _allowing_term(matchers, text, around, span)
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
    """Stretches of a text, to be asked what lies inside one of them."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        ordered = sorted(zones)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))

    def cover(self, start: int, end: int) -> bool:
        """Whether one zone holds all of `start:end`."""
        index = bisect_right(self._starts, start) - 1
        return index >= 0 and self._reach[index] >= end


def _allowing_term(
    matchers: Sequence[Matcher], text: NormalizedText, around: TermContext, span: Span
) -> TermForm | None:
    """The term that allows the span; one for every type rather than one for its own."""
    surface = text.text[span.start : span.end]
    surface_form = folded(surface)
    code = canonical(span.type, surface) if is_identifier(span.type) else None
    found: TermForm | None = None
    for matcher in matchers:
        written = [form for form in matcher.forms.get(surface_form, ()) if around.has_case(form, span.start, span.end)]
        grouped = matcher.codes(span.type).get(code, []) if code else []
        for form in written + grouped:
            if form.term.type in (_T.CUSTOM_TERM, span.type) and around.has_place(form, span.start, span.end):
                if form.term.type is _T.CUSTOM_TERM:
                    return form
                found = form
    return found
