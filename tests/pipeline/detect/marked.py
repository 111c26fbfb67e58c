"""Test tables are texts with their entities marked in place: `رقم هويتي [[NATIONAL_ID 1012345672]]`."""

import re
from functools import cache

from pipeline.detect.detector import Detector
from schemas.entities import EntityType
from schemas.spans import DetectOptions

_MARK = re.compile(r"\[\[([A-Z_]+) (.+?)\]\]", re.DOTALL)
STRUCTURED = frozenset(EntityType) - {
    EntityType.PERSON,
    EntityType.ADDRESS,
    EntityType.LOCATION,
    EntityType.ORGANIZATION,
}


@cache
def detector() -> Detector:
    """One for all tests, as a process has one."""
    return Detector()


def unmarked(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text as a caller would send it, and its entities as (type, surface), in order."""
    return _MARK.sub(lambda match: match.group(2), text), _MARK.findall(text)


def found(text: str, options: DetectOptions = DetectOptions(enabled=STRUCTURED)) -> list[tuple[str, str]]:
    """What the detector finds in `text`, as (type, surface)."""
    return [(span.type.value, text[span.start : span.end]) for span in detector().detect(text, options).spans]
