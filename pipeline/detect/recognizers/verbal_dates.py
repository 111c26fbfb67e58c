"""DATE_TIME with a month's name: 15th of March 2024, Mar 15, ٣ رجب ١٤٤٦هـ, الخامس عشر من مارس, 15-Mar-2024, Q3 2025."""

from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter

from pipeline.detect.landmarks import Landmark
from pipeline.detect.normalize import NormalizedText
from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.calendar_parts import ERA, THEN_CLOCK
from pipeline.detect.shadow import LETTER, shadow_of, shape
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
# Before the month, up to its first letter.
_BEFORE = shape(rf"""
    (?: (?<![{LETTER}0-9]) {_WEEKDAY} [ ]?[,،]?[ ]? (?:the[ ])? )?
    (?: (?<![a-z0-9]) {_DAY} (?: [ ]?-[ ]?{_DAY} )?
      | (?<![{LETTER}0-9]) (?: (?:the[ ])? {_DAY_WORD} | {_ORDINAL} ) )
    (?: [ ]?[\-/.,][ ]? | [ ]{{1,2}} )
    (?: of[ ] | من[ ](?:شهر[ ])? | شهر[ ] | لشهر[ ] | في[ ]شهر[ ] | ل )?
    $
""")
_WEEKDAY_BEFORE = shape(rf"(?<![{LETTER}0-9]) {_WEEKDAY} [ ]?[,،]?[ ]? $")
_REACH = 48
_LONGEST_YEAR = 7  # characters, with what joins it to a month
_YEAR = r"(?: (?:19|20)\d\d | 1[34]\d\d ) (?!\d | [.,]\d)"
_YEAR_JOINT = r"(?: [ ]?[,،]?[ ]? (?:of[ ] | من[ ])? (?:عام[ ]|سنه[ ]|لعام[ ]|لسنه[ ]|year[ ])? | [ ]?[\-/.][ ]? )"
_THEN_YEAR = shape(rf"{_YEAR_JOINT} {_YEAR} {ERA} {THEN_CLOCK}")
# Month, day, year: Mar-12-1985, March the twelfth, 1985. And year, month, day: 1985-Mar-12.
_DAY_THEN_YEAR = shape(rf"""
    (?: (?P<joint>[\-/.]) (?:0?[1-9]|[12]\d|3[01]) (?P=joint) | [ ](?:the[ ])? {_DAY_WORD} (?: [ ]?, )? [ ] )
    {_YEAR} {ERA} {THEN_CLOCK}
""")
_YEAR_BEFORE = shape(rf"(?<![{LETTER}0-9.,:/\-]) (?:(?:19|20)\d\d | 1[34]\d\d) (?: [ ]?[\-/.,][ ]? | [ ] ) $")
_DAY_BEHIND = shape(
    rf"(?: [ ]?[\-/.,][ ]? | [ ] ) (?:0?[1-9]|[12]\d|3[01]) (?:st|nd|rd|th)? (?! [{LETTER}0-9] | [:/%\-] | [.,]\d )"
)
_TO_SECOND_NAME = shape(r"[ ]? [/(] [ ]?")
_THEN_SHORT_YEAR = shape(r"(?: -|/|[ ]'|[ ]? , [ ]?' ) \d\d (?![\d:]) ")
_THEN_DAY = shape(r"""
    [ ]{0,2} \.? [ ]? (?:the[ ])?
    (?: 0?[1-9] | [12]\d | 3[01] ) (?:st|nd|rd|th)? (?! \d | [:/%] | [.,]\d )
    (?: [ ]?-[ ]? (?: 0?[1-9] | [12]\d | 3[01] ) (?![\d:/%]) )?
""")
# As airlines write: 21NOV2025, 21NOV25, 21NOV.
_DAY_JOINED = shape(r"(?<![a-z0-9]) (?: 0?[1-9] | [12]\d | 3[01] ) $")
_YEAR_JOINED = shape(r"(?: (?:19|20)\d\d | \d\d )? (?![a-z0-9])")
_ABBREVIATED = 3
_CLOCK_TAIL = shape(THEN_CLOCK)
# Months that are also everyday words: as a date only with a day and a capital, or with a year.
_WORDS = frozenset(
    {b"may", b"march", b"mar", b"dec", b"sep", b"sec", b"jan", b"jun", b"oct", b"nov", b"apr", b"feb", b"jul", b"aug"}
)
_AUGUST = shadow_of(" آب")
_LETTER_NEXT = shape(rf"[{LETTER}]")
_FATHERS = frozenset({"اب", "أب"})
_QUARTER = shape(r"q[1-4][ \-/]?(?:of[ ])?(?:fy[ ]?)?(?:19|20)\d\d(?![0-9])")
_THEN_PLAIN_YEAR = shape(rf"[ ] (?:من[ ])? (?:عام[ ]|سنه[ ]|العام[ ])? {_YEAR} {ERA}")


