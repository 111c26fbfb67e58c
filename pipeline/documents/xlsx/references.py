"""The cells that a formula refers to: areas of sheets, directly or through defined names and tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.documents.xlsx.formulas import Kind, Token, columns_of, sheets_of, tokens

LAST_ROW = 1_048_576
LAST_COLUMN = 16_384
_CELL = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)(\d{0,7})")
_DEEPEST = 6  # defined names that refer to defined names
_MOST_AREAS = 400  # of one formula


class Area(NamedTuple):
    """A rectangle of cells of one sheet (by its number), edges included; rows and columns are counted from 1."""

    sheet: int
    top: int
    left: int
    bottom: int
    right: int

    @property
    def is_cell(self) -> bool:
        """Whether the area is a single cell."""
        return self.top == self.bottom and self.left == self.right

    def overlaps(self, other: "Area") -> bool:
        """Whether the two areas have a cell in common."""
        return (
            self.sheet == other.sheet
            and self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )


class FormulaPosition(NamedTuple):
    """The cell of a formula, and its distance (`down`, `along`) from the master of a shared formula."""

    sheet: int
    row: int
    column: int
    down: int = 0
    along: int = 0


@dataclass(frozen=True, slots=True)
class TableArea:
    """The cells of a table, and the names of its columns in order, in lower case."""

    area: Area
    columns: tuple[str, ...]
    headers: int = 0  # rows of headings, which a reference to a column leaves out


@dataclass(slots=True)
class NameMap:
    """What the names of a workbook refer to; all names are in lower case."""

    sheets: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)  # defined name -> its formulas, one per scope
    tables: dict[str, TableArea] = field(default_factory=dict)


class References(NamedTuple):
    """The areas that a formula refers to.

    `is_foreign`: it refers to another workbook. `has_missing_sheet`: it refers to a sheet that does not exist.
    """

    areas: tuple[Area, ...]
    is_foreign: bool
    has_missing_sheet: bool


def references_of(formula: str, position: FormulaPosition, name_map: NameMap) -> References:
    """The areas that a formula at `position` refers to."""
    walk = _ReferenceWalk(name_map)
    walk.visit(tokens(formula), position, 0)
    return References(tuple(walk.areas[:_MOST_AREAS]), walk.is_foreign, walk.has_missing_sheet)


def area_of(text: str, sheet: int) -> Area | None:
    """The area that `A1:B2`, `A:B`, `1:3` or `A1` names; None for anything else."""
    first, _, last = text.partition(":")
    begin, end = _corner(first), _corner(last or first)
    if begin is None or end is None or (not last and not all(begin)):
        return None
    (top, left), (bottom, right) = begin, end
    rows = sorted((top or 1, bottom or top or LAST_ROW))
    columns = sorted((left or 1, right or left or LAST_COLUMN))
    return Area(sheet, rows[0], columns[0], rows[1], columns[1])


def areas_of(text: str, sheet: int) -> Iterator[Area]:
    """The areas of a list separated by blanks (`sqref`)."""
    for item in text.split():
        area = area_of(item, sheet)
        if area is not None:
            yield area


def column_number(letters: str) -> int:
    """1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    """A for 1, AA for 27."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _corner(text: str) -> tuple[int, int] | None:
    """Row and column of a corner; 0 for one that it leaves out."""
    match = _CELL.fullmatch(text)
    if match is None or not text:
        return None
    row, column = int(match[4] or 0), column_number(match[2])
    return (row, column) if row <= LAST_ROW and column <= LAST_COLUMN else None


class _ReferenceWalk:
    def __init__(self, name_map: NameMap) -> None:
        self._map = name_map
        self.areas: list[Area] = []
        self.is_foreign = self.has_missing_sheet = False

    def visit(self, items: Sequence[Token], position: FormulaPosition, depth: int) -> None:
        sheets = [position.sheet]
        for number, token in enumerate(items):
            if token.kind is Kind.SHEET:
                sheets = self._sheets(token.text, position)
                continue
            if token.kind is Kind.AREA:
                self._area(token.text, sheets, position)
            elif token.kind is Kind.NAME:
                after = items[number + 1] if number + 1 < len(items) else None
                bracket = after.text if after is not None and after.kind is Kind.BRACKET else ""
                self._name(token.text, bracket, position, depth)
            elif token.kind is Kind.BRACKET and (not number or items[number - 1].kind is not Kind.NAME):
                self._own_table(token.text, position)
            sheets = [position.sheet]

    def _sheets(self, prefix: str, position: FormulaPosition) -> list[int]:
        names, is_foreign = sheets_of(prefix)
        self.is_foreign |= is_foreign
        if is_foreign:
            return []
        if not names:
            return [position.sheet]
        numbers = [self._map.sheets.get(name.lower()) for name in names]
        if any(number is None for number in numbers):
            self.has_missing_sheet = True
            return []
        known = sorted(number for number in numbers if number is not None)
        return list(range(known[0], known[-1] + 1))

    def _area(self, text: str, sheets: Sequence[int], position: FormulaPosition) -> None:
        shifted = (
            ":".join(_shifted(corner, position) for corner in text.split(":"))
            if position.down or position.along
            else text
        )
        for sheet in sheets:
            area = area_of(shifted, sheet)
            if area is not None:
                self.areas.append(area)

    def _name(self, name: str, bracket: str, position: FormulaPosition, depth: int) -> None:
        table = self._map.tables.get(name.lower())
        if table is not None:
            self._table(table, bracket, position)
        for formula in self._map.names.get(name.lower(), ()) if depth < _DEEPEST else ():
            self.visit(tokens(formula), FormulaPosition(position.sheet, position.row, position.column), depth + 1)

    def _own_table(self, bracket: str, position: FormulaPosition) -> None:
        here = Area(position.sheet, position.row, position.column, position.row, position.column)
        for table in self._map.tables.values():
            if table.area.overlaps(here):
                self._table(table, bracket, position)

    def _table(self, table: TableArea, bracket: str, position: FormulaPosition) -> None:
        area = table.area
        wanted = [table.columns.index(n.lower()) for n in columns_of(bracket) if n.lower() in table.columns]
        is_row = "@" in bracket or "#this row" in bracket.lower()
        has_headers = "#all" in bracket.lower() or "#headers" in bracket.lower()
        first = area.top + (0 if has_headers else table.headers)
        top, bottom = (position.row, position.row) if is_row else (first, area.bottom)
        left = area.left + min(wanted, default=0)
        right = area.left + max(wanted, default=area.right - area.left)
        self.areas.append(Area(area.sheet, top, left, bottom, right))


def _shifted(corner: str, position: FormulaPosition) -> str:
    """A corner of a reference in a shared formula, shifted to the cell of `position`."""
    match = _CELL.fullmatch(corner)
    if match is None:
        return corner
    fixed_column, letters, fixed_row, row = match.groups()
    if letters and not fixed_column:
        letters = column_letters((column_number(letters) - 1 + position.along) % LAST_COLUMN + 1)
    if row and not fixed_row:
        row = str((int(row) - 1 + position.down) % LAST_ROW + 1)
    return letters + row


class MarkedCells:
    """A set of cells that can be searched by area."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int], dict[int, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, sheet: int, row: int, column: int) -> None:
        """Adds a cell."""
        self._rows.setdefault((sheet, column), {})[row] = None

    def within(self, area: Area) -> Iterator[tuple[int, int, int]]:
        """The cells of the set in an area, as sheet, row and column, column by column."""
        if area.is_cell:
            if area.top in self._rows.get((area.sheet, area.left), ()):
                yield area.sheet, area.top, area.left
            return
        for (sheet, column), rows in self._rows.items():
            if sheet != area.sheet or not area.left <= column <= area.right:
                continue
            fewer = range(area.top, area.bottom + 1) if area.bottom - area.top < len(rows) else list(rows)
            for row in fewer:
                if row in rows and area.top <= row <= area.bottom:
                    yield sheet, row, column

    def any_in(self, areas: Sequence[Area]) -> bool:
        """Whether one of the areas has a cell of the set."""
        return any(True for area in areas for _ in self.within(area))
