"""Formulas that may not stay: those that say a value, look at a removed one or at another workbook become what they
last showed, and what they show of a removed value becomes its placeholder."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pipeline.documents import xlsx_cells, xlsx_formulas
from pipeline.documents.ooxml import Element
from pipeline.documents.xlsx_formulas import Kind
from pipeline.documents.xlsx_references import Area, Spot, area_of, seen
from pipeline.documents.xlsx_workbook import Workbook
from pipeline.documents.xlsx_writers import Ledger, Place

_ROUNDS = 12  # passes over formulas that look at each other backwards; then the rest go too
_LEAST_TEXT = 3  # letters and digits of a text that is a part of what was removed
_LEAST_NUMBER = 4  # digits of a number that is: shorter ones count things
_MOST_LOOKED_AT = 200  # removed values that a derived one is compared with


class _Formula(NamedTuple):
    """A cell's formula: `text` may be another cell's, shared; `looks` are the areas it looks at."""

    place: Place
    cell: Element
    element: Element
    text: str
    spot: Spot


def settle(book: Workbook, ledger: Ledger, gone: frozenset[str]) -> None:
    """Turns formulas into values until no formula looks at a placeholder. `gone`: names that lead nowhere any more."""
    waiting = list(_formulas(book))
    for turn in range(_ROUNDS + 1):
        kept: list[_Formula] = []
        before = len(ledger.removed)
        for formula in waiting:
            if turn == _ROUNDS or _is_doomed(formula, book, ledger, gone):
                _become_value(formula, book, ledger)
            else:
                kept.append(formula)
        is_settled = len(kept) == len(waiting) or (len(ledger.removed) == before and not ledger.lost_masters)
        waiting = kept
        if is_settled and turn:
            return


def _formulas(book: Workbook) -> Iterator[_Formula]:
    for sheet in book.sheets:
        if sheet.part is None:
            continue
        masters: dict[str, tuple[str, int, int]] = {}
        for row, column, cell in xlsx_cells.cells(sheet.part.root):
            element = xlsx_cells.child(cell, "f")
            if element is None:
                continue
            text, spot = element.text or "", Spot(sheet.number, row, column)
            if element.get("t") == "shared":
                if text:
                    masters[element.get("si", "")] = (text, row, column)
                elif element.get("si", "") in masters:
                    text, own_row, own_column = masters[element.get("si", "")]
                    spot = Spot(sheet.number, row, column, row - own_row, column - own_column)
            yield _Formula((sheet.number, row, column), cell, element, text, spot)


def _is_doomed(formula: _Formula, book: Workbook, ledger: Ledger, gone: frozenset[str]) -> bool:
    element = formula.element
    if element in ledger.spoken:
        return True
    if element.get("t") == "shared" and (formula.place[0], element.get("si", "")) in ledger.lost_masters:
        return True
    if not formula.text and element.get("t") != "dataTable":
        return True  # it shares what is not there
    if gone and _names(formula.text) & gone:
        return True
    if not ledger.marked and "[" not in formula.text:
        return False
    looked = seen(formula.text, formula.spot, book.map)
    if looked.is_foreign or ledger.marked.any_in(list(_own_areas(formula))):
        return True
    # Never calculated, it keeps nothing of what it looks at, and programs will show what it makes of placeholders.
    return bool(xlsx_cells.value(formula.cell)) and ledger.marked.any_in(looked.areas)


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(token.text.lower() for token in xlsx_formulas.tokens(text) if token.kind is Kind.NAME)


def _own_areas(formula: _Formula) -> Iterator[Area]:
    """The cells that an array formula or a data table fills, and those that a data table reads."""
    for name in ("ref", "r1", "r2"):
        text = formula.element.get(name, "")
        area = area_of(text, formula.place[0]) if text and formula.element.get("t") in ("array", "dataTable") else None
        if area is not None:
            yield area


def _become_value(formula: _Formula, book: Workbook, ledger: Ledger) -> None:
    """The formula goes; its last value stays, unless it shows a part of what was removed, or there is none."""
    element = formula.element
    if element.get("t") == "shared" and element.text:
        ledger.lost_masters.add((formula.place[0], element.get("si", "")))
    xlsx_cells.become_value(formula.cell)
    text = book.text(formula.cell).shown
    derived = _derived(formula, text, book, ledger) if text else ledger.spoken.get(element, "")
    if derived:
        ledger.note(formula.place, [(text, derived)], is_number=book.is_number(formula.cell))
        xlsx_cells.become_string(formula.cell, derived)


def _derived(formula: _Formula, text: str, book: Workbook, ledger: Ledger) -> str:
    """The placeholder of the removed value that a formula's last value is a part of, or holds; "" for none."""
    plain = _plain(text)
    is_number = book.is_number(formula.cell)
    if len(plain) < (_LEAST_NUMBER if is_number else _LEAST_TEXT) or formula.text.startswith("COUNT"):
        return ""
    looked = seen(formula.text, formula.spot, book.map).areas
    places = (place for area in looked if area.is_cell or not is_number for place in ledger.marked.within(area))
    for place in islice(places, _MOST_LOOKED_AT):
        for surface, placeholder in ledger.removed[place]:
            gone = _plain(surface)
            if plain in gone or (len(gone) >= _LEAST_TEXT and gone in plain):
                return placeholder
    return ""


def _plain(text: str) -> str:
    """Letters and digits alone, whatever their case and script of digits."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(str(unicodedata.decimal(c, c)) for c in folded if c.isalnum())
