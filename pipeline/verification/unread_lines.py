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
        read = _Covered([scaled(box, first, target) for first in firsts for box in _seen(reading_of[first.id])])
        doubtful = [gap for box in reading.unread_lines for gap in read.long_gaps(box)]
        if doubtful:
            found[reading.raster] = doubtful
    return found


def _seen(reading: Reading) -> Iterator[Box]:
    """What was burned, and the words that were read with confidence; a long number needs a second reader."""
    yield from reading.unread
    for word in reading.words:
        digits = sum(map(str.isdigit, reading.text[word.start : word.end]))
        if word.confidence >= _CONFIDENT and digits < _LONG_NUMBER:
            yield word.left, word.top, word.width, word.height


class _Covered:
    """Boxes that cover parts of lines."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        turned = list(map(_turned, boxes))
        self._upright, self._upward = (boxes, Rows(boxes)), (turned, Rows(turned))

    def long_gaps(self, box: Box) -> Iterator[Box]:
        """The long parts of a line's box, along its longer side, that no box covers."""
        if box[3] > box[2]:
            yield from map(_turned, self._gaps(_turned(box), *self._upward))
        else:
            yield from self._gaps(box, *self._upright)

    def _gaps(self, box: Box, boxes: Sequence[Box], rows: Rows) -> Iterator[Box]:
        left, top, width, height = box
        spans = sorted((boxes[place][0], boxes[place][0] + boxes[place][2]) for place in rows.beside(box, 0))
        end = left
        for first, last in (*spans, (left + width, left + width)):
            if min(first, left + width) - end >= _MIN_LENGTH * height:
                yield end, top, min(first, left + width) - end, height
            end = max(end, last)


def _turned(box: Box) -> Box:
    left, top, width, height = box
    return top, left, height, width
