"""Finds the room that a label has in its box beside the labels that are already placed."""

from collections.abc import Iterable

Span = tuple[float, float]


def widest_free_span(length: float, taken: Iterable[Span]) -> Span:
    """The widest part of `0..length` that no span of `taken` touches; the first of equally wide ones."""
    start = 0.0
    widest = (0.0, 0.0)
    for low, high in (*sorted(taken), (length, length)):
        if min(low, length) - start > widest[1] - widest[0]:
            widest = (start, min(low, length))
        start = max(start, high)
    return widest
