"""Writes the edits of a workbook's own slots, and notes what they mean for formulas, names and pivot tables."""

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
from pipeline.documents.xlsx import cells, header_footer
from pipeline.documents.xlsx.extract import SITE_ATTRIBUTES, Reader
from pipeline.documents.xlsx.formulas import edited, quoted, saying
from pipeline.documents.xlsx.references import Marked, column_number

Place = tuple[int, int, int]  # sheet, row, column


@dataclass(slots=True)
class Ledger:
    """What the writers did, for those who tidy up behind them.

    `removed`: what went from each cell, with its placeholder. `spoken`: formulas that said something, and the first
    placeholder. `sites`: formulas outside of cells as they must be now, `joined`: those whose strings say something
    only together. `sheets`, `names`, `columns`: new names.
    """

    removed: dict[Place, list[tuple[str, str]]] = field(default_factory=dict)
    marked: Marked = field(default_factory=Marked)
    numbers: Marked = field(default_factory=Marked)
    lost_masters: set[tuple[int, str]] = field(default_factory=set)
    spoken: dict[Element, str] = field(default_factory=dict)
    sites: dict[Slot, str] = field(default_factory=dict)
    joined: dict[Slot, str] = field(default_factory=dict)
    sheets: dict[Element, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    columns: dict[Element, str] = field(default_factory=dict)
    pivots: set[Element] = field(default_factory=set)

    def note(self, place: Place, removed: list[tuple[str, str]], *, is_number: bool) -> None:
        """A cell that became a placeholder."""
        self.removed[place] = removed
        self.marked.add(*place)
        if is_number:
            self.numbers.add(*place)


@dataclass(frozen=True, slots=True)
class Writers:
    """The writers of one workbook's slots."""

    reader: Reader
    ledger: Ledger

    def table(self) -> dict[str, Writer]:
        """A writer for each kind of slot that `Reader` makes."""
        sites = ("site", *(f"site@{name}" for name in SITE_ATTRIBUTES))
        return {
            "cell": partial(self._cell, stored=False),
            "stored": partial(self._cell, stored=True),
            "day": self._day,
            "formula": self._formula,
            "run": self._run,
            "banner": self._banner,
            "format": self._format,
            "sheet": self._sheet,
            "name": partial(self._name, attribute="name"),
            "name@displayName": partial(self._name, attribute="displayName"),
            "column": self._column,
            "pivot": self._pivot,
            **dict.fromkeys(sites, self._site),
            **{f"joined:{kind}": self._joined for kind in sites},
        }

    def _cell(self, slot: Slot, edits: list[Edit], *, stored: bool) -> None:
        element, book = slot.element, self.reader.book
        place = self.place(element)
        if place in self.ledger.removed:
            return
        said = book.text(element)
        text = said.stored if stored else said.shown
        removed = [(text[edit.start : edit.end], edit.replacement) for edit in edits]
        self.ledger.note(place, removed, is_number=book.is_number(element))
        formula = cells.child(element, "f")
        if formula is not None and formula.get("t") == "shared" and formula.text:
            self.ledger.lost_masters.add((place[0], formula.get("si", "")))
        item = book.item(element)
        changed = apply(text, edits)
        if item is not None and len(cells.runs(item)) > 1 and len(changed) <= MAX_STRING:
            own = deepcopy(item)
            cells.edit(own, edits)
            cells.become_string(element, own)
        else:
            cells.become_string(element, changed[:MAX_STRING])

    def _day(self, slot: Slot, edits: list[Edit]) -> None:
        """A number that means a date: the whole cell says it."""
        place = self.place(slot.element)
        if place not in self.ledger.removed:
            shown = self.reader.book.text(slot.element).shown
            self._cell(Slot(slot.element, "cell"), [Edit(0, len(shown), _first(edits))], stored=False)

    def place(self, element: Element) -> Place:
        """Where a cell stands."""
        address = element.get("r")
        letters = address.rstrip("0123456789")
        return self.reader.book.holding(element).number, int(address[len(letters) :]), column_number(letters)

    def _formula(self, slot: Slot, edits: list[Edit]) -> None:
        self.ledger.spoken.setdefault(slot.element, _first(edits))

    def _site(self, slot: Slot, edits: list[Edit]) -> None:
        source = self.reader.sites[slot]
        mark = "#" if source.startswith("#") and slot.kind == "site@Target" else ""
        body = source.removeprefix(mark)
        self.ledger.sites[slot] = mark + edited(body, saying(body, self.reader.book.names), edits)

    def _joined(self, slot: Slot, edits: list[Edit]) -> None:
        self.ledger.joined[Slot(slot.element, slot.kind.removeprefix("joined:"))] = quoted(_first(edits))

    def _run(self, slot: Slot, edits: list[Edit]) -> None:
        cells.write(slot.element, apply(slot.element.text, edits))

    def _banner(self, slot: Slot, edits: list[Edit]) -> None:
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
        self.ledger.sheets[slot.element] = apply(slot.element.get("name"), edits)

    def _name(self, slot: Slot, edits: list[Edit], *, attribute: str) -> None:
        name = slot.element.get(attribute)
        self.ledger.names[name.lower()] = apply(name, edits)

    def _column(self, slot: Slot, edits: list[Edit]) -> None:
        self.ledger.columns[slot.element] = apply(slot.element.get("name"), edits)

    def _pivot(self, slot: Slot, edits: list[Edit]) -> None:
        self.ledger.pivots.add(slot.element.getroottree().getroot())


def _first(edits: Sequence[Edit]) -> str:
    return next((edit.replacement for edit in edits if edit.replacement), "-")
