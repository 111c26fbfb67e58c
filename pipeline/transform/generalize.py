"""Smart generalization: the value that may replace a date or an address. In any doubt the placeholder is used."""

import re
from collections.abc import Collection
from datetime import date

from pipeline.detect.text.characters import INVISIBLE
from pipeline.transform.birth_cue import Language, birth_cue
from pipeline.transform.dates import read_date
from pipeline.transform.gazetteer import region_or_city
from schemas.entities import EntityType
from schemas.spans import Detection, Span

_AGES = range(1, 120)
_LONGEST = 1000  # characters of a date or an address that is read
# A Hijri mark may follow the span instead of being part of it.
_HIJRI_MARK = re.compile(r"\s{0,3}(?:هـ|ه(?!\w)|هجري|a\.?h\b|h\b|hijri)", re.IGNORECASE)
_DIGIT_ZEROS = (0x0660, 0x06F0, 0xFF10)  # Eastern-Arabic, Persian, fullwidth


class Generalizer:
    """Generalizes the spans of one detection, for the types in `transforms`. Ages are as of `today`.

    Immutable. The time for one span does not depend on the number of spans.
    """

    def __init__(self, detection: Detection, transforms: Collection[EntityType], today: date) -> None:
        self._text = detection.text
        self._transforms = frozenset(transforms)
        self._today = today
        self._dates = tuple(span for span in detection.spans if span.type is EntityType.DATE_TIME)
        self._index = {span.start: index for index, span in enumerate(self._dates)}

    def value(self, span: Span) -> str | None:
        """The value that may replace a span of the detection; None: use the placeholder (fail closed)."""
        surface = self._text[span.start : span.end]
        if span.type not in self._transforms or len(surface) > _LONGEST:
            return None
        shown = self._date(span, surface) if span.type is EntityType.DATE_TIME else region_or_city(surface)
        # Invisible characters are never part of a name or a year, and could encode digits.
        return shown and "".join(character for character in shown if character not in INVISIBLE)

    def _date(self, span: Span, surface: str) -> str | None:
        read = read_date(surface)
        if read is None or _HIJRI_MARK.match(self._text, span.end):
            return None
        language = birth_cue(self._text, self._dates, self._index[span.start])
        if language is None:
            return read.shown
        age = _age(read.full, self._today) if read.full else 0
        if age not in _AGES:
            return None
        return f"age {age}" if language is Language.ENGLISH else f"العمر {_in_script(age, read.year_digits)} سنة"


def _age(born: date, today: date) -> int:
    """Completed years. In a common year a birthday on 29 February counts from 1 March."""
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def _in_script(number: int, sample: str) -> str:
    """ASCII digits of `number` in the script of the digits of `sample`."""
    zero = next((zero for zero in _DIGIT_ZEROS if zero <= ord(sample[0]) <= zero + 9), ord("0"))
    return "".join(chr(zero + int(digit)) for digit in str(number))
