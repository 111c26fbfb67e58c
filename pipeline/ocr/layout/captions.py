"""Numbers above their label, which stands below them in parentheses, as below the lines of a form."""

from collections.abc import Iterator, Sequence

from pipeline.detect.text.headings import has_known_label, labels_as_misread
from pipeline.documents.document import Word
from pipeline.geometry.rows import Rows
from pipeline.ocr.layout.headed_cells import LabelledValue
from pipeline.ocr.layout.table import cells_of

_PARENTHESES = ("(", ")")  # either at either end: in Arabic lines they are mirrored
_DISTANCE = 2.5  # times the height of the label: between it and the number


def captioned_values(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """Each such number with its label. `lines` as `words_by_line` gives them."""
    cells = [cell for line in lines for cell in cells_of(text, *line)]
    boxes = [(left, top, right - left, bottom - top) for left, top, right, bottom in (cell.box for cell in cells)]
    rows = Rows(boxes)
    for place, cell in enumerate(cells):
        label = cell.text.strip()
        if cell.has_digits or not (label[:1] in _PARENTHESES and label[-1:] in _PARENTHESES):
            continue
        said = label.strip("() ")
        known = (said,) if has_known_label(said) else labels_as_misread(said)
        if not known:
            continue
        left, top, width, height = boxes[place]
        above = (left, int(top - _DISTANCE * height), width, int(_DISTANCE * height))
        near = [
            other
            for other in rows.touching(above).tolist()
            if boxes[other][1] + boxes[other][3] / 2 < top
            and min(boxes[other][0] + boxes[other][2], left + width) > max(boxes[other][0], left)
        ]
        nearest = max(near, key=lambda other: boxes[other][1], default=None)
        if nearest is not None and cells[nearest].has_digits:
            yield from (LabelledValue(one, cell.words, cells[nearest].words) for one in known)
