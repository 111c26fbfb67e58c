"""An open workbook: its sheets in order, shared strings, number formats, tables and names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from pipeline.documents.limits import MAX_SHEETS
from pipeline.documents.ooxml import handler as office
from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.number_format import BUILT_IN, GENERAL, digits, format_number, is_date, is_mask, number
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import Element, local, unreadable
from pipeline.documents.xlsx import strings
from pipeline.documents.xlsx.cells import child, value
from pipeline.documents.xlsx.formulas import Names
from pipeline.documents.xlsx.references import Area, NameMap, TableArea, area_of
from schemas.refusals import Reason

_ERROR = re.compile(r"#[A-Z0-9/_?!]{2,20}")
_LEAST_DIGITS = 5  # digits of a number that is also read as it is stored


class Sheet(NamedTuple):
    """A sheet: its number from 0 in the workbook's order, its `sheet` element there, and its part (None: missing)."""

    number: int
    row: Element
    part: Part | None

    @property
    def name(self) -> str:
        """The name of the sheet."""
        text: str = self.row.get("name", "")
        return text


class Table(NamedTuple):
    """A table: the root of its part, and its cells."""

    root: Element
    area: Area


class CellText(NamedTuple):
    """The text of a cell: as it is shown, and as it is stored where that reads differently."""

    shown: str
    stored: str = ""


@dataclass(slots=True)
class Workbook:
    """What readers and writers need to know of a workbook. Sheets are identified by their numbers."""

    root: Element
    sheets: list[Sheet] = field(default_factory=list)
    strings: list[Element] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)  # format code by cell style
    tables: list[Table] = field(default_factory=list)
    is_1904: bool = False
    name_map: NameMap = field(default_factory=NameMap)
    names: Names = field(default_factory=lambda: Names(frozenset(), frozenset(), frozenset()))
    _by_root: dict[Element, Sheet] = field(default_factory=dict)
    _string_texts: dict[int, str] = field(default_factory=dict)

    def sheet_of(self, part: Part) -> Sheet | None:
        """The sheet of a part; None for other parts."""
        return self._by_root.get(part.root)

    def sheet_with(self, element: Element) -> Sheet:
        """The sheet that an element belongs to."""
        return self._by_root[element.getroottree().getroot()]

    def string_item(self, cell: Element) -> Element | None:
        """The string item of a cell, shared or inline; None for other cells."""
        if cell.get("t") == "inlineStr":
            return child(cell, "is")
        index = value(cell) if cell.get("t") == "s" else ""
        return self.strings[int(index)] if index.isdecimal() and int(index) < len(self.strings) else None

    def text(self, cell: Element) -> CellText:
        """The text of a cell."""
        match cell.get("t"):
            case "s":
                return CellText(self._shared(value(cell)))
            case "inlineStr":
                item = child(cell, "is")
                return CellText(strings.text_of(item) if item is not None else "")
            case "str" | "d":
                return CellText(value(cell))
            case "b":
                return CellText("" if value(cell) in ("0", "1") else value(cell))
            case "e":
                return CellText("" if _ERROR.fullmatch(value(cell)) else value(cell))
            case _:
                return self._number(cell)

    def is_number(self, cell: Element) -> bool:
        """Whether a cell holds a number or a date."""
        return cell.get("t") in (None, "n", "d")

    def _shared(self, index: str) -> str:
        if not index.isdecimal() or int(index) >= len(self.strings):
            return ""
        place = int(index)
        text = self._string_texts.get(place)
        if text is None:
            text = self._string_texts[place] = strings.text_of(self.strings[place])
        return text

    def _number(self, cell: Element) -> CellText:
        text = value(cell)
        stored = number(text)
        return CellText(text) if stored is None else self.number_text(cell, stored)

    def number_text(self, cell: Element, stored: Decimal) -> CellText:
        """The text of a number in the format of a cell."""
        style = cell.get("s", "0")
        code = self.formats[int(style)] if style.isdecimal() and int(style) < len(self.formats) else GENERAL
        plain = digits(stored)
        if code == GENERAL:
            return CellText(plain)
        visible = format_number(stored, code, is_1904=self.is_1904)
        if is_date(code):
            return CellText(visible)
        long = sum(c.isdigit() for c in plain) >= _LEAST_DIGITS
        if not visible or (long and _only_digits(plain) not in _only_digits(visible)):
            return CellText(plain, visible)
        if is_mask(code):  # an identifier with a point or comma in it: `0000000.000`
            return CellText(visible, _only_digits(visible))
        return CellText(visible, plain if long and plain != visible else "")


