"""Recognizes the labels that redaction prints in burned boxes, by drawing them again.

OCR misreads them: beside Arabic words Tesseract takes `DATE_01` for a number. A box that holds nothing but the strokes
of labels shows no personal data, so no engine needs to see it.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np

from pipeline.documents.document import Engine
from pipeline.documents.raster.burn import FONT, stroke
from pipeline.ocr.layout.lines import OcrWord
from schemas.entities import PREFIX

_BLACK, _LIGHT = 24, 80  # gray levels: of the ground at most, of strokes at least
_RIM = 2  # pixels at the sides of a box that compression may have mixed with the paper
_BLUR = 4.0  # pixels: around strokes the ground may be lighter
_MAX_HEIGHT = 250  # pixels of a box that is searched
_LABEL_GAP = 0.9  # times the height of the strokes: a wider gap separates labels
_MAX_LABELS = 12  # in one box
_MAX_COMPONENTS = 1_000  # of a place that shows more than labels: in more none is searched
_LETTER, _UNDERSCORE = (0.6, 1.5), 0.35  # times the height of the letters before: of a letter, and of an underscore
_SHARED = 0.5  # of the lower of two strokes of a label, which lie side by side
_BELOW = 0.4  # times the height of letters: where their underscore may end
_GROUND = 3  # pixels around a stroke that show what it stands on
_STEP = 0.01
_SCALES = np.arange(0.4, 7.0, _STEP)  # of the font
_SAME_HEIGHT, _SAME_WIDTH = 1.5, 2  # pixels
_TIE = 0.01  # shares that differ by less are the same
_NARROWEST = 0.3  # times the height of the strokes: a digit with the blank before it is wider
_LIKELY, _ALIKE, _SAME = 0.5, 0.85, 0.97  # of the strokes of one drawing: what lies beside those of the other
_REACH = np.ones((3, 3), np.uint8)  # pixels that lie beside a stroke
_DIGITS = "0123456789"
_MIN_DIGITS, _MAX_DIGITS = 2, 3
_NUMBER = 0.5, 3.2  # times the height of the strokes: about the width of so many digits
_CERTAIN = 100.0


class _Strokes(NamedTuple):
    """Boolean arrays (rows, columns): the strokes of a drawing, which touch all sides, and what lies beside them."""

    mask: Any
    reach: Any

    def left_part(self, height: int, width: int) -> "_Strokes":
        """The top left corner, in which the strokes of the rest may reach."""
        return _Strokes(self.mask[:height, :width], self.reach[:height, :width])


def labels_in(box: Any) -> list[OcrWord] | None:
    """The labels printed in a black box (grayscale array) from left to right, in its pixels; none in a blank box.

    None if it shows anything else.
    """
    inside = box[_RIM:-_RIM, _RIM:-_RIM]
    if not inside.size or len(inside) > _MAX_HEIGHT:
        return None
    lightest = int(inside.max())
    if lightest <= _BLACK:
        return []
    light = inside >= max(_LIGHT, lightest // 2)
    distance = cv2.distanceTransform((~light).astype(np.uint8), cv2.DIST_L2, 3)
    if inside[distance > _BLUR].max(initial=0) > _BLACK:
        return None
    found: list[OcrWord] = []
    for left, right in _clusters(light):
        rows = np.flatnonzero(light[:, left:right].any(axis=1))
        top, bottom = int(rows[0]), int(rows[-1]) + 1
        text = _label(_strokes(light[top:bottom, left:right])) if len(found) < _MAX_LABELS else None
        if text is None:
            return None
        found.append(OcrWord(text, left + _RIM, top + _RIM, right - left, bottom - top, _CERTAIN, Engine.LABEL))
    return found


def labels_among_others(box: Any) -> list[OcrWord]:
    """The labels in a dark place (grayscale array) that shows something else, too, in its pixels.

    Beside a label there may be the line between two boxes, or the other words of a heading that is light on dark.
    """
    lightest = int(box.max(initial=0))
    if lightest <= _LIGHT:
        return []
    light = box >= max(_LIGHT, lightest // 2)
    found: list[OcrWord] = []
    for left, top, right, bottom in _runs(box, light)[:_MAX_LABELS]:
        text = _label(_strokes(light[top:bottom, left:right]))
        if text is not None:
            found.append(OcrWord(text, left, top, right - left, bottom - top, _CERTAIN, Engine.LABEL))
    return found


def _runs(box: Any, light: Any) -> list[tuple[int, int, int, int]]:
    """Left, top, right and bottom of strokes on black ground that stand side by side and are as high as letters."""
    table = cv2.connectedComponentsWithStats(light.astype(np.uint8), connectivity=8)[2][1:]
    if len(table) > _MAX_COMPONENTS:
        return []
    runs: list[tuple[int, int, int, int]] = []
    for left, top, width, height, _ in sorted(table.tolist()):
        right, bottom = left + width, top + height
        if min(left, top) <= 0 or right >= box.shape[1] or bottom >= len(box):  # the paper
            continue
        around = slice(max(0, top - _GROUND), bottom + _GROUND), slice(max(0, left - _GROUND), right + _GROUND)
        ground = box[around][~light[around]]
        if not len(ground) or np.median(ground) > _BLACK:
            continue
        for place, run in enumerate(runs):
            high = run[3] - run[1]
            is_high = _LETTER[0] * high <= height <= _LETTER[1] * high or height <= min(_UNDERSCORE * high, width / 2)
            is_near = left - run[2] <= _LABEL_GAP * high and is_high
            is_level = min(bottom, run[3] + _BELOW * high) - max(top, run[1]) >= _SHARED * min(height, high)
            if is_near and is_level:
                runs[place] = run[0], min(top, run[1]), max(right, run[2]), max(bottom, run[3])
                break
        else:
            runs.append((left, top, right, bottom))
    return [run for run in runs if run[2] - run[0] > run[3] - run[1]]


def _clusters(light: Any) -> Iterator[tuple[int, int]]:
    """The columns of strokes with wide gaps between them."""
    columns, rows = np.flatnonzero(light.any(axis=0)), np.flatnonzero(light.any(axis=1))
    if not len(columns):
        return
    gap = _LABEL_GAP * (rows[-1] - rows[0] + 1)
    for run in np.split(columns, np.flatnonzero(np.diff(columns) > gap) + 1):
        yield int(run[0]), int(run[-1]) + 1


def _label(strokes: _Strokes) -> str | None:
    """The label of which these are the strokes."""
    scales = _SCALES[abs(_heights() - len(strokes.mask)) <= _SAME_HEIGHT]
    if not len(scales):
        return None
    middle = float(scales[len(scales) // 2])
    for prefix in PREFIX.values():
        start = f"{prefix}_"
        drawn = _drawing(start, middle)
        rest = (strokes.mask.shape[1] - drawn.mask.shape[1]) / len(strokes.mask)
        if _NUMBER[0] < rest < _NUMBER[1] and _likeness(drawn, strokes) >= _LIKELY:
            text = _with_number(start, _best_scale(start, scales, strokes), strokes)
            if text is not None and _is_same(_drawing(text, _best_scale(text, scales, strokes)), strokes):
                return text
    return None


def _is_same(drawn: _Strokes, strokes: _Strokes) -> bool:
    width = strokes.mask.shape[1]
    off = abs(drawn.mask.shape[1] - width)
    return off <= _SAME_WIDTH + _STEP * width and _likeness(drawn, strokes) >= _SAME


def _best_scale(text: str, scales: Any, strokes: _Strokes) -> float:
    """The middle one of the scales in which the drawing is most like the strokes."""
    likeness = np.array([_likeness(_drawing(text, float(scale)), strokes) for scale in scales])
    best = scales[likeness >= likeness.max() - _TIE]
    return float(best[len(best) // 2])


def _with_number(text: str, scale: float, strokes: _Strokes) -> str | None:
    """The label that begins so, with the number whose drawing is most like the strokes; None if no number is."""
    for count in range(1, _MAX_DIGITS + 1):
        likeness, text = max((_likeness(_drawing(text + digit, scale), strokes), text + digit) for digit in _DIGITS)
        if likeness < _ALIKE:
            return None
        rest = strokes.mask.shape[1] - _drawing(text, scale).mask.shape[1]
        if count >= _MIN_DIGITS and rest < _NARROWEST * len(strokes.mask):
            return text
    return None


def _likeness(drawn: _Strokes, strokes: _Strokes) -> float:
    """The least share of one drawing that lies beside the strokes of the other, which begins like it."""
    height, width = drawn.mask.shape
    if width > strokes.mask.shape[1] + 2:
        return 0.0
    seen = strokes.left_part(height, width)
    drawn = drawn.left_part(*seen.mask.shape)
    return float(min(_share(seen.mask, drawn.reach), _share(drawn.mask, seen.reach)))


def _share(mask: Any, reach: Any) -> float:
    return int(np.count_nonzero(mask & reach)) / (int(np.count_nonzero(mask)) or 1)


@cache
def _heights() -> Any:
    """The pixels from the top of a letter to the bottom of an underscore, for each scale."""
    return np.array([len(_drawing("A_", float(scale)).mask) for scale in _SCALES])


@lru_cache(4096)
def _drawing(text: str, scale: float) -> _Strokes:
    """The text as redaction prints it."""
    thickness = stroke(scale)
    (width, height), descent = cv2.getTextSize(text, FONT, scale, thickness)
    canvas = np.zeros((height + 2 * descent + 4 * thickness, width + 4 * thickness), np.uint8)
    cv2.putText(canvas, text, (2 * thickness, height + 2 * thickness), FONT, scale, 255, thickness, cv2.LINE_8)
    rows, columns = np.flatnonzero(canvas.any(axis=1)), np.flatnonzero(canvas.any(axis=0))
    return _strokes(canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] > 0)


def _strokes(mask: Any) -> _Strokes:
    return _Strokes(mask, cv2.dilate(mask.astype(np.uint8), _REACH) > 0)
