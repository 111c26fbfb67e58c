"""Lines of text in an output that a detector sees and that no engine of either reading has read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.documents.document import VIEW, Raster, Reading
from pipeline.verification.raster_matching import Box, scaled
from pipeline.verification.rows import Rows

_CONFIDENT = 60.0  # confidence of a word (0..100)
_LONG_NUMBER = 5  # digits
_MIN_LENGTH = 2.5  # times its height: a part of a line that may hold a value


def unread_lines(lines: Iterable[Box], words: Sequence[Box]) -> Iterator[Box]:
    """The long parts of lines in which no word lies, all given as boxes."""
    read = _Covered(words)
    for line in lines:
        yield from read.long_gaps(line)


def lines_in_doubt(
    matches: Mapping[str, Sequence[Raster]],
    readings: Iterable[Reading],
    second: Sequence[Raster],
    second_readings: Iterable[Reading],
) -> dict[str, list[Box]]:
    """The unread lines of the second reading that the first one did not read or burn, by raster of the second.

    Not those of further views, in which the antialiasing of rules is ink. Parameters as for `with_leftovers_burned`.
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
            [scaled(box, first, target) for first in firsts for box in boxes_of(reading_of[first.id])]
            for boxes_of in (_burned, _read)
        )
        covered = _Covered(read, burned)
        doubtful = [gap for box in reading.unread_lines for gap in covered.long_gaps(box)]
        if doubtful:
            found[reading.raster] = doubtful
    return found


def _burned(reading: Reading) -> Sequence[Box]:
    return reading.unread


def _read(reading: Reading) -> Iterator[Box]:
    """The words that were read with confidence; a long number needs a second reader."""
    for word in reading.words:
        digits = sum(map(str.isdigit, reading.text[word.start : word.end]))
        if word.confidence >= _CONFIDENT and digits < _LONG_NUMBER:
            yield word.left, word.top, word.width, word.height


class _Covered:
    """What covers parts of lines: words, and burned boxes where they lie across the middle of the line."""

    def __init__(self, words: Sequence[Box], burned: Sequence[Box] = ()) -> None:
        self._upright = _Upright(words, burned)
        self._upward = _Upright(list(map(_turned, words)), list(map(_turned, burned)))

    def long_gaps(self, box: Box) -> Iterator[Box]:
        """The long parts of a line's box, along its longer side, that nothing covers."""
        if box[3] > box[2]:
            yield from map(_turned, self._upward.gaps(_turned(box)))
        else:
            yield from self._upright.gaps(box)


class _Upright:
    """What covers parts of upright lines."""

    def __init__(self, words: Sequence[Box], burned: Sequence[Box]) -> None:
        self._words, self._word_rows = words, Rows(words)
        self._burned, self._burned_rows = burned, Rows(burned)

    def gaps(self, line: Box) -> Iterator[Box]:
        """The long parts that nothing covers."""
        left, top, width, height = line
        boxes = [self._words[place] for place in self._word_rows.beside(line, 0)]
        boxes += [self._burned[place] for place in self._burned_rows.across(line)]
        spans = sorted((box[0], box[0] + box[2]) for box in boxes)
        end = left
        for first, last in (*spans, (left + width, left + width)):
            if min(first, left + width) - end >= _MIN_LENGTH * height:
                yield end, top, min(first, left + width) - end, height
            end = max(end, last)


def _turned(box: Box) -> Box:
    left, top, width, height = box
    return top, left, height, width
