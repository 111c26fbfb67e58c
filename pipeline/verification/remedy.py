"""Prepares the second redaction round of images: marks the leftovers that only the second OCR pass read, to be burned.

OCR reads the same ink differently next to a new black box. A value that only the second pass read is in no text of the
first pass, so it cannot become a finding. Its box in the raster is burned instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from types import MappingProxyType

from pipeline.documents.document import Raster, Reading, Word
from pipeline.geometry.strip import Box
from pipeline.verification import normal_forms
from pipeline.verification.raster_matching import scaled
from pipeline.verification.reading import Leftover

_GAP = re.compile(r"\s{2,}")
_SHORT = 3  # letters of a leftover that is looked for in whole words


def with_leftovers_burned(
    matches: Mapping[str, Sequence[Raster]],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
    remaining: Iterable[Leftover],
    unread: Mapping[str, Sequence[Box]] = MappingProxyType({}),
) -> tuple[Reading, ...]:
    """The first `readings`, with the boxes of the leftovers in `second_readings` added to their `unread` boxes.

    `unread`: further boxes to burn, by raster of the second reading, whose rasters are `second`. `matches`: their
    `counterparts`; if a raster has several, the box is added to all of them. Leftovers in no raster are not handled
    here.
    """
    # A removed placeholder leaves a gap in the surface: the parts on its two sides are searched separately.
    parts = (part for leftover in remaining for part in _GAP.split(leftover.surface))
    surfaces = {normal_forms.letters(part) for part in parts} - {""}
    surfaces |= {surface[::-1] for surface in surfaces if normal_forms.is_arabic(surface)}  # if it was in visual order
    raster_of = {raster.id: raster for raster in second}
    added: dict[str, list[Box]] = {}
    for reading in second_readings:
        firsts = matches.get(reading.raster, ())
        if not firsts:
            continue
        target = raster_of[reading.raster]
        words = (word.boxes((target.height, target.width)) for word in _words(reading, surfaces))
        for first, box in product(firsts, (*chain.from_iterable(words), *unread.get(reading.raster, ()))):
            added.setdefault(first.id, []).append(scaled(box, target, first))
    return tuple(replace(item, unread=(*item.unread, *added.get(item.raster, ()))) for item in readings)


def _words(reading: Reading, surfaces: Iterable[str]) -> Iterator[Word]:
    """All words that overlap a surface; spaces and separators are ignored. A short one is whole words."""
    words_letters = [normal_forms.letters(reading.text[word.start : word.end]) for word in reading.words]
    owner = [number for number, word in enumerate(words_letters) for _ in word]
    whole = "".join(words_letters)
    touched: set[int] = set()
    for surface in surfaces:
        start = whole.find(surface)
        while start >= 0:
            own = owner[start : start + len(surface)]
            if len(surface) > _SHORT or len(own) == sum(len(words_letters[number]) for number in set(own)):
                touched.update(own)
            start = whole.find(surface, start + 1)
    return map(reading.words.__getitem__, sorted(touched))
