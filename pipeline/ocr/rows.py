"""Joins lines that stand side by side: a label and its value are two blocks to Tesseract, one row to a reader."""

from collections.abc import Sequence

from pipeline.ocr.lines import SeenWord

Line = Sequence[SeenWord]

_LABEL_WORDS = 5  # a line of more words than this is prose: two such lines side by side are columns, not a row
_SAME_ROW = 0.5  # of the lower line's height: how far apart two middles may be


def join_rows(lines: Sequence[Line]) -> list[list[SeenWord]]:
    """The lines with those of one row joined, each where its first part stood. O(n log n)."""
    middles = [_middle(line) for line in lines]
    heights = [max(word.height for word in line) for line in lines]
    rows: list[list[int]] = []
    for index in sorted(range(len(lines)), key=middles.__getitem__):
        row = rows[-1] if rows else []
        if row and middles[index] - middles[row[0]] <= _SAME_ROW * min(heights[index], heights[row[0]]):
            row.append(index)
        else:
            rows.append([index])
    joined: list[list[int]] = []
    for row in rows:
        is_prose = all(len(lines[index]) > _LABEL_WORDS for index in row)
        joined += [[index] for index in row] if is_prose else [sorted(row)]
    joined.sort()
    return [[word for index in row for word in lines[index]] for row in joined]


def _middle(line: Line) -> float:
    """Half-way between the mean top and the mean bottom, in pixels: one tall word does not move it."""
    return sum(word.top + word.height / 2 for word in line) / len(line)
