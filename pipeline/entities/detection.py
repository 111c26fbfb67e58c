"""Runs detection over a document: over each distinct text once, and over the joints of texts that layout separates."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pipeline.detect.detector import Detector
from pipeline.detect.recognizers.misread_number import MISREAD
from pipeline.detect.text.line_wrap import SurfaceSpan, spans_across_breaks
from pipeline.documents.document import Extraction, JoinedText
from pipeline.entities.spans import DocumentText, ValueSpan, insert_span
from pipeline.entities.values import KnownValue, index_of
from schemas.entities import ALL_TYPES, GLOSSARY_RANK, EntityType
from schemas.spans import DetectOptions, Span

if TYPE_CHECKING:
    from pipeline.detect.recognizers.tagged import DocumentNames

_T = EntityType

# Types whose check digits or shape prove that the pieces belong together, whatever the layout means.
_SELF_VALIDATING = frozenset({_T.IBAN, _T.EMAIL_ADDRESS})
# Types that no layout splits on purpose: two dates or amounts side by side are two values.
_NEVER_SPLIT = frozenset({_T.DATE_TIME, _T.MONETARY_AMOUNT, _T.LOCATION, _T.ORGANIZATION, _T.IP_ADDRESS})

_LONG = 5  # digits of a number that may stand in another order of its groups

Detect = Callable[[str, str, bool], Sequence[Span]]


class JointValue(NamedTuple):
    """A value across a cut: its type, its surface without the cut, and its places: unit, start, end."""

    type: EntityType
    surface: str
    places: tuple[tuple[str, int, int], ...]


def values_across_joint(joint: JoinedText, texts: Mapping[str, str], detect: Detect) -> Iterator[JointValue]:
    """The values of one joint that no single unit contains, by position.

    A joint is a row of pieces that are read as one text: a name in two cells, an IBAN over a page end, a number of one
    digit per cell. `texts`: those of the units by id. `detect` takes a text, its context, and whether checksums must
    hold.
    """
    pieces = [_piece_text(texts[piece.unit][piece.start : piece.end]) for piece in joint.pieces]
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


def _piece_text(text: str) -> str:
    """The text of a piece, with a blank for the end of a line or a cell at its end."""
    return f"{text[:-1]} " if text[-1:] in ("\n", "\t") else text


def _is_believed(joint: JoinedText, joined: str, span: Span) -> bool:
    if joint.flows or span.type in _SELF_VALIDATING:
        return True
    is_all = not joined[: span.start].strip() and not joined[span.end :].strip()
    return is_all and bool(joint.context) and span.type not in _NEVER_SPLIT


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


class Detected(NamedTuple):
    """The distinct values of a document, their spans in its texts by id, and the names that were dismissed."""

    known: list[KnownValue]
    places: dict[str, list[ValueSpan]]
    dismissed: tuple[tuple[str, str], ...]


def detect_document(
    extraction: Extraction, texts: Sequence[DocumentText], whole: Detector, options: DetectOptions
) -> Detected:
    """What a document holds. All types are enabled, checksums are lenient."""
    lenient = replace(options, enabled=ALL_TYPES, strict_checksums=False, context="")
    detector, names = whole.of_document((text.text, text.context) for text in texts if text.is_content)
    known: list[KnownValue] = []
    index: _Index = {}
    content_first = sorted(texts, key=lambda text: not text.is_content)  # a tagger says what counts in the others
    places = _detect_texts(content_first, detector, lenient, known, index)
    if extraction.joints:
        _add_joint_values(extraction, detector, lenient, known, index, places)
    return Detected(known, places, _dismissed(names, known) if names else ())


def _dismissed(names: "DocumentNames", known: Sequence[KnownValue]) -> tuple[tuple[str, str], ...]:
    """The types and surfaces that count nowhere in the document."""
    found = {(value.type, surface) for value in known for surface in value.surfaces}
    return tuple((type_.value, surface) for type_, surface in names.dismissed if (type_, surface) not in found)


def _detect_texts(
    texts: Sequence[DocumentText],
    detector: Detector,
    options: DetectOptions,
    known: list[KnownValue],
    index: _Index,
) -> dict[str, list[ValueSpan]]:
    """The spans of every text. Equal texts, which are frequent in tables, are detected once."""
    same: dict[tuple[str, str, bool], list[ValueSpan]] = {}
    by_context: dict[tuple[str, bool], DetectOptions] = {}
    places: dict[str, list[ValueSpan]] = {}
    for text in texts:
        if not text.text or text.text.isspace():
            continue
        kind = text.context, text.from_pixels
        found = same.get((text.text, *kind))
        if found is None:
            asked = by_context.get(kind)
            if asked is None:
                asked = by_context[kind] = replace(options, context=text.context, from_pixels=text.from_pixels)
            found = same[text.text, *kind] = []
            for span, surface in _detect_text(text.text, detector, asked):
                number = index_of(known, index, span.type, surface)
                known[number].glossary &= span.rank == GLOSSARY_RANK
                known[number].term |= span.rank == GLOSSARY_RANK
                found.append(ValueSpan(span.start, span.end, number))
        if found:
            places[text.id] = found
    return places


def _detect_text(text: str, detector: Detector, options: DetectOptions) -> list[SurfaceSpan]:
    """The spans of a text within its lines and across line ends."""

    def detect(joined: str, strict: bool) -> Sequence[Span]:
        return detector.detect(joined, replace(options, strict_checksums=strict)).spans

    found = spans_across_breaks(text, detector.detect(text, options).spans, detect)
    return _without_other_orders(found) if options.from_pixels else found


def _without_other_orders(found: Sequence[SurfaceSpan]) -> list[SurfaceSpan]:
    """The spans without numbers of no form that have the digits of another: they are its groups in the other order."""
    by_form = [item for item in found if item.span.recognizer != MISREAD]
    known = {_digits(item.surface) for item in by_form}
    for item in found:
        digits = _digits(item.surface)
        if item.span.recognizer == MISREAD and not (len(digits) >= _LONG and digits in known):
            known.add(digits)
            by_form.append(item)
    return sorted(by_form)


def _digits(surface: str) -> tuple[int, ...]:
    return tuple(sorted(map(int, filter(str.isdecimal, surface))))


def _add_joint_values(
    extraction: Extraction,
    detector: Detector,
    options: DetectOptions,
    known: list[KnownValue],
    index: _Index,
    places: dict[str, list[ValueSpan]],
) -> None:
    """Adds the values across the cuts of joints to the spans."""
    text_of = {unit.id: unit.text for unit in extraction.units}

    def detect(text: str, context: str, strict: bool) -> Sequence[Span]:
        return detector.detect(text, replace(options, context=context, strict_checksums=strict)).spans

    for joint in extraction.joints:
        for value in values_across_joint(joint, text_of, detect):
            if _adds_coverage(value, known, places, text_of):
                number = index_of(known, index, value.type, value.surface)
                known[number].glossary = False
                for unit, start, end in value.places:
                    own = places[unit] = list(places.get(unit, ()))  # equal texts share their list
                    insert_span(own, ValueSpan(start, end, number))


def _adds_coverage(
    value: JointValue, known: Sequence[KnownValue], places: dict[str, list[ValueSpan]], text_of: dict[str, str]
) -> bool:
    """Whether a part of the value is not covered yet, or all its pieces were found as its type: a name in two cells."""
    for unit, start, end in value.places:
        own = [place for place in places.get(unit, ()) if place.start < end and start < place.end]
        covered = {at for place in own for at in range(place.start, place.end)}
        if any(text_of[unit][at].isalnum() and at not in covered for at in range(start, end)):
            return True
        if any(known[place.value].type is not value.type for place in own):
            return False
    return True
