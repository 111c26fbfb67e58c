"""Explains each surviving span: its shape, its checksum, its cue word, and the spans that it outranked."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from pipeline.detect.resolve import OverlapLog
from pipeline.detect.text.checksums import luhn, mod97
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.trace import LABELLED, Trace
from schemas.entities import EntityType
from schemas.spans import Cue, Span, Why

_T = EntityType


class Shape(NamedTuple):
    """What a recognizer looks for: `text` in words, `check` the name of the checksum that its spans pass.

    `source` is the key of its notes in the trace: a kind of label, an entity type for words, or, if empty, the name of
    the recognizer.
    """

    text: str
    check: str | None = None
    source: str = ""


# By recognizer, or by recognizer and type where it reports several. A test checks that no row is missing.
SHAPES: Mapping[str | tuple[str, EntityType], Shape] = {
    ("identity", _T.NATIONAL_ID): Shape("10 digits, leading 1", "luhn"),
    ("identity", _T.RESIDENCE_PERMIT): Shape("10 digits, leading 2", "luhn"),
    "ssn": Shape("3, 2 and 4 digits with hyphens or spaces, valid area"),
    "ssn_labelled": Shape("9 digits with a valid area, beside a label", source=LABELLED + "ssn"),
    "iban": Shape("SA, 2 check digits and 20 characters", "mod97", LABELLED + "iban"),
    "card": Shape("14 to 16 digits of a known card scheme", "luhn"),
    "card_labelled": Shape("14 to 16 digits, beside a label", "luhn", source=LABELLED + "card"),
    "tax": Shape("15 digits, leading 3"),
    "tax_labelled": Shape("10 or 15 digits, leading 3, beside a label", source=LABELLED + "tax"),
    "business": Shape("10 digits, leading 1 to 7, beside a label", source=LABELLED + "business"),
    "mrn": Shape("record number, beside a label", source=LABELLED + "mrn"),
    "student": Shape("student number, beside a label", source=LABELLED + "student"),
    "student_named": Shape("number in brackets behind the name of a student"),
    "policy": Shape("policy number, beside a label", source=LABELLED + "policy"),
    "license": Shape("SCFHS or yy-R-X licence number"),
    "license_labelled": Shape("licence number, beside a label", source=LABELLED + "license"),
    "passport": Shape("document number, beside a label", source=LABELLED + "passport"),
    ("mrz", _T.PASSPORT): Shape("second line of a machine-readable zone", "icao9303"),
    ("mrz", _T.PERSON): Shape("name in a machine-readable zone whose second line holds"),
    "email": Shape("local part, @ and domain"),
    "email_spelled": Shape("local part and domain, with the signs spelled as words or with blanks around them"),
    "phone": Shape("Saudi number, or an international number that is possible"),
    "phone_unified": Shape("unified number, beside a label", source=LABELLED + "business"),
    "phone_labelled": Shape("number without its prefix, beside a label", source=LABELLED + "phone"),
    "plate": Shape("up to 4 digits and 3 plate letters"),
    "plate_labelled": Shape("up to 4 digits and 3 plate letters, beside a label", source=LABELLED + "plate"),
    "misread_number": Shape("5 digits or more in any form, beside a label, read from pixels"),
    "ipv4": Shape("IPv4 literal"),
    "ipv6": Shape("IPv6 literal"),
    "api_key": Shape("secret with its issuer's prefix"),
    "dates": Shape("date in digits"),
    "clock": Shape("time of day"),
    "verbal_dates": Shape("date with a month's name"),
    "durations": Shape("number with a unit of time"),
    "money": Shape("number with a currency"),
    "glossary": Shape("term of a glossary"),
    "judge": Shape("named by the judge, verbatim in the text"),
    ("lexical", _T.PERSON): Shape("words known as names", source="PERSON"),
    ("lexical", _T.ADDRESS): Shape("parts of an address that stand together", source="ADDRESS"),
    ("lexical", _T.LOCATION): Shape("place known by the lexicon", source="LOCATION"),
    ("lexical", _T.ORGANIZATION): Shape("organization, known or as such names are built", source="ORGANIZATION"),
    ("tagger", _T.PERSON): Shape("person in its context, by the neural tagger"),
    ("tagger", _T.LOCATION): Shape("place in its context, by the neural tagger"),
    ("tagger", _T.ORGANIZATION): Shape("organization in its context, by the neural tagger"),
}


def shape_of(recognizer: str, type_: EntityType) -> Shape:
    """The row of a span's recognizer and type."""
    return SHAPES.get((recognizer, type_)) or SHAPES.get(recognizer) or Shape(recognizer)


def passes_check(check: str, surface: str) -> bool:
    """Whether `surface` passes the checksum of this name. In files, numbers that fail it are found too."""
    compact = "".join(c for c in surface.upper() if c.isalnum())
    return _CHECKS[check](compact)


# A machine-readable zone is reported only if its five check digits hold, in files too.
_CHECKS: Mapping[str, Callable[[str], bool]] = {"luhn": luhn, "mod97": mod97, "icao9303": bool}


def explain_spans(text: NormalizedText, survivors: list[Span], overlaps: OverlapLog) -> dict[Span, Why]:
    """The explanation of each of `survivors` (normalized offsets) and of each span that lost to one of them.

    All offsets in the result are offsets of the original text.
    """
    trace = text.trace or Trace()
    if text.expanded:
        trace = trace.widened(text.widened)
    losers_of = losers_by_winner(overlaps)
    losers = [loser for loser, _ in overlaps.lost]
    why: dict[Span, Why] = {}
    for span in (*survivors, *losers):
        made = overlaps.remainders.get(span, span)
        shape = shape_of(made.recognizer, made.type)
        note = trace.of((made.start, made.end), shape.source or made.recognizer)
        passed = shape.check is not None and passes_check(shape.check, text.text[made.start : made.end])
        reason = Why(
            shape=note.shape or shape.text,
            check=shape.check if passed else None,
            cue=_cue(text, note.cue),
            whole=made == span,
            outranked=tuple(_in_original(text, loser) for loser in distinct_losers(span, losers_of.get(span, ()))),
        )
        why.setdefault(_in_original(text, span), reason)
    return why


def losers_by_winner(overlaps: OverlapLog) -> dict[Span, list[Span]]:
    """For each winner the spans that lost to it."""
    losers_of: dict[Span, list[Span]] = defaultdict(list)
    for loser, winners in overlaps.lost:
        for winner in winners:
            losers_of[winner].append(loser)
    return losers_of


def distinct_losers(winner: Span, losers: Iterable[Span]) -> list[Span]:
    """The losers by position, each once, without those that have the winner's own offsets and type."""
    same = winner[:3]
    return sorted({loser[:3]: loser for loser in losers if loser[:3] != same}.values())


def _cue(text: NormalizedText, cue: Cue | None) -> Cue | None:
    return None if cue is None else Cue(*text.original_span(cue.start, cue.end), cue.certain)


def _in_original(text: NormalizedText, span: Span) -> Span:
    start, end = text.original_span(span.start, span.end)
    return span._replace(start=start, end=end)
