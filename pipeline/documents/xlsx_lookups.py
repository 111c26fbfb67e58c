"""What the formulas of a sheet give that no cell keeps, and the dates that cells keep as mere numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.ooxml import Element
from pipeline.documents.xlsx_cells import child
from pipeline.documents.xlsx_computed import computed, may_say
from pipeline.documents.xlsx_dates import in_full
from pipeline.documents.xlsx_functions import Value, as_text
from pipeline.documents.xlsx_numbers import digits
from pipeline.documents.xlsx_references import area_of
from pipeline.documents.xlsx_workbook import Workbook

_DEEPEST = 12  # formulas that look at formulas
_MOST_CELLS = 200  # of an area that a formula looks at
_MOST_LOOKS = 200_000  # of all formulas of a sheet
_DATED = re.compile(r"\b(?:dates?|dob|d\.o\.b|birth(?:day|date)?|born)\b|تاريخ|ميلاد", re.IGNORECASE)
_LEAST_WHOLE = 10  # characters of a cell that may hold a value by itself
_LEAST_DIGITS = 9
_SERIAL = re.compile(r"\d{4,5}")
_FIRST_DAY, _LAST_DAY = 7_000, 73_050  # 1919 to 2099: what is less may be a year


@dataclass(slots=True)
class Lookups:
    """One sheet's formulas. `cells`: each cell and what it shows, by row and column; `sheet`: its number, -1: none."""

    book: Workbook
    cells: Mapping[tuple[int, int], tuple[Element, str]] = field(default_factory=dict)
    sheet: int = -1
    _known: dict[Element, Value | None] = field(default_factory=dict)
    _depth: int = 0
    _looks: int = 0
    _longest: int = 0  # characters of what the formula at hand looks at

    def of(self, cell: Element) -> str:
        """What the formula of a cell gives; "" for a cell without one."""
        formula = child(cell, "f")
        return self.said(formula.text, cell) if formula is not None and formula.text else ""

    def said(self, formula: str, cell: Element | None = None) -> str:
        """What a formula gives, as its cell shows it; "" where that cannot be told.

        What it only repeats of cells that hold a whole value goes on with their placeholders.
        """
        self._longest = 0
        value = computed(formula, self._look) if may_say(formula) else None
        if value is None or (self._longest and not _is_made_up(as_text(value), self._longest)):
            return ""
        if isinstance(value, str):
            return value
        return self.book.of_number(cell, value).shown if cell is not None else digits(value)

    def _look(self, text: str) -> Sequence[Value] | None:
        own = self.book.map.names.get(text.lower())
        self._looks += 1
        if self._depth >= _DEEPEST or self._looks > _MOST_LOOKS:
            return None
        if own:
            value = self._deeper(own[0].removeprefix("="))
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
            self._known[formula] = None  # what looks at itself gives nothing
            self._known[formula] = self._deeper(formula.text)
        return self._known[formula]

    def _deeper(self, formula: str) -> Value | None:
        self._depth += 1
        value = computed(formula, self._look)
        self._depth -= 1
        return value


def _is_made_up(text: str, longest: int) -> bool:
    """Whether a text is put together of fragments: no cell holds so much of a number or an address."""
    return longest < _LEAST_WHOLE and (sum(map(str.isdigit, text)) >= _LEAST_DIGITS or "@" in text)


def day(shown: str, context: str, *, is_1904: bool) -> str:
    """The date that a bare number under a date's label means; "" for none: 31920 is the 23rd of May 1987."""
    if not _SERIAL.fullmatch(shown) or not _FIRST_DAY <= int(shown) <= _LAST_DAY or not _DATED.search(context):
        return ""
    return in_full(int(shown), is_1904=is_1904) or ""
