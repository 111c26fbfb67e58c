"""Writes pages and where text is on them, from which the text detector of the first reading learns.

Usage: python -m scripts.scans.examples FOLDER --texts FILE [--pages N] [--seed N] [--documents FOLDER]

Where text is, the detector of the second reading tells on the undamaged page; runs of text that it overlooks are added
from where they were drawn, and nothing is where leaves, twigs and emblems were. `--documents`: scans and pictures are
used as well, those that benchmarks.scans.real with steps of 3 does not look at. Pages are written as PNG, reduced as
the detector sees them; maps as PNG of half the size.
"""

import argparse
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from pipeline.networks.pretrained_detector import text_map
from pipeline.networks.text_map import reduced
from scripts.scans import texts
from scripts.scans.sheets import Polygon, sheet

_OVERLOOKED = 0.3  # probability that no pixel of a run has
_CORE = 0.4  # of the height of a run: what counts as its core


def write_page(number: int, folder: Path, sentences: Path, seed: int) -> None:
    """Draw the page of this number."""
    drawn = sheet(random.Random(f"{seed} {number}"), texts.read(sentences))
    page = reduced(drawn.image)
    scale = page.shape[1] / drawn.image.shape[1], page.shape[0] / drawn.image.shape[0]
    found = text_map(page).probabilities
    for box in drawn.without_text:
        left, top, right, bottom = (int(side * scale[place % 2]) for place, side in enumerate(box))
        found[top:bottom, left:right] = 0
    for run in drawn.runs:
        _add_overlooked(found, run * scale)
    _write(folder / f"drawn-{seed}-{number:05d}", page, found)


def write_document(number: int, pixels: bytes, folder: Path) -> None:
    """Use a raster of a document."""
    image = cv2.imdecode(np.frombuffer(pixels, np.uint8), cv2.IMREAD_GRAYSCALE)
    if image is not None and min(image.shape) >= 200:
        page = reduced(image)
        _write(folder / f"real-{number:05d}", page, text_map(page).probabilities)


def _add_overlooked(found: Any, run: Polygon) -> None:
    inside = np.zeros(found.shape, np.uint8)
    cv2.fillPoly(inside, [np.rint(run).astype(np.int32)], 1)
    if inside.any() and found[inside > 0].max() < _OVERLOOKED:
        left, right = (run[0] + run[3]) / 2, (run[1] + run[2]) / 2
        half = (run[3] - run[0]) * _CORE / 2
        core = np.array([left - half, right - half, right + half, left + half])
        cv2.fillPoly(found, [np.rint(core).astype(np.int32)], 1.0)


def _write(stem: Path, page: Any, found: Any) -> None:
    size = page.shape[1] // 2, page.shape[0] // 2
    small = cv2.resize(found, size, interpolation=cv2.INTER_AREA)
    cv2.imwrite(f"{stem}.page.png", page)
    cv2.imwrite(f"{stem}.map.png", np.rint(small * 255).astype(np.uint8))


def _documents(folder: Path) -> Iterator[bytes]:
    from benchmarks.scans.job import Jobs
    from benchmarks.scans.real import scans

    held_back = {scan.name for scan in scans(Jobs(), folder, 3)}
    for scan in scans(Jobs(), folder, 1):
        if scan.name not in held_back:
            yield from scan.pixels.values()


def main() -> None:
    """Write all pages, on all processors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path, required=True, help="sentences (scripts.scans.texts)")
    parser.add_argument("--pages", type=int, default=700)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--documents", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as processes:
        draw = partial(write_page, folder=options.folder, sentences=options.texts, seed=options.seed)
        list(processes.map(draw, range(options.pages), chunksize=4))
        if options.documents is not None:
            rasters = list(_documents(options.documents))
            list(processes.map(partial(write_document, folder=options.folder), range(len(rasters)), rasters))


if __name__ == "__main__":
    main()
