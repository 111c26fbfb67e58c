"""DATE_TIME in digits: 15/03/2024, 2024-03-15T08:14:22Z, 1446/05/12 هـ; a clock time right after belongs to it."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from pipeline.detect.grammar import number_words
from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.context import has_label, label_before, label_kind_before, label_kinds, note_label, values
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_of, shadow_pattern
from pipeline.detect.text.triggers import IS_LETTER, Trigger
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

# DATE_TIME as a length of time: 3 days, 48 hours, ثلاثة أيام, أسبوعين, ساعة ونصف; not an age.

_DIGITS_BEFORE = shadow_pattern(r"""
    (?<![a-wyz0-9\x80-\xaf\xfe.,:/$£€\-]) (?<!\+)
    \d{1,4} (?:[.,٫]\d{1,2})?
    (?: [ ]?(?:-|to|الى|او|or)[ ]? \d{1,4} )?
    [ \-]?
    (?: (?:business|working|work|calendar|full|consecutive|more|additional)[ ] )?
    $
""")
_REACH = 36
_WORK_WORDS = shadow_pattern(r"(?:business|working|work|calendar|full|consecutive)[ ]$")
_AFTER = shadow_pattern(rf"""
    (?: [ ] (?: و ?(?:نصف|ربع|ثلث) | عمل | دوام | واحد | واحده ) (?![{LETTER}])
      | [ ]and[ ]a[ ]half )?
""")
_AGE_AFTER = shadow_pattern(r"[ \-]?(?:old|of[ ]age) | [ ](?:من[ ])?(?:العمر|عمره|عمرها|عمري)")
_AGE_BEFORE = shadow_pattern(r"""
    (?: \baged?[ ]?[:=]? | \bturn(?:s|ed|ing)? | عمره | عمرها | عمري | عمرك | العمر | عمر | السن | سنه[ ]? )
    [ ]?[:=]?[ ]? $
