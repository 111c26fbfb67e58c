"""Every place of a workbook where text can stand, gathered into pieces: cells under their labels, then all the rest.

Slots of kinds that only workbooks have are written by xlsx_writers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipeline.documents import xlsx_cells, xlsx_headings, xlsx_strings
from pipeline.documents.headings import is_heading
from pipeline.documents.ooxml import Element, Part, local
from pipeline.documents.ooxml_joints import across_lines
from pipeline.documents.ooxml_names import as_words
from pipeline.documents.ooxml_pieces import Piece, Segment, Slot
from pipeline.documents.ooxml_text import Survey
from pipeline.documents.ooxml_vocabulary import is_trivial, is_vocabulary
from pipeline.documents.xlsx_banners import BANNERS, banner
from pipeline.documents.xlsx_formulas import joined_strings, saying
from pipeline.documents.xlsx_lookups import Lookups, dated, day
from pipeline.documents.xlsx_numbers import literals
from pipeline.documents.xlsx_places import FORMULA_ATTRIBUTES, FORMULAS, is_address
from pipeline.documents.xlsx_references import areas_of
from pipeline.documents.xlsx_workbook import Sheet, Workbook

_PEOPLE = frozenset({"author", "displayName"})
_PEOPLE_ELEMENTS = frozenset({"author", "person"})
_RICH = frozenset({"si", "is", "text"})
_SPREADSHEET = ("spreadsheetml", "excel")  # in the namespaces of the parts that are read here


@dataclass(slots=True)
class Reader:
    """Reads the parts of one workbook that are its own; `sites` are the formulas outside cells, as it met them."""

    book: Workbook
    sites: dict[Slot, str] = field(default_factory=dict)  # formulas outside of cells as they were
    _shared: dict[tuple[str, str, str], Piece] = field(default_factory=dict)

    def read(self, survey: Survey, part: Part) -> bool:
        """Reads a part that is written in the workbook's own language; whether it was one."""
        if not _is_own(part):
            self._references(survey, part)
            return False
        sheet = self.book.sheet_of(part)
        if sheet is not None and part.content_type.endswith("worksheet+xml"):
            self._cells(survey, part.root, sheet)
        is_pivot = "pivot" in part.content_type.lower()
        is_remark = part.content_type.endswith("comments+xml") and "threaded" not in part.content_type
        for element in _outside_cells(part.root):
            self._element(survey, element, is_pivot=is_pivot, is_billed=is_remark)
        return True

    def _cells(self, survey: Survey, root: Element, sheet: Sheet) -> None:
        book = self.book
        cells = [(cell, book.text(cell.element)) for cell in xlsx_cells.cells(root)]
        lookups = Lookups(book, {(c.row, c.column): (c.element, said.shown) for c, said in cells}, sheet.number)
        given = {c.element: lookups.of(c.element) for c, _ in cells if xlsx_cells.child(c.element, "f") is not None}
        rows: dict[int, xlsx_headings.Row] = {}
        for cell, said in cells:
            text = said.shown or given.get(cell.element, "")
            if text and not text.isspace():
                rows.setdefault(cell.row, {})[cell.column] = text
        merged = [a for e in root.iter("{*}mergeCell") for a in areas_of(e.get("ref", ""), sheet.number)]
        tables = [t.area for t in book.tables if t.area.sheet == sheet.number and t.root.get("headerRowCount") != "0"]
        contexts = {(row, column): label for row, column, label in xlsx_headings.contexts(rows, merged, tables)}
        numbers = {(cell.row, cell.column): said.shown or given.get(cell.element, "") for cell, said in cells}
        days = dated(numbers, contexts)
        lines: dict[int, list[Piece]] = {}
        for cell, said in cells:
            place = (cell.row, cell.column)
            context = contexts.get(place, "")
            piece = _piece(said.shown, context, Slot(cell.element, "cell"), billed=True)
            survey.keep(piece)
            if piece.id:
                lines.setdefault(cell.row, []).append(piece)
            if said.stored:
                survey.keep(_piece(said.stored, context, Slot(cell.element, "stored")))
            date = day(said.shown.strip(), context if place in days else "", is_1904=book.is_1904)
            if date:
                survey.keep(_piece(date, context, Slot(cell.element, "day")))
            formula = xlsx_cells.child(cell.element, "f")
            if formula is not None and formula.text:
                slot = Slot(formula, "formula")
                self._formula(survey, slot, formula.text, context)
                if given[cell.element] != said.shown:
                    self._computed(survey, slot, given[cell.element], context, is_dated=place in days)
        survey.joints += across_lines(list(lines.values()))

    def _element(self, survey: Survey, element: Element, *, is_pivot: bool, is_billed: bool) -> None:
        name = local(element)
        for attribute, value in element.attrib.items():
            self._attribute(survey, element, attribute, value, is_pivot=is_pivot)
        text = element.text or ""
        if name in FORMULAS:
            self._site(survey, Slot(element, "site"), text)
        elif name in BANNERS:
            survey.keep(_piece(banner(text).text, "", Slot(element, "banner")))
        elif name in _RICH and xlsx_strings.runs(element):
            piece = Piece("", "", is_billed)
            for t in xlsx_strings.runs(element):
                piece.add(t.text or "", Slot(t, "run"))
            hints = Piece("", "", False)
            for t in xlsx_strings.phonetics(element):
                hints.add(t.text or "", Slot(t, "run"))
            survey.keep(hints)
            if name != "si":  # shared strings are read where cells show them
                survey.keep(piece)
        elif name == "t" and not _is_phonetic(element):
            pass  # a run of a string, which was read with it
        elif text and not text.isspace() and name != "sqref" and not is_address(text):
            kind = "pivot" if is_pivot else "text"
            context = "Name" if name in _PEOPLE_ELEMENTS else ""
            self._keep_shared(survey, text, context, Slot(element, kind))
        if element.tail and not element.tail.isspace():
            survey.keep(_piece(element.tail, "", Slot(element, "tail")))

    def _attribute(self, survey: Survey, element: Element, attribute: str, value: str, *, is_pivot: bool) -> None:
        name, plain = local(element), attribute.rpartition("}")[2]
        is_place = plain not in _TEXTS and is_address(value)
        if is_trivial(value) or is_place or is_vocabulary(name, plain, value):
            return
        if (name, plain) in FORMULA_ATTRIBUTES:
            self._site(survey, Slot(element, "site@" + attribute), value)
        elif (name, plain) == ("numFmt", "formatCode"):
            said = "\n".join(text for _, _, text in literals(value))
            survey.keep(_piece(said, "", Slot(element, "format")))
        elif (name, plain) in _NAMED:
            kind = _NAMED[name, plain]
            self._keep_shared(survey, as_words(value.translate(_SPACED)), "", Slot(element, kind))
        else:
            context = "Name" if plain in _PEOPLE and name in _PEOPLE_ELEMENTS else _field(element) if is_pivot else ""
            kind = "pivot" if is_pivot else "@" + attribute
            words = as_words(value) if _ONE_WORD.fullmatch(value) else value
            self._keep_shared(survey, words, context, Slot(element, kind))

    def _references(self, survey: Survey, part: Part) -> None:
        """In parts of other languages, references to cells are taken aside, so that they are not read as text."""
        root: Element = part.root
        for element in root.iter():
            name = local(element)
            if (name in FORMULAS or name == "sqref") and element.text:
                self._site(survey, Slot(element, "site"), element.text)
                element.text = ""
            for attribute in ("textlink",):
                if element.get(attribute):
                    self._site(survey, Slot(element, "site@" + attribute), element.get(attribute))
                    element.set(attribute, "")
            if name == "Relationship" and element.get("Target", "").startswith("#"):
                self._site(survey, Slot(element, "site@Target"), element.get("Target"))
                element.set("Target", "#")

    def _computed(self, survey: Survey, slot: Slot, text: str, context: str, *, is_dated: bool = False) -> None:
        """What a formula gives, where nobody has kept it, and as a date where that is what it is."""
        if text:
            self._keep_shared(survey, text, context, slot)
            date = day(text.strip(), context if is_dated else "", is_1904=self.book.is_1904)
            if date:
                self._keep_shared(survey, date, context, slot)

    def _site(self, survey: Survey, slot: Slot, text: str) -> None:
        self.sites[slot] = text
        self._formula(survey, slot, text, "")
        self._computed(survey, Slot(slot.element, "joined:" + slot.kind), Lookups(self.book).said(text), "")

    def _formula(self, survey: Survey, slot: Slot, text: str, context: str) -> None:
        """What a formula says, and what its strings say together."""
        said = saying(text.removeprefix("#"), self.book.names).text
        if said:
            self._keep_shared(survey, said, context, slot)
        joined = joined_strings(text)
        if joined:
            kind = slot.kind if slot.kind == "formula" else "joined:" + slot.kind
            self._keep_shared(survey, joined, context, Slot(slot.element, kind))

    def _keep_shared(self, survey: Survey, text: str, context: str, slot: Slot) -> None:
        """One piece for a text however often it stands in slots that are written alike."""
        key = (text, context, slot.kind.partition("@")[0])
        piece = self._shared.get(key)
        if piece is None:
            piece = self._shared[key] = Piece("", context, False, text, everywhere=True)
            survey.keep(piece)
        piece.add(text, slot)


