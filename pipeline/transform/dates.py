"""Reads the surface of one date: what of it may be shown without the day, and the full calendar date if it has one.

The grammar is closed. A surface that no pattern matches as a whole is not read: a clock time, a range, a Hijri year, a
year of two digits.
"""

import re
from datetime import date
from typing import NamedTuple

from pipeline.detect.text.normalize import NormalizedText, normalize

# Alef with and without hamza.
_ALEF = "[اأإآ]"

# Month number to regex alternatives. Arabic: the names of the Gulf and Egypt, of the Levant, and of the Maghreb.
_MONTHS: dict[int, str] = {
    1: r"january|jan\.?|يناير|كانون\s+الثاني|جانفي",
    2: r"february|feb\.?|فبراير|شباط|فيفري",
    3: rf"march|mar\.?|مارس|{_ALEF}ذار",
    4: rf"april|apr\.?|{_ALEF}بريل|نيسان|{_ALEF}فريل",
    5: rf"may|مايو|{_ALEF}يار|ماي",
    6: r"june|jun\.?|يونيو|يونيه|حزيران|جوان",
    7: r"july|jul\.?|يوليو|يوليه|تموز|جويلية|يوليوز",
    8: rf"august|aug\.?|{_ALEF}غسطس|{_ALEF}ب|{_ALEF}وت|غشت",
    9: rf"september|sept?\.?|سبتمبر|{_ALEF}يلول|شتنبر",
    10: rf"october|oct\.?|{_ALEF}كتوبر|تشرين\s+ال{_ALEF}ول",
    11: r"november|nov\.?|نوفمبر|تشرين\s+الثاني|نونبر",
    12: rf"december|dec\.?|ديسمبر|كانون\s+ال{_ALEF}ول|دجنبر",
}

_WEEKDAY = (
    r"(?:sun|mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?)(?:day)?\.?"
    rf"|(?:يوم\s+)?(?:ال{_ALEF}حد|ال{_ALEF}ثنين|الثلاثاء|ال{_ALEF}ربعاء|الخميس|الجمعة|السبت)|يوم"
)

_EN_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_EN_TEENS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
_AR_UNITS = ("الحادي", "الثاني", "الثالث", "الرابع", "الخامس", "السادس", "السابع", "الثامن", "التاسع")

# Day of the month to the regex of its ordinal in words.
_DAY_WORDS: dict[int, str] = {
    **dict(enumerate(_EN_UNITS, start=1)),
    **dict(enumerate(_EN_TEENS, start=10)),
    20: "twentieth",
    **{20 + unit: rf"twenty[\s-]{word}" for unit, word in enumerate(_EN_UNITS, start=1)},
    30: "thirtieth",
    31: r"thirty[\s-]first",
}
_AR_DAY_WORDS: dict[int, str] = {
    1: rf"ال{_ALEF}ول",
    **dict(enumerate(_AR_UNITS[1:], start=2)),
    10: "العاشر",
    **{10 + unit: rf"{word}\s+عشر" for unit, word in enumerate(_AR_UNITS, start=1)},
    20: "العشر(?:ون|ين)",
    **{20 + unit: rf"{word}\s+والعشر(?:ون|ين)" for unit, word in enumerate(_AR_UNITS, start=1)},
    30: "الثلاث(?:ون|ين)",
    31: r"الحادي\s+والثلاث(?:ون|ين)",
}

# Detection finds a date of another year only after a birth label, and then nothing of it may be shown. The range also
# excludes Hijri years.
_GREGORIAN_YEARS = range(1900, 2101)

_LONGEST = 80  # characters of a date
_SEP = r"(?:\s*[/.\-\u2010-\u2013\u2212]\s*|\s+)"
_LEAD = rf"(?:(?:{_WEEKDAY})\s*[,،]?\s*)?"
_ERA = r"\s*(?:م|ميلادي(?:ة|ا|اً)?|للميلاد|a\.?d\.?|c\.?e\.?|g)?\.?"
_YEAR = r"(?P<year>\d{4})"
_ONE_MONTH = "|".join(f"(?:{names})" for names in _MONTHS.values())
# A month may be named twice, in two traditions: آذار/مارس.
_MONTH = rf"(?P<month>(?:{_ONE_MONTH})(?:\s*[/(]\s*(?:{_ONE_MONTH})(?:\s*\))?)?)"
_WORDS = "|".join(sorted((*_DAY_WORDS.values(), *_AR_DAY_WORDS.values()), key=len, reverse=True))
_DAY = rf"(?P<day>\d{{1,2}})(?:\s*(?:st|nd|rd|th))?|(?P<day_word>{_WORDS})"
_GAP = r"[\s,،./\-\u2010-\u2013]+"
_OPTIONAL_GAP = r"[\s,،./\-\u2010-\u2013]*"
_OF = rf"(?:{_GAP}(?:of(?:\s+the)?|من|شهر|من\s+شهر)\s+|{_OPTIONAL_GAP})"
_TO_YEAR = rf"(?:{_GAP}(?:of|in|من)?\s*(?:year|ل?عام|ل?سنة)?\s*|{_OPTIONAL_GAP})"


def _full_pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s*{_LEAD}{pattern}{_ERA}\s*", re.IGNORECASE)


_NUMERIC = (
    _full_pattern(rf"{_YEAR}{_SEP}(?P<a>\d{{1,2}}){_SEP}(?P<b>\d{{1,2}})"),
    _full_pattern(rf"(?P<a>\d{{1,2}}){_SEP}(?P<b>\d{{1,2}}){_SEP}{_YEAR}"),
    _full_pattern(rf"{_YEAR}{_SEP}(?P<a>\d{{1,2}})"),
    _full_pattern(rf"(?P<a>\d{{1,2}}){_SEP}{_YEAR}"),
)
_VERBAL = (
    _full_pattern(rf"(?:the\s+)?(?:{_DAY}){_OF}{_MONTH}{_TO_YEAR}{_YEAR}"),
    _full_pattern(rf"{_MONTH}{_GAP}(?:the\s+)?(?:{_DAY}){_GAP}{_YEAR}"),
    _full_pattern(rf"{_YEAR}{_GAP}{_MONTH}{_GAP}(?:{_DAY})"),
    _full_pattern(rf"(?:شهر\s+)?{_MONTH}{_TO_YEAR}{_YEAR}"),
)


class ReadDate(NamedTuple):
    """`shown`: the year, or the month name and year, as written. `full`: the calendar date, if the day is given too."""

    shown: str
    full: date | None
    year_digits: str  # the year as written, for the script of its digits


def read_date(surface: str) -> ReadDate | None:
    """The date that a DATE_TIME surface spells; None if no pattern matches the whole surface."""
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
        for table in (_DAY_WORDS, _AR_DAY_WORDS)
        for day, pattern in table.items()
        if re.fullmatch(pattern, word, re.IGNORECASE)
    )


def _month(name: str) -> int:
    return next(number for number, names in _MONTHS.items() if re.match(rf"(?:{names})(?!\w)", name, re.IGNORECASE))


def _calendar(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
