"""Prepares the second redaction round of images: marks the leftovers that only the second OCR pass read, to be burned.

OCR reads the same ink differently next to a new black box. A value that only the second pass read is in no text of the
first pass, so it cannot become a finding. Its box in the raster is burned instead.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from pipeline.documents.document import BY_HUE, Raster, Reading, Word
from pipeline.verification import normal_forms
from pipeline.verification.reading import COVERED, Leftover

Box = tuple[int, int, int, int]
_GAP = re.compile(r"\s{2,}")
_MIN_DIGITS = 4  # of a number that may be the rest of another one
_NUMBER_GAP = 2.0  # times its height: how near the rest of a number stands
_MAX_RATIO_DIFFERENCE = 0.02  # largest relative difference between the aspect ratios of two rasters of one page


def with_leftovers_burned(
    rasters: Sequence[Raster],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
    remaining: Iterable[Leftover],
    unread: Mapping[str, Sequence[Box]] = MappingProxyType({}),
) -> tuple[Reading, ...]:
    """The first `readings`, with the boxes of the leftovers in `second_readings` added to their `unread` boxes.

    `unread`: further boxes to burn, by raster of the second reading. `rasters` belong to the extraction, `second` to
    the second reading. Two rasters match if each is the only one of its page, not counting hue rasters and covered
    images; otherwise if they have the same size and the most words in common. If several match equally, the box is
    added to all of them. Leftovers in no raster are not handled here.
    """
    # A removed placeholder leaves a gap in the surface: the parts on its two sides are searched separately.
    parts = (part for leftover in remaining for part in _GAP.split(leftover.surface))
    surfaces = {normal_forms.letters(part) for part in parts} - {""}
    readings, second_readings = tuple(readings), tuple(second_readings)
    matches = _matches(rasters, second, {reading.raster: reading for reading in (*readings, *second_readings)})
    raster_of = {raster.id: raster for raster in second}
    added: dict[str, list[Box]] = {}
    for reading in second_readings:
        firsts = matches.get(reading.raster, ())
        own = (*_boxes(reading, surfaces), *unread.get(reading.raster, ())) if firsts else ()
        for first, box in product(firsts, own):
            added.setdefault(first.id, []).append(_scaled(box, raster_of[reading.raster], first))
    return tuple(replace(item, unread=(*item.unread, *added.get(item.raster, ()))) for item in readings)


def numbers_at_unread(
    rasters: Sequence[Raster],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
) -> dict[str, list[Box]]:
    """The boxes of numbers in the second reading that stand beside ink burned unread, by raster of that reading.

    They may be the rest of a number of which the first reading saw a part. Parameters as above.
    """
    readings, second_readings = tuple(readings), tuple(second_readings)
    matches = _matches(rasters, second, {reading.raster: reading for reading in (*readings, *second_readings)})
    unread = {reading.raster: reading.unread for reading in readings}
    raster_of = {raster.id: raster for raster in second}
    found: dict[str, list[Box]] = {}
    for reading in second_readings:
        target = raster_of[reading.raster]
        boxes = [
            _scaled(box, first, target) for first in matches.get(reading.raster, ()) for box in unread.get(first.id, ())
        ]
        beside = [
            (word.left, word.top, word.width, word.height)
            for word in reading.words
            if sum(map(str.isdigit, reading.text[word.start : word.end])) >= _MIN_DIGITS
            if any(_is_beside(word, box) for box in boxes)
        ]
        if beside:
            found[reading.raster] = beside
    return found


def _is_beside(word: Word, box: Box) -> bool:
    left, top, width, height = box
    gap = max(word.left - left - width, left - word.left - word.width)
    shared = min(word.top + word.height, top + height) - max(word.top, top)
    return gap <= _NUMBER_GAP * word.height and 2 * shared >= min(word.height, height)


def _matches(
    rasters: Sequence[Raster], second: Sequence[Raster], reading_of: Mapping[str, Reading]
) -> dict[str, tuple[Raster, ...]]:
    """The id of each raster of the second reading, with the rasters of the extraction that may show the same image."""
    seconds = [raster for raster in second if COVERED not in raster.id]
    by_page = _only_rasters(rasters, seconds)
    found: dict[str, tuple[Raster, ...]] = {
        raster.id: (by_page[raster.page],) for raster in seconds if raster.page in by_page
    }
    base_rasters = {raster.id: raster for raster in seconds if _base_id(raster) == raster.id and raster.id not in found}
    common: dict[str, tuple[Raster, ...]] = {}
    for size in dict.fromkeys(map(_size, base_rasters.values())):
        own = [raster for raster in rasters if _size(raster) == size and _base_id(raster) == raster.id]
        common.update(
            _most_similar([raster for raster in base_rasters.values() if _size(raster) == size], own, reading_of)
        )
    found.update((raster.id, common[_base_id(raster)]) for raster in seconds if _base_id(raster) in common)
    pairs = (
        (raster, tuple(first for first in found.get(raster.id, ()) if _same_shape(raster, first))) for raster in seconds
    )
    return {raster.id: firsts for raster, firsts in pairs if firsts}


def _only_rasters(rasters: Sequence[Raster], second: Sequence[Raster]) -> dict[int, Raster]:
    """The extraction's raster of each page that has one raster in both readings, hue rasters not counted."""
    firsts, seconds = (
        Counter(page for page, _ in {(raster.page, _base_id(raster)) for raster in side}) for side in (rasters, second)
    )
    return {raster.page: raster for raster in rasters if firsts[raster.page] == seconds[raster.page] == 1}


