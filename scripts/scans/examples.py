"""Writes pages and where text is on them, from which the text detector of the first reading learns.

Usage: python -m scripts.scans.examples FOLDER --texts FILE [--pages N] [--pictures N] [--seed N] [--documents FOLDER]

Where text is, the detector of the second reading tells on the undamaged page; runs of text that it overlooks are added
from where they were drawn, and nothing is where leaves, twigs and emblems were. `--pictures`: so many drawings and
photographs, some with lines of text printed on them; of what is in them, text is what can be read. `--documents`: scans
and pictures are used as well, those that benchmarks.scans.real with steps of 3 does not look at. Pages are written as
PNG, reduced as the detector sees them; maps as PNG of half the size.
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

from pipeline.documents.image.handler import extract
from pipeline.networks.pretrained_detector import text_map
from pipeline.networks.text_map import TextMap, reduced
from pipeline.ocr.engines.latin_recognizer import is_sure, latin_words
from scripts.scans import pictures, texts
from scripts.scans.sheets import Polygon, Sheet, printed_over, sheet

_OVERLOOKED = 0.3  # probability that no pixel of a run has
_THICK = 0.2  # of the height of a run: a core that was seen
_PRINTED, _HUED = 0.4, 0.2  # shares of pictures: with lines of text printed on them, and of text that only hue shows
_GUILLOCHES = 0.4  # share of pictures that are guilloches
_AROUND, _INK = 9, 20  # pixels around printed text that belong to it; gray levels
_SHOWN = 0.08  # share of the pixels of a run on a picture that its strokes change, at least
_LEAST_LETTERS = 3  # of a word in a picture
# Documents in which nobody sees text; the detector does.
_WITHOUT_TEXT = {
    "158f55", "1effa4", "1f752f", "2289a3", "28f123", "2bd3f3", "598edd", "5d344c", "633c3e", "6c89da", "712ccc",
    "86c68a", "aa5fbd", "b05df7", "b906ef", "d537b5", "d5959c", "d86735", "dd2f64", "de0429",
}  # fmt: skip
_CORE = 0.4  # of the height of a run: what counts as its core


def write_page(number: int, folder: Path, sentences: Path, seed: int) -> None:
    """Draw the page of this number."""
    _write_sheet(folder / f"drawn-{seed}-{number:05d}", sheet(random.Random(f"{seed} {number}"), texts.read(sentences)))


def write_picture(number: int, folder: Path, sentences: Path, seed: int) -> None:
    """Draw the picture of this number as the service sees it: in gray and by its hues."""
    draw = random.Random(f"{seed} picture {number}")
    is_guilloche, name = draw.random() < _GUILLOCHES, f"{seed}-{number:05d}"
    image = pictures.guilloche(draw) if is_guilloche else pictures.page(draw, pictures.folders("train"))
    kind = draw.random()
    if kind < _PRINTED:
        gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        drawn = printed_over(draw, texts.read(sentences), gray)
        _write_printed(folder / f"printed-{name}", drawn.image, gray, drawn.runs)
    elif kind < _PRINTED + _HUED:
        white = np.full(image.shape[:2], 255, np.uint8)
        drawn = printed_over(draw, texts.read(sentences), white)
        state = draw.getstate()
        planes = _planes(pictures.hued(draw, drawn.image, image))
        draw.setstate(state)
        grounds = _planes(pictures.hued(draw, white, image))
        scale = planes[0].shape[1] / image.shape[1]
        for layer, (plane, ground) in enumerate(zip(planes, grounds, strict=True)):
            if layer:
                _write_printed(folder / f"printed-{name}-{layer}", plane, ground, [run * scale for run in drawn.runs])
    else:
        for layer, plane in enumerate(_planes(image)):
            page = reduced(plane)
            _write(folder / f"picture-{name}-{layer}", page, _readable(text_map(page), page))


def write_document(number: int, name: str, pixels: bytes, folder: Path) -> None:
    """Use a raster of a document."""
    image = cv2.imdecode(np.frombuffer(pixels, np.uint8), cv2.IMREAD_GRAYSCALE)
    if image is not None and min(image.shape) >= 200:
        page = reduced(image)
        has_text = Path(name).name.partition("-")[0] not in _WITHOUT_TEXT
        _write(folder / f"real-{number:05d}", page, text_map(page).probabilities * has_text)


def _planes(image: Any) -> list[Any]:
    """A picture in BGR as it is read: in gray, and by its hues (Cr and Cb)."""
    (pixels,) = extract(cv2.imencode(".png", image)[1].tobytes())[1].values()
    shown = cv2.imdecode(np.frombuffer(pixels, np.uint8), cv2.IMREAD_COLOR)
    return list(cv2.split(cv2.cvtColor(shown, cv2.COLOR_BGR2YCrCb)))


def _write_sheet(stem: Path, drawn: Sheet) -> None:
    page = reduced(drawn.image)
    scale = _scale(page, drawn.image)
    found = text_map(page).probabilities
    for box in drawn.without_text:
        left, top, right, bottom = (int(side * scale[place % 2]) for place, side in enumerate(box))
        found[top:bottom, left:right] = 0
    for run in drawn.runs:
        if np.ptp(_inside(page, run * scale)) > _INK:
            _add_overlooked(found, run * scale)
    _write(stem, page, found)


def _write_printed(stem: Path, image: Any, ground: Any, runs: list[Polygon]) -> None:
    """Of a picture, text is what can be read, and what was printed on it, whole where it shows."""
    page = reduced(image)
    scale, seen = _scale(page, image), text_map(page)
    changed = cv2.absdiff(page, reduced(ground)) > _INK
    shown = [run * scale for run in runs if _inside(changed, run * scale).mean() >= _SHOWN]
    printed = np.zeros(page.shape, np.uint8)
    cv2.fillPoly(printed, [np.rint(run).astype(np.int32) for run in shown], 1)
    around = cv2.dilate(printed, np.ones((_AROUND, _AROUND), np.uint8))
    found = np.maximum(_readable(seen, page), seen.probabilities * around)
    for run in shown:
        core, high = np.zeros(found.shape), int(np.linalg.norm(run[3] - run[0]))
        _add_core(core, run)
        left, top, wide, _ = cv2.boundingRect(np.rint(run).astype(np.int32))
        there = slice(max(0, top), top + high), slice(max(0, left), left + wide)
        core[there][:, (found[there] >= _OVERLOOKED).mean(axis=0) >= _THICK] = 0
        np.maximum(found, core * cv2.dilate(changed.astype(np.uint8), np.ones((high, high), np.uint8)), out=found)
    _write(stem, page, found)


def _scale(page: Any, image: Any) -> tuple[float, float]:
    return page.shape[1] / image.shape[1], page.shape[0] / image.shape[0]


def _inside(page: Any, run: Polygon) -> Any:
    left, top, width, height = cv2.boundingRect(np.rint(run).astype(np.int32))
    part = page[max(0, top) : top + height, max(0, left) : left + width]
    return part if part.size else page[:1, :1]


def _readable(found: TextMap, page: Any) -> Any:
    """The probabilities in the lines that can be read: of pictures the detector takes many parts for lines."""
    lines = np.zeros(found.shape, np.uint8)
    for line in found.lines():
        if any(is_sure(word) and len(word.text) >= _LEAST_LETTERS for word in latin_words(line.cut(page))):
            left, top, width, height = line.box(0, line.width, found.shape)
            lines[top : top + height, left : left + width] = 1
    return found.probabilities * lines


def _add_overlooked(found: Any, run: Polygon) -> None:
    inside = np.zeros(found.shape, np.uint8)
    cv2.fillPoly(inside, [np.rint(run).astype(np.int32)], 1)
    if inside.any() and found[inside > 0].max() < _OVERLOOKED:
        _add_core(found, run)


def _add_core(found: Any, run: Polygon) -> None:
    left, right = (run[0] + run[3]) / 2, (run[1] + run[2]) / 2
    half = (run[3] - run[0]) * _CORE / 2
    core = np.array([left - half, right - half, right + half, left + half])
    cv2.fillPoly(found, [np.rint(core).astype(np.int32)], 1.0)


def _write(stem: Path, page: Any, found: Any) -> None:
    size = page.shape[1] // 2, page.shape[0] // 2
    small = cv2.resize(found, size, interpolation=cv2.INTER_AREA)
    cv2.imwrite(f"{stem}.page.png", page)
    cv2.imwrite(f"{stem}.map.png", np.rint(small * 255).astype(np.uint8))


def _documents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The names of documents, and the PNG of each of their rasters."""
    from benchmarks.scans.job import Jobs
    from benchmarks.scans.real import scans

    held_back = {scan.name for scan in scans(Jobs(), folder, 3)}
    for scan in scans(Jobs(), folder, 1):
        if scan.name not in held_back:
            yield from ((scan.name, pixels) for pixels in scan.pixels.values())


def main() -> None:
    """Write all pages, on all processors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path, required=True, help="sentences (scripts.scans.texts)")
    parser.add_argument("--pages", type=int, default=700)
    parser.add_argument("--pictures", type=int, default=0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--documents", type=Path)
    options = parser.parse_args()
    if options.pictures and not pictures.folders("train"):
        parser.error("the pictures are missing: scripts/setup train")
    options.folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as processes:
        for write, count in ((write_page, options.pages), (write_picture, options.pictures)):
            draw = partial(write, folder=options.folder, sentences=options.texts, seed=options.seed)
            list(processes.map(draw, range(count), chunksize=4))
        if options.documents is not None:
            names, rasters = zip(*_documents(options.documents), strict=True)
            list(processes.map(partial(write_document, folder=options.folder), range(len(rasters)), names, rasters))


if __name__ == "__main__":
    main()