""")
_WEEKDAY_AFTER = shadow_pattern(r"[ ](?:ال)?(?:احد|اثنين|ثلاثاء|اربعاء|خميس|جمعه|سبت)")
_HALF = shadow_pattern(rf"(?<![{LETTER}])(?:نصف|ربع|half[ ]an|half[ ]a|quarter[ ]of[ ]an)[ ]$")
_ALONE = shadow_pattern(rf"[ ]و ?(?:نصف|ربع|ثلث)(?![{LETTER}])")
_ONE = shadow_pattern(rf"[ ](?:واحد|واحده)(?![{LETTER}])")


def _durations(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    for mark in text.triggers["calendar"]:
        if mark.section == "dual" and not _is_part_of_word(text.shadow, mark):
            yield span(mark.start, _end(text.shadow, mark), EntityType.DATE_TIME, 0.7, "durations")
        elif mark.section == "unit":
            start = _start(text.shadow, mark)
            if start >= 0:
                yield span(start, _end(text.shadow, mark), EntityType.DATE_TIME, 0.75, "durations")


def _is_part_of_word(shadow: bytes, mark: Trigger) -> bool:
    """Whether letters hang on its end: "شهراني" is a family, no two months."""
    return mark.end < len(shadow) and bool(IS_LETTER[shadow[mark.end]])


def _end(shadow: bytes, mark: Trigger) -> int:
    """The end of the unit with its ending ("يوماً") and what extends it ("ونصف", "عمل")."""
    end = mark.end
    while end < len(shadow) and end - mark.end <= 2 and IS_LETTER[shadow[end]]:
        end += 1
    match = _AFTER.match(shadow, end)
    return match.end() if match else end


def _start(shadow: bytes, mark: Trigger) -> int:
    """Where the number before the unit begins; -1 without one, or when it is an age."""
    if mark.start and IS_LETTER[shadow[mark.start - 1]]:
        return -1
    start = _number_before(shadow, mark.start)
    if start < 0:
        return mark.start if _ALONE.match(shadow, mark.end) or _ONE.match(shadow, mark.end) else -1
    if _AGE_AFTER.match(shadow, mark.end) or _AGE_BEFORE.search(shadow, max(0, start - 16), start):
        return -1
    return -1 if _WEEKDAY_AFTER.match(shadow, mark.end) else start


def _number_before(shadow: bytes, end: int) -> int:
    before = shadow[max(0, end - 2) : end].strip(b" -")[-1:]
    if not before or not (before.isdigit() or IS_LETTER[before[0]]):
        return -1
    digits = _DIGITS_BEFORE.search(shadow, max(0, end - _REACH), end)
    if digits:
        return digits.start()
    if before.isdigit():
        return -1
    half = _HALF.search(shadow, max(0, end - 18), end)
    if half:
        return half.start()
    adjective = _WORK_WORDS.search(shadow, max(0, end - 14), end)
    return number_words.run_before(shadow, (adjective.start() if adjective else end))


# Fragments that the DATE_TIME recognizers share: eras, parts of the day, clock times, years.

NO_LETTER = rf"(?![{LETTER}])"
# The calendar's mark after a year: هـ, هجري, H, AH; م, ميلادي, AD, CE.
ERA = rf"(?:[ ]?(?: (?:هجريه|هجري|ه|ميلاديه|ميلادي|م|ad|ce|ah){NO_LETTER} | a\.h\.? | a\.d\.? | h(?![a-z0-9]) ))?"
DAY_PART = (
    rf"(?:[ ]?(?: [ap]\.m\. | [ap]\.?m(?![a-z0-9])"
    rf"| (?:ص|م|صباحا|مساءا|مساء|ظهرا|عصرا|فجرا|ليلا|الصبح|صباح|المساء|الظهر|العصر|الفجر|الليل|الصباح){NO_LETTER} ))"
)
_ZONE = r"(?:[ ]?(?: (?:z|utc|gmt|ast)(?![a-z]) | [+\-]\d\d:?\d\d(?!\d) ))"
CLOCK = (
    r"(?:[01]?\d|2[0-4]):[0-5]\d"
    r"(?: :[0-5]\d (?:[.,]\d{1,9})? )? (?!\d|:\d)"
    rf"{DAY_PART}? {_ZONE}{{0,2}}"
)
# What may join a date to the clock time after it.
THEN_CLOCK = rf"(?: (?: t | [ ]{{1,2}} | ,[ ]? | ، [ ]? | : | [ ]?-[ ] | [ ]?\|[ ] | [ ]at[ ] ) {CLOCK})?"

_YEARS = (range(1900, 2101), range(1300, 1501))


def is_year(value: int) -> bool:
    """A Gregorian year of living people and their plans, or a Hijri one."""
    return any(value in years for years in _YEARS)


_TAIL = shadow_pattern(rf"{ERA} {THEN_CLOCK}")

_LABELS = ("date", "birth")
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
_VERSION = shadow_pattern(
    r"(?:\bv|version|ver\.?|release|build|firmware|اصدار|الاصدار|section|clause|fig\.?|§)[ :=]{0,3}$"
)


def _partial(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """03/2024 and 2024/03 as months; a day and month alone (12/5) only beside a date's label."""
    shadow = text.shadow
    for start, end in text.numbers.shaped.get(b"/", ()):
        first, second = shadow[start:end].split(b"/")
        if len(first) > 4 or len(second) > 4 or _is_part_of_code(shadow, start, end):
            continue
        label = label_kind_before(text, start)
        month_year = (len(first) == 2 and len(second) == 4 and int(first) in _MONTHS and is_year(int(second))) or (
            len(first) == 4 and len(second) == 2 and is_year(int(first)) and int(second) in _MONTHS
        )
        day_month = len(first) <= 2 and len(second) <= 2 and int(first) in _DAYS and int(second) in _DAYS
        if month_year and label in ("", *_LABELS) and not _NUMBERED.search(shadow, max(0, start - 12), start):
            yield start, _tail(shadow, end)
        elif day_month and label in _LABELS and min(int(first), int(second)) in _MONTHS:
            note_label(text, (start, _tail(shadow, end)), "dates", label_before(text, start))
            yield start, _tail(shadow, end)
    for start in text.numbers.plain.get(4, ()):
        match = _SPACED_YEARS.match(shadow, start)
        if match and int(match.group(1)) < int(match.group(2)) and not shadow[max(0, start - 1) : start].isalnum():
            yield start, _tail(shadow, match.end())
    for start, end in text.numbers.shaped.get(b"-", ()):
        first, _, second = shadow[start:end].partition(b"-")
        years = len(first) == len(second) == 4 and is_year(int(first)) and is_year(int(second)) and first < second
        if years and label_kind_before(text, start) in ("", *_LABELS) and not _is_part_of_code(shadow, start, end):
            yield start, _tail(shadow, end)


