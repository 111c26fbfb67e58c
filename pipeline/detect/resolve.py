"""Resolves overlapping spans: the higher rank wins, then the score, the length and the position.

The part of a name or an address outside the winner stays as a span of its own.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from schemas.entities import GLOSSARY_RANK, EntityType
from schemas.spans import Span

# Types whose remainder is still personal data: "Alharbi" of "Salman Alharbi" when "Salman" is a glossary term.
_KEEPS_REMAINDER = frozenset({EntityType.PERSON, EntityType.ADDRESS})
_NAMES = frozenset({EntityType.PERSON, EntityType.ADDRESS, EntityType.LOCATION, EntityType.ORGANIZATION})


class OverlapLog:
    """A record of the resolution. `lost`: each loser with its winners. `remainders`: each remainder with its span."""

    __slots__ = ("lost", "remainders")

    def __init__(self) -> None:
        self.lost: list[tuple[Span, list[Span]]] = []
        self.remainders: dict[Span, Span] = {}


def resolve(spans: Iterable[Span], text: str, overlaps: OverlapLog | None = None) -> list[Span]:
    """The surviving spans of `text` by position, without overlaps. O(n log n) in the number of spans.

    `overlaps`, if given, records which span lost to which.
    """
    ordered = sorted(spans)
    survivors: list[Span] = []
    group: list[Span] = []
    reach = -1
    for span in ordered:
        if span.start >= reach and group:
            survivors += _settle(group, text, overlaps) if len(group) > 1 else group
            group = []
        group.append(span)
        if span.end > reach:
            reach = span.end
    return survivors + _settle(group, text, overlaps)


def outside_values(spans: Sequence[Span], text: str, reader: str) -> list[Span]:
    """The spans, those of the recognizer `reader` without what lies on numbers, keys, addresses and other values.

    A tagger reads words: `ABD parked` in `1234 ABD parked` is no name, though names have the higher rank.
    """
    if all(span.recognizer != reader for span in spans):
        return list(spans)
    values: list[Span] = []
    for span in sorted(spans):
        if span.type in _NAMES or span.rank == GLOSSARY_RANK:
            continue
        if values and span.start < values[-1].end:
            values[-1] = values[-1]._replace(end=max(span.end, values[-1].end))
        else:
            values.append(span._replace(rank=GLOSSARY_RANK))
    kept: list[Span] = []
    for span in spans:
        blockers = list(_overlapping(values, span)) if span.recognizer == reader else []
        kept += _remainders(span, blockers, text) if blockers else [span]
    return kept


def _priority(span: Span) -> tuple[int, float, int, int, str]:
    return -span.rank, -span.score, span.start - span.end, span.start, span.type


def _settle(group: list[Span], text: str, overlaps: OverlapLog | None) -> list[Span]:
    """The survivors of a group of spans that overlap in a chain."""
    accepted: list[Span] = []
    for span in sorted(group, key=_priority):
        blockers = list(_overlapping(accepted, span))
        if not blockers:
            _insert(accepted, span)
            continue
        if overlaps is not None:
            overlaps.lost.append((span, blockers))
        for rest in _remainders(span, blockers, text) if span.type in _KEEPS_REMAINDER else ():
            if not any(_overlapping(accepted, rest)):
                _insert(accepted, rest)
                if overlaps is not None:
                    overlaps.remainders[rest] = span
    return accepted


def _overlapping(accepted: list[Span], span: Span) -> Iterator[Span]:
    """The spans of `accepted` (by position, disjoint) that share a character with `span`."""
    index = bisect_right(accepted, span.start, key=lambda other: other.end)
    while index < len(accepted) and accepted[index].start < span.end:
        yield accepted[index]
        index += 1


def _insert(accepted: list[Span], span: Span) -> None:
    accepted.insert(bisect_right(accepted, span.start, key=lambda other: other.start), span)


def _remainders(span: Span, blockers: list[Span], text: str) -> Iterator[Span]:
    """The whole words of `span` that lie outside the blockers of higher rank."""
    start = span.start
    for blocker in blockers:
        if blocker.rank > span.rank:
            yield from _whole_words(span, start, blocker.start, text)
            start = blocker.end
    if start != span.start:
        yield from _whole_words(span, start, span.end, text)


def _whole_words(span: Span, start: int, end: int, text: str) -> Iterator[Span]:
    """`text[start:end]` without words that are cut at an edge, and without blanks and punctuation around."""
    if start != span.start:
        while start < end and text[start].isalnum() and text[start - 1].isalnum():
            start += 1
    if end != span.end:
        while end > start and text[end - 1].isalnum() and text[end].isalnum():
            end -= 1
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    if start < end:
        yield span._replace(start=start, end=end)
