"""Finds the rasters of the input that show the same image as a raster of the output, and maps boxes between them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.documents.document import VIEW, Raster, Reading
from pipeline.geometry.strip import Box
from pipeline.verification import normal_forms
from pipeline.verification.reading import COVERED

_MAX_RATIO_DIFFERENCE = 0.02  # largest relative difference between the aspect ratios of two rasters of one page


def counterparts(
    rasters: Sequence[Raster], second: Sequence[Raster], readings: Sequence[Reading]
) -> dict[str, tuple[Raster, ...]]:
    """The id of each raster of the second reading, with the rasters of the extraction that may show the same image.

    `rasters` belong to the extraction, `second` to the second reading, `readings` to both. Two rasters match if each is
    the only one of its page, not counting covered images; otherwise if they have the same size and the most words in
    common. If several match equally, all of them do. The views of one image are as one raster.
    """
    reading_of = {reading.raster: reading for reading in readings}
    seconds = [raster for raster in second if COVERED not in raster.id]
    by_page = _only_rasters(rasters, seconds)
    found: dict[str, tuple[Raster, ...]] = {
        raster.id: by_page[raster.page] for raster in seconds if raster.page in by_page
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


def scaled(box: Box, source: Raster, target: Raster) -> Box:
    """A box of `source` in pixels of `target`, two pixels larger on each side and clipped to the raster."""
    x, y = target.width / source.width, target.height / source.height
    x0, y0 = max(0, int(box[0] * x) - 2), max(0, int(box[1] * y) - 2)
    right = min(target.width, int((box[0] + box[2]) * x) + 3)
    bottom = min(target.height, int((box[1] + box[3]) * y) + 3)
    return x0, y0, max(1, right - x0), max(1, bottom - y0)


def _only_rasters(rasters: Sequence[Raster], second: Sequence[Raster]) -> dict[int, tuple[Raster, ...]]:
    """The extraction's views of each page that has one image in both readings."""
    firsts, seconds = map(_by_page, (rasters, second))
    return {
        page: tuple(views)
        for page, views in firsts.items()
        if all(len(set(map(_base_id, side.get(page, ())))) == 1 for side in (firsts, seconds))
    }


def _by_page(rasters: Iterable[Raster]) -> dict[int, list[Raster]]:
    found: dict[int, list[Raster]] = {}
    for raster in rasters:
        found.setdefault(raster.page, []).append(raster)
    return found


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
    return raster.id.partition(VIEW)[0]


def _same_shape(one: Raster, other: Raster) -> bool:
    return abs(one.width * other.height / (one.height * other.width) - 1) < _MAX_RATIO_DIFFERENCE
