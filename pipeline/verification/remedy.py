"""For the second round in pictures: where the second reading saw what the first had read otherwise, ink is burned.

OCR reads the same ink differently beside a fresh black box. What only the second reading shows stands in no text of the
first, so no finding can point at it; its box can.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from pipeline.documents.document import BY_HUE, Raster, Reading
from pipeline.verification import normal_forms
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
    exactly one raster of it, not counting what shows the same by hue or lies under drawings; else rasters of one size
    are, those that say the same. Where several may be meant, all are burned. Other leftovers are findings' business.
    """
    # Where a placeholder stood in the middle, a gap is left: what stands on its two sides is looked for apart.
    parts = (part for leftover in left for part in _GAP.split(leftover.surface))
    surfaces = {normal_forms.letters(part) for part in parts} - {""}
    readings, second_readings = tuple(readings), tuple(second_readings)
    partners = _partners(rasters, second, {reading.raster: reading for reading in (*readings, *second_readings)})
    raster_of = {raster.id: raster for raster in second}
    more: dict[str, list[Box]] = {}
    for reading in second_readings:
        firsts = partners.get(reading.raster, ())
        for first, box in product(firsts, _boxes(reading, surfaces) if firsts else ()):
            more.setdefault(first.id, []).append(_scaled(box, raster_of[reading.raster], first))
    return tuple(replace(item, unread=(*item.unread, *more.get(item.raster, ()))) for item in readings)


def _partners(
    rasters: Sequence[Raster], second: Sequence[Raster], reading_of: Mapping[str, Reading]
) -> dict[str, tuple[Raster, ...]]:
    """For the id of each raster of the second reading, those of the extraction that may show the same."""
    seconds = [raster for raster in second if UNDER not in raster.id]
    by_page = _alone(rasters, seconds)
    found: dict[str, tuple[Raster, ...]] = {
        raster.id: (by_page[raster.page],) for raster in seconds if raster.page in by_page
    }
    bases = {raster.id: raster for raster in seconds if _plain(raster) == raster.id and raster.id not in found}
    alike: dict[str, tuple[Raster, ...]] = {}
    for size in dict.fromkeys(map(_size, bases.values())):
        own = [raster for raster in rasters if _size(raster) == size and _plain(raster) == raster.id]
        alike.update(_matched([raster for raster in bases.values() if _size(raster) == size], own, reading_of))
    found.update((raster.id, alike[_plain(raster)]) for raster in seconds if _plain(raster) in alike)
    pairs = (
        (raster, tuple(first for first in found.get(raster.id, ()) if _same_shape(raster, first))) for raster in seconds
    )
    return {raster.id: firsts for raster, firsts in pairs if firsts}


def _alone(rasters: Sequence[Raster], second: Sequence[Raster]) -> dict[int, Raster]:
    """The extraction's raster of each page that has but one on both sides, their hues not counted."""
    firsts, seconds = (
        Counter(page for page, _ in {(raster.page, _plain(raster)) for raster in side}) for side in (rasters, second)
    )
    return {raster.page: raster for raster in rasters if firsts[raster.page] == seconds[raster.page] == 1}


def _matched(
    seconds: Sequence[Raster], firsts: Sequence[Raster], reading_of: Mapping[str, Reading]
) -> Iterator[tuple[str, tuple[Raster, ...]]]:
    """Partners among rasters of one size: the most alike first; what is certain is nobody else's partner."""
    words = {raster.id: _words(reading_of.get(raster.id)) for raster in (*seconds, *firsts)}
    free, open_ = list(firsts), list(seconds)
    while open_ and free:
        alike = {(one.id, other.id): (words[one.id] & words[other.id]).total() for one in open_ for other in free}
        best = max(open_, key=lambda one: max(alike[one.id, other.id] for other in free))
        most = max(alike[best.id, other.id] for other in free)
        partners = tuple(other for other in free if alike[best.id, other.id] == most)
        open_.remove(best)
        if len(partners) == 1 and len(free) > len(open_):
            free.remove(partners[0])
        yield best.id, partners


def _words(reading: Reading | None) -> Counter[str]:
    said = (reading.text[word.start : word.end] for word in reading.words) if reading else ()
    return Counter(normal_forms.letters(word) for word in said)


def _size(raster: Raster) -> tuple[int, int, int]:
    return raster.page, raster.width, raster.height


def _plain(raster: Raster) -> str:
    return raster.id.partition(BY_HUE)[0]


def _same_shape(one: Raster, other: Raster) -> bool:
    return abs(one.width * other.height / (one.height * other.width) - 1) < _ALIKE


def _boxes(reading: Reading, surfaces: Iterable[str]) -> Iterator[Box]:
    """The boxes of all words that a surface, spaces and separators aside, touches."""
    said = [normal_forms.letters(reading.text[word.start : word.end]) for word in reading.words]
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