_SPACED_YEARS = re.compile(rb"((?:19|20)\d\d|1[34]\d\d) - ((?:19|20)\d\d|1[34]\d\d)(?![\d/.:\-])")
_NUMBERED = shadow_pattern(r"(?:\bno\.?|\#|number|رقم|[a-z]-)[ :]{0,2}$")


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
        label = label_kind_before(text, start)
        is_date = label == "birth" or (label in _LABELS and _is_date(parts, b""))
        if is_date and not _is_part_of_code(shadow, start, end):
            note_label(text, (start, _tail(shadow, end)), "dates", label_before(text, start))
            yield start, _tail(shadow, end)


_BLANKS_AFTER_YEAR = re.compile(rb"\d{4} \d{1,2} \d{1,2}(?![\d.,:/])")
_BLANKS_BEFORE_YEAR = re.compile(rb"(?<![\d.,:/])\d{1,2} \d{1,2} \d{4}$")


def _of_birth(text: NormalizedText, options: DetectOptions) -> Iterator[tuple[int, int]]:
    """Whatever is written like a date where a label says date of birth: of any year, or no day of the calendar."""
    if has_label(text, options, "birth"):
        for start, end in values(text, options, "birth", _LIKE_A_DATE):
            if not _is_part_of_code(text.shadow, start, end):
                yield start, end


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


def _birth_years(text: NormalizedText, options: DetectOptions) -> Iterator[tuple[int, int]]:
    """A year alone (1200 to 2099), right behind a label of the date of birth or as a whole cell under one."""
    if not has_label(text, options, "birth"):
        return
    for start in text.numbers.plain.get(4, ()):
        year = _BIRTH_YEAR.match(text.shadow, start)
        if year and label_kind_before(text, start) == "birth" and not _is_part_of_code(text.shadow, start, start + 4):
            note_label(text, year.span(), "dates", label_before(text, start))
            yield year.span()
    cells = list(text.tables.cells.get("birth", ()))
    if options.context and "birth" in label_kinds(options.context):
        cells.append((0, len(text.shadow)))
    for start, end in cells:
        if year := _BIRTH_YEAR.fullmatch(text.shadow, start, end):
            yield year.span()


