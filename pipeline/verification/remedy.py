"""For the second round in pictures: where the second reading saw what the first had read otherwise, ink is burned.

OCR reads the same ink differently beside a fresh black box. What only the second reading shows stands in no text of the
first, so no finding can point at it; its box can.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pipeline.documents.document import BY_HUE, Raster, Reading
from pipeline.verification import forms
from pipeline.verification.reading import UNDER, Leftover

Box = tuple[int, int, int, int]
_GAP = re.compile(r"\s{2,}")
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
    exactly one raster of it, or one of that size, not counting what shows the same by hue or lies under drawings.
    Leftovers elsewhere are findings' business.
    """
    # Where a placeholder stood in the middle, a gap is left: what stands on its two sides is looked for apart.
    parts = (part for leftover in left for part in _GAP.split(leftover.surface))
    surfaces = {forms.letters(part) for part in parts} - {""}
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
    by_page = _alone(rasters, second, lambda raster: (raster.page,))
    by_size = _alone(rasters, second, lambda raster: (raster.page, raster.width, raster.height))
    pairs = ((raster, by_page.get(raster.id) or by_size.get(raster.id)) for raster in second)
    return {raster.id: first for raster, first in pairs if first is not None and _same_shape(raster, first)}


def _alone(
    rasters: Sequence[Raster], second: Sequence[Raster], key: Callable[[Raster], tuple[int, ...]]
) -> dict[str, Raster]:
    """The partners of those that have their key to themselves on both sides, their hues not counted."""
    firsts, seconds = (
        Counter(name for name, _ in {(key(raster), _plain(raster)) for raster in side if UNDER not in raster.id})
        for side in (rasters, second)
    )
    of_key = {key(raster): raster for raster in rasters if firsts[key(raster)] == seconds[key(raster)] == 1}
    return {raster.id: of_key[key(raster)] for raster in second if UNDER not in raster.id and key(raster) in of_key}


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
