"""Turns formulas into values where they contain a removed value, or refer to a removed cell or another workbook."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pipeline.documents.ooxml.xml import Element
from pipeline.documents.xlsx import formulas
from pipeline.documents.xlsx.cells import become_string, become_value, cells, child, value
from pipeline.documents.xlsx.edit import CellAddress, EditRecord
from pipeline.documents.xlsx.formulas import Kind
from pipeline.documents.xlsx.references import Area, FormulaPosition, area_of, references_of
from pipeline.documents.xlsx.workbook import Workbook

_ROUNDS = 12  # passes over formulas that refer to each other; after that all remaining ones become values
_LEAST_TEXT = 3  # letters and digits of a text that counts as a part of a removed value
_LEAST_NUMBER = 4  # digits of such a number; shorter ones are counts
_MOST_COMPARED = 200  # removed values that a cached value is compared with


class _Formula(NamedTuple):
    """A cell's formula. `text` is the master's for a shared formula; `position` says how far the master is."""

    place: CellAddress
    cell: Element
    element: Element
    text: str
    position: FormulaPosition


def remove_formulas(book: Workbook, record: EditRecord, removed_names: frozenset[str]) -> None:
    """Replaces formulas by their values until no formula refers to a placeholder.

    `removed_names`: defined names that were removed, in lower case.
    """
    waiting = list(_formulas(book))
    for turn in range(_ROUNDS + 1):
        kept: list[_Formula] = []
        before = len(record.removed)
        for formula in waiting:
            if turn == _ROUNDS or _must_become_value(formula, book, record, removed_names):
                _become_value(formula, book, record)
            else:
                kept.append(formula)
        is_settled = len(kept) == len(waiting) or (len(record.removed) == before and not record.removed_masters)
        waiting = kept
        if is_settled and turn:
            return


def _formulas(book: Workbook) -> Iterator[_Formula]:
    for sheet in book.sheets:
        if sheet.part is None:
            continue
        masters: dict[str, tuple[str, int, int]] = {}
        for row, column, cell in cells(sheet.part.root):
            element = child(cell, "f")
            if element is None:
                continue
            text, position = element.text or "", FormulaPosition(sheet.number, row, column)
            if element.get("t") == "shared":
                if text:
                    masters[element.get("si", "")] = (text, row, column)
                elif element.get("si", "") in masters:
                    text, own_row, own_column = masters[element.get("si", "")]
                    position = FormulaPosition(sheet.number, row, column, row - own_row, column - own_column)
            yield _Formula((sheet.number, row, column), cell, element, text, position)


def _must_become_value(formula: _Formula, book: Workbook, record: EditRecord, removed_names: frozenset[str]) -> bool:
    element = formula.element
    if element in record.formula_placeholders:
        return True
    if element.get("t") == "shared" and (formula.place[0], element.get("si", "")) in record.removed_masters:
        return True
    if not formula.text and element.get("t") != "dataTable":
        return True  # a shared formula without a master
    if removed_names and _names(formula.text) & removed_names:
        return True
    if not record.marked and "[" not in formula.text:
        return False
    looked = references_of(formula.text, formula.position, book.name_map)
    if looked.is_foreign or record.marked.any_in(list(_own_areas(formula))):
        return True
    # A formula without a cached value keeps nothing of the cells that it refers to; programs compute it anew.
    return bool(value(formula.cell)) and record.marked.any_in(looked.areas)


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(token.text.lower() for token in formulas.tokens(text) if token.kind is Kind.NAME)


def _own_areas(formula: _Formula) -> Iterator[Area]:
    """The cells that an array formula or a data table fills, and the input cells of a data table."""
    for name in ("ref", "r1", "r2"):
        text = formula.element.get(name, "")
        area = area_of(text, formula.place[0]) if text and formula.element.get("t") in ("array", "dataTable") else None
        if area is not None:
            yield area


def _become_value(formula: _Formula, book: Workbook, record: EditRecord) -> None:
    """Replaces a formula by its cached value, or by a placeholder when that shows a part of a removed value."""
    element = formula.element
    if element.get("t") == "shared" and element.text:
        record.removed_masters.add((formula.place[0], element.get("si", "")))
    become_value(formula.cell)
    text = book.text(formula.cell).shown
    derived = (
        _placeholder_of_derived(formula, text, book, record) if text else record.formula_placeholders.get(element, "")
    )
    if derived:
        record.record_cell(formula.place, [(text, derived)], is_number=book.is_number(formula.cell))
        become_string(formula.cell, derived)


def _placeholder_of_derived(formula: _Formula, text: str, book: Workbook, record: EditRecord) -> str:
    """The placeholder of the removed value that contains a formula's cached value, or that it contains; "" for none."""
    plain = _plain(text)
    is_number = book.is_number(formula.cell)
    if len(plain) < (_LEAST_NUMBER if is_number else _LEAST_TEXT) or formula.text.startswith("COUNT"):
        return ""
    looked = references_of(formula.text, formula.position, book.name_map).areas
    places = (place for area in looked if area.is_cell or not is_number for place in record.marked.within(area))
    for place in islice(places, _MOST_COMPARED):
        for surface, placeholder in record.removed[place]:
            removed_names = _plain(surface)
            if plain in removed_names or (len(removed_names) >= _LEAST_TEXT and removed_names in plain):
                return placeholder
    return ""


def _plain(text: str) -> str:
    """The letters and digits of a text, with case folded and digits as ASCII."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(str(unicodedata.decimal(c, c)) for c in folded if c.isalnum())
