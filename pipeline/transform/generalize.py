"""Smart generalization: what a date or an address may say in place of a placeholder; None when in any doubt."""

import re
from datetime import date

from pipeline.transform.birth import Language, birth_cue
from pipeline.transform.dates import read_date
from pipeline.transform.gazetteer import place_in
from schemas.entities import EntityType
from schemas.spans import Detection

_AGES = range(1, 120)
# A Hijri mark may stand right behind the span instead of in it.
_HIJRI_MARK = re.compile(r"\s*(?:هـ|ه(?!\w)|هجري|a\.?h\b|h\b|hijri)", re.IGNORECASE)
_DIGIT_ZEROS = (0x0660, 0x06F0, 0xFF10)  # Eastern-Arabic, Persian, fullwidth


def generalize(detection: Detection, index: int, today: date) -> str | None:
    """The generalized value of `detection.spans[index]`, or None: then the placeholder stands (fail closed).

    `today` is the date at which an age is computed.
    """
    span = detection.spans[index]
    surface = detection.text[span.start : span.end]
    if span.type is EntityType.DATE_TIME:
        return _date(detection, index, surface, today)
    if span.type is EntityType.ADDRESS:
        return place_in(surface)
    return None


def _date(detection: Detection, index: int, surface: str, today: date) -> str | None:
    text, span = detection.text, detection.spans[index]
    read = read_date(surface)
    if read is None or _HIJRI_MARK.match(text, span.end):
        return None
    dates = tuple(other for other in detection.spans if other.type is EntityType.DATE_TIME)
    language = birth_cue(text, dates, dates.index(span))
    if language is None:
        return read.shown
    age = _age(read.full, today) if read.full else 0
    if age not in _AGES:
        return None
    return f"age {age}" if language is Language.ENGLISH else f"العمر {_in_script(age, read.year_digits)} سنة"


def _age(born: date, today: date) -> int:
    """Completed years; a birthday on 29 February is reached on 1 March of a common year."""
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def _in_script(number: int, sample: str) -> str:
    """ASCII digits of `number` in the script of the digits of `sample`."""
    zero = next((zero for zero in _DIGIT_ZEROS if zero <= ord(sample[0]) <= zero + 9), ord("0"))
    return "".join(chr(zero + int(digit)) for digit in str(number))
