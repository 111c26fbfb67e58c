"""MRN, MEDICAL_LICENSE, INSURANCE_POLICY and STUDENT_ID: the numbers of persons in registers."""

import re
from collections.abc import Iterator

from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.recognizers.labelled import Labelled
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_END = r"(?![a-z0-9] | [.:/\-]\d | [ ]?%)"

_RECORD = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?:[a-z]{{1,5}} [\-/]?)?                          # KF-0091823, MRN-664120
    \d (?:[\-/]? \d){{3,9}} (?:[ ]\d{{3,4}}){{0,2}}   # 664120, 12-34-56, 0091 823
    {_END}
""")
_STUDENT = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?:[a-z]{{1,3}} [\-/]?)?                          # S441988210, STU/2023/0012
    (?: \d (?:[\-/]? \d){{4,11}} (?:[ ]\d{{3,4}}){{0,2}}    # 442900178, 35-1-2-2-0555
      | \d{{3,4}} (?:[ ]\d{{3,5}}){{1,2}} )                 # 442 900 178, 4429 00178
    {_END}
""")
_POLICY = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?= (?:[a-z]{{2,5}}[ ](?=\d{{4}}))? [a-z]{{0,9}} [\-/]? [a-z0-9]{{0,9}} [\-/]? \d)
    (?:[a-z]{{2,5}}[ ](?=\d{{4}}))?                   # POL 2026 9812
    [a-z0-9]{{1,20}} (?:[\-/][a-z0-9]{{1,15}}){{0,5}} (?:[ ]\d{{3,8}}){{0,2}}
    {_END}
""")
_FEWEST_POLICY_DIGITS = 4
_DATE = re.compile(r"\d{1,4}([/\-])\d{1,2}\1\d{2,4}")

_LICENSE_SHAPES = r"""
    \d\d [ \-]? r [ \-]? [a-z] [ \-]? \d{4,8}          # 14-R-M-008924: year, register, profession, serial
  | scfhs [ \-]? \d{4,8} (?:-\d{3,8})?                 # SCFHS-1234567, SCFHS-2024-08172
"""
_LICENSE_ALONE = shadow_pattern(rf"(?<![a-z0-9]) (?: {_LICENSE_SHAPES} ) (?![a-z0-9])")
_LICENSE = shadow_pattern(rf"""
    (?<![a-z0-9])
    (?: {_LICENSE_SHAPES}
      | \d\d (?: [ \-/]? [a-z] ){{1,2}} [ \-/]? \d{{4,8}}      # 14/R/M/008924, 11-N-0098123
      | (?:[a-z]{{1,3}}-?)? \d (?:[ \-]? \d){{4,9}} )
    {_END}
""")


def _is_record(surface: str) -> bool:
    return _DATE.fullmatch(surface) is None


def _is_policy(surface: str) -> bool:
    """Whether it has enough digits and is no date. A word before a blank must be in capitals."""
    head, blank, _ = surface.partition(" ")
    if blank and head.isalpha() and not head.isupper():
        return False
    digits = sum(c.isdigit() for c in surface)
    bare = surface.isdigit()  # a year, a price
    return digits >= _FEWEST_POLICY_DIGITS + bare and _DATE.fullmatch(surface) is None


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
        if text.shadow[start + 2 : start + 4].lstrip(b" -")[:1] == b"r":
            yield start


RECOGNIZERS: tuple[Recognizer, ...] = (
    Labelled("mrn", EntityType.MRN, "mrn", _RECORD, 0.85, _is_record),
    Labelled("student", EntityType.STUDENT_ID, "student", _STUDENT, 0.85, _is_record),
    Labelled("policy", EntityType.INSURANCE_POLICY, "policy", _POLICY, 0.85, _is_policy),
    Rule("license", frozenset({EntityType.MEDICAL_LICENSE}), _license),
    Labelled("license_labelled", EntityType.MEDICAL_LICENSE, "license", _LICENSE, 0.85),
)
