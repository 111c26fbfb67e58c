"""DATE_TIME in digits: 15/03/2024, 2024-03-15T08:14:22Z, 1446/05/12 هـ; a clock time right after belongs to it."""

import re
from collections.abc import Iterator

from pipeline.detect.context import governed_by, governing, note
from pipeline.detect.normalize import NormalizedText
from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.calendar_parts import ERA, THEN_CLOCK, is_year
from pipeline.detect.shadow import shape
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_TAIL = shape(rf"{ERA} {THEN_CLOCK}")

_MONTHS, _DAYS = range(1, 13), range(1, 32)
_SHORT_YEAR = 2  # digits


def _is_date(parts: list[bytes], separator: bytes) -> bool:
    """Whether three numbers can be a date: year first or last, two digits of it only with slashes or as dd-mm-yy."""
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
    before, after = shadow[max(0, start - 2) : start], shadow[end : end + 2]
    if before[-1:].isalnum() or (
        before[-1:] in (b"-", b"/", b".", b"+", b"#") and before[-1:] + before[:1] not in _OPEN
    ):
        return True
    return after[:1] in (b"-", b"/", b"+") and after[1:].isalnum()


_OPEN = frozenset({b"- ", b"-\n", b". ", b"/ ", b"/:"})


def _tail(shadow: bytes, end: int) -> int:
    """The end of the date with its era and clock time."""
    match = _TAIL.match(shadow, end)
    return match.end() if match else end


