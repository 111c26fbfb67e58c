"""Where in a document's texts something is to be removed: places without overlap, detected ones before spread ones."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.documents.document import Extraction, Reading


class DocumentText(NamedTuple):
    """A text that detection looks at: a unit's or a reading's."""

    id: str
    text: str
    context: str


class ValueSpan(NamedTuple):
    """One span to remove, of the value with index `value`."""

    start: int
    end: int
    value: int


def texts_of(extraction: Extraction, readings: Sequence[Reading]) -> Iterator[DocumentText]:
    """Every text of a document, in order of numbering."""
    for unit in extraction.units:
        yield DocumentText(unit.id, unit.text, unit.context)
    for reading in readings:
        yield DocumentText(reading.raster, reading.text, "")


def insert_span(places: list[ValueSpan], new: ValueSpan) -> None:
    """Adds a place to disjoint ones in order: it takes those inside it, and gives way to those that reach out of it."""
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
    """Both kinds of places without overlap: detected ones stay whole, hits keep what those leave uncovered."""
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
    """The place without blanks at its edges; nothing when nothing of it can be read.

    `is_begin`: a hit begins there, so that a mark belongs to it: a plus, the first sign of an encoded letter.
    """
    start, end = place.start, place.end
    while start < end and not text[start].isalnum() and not (is_begin and not text[start].isspace()):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [ValueSpan(start, end, place.value)] if any(map(str.isalnum, text[start:end])) else []
