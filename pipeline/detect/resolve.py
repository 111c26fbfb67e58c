"""Resolves overlapping spans: the higher rank wins, then the score, the length and the position.

The part of a name or an address outside the winner stays as a span of its own.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from schemas.entities import EntityType
from schemas.spans import Span

# Types whose remainder is still personal data: "Alharbi" of "Salman Alharbi" when "Salman" is a glossary term.
_KEEPS_REMAINDER = frozenset({EntityType.PERSON, EntityType.ADDRESS})


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
