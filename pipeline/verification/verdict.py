"""The verdict on an output: what of the found values is still there, and what detection finds anew.

Pure, and apart from redaction's own search. Rules, from the strictest:
1. a distinctive value stands nowhere: not in text, not in what only programs read, not inside a longer string, not in
   other digits, spacing, presentation forms, visual order, escapes or encodings, not parted over neighbouring cells;
2. a shorter code stands nowhere as a token of its own in what people read, and no value stands alone as a whole text;
3. nobody found stands by a part of the name where it reads as one;
4. detection, run as it ran on the input, finds nothing. Our own placeholders, even misread by OCR, are no finding.
What the caller's terms allow to stay is no finding, and may hold a value that stands nowhere else.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

from pipeline.detect.allowed_spans import AllowedTerms
from pipeline.detect.mentions import PersonMentions, is_certain_name
from pipeline.detect.text.line_wrap import SurfaceSpan, spans_across_breaks
from pipeline.documents.document import BY_HUE, Findings, FoundValue, Reading
from pipeline.verification import normal_forms
from pipeline.verification.leak_search import distinctive
from pipeline.verification.reading import PARTED, Leftover, Passage, SecondReading
from schemas.entities import ALL_TYPES, PREFIX, EntityType
from schemas.spans import Detection, DetectOptions, Span, Term, TermSet

# The verdict on people: nobody whose name was found may stand in an output by a part of it either.

_PERSON = EntityType.PERSON


def named(
    values: Sequence[FoundValue], passages: Iterable[Passage], sets: Sequence[TermSet] = ()
) -> Iterator[Leftover]:
    """Each part of a found name that still stands as a name in what people read; what `sets` allow may stay."""
    names = [(number, value) for number, value in enumerate(values) if value.type == _PERSON]
    people = PersonMentions(
        (number, value.surface)
        for number, value in names
        if value.distinctive or (len(value.surface.split()) == 1 and not is_certain_name(value.surface))
    )
    if not people:
        return
    allowed = AllowedTerms(sets)
    for passage in passages:
        mentions = people.mentions_in(passage.text)
        if mentions:
            allowed_spans = allowed.spans_in(passage.text)
            for start, end, _ in mentions:
                if not allowed_spans.cover(start, end, _PERSON):
                    yield Leftover(_PERSON.value, passage.text[start:end], known=True)


# What of a reading by OCR is believed: words below its confidence are noise more often than text.

LEAST_CONFIDENCE = 60.0  # of a word that OCR read (0..100)
LEAST_OF_NUMBER = 80.0  # of a number that no check digit proves: one wrong digit makes an amount of anything


def parted(reading: Reading, least_of_number: float = LEAST_CONFIDENCE) -> Passage:
    """The words that are believed; what stood between them parts them.

    Redaction burned every doubtful word that was there before it, and found values are looked for in them all the same.
    """
    return _confident(reading, PARTED, least_of_number)


def joined(reading: Reading) -> Passage:
    """The words that are believed as if nothing stood between them: it may be the frame of a box that burned a word."""
    return _confident(reading, " ", LEAST_CONFIDENCE)


def _confident(reading: Reading, instead: str, least_of_number: float) -> Passage:
    text = list(reading.text)
    for word in reading.words:
        said = text[word.start : word.end]
        is_number = any(sign.isdigit() for sign in said)
        if word.confidence < (least_of_number if is_number else LEAST_CONFIDENCE):
            is_mark = not any(sign.isalnum() for sign in said)
            text[word.start : word.end] = (" " if is_mark else instead) * len(said)
    return Passage("".join(text))


# What of an output's leftovers may stay: a value that stands nowhere but inside terms that the caller allowed.
#
# Asked only about values whose letters some allowed term holds, each for itself: an allowed term hides no other value.

Rules = Callable[[Sequence[FoundValue], Sequence[Passage], Sequence[str]], Iterable[Leftover]]

_MOST = 100  # leftovers that are asked about; each costs a search, and so many are no exception any more
_VEIL = "\ua66e"  # a letter that stands in no value, for every letter of an allowed term


def unexcused(
    left: Sequence[Leftover],
    values: Sequence[FoundValue],
    passages: Sequence[Passage],
    raw: Sequence[str],
    rules: Rules,
    sets: Sequence[TermSet],
) -> list[Leftover]:
    """Those of `left`, which `rules` found in `passages` and `raw`, that stand outside the sets' allowed terms too."""
    allowed = AllowedTerms(sets)
    if not allowed or len(left) > _MOST:
        return list(left)
    by_name = {(value.type, value.surface): value for value in values}

    def is_excused(leftover: Leftover) -> bool:
        value = by_name.get((leftover.type, leftover.surface))
        own = allowed.only(lambda term: value is not None and _holds(term, value))
        if value is None or not own:
            return False
        veiled = [replace(passage, text=_veiled(passage.text, own)) for passage in passages]
        return not any(rules([value], veiled, [_veiled(text, own) for text in raw]))

    return [leftover for leftover in left if not is_excused(leftover)]


