"""Labels of a sheet's cells: the headings of their columns, by block of rows, and the label on their left."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pipeline.documents.labels import (
    combined_headings,
    has_second_heading_row,
    is_heading,
    names_field,
    over_and_before,
)
from pipeline.documents.xlsx.references import Area

_HEADING_ROWS = 20  # first rows of a block that may be its heading
_SAMPLE_ROWS = 50  # first rows of a block that show its width
_WIDEST_LABEL = 64  # columns that one merged heading labels

Row = dict[int, str]  # texts by column


def cell_contexts(
    rows: Mapping[int, Row], merged: Sequence[Area], tables: Sequence[Area]
) -> Iterator[tuple[int, int, str]]:
    """Row, column and context of every cell that has a context.

    Blank rows divide a sheet into blocks. The heading row of a block is the first one near its top that is as wide as
    the block and has only labels; that of a table is its first row. Headings of earlier blocks stay valid, because a
    table may have blank rows. A cell without a heading, or in a form of two columns, is labelled by the cell on its
    left.
    """
    spans = {(area.top, area.left): min(area.right - area.left, _WIDEST_LABEL) for area in merged}
    own_headings = {area.top for area in tables}
    outer: Row = {}
    for block in _blocks(rows):
        found, heading_rows, is_form = _headings(rows, block, spans, own_headings)
        for row in block:
            if row in own_headings:
                found = {**found, **_labels(rows[row], row, spans)}
            left = field = ""
            for column, text in sorted(rows[row].items()):
                label = text.strip() if is_heading(text) else ""
                if row not in heading_rows and row not in own_headings:
                    heading = found.get(column, "")
                    over = "\n".join(dict.fromkeys(filter(None, (outer.get(column, ""), heading))))
                    context = over_and_before(over, field, left if not heading or is_form else "")
                    if context:
                        yield row, column, context
                left = label
                field = label if names_field(label) else field
        outer = {**outer, **found}


def _blocks(rows: Mapping[int, Row]) -> Iterator[list[int]]:
    """Runs of consecutive rows with text."""
    block: list[int] = []
    for row in sorted(rows):
        if block and row != block[-1] + 1:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _headings(
    rows: Mapping[int, Row], block: Sequence[int], spans: Mapping[tuple[int, int], int], tables: set[int]
) -> tuple[Row, set[int], bool]:
    """The headings of a block, their rows, and whether the block may be a form, with a label before each value."""
    if len(block) < 2 or block[0] in tables:
        return {}, set(), len(block) < 2
    widths = Counter(len(rows[row]) for row in block[:_SAMPLE_ROWS])
    width, _ = max(widths.items(), key=lambda item: (item[1], item[0]))
    if len(widths) == 1 == width:
        return _list_heading(rows, block)
    for place, row in enumerate(block[:_HEADING_ROWS]):
        texts = rows[row]
        labels = _labels(texts, row, spans)
        if row == block[-1] or len(texts) < 2 or not all(map(is_heading, texts.values())):
            continue
        following = block[place + 1]
        below = _labels(rows[following], following, spans)
        is_merged = any((row, column) in spans for column in texts) and all(map(is_heading, rows[following].values()))
        heading_rows = {row}
        if is_merged or (following != block[-1] and has_second_heading_row(texts, rows[following])):
            labels = combined_headings(labels, below)
            heading_rows.add(following)
        if len(labels) >= min(width, 3):
            return labels, heading_rows, len(labels) <= 2
    return {}, set(), True


def _list_heading(rows: Mapping[int, Row], block: Sequence[int]) -> tuple[Row, set[int], bool]:
    """The heading of a block with one cell in each row: the last label above the first value, in the same column."""
    for row, following in pairwise(block[: _HEADING_ROWS + 1]):
        (column, text), (below, value) = *rows[row].items(), *rows[following].items()
        if not is_heading(text):
            break
        if column == below and not is_heading(value):
            return {column: text.strip()}, {row}, False
    return {}, set(), True


def _labels(texts: Row, row: int, spans: Mapping[tuple[int, int], int]) -> Row:
    """The labels of a row by column; that of a merged cell for all its columns."""
    labels: Row = {}
    for column, text in texts.items():
        if is_heading(text):
            for covered in range(column, column + spans.get((row, column), 0) + 1):
                labels[covered] = text.strip()
    return labels
