"""Dates with the name of a month: 15th of March 2024, ٣ رجب ١٤٤٦هـ, الخامس عشر من مارس, 15-Mar-2024, Q3 2025."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from pipeline.detect.recognizer import Rule, span
from pipeline.detect.recognizers.date_time.expressions import ERA, THEN_CLOCK
from pipeline.detect.text.context import label_kinds
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_of, shadow_pattern
from pipeline.detect.text.triggers import Trigger
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

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
# The text before the month, up to its first letter.
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
_DAY_AFTER = shadow_pattern(
    rf"(?: [ ]?[\-/.,][ ]? | [ ] ) (?:0?[1-9]|[12]\d|3[01]) (?:st|nd|rd|th)? (?! [{LETTER}0-9] | [:/%\-] | [.,]\d )"
)
_FROM_BIRTH = shadow_pattern(r"[^0-9]{0,40} (?: \d{1,4} [^0-9]{0,16} )? $")
_TO_SECOND_NAME = shadow_pattern(r"[ ]? [/(] [ ]?")
# A year of two digits after a blank must end the date: `12 MAR 85`, not `5 May 20 people`.
_SHORT_YEAR_ENDS = rf"""
    (?! [{LETTER}0-9%:/] | [.,]\d | -[{LETTER}0-9] | [ ]?[%٪]
      | [ ](?! (?:in|at|to|until|till|and|or|by|for|from|on|with|the|is|was|في|الي|حتي|من|و) (?![{LETTER}])
             | (?:[01]?\d|2[0-4]):[0-5]\d ) [{LETTER}0-9(] )
"""
_THEN_SHORT_YEAR = shadow_pattern(rf"""
    (?: -|/|\.|[ ]'|[ ]? , [ ]?' ) \d\d (?![\d:]) {ERA}
  | [ ]{{1,2}} \d\d (?: [ ]?(?:هجريه|هجري|ه|ميلاديه|ميلادي|م)(?![{LETTER}]) | {_SHORT_YEAR_ENDS} ) {THEN_CLOCK}
""")
_THEN_PRINTED_YEAR = shadow_pattern(rf"[ ]{{1,2}} \d\d (?![{LETTER}0-9%:/]|[.,]\d) {ERA} {THEN_CLOCK}")
_THEN_SHORT_BIRTH_YEAR = shadow_pattern(rf"[ ] \d\d (?![{LETTER}0-9%:/]|[.,]\d) {ERA}")
_SHORT_YEAR_AFTER_DAY = shadow_pattern(
    rf"[ ]?,?[ ]?' \d\d (?![\d:]) | (?: [ ]?,[ ]? | [ ] ) (?:3[2-9]|[4-9]\d) {_SHORT_YEAR_ENDS}"
)
_THEN_DAY = shadow_pattern(r"""
    [ ]{0,2} \.? [ ]? (?:the[ ])?
    (?: 0?[1-9] | [12]\d | 3[01] ) (?:st|nd|rd|th)? (?! \d | [:/%] | [.,]\d )
    (?: [ ]?-[ ]? (?: 0?[1-9] | [12]\d | 3[01] ) (?![\d:/%]) )?
""")
# The day in airline form: 21NOV2025, 21NOV25, 21NOV.
_DAY_JOINED = shadow_pattern(r"(?<![a-z0-9]) (?: 0?[1-9] | [12]\d | 3[01] ) $")
_ABBREVIATED = 3
_CLOCK_TAIL = shadow_pattern(THEN_CLOCK)
# Months that are also everyday words: they make a date only with a year, or with a day and a capital letter.
_WORDS = frozenset(
    {b"may", b"march", b"mar", b"dec", b"sep", b"sec", b"jan", b"jun", b"oct", b"nov", b"apr", b"feb", b"jul", b"aug"}
)
_AUGUST = shadow_of(" آب")
_LETTER_NEXT = shadow_pattern(rf"[{LETTER}]")
_FATHERS = frozenset({"اب", "أب"})
_QUARTER = shadow_pattern(r"q[1-4][ \-/]?(?:of[ ])?(?:fy[ ]?)?(?:19|20)\d\d(?![0-9])")
_THEN_PLAIN_YEAR = shadow_pattern(rf"[ ] (?:من[ ])? (?:عام[ ]|سنه[ ]|العام[ ])? {_YEAR} {ERA}")


class _Years(NamedTuple):
    """Where a date has its year, by the order of its parts."""

    after_month: re.Pattern[bytes]  # 12 March 1985
    after_day: re.Pattern[bytes]  # Mar-12-1985, March the twelfth, 1985
    before_month: re.Pattern[bytes]  # 1985-Mar-12
    attached: re.Pattern[bytes]  # in airline form: 21NOV2025, 21NOV25


def _years(year: str) -> _Years:
    return _Years(
        after_month=shadow_pattern(rf"{_YEAR_JOINT} {year} (?!\d | [.,]\d) {ERA} {THEN_CLOCK}"),
        after_day=shadow_pattern(rf"""
            (?: (?P<joint>[\-/.]) (?:0?[1-9]|[12]\d|3[01]) (?P=joint) | [ ](?:the[ ])? {_DAY_WORD} (?: [ ]?, )? [ ] )
            {year} (?!\d | [.,]\d) {ERA} {THEN_CLOCK}
        """),
        before_month=shadow_pattern(rf"(?<![{LETTER}0-9.,:/\-]) {year} (?: [ ]?[\-/.,][ ]? | [ ] ) $"),
        attached=shadow_pattern(rf"(?: {year} | \d\d )? (?![a-z0-9])"),
    )


def _verbal(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    under_birth = options.context != "" and "birth" in label_kinds(options.context)
    reached = 0  # the end of the date before
    for trigger in (*text.triggers["calendar"], *_augusts(text)):
        if trigger.section in {"month", "hijri"}:
            years = _OF_BIRTH if under_birth or _is_of_birth(text, trigger) else _USUAL
            place = _around(text, trigger, years, reached if reached <= trigger.start else 0)
        elif trigger.section == "quarter":
            year = _THEN_PLAIN_YEAR.match(text.shadow, trigger.end)
            place = (trigger.start, year.end()) if year else None
        else:
            continue
        if place:
            reached = place[1]
            yield span(*place, EntityType.DATE_TIME, 0.85, "verbal_dates")
    for match in _QUARTER.finditer(text.shadow):
        if not text.shadow[max(0, match.start() - 1) : match.start()].isalnum():
            yield span(*match.span(), EntityType.DATE_TIME, 0.8, "verbal_dates")


def _augusts(text: NormalizedText) -> Iterator[Trigger]:
    """آب after the number of a day. The word is too short and too frequent to be a trigger by itself."""
    for length in (1, 2):
        for start in text.numbers.plain.get(length, ()):
            end = start + length
            if text.shadow.startswith(_AUGUST, end) and not _LETTER_NEXT.match(text.shadow, end + len(_AUGUST)):
                yield Trigger(end + 1, end + len(_AUGUST), "month")


def _is_of_birth(text: NormalizedText, trigger: Trigger) -> bool:
    """Whether a birth label comes before, with only words and perhaps the day between."""
    indexes = text.labels.get("birth", ())
    labels = text.triggers["labels"]
    nearest = bisect_left(indexes, trigger.start, key=lambda index: labels[index].end) - 1
    return nearest >= 0 and bool(_FROM_BIRTH.fullmatch(text.shadow, labels[indexes[nearest]].end, trigger.start))


def _around(text: NormalizedText, trigger: Trigger, years: _Years, reached: int) -> tuple[int, int] | None:
    """The offsets of the date around the name of a month, behind `reached`; None if the name stands alone."""
    shadow = text.shadow
    if shadow[trigger.start - 1 : trigger.start].isdigit():
        return _in_airline_form(text, trigger, years)
    other_order = _in_other_order(shadow, trigger, years)
    if other_order:
        return other_order
    before = _BEFORE.search(shadow, max(reached, trigger.start - _YEAR_REACH), trigger.start)
    start = before.start() if before else trigger.start
    year = years.after_month.match(shadow, _second_name(text, trigger.end))
    if year:
        return (start if before else _with_weekday(shadow, trigger.start)), year.end()
    day = None if before else _THEN_DAY.match(shadow, trigger.end)
    if day:
        year = years.after_month.match(shadow, day.end())
        if year:
            return _with_weekday(shadow, trigger.start), year.end()
        if not _may_stand_without_year(text, trigger):
            return None
        short = _SHORT_YEAR_AFTER_DAY.match(shadow, day.end())
        return _with_weekday(shadow, trigger.start), short.end() if short else _clock_end(shadow, day.end())
    if before is None:
        return None
    short = _THEN_SHORT_YEAR.match(shadow, trigger.end)
    if short is None and _is_printed(text, trigger):
        short = _THEN_PRINTED_YEAR.match(shadow, trigger.end)
    if short is None and years is _OF_BIRTH:
        short = _THEN_SHORT_BIRTH_YEAR.match(shadow, trigger.end)
    is_enough = _may_stand_without_year(text, trigger) or shadow[before.start()] > 0x7F
    if not is_enough and not (short and years is _OF_BIRTH):
        return None
    return start, short.end() if short else _clock_end(shadow, trigger.end)


def _in_other_order(shadow: bytes, trigger: Trigger, years: _Years) -> tuple[int, int] | None:
    """A whole date that begins with its month or its year."""
    after = years.after_day.match(shadow, trigger.end)
    if after:
        return _with_weekday(shadow, trigger.start), after.end()
    year = years.before_month.search(shadow, max(0, trigger.start - _LONGEST_YEAR), trigger.start)
    day = _DAY_AFTER.match(shadow, trigger.end) if year else None
    return (year.start(), _clock_end(shadow, day.end())) if year and day else None


def _second_name(text: NormalizedText, end: int) -> int:
    """The end of the month's second name after the first (آذار/مارس, آذار (مارس)); `end` if there is none."""
    joint = _TO_SECOND_NAME.match(text.shadow, end)
    if joint is None:
        return end
    triggers = text.triggers["calendar"]
    index = bisect_left(triggers, joint.end(), key=attrgetter("start"))
    if index == len(triggers) or triggers[index].start != joint.end() or triggers[index].section != "month":
        return end
    name_end = triggers[index].end
    return name_end + 1 if text.shadow[name_end : name_end + 1] == b")" else name_end


def _in_airline_form(text: NormalizedText, trigger: Trigger, years: _Years) -> tuple[int, int] | None:
    """Day, month and year without separators; without a year only in capitals: 14DEC."""
    day = _DAY_JOINED.search(text.shadow, max(0, trigger.start - 3), trigger.start)
    if day and text.shadow[trigger.start] > 0x7F:  # 12مارس1985
        following = years.after_month.match(text.shadow, trigger.end)
        return day.start(), following.end() if following else _clock_end(text.shadow, trigger.end)
    if trigger.end - trigger.start != _ABBREVIATED:
        return None
    year = years.attached.match(text.shadow, trigger.end)
    if day is None or year is None or not (year.group() or text.text[trigger.start : trigger.end].isupper()):
        return None
    return day.start(), _clock_end(text.shadow, year.end())


def _may_stand_without_year(text: NormalizedText, trigger: Trigger) -> bool:
    """Whether a day and a month are enough: English words only with a capital; آب is August, but اب is father."""
    surface = text.text[trigger.start : trigger.end]
    if surface in _FATHERS:
        return False
    return surface[0].isupper() or not surface.isascii() or surface.encode() not in _WORDS


def _is_printed(text: NormalizedText, trigger: Trigger) -> bool:
    """Whether a month is written as on cards and passports, `05 SEP 19 expires`: three capitals."""
    surface = text.text[trigger.start : trigger.end]
    return len(surface) == _ABBREVIATED and surface.isascii() and surface.isupper()


def _with_weekday(shadow: bytes, start: int) -> int:
    weekday = _WEEKDAY_BEFORE.search(shadow, max(0, start - 14), start)
    return weekday.start() if weekday else start


def _clock_end(shadow: bytes, end: int) -> int:
    match = _CLOCK_TAIL.match(shadow, end)
    return match.end() if match else end


_USUAL = _years(r"(?: (?:19|20)\d\d | 1[34]\d\d )")
_OF_BIRTH = _years(r"\d{4}")  # a date of birth is one in any year
VERBAL_DATES = Rule("verbal_dates", frozenset({EntityType.DATE_TIME}), _verbal)
