"""Collects all text of a workbook: its cells under their labels, then everything else in its own parts.

`xlsx.edit` writes the kinds of slots that only workbooks have: `cell` and `stored` (a cell as it is shown and as it is
stored), `date` (a cell whose number means a date), `formula` (of a cell), `outside` (a formula outside cells), `joined`
(the strings that a formula joins), `run` (of a string), `header` (of a printed page), `format` (a number format),
`sheet`, `name` and `column` (names), `pivot` (a value of a pivot cache or table).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pipeline.documents.labels import is_heading
from pipeline.documents.ooxml.foreign_names import as_words
from pipeline.documents.ooxml.number_format import literals
from pipeline.documents.ooxml.package import Part
from pipeline.documents.ooxml.split_values import across_cells
from pipeline.documents.ooxml.text import TextCollector
from pipeline.documents.ooxml.text_unit import Segment, Slot, XmlUnit
from pipeline.documents.ooxml.vocabulary import is_trivial, is_vocabulary
from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx import labels, strings
from pipeline.documents.xlsx.cells import Cell, cells, child
from pipeline.documents.xlsx.date_labels import date_cells, date_of_number
from pipeline.documents.xlsx.formula_results import FormulaResults
from pipeline.documents.xlsx.formulas import formula_text, joined_strings
from pipeline.documents.xlsx.header_footer import HEADERS_AND_FOOTERS, header_footer_text
from pipeline.documents.xlsx.mobile_numbers import MOBILE, mobiles
from pipeline.documents.xlsx.references import areas_of
from pipeline.documents.xlsx.workbook import CellText, Sheet, Workbook

# Elements whose text is a formula: of sheets, tables, defined names, charts and sparklines.
FORMULAS = frozenset({"formula", "formula1", "formula2", "f", "definedName", "calculatedColumnFormula",
                      "totalsRowFormula", "fmla"})  # fmt: skip
# Attributes that are a formula or a reference to cells, by element.
FORMULA_ATTRIBUTES = frozenset({("hyperlink", "location"), ("cfvo", "val"), ("sp", "textlink"), ("cacheField",
                                 "formula"),
                                ("calculatedItem", "formula")})  # fmt: skip
FORMULA_SLOT_ATTRIBUTES = ("location", "val", "textlink", "formula", "Target")
_ADDRESS = re.compile(r"\$?[A-Z]{0,3}\$?[0-9]{0,7}(?:[: ]\$?[A-Z]{0,3}\$?[0-9]{0,7})*")
_COLOUR = re.compile(r"[0-9A-F]{8}")


def is_address(text: str) -> bool:
    """Whether a text is nothing but references to cells (`A1:B2 D4`), or a colour."""
    return (any(c.isalpha() for c in text) and _ADDRESS.fullmatch(text) is not None) or bool(_COLOUR.fullmatch(text))


_PEOPLE = frozenset({"author", "displayName"})
_PEOPLE_ELEMENTS = frozenset({"author", "person"})
_RICH = frozenset({"si", "is", "text"})
_SPREADSHEET = ("spreadsheetml", "excel")  # words in the namespaces of a workbook's own parts


@dataclass(slots=True)
class _CellRecord:
    """What is known of one cell: its text as shown and as stored, its formula, and what the formula gives.

    `result` is empty where it cannot be worked out. `context`: the labels of the cell. `is_dated`: they name a date.
    """

    cell: Cell
    text: CellText
    formula: Element | None
    result: str = ""
    context: str = ""
    is_dated: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Row and column."""
        return self.cell.row, self.cell.column

    @property
    def visible(self) -> str:
        """The text that a program shows: the cached value, or the result of the formula."""
        return self.text.shown or self.result


