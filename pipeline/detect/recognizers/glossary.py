"""CUSTOM_TERM and typed terms: every glossary term of the caller, by its match mode, case and locale, at rank 110."""

from collections.abc import Iterator

from pipeline.detect.glossary.terms import compiled, occurrences
from pipeline.detect.recognizer import Recognizer, Rule
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import DetectOptions, Span


def _glossary(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    if not options.terms:
        return
    taken: set[tuple[int, int]] = set()  # by terms of an earlier set
    for start, end, term in occurrences(text, [compiled(terms).masks for terms in options.terms]):
        if (start, end) not in taken:
            taken.add((start, end))
            yield Span(start, end, term.type, 1.0, "glossary", GLOSSARY_RANK)


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("glossary", frozenset({EntityType.CUSTOM_TERM}), _glossary),)