def _most_similar(
    seconds: Sequence[Raster], firsts: Sequence[Raster], reading_of: Mapping[str, Reading]
) -> Iterator[tuple[str, tuple[Raster, ...]]]:
    """Matches among rasters of one size, those with the most common words first; an unambiguous match is used once."""
    words = {raster.id: _words(reading_of.get(raster.id)) for raster in (*seconds, *firsts)}
    candidates, unmatched = list(firsts), list(seconds)
    while unmatched and candidates:
        common = {
            (one.id, other.id): (words[one.id] & words[other.id]).total() for one in unmatched for other in candidates
        }
        best = max(unmatched, key=lambda one: max(common[one.id, other.id] for other in candidates))
        most = max(common[best.id, other.id] for other in candidates)
        matches = tuple(other for other in candidates if common[best.id, other.id] == most)
        unmatched.remove(best)
        if len(matches) == 1 and len(candidates) > len(unmatched):
            candidates.remove(matches[0])
        yield best.id, matches


def _words(reading: Reading | None) -> Counter[str]:
    words_letters = (reading.text[word.start : word.end] for word in reading.words) if reading else ()
    return Counter(normal_forms.letters(word) for word in words_letters)


def _size(raster: Raster) -> tuple[int, int, int]:
    return raster.page, raster.width, raster.height


def _base_id(raster: Raster) -> str:
    return raster.id.partition(BY_HUE)[0]


def _same_shape(one: Raster, other: Raster) -> bool:
    return abs(one.width * other.height / (one.height * other.width) - 1) < _MAX_RATIO_DIFFERENCE


def _boxes(reading: Reading, surfaces: Iterable[str]) -> Iterator[Box]:
    """The boxes of all words that overlap a surface; spaces and separators are ignored."""
    words_letters = [normal_forms.letters(reading.text[word.start : word.end]) for word in reading.words]
    owner = [number for number, word in enumerate(words_letters) for _ in word]
    whole = "".join(words_letters)
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
    """A box of `source` in pixels of `target`, two pixels larger on each side and clipped to the raster."""
    x, y = target.width / source.width, target.height / source.height
    x0, y0 = max(0, int(box[0] * x) - 2), max(0, int(box[1] * y) - 2)
    right = min(target.width, int((box[0] + box[2]) * x) + 3)
    bottom = min(target.height, int((box[1] + box[3]) * y) + 3)
    return x0, y0, max(1, right - x0), max(1, bottom - y0)
