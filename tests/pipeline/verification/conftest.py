"""Fixtures of the verification tests: the real detector, built once, and the verdict with it."""

from collections.abc import Callable

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Findings, Reading
from pipeline.verification.reading import Leftover, Passage, SecondReading
from pipeline.verification.verdict import leftovers
from schemas.spans import DetectOptions

Judge = Callable[..., tuple[Leftover, ...]]


@pytest.fixture(scope="session")
def detector() -> Detector:
    return Detector()


@pytest.fixture(scope="session")
def judge(detector: Detector) -> Judge:
    """The verdict on a second reading (or on bare texts) against findings."""

    def judged(second: SecondReading | str, findings: Findings = Findings(()), readings: tuple[Reading, ...] = ()):
        if isinstance(second, str):
            second = SecondReading((Passage(second),))
        return leftovers(second, readings, findings, detector, DetectOptions())

    return judged
