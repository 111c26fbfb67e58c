"""Cells without a digit in columns of numbers: where an engine doubts one word of them, none is read.

Of `٧٩٩٨ ب ق و` in an unusual font the letters are in doubt, and the digits are surely `uqqn`.
"""

import numpy as np

from pipeline.detect.text.headings import has_known_label, is_of_things
from pipeline.geometry.strip import Box
from pipeline.ocr.layout.table import Table
from pipeline.ocr.unread.ink import is_confident

_MOST_WORDS = 6  # of a value


def doubtful_cells(text: str, table: Table) -> list[Box]:
    """The boxes (left, top, width, height) of the words of such cells in the table of a text."""
    found: list[Box] = []
    for heading in np.flatnonzero(table.is_label & ~table.is_of_names).tolist():
        label = table.labels[heading][0]
        if not has_known_label(label) or is_of_things(label) or not table.is_among_headings(heading):
            continue
        for _, value in table.values(heading):
            said = [text[word.start : word.end] for word in value]
            is_number = any(any(map(str.isdigit, one)) for one in said)
            is_doubted = not all(is_confident(one, word.confidence) for one, word in zip(said, value, strict=True))
            if is_doubted and not is_number and len(value) <= _MOST_WORDS:
                found += [(word.left, word.top, word.width, word.height) for word in value]
    return list(dict.fromkeys(found))
