"""Cells without a digit in columns of numbers: where an engine doubts one word of them, none is read.

Of `٧٩٩٨ ب ق و` in an unusual font the letters are in doubt, and the digits are surely `uqqn`.
"""

from collections.abc import Sequence

import numpy as np

from pipeline.detect.text.headings import has_known_label, is_of_names, is_of_things, labels_of
from pipeline.documents.document import Reading, Word
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.lines import words_by_line
from pipeline.ocr.layout.table import Table, cells_of
from pipeline.ocr.unread.ink import is_confident

_MOST_WORDS = 6  # of a value


def doubtful_cells(text: str, words: Sequence[Word]) -> list[Box]:
    """The boxes (left, top, width, height) of the words of such cells."""
    cells = [cell for line in words_by_line(Reading("", text, tuple(words))) for cell in cells_of(text, *line)]
    table = Table.of(cells)
    labels = [() if cell.has_digits else labels_of(cell.text) for cell in table.cells]
    table = table._replace(is_label=np.array(list(map(bool, labels)), bool))
    found: list[Box] = []
    for heading in np.flatnonzero(table.is_label).tolist():
        label = labels[heading][0]
        if (
            not has_known_label(label)
            or is_of_names(label)
            or is_of_things(label)
            or not table.is_among_headings(heading)
        ):
            continue
        for _, value in table.values(heading):
            said = [text[word.start : word.end] for word in value]
            is_number = any(any(map(str.isdigit, one)) for one in said)
            is_doubted = not all(is_confident(one, word.confidence) for one, word in zip(said, value, strict=True))
            if is_doubted and not is_number and len(value) <= _MOST_WORDS:
                found += [(word.left, word.top, word.width, word.height) for word in value]
    return list(dict.fromkeys(found))
