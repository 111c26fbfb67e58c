"""Dates in digits: 15/03/2024, 2024-03-15T08:14:22Z, 1446/05/12 هـ. A clock time directly after belongs to the date.

A partial date, or one without separators, counts only after a date or birth label. After a birth label any year counts.
"""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Rule, span
from pipeline.detect.recognizers.date_time.expressions import ERA, THEN_CLOCK, is_year
from pipeline.detect.text.context import has_label, label_before, label_kind_before, label_kinds, note_label, values
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.numbering import counts_parts
from pipeline.detect.text.shadow import LETTER, shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_LABELS = ("date", "birth")
_MONTHS, _DAYS = range(1, 13), range(1, 32)
_SHORT_YEAR = 2  # digits
_TAIL = shadow_pattern(rf"{ERA} {THEN_CLOCK}")
_CODE_MARKS = (b"-", b"/", b".", b"+", b"#")
# Marks that end the text before a date and are no part of a code.
_SENTENCE_MARKS = frozenset({b"- ", b"-\n", b". ", b"/ ", b"/:"})
_NUMBERED = shadow_pattern(r"(?:\bno\.?|\#|number|رقم|[a-z]-)[ :]{0,2}$")
_WORD_REACH = 12  # characters before a date in which such a word is searched for

# The number of the chapter above, before that of a section: 1.1 / 1.1.1311.
_CHAPTER = re.compile(rb"(?<![\d.])(\d+\.\d+) ?/ ?$")
_CHAPTER_REACH = 12  # characters

_BASIC_CLOCK = re.compile(rb"t(?:[01]\d|2[0-4])[0-5]\d(?:[0-5]\d)?(?:z|[+\-]\d\d:?\d\d)?(?![a-z0-9])")  # ISO 8601
_DATE_HEAD = re.compile(rb"\d{1,4}([/\-])\d{1,2}\1\d{1,4}")
# 12 / 05 / 24; with a year of four digits also 12/ 05/2024 and 12. 5. 2024.
_SPACED = re.compile(
    rb"\d{1,4} (?: (?: [ ][/\-][ ]? | [ ]?/[ ] ) \d{1,2} (?: [ ][/\-][ ]? | [ ]?/[ ] )"
    rb"| [ ]?(?P<loose>[/\-.])[ ]? \d{1,2} [ ]?(?P=loose)[ ]? ) \d{1,4} (?!\d)",
    re.VERBOSE,
)
_SPACED_YEARS = re.compile(rb"((?:19|20)\d\d|1[34]\d\d) - ((?:19|20)\d\d|1[34]\d\d)(?![\d/.:\-])")
_BLANKS_AFTER_YEAR = re.compile(rb"\d{4} \d{1,2} \d{1,2}(?![\d.,:/])")
_BLANKS_BEFORE_YEAR = re.compile(rb"(?<![\d.,:/])\d{1,2} \d{1,2} \d{4}$")
_LIKE_A_DATE = shadow_pattern(rf"""
    (?<![0-9.,/\-]) (?<!\d:)
    (?: \d{{4}} [ ]?(?P<first>[/\-.])[ ]? \d{{1,2}} [ ]?(?P=first)[ ]? \d{{1,2}}
      | \d{{1,2}} [ ]?(?P<last>[/\-.])[ ]? \d{{1,2}} [ ]?(?P=last)[ ]? \d{{4}}
      | \d{{1,2}} (?P<short>[/\-]) \d{{1,2}} (?P=short) \d{{2}}
      | \d{{1,2}} [/\-] \d{{4}} | \d{{4}} [/\-] \d{{1,2}} )
    (?! \d | [.,:/\-]\d )
    {ERA} {THEN_CLOCK}
""")
_BIRTH_YEAR = shadow_pattern(rf"""
    (?: 1[2-9]\d\d | 20\d\d ) {ERA}
    (?! [{LETTER}0-9] | [.,:/\-][a-z0-9] | [ ]?(?:%|g|gr|gm|gms|grams?)(?![a-z0-9]) )
""")

Offsets = tuple[int, int]


