"""What detection sees in a document: every text, each distinct one once, and what layout spread over several."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from pipeline.detect.text.line_wrap import SurfaceSpan, spans_across_breaks
from pipeline.documents.document import Extraction, JoinedText
from pipeline.entities.spans import DocumentText, ValueSpan, insert_span
from pipeline.entities.values import KnownValue, index_of
from schemas.entities import ALL_TYPES, GLOSSARY_RANK, EntityType
from schemas.spans import Detection, DetectOptions, Span

# What layout spreads over units: a name in two cells, an IBAN over a page's end, a number with a cell to a digit.
#
# The joints of an extraction are read as one text each, and what crosses a cut is handed back as places in the units.

_T = EntityType

# Values whose own check digits or shape say that the pieces belong together, whatever the layout means.
_PROVEN = frozenset({_T.IBAN, _T.EMAIL_ADDRESS})
# What no layout spreads on purpose: a date or an amount beside another is two.
_WHOLE = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT, _T.LOCATION, _T.ORGANIZATION, _T.IP_ADDRESS})

Detect = Callable[[str, str, bool], Sequence[Span]]


class JointValue(NamedTuple):
    """One value that crosses a cut: its type, how it reads without the cut, and its places: unit, start, end."""

    type: EntityType
    surface: str
    places: tuple[tuple[str, int, int], ...]


def values_across_joint(joint: JoinedText, texts: Mapping[str, str], detect: Detect) -> Iterator[JointValue]:
    """The values of one joint that no unit holds by itself, by position.

    `texts` are those of the units, by id. `detect` takes a text, its context, and whether checksums must hold.
    """
    pieces = [_said(texts[piece.unit][piece.start : piece.end]) for piece in joint.pieces]
    joined = joint.glue.join(pieces)
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece) + len(joint.glue))
    for span in detect(joined, joint.context, not joint.flows or not joint.glue):
        first, last = bisect_right(starts, span.start) - 1, bisect_right(starts, span.end - 1) - 1
        if first < last and _is_believed(joint, joined, span):
            yield JointValue(
                span.type, joined[span.start : span.end], tuple(_fragment_places(joint, starts, span, first, last))
            )


def _said(text: str) -> str:
    """A piece's text; the end of a line or a cell at its end is a blank."""
    return f"{text[:-1]} " if text[-1:] in ("\n", "\t") else text


def _is_believed(joint: JoinedText, joined: str, span: Span) -> bool:
    if joint.flows or span.type in _PROVEN:
        return True
    is_all = not joined[: span.start].strip() and not joined[span.end :].strip()
    return is_all and bool(joint.context) and span.type not in _WHOLE


def _fragment_places(
    joint: JoinedText, starts: Sequence[int], span: Span, first: int, last: int
) -> Iterator[tuple[str, int, int]]:
    for number in range(first, last + 1):
        piece = joint.pieces[number]
        start = max(span.start - starts[number], 0)
        end = min(span.end - starts[number], piece.end - piece.start)
        if start < end:
            yield piece.unit, piece.start + start, piece.start + end


_Index = dict[tuple[EntityType, str], int]


class TextDetector(Protocol):
    """What is needed of a detector."""

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """Spans in offsets of the text, sorted, overlapping nowhere."""


def detect_document(
    extraction: Extraction, texts: Sequence[DocumentText], detector: TextDetector, options: DetectOptions
) -> tuple[list[KnownValue], dict[str, list[ValueSpan]]]:
    """The distinct values of a document, and their places in each of its texts, by id.

    Every type is looked for, checksums are lenient.
    """
    lenient = replace(options, enabled=ALL_TYPES, strict_checksums=False, context="")
    known: list[KnownValue] = []
    index: _Index = {}
    places = _places(texts, detector, lenient, known, index)
    if extraction.joints:
        _join(extraction, detector, lenient, known, index, places)
    return known, places


def _places(
    texts: Sequence[DocumentText],
    detector: TextDetector,
    options: DetectOptions,
    known: list[KnownValue],
    index: _Index,
) -> dict[str, list[ValueSpan]]:
    """Detection of every text, each distinct one once: tables repeat themselves."""
    same: dict[tuple[str, str], list[ValueSpan]] = {}
    by_context: dict[str, DetectOptions] = {}
    places: dict[str, list[ValueSpan]] = {}
    for text in texts:
        if not text.text or text.text.isspace():
            continue
        found = same.get((text.text, text.context))
        if found is None:
            asked = by_context.get(text.context)
            if asked is None:
                asked = by_context[text.context] = replace(options, context=text.context)
            found = same[text.text, text.context] = []
            for span, surface in _spans(text.text, detector, asked):
                number = index_of(known, index, span.type, surface)
                known[number].glossary &= span.rank == GLOSSARY_RANK
                known[number].term |= span.rank == GLOSSARY_RANK
                found.append(ValueSpan(span.start, span.end, number))
        if found:
            places[text.id] = found
    return places


def _spans(text: str, detector: TextDetector, options: DetectOptions) -> list[SurfaceSpan]:
    """What stands in the lines of a text, and across their ends."""

    def detect(joined: str, strict: bool) -> Sequence[Span]:
        return detector.detect(joined, replace(options, strict_checksums=strict)).spans

    return spans_across_breaks(text, detector.detect(text, options).spans, detect)


def _join(
    extraction: Extraction,
    detector: TextDetector,
    options: DetectOptions,
    known: list[KnownValue],
    index: _Index,
    places: dict[str, list[ValueSpan]],
) -> None:
    """Puts what crosses the cuts of joints among the places."""
    text_of = {unit.id: unit.text for unit in extraction.units}

    def detect(text: str, context: str, strict: bool) -> Sequence[Span]:
        return detector.detect(text, replace(options, context=context, strict_checksums=strict)).spans

    for joint in extraction.joints:
        for value in values_across_joint(joint, text_of, detect):
            if _is_news(value, known, places, text_of):
                number = index_of(known, index, value.type, value.surface)
                known[number].glossary = False
                for unit, start, end in value.places:
                    own = places[unit] = list(places.get(unit, ()))  # equal texts share their list
                    insert_span(own, ValueSpan(start, end, number))


def _is_news(
    value: JointValue, known: Sequence[KnownValue], places: dict[str, list[ValueSpan]], text_of: dict[str, str]
) -> bool:
    """Whether something of the value would stay, or all of its pieces are of its type: one name in two cells."""
    for unit, start, end in value.places:
        own = [place for place in places.get(unit, ()) if place.start < end and start < place.end]
        told = {at for place in own for at in range(place.start, place.end)}
        if any(text_of[unit][at].isalnum() and at not in told for at in range(start, end)):
            return True
        if any(known[place.value].type is not value.type for place in own):
            return False
    return True
