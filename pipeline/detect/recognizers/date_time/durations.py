"""Durations: 3 days, 48 hours, ثلاثة أيام, أسبوعين, ساعة ونصف; not ages."""

from collections.abc import Iterator

from pipeline.detect.grammar import number_words
from pipeline.detect.recognizer import Rule, span
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_pattern
from pipeline.detect.text.triggers import IS_LETTER, Trigger
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

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
    for trigger in text.triggers["calendar"]:
        if trigger.section == "dual" and not _is_part_of_word(text.shadow, trigger):
            yield span(trigger.start, _end(text.shadow, trigger), EntityType.DATE_TIME, 0.7, "durations")
        elif trigger.section == "unit":
            start = _start(text.shadow, trigger)
            if start >= 0:
                yield span(start, _end(text.shadow, trigger), EntityType.DATE_TIME, 0.75, "durations")


def _is_part_of_word(shadow: bytes, trigger: Trigger) -> bool:
    """Whether more letters follow: "شهراني" is a family name, not "two months"."""
    return trigger.end < len(shadow) and bool(IS_LETTER[shadow[trigger.end]])


def _end(shadow: bytes, trigger: Trigger) -> int:
    """The end of the unit with its ending ("يوماً") and an extension ("ونصف", "عمل")."""
    end = trigger.end
    while end < len(shadow) and end - trigger.end <= 2 and IS_LETTER[shadow[end]]:
        end += 1
    match = _AFTER.match(shadow, end)
    return match.end() if match else end


def _start(shadow: bytes, trigger: Trigger) -> int:
    """The start of the number before the unit; -1 if there is none or it is an age."""
    if trigger.start and IS_LETTER[shadow[trigger.start - 1]]:
        return -1
    start = _number_before(shadow, trigger.start)
    if start < 0:
        return trigger.start if _ALONE.match(shadow, trigger.end) or _ONE.match(shadow, trigger.end) else -1
    if _AGE_AFTER.match(shadow, trigger.end) or _AGE_BEFORE.search(shadow, max(0, start - 16), start):
        return -1
    return -1 if _WEEKDAY_AFTER.match(shadow, trigger.end) else start


def _number_before(shadow: bytes, end: int) -> int:
    """The start of the number, in digits or words, that ends at `end`; -1 if there is none."""
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


DURATIONS = Rule("durations", frozenset({EntityType.DATE_TIME}), _durations)
