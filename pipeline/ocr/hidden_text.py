"""Lines of text that grayscale hides: in hue alone, which planes of chroma show, and in light ink under dark ink."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.raster.hidden_lines import MIN_CHROMA_CONTRAST
from pipeline.documents.raster.light_ink import is_dark
from pipeline.networks.lines_at_any_angle import lines_at_any_angle
from pipeline.networks.text_line import TextLine
from pipeline.networks.text_map import TextMap
from pipeline.ocr.dark_places import Box
from pipeline.ocr.engines.line_word import LineWord
from pipeline.ocr.layout.lines import Line, OcrWord, join_rows
from pipeline.ocr.line_reading.contrast import legible

_BESIDE = 3  # pixels at the edges of a box in which compression mixes its hue with what is beside it
_NOISE = (3, 3)  # pixels whose mean counts where the range of a plane is measured
_MARKED, _OVER = 255, 0.5  # what marks a pixel as known, and the share of a line from which on it is known
_MIN_PART = 1.5  # times its height: a part of a line that lies in no other one
_LONG, _CROSSING = 3.0, 0.07  # times its height, and the sine of its least angle to others, of a line that crosses them
_CROSSED = 0.02  # share of a word that is dark ink: light ink under it may be another text
# Confidence (0..100) of a word that is in no doubt, and the most of one in doubt. Of 844 drawn words in hue with more
# one held a digit, of 260 others that would count as sure in grayscale four.
_SURE, _IN_DOUBT = 90.0, 50.0
_REDUCTION = 4  # factor by which the boxes of lines are reduced to tell what they share


class Shown(NamedTuple):
    """A page in gray, its planes of chroma if it has hue (Cr and Cb of ITU-R BT.601), and its light ink, if any."""

    gray: Any
    hues: tuple[Any, ...] = ()
    light: Any | None = None

    def mapped(self, change: Callable[[Any], Any]) -> "Shown":
        """The page with every plane changed so."""
        light = None if self.light is None else change(self.light)
        return Shown(change(self.gray), tuple(map(change, self.hues)), light)


class Scores(NamedTuple):
    """The least scores (0..1), which depend on the detector, of lines in hue and in light ink."""

    hue: float
    light: float


class HiddenLine(NamedTuple):
    """A line with its cut, in full contrast, from the plane that shows it best; whether dark words may lie over it."""

    place: TextLine
    cut: Any
    is_crossed: bool = False


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


def hidden_lines(
    page: Shown, detector: Callable[[Any], TextMap], read: Iterable[TextLine], least: Scores
) -> list[HiddenLine]:
    """The lines that the detector finds with these scores at least in hue, and then in light ink, the surest first.

    Of each, the parts that lie neither in what was `read` nor in lines before it: what stands there may have another
    ground. In light ink only long lines that cross those of the page, whose dark words they may lie under.
    """
    words = list(read)
    in_hue = [
        (line, plane) for plane in _spread(page.hues) for line in detector(plane).lines() if line.score >= least.hue
    ]
    found = list(_new_lines(in_hue, _known(page.gray.shape, words)))
    if page.light is None:
        return found
    level = float(np.median([_angle(word) for word in words])) if words else 0.0
    across = [
        (line, plane)
        for plane in _spread([page.light])
        for line in lines_at_any_angle(plane, detector)
        if line.score >= least.light and _crosses(line, level)
    ]
    light_words = (word for word in words if not _is_crossed(word, page.gray, page.light))
    crossed = _new_lines(across, _known(page.gray.shape, light_words))
    return [*found, *(line._replace(is_crossed=True) for line in crossed)]


def _crosses(line: TextLine, level: float) -> bool:
    """Whether a line is long and runs at another angle than the lines of its page."""
    return line.width >= _LONG * line.height and abs(math.sin(_angle(line) - level)) > _CROSSING


def _angle(line: TextLine) -> float:
    """Radians, between -pi/2 and pi/2."""
    return math.atan(line.along[1] / (line.along[0] or 1e-9))


def _is_crossed(word: TextLine, gray: Any, light: Any) -> bool:
    return float(is_dark(word.cut(gray), word.cut(light)).mean()) > _CROSSED


def _known(shape: tuple[int, int], read: Iterable[TextLine]) -> Any:
    """Where on a page, reduced, something was read."""
    known = np.zeros((shape[0] // _REDUCTION + 1, shape[1] // _REDUCTION + 1), np.uint8)
    for line in read:
        _mark(known, line)
    return known


def _new_lines(found: Sequence[tuple[TextLine, Any]], known: Any) -> Iterator[HiddenLine]:
    """The parts of lines, each with its plane, that were not known."""
    for line, plane in sorted(found, key=lambda one: one[0].score, reverse=True):
        for part in _new_parts(line, known):
            place = part.fitted(plane)
            yield HiddenLine(place, legible(place.cut(plane)))
        _mark(known, line)


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


def hidden_rows(lines: Sequence[Line], rows: Sequence[Line]) -> Iterator[list[OcrWord]]:
    """The rows of hidden lines, each with the words that the rows in grayscale have beside it."""
    words = [word for row in rows for word in row]
    tops = np.array([word.top for word in words], int)
    heights = np.array([word.height for word in words], int)
    for row in join_rows(lines):
        top, bottom = min(word.top for word in row), max(word.top + word.height for word in row)
        shared = np.minimum(tops + heights, bottom) - np.maximum(tops, top)
        beside = (words[place] for place in np.flatnonzero(2 * shared > heights))
        yield [*row, *(word for word in beside if not any(_is_over(word, other) for other in row))]


def doubted(words: Iterable[LineWord]) -> list[LineWord]:
    """The words of a hidden line, of which only very sure ones count as read: its strokes are blurred or cut."""
    return [
        word if word.confidence >= _SURE else word._replace(confidence=min(word.confidence, _IN_DOUBT))
        for word in words
    ]


def _is_over(word: OcrWord, other: OcrWord) -> bool:
    return word.left < other.left + other.width and other.left < word.left + word.width


def _spread(planes: Iterable[Any]) -> Iterator[Any]:
    """The planes over all levels, without those in which nothing stands out."""
    for plane in planes:
        low, high = _extremes(plane)
        if high - low >= MIN_CHROMA_CONTRAST:
            levels = np.clip((np.arange(256) - low) * 255 / (high - low), 0, 255).astype(np.uint8)
            yield levels[plane]


def _range(plane: Any) -> int:
    low, high = _extremes(plane)
    return high - low


def _extremes(plane: Any) -> tuple[int, int]:
    """The lowest and the highest level, without noise."""
    even = cv2.blur(plane, _NOISE)
    return int(even.min()), int(even.max())
