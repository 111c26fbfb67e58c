"""Checks the values that a judge adds: each must be in the text as a whole word and must be possible for its type."""

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from typing import NamedTuple

from pipeline.detect.allowed_spans import AllowedTerms
from pipeline.detect.detector import without_placeholders
from pipeline.detect.glossary.allowed import without_allowed
from pipeline.detect.lexicons.loader import fold, sections
from pipeline.detect.text.checksums import luhn, mod97
from pipeline.detect.text.normalize import NormalizedText, normalize
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

RANK = 1  # below every type: an addition never displaces a span that detection found
SCORE = 0.5
_MOST_PLACES = 256
_T = EntityType


class _Bounds(NamedTuple):
    """The bounds of a value: most characters and words, fewest and most digits."""

    longest: int
    words: int
    digits: tuple[int, int]


_CODE = _Bounds(40, 8, (4, 24))
_BOUNDS: Mapping[EntityType, _Bounds] = {
    _T.PERSON: _Bounds(80, 8, (0, 0)),
    _T.LOCATION: _Bounds(60, 6, (0, 0)),
    _T.ORGANIZATION: _Bounds(100, 12, (0, 6)),
    _T.ADDRESS: _Bounds(160, 25, (0, 30)),
    _T.DATE_TIME: _Bounds(60, 10, (0, 20)),
    _T.MONETARY_AMOUNT: _Bounds(80, 12, (0, 24)),
    _T.EMAIL_ADDRESS: _Bounds(120, 1, (0, 60)),
    _T.IP_ADDRESS: _Bounds(45, 1, (1, 40)),
    _T.API_KEY: _Bounds(200, 1, (1, 150)),
    _T.PHONE_NUMBER: _Bounds(30, 8, (7, 15)),
    _T.VEHICLE_PLATE: _Bounds(14, 7, (1, 4)),
}
# The forms that the interface promises for these types. They hold for additions too.
_FORMS: Mapping[EntityType, re.Pattern[str]] = {
    _T.NATIONAL_ID: re.compile(r"1\d{9}"),
    _T.RESIDENCE_PERMIT: re.compile(r"2\d{9}"),
    _T.IBAN: re.compile(r"SA\d{2}[A-Z0-9]{20}"),
    _T.CREDIT_CARD: re.compile(r"\d{14,16}"),
    _T.TAX_ID: re.compile(r"3\d{9}(?:\d{5})?"),
    _T.SSN: re.compile(r"\d{9}"),
    _T.API_KEY: re.compile(r".{16,}"),
}
_LUHN = frozenset({_T.NATIONAL_ID, _T.RESIDENCE_PERMIT, _T.CREDIT_CARD})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]+\.[^@\s.]{2,}")
_CLITICS = r"(?:(?:و|ف)?(?:ب|ل|ك)?(?:ال)?)"  # Arabic clitics before the value, not part of it
_FIRST_ARABIC, _LAST_ARABIC = "\u0600", "\u06ff"


def occurrences(text: str, wanted: Iterable[tuple[EntityType, str]], options: DetectOptions) -> list[Span]:
    """Every verbatim occurrence in `text` (its offsets) of those values that may be added.

    Occurrences inside words, tokens or placeholders do not count, nor those that the caller's terms allow to stay.
    """
    normalized = without_placeholders(normalize(text))
    found: list[Span] = []
    for type_, value in dict.fromkeys(wanted):
        if may_be(type_, value):
            found += _occurrences_of(normalized, type_, value)
    found = found[:_MOST_PLACES]
    if options.terms:
        found = without_allowed(normalized, found, options.terms)
    placed = [span._replace(start=start, end=end) for span in found for start, end in [_original(normalized, span)]]
    allowed_spans = AllowedTerms(options.terms).spans_in(text)
    return [span for span in placed if not allowed_spans.cover(span.start, span.end, span.type)]


def may_be(type_: EntityType, value: str) -> bool:
    """Whether a value could be of this type: its length, its words and digits, its form and its checksum."""
    plain = normalize(value).text
    if value != value.strip() or _CONTROL.search(value) or sum(c.isalnum() for c in plain) < 2:
        return False
    bounds = _BOUNDS.get(type_, _CODE)
    words, digits = plain.split(), sum(c.isdigit() for c in plain)
    if len(value) > bounds.longest or len(words) > bounds.words or not bounds.digits[0] <= digits <= bounds.digits[1]:
        return False
    if not digits and _is_ordinary(plain):
        return False
    return _has_form(type_, plain)


def _has_form(type_: EntityType, plain: str) -> bool:
    if type_ is _T.EMAIL_ADDRESS:
        return _EMAIL.fullmatch(plain) is not None
    if type_ is _T.IP_ADDRESS:
        return _is_ip(plain)
    if type_ is _T.PERSON and "@" in plain:
        return False
    form = _FORMS.get(type_)
    if form is None:
        return True
    compact = plain if type_ is _T.API_KEY else re.sub(r"[\s\-.]", "", plain).upper()
    if not form.fullmatch(compact) or not (type_ is _T.API_KEY or compact.isascii()):
        return False
    return luhn(compact) if type_ in _LUHN else type_ is not _T.IBAN or mod97(compact)


def _is_ip(plain: str) -> bool:
    try:
        ip_address(plain)
    except ValueError:
        return False
    return True


def _is_ordinary(plain: str) -> bool:
    """Whether every word of a value is an everyday word."""
    ordinary = sections("ordinary.txt")
    known = ordinary["latin"] | ordinary["arabic"]
    return all(word in known for word in re.findall(r"[^\W_]+", fold(plain).lower()))


def _occurrences_of(text: NormalizedText, type_: EntityType, value: str) -> Iterator[Span]:
    """The value as a whole word (normalized offsets), if the original text has the exact spelling of the judge."""
    plain = normalize(value).text
    clitics = _CLITICS if _FIRST_ARABIC <= plain[0] <= _LAST_ARABIC else ""
    before, after = (r"(?<!\w)" if plain[0].isalnum() else ""), (r"(?!\w)" if plain[-1].isalnum() else "")
    for match in re.finditer(rf"{before}{clitics}(?P<value>{re.escape(plain)}){after}", text.text):
        start, end = text.original_span(*match.span("value"))
        if text.original[start:end] == value:
            yield Span(*match.span("value"), type_, SCORE, "judge", RANK)


def _original(text: NormalizedText, span: Span) -> tuple[int, int]:
    return text.original_span(span.start, span.end)