def load(package: Package) -> Workbook:
    """The workbook of a package; unreadable() when it has no sheet or more than MAX_SHEETS."""
    main = office.main_part(package)
    if main is None or main.root is None:
        raise unreadable()
    book = Workbook(main.root)
    leads = {link.id: link.target for link in relationships.all_relationships(package) if link.source is main}
    for row in _children(main.root, "sheets", "sheet"):
        target = next((leads.get(v) for n, v in row.attrib.items() if n.startswith(relationships.REFERENCES)), None)
        sheet = Sheet(len(book.sheets), row, target if target is not None and target.root is not None else None)
        book.sheets.append(sheet)
        if sheet.part is not None:
            book._by_root[sheet.part.root] = sheet
    if not 0 < len(book.sheets) <= MAX_SHEETS:
        raise unreadable(Reason.TOO_COMPLEX)
    for part in package.xml_parts():
        root: Element = part.root
        if part.content_type.endswith("sharedStrings+xml"):
            book.strings += [item for item in root if local(item) == "si"]
        elif part.content_type.endswith("styles+xml"):
            book.formats = _formats(root)
    properties = next(_children(main.root, "workbookPr"), None)
    book.is_1904 = properties is not None and properties.get("date1904") in ("1", "true", "on")
    _load_tables(package, book)
    _load_names(book)
    return book


def _load_tables(package: Package, book: Workbook) -> None:
    for link in relationships.all_relationships(package):
        if link.kind != "table" or link.target is None or link.source is None or link.target.root is None:
            continue
        sheet = book.sheet_of(link.source)
        root = link.target.root
        area = area_of(root.get("ref", ""), sheet.number) if sheet is not None else None
        if area is not None:
            book.tables.append(Table(root, area))
            columns = tuple(c.get("name", "").lower() for c in _children(root, "tableColumns", "tableColumn"))
            for name in {root.get("name", ""), root.get("displayName", "")} - {""}:
                book.name_map.tables[name.lower()] = TableArea(area, columns, int(root.get("headerRowCount") != "0"))


def _load_names(book: Workbook) -> None:
    book.name_map.sheets.update({sheet.name.lower(): sheet.number for sheet in book.sheets})
    for row in defined_names(book.root):
        book.name_map.names.setdefault(row.get("name", "").lower(), []).append(row.text or "")
    columns = {column for table in book.name_map.tables.values() for column in table.columns}
    others = book.name_map.names.keys() | book.name_map.tables.keys()
    book.names = Names(frozenset(book.name_map.sheets), frozenset(others), frozenset(columns))


def defined_names(root: Element) -> Iterator[Element]:
    """The `definedName` elements of a workbook."""
    return _children(root, "definedNames", "definedName")


def _children(element: Element, *path: str) -> Iterator[Element]:
    """The descendants on a path of local names."""
    for inner in element:
        if local(inner) == path[0]:
            if len(path) == 1:
                yield inner
            else:
                yield from _children(inner, *path[1:])


def _formats(styles: Element) -> list[str]:
    own = {row.get("numFmtId", ""): row.get("formatCode", GENERAL) for row in _children(styles, "numFmts", "numFmt")}
    codes: list[str] = []
    for style in _children(styles, "cellXfs", "xf"):
        number_ = style.get("numFmtId", "0")
        built_in = BUILT_IN.get(int(number_), GENERAL) if number_.isdecimal() else GENERAL
        codes.append(own.get(number_, built_in))
    return codes


def _only_digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())
