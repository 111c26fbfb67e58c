"""The stages of a file job one by one, measured, for the benchmarks of documents."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

from pipeline import stages
from pipeline.detect.detector import ACCURATE, Detector
from pipeline.documents.document import Findings
from pipeline.entities import findings as document_findings
from pipeline.sandbox.parent import Sandbox
from pipeline.verification import verdict
from schemas.files import Format
from schemas.spans import DetectOptions

C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
SECONDS = 600
LENIENT = DetectOptions(strict_checksums=False)


class Gauge(Protocol[C_co]):
    """Measures a call: its answer, and what it cost."""

    def __call__(self, call: Callable[[], Any]) -> tuple[Any, C_co]: ...


class Staged(NamedTuple):
    """What was found in a document, and the pixels of its rasters."""

    found: Findings
    pixels: list[bytes]


def run_stages(
    form: Format, data: bytes, pages: int, gauge: Gauge[C], *, inside: Gauge[C] | None = None
) -> tuple[dict[str, C], Staged]:
    """What each stage cost. `inside` measures the stages that run in this process, when they need another gauge.

    Detection is that of a file job. SystemExit when a value is left in the output. In pictures, what only the second
    reading takes for one sends a job into another round, which is not measured here.
    """
    sandbox, detector, costs = Sandbox("best-effort"), Detector(names=ACCURATE), {}
    _, costs["sniff"] = gauge(lambda: stages.count_pages(sandbox, form, data, pages, SECONDS))
    (extraction, blobs), costs["extract"] = gauge(lambda: stages.extract(sandbox, form, data, SECONDS))
    readings, costs["ocr"] = gauge(
        lambda: [stages.read_raster(sandbox, raster, blobs[raster.id], SECONDS) for raster in extraction.rasters]
    )
    found, costs["detect"] = (inside or gauge)(lambda: document_findings.find(extraction, readings, detector, LENIENT))
    output, costs["redact"] = gauge(lambda: stages.redact(sandbox, form, data, found, readings, SECONDS))

    def verify() -> None:
        second, images = stages.second_reading(sandbox, form, output, SECONDS)
        again = [
            stages.read_raster(sandbox, raster, images[raster.id], SECONDS, again=True) for raster in second.rasters
        ]
        leftovers = verdict.leftovers(second, again, found, detector.by_rules, LENIENT)
        left = [one for one in leftovers if one.known or not second.rasters]
        if left:
            raise SystemExit(f"{form}: the benchmark's document did not come out clean: {len(left)} left")

    _, costs["verify"] = gauge(verify)
    return costs, Staged(found, list(blobs.values()))
