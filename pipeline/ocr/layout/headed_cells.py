"""Cells of tables below their headings."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.detect.text.headings import is_of_names, label_runs, labels_of
from pipeline.documents.document import Word
from pipeline.ocr.layout.table import Cell, Table, cells_of

_LABELLED = 0.6  # of the words of a cell belong to labels if it is several headings
_MAX_STEP = 1.6  # times the first step: between names of a column, below which there may be other words


class LabelledValue(NamedTuple):
    """A label as it should be read, the words that say it, and the words of the value that it labels."""

    label: str
    said: Sequence[Word]
    value: Sequence[Word]


def headed_cells(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """The words of each cell below a heading, with the label of its column. `lines` as `words_by_line` gives them.

    A label of names counts only beside other labels: in a form other things than names stand below it, and a title of a
    job may be a value.
    """
    table = Table.of(part for line in lines for cell in cells_of(text, *line) for part in _parted(text, cell))
    cells = table.cells
    labels = list(table.labels)
    said = [cell.words for cell in cells]
    for upper, lower in table.stacked.items():
        joined = labels_of(f"{cells[upper].text} {cells[lower].text}")
        if joined and not (labels[upper] and is_of_names(labels[upper][0])):
            labels[lower], said[lower] = joined, (*cells[upper].words, *cells[lower].words)
    table = table.with_labels(labels)
    for heading in np.flatnonzero(table.is_label).tolist():
        of_names = bool(table.is_of_names[heading])
        if of_names and not table.is_among_headings(heading):
            continue
        tops = [cells[heading].box[1]]
        for cell, value in table.values(heading):
            tops.append(cell.box[1])
            if of_names and tops[-1] - tops[-2] > _MAX_STEP * (tops[1] - tops[0]):
                break
            if cell.has_digits != of_names:
                for label in labels[heading]:
                    yield LabelledValue(label, said[heading], value)


def _parted(text: str, cell: Cell) -> Iterator[Cell]:
    """The cell, or its parts if it is several headings that stand so close that they were read as one."""
    runs = label_runs([text[word.start : word.end] for word in cell.words]) if not cell.has_digits else []
    labelled = [end - start for start, end, is_label in runs if is_label]
    if len(labelled) < 2 or sum(labelled) < _LABELLED * len(cell.words):
        yield cell
        return
    for start, end, _ in runs:
        own = cell.words[start:end]
        yield Cell(" ".join(text[word.start : word.end] for word in own), own)
