"""Finds the heading rows of a table, and the heading of each column."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from pipeline.documents.csv.parse import Cell
from pipeline.documents.labels import is_heading, names_field

HEADING_ROWS = 20  # first rows of a file that may be headings
_MOST_CHARACTERS = 2_000  # of a label
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ARABIC = re.compile("[\u0621-\u064a]")


class Headings(dict[int, str]):
    """The heading of each column that has one.

    `rows`: the heading rows, with the headings above each of them. `is_form`: the table may be a form, with a label
    before each value; two columns may be a form or a table.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, str]] = {}
        self.is_form = True

    def heading_of(self, cell: Cell) -> str:
        """The heading of a cell. A cell of the second heading row has the first one's, because it may be a value."""
        return self.rows.get(cell.row, self).get(cell.column, "")


def find_headings(cells: Iterable[Cell]) -> Headings:
    """The headings of a table: the first row near the top that is as wide as the table and has only labels.

    With it the row before or after it, if one of them only names groups of columns, or repeats the labels in another
    script.
    """
    rows: dict[int, dict[int, str]] = {}
    for cell in cells:
        if cell.row >= HEADING_ROWS:
            break
        text = cell.text.strip()
        if text:
            rows.setdefault(cell.row, {})[cell.column] = text
    headings = Headings()
    if len(rows) < 2 or _is_form(rows.values()):
        return headings
    width, _ = max(Counter(map(len, rows.values())).items(), key=lambda item: (item[1], item[0]))
    numbers = sorted(rows)
    labels = [all(map(is_heading, rows[number].values())) for number in numbers]
    first = next(
        (at for at, number in enumerate(numbers[:-1]) if labels[at] and len(rows[number]) >= min(width, 3)), None
    )
    if first is None:
        return headings
    chosen = [numbers[first]]
    if (
        first + 2 < len(numbers)
        and labels[first + 1]
        and _is_second_heading_row(rows, numbers[first], numbers[first + 1])
    ):
        chosen.append(numbers[first + 1])
    if first and labels[first - 1] and 1 < len(rows[numbers[first - 1]]) < len(rows[chosen[0]]):
        chosen.insert(0, numbers[first - 1])
    for number in chosen:
        headings.rows[number] = dict(headings)
        for column, label in _over_open_columns(rows[number], rows[chosen[-1]]).items():
            headings[column] = f"{headings[column]}\n{label}" if column in headings else label
    headings.is_form = len(rows[chosen[-1]]) <= 2
    return headings


def _is_form(rows: Collection[dict[int, str]]) -> bool:
    """Whether the table has two columns of which the first labels the second."""
    if max(max(row) for row in rows) != 1:
        return False
    return sum(names_field(row.get(0, "")) and not names_field(row.get(1, "")) for row in rows) > 1


def with_spaced_words(label: str) -> str:
    """A label, and on a second line its words when they are joined: `passportNumber` also as `passport Number`."""
    label = label.strip()
    parted = _CAMEL.sub(" ", label)
    return label if parted == label or len(label) > _MOST_CHARACTERS else f"{label}\n{parted}"


def _is_second_heading_row(rows: dict[int, dict[int, str]], first: int, second: int) -> bool:
    """Whether a second row of labels is a heading row too: it fills empty columns, or is in another script."""
    one, two = rows[first], rows[second]
    if not two.keys() <= one.keys() and len(two) > 1:
        return True
    if len(two) < len(one) - 1:
        return False
    scripts = [{bool(_ARABIC.search(label)) for label in row.values()} for row in (one, two)]
    return all(len(script) == 1 for script in scripts) and scripts[0] != scripts[1]


def _over_open_columns(row: dict[int, str], last: dict[int, str]) -> dict[int, str]:
    """The labels of a row by column; the heading of a group is also that of the empty columns to its right."""
    if row is last:
        return {column: with_spaced_words(label) for column, label in row.items()}
    told: dict[int, str] = {}
    current = ""
    for column in sorted(row.keys() | last.keys()):
        current = row.get(column, current)
        if current:
            told[column] = with_spaced_words(current)
    return told
