"""What is left of the personal data of a document in its output, as a detector and the verdict see it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pipeline.detect.detector import Detector
from pipeline.detect.text.equivalence import canonical
from pipeline.documents.document import Findings, FoundValue, Reading
from pipeline.entities.values import is_distinctive
from pipeline.verification.reading import Leftover, SecondReading
from pipeline.verification.verdict import leftovers
from schemas.entities import EntityType
from schemas.spans import DetectOptions

_WORD = re.compile(r"\S*\w\S*")
_MAX_PASSES = 3  # how often the texts are judged again with the leftovers removed


def all_leftovers(
    second: SecondReading,
    readings: Sequence[Reading],
    findings: Findings,
    detector: Detector,
    options: DetectOptions,
) -> tuple[Leftover, ...]:
    """The leftovers, and those that appear once these are removed: a last name remains when its first name goes.

    New leftovers become found values for the next pass, so their parts and other spellings are searched as well.
    """
    remaining = leftovers(second, readings, findings, detector, options)
    known, new_ones = {(item.type, item.surface): item for item in remaining}, remaining
    for _ in range(_MAX_PASSES):
        if not new_ones:
            break
        second, readings = _with_removed(second, readings, new_ones)
        findings = replace(findings, values=(*findings.values, *(_value(item) for item in new_ones if item.sure)))
        following = leftovers(second, readings, findings, detector, options)
        new_ones = tuple(item for item in following if (item.type, item.surface) not in known)
        known.update(((item.type, item.surface), item) for item in new_ones)
    return tuple(known.values())


def _value(leftover: Leftover) -> FoundValue:
    """The leftover as a found value."""
    type_, surface = EntityType(leftover.type), leftover.surface
    return FoundValue(leftover.type, surface, canonical(type_, surface), "", is_distinctive(type_, surface))


def _with_removed(
    second: SecondReading, readings: Sequence[Reading], remaining: Sequence[Leftover]
) -> tuple[SecondReading, Sequence[Reading]]:
    """The second reading without the words of the leftovers; adjacent punctuation stays.

    In OCR readings spaces replace the letters, so that the offsets of words stay valid.
    """
    surfaces = sorted({item.surface for item in remaining}, key=len, reverse=True)
    pattern = re.compile("|".join(r"\s+".join(map(re.escape, surface.split())) for surface in surfaces))

    def shortened(text: str) -> str:
        return pattern.sub(lambda match: " ".join(_WORD.sub("", match[0]).split()), text)

    def blanked(text: str) -> str:
        return pattern.sub(lambda match: _WORD.sub(lambda word: " " * len(word[0]), match[0]), text)

    texts = tuple(replace(passage, text=shortened(passage.text)) for passage in second.texts)
    return replace(second, texts=texts), [replace(reading, text=blanked(reading.text)) for reading in readings]
