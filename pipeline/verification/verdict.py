"""The verdict on an output: which found values it remaining contains, and what detection newly finds in it.

Pure functions, independent of the search that redaction uses. The rules, strictest first:
1. A distinctive value occurs nowhere: not in text, not in data that only programs read, not inside a longer string, not
   in other digits, spacing, presentation forms, visual order, escapes or encodings, not split over neighbouring cells.
2. A shorter code does not occur as a token in text for people, and no value is a whole text or line by itself.
3. No part of a found person's name occurs as a name, and no raster shows five digits or more of a found number.
4. Detection by rules, with the options of the input, finds nothing but names that the tagger dismissed in the input.
   Placeholders are no finding, even if OCR misread them.
A term that the caller allows is no finding, and a value that occurs only inside such terms may stay.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, Protocol

from pipeline.detect.allowed_spans import AllowedTerms
from pipeline.detect.mentions import PersonMentions, is_certain_name
from pipeline.detect.text.line_wrap import SurfaceSpan, spans_across_breaks
from pipeline.documents.document import Engine, Findings, FoundValue, Reading
from pipeline.verification import normal_forms
from pipeline.verification.leak_search import distinctive_values
from pipeline.verification.reading import UNRELIABLE_LETTER, Leftover, Passage, SecondReading
from schemas.entities import ALL_TYPES, PREFIX, EntityType
from schemas.spans import Detection, DetectOptions, Span, Term, TermSet

_PERSON = EntityType.PERSON


MIN_CONFIDENCE = 60.0  # OCR word confidence (0..100): below it, a word is noise more often than text
MIN_NUMBER_CONFIDENCE = 80.0  # of a number without check digits: one wrong digit can turn anything into an amount


Rules = Callable[[Sequence[FoundValue], Sequence[Passage], Sequence[str]], Iterable[Leftover]]

_LOGICAL: Literal["logical"] = "logical"
_MAX_CHECKED = 100  # leftovers to check against the allowed terms: each check costs one search of the whole output
_MASK_LETTER = "\ua66e"  # replaces each letter of an allowed term; a letter that no value contains


_MIN_CODE = 6  # letters and digits of a code for the token search of rule 2
_MIN_LINE = 3  # letters of a value for the whole-line search of rule 2: lists often have lines of initials
_MAX_GROUPS = 6  # groups of characters that one code may be written in
_MIN_SCALE = 4  # increasing numbers that count as the scale of an axis
_MIN_PART = 5  # digits in a row of a found number that rule 3 searches in rasters
_MIN_NUMBER = 9  # digits of such a number
_DIGITS = re.compile(r"[0-9](?:[ -]?[0-9])*")
_PATTERN_TYPES = frozenset({"DATE_TIME", "MONETARY_AMOUNT"})  # rule 4 finds these in every place
_MIN_AMOUNT = 2  # letters and digits of an amount in a raster: OCR takes ٤٥ for £5
# A placeholder as printed, extracted or misread: blanks for underscores or between letters, O for 0, I and l for 1, the
# side of its box as an I before it; small letters only with the underscore, which no prose has, as a number of which
# one character was read.
_PREFIXES = sorted(PREFIX.values(), key=len, reverse=True)
_BY_LETTERS = {prefix.replace("_", ""): prefix for prefix in _PREFIXES}
_PLACEHOLDER = re.compile(
    r"(?<![A-Za-z0-9])[Il|]?(?:("
    + "|".join(" ?".join(prefix).replace(" ?_ ?", "[_ .-]{0,2}") for prefix in _PREFIXES)
    + r")\s?[_.-]?\s?(?=[0-9OoIl|]{2})|((?i:"
    + "|".join(_PREFIXES)
    + r"))_)([0-9OoIl|]{2,4}|[OoIl|])(?![A-Za-z0-9])"
)


class SpanDetector(Protocol):
    """The part of a detector that the verdict uses."""

    def detect(self, text: str, options: DetectOptions) -> Detection:
        """Sorted, non-overlapping spans in offsets of the text."""


def leftovers(
    second: SecondReading,
    readings: Sequence[Reading],
    findings: Findings,
    detector: SpanDetector,
    options: DetectOptions,
) -> tuple[Leftover, ...]:
    """Every value that is still in the output, each once; empty for a clean output.

    `readings` are the OCR results for the rasters of `second`. ValueError if one is missing.
    """
    if {reading.raster for reading in readings} != {raster.id for raster in second.rasters}:
        raise ValueError("every raster of the second reading needs its reading")
    read = (Passage(reading.text, order=_LOGICAL) for reading in readings)
    passages = list(dict.fromkeys(_passages((*second.texts, *read))))
    raw = list(dict.fromkeys(second.raw))
    remaining = tuple(dict.fromkeys(_remaining(findings.values, passages, raw)))
    found = dict.fromkeys(outside_allowed_terms(remaining, findings.values, passages, raw, _remaining, options.terms))
    found.update(dict.fromkeys(partial_names(findings.values, passages, options.terms)))
    found.update(dict.fromkeys(partial_numbers(findings.values, readings)))
    known = {(value.type, normal_forms.letters(value.surface)) for value in findings.values}
    all_types = replace(options, enabled=ALL_TYPES, strict_checksums=False, context="")
    new_ones: dict[tuple[str, str], Leftover] = {}
    dismissed = {(type_, normal_forms.letters(surface)) for type_, surface in findings.dismissed}
    for leftover in _newly_detected(second, readings, detector, all_types):
        key = (leftover.type, leftover.surface)
        if (leftover.type, normal_forms.letters(leftover.surface)) in dismissed:
            continue
        is_known = (leftover.type, normal_forms.letters(leftover.surface)) in known
        new_ones.setdefault(key, replace(leftover, known=is_known, sure=leftover.sure or is_known))
    found.update(dict.fromkeys(new_ones.values()))
    return tuple(found)


def _newly_detected(
    second: SecondReading, readings: Sequence[Reading], detector: SpanDetector, all_types: DetectOptions
) -> Iterator[Leftover]:
    """Rule 4, certain leftovers first.

    An amount or date with uncertain digits is never certain, and neither is a value made of the words on both sides of
    an uncertain word.
    """
    read, from_pixels = list(map(confident_text, readings)), replace(all_types, from_pixels=True)
    yield from _detected(second.texts, detector, all_types)
    ordinary = [leftover for leftover in _detected(read, detector, from_pixels) if not _is_one_digit(leftover)]
    has_pattern = any(leftover.type in _PATTERN_TYPES for leftover in ordinary)
    confident = [confident_text(reading, MIN_NUMBER_CONFIDENCE) for reading in readings] if has_pattern else []
    certain_ones = set(_detected(confident, detector, from_pixels))
    yield from (leftover if leftover in certain_ones else _certain_unless_pattern(leftover) for leftover in ordinary)
    known = {*second.texts, *read}
    rest = [passage for passage in dict.fromkeys(map(confident_text_with_gaps, readings)) if passage not in known]
    doubtful = (leftover for leftover in _detected(rest, detector, from_pixels) if not _is_one_digit(leftover))
    yield from (replace(leftover, sure=False) for leftover in doubtful)


def _is_one_digit(leftover: Leftover) -> bool:
    """Whether an amount that OCR read is a sign and one digit."""
    return leftover.type == EntityType.MONETARY_AMOUNT and len(normal_forms.letters(leftover.surface)) < _MIN_AMOUNT


def _certain_unless_pattern(leftover: Leftover) -> Leftover:
    return replace(leftover, sure=leftover.sure and leftover.type not in _PATTERN_TYPES)


def _remaining(values: Sequence[FoundValue], passages: Sequence[Passage], raw: Sequence[str]) -> Iterator[Leftover]:
    """Rules 1 and 2: the found values that remaining occur."""
    texts = dict.fromkeys((*(passage.text for passage in passages), *raw))
    for value in distinctive_values(values, list(texts)):
        yield Leftover(value.type, value.surface, known=True)
    yield from _tokens(values, passages)
    yield from _whole_lines(values, passages)


def _passages(texts: Iterable[Passage]) -> Iterator[Passage]:
    """The passages with placeholders as printed; one with lines in visual order again in logical order.

    What OCR read is in logical order, but programs also print reversed Arabic: there it is a guess.
    """
    for passage in texts:
        if not passage.text.strip():
            continue
        plain = replace(passage, text=_PLACEHOLDER.sub(_normal_placeholder, passage.text))
        yield plain
        reordered = normal_forms.in_logical_order(plain.text)
        if reordered is not None:
            yield replace(plain, text=reordered, order="guessed" if plain.order == _LOGICAL else plain.order)


def _normal_placeholder(match: re.Match[str]) -> str:
    prefix = _BY_LETTERS[re.sub("[^A-Z]", "", (match[1] or match[2]).upper())]
    number = re.sub("[Oo]", "0", re.sub("[Il|]", "1", match[3]))
    return f"{prefix}_{number if len(number) > 1 else '01'}"


def _tokens(values: Iterable[FoundValue], passages: Sequence[Passage]) -> Iterator[Leftover]:
    """Rule 2 for codes: whole tokens, or neighbouring groups that together are the code."""
    wanted: dict[str, FoundValue] = {}
    for value in values:
        plain = normal_forms.letters(value.surface)
        if (
            not value.distinctive
            and value.type not in _PATTERN_TYPES
            and len(plain) >= _MIN_CODE
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
    """Every token of a folded text, and every run of up to six tokens with single separators between them."""
    tokens = [(match.start(), match.end(), match[0]) for match in re.finditer(r"[^\W_]+", folded)]
    for number, (_, end, token) in enumerate(tokens):
        yield token
        for start, following, more in tokens[number + 1 : number + _MAX_GROUPS]:
            token += more
            if start - end != 1 or len(token) > longest:
                break
            yield token
            end = following


def _whole_lines(values: Iterable[FoundValue], passages: Sequence[Passage]) -> Iterator[Leftover]:
    """Rule 2 for other values: a cell, paragraph or line that consists of the value only."""
    plain = ((normal_forms.letters(value.surface), value) for value in values if value.type not in _PATTERN_TYPES)
    wanted = {letters: value for letters, value in plain if len(letters) >= _MIN_LINE}
    for passage in passages:
        for line in (passage.text, *passage.text.split("\n")):
            value = wanted.get(normal_forms.letters(line)) if len(line) < 1000 else None
            if value is not None:
                yield Leftover(value.type, value.surface, known=True)


def _detected(passages: Iterable[Passage], detector: SpanDetector, options: DetectOptions) -> Iterator[Leftover]:
    """Rule 4 for one kind of text: all entity types, also across wrapped line ends."""
    for passage in dict.fromkeys(_passages(passages)):
        if not normal_forms.letters(_PLACEHOLDER.sub(" ", passage.text)):
            continue  # nothing but placeholders: most cells of a redacted table
        asked = replace(options, context=passage.context) if passage.context else options
        for span, surface in _spans(passage.text, detector, asked):
            surface_text = _PLACEHOLDER.sub(" ", surface).replace(UNRELIABLE_LETTER, " ").strip()
            if not normal_forms.letters(surface_text) or _is_scale(surface_text):
                continue
            if span.type not in _PATTERN_TYPES or _is_pattern(surface, detector, asked):
                yield Leftover(str(span.type), surface_text, known=False, sure=passage.order != "guessed")


def _is_pattern(surface: str, detector: SpanDetector, options: DetectOptions) -> bool:
    """Whether an amount or date remains one without its placeholder: in `$ AMOUNT_01` nothing does."""
    pieces = _PLACEHOLDER.sub("\0", surface).split("\0")
    return len(pieces) == 1 or any(detector.detect(piece, options).spans for piece in pieces if piece.strip())


def _is_scale(surface: str) -> bool:
    """Whether a number is the scale of a chart axis or a row of a calendar: `22 23 24 25 26`."""
    groups = re.split(r"\s+", normal_forms.fold(surface))
    if len(groups) < _MIN_SCALE or not all(group.isdecimal() and len(group) <= 3 for group in groups):
        return False
    return all(int(one) < int(other) for one, other in pairwise(groups))


def _spans(text: str, detector: SpanDetector, options: DetectOptions) -> list[SurfaceSpan]:
    def detect(part: str, strict: bool) -> Sequence[Span]:
        return detector.detect(part, replace(options, strict_checksums=strict)).spans

    return spans_across_breaks(text, detector.detect(text, options).spans, detect)


def partial_names(
    values: Sequence[FoundValue], passages: Iterable[Passage], sets: Sequence[TermSet] = ()
) -> Iterator[Leftover]:
    """Rule 3: each part of a found name that still occurs as a name in text for people and that `sets` do not allow."""
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


def partial_numbers(values: Sequence[FoundValue], readings: Iterable[Reading]) -> Iterator[Leftover]:
    """Rule 3: each run of digits in a raster that is a part of a found number: OCR sees the rest of a burned number."""
    numbers = [(value, _digits(value.surface)) for value in values if value.type not in _PATTERN_TYPES]
    numbers = [(value, digits) for value, digits in numbers if len(digits) >= _MIN_NUMBER]
    for reading in readings:
        for run in _DIGITS.findall(normal_forms.fold(reading.text)) if numbers else ():
            part = _digits(run)
            owner = next((value for value, digits in numbers if len(part) >= _MIN_PART and part in digits), None)
            if owner is not None:
                yield Leftover(owner.type, run, known=True)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, normal_forms.fold(text)))


def confident_text(reading: Reading, min_number_confidence: float = MIN_CONFIDENCE) -> Passage:
    """The text of the words with enough confidence; UNRELIABLE_LETTER keeps the place of others and of printed labels.

    The others need no detection: redaction burned every uncertain word of the input, and rules 1 to 3 search them too.
    """
    return _filtered(reading, UNRELIABLE_LETTER, min_number_confidence)


def confident_text_with_gaps(reading: Reading) -> Passage:
    """The same with blanks in place of the others: these may be the frame of a burned box, misread as a word."""
    return _filtered(reading, " ", MIN_CONFIDENCE)


def _filtered(reading: Reading, filler: str, min_number_confidence: float) -> Passage:
    text = list(reading.text)
    for word in reading.words:
        if word.engine is Engine.LABEL:  # `IBAN_01` at the end of a line and `66383` in the next are no number
            text[word.start : word.end] = UNRELIABLE_LETTER * (word.end - word.start)
            continue
        surface_text = text[word.start : word.end]
        is_number = any(sign.isdigit() for sign in surface_text)
        if word.confidence < (min_number_confidence if is_number else MIN_CONFIDENCE):
            is_mark = not any(sign.isalnum() for sign in surface_text)
            text[word.start : word.end] = (" " if is_mark else filler) * len(surface_text)
    return Passage("".join(text), order=_LOGICAL)


def outside_allowed_terms(
    left: Sequence[Leftover],
    values: Sequence[FoundValue],
    passages: Sequence[Passage],
    raw: Sequence[str],
    rules: Rules,
    sets: Sequence[TermSet],
) -> list[Leftover]:
    """Those of `left` that `rules` remaining find in `passages` and `raw` once the allowed terms are masked.

    Only a term that contains the letters of the value is masked, so an allowed term cannot hide another value.
    """
    allowed = AllowedTerms(sets)
    if not allowed or len(left) > _MAX_CHECKED:
        return list(left)
    by_name = {(value.type, value.surface): value for value in values}

    def is_allowed(leftover: Leftover) -> bool:
        value = by_name.get((leftover.type, leftover.surface))
        own = allowed.only(lambda term: value is not None and _contains(term, value))
        if value is None or not own:
            return False
        masked = [replace(passage, text=_masked(passage.text, own)) for passage in passages]
        return not any(rules([value], masked, [_masked(text, own) for text in raw]))

    return [leftover for leftover in left if not is_allowed(leftover)]


def _contains(term: Term, value: FoundValue) -> bool:
    if term.type not in (EntityType.CUSTOM_TERM, value.type):
        return False
    letters = normal_forms.letters(value.surface)
    return bool(letters) and letters in normal_forms.letters(term.term)


def _masked(text: str, allowed: AllowedTerms) -> str:
    characters = list(text)
    for start, end, _ in allowed.spans_in(text).spans:
        for index in range(start, end):
            if characters[index].isalnum():
                characters[index] = _MASK_LETTER
    return "".join(characters)
