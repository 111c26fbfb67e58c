"""Lines of text that stand out in hue alone: they are searched in the planes of chroma, where grayscale shows none."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.hidden_lines import MIN_CHROMA_CONTRAST
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.dark_boxes import Box
from pipeline.ocr.line_reading.contrast import legible
from pipeline.ocr.lines import Line, OcrWord, join_rows

_BESIDE = 3  # pixels at the edges of a box in which compression mixes its hue with what is beside it
_NOISE = (3, 3)  # pixels whose mean counts where the range of a plane is measured
_MARKED, _OVER = 255, 0.5  # what marks a pixel as known, and the share of a line from which on it is known
_MIN_PART = 1.5  # times its height: a part of a line that lies in no other one
_REDUCTION = 4  # factor by which the boxes of lines are reduced to tell what they share


class Shown(NamedTuple):
    """A page in gray, and its planes of chroma if it has hue: Cr and Cb of ITU-R BT.601."""

    gray: Any
    hues: tuple[Any, ...] = ()

    def mapped(self, change: Callable[[Any], Any]) -> "Shown":
        """The page with every plane changed so."""
        return Shown(change(self.gray), tuple(map(change, self.hues)))


class HueLine(NamedTuple):
    """A line with its cut, in full contrast, from the plane that shows it best."""

    place: TextLine
    cut: Any


def shown(image: Any) -> Shown:
    """The planes of an array in gray (height, width) or BGR (height, width, 3)."""
    if image.ndim == 2:
        return Shown(image)
    gray, *hues = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb))
    return Shown(gray, tuple(hues))


def without_even_boxes(plane: Any, boxes: Sequence[Box]) -> Any:
    """A plane of chroma in which boxes that show nothing are filled with what is beside them: their edges are no text.

    Redaction leaves such boxes on coloured ground.
    """
    filled = plane.copy() if boxes else plane
    for left, top, right, bottom in boxes:
        if _range(plane[top:bottom, left:right]) < MIN_CHROMA_CONTRAST:
            rows = slice(max(0, top - _BESIDE), bottom + _BESIDE)
            before = plane[rows, max(0, left - 2 * _BESIDE) : max(0, left - _BESIDE)]
            after = plane[rows, right + _BESIDE : right + 2 * _BESIDE]
            sides = [side.mean(axis=1, keepdims=True) for side in (before, after) if side.size]
            if sides:
                columns = slice(max(0, left - _BESIDE), right + _BESIDE)
                share = np.linspace(0, 1, filled[rows, columns].shape[1])
                filled[rows, columns] = np.rint(sides[0] * (1 - share) + sides[-1] * share)
    return filled


def hue_lines(
    page: Shown, detector: Callable[[Any], TextMap], read: Iterable[TextLine], least_score: float = 0.0
) -> list[HueLine]:
    """The lines that the detector finds in the planes of chroma with this score at least, the surest first.

    Of each, the parts that lie neither in what was `read` nor in lines before it: what stands there may have another
    ground.
    """
    if not page.hues:
        return []
    height, width = page.gray.shape
    known = np.zeros((height // _REDUCTION + 1, width // _REDUCTION + 1), np.uint8)
    for line in read:
        _mark(known, line)
    planes = [plane for plane in map(_spread, page.hues) if plane is not None]
    found = [(line, plane) for plane in planes for line in detector(plane).lines() if line.score >= least_score]
    parts: list[HueLine] = []
    for line, plane in sorted(found, key=lambda one: one[0].score, reverse=True):
        for part in _new_parts(line, known):
            place = part.fitted(plane)
            parts.append(HueLine(place, legible(place.cut(plane))))
        _mark(known, line)
    return parts


def _mark(known: Any, line: TextLine) -> None:
    cv2.fillConvexPoly(known, np.rint(line.corners() / _REDUCTION).astype(np.int32), _MARKED)


def _new_parts(line: TextLine, known: Any) -> Iterator[TextLine]:
    """The long parts of a line whose middle was not marked as known; all of a line of which that is the larger part.

    Of a value that grayscale shows here and there it reads pieces.
    """
    reduced = line._replace(
        left=line.left / _REDUCTION,
        top=line.top / _REDUCTION,
        width=line.width / _REDUCTION,
        height=line.height / _REDUCTION,
    ).cut(known)
    middle = reduced[len(reduced) // 4 : -(-3 * len(reduced) // 4)]
    is_known = middle.mean(axis=0) >= _OVER * _MARKED
    if is_known.mean() < _OVER:
        yield line
        return
    ends = np.flatnonzero(np.concatenate(([True], is_known, [True])))
    scale = line.width / reduced.shape[1]
    for before, after in pairwise(ends.tolist()):
        if (after - before - 1) * scale > _MIN_PART * line.height:
            yield line.part(before * scale, (after - 1) * scale)


def rows_by_hue(lines: Sequence[Line], rows: Sequence[Line]) -> Iterator[list[OcrWord]]:
    """The rows of lines that hue shows, each with the words that the rows in grayscale have beside it."""
    words = [word for row in rows for word in row]
    tops = np.array([word.top for word in words], int)
    heights = np.array([word.height for word in words], int)
    for row in join_rows(lines):
        top, bottom = min(word.top for word in row), max(word.top + word.height for word in row)
        shared = np.minimum(tops + heights, bottom) - np.maximum(tops, top)
        beside = (words[place] for place in np.flatnonzero(2 * shared > heights))
        yield [*row, *(word for word in beside if not any(_is_over(word, other) for other in row))]


def _is_over(word: OcrWord, other: OcrWord) -> bool:
    return word.left < other.left + other.width and other.left < word.left + word.width


def _spread(plane: Any) -> Any | None:
    """The plane over all levels; None if nothing stands out in it."""
    low, high = _extremes(plane)
    if high - low < MIN_CHROMA_CONTRAST:
        return None
    levels = np.clip((np.arange(256) - low) * 255 / (high - low), 0, 255).astype(np.uint8)
    return levels[plane]


def _range(plane: Any) -> int:
    low, high = _extremes(plane)
    return high - low


def _extremes(plane: Any) -> tuple[int, int]:
    """The lowest and the highest level, without noise."""
    even = cv2.blur(plane, _NOISE)
    return int(even.min()), int(even.max())
