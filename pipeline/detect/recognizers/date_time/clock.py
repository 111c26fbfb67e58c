"""Clock times: 14:30, 9:15 pm, ٨:٣٠ مساءً, 9 ص, الساعة التاسعة والنصف; not ratios, scores or verses."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Rule, span
from pipeline.detect.recognizers.date_time.expressions import CLOCK, DAY_PART, NO_LETTER
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_CLOCK = shadow_pattern(CLOCK)
_RANGE = shadow_pattern(rf"[ ]?(?:-|to|الى|حتى|until)[ ]?{CLOCK}")
_SCALE = shadow_pattern(
    r"(?: ratio | aspect | score | scale | odds | won | lost | surah | verse | psalms? | genesis | john | chapter"
    r"| نسبه | سوره | ايه | الايه | نتيجه | بنتيجه | النتيجه | مقياس | فاز | فوز ) [^\d\n]{0,12} $"
)
_SCALE_REACH = 24
# The number of a case at a court: 2:18-cv-10166.
_DOCKET = re.compile(rb"-[a-z]{2}-\d")
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
    """Times with hours and minutes, and ranges of two such times."""
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
            if _DOCKET.match(shadow, match.end()):
                continue
            second = _RANGE.match(shadow, match.end())
            yield start, second.end() if second else match.end()


def _hours(text: NormalizedText) -> Iterator[tuple[int, int]]:
    """An hour with a part of the day, or after the word "hour" (الساعة)."""
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
    for trigger in text.triggers["calendar"]:
        if trigger.section == "clock":
            match = _AFTER_THE_HOUR.match(shadow, trigger.end)
            if match:
                if text.trace is not None:
                    text.trace.note(match.span(1), "clock", (trigger.start, trigger.end))
                yield match.span(1)


CLOCK_TIMES = Rule("clock", frozenset({EntityType.DATE_TIME}), _clock)
