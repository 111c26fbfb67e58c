"""A redactor that skips one finding or one part: its output is refused, for every finding and every format."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator

import pymupdf
import pytest

from pipeline.detect.detector import Detector
from pipeline.documents.document import Extraction, Finding, Findings, Reading
from pipeline.entities.findings import find
from pipeline.ocr import recognition
from pipeline.sandbox import child
from pipeline.verification.reading import Leftover, SecondReading
from pipeline.verification.verdict import leftovers
from schemas.errors import StageFailed
from schemas.spans import DetectOptions
from tests.conftest import every
from tests.hiding_places.proof import inspection
from tests.pipeline.verification import samples
from tests.pipeline.verification.again import read_again

OPTIONS = DetectOptions(strict_checksums=False)


def read(extraction, pixels) -> tuple[Reading, ...]:
    return tuple(recognition.read(raster, pixels[raster.id]) for raster in extraction.rasters)


class Journey:
    """One document with its findings, and the leftovers of an output."""

    def __init__(self, format_: str, data: bytes, detector: Detector) -> None:
        self.handler, self.verifier = child.handler_of(format_), child.reader_of(format_)
        self.detector, self.data = detector, data
        extraction, pixels = self.handler.extract(data)
        self.extraction: Extraction = extraction
        self.readings = read(extraction, pixels)
        self._texts = {unit.id: unit.text for unit in extraction.units}
        self._texts.update((reading.raster, reading.text) for reading in self.readings)
        self.findings = find(extraction, self.readings, detector, OPTIONS)
        self.honest: bytes = self.handler.redact(data, self.findings, self.readings)
        self.proof: SecondReading = self.verifier.read(self.honest)[0]

    def left(self, output: bytes) -> tuple[Leftover, ...]:
        second, pixels = self.verifier.read(output)
        readings = [read_again(raster, pixels[raster.id]) for raster in second.rasters]
        return leftovers(second, readings, self.findings, self.detector, OPTIONS)

    def refuses(self, output: bytes) -> bool:
        try:
            return bool(self.left(output))
        except StageFailed as failure:
            return failure.code == "verify_failed"

    def forgetful(self) -> Iterator[tuple[str, str, bytes]]:
        """For each finding: its name, its surface, and the output of a redactor that skips it."""
        for number, place in enumerate(self.findings.places):
            surface = self._texts[place.unit][place.start : place.end]
            kept = self.findings.places[:number] + self.findings.places[number + 1 :]
            yield f"{place.type} {surface!r} in {place.unit}", surface, self._redacted(kept)

    def ignorant(self) -> Iterator[tuple[str, str, bytes]]:
        """The same for each value, skipped in all its places."""
        for value in self.findings.values:
            kept = tuple(place for place in self.findings.places if place.placeholder != value.placeholder)
            yield f"{value.type} {value.surface!r}", value.surface, self._redacted(kept)

    def _redacted(self, places: tuple[Finding, ...]) -> bytes:
        output: bytes = self.handler.redact(self.data, Findings(places, self.findings.values), self.readings)
        return output

    def is_gone(self, output: bytes, surface: str) -> bool:
        """Whether another layer of the redactor removed the skipped place."""
        new = _words(self.verifier.read(output)[0]) - _words(self.proof) - {"author"}
        return not new and (len(inspection.plain(surface)) < 4 or not inspection.traces(output, surface))


def _words(second: SecondReading) -> set[str]:
    """The visible words without placeholders."""
    return inspection.tokens(" ".join(re.sub(r"[A-Z_]+_\d{2,}", " ", passage.text) for passage in second.texts))


FAST: dict[str, Callable[[], bytes]] = {
    "csv": samples.csv,
    "csv utf-16": samples.csv_in("utf-16", ";"),
    "csv cp1256": samples.csv_in("cp1256", "\t"),
    "docx": samples.docx,
    "xlsx": samples.xlsx,
    "pptx": samples.pptx,
    "pdf": samples.pdf,
    "pdf turned": samples.turned_pdf,
}
SLOW: dict[str, Callable[[], bytes]] = {
    "png": samples.png,
    "jpeg": lambda: samples.picture("JPEG"),
    "tiff": lambda: samples.picture("TIFF"),
    "pdf scan": samples.scan,
}
FORMATS = [*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
# The pictures of one page are read alike, whatever their file: one stands for all.
FORGETFUL = [*every(3, FAST), *(pytest.param(name, marks=pytest.mark.slow) for name in ("png", "pdf scan"))]
PACKAGES = ["docx", "xlsx", "pptx"]


@pytest.fixture(scope="module")
def journeys(detector: Detector) -> dict[str, Journey]:
    return {}


@pytest.fixture
def journey(request: pytest.FixtureRequest, journeys: dict[str, Journey], detector: Detector) -> Journey:
    name = request.param
    if name not in journeys:
        journeys[name] = Journey(name.split()[0], (FAST | SLOW)[name](), detector)
    return journeys[name]


@pytest.mark.parametrize("journey", FORMATS, indirect=True)
def test_the_honest_output_passes(journey: Journey):
    assert len(journey.findings.places) >= 6
    assert journey.left(journey.honest) == ()


@pytest.mark.parametrize("journey", FORGETFUL, indirect=True)
def test_every_forgotten_finding_is_refused(journey: Journey):
    passed = [mutant for mutant in journey.forgetful() if not journey.refuses(mutant[2])]
    assert [what for what, surface, output in passed if not journey.is_gone(output, surface)] == []


@pytest.mark.parametrize("journey", FORGETFUL, indirect=True)
def test_every_forgotten_value_is_refused(journey: Journey):
    passed = [mutant for mutant in journey.ignorant() if not journey.refuses(mutant[2])]
    assert len(passed) <= len(journey.findings.values) // 3  # writers' names go whatever is found
    assert [what for what, surface, output in passed if not journey.is_gone(output, surface)] == []


@pytest.mark.parametrize("journey", FORMATS, indirect=True)
def test_an_output_that_is_the_input_is_refused(journey: Journey):
    try:
        left = journey.left(journey.data)
    except StageFailed as failure:
        assert failure.code == "verify_failed"  # it holds something that nobody here reads
        return
    assert {value.type for value in journey.findings.values} <= {item.type for item in left}


@pytest.mark.parametrize("journey", PACKAGES, indirect=True)
def test_every_forgotten_part_is_refused(journey: Journey):
    """A redactor that leaves one part of the package unchanged: the notes, a hidden sheet, the properties."""
    before, after = _parts(journey.data), _parts(journey.honest)
    surfaces = [value.surface for value in journey.findings.values if len(value.surface) > 7]
    said = {name: content.decode("utf-8", "replace") for name, content in before.items()}
    touched = [name for name, text in said.items() if any(surface in text for surface in surfaces)]
    assert len(touched) >= 3
    passed = [name for name in touched if not journey.refuses(_packed({**after, name: before[name]}))]
    assert passed == []


@pytest.mark.slow
@pytest.mark.parametrize("journey", ["pdf scan"], indirect=True)
def test_black_boxes_over_a_scan_are_refused(journey: Journey):
    """The box drawn over an image hides it from readers only: it can be removed."""
    (raster,), (reading,) = journey.extraction.rasters, journey.readings
    with pymupdf.open("pdf", journey.data) as document:
        page = document[0]
        scale = page.rect.width / raster.width
        for word in reading.words:
            corner = (word.left * scale, word.top * scale)
            page.draw_rect((*corner, corner[0] + word.width * scale, corner[1] + word.height * scale), fill=(0, 0, 0))
        assert journey.refuses(document.tobytes(garbage=1))


def _parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def _packed(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()
