"""Writes the edits of a workbook's own slots, and records what they mean for formulas, names and pivot tables."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial

from pipeline.documents.edits import Edit, apply
from pipeline.documents.limits import MAX_STRING
from pipeline.documents.ooxml.edit import Writer
from pipeline.documents.ooxml.number_format import literals
from pipeline.documents.ooxml.number_format import quoted as format_literal
from pipeline.documents.ooxml.text_unit import Slot
from pipeline.documents.ooxml.xml import Element
from pipeline.documents.xlsx import cells, header_footer, strings
from pipeline.documents.xlsx.extract import FORMULA_SLOT_ATTRIBUTES, Reader
from pipeline.documents.xlsx.formulas import edited, formula_text, quoted
from pipeline.documents.xlsx.references import MarkedCells, column_number

CellAddress = tuple[int, int, int]  # number of the sheet, row, column


@dataclass(slots=True)
class EditRecord:
    """The edits of a workbook, for what must be made consistent with them.

    `removed`: the texts removed from each cell, with their placeholders. `marked`: these cells; `numbers`: those that
    held a number. `removed_masters`: sheet and index of the shared formulas whose master is removed.
    `formula_placeholders`: formulas of cells with a value in them, and its placeholder.
    `outside_formulas`: new texts of formulas outside cells; `joined_formulas`: of those whose strings make up a value
    only together. `sheets`, `names`, `columns`: new names. `pivots`: roots of pivot parts with a value.
    """

    removed: dict[CellAddress, list[tuple[str, str]]] = field(default_factory=dict)
    marked: MarkedCells = field(default_factory=MarkedCells)
    numbers: MarkedCells = field(default_factory=MarkedCells)
    removed_masters: set[tuple[int, str]] = field(default_factory=set)
    formula_placeholders: dict[Element, str] = field(default_factory=dict)
    outside_formulas: dict[Slot, str] = field(default_factory=dict)
    joined_formulas: dict[Slot, str] = field(default_factory=dict)
    sheets: dict[Element, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    columns: dict[Element, str] = field(default_factory=dict)
    pivots: set[Element] = field(default_factory=set)

    def record_cell(self, place: CellAddress, removed: list[tuple[str, str]], *, is_number: bool) -> None:
        """Records a cell that becomes a placeholder: the texts removed from it, each with its placeholder."""
        self.removed[place] = removed
        self.marked.add(*place)
        if is_number:
            self.numbers.add(*place)


@dataclass(frozen=True, slots=True)
class Writers:
    """The writers of one workbook's slots."""

    reader: Reader
    record: EditRecord

    def table(self) -> dict[str, Writer]:
        """The writer of each kind of slot that `Reader` makes."""
        outside = ("outside", *(f"outside@{name}" for name in FORMULA_SLOT_ATTRIBUTES))
        return {
            "cell": partial(self._cell, stored=False),
            "stored": partial(self._cell, stored=True),
            "date": self._date,
            "formula": self._formula,
            "run": self._run,
            "header": self._header_footer,
            "format": self._format,
            "sheet": self._sheet,
            "name": partial(self._name, attribute="name"),
            "name@displayName": partial(self._name, attribute="displayName"),
            "column": self._column,
            "pivot": self._pivot,
            **dict.fromkeys(outside, self._outside_formula),
            **{f"joined:{kind}": self._joined for kind in outside},
        }

    def _cell(self, slot: Slot, edits: list[Edit], *, stored: bool) -> None:
        element, book = slot.element, self.reader.book
        place = self.address_of(element)
        if place in self.record.removed:
            return
        cell_text = book.text(element)
        text = cell_text.stored if stored else cell_text.shown
        removed = [(text[edit.start : edit.end], edit.replacement) for edit in edits]
        self.record.record_cell(place, removed, is_number=book.is_number(element))
        formula = cells.child(element, "f")
        if formula is not None and formula.get("t") == "shared" and formula.text:
            self.record.removed_masters.add((place[0], formula.get("si", "")))
        item = book.string_item(element)
        changed = apply(text, edits)
        if item is not None and len(strings.runs(item)) > 1 and len(changed) <= MAX_STRING:
            own = deepcopy(item)
            strings.edit(own, edits)
            cells.become_string(element, own)
        else:
            cells.become_string(element, changed[:MAX_STRING])

    def _date(self, slot: Slot, edits: list[Edit]) -> None:
        """A number that means a date becomes a placeholder as a whole."""
        place = self.address_of(slot.element)
        if place not in self.record.removed:
            shown = self.reader.book.text(slot.element).shown
            self._cell(Slot(slot.element, "cell"), [Edit(0, len(shown), _first(edits))], stored=False)

    def address_of(self, element: Element) -> CellAddress:
        """The address of a cell element."""
        address = element.get("r")
        letters = address.rstrip("0123456789")
        return self.reader.book.sheet_with(element).number, int(address[len(letters) :]), column_number(letters)

    def _formula(self, slot: Slot, edits: list[Edit]) -> None:
        self.record.formula_placeholders.setdefault(slot.element, _first(edits))

    def _outside_formula(self, slot: Slot, edits: list[Edit]) -> None:
        source = self.reader.outside_formulas[slot]
        mark = "#" if source.startswith("#") and slot.kind == "outside@Target" else ""
        body = source.removeprefix(mark)
        self.record.outside_formulas[slot] = mark + edited(body, formula_text(body, self.reader.book.names), edits)

    def _joined(self, slot: Slot, edits: list[Edit]) -> None:
        self.record.joined_formulas[Slot(slot.element, slot.kind.removeprefix("joined:"))] = quoted(_first(edits))

    def _run(self, slot: Slot, edits: list[Edit]) -> None:
        strings.write(slot.element, apply(slot.element.text, edits))

    def _header_footer(self, slot: Slot, edits: list[Edit]) -> None:
        slot.element.text = header_footer.edited(slot.element.text, edits)

    def _format(self, slot: Slot, edits: list[Edit]) -> None:
        code, position, changes = slot.element.get("formatCode"), 0, []
        for start, end, text in literals(code):
            own = [
                Edit(max(e.start - position, 0), min(e.end - position, len(text)), e.replacement)
                for e in edits
                if e.start < position + len(text) and e.end > position
            ]
            if own:
                changes.append(Edit(start, end, format_literal(apply(text, own))))
            position += len(text) + 1
        slot.element.set("formatCode", apply(code, changes))

    def _sheet(self, slot: Slot, edits: list[Edit]) -> None:
        self.record.sheets[slot.element] = apply(slot.element.get("name"), edits)

    def _name(self, slot: Slot, edits: list[Edit], *, attribute: str) -> None:
        name = slot.element.get(attribute)
        self.record.names[name.lower()] = apply(name, edits)

    def _column(self, slot: Slot, edits: list[Edit]) -> None:
        self.record.columns[slot.element] = apply(slot.element.get("name"), edits)

    def _pivot(self, slot: Slot, edits: list[Edit]) -> None:
        self.record.pivots.add(slot.element.getroottree().getroot())


def _first(edits: Sequence[Edit]) -> str:
    return next((edit.replacement for edit in edits if edit.replacement), "-")
