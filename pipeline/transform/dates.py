"""Reads the surface of one date: what of it may be shown without the day, and its full calendar date if it has one.

The grammar is closed: what does not match as a whole (a clock time, a range, a Hijri or two-digit year) is not read.
"""

import re
from datetime import date
from typing import NamedTuple

from pipeline.detect.text.normalize import NormalizedText, normalize
from pipeline.transform.calendar_names import AR_DAY_WORDS, DAY_WORDS, MONTHS, WEEKDAY

# Detection finds a date of another year only behind a label of birth: it may show nothing. Also keeps Hijri years out.
_GREGORIAN_YEARS = range(1900, 2101)

_LONGEST = 80  # characters; no date is longer
_SEP = r"(?:\s*[/.\-\u2010-\u2013\u2212]\s*|\s+)"
_LEAD = rf"(?:(?:{WEEKDAY})\s*[,،]?\s*)?"
_ERA = r"\s*(?:م|ميلادي(?:ة|ا|اً)?|للميلاد|a\.?d\.?|c\.?e\.?|g)?\.?"
_YEAR = r"(?P<year>\d{4})"
_ONE_MONTH = "|".join(f"(?:{names})" for names in MONTHS.values())
# A month may be named twice, in two traditions.
_MONTH = rf"(?P<month>(?:{_ONE_MONTH})(?:\s*[/(]\s*(?:{_ONE_MONTH})(?:\s*\))?)?)"
_WORDS = "|".join(sorted((*DAY_WORDS.values(), *AR_DAY_WORDS.values()), key=len, reverse=True))
_DAY = rf"(?P<day>\d{{1,2}})(?:\s*(?:st|nd|rd|th))?|(?P<day_word>{_WORDS})"
_GAP = r"[\s,،./\-\u2010-\u2013]+"
_OPTIONAL_GAP = r"[\s,،./\-\u2010-\u2013]*"
_OF = rf"(?:{_GAP}(?:of(?:\s+the)?|من|شهر|من\s+شهر)\s+|{_OPTIONAL_GAP})"
_TO_YEAR = rf"(?:{_GAP}(?:of|in|من)?\s*(?:year|ل?عام|ل?سنة)?\s*|{_OPTIONAL_GAP})"


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s*{_LEAD}{pattern}{_ERA}\s*", re.IGNORECASE)


_NUMERIC = (
    _whole(rf"{_YEAR}{_SEP}(?P<a>\d{{1,2}}){_SEP}(?P<b>\d{{1,2}})"),
    _whole(rf"(?P<a>\d{{1,2}}){_SEP}(?P<b>\d{{1,2}}){_SEP}{_YEAR}"),
    _whole(rf"{_YEAR}{_SEP}(?P<a>\d{{1,2}})"),
    _whole(rf"(?P<a>\d{{1,2}}){_SEP}{_YEAR}"),
)
_VERBAL = (
    _whole(rf"(?:the\s+)?(?:{_DAY}){_OF}{_MONTH}{_TO_YEAR}{_YEAR}"),
    _whole(rf"{_MONTH}{_GAP}(?:the\s+)?(?:{_DAY}){_GAP}{_YEAR}"),
    _whole(rf"{_YEAR}{_GAP}{_MONTH}{_GAP}(?:{_DAY})"),
    _whole(rf"(?:شهر\s+)?{_MONTH}{_TO_YEAR}{_YEAR}"),
)


class ReadDate(NamedTuple):
    """`shown`: the year, or month name and year, as written. `full`: the calendar date, when the day is given too."""

    shown: str
    full: date | None
    year_digits: str  # the year as written, for the script of its digits


def read_date(surface: str) -> ReadDate | None:
    """The date that a DATE_TIME surface spells, or None when no rule says what of it may be shown."""
    if len(surface) > _LONGEST:
        return None
    normalized = normalize(surface)
    for pattern in _NUMERIC:
        if match := pattern.fullmatch(normalized.text):
            return _numeric(match, normalized)
    for pattern in _VERBAL:
        if match := pattern.fullmatch(normalized.text):
            return _verbal(match, normalized)
    return None


def _numeric(match: re.Match[str], normalized: NormalizedText) -> ReadDate | None:
    year = int(match["year"])
    numbers = [int(match[name]) for name in ("a", "b") if name in match.re.groupindex]
    if year not in _GREGORIAN_YEARS:
        return None
    written = _digits(normalized, match)
    if len(numbers) == 1:
        return ReadDate(written, None, written) if 1 <= numbers[0] <= 12 else None
    first, second = numbers
    full = _calendar(year, first, second)
    if full is None and match.start("year") > match.start("a"):
        full = _calendar(year, second, first)
    return ReadDate(written, full, written) if full else None


def _verbal(match: re.Match[str], normalized: NormalizedText) -> ReadDate | None:
    year = int(match["year"])
    if year not in _GREGORIAN_YEARS:
        return None
    start, end = normalized.original_span(*match.span("month"))
    written = _digits(normalized, match)
    shown = f"{normalized.original[start:end]} {written}"
    day = _day(match)
    if day is None:
        return ReadDate(shown, None, written)
    full = _calendar(year, _month(match["month"]), day)
    return ReadDate(shown, full, written) if full else None


def _digits(normalized: NormalizedText, match: re.Match[str]) -> str:
    start, end = normalized.original_span(*match.span("year"))
    return "".join(character for character in normalized.original[start:end] if character.isdecimal())


def _day(match: re.Match[str]) -> int | None:
    if "day" not in match.re.groupindex:
        return None
    if match["day"] is not None:
        return int(match["day"])
    word = match["day_word"]
    # The longest pattern that is the whole word: "twenty-first" is not "first".
    return next(
        day
        for table in (DAY_WORDS, AR_DAY_WORDS)
        for day, pattern in table.items()
        if re.fullmatch(pattern, word, re.IGNORECASE)
    )


def _month(name: str) -> int:
    return next(number for number, names in MONTHS.items() if re.match(rf"(?:{names})(?!\w)", name, re.IGNORECASE))


def _calendar(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