def _holds(term: Term, value: FoundValue) -> bool:
    if term.type not in (EntityType.CUSTOM_TERM, value.type):
        return False
    letters = normal_forms.letters(value.surface)
    return bool(letters) and letters in normal_forms.letters(term.term)


def _veiled(text: str, allowed: AllowedTerms) -> str:
    characters = list(text)
    for start, end, _ in allowed.spans_in(text).spans:
        for index in range(start, end):
            if characters[index].isalnum():
                characters[index] = _VEIL
    return "".join(characters)


_LEAST_CODE = 6  # letters and digits of a code that is looked for as a token
_LEAST_ALONE = 3  # letters of a value that is looked for as a whole line; initials stand alone in many a list
_MOST_GROUPS = 6  # groups that a code may be written in
_LEAST_TICKS = 4  # numbers that grow from each to the next
_SHAPED = frozenset({"DATE_TIME", "MONETARY_AMOUNT"})  # detection knows them wherever they stand
# A placeholder as printed, extracted or misread: blanks for underscores, O for 0, I and l for 1.
_PLACEHOLDER = re.compile(
    r"(?<![A-Za-z0-9])("
    + "|".join(prefix.replace("_", "[_ .-]{0,2}") for prefix in sorted(PREFIX.values(), key=len, reverse=True))
    + r")\s?[_.-]?\s?([0-9OoIl|]{2,4})(?![A-Za-z0-9])"
)


class Detecting(Protocol):
    """What the verdict needs of a detector."""

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """Spans in offsets of the text, sorted, overlapping nowhere."""


def leftovers(
    second: SecondReading,
    readings: Sequence[Reading],
    findings: Findings,
    detector: Detecting,
    options: DetectOptions,
) -> tuple[Leftover, ...]:
    """Everything that should be gone and is not; empty for a clean output.

    `readings` are the OCR results of the second reading's rasters. Each distinct leftover is named once.
    """
    if {reading.raster for reading in readings} != {raster.id for raster in second.rasters}:
        raise ValueError("every raster of the second reading needs its reading")
    passages = list(dict.fromkeys(_passages((*second.texts, *(Passage(reading.text) for reading in readings)))))
    raw = list(dict.fromkeys(second.raw))
    still = tuple(dict.fromkeys(_still(findings.values, passages, raw)))
    found = dict.fromkeys(unexcused(still, findings.values, passages, raw, _still, options.terms))
    found.update(dict.fromkeys(named(findings.values, passages, options.terms)))
    known = {(value.type, normal_forms.letters(value.surface)) for value in findings.values}
    lenient = replace(options, enabled=ALL_TYPES, strict_checksums=False, context="")
    anew: dict[tuple[str, str], Leftover] = {}
    for leftover in _anew(second, readings, detector, lenient):
        key = (leftover.type, leftover.surface)
        is_known = (leftover.type, normal_forms.letters(leftover.surface)) in known
        anew.setdefault(key, replace(leftover, known=is_known, sure=leftover.sure or is_known))
    found.update(dict.fromkeys(anew.values()))
    return tuple(found)


def _anew(
    second: SecondReading, readings: Sequence[Reading], detector: Detecting, lenient: DetectOptions
) -> Iterator[Leftover]:
    """Rule 4, what is sure first.

    Pictures of one hue show what is left of others' edges as well: a number there that OCR doubts must prove itself by
    its check digits. An amount or a date of doubtful digits does so nowhere, nor do words on both sides of a doubtful
    one. All of that is not sure.
    """
    hues = [reading for reading in readings if BY_HUE in reading.raster]
    plain = [reading for reading in readings if BY_HUE not in reading.raster]
    certain = (*second.texts, *(parted(reading, LEAST_OF_NUMBER) for reading in hues))
    read = [parted(reading) for reading in plain]
    yield from _detected(certain, detector, lenient)
    strict = replace(lenient, strict_checksums=True)
    yield from (_unless_shaped(leftover) for leftover in _detected(map(parted, hues), detector, strict))
    seen = list(_detected(read, detector, lenient))
    has_shaped = any(leftover.type in _SHAPED for leftover in seen)
    firm = [parted(reading, LEAST_OF_NUMBER) for reading in plain] if has_shaped else []
    proven = set(_detected(firm, detector, lenient))
    yield from (leftover if leftover in proven else _unless_shaped(leftover) for leftover in seen)
    guessed = dict.fromkeys((*map(parted, hues), *map(joined, readings)))
    rest = [passage for passage in guessed if passage not in {*certain, *read}]
    yield from (replace(leftover, sure=False) for leftover in _detected(rest, detector, lenient))


def _unless_shaped(leftover: Leftover) -> Leftover:
    return replace(leftover, sure=leftover.type not in _SHAPED)


