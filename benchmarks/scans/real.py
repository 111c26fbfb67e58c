"""Real scans and pictures of ../shared/data/documents: other ink that is burned, refused jobs, seconds.

    python -m benchmarks.scans.real [--step K]

Nothing says what is personal in them, so ink counts as burned that lies outside the words of all findings. Pictures
smaller than a line of text, documents with a text layer, and further views of an image do not count.
"""

import argparse
import csv
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.pages import DOCUMENTS
from benchmarks.scans import score
from benchmarks.scans.job import Done, Jobs
from benchmarks.scans.measure import grey
from benchmarks.scans.sheet import Polygon
from pipeline import stages
from pipeline.documents.document import VIEW, Extraction, Findings, Reading
from schemas.errors import StageFailed
from schemas.files import Format

_FORMATS = {
    ".png": Format.PNG, ".jpg": Format.JPEG, ".jpeg": Format.JPEG, ".tif": Format.TIFF, ".tiff": Format.TIFF,
    ".pdf": Format.PDF,
}  # fmt: skip
_SECONDS = 120
_MOST_BYTES = 800_000
_MOST_RASTERS = 3
_LEAST_SIDE = 200
_LEAST_LETTERS = 25  # of a document with a text layer


class Scan(NamedTuple):
    """A document without a text layer, what it holds, and its pixels by raster."""

    name: str
    form: Format
    data: bytes
    extraction: Extraction
    pixels: dict[str, bytes]


def scans(jobs: Jobs, folder: Path, step: int) -> Iterator[Scan]:
    """Every `step`-th small document of the folder that is a scan or a picture."""
    with (folder / "manifest.csv").open(encoding="utf-8") as rows:
        names = [row["file"] for row in csv.DictReader(rows) if row["expected"] == "redactable"]
    names = sorted(name for name in names if Path(name).suffix in _FORMATS and _is_small(folder / name))
    for name in names[::step]:
        form, data = _FORMATS[Path(name).suffix], (folder / name).read_bytes()
        try:
            extraction, pixels = stages.extract(jobs.sandbox, form, data, _SECONDS)
        except StageFailed:
            continue
        if _is_scan(extraction):
            yield Scan(name, form, data, extraction, pixels)


def _is_small(path: Path) -> bool:
    return path.exists() and path.stat().st_size <= _MOST_BYTES


def _is_scan(extraction: Extraction) -> bool:
    letters = sum(character.isalpha() for unit in extraction.units if unit.billed for character in unit.text)
    largest = max((min(raster.width, raster.height) for raster in extraction.rasters), default=0)
    is_bounded = len({raster.page for raster in extraction.rasters}) <= _MOST_RASTERS
    return letters < _LEAST_LETTERS and largest >= _LEAST_SIDE and is_bounded


def burned(jobs: Jobs, scan: Scan, done: Done) -> float | None:
    """The share of the ink outside the findings' words that was burned; None where no raster can be compared."""
    readings = stages.read_rasters(jobs.sandbox, jobs.readers, scan.extraction.rasters, scan.pixels, _SECONDS)
    _, after = stages.extract(jobs.sandbox, scan.form, done.output, _SECONDS)
    lost = total = 0
    for raster, data in scan.pixels.items():
        if VIEW in raster or raster not in after:
            continue
        before, now = grey(data), grey(after[raster])
        if before.shape != now.shape:
            continue
        boxes = [box for reading in readings for box in boxes_of(reading, done.findings) if _shows(reading, raster)]
        other = score.ink(before) & ~score.inside(boxes, before.shape)
        total += int(other.sum())
        lost += int((other & score.burned(before, now)).sum())
    return lost / total if total else None


def _shows(reading: Reading, raster: str) -> bool:
    return reading.raster.partition(VIEW)[0] == raster


def boxes_of(reading: Reading, findings: Findings) -> list[Polygon]:
    """The boxes of the words that the findings touch."""
    places = [place for place in findings.places if place.unit == reading.raster]
    return [
        np.array([(word.left, word.top), (right, word.top), (right, bottom), (word.left, bottom)], float)
        for word in reading.words
        for right, bottom in [(word.left + word.width, word.top + word.height)]
        if any(place.start < word.end and word.start < place.end for place in places)
    ]


def main() -> None:
    """Measures the documents and prints a line for each, then the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=6, help="every K-th document")
    step = parser.parse_args().step
    if not DOCUMENTS.exists():
        print(f"Not found: {DOCUMENTS.name}. Real scans are not measured.")
        return
    jobs, errors, seconds = Jobs(), Counter[str](), list[float]()
    shares: list[float] = []
    for scan in scans(jobs, DOCUMENTS, step):
        done = jobs.run(scan.form, scan.data)
        seconds.append(done.whole)
        share = None
        if done.error:
            errors[done.error] += 1
        else:
            share = burned(jobs, scan, done)
        if share is not None:
            shares.append(share)
        shown = done.error or ("not compared" if share is None else f"{share:.1%} burned")
        print(f"{scan.name}: {shown}, {done.whole:.1f} s", file=sys.stderr, flush=True)
    codes = ", ".join(f"{count} {code}" for code, count in sorted(errors.items()))
    print(f"{len(seconds)} scans and pictures; refused {errors.total()}{f': {codes}' if codes else ''}")
    if shares:
        print(f"other ink burned: median {statistics.median(shares):.1%}, mean {statistics.mean(shares):.1%}")
        print(f"seconds per document: median {statistics.median(seconds):.2f}, most {max(seconds):.2f}")


if __name__ == "__main__":
    main()