def _whole(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """Day, month and year."""
    shadow = text.shadow
    for separators in (b"//", b"--", b".."):
        for start, end in text.numbers.shaped.get(separators, ()):
            is_date = _is_date(shadow[start:end].split(separators[:1]), separators[:1])
            is_version = separators == b".." and _VERSION.search(shadow, max(0, start - 12), start)
            if is_date and not is_version and not _is_part_of_code(shadow, start, end):
                yield start, _tail(shadow, end)
    for separators in (b"//:", b"--:", b"//::", b"--::"):  # 11/Feb… has letters; 2024/03/15:09:01 has not
        for start, end in text.numbers.shaped.get(separators, ()):
            date = _DATE_HEAD.match(shadow, start, end)
            if (
                date
                and _is_date(re.split(rb"[/\-]", date.group()), separators[:1])
                and not _is_part_of_code(shadow, start, end)
            ):
                yield start, _tail(shadow, date.end())
    yield from _ranges(text)
    for chain in text.numbers.chains:
        reached = 0
        for start, _end in chain[:-2]:
            match = _SPACED.match(shadow, start) if start >= reached else None
            if match is None:
                continue
            reached = match.end()
            if (
                b" " in match.group()
                and _is_spaced_date(shadow, match)
                and not _is_part_of_code(shadow, start, reached)
            ):
                yield start, _tail(shadow, reached)


def _is_spaced_date(shadow: bytes, match: re.Match[bytes]) -> bool:
    """With blanks around one separator alone, or after points, only where the year has four digits."""
    if b" " not in match.group():
        return False  # found by its shape
    parts = re.split(rb"[ ]?[/\-.][ ]?", match.group())
    if match["loose"] is not None and len(parts[0]) != 4 and len(parts[2]) != 4:
        return False
    is_version = match["loose"] == b"." and _VERSION.search(shadow, max(0, match.start() - 12), match.start())
    return not is_version and _is_date(parts, b"/")


def _ranges(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """Both ends of a range that is written without a blank: 01/02/2024-05/03/2024."""
    shadow = text.shadow
    for separators, joint in ((b"//-//", b"-"), (b"..-..", b"-"), (b"--/--", b"/")):
        for start, end in text.numbers.shaped.get(separators, ()):
            first, _, second = shadow[start:end].partition(joint)
            dates = (part.split(separators[:1]) for part in (first, second))
            if all(_is_date(parts, separators[:1]) for parts in dates) and not _is_part_of_code(shadow, start, end):
                yield start, start + len(first)
                yield end - len(second), _tail(shadow, end)


_DATE_HEAD = re.compile(rb"\d{1,4}([/\-])\d{1,2}\1\d{1,4}")
# 12 / 05 / 24; where the year has four digits also 12/ 05/2024 and 12. 5. 2024.
_SPACED = re.compile(
    rb"\d{1,4} (?: (?: [ ][/\-][ ]? | [ ]?/[ ] ) \d{1,2} (?: [ ][/\-][ ]? | [ ]?/[ ] )"
    rb"| [ ]?(?P<loose>[/\-.])[ ]? \d{1,2} [ ]?(?P=loose)[ ]? ) \d{1,4} (?!\d)",
    re.VERBOSE,
)
_VERSION = shape(r"(?:\bv|version|ver\.?|release|build|firmware|اصدار|الاصدار|section|clause|fig\.?|§)[ :=]{0,3}$")


def _partial(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """03/2024 and 2024/03 as months; a day and month alone (12/5) only beside a date's label."""
    shadow = text.shadow
    for start, end in text.numbers.shaped.get(b"/", ()):
        first, second = shadow[start:end].split(b"/")
        if len(first) > 4 or len(second) > 4 or _is_part_of_code(shadow, start, end):
            continue
        label = governed_by(text, start)
        month_year = (len(first) == 2 and len(second) == 4 and int(first) in _MONTHS and is_year(int(second))) or (
            len(first) == 4 and len(second) == 2 and is_year(int(first)) and int(second) in _MONTHS
        )
        day_month = len(first) <= 2 and len(second) <= 2 and int(first) in _DAYS and int(second) in _DAYS
        if month_year and label in ("", "date") and not _NUMBERED.search(shadow, max(0, start - 12), start):
            yield start, _tail(shadow, end)
        elif day_month and label == "date" and min(int(first), int(second)) in _MONTHS:
            note(text, (start, _tail(shadow, end)), "dates", governing(text, start))
            yield start, _tail(shadow, end)
    for start in text.numbers.plain.get(4, ()):
        match = _SPACED_YEARS.match(shadow, start)
        if match and int(match.group(1)) < int(match.group(2)) and not shadow[max(0, start - 1) : start].isalnum():
            yield start, _tail(shadow, match.end())
    for start, end in text.numbers.shaped.get(b"-", ()):
        first, _, second = shadow[start:end].partition(b"-")
        years = len(first) == len(second) == 4 and is_year(int(first)) and is_year(int(second)) and first < second
        if years and governed_by(text, start) in ("", "date") and not _is_part_of_code(shadow, start, end):
            yield start, _tail(shadow, end)


_SPACED_YEARS = re.compile(rb"((?:19|20)\d\d|1[34]\d\d) - ((?:19|20)\d\d|1[34]\d\d)(?![\d/.:\-])")
_NUMBERED = shape(r"(?:\bno\.?|\#|number|رقم|[a-z]-)[ :]{0,2}$")


def _labelled(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """Without separators, and so only beside a date's label: 19900315, 15 03 1990."""
    shadow, whole = text.shadow, list[tuple[int, int, list[bytes]]]()
    for start in text.numbers.plain.get(8, ()):
        digits = shadow[start : start + 8]
        parts = [digits[:4], digits[4:6], digits[6:]]
        whole.append((start, start + 8, parts if _is_date(parts, b"") else [digits[:2], digits[2:4], digits[4:]]))
    for start in text.numbers.plain.get(4, ()):
        match = _BLANKS_AFTER_YEAR.match(shadow, start) or _BLANKS_BEFORE_YEAR.search(
            shadow, max(0, start - 6), start + 4
        )
        if match:
            whole.append((*match.span(), match.group().split(b" ")))
    for start, end, parts in whole:
        if _is_date(parts, b"") and not _is_part_of_code(shadow, start, end) and governed_by(text, start) == "date":
            note(text, (start, _tail(shadow, end)), "dates", governing(text, start))
            yield start, _tail(shadow, end)


_BLANKS_AFTER_YEAR = re.compile(rb"\d{4} \d{1,2} \d{1,2}(?![\d.,:/])")
_BLANKS_BEFORE_YEAR = re.compile(rb"(?<![\d.,:/])\d{1,2} \d{1,2} \d{4}$")


def _dates(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    for start, end in (*_whole(text), *_partial(text), *_labelled(text)):
        yield span(start, end, EntityType.DATE_TIME, 0.8, "dates")


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("dates", frozenset({EntityType.DATE_TIME}), _dates),)
