"""What the formulas of a sheet give that no cell keeps, and the dates that cells keep as mere numbers."""

import re
import unicodedata
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
_DATED = re.compile(r"dates?|d.?o.?b|birth|born|تاريخ|ميلاد|مواليد", re.IGNORECASE)
_LEAST_WHOLE = 10  # characters of a cell that may hold a value by itself
_LEAST_DIGITS = 9
_SERIAL = re.compile(r"\d{4,5}")
_FIRST_DAY, _LAST_DAY = 7_000, 73_050  # 1919 to 2099: what is less may be a year
_NUMBER = re.compile(r"[-+(]?\d[\d.,٬٫ ]*%?\)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNSAID = re.compile("[\u0640\u064b-\u065f\u0670\u200b-\u200f\u2066-\u2069]").match  # lengthening, vowels, directions
_BETWEEN = re.compile(r"[^\w\n/|()،\u2013\u2014]+|_+")  # what stands between the words of a label
_PARTS = re.compile(r"[\n/|()،\u2013\u2014]")  # what parts a label in two languages, or a remark
_BIRTH = re.compile(
    r"(?:\w+ ){0,3}(?:birth ?dates?|dates? of birth|d ?o ?b|birthdays?|born(?: on)?)"
    r"|(?:ال)?تاريخ (?:ال)?(?:ميلاد|ولاد[ةه])(?: \w+){0,3}|(?:ال)?ميلاد|مواليد"
)
_DATE = re.compile(r"(?:\w+ ){0,3}date|dates? of(?: \w+){1,3}|date \w+ed(?: on)?|(?:ال)?تاريخ(?: \w+){0,3}")
# With one of these a label names an amount, a count or a code, whatever date it mentions.
_AMOUNT = re.compile(
    r"\b(?:amounts?|as|at|averages?|avg|balance|budget|by|codes?|costs?|counts?|days|expenses?|hours|income|no|number|per"
    r"|prices?|qty|quantity|rates?|revenues?|rows?|sales|since|spen[dt]|sums?|till|to|totals?|units?|until|up|versus|vs"
    r"|volume|weights?|ytd)\b"
    r"|حتى|[إا]جمالي|مجموع|معدل|عدد|رقم|مبلغ|مبالغ|قيمة|تكلفة|سعر|مبيعات|مكان|وزن"
)

Place = tuple[int, int]  # row and column


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
    if not _is_serial(shown) or not _DATED.search(context):
        return ""
    return in_full(int(shown), is_1904=is_1904) or ""


def dated(shown: Mapping[Place, str], contexts: Mapping[Place, str]) -> set[Place]:
    """The places whose numbers may mean dates, by the labels around them and by the numbers in the same column."""
    columns: dict[tuple[int, str], list[Place]] = {}
    for place in shown:
        context = contexts.get(place, "")
        if _DATED.search(context):
            columns.setdefault((place[1], context), []).append(place)
    found: set[Place] = set()
    for (_, context), places in columns.items():
        if is_date_label(context, [shown[place].strip() for place in places]):
            found.update(places)
    return found


def is_date_label(context: str, column: Sequence[str]) -> bool:
    """Whether labels name a date and nothing else: `Date of birth` does, `Paid to date` and `Birth rate` do not.

    What a mere `Date` labels must be a column without any other number.
    """
    text = "".join(c for c in unicodedata.normalize("NFKC", _CAMEL.sub(" ", context)) if not _UNSAID(c)).lower()
    text = _BETWEEN.sub(" ", text)
    labels = [part.strip().rstrip("0123456789 ") for part in (text.replace("\n", " "), *_PARTS.split(text))]
    if any(_BIRTH.fullmatch(label) and not _AMOUNT.search(label) for label in labels):
        return True
    if _AMOUNT.search(text) or not any(map(_DATE.fullmatch, labels)):
        return False
    return all(_is_serial(said) for said in column if _NUMBER.fullmatch(said))


def _is_serial(text: str) -> bool:
    return _SERIAL.fullmatch(text) is not None and _FIRST_DAY <= int(text) <= _LAST_DAY
