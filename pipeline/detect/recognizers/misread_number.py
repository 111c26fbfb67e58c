"""Long numbers and plates behind a label, and e-mail addresses, whatever their form, in texts read from pixels.

There a digit may be read wrongly, two groups as one or the groups in the other order: `ID No. 098 2811387`.
"""

import re
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
    "policy": EntityType.INSURANCE_POLICY,
    "student": EntityType.STUDENT_ID,
    "license": EntityType.MEDICAL_LICENSE,
    "card": EntityType.CREDIT_CARD,
    "plate": EntityType.VEHICLE_PLATE,
}
# Five digits and more in groups with a digit each, all with few letters, for which digits may have been taken.
_GROUP = r"[a-z]{0,2} \d [a-z0-9]{0,23}"
_NUMBER = shadow_pattern(rf"""
    (?<![a-z0-9\x80-\xaf]) (?<! \d [.,:/\-])
    (?= [a-z]{{0,2}} (?: \d [a-z \-.]{{0,2}} ){{5}} )
    {_GROUP} (?: [ \-.]{{1,2}} {_GROUP} ){{0,23}}
    (?! [a-z0-9\x80-\xaf] | [.,:/\-]\d | [ ]?% )
""")
_AMOUNT = re.compile(rb"\d{1,7}\.\d{2}")
# Up to four digits beside up to three groups of letters, of which there may be too many: ٥٨٥٢ عباص, 1234 TS K L. Digits
# alone, where the letters were read as something else.
_LETTERS = r"[a-z\x80-\xaf]{1,5} (?: [ \-/]{1,3} [a-z\x80-\xaf]{1,2} ){0,2}"
_PLATE = shadow_pattern(rf"""
    (?<![a-z0-9\x80-\xaf]) (?<! \d [.,:/\-])
    (?: \d{{1,4}} [ \-/|]{{0,3}} {_LETTERS} | {_LETTERS} [ \-/|]{{0,3}} \d{{1,4}} | \d{{3,4}} )
    (?![a-z0-9\x80-\xaf] | [.,:/\-]\d)
""")
_MAIL = shadow_pattern(r"(?<![a-z0-9._@\-]) [a-z0-9][a-z0-9._%+\-]{1,63} @ [a-z0-9][a-z0-9.\-]{2,252}")
# An address directly behind its label, with a gap where a point or an underscore was not read.
_SPLIT_MAIL = shadow_pattern(r"""
    (?<![a-z\x80-\xaf]) (?: e-?mail (?:[ ]address)? | (?:ال)?بريد (?:[ ](?:ال)?الكتروني)? ) [ ]? [:.\t]? [ ]?
    (?P<address> [a-z0-9._%+\-]{2,24} [ ] [a-z0-9._%+\-]{1,63}@[a-z0-9][a-z0-9.\-]{2,252} )
""")
# A file of a patient: `Patient Reem Example (File 0033523)`. In print alone, where a word of the label may be missing.
_FILE = shadow_pattern(
    r"(?<![a-z0-9\x80-\xaf]) (?:file|ملف) [ ]? [#:]? [ ]? (?P<number>\d{6,8}) (?![a-z0-9\x80-\xaf]|[.,:/\-]\d)"
)
_LAST = min(RANK.values()) - 1  # every other reading of the same digits outranks it
_SCORE = 0.3
_SURE = 1.0  # above the part of an address that stands behind a gap


def _misread(text: NormalizedText, options: DetectOptions) -> Iterator[Span]:
    """Numbers of at least five digits and plates that a label applies to; words around an at sign, without a point."""
    if not options.from_pixels:
        return
    for match in _MAIL.finditer(text.shadow):
        yield span(*match.span(), EntityType.EMAIL_ADDRESS, _SCORE, MISREAD)._replace(rank=_LAST)
    for match in _SPLIT_MAIL.finditer(text.shadow):
        yield span(*match.span("address"), EntityType.EMAIL_ADDRESS, _SURE, MISREAD)
    for match in _FILE.finditer(text.shadow):
        yield span(*match.span("number"), EntityType.MRN, _SCORE, MISREAD)._replace(rank=_LAST)
    for kind, type_ in _TYPES.items():
        form = _PLATE if type_ is EntityType.VEHICLE_PLATE else _NUMBER
        for start, end in values(text, options, kind, form) if has_label(text, options, kind) else ():
            if not _AMOUNT.fullmatch(text.shadow, start, end):
                yield span(start, end, type_, _SCORE, MISREAD)._replace(rank=_LAST)


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule(MISREAD, frozenset({*_TYPES.values(), EntityType.EMAIL_ADDRESS}), _misread),
)