def _verbal(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    for mark in (*text.landmarks["calendar"], *_augusts(text)):
        if mark.section in {"month", "hijri"}:
            place = _around(text, mark)
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


def _augusts(text: NormalizedText) -> Iterator[Landmark]:
    """آب after the number of a day: a word too short and too common to look for everywhere."""
    for length in (1, 2):
        for start in text.numbers.plain.get(length, ()):
            end = start + length
            if text.shadow.startswith(_AUGUST, end) and not _LETTER_NEXT.match(text.shadow, end + len(_AUGUST)):
                yield Landmark(end + 1, end + len(_AUGUST), "month")


def _around(text: NormalizedText, mark: Landmark) -> tuple[int, int] | None:
    """The date around a month's name, or None when the word stands alone."""
    shadow = text.shadow
    if shadow[mark.start - 1 : mark.start].isdigit():
        return _joined(text, mark)
    turned = _turned(shadow, mark)
    if turned:
        return turned
    before = _BEFORE.search(shadow, max(0, mark.start - _REACH), mark.start)
    start = before.start() if before else mark.start
    year = _THEN_YEAR.match(shadow, _second_name(text, mark.end))
    if year:
        return (start if before else _with_weekday(shadow, mark.start)), year.end()
    day = None if before else _THEN_DAY.match(shadow, mark.end)
    if day:
        year = _THEN_YEAR.match(shadow, day.end())
        if year:
            return _with_weekday(shadow, mark.start), year.end()
        if not _may_stand_without_year(text, mark):
            return None
        return _with_weekday(shadow, mark.start), _clock_end(shadow, day.end())
    if before is None or not (_may_stand_without_year(text, mark) or shadow[before.start()] > 0x7F):
        return None
    short = _THEN_SHORT_YEAR.match(shadow, mark.end)
    return start, short.end() if short else _clock_end(shadow, mark.end)


def _turned(shadow: bytes, mark: Landmark) -> tuple[int, int] | None:
    """A whole date that does not begin with its day."""
    behind = _DAY_THEN_YEAR.match(shadow, mark.end)
    if behind:
        return _with_weekday(shadow, mark.start), behind.end()
    year = _YEAR_BEFORE.search(shadow, max(0, mark.start - _LONGEST_YEAR), mark.start)
    day = _DAY_BEHIND.match(shadow, mark.end) if year else None
    return (year.start(), _clock_end(shadow, day.end())) if year and day else None


def _second_name(text: NormalizedText, end: int) -> int:
    """The end of a month's other name, if it stands behind the first: آذار/مارس, آذار (مارس); else `end` itself."""
    joint = _TO_SECOND_NAME.match(text.shadow, end)
    if joint is None:
        return end
    marks = text.landmarks["calendar"]
    index = bisect_left(marks, joint.end(), key=attrgetter("start"))
    if index == len(marks) or marks[index].start != joint.end() or marks[index].section != "month":
        return end
    behind = marks[index].end
    return behind + 1 if text.shadow[behind : behind + 1] == b")" else behind


def _joined(text: NormalizedText, mark: Landmark) -> tuple[int, int] | None:
    """Day, month and year without anything between; without the year only in capitals: 14DEC."""
    if mark.end - mark.start != _ABBREVIATED:
        return None
    day = _DAY_JOINED.search(text.shadow, max(0, mark.start - 3), mark.start)
    year = _YEAR_JOINED.match(text.shadow, mark.end)
    if day is None or year is None or not (year.group() or text.text[mark.start : mark.end].isupper()):
        return None
    return day.start(), _clock_end(text.shadow, year.end())


def _may_stand_without_year(text: NormalizedText, mark: Landmark) -> bool:
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


RECOGNIZERS: tuple[Recognizer, ...] = (Rule("verbal_dates", frozenset({EntityType.DATE_TIME}), _verbal),)
