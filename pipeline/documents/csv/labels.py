"""Which rows of a table are its headings, and what a cell's label is: its columns' headings, the word before it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from pipeline.documents.csv.parse import Cell
from pipeline.documents.labels import is_heading, names_field

HEADING_ROWS = 20  # rows among which the headings are looked for
_MOST_CHARACTERS = 2_000  # of a label; a group's heading stands over many columns
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ARABIC = re.compile("[\u0621-\u064a]")


class Headings(dict[int, str]):
    """The label of each column that has one; `rows` are those that hold them, with the labels over each of them.

    `is_form`: each value may stand behind its own label; two columns may be a form or a table.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, str]] = {}
        self.is_form = True

    def over(self, cell: Cell) -> str:
        """The label over a cell; a second row of headings may be a row of values after all, and has the first one's."""
        return self.rows.get(cell.row, self).get(cell.column, "")


def headings_of(cells: Iterable[Cell]) -> Headings:
    """The first row near the top, as wide as the table, whose filled cells all look like labels; and the next one,
    if the first only names groups of columns, or says the same in another script."""
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
    if first + 2 < len(numbers) and labels[first + 1] and _continues(rows, numbers[first], numbers[first + 1]):
        chosen.append(numbers[first + 1])
    if first and labels[first - 1] and 1 < len(rows[numbers[first - 1]]) < len(rows[chosen[0]]):
        chosen.insert(0, numbers[first - 1])
    for number in chosen:
        headings.rows[number] = dict(headings)
        for column, label in _spread_out(rows[number], rows[chosen[-1]]).items():
            headings[column] = f"{headings[column]}\n{label}" if column in headings else label
    headings.is_form = len(rows[chosen[-1]]) <= 2
    return headings


def _is_form(rows: Collection[dict[int, str]]) -> bool:
    """Whether the first of two columns labels the second: several of its cells are such words."""
    if max(max(row) for row in rows) != 1:
        return False
    return sum(names_field(row.get(0, "")) and not names_field(row.get(1, "")) for row in rows) > 1


def spelled(label: str) -> str:
    """A label with words that programmers join: `passportNumber` also as `passport Number`."""
    label = label.strip()
    parted = _CAMEL.sub(" ", label)
    return label if parted == label or len(label) > _MOST_CHARACTERS else f"{label}\n{parted}"


def _continues(rows: dict[int, dict[int, str]], first: int, second: int) -> bool:
    """Whether a second row of labels is headings too: it fills open columns, or is in another script."""
    one, two = rows[first], rows[second]
    if not two.keys() <= one.keys() and len(two) > 1:
        return True
    if len(two) < len(one) - 1:
        return False
    scripts = [{bool(_ARABIC.search(label)) for label in row.values()} for row in (one, two)]
    return all(len(script) == 1 for script in scripts) and scripts[0] != scripts[1]


def _spread_out(row: dict[int, str], last: dict[int, str]) -> dict[int, str]:
    """A row's labels, each also over the columns to its right that it leaves open: a group's heading."""
    if row is last:
        return {column: spelled(label) for column, label in row.items()}
    told: dict[int, str] = {}
    current = ""
    for column in sorted(row.keys() | last.keys()):
        current = row.get(column, current)
        if current:
            told[column] = spelled(current)
    return told
