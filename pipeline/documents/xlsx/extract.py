"""Every place of a workbook where text can stand, gathered into pieces: cells under their labels, then all the rest.

`xlsx.edit` writes the slots of kinds that only workbooks have.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.labels import is_heading
from pipeline.documents.ooxml.foreign_names import as_words
from pipeline.documents.ooxml.number_format import digits, iso_date, literals
from pipeline.documents.ooxml.package import Part
from pipeline.documents.ooxml.split_values import across_cells
from pipeline.documents.ooxml.text import TextCollector
from pipeline.documents.ooxml.text_unit import Segment, Slot, XmlUnit
from pipeline.documents.ooxml.vocabulary import is_trivial, is_vocabulary
from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx import cells as xlsx_cells
from pipeline.documents.xlsx import labels
from pipeline.documents.xlsx.cells import child
from pipeline.documents.xlsx.formula_eval import Value, as_text, computed, may_say
from pipeline.documents.xlsx.formulas import joined_strings, saying
from pipeline.documents.xlsx.header_footer import BANNERS, banner
from pipeline.documents.xlsx.mobile_numbers import MOBILE, mobiles
from pipeline.documents.xlsx.references import area_of, areas_of
from pipeline.documents.xlsx.workbook import Sheet, Workbook

# Where, outside of cells, a workbook keeps formulas and addresses: data, not text.

# Elements whose text is a formula, in sheets, tables, names, charts and sparklines.
FORMULAS = frozenset({"formula", "formula1", "formula2", "f", "definedName", "calculatedColumnFormula",
                      "totalsRowFormula", "fmla"})  # fmt: skip
# Attributes that are a formula or a reference to cells, by element.
FORMULA_ATTRIBUTES = frozenset({("hyperlink", "location"), ("cfvo", "val"), ("sp", "textlink"), ("cacheField",
                                 "formula"),
                                ("calculatedItem", "formula")})  # fmt: skip
SITE_ATTRIBUTES = ("location", "val", "textlink", "formula", "Target")
_ADDRESS = re.compile(r"\$?[A-Z]{0,3}\$?[0-9]{0,7}(?:[: ]\$?[A-Z]{0,3}\$?[0-9]{0,7})*")
_COLOUR = re.compile(r"[0-9A-F]{8}")


def is_address(text: str) -> bool:
    """Whether a text only names cells (`A1:B2 D4`) or is a colour."""
    return (any(c.isalpha() for c in text) and _ADDRESS.fullmatch(text) is not None) or bool(_COLOUR.fullmatch(text))


# What the formulas of a sheet give that no cell keeps, and the dates that cells keep as mere numbers.

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
    return iso_date(int(shown), is_1904=is_1904) or ""


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


_PEOPLE = frozenset({"author", "displayName"})
_PEOPLE_ELEMENTS = frozenset({"author", "person"})
_RICH = frozenset({"si", "is", "text"})
_SPREADSHEET = ("spreadsheetml", "excel")  # in the namespaces of the parts that are read here


@dataclass(slots=True)
class Reader:
    """Reads the parts of one workbook that are its own; `sites` are the formulas outside cells, as it met them."""

    book: Workbook
    sites: dict[Slot, str] = field(default_factory=dict)  # formulas outside of cells as they were
    _shared: dict[tuple[str, str, str], XmlUnit] = field(default_factory=dict)

    def read(self, collector: TextCollector, part: Part) -> bool:
        """Reads a part that is written in the workbook's own language; whether it was one."""
        if not _is_own(part):
            self._references(collector, part)
            return False
        sheet = self.book.sheet_of(part)
        if sheet is not None and part.content_type.endswith("worksheet+xml"):
            self._cells(collector, part.root, sheet)
        is_pivot = "pivot" in part.content_type.lower()
        is_remark = part.content_type.endswith("comments+xml") and "threaded" not in part.content_type
        for element in _outside_cells(part.root):
            self._element(collector, element, is_pivot=is_pivot, is_billed=is_remark)
        return True

    def _cells(self, collector: TextCollector, root: Element, sheet: Sheet) -> None:
        book = self.book
        cells = [(cell, book.text(cell.element)) for cell in xlsx_cells.cells(root)]
        lookups = Lookups(book, {(c.row, c.column): (c.element, said.shown) for c, said in cells}, sheet.number)
        given = {c.element: lookups.of(c.element) for c, _ in cells if xlsx_cells.child(c.element, "f") is not None}
        rows: dict[int, labels.Row] = {}
        for cell, said in cells:
            text = said.shown or given.get(cell.element, "")
            if text and not text.isspace():
                rows.setdefault(cell.row, {})[cell.column] = text
        merged = [a for e in root.iter("{*}mergeCell") for a in areas_of(e.get("ref", ""), sheet.number)]
        tables = [t.area for t in book.tables if t.area.sheet == sheet.number and t.root.get("headerRowCount") != "0"]
        contexts = {(row, column): label for row, column, label in labels.contexts(rows, merged, tables)}
        numbers = {(cell.row, cell.column): said.shown or given.get(cell.element, "") for cell, said in cells}
        days = dated(numbers, contexts)
        for place in mobiles(numbers, contexts):
            contexts[place] = "\n".join(dict.fromkeys(filter(None, (*contexts.get(place, "").split("\n"), MOBILE))))
        lines: dict[int, list[XmlUnit]] = {}
        for cell, said in cells:
            place = (cell.row, cell.column)
            context = contexts.get(place, "")
            unit = _piece(said.shown, context, Slot(cell.element, "cell"), billed=True)
            collector.keep(unit)
            if unit.id:
                lines.setdefault(cell.row, []).append(unit)
            if said.stored:
                collector.keep(_piece(said.stored, context, Slot(cell.element, "stored")))
            date = day(said.shown.strip(), context if place in days else "", is_1904=book.is_1904)
            if date:
                collector.keep(_piece(date, context, Slot(cell.element, "day")))
            formula = xlsx_cells.child(cell.element, "f")
            if formula is not None and formula.text:
                slot = Slot(formula, "formula")
                self._formula(collector, slot, formula.text, context)
                if given[cell.element] != said.shown:
                    self._computed(collector, slot, given[cell.element], context, is_dated=place in days)
        collector.joints += across_cells(list(lines.values()))

    def _element(self, collector: TextCollector, element: Element, *, is_pivot: bool, is_billed: bool) -> None:
        name = local(element)
        for attribute, value in element.attrib.items():
            self._attribute(collector, element, attribute, value, is_pivot=is_pivot)
        text = element.text or ""
        if name in FORMULAS:
            self._site(collector, Slot(element, "site"), text)
        elif name in BANNERS:
            collector.keep(_piece(banner(text).text, "", Slot(element, "banner")))
        elif name in _RICH and xlsx_cells.runs(element):
            unit = XmlUnit("", "", is_billed)
            for t in xlsx_cells.runs(element):
                unit.add(t.text or "", Slot(t, "run"))
            hints = XmlUnit("", "", False)
            for t in xlsx_cells.phonetics(element):
                hints.add(t.text or "", Slot(t, "run"))
            collector.keep(hints)
            if name != "si":  # shared strings are read where cells show them
                collector.keep(unit)
        elif name == "t" and not _is_phonetic(element):
            pass  # a run of a string, which was read with it
        elif text and not text.isspace() and name != "sqref" and not is_address(text):
            kind = "pivot" if is_pivot else "text"
            context = "Name" if name in _PEOPLE_ELEMENTS else ""
            self._keep_shared(collector, text, context, Slot(element, kind))
        if element.tail and not element.tail.isspace():
            collector.keep(_piece(element.tail, "", Slot(element, "tail")))

    def _attribute(
        self, collector: TextCollector, element: Element, attribute: str, value: str, *, is_pivot: bool
    ) -> None:
        name, plain = local(element), attribute.rpartition("}")[2]
        is_place = plain not in _TEXTS and is_address(value)
        if is_trivial(value) or is_place or is_vocabulary(name, plain, value):
            return
        if (name, plain) in FORMULA_ATTRIBUTES:
            self._site(collector, Slot(element, "site@" + attribute), value)
        elif (name, plain) == ("numFmt", "formatCode"):
            said = "\n".join(text for _, _, text in literals(value))
            collector.keep(_piece(said, "", Slot(element, "format")))
        elif (name, plain) in _NAMED:
            kind = _NAMED[name, plain]
            self._keep_shared(collector, as_words(value.translate(_SPACED)), "", Slot(element, kind))
        else:
            context = "Name" if plain in _PEOPLE and name in _PEOPLE_ELEMENTS else _field(element) if is_pivot else ""
            kind = "pivot" if is_pivot else "@" + attribute
            words = as_words(value) if _ONE_WORD.fullmatch(value) else value
            self._keep_shared(collector, words, context, Slot(element, kind))

    def _references(self, collector: TextCollector, part: Part) -> None:
        """In parts of other languages, references to cells are taken aside, so that they are not read as text."""
        root: Element = part.root
        for element in root.iter():
            name = local(element)
            if (name in FORMULAS or name == "sqref") and element.text:
                self._site(collector, Slot(element, "site"), element.text)
                element.text = ""
            for attribute in ("textlink",):
                if element.get(attribute):
                    self._site(collector, Slot(element, "site@" + attribute), element.get(attribute))
                    element.set(attribute, "")
            if name == "Relationship" and element.get("Target", "").startswith("#"):
                self._site(collector, Slot(element, "site@Target"), element.get("Target"))
                element.set("Target", "#")

    def _computed(
        self, collector: TextCollector, slot: Slot, text: str, context: str, *, is_dated: bool = False
    ) -> None:
        """What a formula gives, where nobody has kept it, and as a date where that is what it is."""
        if text:
            self._keep_shared(collector, text, context, slot)
            date = day(text.strip(), context if is_dated else "", is_1904=self.book.is_1904)
            if date:
                self._keep_shared(collector, date, context, slot)

    def _site(self, collector: TextCollector, slot: Slot, text: str) -> None:
        self.sites[slot] = text
        self._formula(collector, slot, text, "")
        self._computed(collector, Slot(slot.element, "joined:" + slot.kind), Lookups(self.book).said(text), "")

    def _formula(self, collector: TextCollector, slot: Slot, text: str, context: str) -> None:
        """What a formula says, and what its strings say together."""
        said = saying(text.removeprefix("#"), self.book.names).text
        if said:
            self._keep_shared(collector, said, context, slot)
        joined = joined_strings(text)
        if joined:
            kind = slot.kind if slot.kind == "formula" else "joined:" + slot.kind
            self._keep_shared(collector, joined, context, Slot(slot.element, kind))

    def _keep_shared(self, collector: TextCollector, text: str, context: str, slot: Slot) -> None:
        """One piece for a text however often it stands in slots that are written alike."""
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
_TEXTS = frozenset({"name", "displayName", "caption", "v", "val", "value"})  # never cells: `Q1 2024` is a sheet's name
_ONE_WORD = re.compile(r"\w+")  # a name that may hold no blanks, and is nothing but a name
_SPACED = str.maketrans("_.\\", "   ")  # names that may hold no blanks use these


def _piece(text: str, context: str, slot: Slot, *, billed: bool = False) -> XmlUnit:
    return XmlUnit("", context, billed, text, [Segment(0, len(text), slot)])


def _is_own(part: Part) -> bool:
    root: Element = part.root
    namespace: str = root.tag.partition("}")[0]
    return any(word in namespace for word in _SPREADSHEET) and "drawing" not in namespace.lower()


def _outside_cells(root: Element) -> Iterator[Element]:
    """Every element of a part but a sheet's rows."""
    yield root
    for element in root:
        if local(element) != "sheetData":
            yield from element.iter()


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
