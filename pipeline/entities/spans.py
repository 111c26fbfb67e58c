"""Merges the spans to remove from a text: detected spans first, then spans of propagated values, without overlaps."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.document import Extraction, Reading


class DocumentText(NamedTuple):
    """A text for detection: that of a unit or of an OCR reading. `is_content`: it is for people, and no metadata.

    `from_pixels`: it is what OCR read.
    """

    id: str
    text: str
    context: str
    is_content: bool = True
    from_pixels: bool = False


class ValueSpan(NamedTuple):
    """A span to remove. `value`: the index of its value."""

    start: int
    end: int
    value: int


def texts_of(extraction: Extraction, readings: Sequence[Reading]) -> Iterator[DocumentText]:
    """Every text of a document, in the order in which values are numbered."""
    for unit in extraction.units:
        yield DocumentText(unit.id, unit.text, unit.context, unit.billed or unit.seen)
    for reading in readings:
        yield DocumentText(reading.raster, reading.text, "", from_pixels=True)


def insert_span(places: list[ValueSpan], new: ValueSpan) -> None:
    """Adds a span to disjoint ones. It replaces spans inside it, and is cut at spans that extend beyond it."""
    start, end = new.start, new.end
    first = bisect_right(places, start, key=lambda place: place.end)
    last = bisect_left(places, end, key=lambda place: place.start)
    if first < last and places[first].start < start:
        start, first = places[first].end, first + 1
    if first < last and places[last - 1].end > end:
        end, last = places[last - 1].start, last - 1
    if start < end:
        places[first:last] = [ValueSpan(start, end, new.value)]


def merged_spans(text: str, own: Sequence[ValueSpan], hits: Sequence[ValueSpan]) -> list[ValueSpan]:
    """Detected spans and hits without overlaps: detected spans stay whole, hits keep the parts outside of them."""
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
                result += _trimmed(
                    text, ValueSpan(start, max(start, taken[ahead].start), hit.value), start == hit.start
                )
                start = max(start, taken[ahead].end)
                ahead += 1
            else:
                result += _trimmed(text, ValueSpan(start, hit.end, hit.value), start == hit.start)
                start = hit.end
        covered = max(covered, hit.end)
    return sorted(result)


def _trimmed(text: str, place: ValueSpan, is_begin: bool) -> list[ValueSpan]:
    """The span without blanks at its edges; none if it has no letter or digit.

    `is_begin`: it is the beginning of a hit, so that a first mark belongs to it: a plus, the mark of an escape.
    """
    start, end = place.start, place.end
    while start < end and not text[start].isalnum() and not (is_begin and not text[start].isspace()):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [ValueSpan(start, end, place.value)] if any(map(str.isalnum, text[start:end])) else []
