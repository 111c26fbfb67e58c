"""Numbers in the rasters of an output that may be values or parts of them, whatever detection says about them."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pipeline.documents.document import Raster, Reading
from pipeline.geometry.rows import Rows
from pipeline.geometry.strip import Box
from pipeline.verification.raster_matching import scaled

_MIN_DIGITS = 4  # of a number that may be the rest of another one
_MIN_LONG = 5  # of one that may be a value
_GAP = 2.0  # times its height: how near the rest of a number stands


class _Number(NamedTuple):
    """The digits of a word, and its box in pixels."""

    digits: str
    box: Box


def numbers_in_doubt(
    matches: Mapping[str, Sequence[Raster]],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
) -> dict[str, list[Box]]:
    """The boxes of numbers in the second reading that may be values, by raster of that reading.

    Those beside ink burned unread may be the rest of a number of which the first reading saw a part. Long ones that it
    read otherwise, or not at all, detection may never have seen. Parameters as for `with_leftovers_burned`.
    """
    reading_of = {reading.raster: reading for reading in readings}
    raster_of = {raster.id: raster for raster in second}
    found: dict[str, list[Box]] = {}
    for reading in second_readings:
        target, firsts = raster_of[reading.raster], matches.get(reading.raster, ())
        numbers = [number for number in _numbers(reading) if len(number.digits) >= _MIN_DIGITS]
        unread = [scaled(box, first, target) for first in firsts for box in reading_of[first.id].unread]
        read = [
            _Number(number.digits, scaled(number.box, first, target))
            for first in firsts
            for number in _numbers(reading_of[first.id])
        ]
        doubtful = _are_beside(numbers, unread)
        if firsts:
            doubtful |= _are_read_otherwise(numbers, read)
        if doubtful.any():
            found[reading.raster] = [numbers[place].box for place in np.flatnonzero(doubtful)]
    return found


def _numbers(reading: Reading) -> list[_Number]:
    """The words with digits."""
    words = ((_digits(reading.text[word.start : word.end]), word) for word in reading.words)
    return [_Number(digits, (word.left, word.top, word.width, word.height)) for digits, word in words if digits]


def _digits(text: str) -> str:
    return "".join(str(unicodedata.digit(sign)) for sign in text if sign.isdigit())


def _are_beside(numbers: Sequence[_Number], boxes: Sequence[Box]) -> Any:
    """Whether each number stands beside one of the boxes."""
    rows = Rows(boxes)
    return np.array([len(rows.beside(number.box, _GAP * number.box[3])) > 0 for number in numbers], bool)


def _are_read_otherwise(numbers: Sequence[_Number], read: Sequence[_Number]) -> Any:
    """Whether each long number has digits that none of the read words in its place has.

    Their order does not count: groups of digits in Arabic lines have several.
    """
    rows = Rows([number.box for number in read])

    def is_read(number: _Number) -> bool:
        seen = Counter("".join(read[place].digits for place in rows.beside(number.box, -1)))
        return not Counter(number.digits) - seen

    return np.array([len(number.digits) >= _MIN_LONG and not is_read(number) for number in numbers], bool)