_NAMED = {
    ("sheet", "name"): "sheet",
    ("definedName", "name"): "name",
    ("table", "name"): "name",
    ("table", "displayName"): "name@displayName",
    ("tableColumn", "name"): "column",
}
_TEXTS = frozenset({"name", "displayName", "caption", "v", "val", "value"})  # never cells: `Q1 2024` is a sheet's name
_ONE_WORD = re.compile(r"\w+")  # a name that may hold no blanks, and is nothing but a name
_SPACED = str.maketrans("_.\\", "   ")  # names that may hold no blanks use these


def _piece(text: str, context: str, slot: Slot, *, billed: bool = False) -> Piece:
    return Piece("", context, billed, text, [Segment(0, len(text), slot)])


def _is_own(part: Part) -> bool:
    root: Element = part.root
    namespace: str = root.tag.partition("}")[0]
    return any(word in namespace for word in _SPREADSHEET) and "drawing" not in namespace.lower()


def _outside_cells(root: Element) -> Iterator[Element]:
    """Every element of a part but a sheet's rows."""
    yield root
    for child in root:
        if local(child) != "sheetData":
            yield from child.iter()


def _field(element: Element) -> str:
    """The name of the pivot field whose value this is."""
    for above in element.iterancestors():
        if local(above) == "cacheField":
            name = above.get("name", "")
            return name if is_heading(name) else ""
    return ""


def _is_phonetic(t: Element) -> bool:
    parent = t.getparent()
    return parent is not None and local(parent) == "rPh"
