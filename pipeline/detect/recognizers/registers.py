"""MRN, MEDICAL_LICENSE, INSURANCE_POLICY and STUDENT_ID: the numbers of persons in registers."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import LETTER, shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_END = r"(?![a-z0-9] | [.:/\-]\d | [ ]?%)"

_RECORD = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?:[a-z]{{1,5}} [\-/]?)?                          # KF-0091823, MRN-664120
    (?: \d (?:[\-/]? \d){{3,9}} (?:[ ]\d{{3,4}}){{0,2}}   # 664120, 12-34-56, 0091 823
      | \d\d (?:[ ]\d\d){{2,3}} | \d{{3}} [ ] \d{{3,4}} )   # 12 34 56, 009 1823
    [a-z]? {_END}
""")
_STUDENT = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?:[a-z]{{1,3}} [\-/]?)?                          # S441988210, STU/2023/0012
    (?: \d (?:[\-/]? \d){{4,11}} (?:[ ]\d{{3,4}}){{0,2}}    # 442900178, 35-1-2-2-0555
      | \d{{3,4}} (?:[ ]\d{{3,5}}){{1,2}} )                 # 442 900 178, 4429 00178
    {_END}
""")
# The number in brackets behind the name: Student Reem Alsubaie (444120987).
_NAMED_STUDENT = shadow_pattern(rf"""
    (?: [ ] (?!and[ ]|or[ ]|in[ ]|at[ ]|of[ ]|for[ ]|is[ ]|في[ ]|من[ ]|الي[ ]) [{LETTER}'.\-]{{2,20}} ){{1,5}}
    [ ]?[(\[] [ ]? (?: (?:id|no|رقم) [ .:\#]{{0,3}} )? (?P<number> [a-z]? \d{{7,10}} ) [ ]?[)\]]
""")
_CODE = r"(?!(?:is|was|are|no|nr|num|of|the|now|and|id)[ ])[a-z]{2,5}"
_POLICY = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?= (?:{_CODE}[ ](?=\d{{4}}))? [a-z]{{0,9}} [\-/\#]? [a-z0-9]{{0,9}} [\-/\#]? \d)
    (?:{_CODE}[ ](?=\d{{4}}))?                        # POL 2026 9812
    [a-z0-9]{{1,20}} (?:[\-/\#][a-z0-9]{{1,15}}){{0,5}} (?:[ ]\d{{3,8}}){{0,2}}
    {_END}
""")
_FEWEST_POLICY_DIGITS = 4
_DATE = re.compile(r"(\d{1,4})([/\-])(\d{1,2})\2(\d{2,4})")
_PAIRS = re.compile(r"\d\d-\d\d-\d\d")
_DAYS, _MONTHS = 31, 12

_LICENSE_SHAPES = r"""
    \d\d [ \-/.]? r [ \-/.]? [a-z] [ \-/.]? \d{4,8}    # 14-R-M-008924: year, register, profession, serial
  | scfhs [ \-/]? \d{4,8} (?:[\-/]\d{3,8})?            # SCFHS-1234567, SCFHS-2024-08172
"""
_LICENSE_ALONE = shadow_pattern(rf"(?<![a-z0-9]) (?: {_LICENSE_SHAPES} ) (?![a-z0-9])")
_LICENSE = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?: {_LICENSE_SHAPES}
      | \d\d (?: [ \-/]? [a-z] ){{1,2}} [ \-/]? \d{{4,8}}      # 14/R/M/008924, 11-N-0098123
      | [a-z]-[a-z]-\d{{4,8}}
      | (?:[a-z]{{1,5}}-?)? \d (?:[ \-]? \d){{4,9}} )
    {_END} (?!-[a-z])
""")


def _is_record(surface: str) -> bool:
    """Whether it is no date. Archives number their files by pairs of digits, 10-22-45."""
    return not _is_date(surface) or _PAIRS.fullmatch(surface) is not None


def _is_number(surface: str) -> bool:
    return not _is_date(surface)


def _is_date(surface: str) -> bool:
    """Whether three numbers can be a day, a month and a year: not 1-55-2210."""
    match = _DATE.fullmatch(surface)
    if match is None:
        return False
    first, middle, last = int(match[1]), int(match[3]), int(match[4])
    day = first if first <= _DAYS else last
    return 0 < day <= _DAYS and 0 < middle <= _DAYS and min(day, middle) <= _MONTHS


def _is_policy(surface: str) -> bool:
    """Whether it has enough digits and is no date. A word before a blank must be in capitals."""
    head, blank, _ = surface.partition(" ")
    if blank and head.isalpha() and not head.isupper():
        return False
    digits = sum(c.isdigit() for c in surface)
    bare = surface.isdigit()  # a year, a price
    return digits >= _FEWEST_POLICY_DIGITS + bare and not _is_date(surface)


def _named_students(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """The number that stands in brackets behind the name of a student."""
    for index in text.labels.get("student", ()):
        label = text.triggers["labels"][index]
        match = _NAMED_STUDENT.match(text.shadow, label.end) if label.weak else None
        if match:
            yield span(*match.span("number"), EntityType.STUDENT_ID, 0.7, "student_named")


def _license(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """The two shapes of the Saudi Commission for Health Specialties (SCFHS), which need no label."""
    for start in _license_starts(text):
        match = _LICENSE_ALONE.match(text.shadow, start)
        if match:
            yield span(match.start(), match.end(), EntityType.MEDICAL_LICENSE, 0.9, "license")


def _license_starts(text: NormalizedText) -> Iterator[int]:
    """The offsets where one of these shapes can begin: at `SCFHS`, or at two digits before an R."""
    yield from (
        trigger.start
        for trigger in text.triggers["labels"]
        if trigger.section == "license" and text.shadow[trigger.start] == ord("s")
    )
    for start in text.numbers.plain.get(2, ()):
        if text.shadow[start + 2 : start + 4].lstrip(b" -/.")[:1] == b"r":
            yield start


RECOGNIZERS: tuple[Recognizer, ...] = (
    Labelled("mrn", EntityType.MRN, "mrn", _RECORD, 0.85, _is_record),
    Rule("student_named", frozenset({EntityType.STUDENT_ID}), _named_students),
    Labelled("student", EntityType.STUDENT_ID, "student", _STUDENT, 0.85, _is_number),
    Labelled("policy", EntityType.INSURANCE_POLICY, "policy", _POLICY, 0.85, _is_policy),
    Rule("license", frozenset({EntityType.MEDICAL_LICENSE}), _license),
    Labelled("license_labelled", EntityType.MEDICAL_LICENSE, "license", _LICENSE, 0.85),
)
