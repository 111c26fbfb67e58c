"""The results of formulas that no cell keeps, worked out from the cells that they refer to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.ooxml.number_format import digits
from pipeline.documents.ooxml.xml import Element
from pipeline.documents.xlsx.cells import child
from pipeline.documents.xlsx.formula_eval import evaluate, may_build_text
from pipeline.documents.xlsx.formula_functions import Value, as_text
from pipeline.documents.xlsx.references import area_of
from pipeline.documents.xlsx.workbook import Workbook

_DEEPEST = 12  # formulas that refer to formulas
_MOST_CELLS = 200  # of an area that a formula refers to
_MOST_LOOKUPS = 200_000  # of all formulas of a sheet
_LEAST_WHOLE = 10  # characters of a cell that may hold a whole value
_LEAST_DIGITS = 9  # digits of a result that is assembled from shorter texts


@dataclass(slots=True)
class FormulaResults:
    """Works out the formulas of one sheet.

    `cells`: each cell's element and shown text, by row and column. `sheet`: the number of the sheet, -1 for none.
    """

    book: Workbook
    cells: Mapping[tuple[int, int], tuple[Element, str]] = field(default_factory=dict)
    sheet: int = -1
    _known: dict[Element, Value | None] = field(default_factory=dict)
    _depth: int = 0
    _lookups: int = 0
    _longest: int = 0  # characters of the longest value that the current formula refers to

    def of_cell(self, cell: Element) -> str:
        """The result of a cell's formula; "" for a cell without one, and where the result is not known."""
        formula = child(cell, "f")
        return self.result(formula.text, cell) if formula is not None and formula.text else ""

    def result(self, formula: str, cell: Element | None = None) -> str:
        """The result of a formula, in the number format of its cell; "" where it is not known.

        Also "" where the formula refers to cells but does not assemble a value of their fragments: such a result only
        repeats what the cells hold, and is removed with it.
        """
        self._longest = 0
        value = evaluate(formula, self._values_of) if may_build_text(formula) else None
        if value is None or (self._longest and not _is_assembled(as_text(value), self._longest)):
            return ""
        if isinstance(value, str):
            return value
        return self.book.number_text(cell, value).shown if cell is not None else digits(value)

    def _values_of(self, text: str) -> Sequence[Value] | None:
        own = self.book.name_map.names.get(text.lower())
        self._lookups += 1
        if self._depth >= _DEEPEST or self._lookups > _MOST_LOOKUPS:
            return None
        if own:
            value = self._nested(own[0].removeprefix("="))
            return None if value is None else [value]
        area = area_of(text, self.sheet)
        if area is None or (area.bottom - area.top + 1) * (area.right - area.left + 1) > _MOST_CELLS:
            return None
        places = [(row, column) for row in range(area.top, area.bottom + 1)
                  for column in range(area.left, area.right + 1)]  # fmt: skip
        values = [self._value(place) for place in places]
        self._longest = max(self._longest, *(len(str(value)) for value in values))
        return None if None in values else [value for value in values if value is not None]

    def _value(self, place: tuple[int, int]) -> Value | None:
        cell, shown = self.cells.get(place, (None, ""))
        formula = child(cell, "f") if cell is not None and not shown else None
        if formula is None or not formula.text:
            return shown
        if formula not in self._known:
            self._known[formula] = None  # a circular reference has no result
            self._known[formula] = self._nested(formula.text)
        return self._known[formula]

    def _nested(self, formula: str) -> Value | None:
        self._depth += 1
        value = evaluate(formula, self._values_of)
        self._depth -= 1
        return value


def _is_assembled(text: str, longest: int) -> bool:
    """Whether a result is a number or an address that is longer than any cell that it comes from."""
    return longest < _LEAST_WHOLE and (sum(map(str.isdigit, text)) >= _LEAST_DIGITS or "@" in text)