@dataclass(slots=True)
class Reader:
    """Reads the parts of one workbook that have a markup of their own.

    `outside_formulas`: the formulas outside cells by their slots, as they are in the source.
    """

    book: Workbook
    outside_formulas: dict[Slot, str] = field(default_factory=dict)
    _shared: dict[tuple[str, str, str], XmlUnit] = field(default_factory=dict)

    def read(self, collector: TextCollector, part: Part) -> bool:
        """Reads a part of SpreadsheetML. Returns False for other parts, which the common reader reads."""
        if not _is_own(part):
            self._references(collector, part)
            return False
        sheet = self.book.sheet_of(part)
        if sheet is not None and part.content_type.endswith("worksheet+xml"):
            self._cells(collector, part.root, sheet)
        is_pivot = "pivot" in part.content_type.lower()
        is_comment = part.content_type.endswith("comments+xml") and "threaded" not in part.content_type
        for element in _outside_cells(part.root):
            self._element(collector, element, is_pivot=is_pivot, is_billed=is_comment)
        return True

    def _cells(self, collector: TextCollector, root: Element, sheet: Sheet) -> None:
        records = self._records(root, sheet)
        self._label(records, root, sheet)
        lines: dict[int, list[XmlUnit]] = {}
        for record in records:
            unit = _unit(record.text.shown, record.context, Slot(record.cell.element, "cell"), billed=True)
            collector.keep(unit)
            if unit.id:
                lines.setdefault(record.cell.row, []).append(unit)
            self._other_readings(collector, record)
        collector.joints += across_cells(list(lines.values()))

    def _records(self, root: Element, sheet: Sheet) -> list[_CellRecord]:
        """The cells of a worksheet in order, without their labels."""
        book = self.book
        records = [_CellRecord(cell, book.text(cell.element), child(cell.element, "f")) for cell in cells(root)]
        shown = {record.place: (record.cell.element, record.text.shown) for record in records}
        results = FormulaResults(book, shown, sheet.number)
        for record in records:
            if record.formula is not None:
                record.result = results.of_cell(record.cell.element)
        return records

    def _label(self, records: Sequence[_CellRecord], root: Element, sheet: Sheet) -> None:
        """Gives each record its context."""
        rows: dict[int, labels.Row] = {}
        for record in records:
            if record.visible and not record.visible.isspace():
                rows.setdefault(record.cell.row, {})[record.cell.column] = record.visible
        merged = [a for e in root.iter("{*}mergeCell") for a in areas_of(e.get("ref", ""), sheet.number)]
        tables = [
            table.area
            for table in self.book.tables
            if table.area.sheet == sheet.number and table.root.get("headerRowCount") != "0"
        ]
        contexts = {(row, column): label for row, column, label in labels.cell_contexts(rows, merged, tables)}
        visible = {record.place: record.visible for record in records}
        dated = date_cells(visible, contexts)
        for place in mobiles(visible, contexts):
            contexts[place] = "\n".join(dict.fromkeys(filter(None, (*contexts.get(place, "").split("\n"), MOBILE))))
        for record in records:
            record.context, record.is_dated = contexts.get(record.place, ""), record.place in dated

    def _other_readings(self, collector: TextCollector, record: _CellRecord) -> None:
        """Collects the other texts of a cell: its stored number, a date, the text of its formula and its result."""
        element, context, text = record.cell.element, record.context, record.text
        if text.stored:
            collector.keep(_unit(text.stored, context, Slot(element, "stored")))
        date = date_of_number(text.shown.strip(), context if record.is_dated else "", is_1904=self.book.is_1904)
        if date:
            collector.keep(_unit(date, context, Slot(element, "date")))
        if record.formula is not None and record.formula.text:
            slot = Slot(record.formula, "formula")
            self._formula(collector, slot, record.formula.text, context)
            if record.result != text.shown:
                self._result(collector, slot, record.result, context, is_dated=record.is_dated)

    def _element(self, collector: TextCollector, element: Element, *, is_pivot: bool, is_billed: bool) -> None:
        name = local(element)
        for attribute, value in element.attrib.items():
            self._attribute(collector, element, attribute, value, is_pivot=is_pivot)
        text = element.text or ""
        if name in FORMULAS:
            self._outside_formula(collector, Slot(element, "outside"), text)
        elif name in HEADERS_AND_FOOTERS:
            collector.keep(_unit(header_footer_text(text).text, "", Slot(element, "header")))
        elif name in _RICH and strings.runs(element):
            unit = XmlUnit("", "", is_billed)
            for t in strings.runs(element):
                unit.add(t.text or "", Slot(t, "run"))
            phonetic = XmlUnit("", "", False)
            for t in strings.phonetics(element):
                phonetic.add(t.text or "", Slot(t, "run"))
            collector.keep(phonetic)
            if name != "si":  # shared strings are read in the cells that show them
                collector.keep(unit)
        elif name == "t" and not _is_phonetic(element):
            pass  # a run of a string, which is read with the string
        elif text and not text.isspace() and name != "sqref" and not is_address(text):
            kind = "pivot" if is_pivot else "text"
            context = "Name" if name in _PEOPLE_ELEMENTS else ""
            self._keep_shared(collector, text, context, Slot(element, kind))
        if element.tail and not element.tail.isspace():
            collector.keep(_unit(element.tail, "", Slot(element, "tail")))

    def _attribute(
        self, collector: TextCollector, element: Element, attribute: str, value: str, *, is_pivot: bool
    ) -> None:
        name, plain = local(element), attribute.rpartition("}")[2]
        is_reference = plain not in _TEXTS and is_address(value)
        if is_trivial(value) or is_reference or is_vocabulary(name, plain, value):
            return
        if (name, plain) in FORMULA_ATTRIBUTES:
            self._outside_formula(collector, Slot(element, "outside@" + attribute), value)
        elif (name, plain) == ("numFmt", "formatCode"):
            text = "\n".join(text for _, _, text in literals(value))
            collector.keep(_unit(text, "", Slot(element, "format")))
        elif (name, plain) in _NAMED:
            kind = _NAMED[name, plain]
            self._keep_shared(collector, as_words(value.translate(_SPACED)), "", Slot(element, kind))
        else:
            context = "Name" if plain in _PEOPLE and name in _PEOPLE_ELEMENTS else _field(element) if is_pivot else ""
            kind = "pivot" if is_pivot else "@" + attribute
            words = as_words(value) if _ONE_WORD.fullmatch(value) else value
            self._keep_shared(collector, words, context, Slot(element, kind))

    def _references(self, collector: TextCollector, part: Part) -> None:
        """Moves references to cells out of a part of another markup, so that they are not read as text."""
        root: Element = part.root
        for element in root.iter():
            name = local(element)
            if (name in FORMULAS or name == "sqref") and element.text:
                self._outside_formula(collector, Slot(element, "outside"), element.text)
                element.text = ""
            for attribute in ("textlink",):
                if element.get(attribute):
                    self._outside_formula(collector, Slot(element, "outside@" + attribute), element.get(attribute))
                    element.set(attribute, "")
            if name == "Relationship" and element.get("Target", "").startswith("#"):
                self._outside_formula(collector, Slot(element, "outside@Target"), element.get("Target"))
                element.set("Target", "#")

    def _result(self, collector: TextCollector, slot: Slot, text: str, context: str, *, is_dated: bool = False) -> None:
        """Collects the result of a formula, and the date that it means."""
        if text:
            self._keep_shared(collector, text, context, slot)
            date = date_of_number(text.strip(), context if is_dated else "", is_1904=self.book.is_1904)
            if date:
                self._keep_shared(collector, date, context, slot)

    def _outside_formula(self, collector: TextCollector, slot: Slot, text: str) -> None:
        self.outside_formulas[slot] = text
        self._formula(collector, slot, text, "")
        self._result(collector, Slot(slot.element, "joined:" + slot.kind), FormulaResults(self.book).result(text), "")

    def _formula(self, collector: TextCollector, slot: Slot, text: str, context: str) -> None:
        """Collects the text in a formula, and the strings that it joins."""
        found = formula_text(text.removeprefix("#"), self.book.names).text
        if found:
            self._keep_shared(collector, found, context, slot)
        joined = joined_strings(text)
        if joined:
            kind = slot.kind if slot.kind == "formula" else "joined:" + slot.kind
            self._keep_shared(collector, joined, context, Slot(slot.element, kind))

    def _keep_shared(self, collector: TextCollector, text: str, context: str, slot: Slot) -> None:
        """Collects a text once for all slots that are written alike."""
        key = (text, context, slot.kind.partition("@")[0])
        unit = self._shared.get(key)
        if unit is None:
            unit = self._shared[key] = XmlUnit("", context, False, text, is_repeated=True)
            collector.keep(unit)
        unit.add(text, slot)


