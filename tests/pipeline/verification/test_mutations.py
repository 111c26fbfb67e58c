"""A redactor that forgets one finding: whichever it is, in whichever format, the verifier refuses the output."""

from collections.abc import Iterator
from importlib import import_module

import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.findings import find
from pipeline.ocr import tesseract
from pipeline.verification.reading import Leftover
from pipeline.verification.verdict import leftovers
from schemas.spans import DetectOptions
from tests.pipeline.verification import samples

OPTIONS = DetectOptions()


def read(extraction, pixels) -> tuple[Reading, ...]:
    return tuple(tesseract.read(raster, pixels[raster.id]) for raster in extraction.rasters)


class Journey:
    """One document as a job sees it: what was found in it, and what is left of an output."""

    def __init__(self, format_: str, data: bytes, detector: Detector) -> None:
        module = "image" if format_ == "png" else format_
        self.handler = import_module(f"pipeline.documents.{module}")
        self.verifier = import_module(f"pipeline.verification.{module}")
        self.detector, self.data = detector, data
        extraction, pixels = self.handler.extract(data)
        self.extraction: Extraction = extraction
        self.readings = read(extraction, pixels)
        self.findings = find(extraction, self.readings, detector, OPTIONS)

    def left(self, redacted_with: Findings) -> tuple[Leftover, ...]:
        output = self.handler.redact(self.data, redacted_with, self.readings)
        second, pixels = self.verifier.read(output)
        return leftovers(second, read(second, pixels), self.findings, self.detector, OPTIONS)

    def forgetful(self) -> Iterator[tuple[str, Findings]]:
        """The findings without one of them, for each of them."""
        texts = {unit.id: unit.text for unit in self.extraction.units}
        texts.update((reading.raster, reading.text) for reading in self.readings)
        for number, place in enumerate(self.findings.places):
            places = self.findings.places[:number] + self.findings.places[number + 1 :]
            forgotten = f"{place.type} {texts[place.unit][place.start : place.end]!r} in {place.unit}"
            yield forgotten, Findings(places, self.findings.values)


FAST = {"csv": samples.csv, "docx": samples.docx, "pdf": samples.pdf}
SLOW = {"png": samples.png, "scan": samples.scan}
FORMATS = [*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@pytest.fixture(scope="module")
def journeys(detector: Detector) -> dict[str, Journey]:
    return {}


@pytest.fixture
def journey(request: pytest.FixtureRequest, journeys: dict[str, Journey], detector: Detector) -> Journey:
    name = request.param
    if name not in journeys:
        journeys[name] = Journey("pdf" if name == "scan" else name, (FAST | SLOW)[name](), detector)
    return journeys[name]


@pytest.mark.parametrize("journey", FORMATS, indirect=True)
def test_the_honest_output_passes(journey: Journey):
    assert len(journey.findings.places) >= 6
    assert journey.left(journey.findings) == ()


@pytest.mark.parametrize("journey", FORMATS, indirect=True)
def test_every_forgotten_finding_is_refused(journey: Journey):
    unnoticed = [forgotten for forgotten, findings in journey.forgetful() if not journey.left(findings)]
    assert unnoticed == []


@pytest.mark.parametrize("journey", FORMATS, indirect=True)
def test_an_output_that_is_the_input_is_refused(journey: Journey):
    second, pixels = journey.verifier.read(journey.data)
    left = leftovers(second, read(second, pixels), journey.findings, journey.detector, OPTIONS)
    assert {value.type for value in journey.findings.values} <= {item.type for item in left}
