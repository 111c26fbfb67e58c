"""Smart generalization: what a date or an address may say in place of a placeholder; None when in any doubt."""

import re
from collections.abc import Collection
from datetime import date

from pipeline.detect.text.characters import INVISIBLE
from pipeline.transform.birth import Language, birth_cue
from pipeline.transform.dates import read_date
from pipeline.transform.gazetteer import region_or_city
from schemas.entities import EntityType
from schemas.spans import Detection, Span

_AGES = range(1, 120)
_LONGEST = 1000  # characters of a date or an address that is looked into
# A Hijri mark may stand right behind the span instead of in it.
_HIJRI_MARK = re.compile(r"\s{0,3}(?:هـ|ه(?!\w)|هجري|a\.?h\b|h\b|hijri)", re.IGNORECASE)
_DIGIT_ZEROS = (0x0660, 0x06F0, 0xFF10)  # Eastern-Arabic, Persian, fullwidth


class Generalizer:
    """Generalized values of one detection's spans, for the types in `transforms`; ages are as of `today`.

    Immutable. Every answer takes time that depends on the span alone, however many there are.
    """

    def __init__(self, detection: Detection, transforms: Collection[EntityType], today: date) -> None:
        self._text = detection.text
        self._transforms = frozenset(transforms)
        self._today = today
        self._dates = tuple(span for span in detection.spans if span.type is EntityType.DATE_TIME)
        self._index = {span.start: index for index, span in enumerate(self._dates)}

    def value(self, span: Span) -> str | None:
        """What may stand in place of a span of the detection; None: the placeholder stands (fail closed)."""
        surface = self._text[span.start : span.end]
        if span.type not in self._transforms or len(surface) > _LONGEST:
            return None
        shown = self._date(span, surface) if span.type is EntityType.DATE_TIME else region_or_city(surface)
        # Invisible characters are no part of a name or a year, and could spell digits of their own.
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
    """Completed years; a birthday on 29 February is reached on 1 March of a common year."""
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def _in_script(number: int, sample: str) -> str:
    """ASCII digits of `number` in the script of the digits of `sample`."""
    zero = next((zero for zero in _DIGIT_ZEROS if zero <= ord(sample[0]) <= zero + 9), ord("0"))
    return "".join(chr(zero + int(digit)) for digit in str(number))