_NAMED = {
    ("sheet", "name"): "sheet",
    ("definedName", "name"): "name",
    ("table", "name"): "name",
    ("table", "displayName"): "name@displayName",
    ("tableColumn", "name"): "column",
}
_TEXTS = frozenset({"name", "displayName", "caption", "v", "val", "value"})  # no references: `Q1 2024` names a sheet
_ONE_WORD = re.compile(r"\w+")  # a name without blanks
_SPACED = str.maketrans("_.\\", "   ")  # what names without blanks use instead


def _unit(text: str, context: str, slot: Slot, *, billed: bool = False) -> XmlUnit:
    return XmlUnit("", context, billed, text, [Segment(0, len(text), slot)])


def _is_own(part: Part) -> bool:
    root: Element = part.root
    namespace: str = root.tag.partition("}")[0]
    return any(word in namespace for word in _SPREADSHEET) and "drawing" not in namespace.lower()


def _outside_cells(root: Element) -> Iterator[Element]:
    """All elements of a part, except the rows of a sheet."""
    yield root
    for element in root:
        if local(element) != "sheetData":
            yield from element.iter()


def _field(element: Element) -> str:
    """The name of the pivot field that a value belongs to."""
    for above in element.iterancestors():
        if local(above) == "cacheField":
            name = above.get("name", "")
            return name if is_heading(name) else ""
    return ""


def _is_phonetic(t: Element) -> bool:
    parent = t.getparent()
    return parent is not None and local(parent) == "rPh"
