"""Detection in documents in the calling process: see `pipeline.document_detection.caged`."""

from collections.abc import Sequence

from pipeline.detect.detector import Detector
from pipeline.document_detection.leftovers import all_leftovers
from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.entities.findings import find, merge
from pipeline.verification.reading import Leftover, SecondReading
from schemas.spans import DetectOptions


class DirectDetector:
    """Detects in the calling thread: for tools that work on one document, and for tests."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector

    def find(self, extraction: Extraction, readings: Sequence[Reading], options: DetectOptions) -> Findings:
        """As the protocol says, without bounds."""
        return find(extraction, readings, self._detector, options)

    def leftovers(
        self, second: SecondReading, readings: Sequence[Reading], findings: Findings, options: DetectOptions
    ) -> tuple[Leftover, ...]:
        """As the protocol says, without bounds."""
        return all_leftovers(second, readings, findings, self._detector.by_rules, options)

    def merge(
        self,
        findings: Findings,
        leftovers: Sequence[Leftover],
        extraction: Extraction,
        readings: Sequence[Reading],
        options: DetectOptions,
    ) -> Findings:
        """As the protocol says, without bounds."""
        return merge(findings, leftovers, extraction, readings, options)

    def warm(self) -> None:
        """Nothing: it was loaded before."""

    def close(self) -> None:
        """Nothing: there are no processes."""
