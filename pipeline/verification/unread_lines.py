"""Lines of text in an output that a detector sees and that no engine of either reading has read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from pipeline.documents.document import VIEW, Raster, Reading
from pipeline.geometry.rows import Rows
from pipeline.geometry.strip import Box, Strip
from pipeline.verification.raster_matching import scaled

_CONFIDENT = 60.0  # confidence of a word (0..100)
_LONG_NUMBER = 5  # digits
_MIN_LENGTH = 2.5  # times its height: a part of a line that may hold a value
_HIGHEST = 2.5  # times the height of a line: both sides of a higher box around a word of another one
_LEVEL = 1e-9  # part of a unit vector that counts as none


def unread_lines(lines: Iterable[Strip], words: Sequence[Box]) -> Iterator[Strip]:
    """The long parts of lines in which no word lies, given as boxes."""
    read = _Covered(words)
    for line in lines:
        yield from read.long_gaps(line)


def lines_in_doubt(
    matches: Mapping[str, Sequence[Raster]],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
) -> dict[str, list[Box]]:
    """Boxes over the unread lines of the second reading that the first one did not read or burn, by its raster.

    Dark words of the first say nothing about the light ink that they cross. Not lines of further views, in which the
    antialiasing of rules is ink. Parameters as for `with_leftovers_burned`.
    """
    reading_of = {reading.raster: reading for reading in readings}
    raster_of = {raster.id: raster for raster in second}
    found: dict[str, list[Box]] = {}
    for reading in second_readings:
        firsts = matches.get(reading.raster, ())
        if not reading.unread_lines or not firsts or VIEW in reading.raster:
            continue
        target = raster_of[reading.raster]
        burned, read = (
            [scaled(box, first, target) for first in firsts for box in boxes_of(reading_of[first.id], first)]
            for boxes_of in (_burned, _read)
        )
        covered, burned_over = _Covered(read, burned), _Covered((), burned)
        gaps = (
            gap
            for line in reading.unread_lines
            for gap in (burned_over if line.is_crossed else covered).long_gaps(line)
        )
        doubtful = [box for gap in gaps for box in gap.boxes((target.height, target.width))]
        if doubtful:
            found[reading.raster] = doubtful
    return found


def _burned(reading: Reading, _raster: Raster) -> Sequence[Box]:
    return reading.unread


def _read(reading: Reading, raster: Raster) -> Iterator[Box]:
    """The words that were read with confidence; a long number needs a second reader."""
    for word in reading.words:
        digits = sum(map(str.isdigit, reading.text[word.start : word.end]))
        if word.confidence >= _CONFIDENT and digits < _LONG_NUMBER:
            yield from word.boxes((raster.height, raster.width))


class _Covered:
    """What covers parts of lines: burned boxes over their middle, and words over it or with their middle in them."""

    def __init__(self, words: Sequence[Box], burned: Sequence[Box] = ()) -> None:
        self._boxes = np.array((*words, *burned), float).reshape(-1, 4)
        self._is_word = np.arange(len(self._boxes)) < len(words)
        self._rows = Rows([*words, *burned])

    def long_gaps(self, line: Strip) -> Iterator[Strip]:
        """The long parts of a line that nothing covers."""
        length, end = line.length, 0.0
        for first, last in (*self._spans(line), (length, length)):
            if min(first, length) - end >= _MIN_LENGTH * line.height:
                yield line.part(end, min(first, length))
            end = max(end, last)

    def _spans(self, line: Strip) -> list[tuple[float, float]]:
        """Where boxes begin and end to cover a line, in pixels along it, in order."""
        (u, v), length = line.along, line.length
        near = self._rows.touching(line.box)
        left, top, width, height = self._boxes[near].T
        # The middle of the line enters and leaves a box through two of its sides.
        through = np.sort(
            [
                np.array([left - line.x, left + width - line.x]) / (u if abs(u) > _LEVEL else _LEVEL),
                np.array([top - line.y, top + height - line.y]) / (v if abs(v) > _LEVEL else _LEVEL),
            ],
            axis=1,
        )
        first, last = through[:, 0].max(axis=0), through[:, 1].min(axis=0)
        # The box around a slanted word also holds what is beside it.
        is_around = self._is_word[near] & (np.minimum(width, height) > _HIGHEST * line.height)
        last[is_around] = -np.inf
        x, y = left + width / 2 - line.x, top + height / 2 - line.y
        is_within = self._is_word[near] & (abs(y * u - x * v) <= line.height / 2)
        middle, reach = x * u + y * v, (abs(u) * width + abs(v) * height) / 2
        first = np.where(is_within, middle - reach, first)
        last = np.where(is_within, middle + reach, last)
        covers = (first <= last) & (last >= 0) & (first <= length)
        return sorted(zip(first[covers].tolist(), last[covers].tolist(), strict=True))
