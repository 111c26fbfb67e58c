"""Lines of text that stand out in hue alone: they are searched in the planes of chroma, where grayscale shows none."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.hidden_lines import MIN_CHROMA_CONTRAST
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.dark_boxes import Box
from pipeline.ocr.line_reading.contrast import contrast, legible
from pipeline.ocr.lines import Line, OcrWord, join_rows

_BESIDE = 3  # pixels at the edges of a box in which compression mixes its hue with what is beside it
_NOISE = (3, 3)  # pixels whose mean counts where the range of a plane is measured
_READ = 0.7  # share of a line in lines that grayscale shows: no other reading of it is needed
_SEEN = 0.5  # share of a line in lines of the other plane
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
    filled = plane.copy()
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


def hue_lines(page: Shown, detector: Callable[[Any], TextMap], read: Iterable[TextLine]) -> list[HueLine]:
    """The lines that the detector finds in the planes of chroma and that are no part of the `read` ones.

    Of a line that both planes show, the one with more contrast.
    """
    if not page.hues:
        return []
    height, width = page.gray.shape
    known = np.zeros((height // _REDUCTION + 1, width // _REDUCTION + 1), np.uint8)
    for line in read:
        known[_place(line, page.gray.shape)] = 1
    planes = (plane for plane in map(_spread, page.hues) if plane is not None)
    found = [HueLine(place, place.cut(plane)) for plane in planes for place in _fitted_lines(plane, detector)]
    chosen = np.zeros_like(known)
    lines: list[HueLine] = []
    for one in sorted(found, key=lambda one: contrast(one.cut), reverse=True):
        here = _place(one.place, page.gray.shape)
        if known[here].mean() < _READ and chosen[here].mean() < _SEEN:
            chosen[here] = 1
            lines.append(HueLine(one.place, legible(one.cut)))
    return lines


def _fitted_lines(plane: Any, detector: Callable[[Any], TextMap]) -> Iterator[TextLine]:
    return (line.fitted(plane) for line in detector(plane).lines())


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


def _place(line: TextLine, shape: Sequence[int]) -> tuple[slice, slice]:
    left, top, width, height = (side // _REDUCTION for side in line.box(0, line.width, (shape[0], shape[1])))
    return slice(top, top + max(1, height)), slice(left, left + max(1, width))