def _still(values: Sequence[FoundValue], passages: Sequence[Passage], raw: Sequence[str]) -> Iterator[Leftover]:
    """Rules 1 and 2."""
    texts = dict.fromkeys((*(passage.text for passage in passages), *raw))
    for value in distinctive(values, list(texts)):
        yield Leftover(value.type, value.surface, known=True)
    yield from _tokens(values, passages)
    yield from _alone(values, passages)


def _passages(texts: Iterable[Passage]) -> Iterator[Passage]:
    """What people read; lines in visual order a second time in logical order."""
    for passage in texts:
        if not passage.text.strip():
            continue
        plain = Passage(_PLACEHOLDER.sub(_as_printed, passage.text), passage.context)
        yield plain
        turned = normal_forms.in_logical_order(plain.text)
        if turned is not None:
            yield Passage(turned, plain.context)


def _as_printed(match: re.Match[str]) -> str:
    prefix = re.sub(r"[^A-Z]+", "_", match[1])
    return f"{prefix}_{re.sub('[Oo]', '0', re.sub('[Il|]', '1', match[2]))}"


def _tokens(values: Iterable[FoundValue], passages: Sequence[Passage]) -> Iterator[Leftover]:
    """Rule 2 for codes: whole tokens, or neighbouring groups that make one up."""
    wanted: dict[str, FoundValue] = {}
    for value in values:
        plain = normal_forms.letters(value.surface)
        if (
            not value.distinctive
            and value.type not in _SHAPED
            and len(plain) >= _LEAST_CODE
            and normal_forms.is_code(plain)
        ):
            wanted.setdefault(plain, value)
    if not wanted:
        return
    longest = max(map(len, wanted))
    for passage in passages:
        for token in _groups(normal_forms.fold(passage.text), longest):
            if token in wanted:
                value = wanted.pop(token)
                yield Leftover(value.type, value.surface, known=True)


def _groups(folded: str, longest: int) -> Iterator[str]:
    """Every token of a folded text, and every few neighbouring ones with a single separator between them."""
    tokens = [(match.start(), match.end(), match[0]) for match in re.finditer(r"[^\W_]+", folded)]
    for number, (_, end, token) in enumerate(tokens):
        yield token
        for start, following, more in tokens[number + 1 : number + _MOST_GROUPS]:
            token += more
            if start - end != 1 or len(token) > longest:
                break
            yield token
            end = following


def _alone(values: Iterable[FoundValue], passages: Sequence[Passage]) -> Iterator[Leftover]:
    """Rule 2 for all others: a cell, paragraph or line that is nothing but the value."""
    plain = ((normal_forms.letters(value.surface), value) for value in values if value.type not in _SHAPED)
    wanted = {letters: value for letters, value in plain if len(letters) >= _LEAST_ALONE}
    for passage in passages:
        for line in (passage.text, *passage.text.split("\n")):
            value = wanted.get(normal_forms.letters(line)) if len(line) < 1000 else None
            if value is not None:
                yield Leftover(value.type, value.surface, known=True)


def _detected(passages: Iterable[Passage], detector: Detecting, options: DetectOptions) -> Iterator[Leftover]:
    """Rule 4: all types, as for the input; across the ends of lines that ran out of room too."""
    for passage in dict.fromkeys(_passages(passages)):
        if not normal_forms.letters(_PLACEHOLDER.sub(" ", passage.text)):
            continue  # most cells of a redacted table
        asked = replace(options, context=passage.context) if passage.context else options
        for span, surface in _spans(passage.text, detector, asked):
            said = _PLACEHOLDER.sub(" ", surface).replace(PARTED, " ").strip()
            if not normal_forms.letters(said) or _is_scale(said):
                continue
            if span.type not in _SHAPED or _is_shaped(surface, detector, asked):
                yield Leftover(str(span.type), said, known=False)


def _is_shaped(surface: str, detector: Detecting, options: DetectOptions) -> bool:
    """Whether an amount or a date is one without the placeholder in it: `$ AMOUNT_01` and a list's `3.` are none."""
    pieces = _PLACEHOLDER.sub("\0", surface).split("\0")
    return len(pieces) == 1 or any(detector.detect(piece, options).spans for piece in pieces if piece.strip())


def _is_scale(surface: str) -> bool:
    """Whether a number is none: `22 23 24 25 26`, the ticks of a chart's axis or the days of a calendar in one line."""
    groups = re.split(r"\s+", normal_forms.fold(surface))
    if len(groups) < _LEAST_TICKS or not all(group.isdecimal() and len(group) <= 3 for group in groups):
        return False
    return all(int(one) < int(other) for one, other in pairwise(groups))


def _spans(text: str, detector: Detecting, options: DetectOptions) -> list[SurfaceSpan]:
    def detect(joined: str, strict: bool) -> Sequence[Span]:
        return detector.detect(joined, replace(options, strict_checksums=strict)).spans

    return spans_across_breaks(text, detector.detect(text, options).spans, detect)
