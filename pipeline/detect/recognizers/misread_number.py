"""Long numbers behind a label for numbers of persons whose form is no number's, in texts that were read from pixels.

There a digit may be read wrongly, two groups as one or the groups in the other order: `ID No. 098 2811387`.
"""

from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.context import has_label, values
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import RANK, EntityType
from schemas.spans import DetectOptions, Span

MISREAD = "misread_number"
_TYPES = {
    "national_id": EntityType.NATIONAL_ID,
    "residence": EntityType.RESIDENCE_PERMIT,
    "iban": EntityType.IBAN,
    "passport": EntityType.PASSPORT,
    "phone": EntityType.PHONE_NUMBER,
    "mrn": EntityType.MRN,
    "ssn": EntityType.SSN,
}
# Five digits and more in groups with a digit each, all with few letters, for which digits may have been taken.
_GROUP = r"[a-z]{0,2} \d [a-z0-9]{0,23}"
_NUMBER = shadow_pattern(rf"""
    (?<![a-z0-9\x80-\xaf]) (?<! \d [.,:/\-])
    (?= [a-z]{{0,2}} (?: \d [a-z \-.]{{0,2}} ){{5}} )
    {_GROUP} (?: [ \-.]{{1,2}} {_GROUP} ){{0,23}}
    (?! [a-z0-9\x80-\xaf] | [.,:/\-]\d | [ ]?% )
""")
_LAST = min(RANK.values()) - 1  # every other reading of the same digits outranks it
_SCORE = 0.3


def _misread(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """Numbers of at least five digits that one of the labels applies to."""
    if not options.from_pixels:
        return
    for kind, type_ in _TYPES.items():
        for start, end in values(text, options, kind, _NUMBER) if has_label(text, options, kind) else ():
            yield span(start, end, type_, _SCORE, MISREAD)._replace(rank=_LAST)


RECOGNIZERS: tuple[Recognizer, ...] = (Rule(MISREAD, frozenset(_TYPES.values()), _misread),)
