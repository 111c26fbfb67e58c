"""For the second round in pictures: where the second reading saw what the first had read otherwise, ink is burned.

OCR reads the same ink differently beside a fresh black box. What only the second reading shows stands in no text of the
first, so no finding can point at it; its box can.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.documents.document import BY_HUE, Raster, Reading
from pipeline.verification import forms
from pipeline.verification.reading import UNDER, Leftover

Box = tuple[int, int, int, int]
_ALIKE = 0.02  # by how much the shapes of two rasters of one page may differ


def burned_too(
    rasters: Sequence[Raster],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
    left: Iterable[Leftover],
) -> tuple[Reading, ...]:
    """The first `readings` with the boxes of every leftover that a second reading shows among their `unread` ones.

    `rasters` and `second` are those of the extraction and of the second reading; a page is matched where each has
    exactly one raster of it, not counting what shows the same page by hue or lies under its drawings. Leftovers
    elsewhere are findings' business.
    """
    surfaces = {forms.letters(leftover.surface) for leftover in left} - {""}
    partner = _partners(rasters, second)
    raster_of = {raster.id: raster for raster in second}
    more: dict[str, list[Box]] = {}
    for reading in second_readings:
        first = partner.get(reading.raster)
        if first is not None:
            boxes = _boxes(reading, surfaces)
            more.setdefault(first.id, []).extend(_scaled(box, raster_of[reading.raster], first) for box in boxes)
    return tuple(replace(item, unread=(*item.unread, *more.get(item.raster, ()))) for item in readings)


def _partners(rasters: Sequence[Raster], second: Sequence[Raster]) -> dict[str, Raster]:
    """For the id of each raster of the second reading, the one of the extraction that shows the same."""
    firsts, seconds = (
        Counter(page for page, _ in {(r.page, _plain(r)) for r in side if UNDER not in r.id})
        for side in (rasters, second)
    )
    of_page = {raster.page: raster for raster in rasters if firsts[raster.page] == seconds[raster.page] == 1}
    pairs = ((raster, of_page.get(raster.page)) for raster in second if UNDER not in raster.id)
    return {raster.id: first for raster, first in pairs if first is not None and _same_shape(raster, first)}


def _plain(raster: Raster) -> str:
    return raster.id.partition(BY_HUE)[0]


def _same_shape(one: Raster, other: Raster) -> bool:
    return abs(one.width * other.height / (one.height * other.width) - 1) < _ALIKE


def _boxes(reading: Reading, surfaces: Iterable[str]) -> Iterator[Box]:
    """The boxes of all words that a surface, spaces and separators aside, touches."""
    said = [forms.letters(reading.text[word.start : word.end]) for word in reading.words]
    owner = [number for number, word in enumerate(said) for _ in word]
    whole = "".join(said)
    touched: set[int] = set()
    for surface in surfaces:
        start = whole.find(surface)
        while start >= 0:
            touched.update(owner[start : start + len(surface)])
            start = whole.find(surface, start + 1)
    for number in sorted(touched):
        word = reading.words[number]
        yield word.left, word.top, word.width, word.height


def _scaled(box: Box, source: Raster, target: Raster) -> Box:
    """A box in pixels of the source as one in pixels of the target, grown by two on each side, inside of it."""
    x, y = target.width / source.width, target.height / source.height
    left, top = max(0, int(box[0] * x) - 2), max(0, int(box[1] * y) - 2)
    right = min(target.width, int((box[0] + box[2]) * x) + 3)
    bottom = min(target.height, int((box[1] + box[3]) * y) + 3)
    return left, top, max(1, right - left), max(1, bottom - top)