def _dates(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    for start, end in (
        *_complete(text),
        *_partial(text),
        *_without_separators(text),
        *_after_birth_label(text, options),
        *_birth_years(text, options),
    ):
        yield span(start, end, EntityType.DATE_TIME, 0.8, "dates")


def _is_date(parts: list[bytes], separator: bytes) -> bool:
    """Whether three numbers can be a date with the year first or last. A two-digit year needs slashes or dd-mm-yy."""
    first, second, third = (int(part) for part in parts)
    sizes = [len(part) for part in parts]
    if sizes[0] == 4:
        return is_year(first) and second in _MONTHS and third in _DAYS and max(sizes[1:]) <= 2
    if max(sizes[:2]) > 2 or not (first in _DAYS and second in _DAYS and min(first, second) in _MONTHS):
        return False
    if sizes[2] == 4:
        return is_year(third)
    return sizes[2] == _SHORT_YEAR and separator != b"." and sizes[0] == sizes[1] == 2


def _is_part_of_code(shadow: bytes, start: int, end: int) -> bool:
    """Whether letters, digits or marks around make the date a part of a longer code."""
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    last = before[-1:]
    if last.isalnum() or (last in _CODE_MARKS and last + before[:1] not in _SENTENCE_MARKS):
        return True
    return after[:1] in (b"-", b"/", b"+") and after[1:].isalnum()


def _tail(shadow: bytes, end: int) -> int:
    """The end of the date with its era and clock time."""
    match = _TAIL.match(shadow, end)
    return match.end() if match else end


def _complete(text: NormalizedText) -> Iterator[Offsets]:
    """Dates with day, month and year."""
    yield from _unbroken(text)
    yield from _with_clock_attached(text)
    yield from _ranges(text)
    yield from _spaced(text)


def _unbroken(text: NormalizedText) -> Iterator[Offsets]:
    """15/03/2024, 15-03-2024, 15.03.2024, 20240315T081422Z."""
    shadow = text.shadow
    for start in text.numbers.plain.get(8, ()):
        clock = _BASIC_CLOCK.match(shadow, start + 8)
        parts = [shadow[start : start + 4], shadow[start + 4 : start + 6], shadow[start + 6 : start + 8]]
        if clock and _is_date(parts, b"") and not _is_part_of_code(shadow, start, clock.end()):
            yield start, clock.end()
    for separators in (b"//", b"--", b".."):
        for start, end in text.numbers.shaped.get(separators, ()):
            parts = shadow[start:end].split(separators[:1])
            if not _is_date(parts, separators[:1]) and not _is_short_labelled_date(text, start, parts):
                continue
            if separators == b".." and (counts_parts(shadow, start) or _is_section(shadow, start)):
                continue
            if not _is_part_of_code(shadow, start, end):
                yield start, _tail(shadow, end)


def _is_section(shadow: bytes, start: int) -> bool:
    """Whether the number at `start` goes on from that of a chapter before it."""
    chapter = _CHAPTER.search(shadow, max(0, start - _CHAPTER_REACH), start)
    return chapter is not None and shadow.startswith(chapter[1] + b".", start)


def _is_short_labelled_date(text: NormalizedText, start: int, parts: list[bytes]) -> bool:
    """Whether a date or birth label comes before 12.03.85, which may also be a version."""
    return _is_date(parts, b"/") and label_kind_before(text, start) in _LABELS


def _with_clock_attached(text: NormalizedText) -> Iterator[Offsets]:
    """2024/03/15:09:01."""
    shadow = text.shadow
    for separators in (b"//:", b"--:", b"//::", b"--::"):
        for start, end in text.numbers.shaped.get(separators, ()):
            date = _DATE_HEAD.match(shadow, start, end)
            if date is None or not _is_date(re.split(rb"[/\-]", date.group()), separators[:1]):
                continue
            if not _is_part_of_code(shadow, start, end):
                yield start, _tail(shadow, date.end())


def _ranges(text: NormalizedText) -> Iterator[Offsets]:
    """Both dates of a range without a blank: 01/02/2024-05/03/2024."""
    shadow = text.shadow
    for separators, joint in ((b"//-//", b"-"), (b"..-..", b"-"), (b"--/--", b"/")):
        for start, end in text.numbers.shaped.get(separators, ()):
            first, _, second = shadow[start:end].partition(joint)
            dates = (part.split(separators[:1]) for part in (first, second))
            if all(_is_date(parts, separators[:1]) for parts in dates) and not _is_part_of_code(shadow, start, end):
                yield start, start + len(first)
                yield end - len(second), _tail(shadow, end)


def _spaced(text: NormalizedText) -> Iterator[Offsets]:
    """Dates with blanks around their separators: 12 / 05 / 24."""
    shadow = text.shadow
    for chain in text.numbers.chains:
        reached = 0
        for start, _end in chain[:-2]:
            match = _SPACED.match(shadow, start) if start >= reached else None
            if match is None:
                continue
            reached = match.end()
            if _is_spaced_date(shadow, match) and not _is_part_of_code(shadow, start, reached):
                yield start, _tail(shadow, reached)


def _is_spaced_date(shadow: bytes, match: re.Match[bytes]) -> bool:
    """Whether a match of _SPACED is a date. Blanks at one separator only, or after points, need a four-digit year."""
    if b" " not in match.group():
        return False  # found by _unbroken
    parts = re.split(rb"[ ]?[/\-.][ ]?", match.group())
    if match["loose"] is not None and len(parts[0]) != 4 and len(parts[2]) != 4:
        return False
    is_version = match["loose"] == b"." and counts_parts(shadow, match.start())
    return not is_version and _is_date(parts, b"/")


def _partial(text: NormalizedText) -> Iterator[Offsets]:
    """Dates without a year, a month or a day."""
    yield from _two_parts(text)
    yield from _year_ranges(text)


def _two_parts(text: NormalizedText) -> Iterator[Offsets]:
    """03/2024 and 2024/03; a day with a month (12/5) only after a date or birth label."""
    shadow = text.shadow
    for start, end in text.numbers.shaped.get(b"/", ()):
        first, second = shadow[start:end].split(b"/")
        if len(first) > 4 or len(second) > 4 or _is_part_of_code(shadow, start, end):
            continue
        label = label_kind_before(text, start)
        if _is_month_and_year(first, second):
            is_number = _NUMBERED.search(shadow, max(0, start - _WORD_REACH), start)
            if label in ("", *_LABELS) and not is_number:
                yield start, _tail(shadow, end)
        elif label in _LABELS and _is_day_and_month(first, second):
            note_label(text, (start, _tail(shadow, end)), "dates", label_before(text, start))
            yield start, _tail(shadow, end)


def _is_month_and_year(first: bytes, second: bytes) -> bool:
    if (len(first), len(second)) == (2, 4):
        return int(first) in _MONTHS and is_year(int(second))
    return (len(first), len(second)) == (4, 2) and is_year(int(first)) and int(second) in _MONTHS


def _is_day_and_month(first: bytes, second: bytes) -> bool:
    if len(first) > 2 or len(second) > 2:
        return False
    return int(first) in _DAYS and int(second) in _DAYS and min(int(first), int(second)) in _MONTHS


def _year_ranges(text: NormalizedText) -> Iterator[Offsets]:
    """2019 - 2021 and 2019-2021."""
    shadow = text.shadow
    for start in text.numbers.plain.get(4, ()):
        match = _SPACED_YEARS.match(shadow, start)
        if match and int(match.group(1)) < int(match.group(2)) and not shadow[max(0, start - 1) : start].isalnum():
            yield start, _tail(shadow, match.end())
    for start, end in text.numbers.shaped.get(b"-", ()):
        first, _, second = shadow[start:end].partition(b"-")
        years = len(first) == len(second) == 4 and is_year(int(first)) and is_year(int(second)) and first < second
        if years and label_kind_before(text, start) in ("", *_LABELS) and not _is_part_of_code(shadow, start, end):
            yield start, _tail(shadow, end)


def _without_separators(text: NormalizedText) -> Iterator[Offsets]:
    """19900315 and 15 03 1990, only after a date or birth label."""
    shadow = text.shadow
    for start, end, parts in (*_eight_digits(text), *_digits_with_blanks(text)):
        label = label_kind_before(text, start)
        is_date = label == "birth" or (label in _LABELS and _is_date(parts, b""))
        if is_date and not _is_part_of_code(shadow, start, end):
            note_label(text, (start, _tail(shadow, end)), "dates", label_before(text, start))
            yield start, _tail(shadow, end)


def _eight_digits(text: NormalizedText) -> Iterator[tuple[int, int, list[bytes]]]:
    """Runs of eight digits with their parts: year first if that can be a date, otherwise year last."""
    for start in text.numbers.plain.get(8, ()):
        digits = text.shadow[start : start + 8]
        parts = [digits[:4], digits[4:6], digits[6:]]
        yield start, start + 8, parts if _is_date(parts, b"") else [digits[:2], digits[2:4], digits[4:]]


def _digits_with_blanks(text: NormalizedText) -> Iterator[tuple[int, int, list[bytes]]]:
    """Three numbers with blanks between, the year first or last."""
    for start in text.numbers.plain.get(4, ()):
        match = _BLANKS_AFTER_YEAR.match(text.shadow, start) or _BLANKS_BEFORE_YEAR.search(
            text.shadow, max(0, start - 6), start + 4
        )
        if match:
            yield *match.span(), match.group().split(b" ")


def _after_birth_label(text: NormalizedText, options: DetectOptions) -> Iterator[Offsets]:
    """Everything in the form of a date after a birth label: of any year, even if the calendar has no such day."""
    if has_label(text, options, "birth"):
        for start, end in values(text, options, "birth", _LIKE_A_DATE):
            if not _is_part_of_code(text.shadow, start, end):
                yield start, end


def _birth_years(text: NormalizedText, options: DetectOptions) -> Iterator[Offsets]:
    """A year alone (1200 to 2099), directly after a birth label or as a whole cell under one."""
    if not has_label(text, options, "birth"):
        return
    for start in text.numbers.plain.get(4, ()):
        year = _BIRTH_YEAR.match(text.shadow, start)
        is_labelled = year and label_kind_before(text, start) == "birth"
        if year and is_labelled and not _is_part_of_code(text.shadow, start, start + 4):
            note_label(text, year.span(), "dates", label_before(text, start))
            yield year.span()
    cells = list(text.tables.cells.get("birth", ()))
    if options.context and "birth" in label_kinds(options.context):
        cells.append((0, len(text.shadow)))
    for start, end in cells:
        if year := _BIRTH_YEAR.fullmatch(text.shadow, start, end):
            yield year.span()


DATES = Rule("dates", frozenset({EntityType.DATE_TIME}), _dates)