def _dates(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    for start, end in (
        *_whole(text),
        *_partial(text),
        *_labelled(text),
        *_of_birth(text, options),
        *_birth_years(text, options),
    ):
        yield span(start, end, EntityType.DATE_TIME, 0.8, "dates")


# DATE_TIME on the clock: 14:30, 9:15 pm, ٨:٣٠ مساءً, 9 ص, الساعة التاسعة والنصف; not a ratio, a score or a verse.

_CLOCK = shadow_pattern(CLOCK)
_RANGE = shadow_pattern(rf"[ ]?(?:-|to|الى|حتى|until)[ ]?{CLOCK}")
_SCALE = shadow_pattern(
    r"(?: ratio | aspect | score | scale | odds | won | lost | surah | verse | psalms? | genesis | john | chapter"
    r"| نسبه | سوره | ايه | الايه | نتيجه | بنتيجه | النتيجه | مقياس | فاز | فوز ) [^\d\n]{0,12} $"
)
_SCALE_REACH = 24
_SEPARATORS = (b":", b"::", b"::.", b":-:", b":-", b":.", b"::-")
_NOT_BEFORE = frozenset(bytes([byte]) for byte in b":.-/+")

_HOUR_WORDS = "الواحده|الثانيه|الثالثه|الرابعه|الخامسه|السادسه|السابعه|الثامنه|التاسعه|العاشره"
_AFTER_THE_HOUR = shadow_pattern(rf"""
    [ :]{{0,3}}
    ( (?: (?:الحاديه|الثانيه)[ ]عشره? | {_HOUR_WORDS} ) (?![{LETTER}])
      (?: [ ](?: و ?(?:النصف|نصف|الربع|ربع|الثلث|ثلث|خمس|عشر)
               | الا[ ](?:ربع|ربعا|ثلث|ثلثا|الربع|خمس) ) (?![{LETTER}]) )?
      {DAY_PART}?
    | (?:[01]?\d|2[0-4]) (?![\d:.,/]\d | \d | %)
      (?: [ ] و ?(?:النصف|نصف|الربع|ربع|الثلث|ثلث) (?![{LETTER}]) )?
      {DAY_PART}?
    )
""")
_HOUR = shadow_pattern(rf"""
    [ ]? (?: [ap]\.m\. | [ap]m(?![a-z0-9]) | o'clock | oclock(?![a-z])
           | (?:صباحا|مساءا|مساء|ظهرا|عصرا|فجرا|ليلا|الصبح|الظهر|العصر|المغرب|الفجر|بالليل){NO_LETTER}
           | ص(?![{LETTER}0-9]) (?![ ]*\d) )
""")
_TWELVE = 12


def _clock(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    for start, end in (*_with_minutes(text.shadow, text), *_hours(text)):
        yield span(start, end, EntityType.DATE_TIME, 0.8, "clock")


def _with_minutes(shadow: bytes, text: NormalizedText) -> Iterator[tuple[int, int]]:
    for separators in _SEPARATORS:
        for start, _end in text.numbers.shaped.get(separators, ()):
            match = _CLOCK.match(shadow, start)
            before = shadow[max(0, start - 1) : start]
            if match is None or before.isalnum() or before in _NOT_BEFORE:
                continue
            if shadow[match.end() : match.end() + 1].isalnum() or _SCALE.search(
                shadow, max(0, start - _SCALE_REACH), start
            ):
                continue
            second = _RANGE.match(shadow, match.end())
            yield start, second.end() if second else match.end()


def _hours(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """An hour with its part of the day, or after the word for the hour."""
    shadow = text.shadow
    for length in (1, 2):
        for start in text.numbers.plain.get(length, ()):
            match = _HOUR.match(shadow, start + length)
            if (
                match
                and 1 <= int(shadow[start : start + length]) <= _TWELVE
                and not shadow[max(0, start - 1) : start].isalnum()
            ):
                if text.trace is not None:
                    text.trace.note((start, match.end()), "clock")
                yield start, match.end()
    for mark in text.triggers["calendar"]:
        if mark.section == "clock":
            match = _AFTER_THE_HOUR.match(shadow, mark.end)
            if match:
                if text.trace is not None:
                    text.trace.note(match.span(1), "clock", (mark.start, mark.end))
                yield match.span(1)


# DATE_TIME with a month's name: 15th of March 2024, Mar 15, ٣ رجب ١٤٤٦هـ, الخامس عشر من مارس, 15-Mar-2024, Q3 2025.

_WEEKDAY = (
    r"(?: (?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?"
    r"| (?:ال)?(?:احد|اثنين|ثلاثاء|اربعاء|خميس|جمعه|سبت) )"
)
_ORDINAL = (
    r"(?: (?:ال)?(?:اول|ثاني|ثالث|رابع|خامس|سادس|سابع|ثامن|تاسع|عاشر|حادي|غره|غره[ ]شهر)"
    r"(?:[ ](?:عشر|و ?العشرين|و ?العشرون|و ?الثلاثين|و ?الثلاثون))?"
    r"| العشرين | العشرون | الثلاثين | الثلاثون | غره | سلخ | منتصف )"
)
_DAY = r"(?: (?<![\d.,:/]) (?:0?[1-9]|[12]\d|3[01]) (?:st|nd|rd|th)? )"
_UNIT = r"(?: first | second | third | fourth | fifth | sixth | seventh | eighth | ninth )"
_DAY_WORD = (
    rf"(?: (?:twenty[ \-]|thirty[ \-])? {_UNIT} | tenth | eleventh | twelfth"
    r"| (?:thir|four|fif|six|seven|eigh|nine)teenth | twentieth | thirtieth )"
)
# Before the month, up to its first letter.
_BEFORE = shadow_pattern(rf"""
    (?: (?<![{LETTER}0-9]) {_WEEKDAY} [ ]?[,،]?[ ]? (?:the[ ])? )?
    (?: (?<![a-z0-9]) {_DAY} (?: [ ]?-[ ]?{_DAY} )?
      | (?<![{LETTER}0-9]) (?: (?:the[ ])? {_DAY_WORD} | {_ORDINAL} ) )
    (?: [ ]?[\-/.,][ ]? | [ ]{{1,2}} )
    (?: of[ ] | من[ ](?:شهر[ ])? | شهر[ ] | لشهر[ ] | في[ ]شهر[ ] | ل )?
    $
""")
_WEEKDAY_BEFORE = shadow_pattern(rf"(?<![{LETTER}0-9]) {_WEEKDAY} [ ]?[,،]?[ ]? $")
_YEAR_REACH = 48
_LONGEST_YEAR = 7  # characters, with what joins it to a month
_YEAR = r"(?: (?:19|20)\d\d | 1[34]\d\d ) (?!\d | [.,]\d)"
_YEAR_JOINT = r"(?: [ ]?[,،]?[ ]? (?:of[ ] | من[ ])? (?:عام[ ]|سنه[ ]|لعام[ ]|لسنه[ ]|year[ ])? | [ ]?[\-/.][ ]? )"
_DAY_BEHIND = shadow_pattern(
    rf"(?: [ ]?[\-/.,][ ]? | [ ] ) (?:0?[1-9]|[12]\d|3[01]) (?:st|nd|rd|th)? (?! [{LETTER}0-9] | [:/%\-] | [.,]\d )"
)


class _Years(NamedTuple):
    """Where the year of a date stands, for the years that can be meant."""

    behind: re.Pattern[bytes]  # the month
    behind_day: re.Pattern[bytes]  # month, day, year: Mar-12-1985, March the twelfth, 1985
    before: re.Pattern[bytes]  # year, month, day: 1985-Mar-12
    joined: re.Pattern[bytes]  # written onto the month, as airlines do: 21NOV2025, 21NOV25


def _years(year: str) -> _Years:
    return _Years(
        behind=shadow_pattern(rf"{_YEAR_JOINT} {year} (?!\d | [.,]\d) {ERA} {THEN_CLOCK}"),
        behind_day=shadow_pattern(rf"""
            (?: (?P<joint>[\-/.]) (?:0?[1-9]|[12]\d|3[01]) (?P=joint) | [ ](?:the[ ])? {_DAY_WORD} (?: [ ]?, )? [ ] )
            {year} (?!\d | [.,]\d) {ERA} {THEN_CLOCK}
        """),
        before=shadow_pattern(rf"(?<![{LETTER}0-9.,:/\-]) {year} (?: [ ]?[\-/.,][ ]? | [ ] ) $"),
        joined=shadow_pattern(rf"(?: {year} | \d\d )? (?![a-z0-9])"),
    )


_USUAL = _years(r"(?: (?:19|20)\d\d | 1[34]\d\d )")
_OF_BIRTH = _years(r"\d{4}")  # a date of birth is one in any year
_FROM_BIRTH = shadow_pattern(r"[^0-9]{0,40} (?: \d{1,4} [^0-9]{0,16} )? $")
_TO_SECOND_NAME = shadow_pattern(r"[ ]? [/(] [ ]?")
_THEN_SHORT_YEAR = shadow_pattern(r"(?: -|/|[ ]'|[ ]? , [ ]?' ) \d\d (?![\d:]) ")
_THEN_DAY = shadow_pattern(r"""
    [ ]{0,2} \.? [ ]? (?:the[ ])?
    (?: 0?[1-9] | [12]\d | 3[01] ) (?:st|nd|rd|th)? (?! \d | [:/%] | [.,]\d )
    (?: [ ]?-[ ]? (?: 0?[1-9] | [12]\d | 3[01] ) (?![\d:/%]) )?
""")
# As airlines write: 21NOV2025, 21NOV25, 21NOV.
_DAY_JOINED = shadow_pattern(r"(?<![a-z0-9]) (?: 0?[1-9] | [12]\d | 3[01] ) $")
_ABBREVIATED = 3
_CLOCK_TAIL = shadow_pattern(THEN_CLOCK)
# Months that are also everyday words: as a date only with a day and a capital, or with a year.
_WORDS = frozenset(
    {b"may", b"march", b"mar", b"dec", b"sep", b"sec", b"jan", b"jun", b"oct", b"nov", b"apr", b"feb", b"jul", b"aug"}
)
_AUGUST = shadow_of(" آب")
_LETTER_NEXT = shadow_pattern(rf"[{LETTER}]")
_FATHERS = frozenset({"اب", "أب"})
_QUARTER = shadow_pattern(r"q[1-4][ \-/]?(?:of[ ])?(?:fy[ ]?)?(?:19|20)\d\d(?![0-9])")
_THEN_PLAIN_YEAR = shadow_pattern(rf"[ ] (?:من[ ])? (?:عام[ ]|سنه[ ]|العام[ ])? {_YEAR} {ERA}")


def _verbal(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    under_birth = options.context != "" and "birth" in label_kinds(options.context)
    for mark in (*text.triggers["calendar"], *_augusts(text)):
        if mark.section in {"month", "hijri"}:
            place = _around(text, mark, _OF_BIRTH if under_birth or _is_of_birth(text, mark) else _USUAL)
        elif mark.section == "quarter":
            year = _THEN_PLAIN_YEAR.match(text.shadow, mark.end)
            place = (mark.start, year.end()) if year else None
        else:
            continue
        if place:
            yield span(*place, EntityType.DATE_TIME, 0.85, "verbal_dates")
    for match in _QUARTER.finditer(text.shadow):
        if not text.shadow[max(0, match.start() - 1) : match.start()].isalnum():
            yield span(*match.span(), EntityType.DATE_TIME, 0.8, "verbal_dates")


def _augusts(text: NormalizedText) -> Iterator[Trigger]:
    """آب after the number of a day: a word too short and too common to look for everywhere."""
    for length in (1, 2):
        for start in text.numbers.plain.get(length, ()):
            end = start + length
            if text.shadow.startswith(_AUGUST, end) and not _LETTER_NEXT.match(text.shadow, end + len(_AUGUST)):
                yield Trigger(end + 1, end + len(_AUGUST), "month")


def _is_of_birth(text: NormalizedText, mark: Trigger) -> bool:
    """Whether a label of the date of birth stands before, with nothing but words and perhaps the day between."""
    indexes = text.labels.get("birth", ())
    labels = text.triggers["labels"]
    nearest = bisect_left(indexes, mark.start, key=lambda index: labels[index].end) - 1
    return nearest >= 0 and bool(_FROM_BIRTH.fullmatch(text.shadow, labels[indexes[nearest]].end, mark.start))


def _around(text: NormalizedText, mark: Trigger, years: _Years) -> tuple[int, int] | None:
    """The date around a month's name, or None when the word stands alone."""
    shadow = text.shadow
    if shadow[mark.start - 1 : mark.start].isdigit():
        return _joined(text, mark, years)
    turned = _turned(shadow, mark, years)
    if turned:
        return turned
    before = _BEFORE.search(shadow, max(0, mark.start - _YEAR_REACH), mark.start)
    start = before.start() if before else mark.start
    year = years.behind.match(shadow, _second_name(text, mark.end))
    if year:
        return (start if before else _with_weekday(shadow, mark.start)), year.end()
    day = None if before else _THEN_DAY.match(shadow, mark.end)
    if day:
        year = years.behind.match(shadow, day.end())
        if year:
            return _with_weekday(shadow, mark.start), year.end()
        if not _may_stand_without_year(text, mark):
            return None
        return _with_weekday(shadow, mark.start), _clock_end(shadow, day.end())
    if before is None or not (_may_stand_without_year(text, mark) or shadow[before.start()] > 0x7F):
        return None
    short = _THEN_SHORT_YEAR.match(shadow, mark.end)
    return start, short.end() if short else _clock_end(shadow, mark.end)


def _turned(shadow: bytes, mark: Trigger, years: _Years) -> tuple[int, int] | None:
    """A whole date that does not begin with its day."""
    behind = years.behind_day.match(shadow, mark.end)
    if behind:
        return _with_weekday(shadow, mark.start), behind.end()
    year = years.before.search(shadow, max(0, mark.start - _LONGEST_YEAR), mark.start)
    day = _DAY_BEHIND.match(shadow, mark.end) if year else None
    return (year.start(), _clock_end(shadow, day.end())) if year and day else None


def _second_name(text: NormalizedText, end: int) -> int:
    """The end of a month's other name, if it stands behind the first: آذار/مارس, آذار (مارس); else `end` itself."""
    joint = _TO_SECOND_NAME.match(text.shadow, end)
    if joint is None:
        return end
    marks = text.triggers["calendar"]
    index = bisect_left(marks, joint.end(), key=attrgetter("start"))
    if index == len(marks) or marks[index].start != joint.end() or marks[index].section != "month":
        return end
    behind = marks[index].end
    return behind + 1 if text.shadow[behind : behind + 1] == b")" else behind


def _joined(text: NormalizedText, mark: Trigger, years: _Years) -> tuple[int, int] | None:
    """Day, month and year without anything between; without the year only in capitals: 14DEC."""
    if mark.end - mark.start != _ABBREVIATED:
        return None
    day = _DAY_JOINED.search(text.shadow, max(0, mark.start - 3), mark.start)
    year = years.joined.match(text.shadow, mark.end)
    if day is None or year is None or not (year.group() or text.text[mark.start : mark.end].isupper()):
        return None
    return day.start(), _clock_end(text.shadow, year.end())


def _may_stand_without_year(text: NormalizedText, mark: Trigger) -> bool:
    """Ambiguous English words count as months only with a capital; آب is August, اب is father."""
    surface = text.text[mark.start : mark.end]
    if surface in _FATHERS:
        return False
    return surface[0].isupper() or not surface.isascii() or surface.encode() not in _WORDS


def _with_weekday(shadow: bytes, start: int) -> int:
    weekday = _WEEKDAY_BEFORE.search(shadow, max(0, start - 14), start)
    return weekday.start() if weekday else start


def _clock_end(shadow: bytes, end: int) -> int:
    match = _CLOCK_TAIL.match(shadow, end)
    return match.end() if match else end


_DATE_TIME = frozenset({EntityType.DATE_TIME})
RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("dates", _DATE_TIME, _dates),
    Rule("clock", _DATE_TIME, _clock),
    Rule("verbal_dates", _DATE_TIME, _verbal),
    Rule("durations", _DATE_TIME, _durations),
)
