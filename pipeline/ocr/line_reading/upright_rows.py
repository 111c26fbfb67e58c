"""Short lines below each other that a detector took for one line from top to bottom: the cells of a narrow column."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from pipeline.networks.text_line import TextLine

_LEAST = 3  # cells of such a column
_GAP = 0.6  # times the median height of a cell: between two, wider than between the words of a line that runs downward
_HIGHEST = 1.6  # times its height: how wide a cell may be at least
_EVEN = 1.5  # times the median height: what a cell has at most
_ROOM = 0.3  # times its height: above and below a cell
_MIN_CONTRAST = 40  # gray levels between ink and paper


def with_upright_rows(lines: Iterable[TextLine], image: Any) -> Iterator[TextLine]:
    """The lines of a grayscale array, and instead of each such one the lines of its cells."""
    for line in lines:
        yield from _cells(line, image) if line.runs_upward else (line,)


def _cells(line: TextLine, image: Any) -> list[TextLine]:
    cut = line.cut(image)
    if int(cut.max()) - int(cut.min()) < _MIN_CONTRAST:
        return [line]
    threshold, _ = cv2.threshold(cut, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    ink = cut <= threshold
    inked = np.flatnonzero(np.diff(np.pad(ink.any(axis=0), 1).astype(np.int8)))
    runs = list(zip(inked[::2].tolist(), inked[1::2].tolist(), strict=True))
    if len(runs) < _LEAST:
        return [line]
    height = float(np.median([end - start for start, end in runs]))
    gaps = [after - end for (_, end), (after, _) in pairwise(runs)]
    widths = [int(np.ptp(np.flatnonzero(ink[:, start:end].any(axis=1)))) + 1 for start, end in runs]
    is_column = min(gaps) >= _GAP * height and max(end - start for start, end in runs) <= _EVEN * height
    if not is_column or max(widths) * _HIGHEST < height:
        return [line]
    return [_upright(line, start, end) for start, end in runs]


def _upright(line: TextLine, start: float, end: float) -> TextLine:
    """A part of a line that runs downward as a line that runs across it, to the right."""
    room = _ROOM * (end - start)
    part = line.part(start - room, end + room)
    corners = part.corners()
    (u, v) = line.along
    along = (-v, u) if v < 0 else (v, -u)
    x, y = corners[np.argmin(corners @ np.array([along[0] - along[1], along[1] + along[0]]))]
    return TextLine(float(x), float(y), along, part.height, part.width, line.score)
