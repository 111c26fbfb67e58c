"""Renames sheets, defined names, tables and table columns, and updates the formulas that use them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx import cells, formulas
from pipeline.documents.xlsx.edit import EditRecord
from pipeline.documents.xlsx.formulas import Kind, Token
from pipeline.documents.xlsx.references import column_number
from pipeline.documents.xlsx.workbook import Table, Workbook, defined_names

_LONGEST_SHEET = 31  # characters
_LONGEST_NAME = 255
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\\x00-\x1f]|^'|'$")
_LIKE_ADDRESS = re.compile(r"[A-Za-z]{1,3}\d+|[rR]\d*[cC]?\d*|[cC]\d*")
_COLUMN = re.compile(r"\[((?:[^\[\]']|'.)*)\]")


@dataclass(slots=True)
class Renames:
    """New names by old names in lower case."""

    sheets: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.sheets or self.others or self.columns)

    def formula(self, text: str) -> str:
        """The formula with the new names."""
        return formulas.renamed(text, self._token) if self else text

    def _token(self, token: Token) -> str:
        text = token.text
        match token.kind:
            case Kind.SHEET:
                names, is_foreign = formulas.sheets_of(text)
                if is_foreign or not any(name.lower() in self.sheets for name in names):
                    return text
                return formulas.sheet_prefix(self.sheets.get(name.lower(), name) for name in names)
            case Kind.BRACKET:
                return self._bracket(text)
            case _:
                return self.others.get(text.lower(), text)

    def _bracket(self, text: str) -> str:
        def new(name: str) -> str:
            mark = "@" if name.startswith("@") else ""
            plain = re.sub(r"'(.)", r"\1", name.removeprefix(mark))
            known = self.columns.get(plain.lower())
            return name if known is None else mark + formulas.escaped_column(known)

        if "[" in text[1:]:
            return "[" + _COLUMN.sub(lambda match: f"[{new(match[1])}]", text[1:])
        return f"[{new(text[1:-1])}]"


def rename(book: Workbook, record: EditRecord) -> Renames:
    """Writes the new names of sheets, names, tables and columns into their declarations. Returns the renames."""
    renames = Renames()
    _rename_sheets(book, record.sheets, renames)
    _rename_others(book, record.names, renames)
    for table in book.tables:
        _rename_columns(table, book, record.columns, renames)
    return renames


def _rename_sheets(book: Workbook, new: Mapping[Element, str], renames: Renames) -> None:
    taken = {sheet.name.lower() for sheet in book.sheets if sheet.row not in new}
    for sheet in book.sheets:
        if sheet.row in new:
            plain = _NOT_IN_SHEETS.sub(" ", new[sheet.row]).strip()
            if not 0 < len(plain) <= _LONGEST_SHEET:
                plain = f"Sheet_{sheet.number + 1}"
            name = _free(plain, taken, _LONGEST_SHEET)
            renames.sheets[sheet.name.lower()] = name
            sheet.row.set("name", name)


def _rename_others(book: Workbook, new: Mapping[str, str], renames: Renames) -> None:
    taken = set(book.names.others) - new.keys()
    for old, wanted in new.items():
        plain = re.sub(r"[^\w.]", "_", wanted)[:_LONGEST_NAME]
        if not re.match(r"[^\W\d]|_", plain) or _LIKE_ADDRESS.fullmatch(plain):
            plain = "_" + plain
        renames.others[old] = _free(plain, taken, _LONGEST_NAME)
    for row in defined_names(book.root):
        row.set("name", renames.others.get(row.get("name", "").lower(), row.get("name", "")))
    for table in book.tables:
        for attribute in ("name", "displayName"):
            old = table.root.get(attribute, "")
            if old.lower() in renames.others:
                table.root.set(attribute, renames.others[old.lower()])


def _rename_columns(table: Table, book: Workbook, new: Mapping[Element, str], renames: Renames) -> None:
    """Names the columns of a table like their header cells; Excel repairs, or refuses, a table where they differ."""
    columns = [e for group in table.root if local(group) == "tableColumns" for e in group if local(e) == "tableColumn"]
    headers = _headers(table, book)
    taken: set[str] = set()
    for index, column in enumerate(columns):
        old = column.get("name", "")
        header = headers.get(table.area.left + index)
        shown = book.text(header).shown if header is not None else ""
        name = shown or new.get(column, old)
        unique = _free(name, taken, _LONGEST_NAME)
        if unique != name and header is not None:
            cells.become_string(header, unique)
        if unique.split() != old.split():  # line breaks have several spellings
            renames.columns[old.lower()] = unique
            column.set("name", unique)
    _name_totals(table, book, columns)


def _headers(table: Table, book: Workbook) -> dict[int, Element]:
    """The header cells of a table by column; none for a table without a header row."""
    return {} if table.root.get("headerRowCount") == "0" else _row(table, book, table.area.top)


def _row(table: Table, book: Workbook, row: int) -> dict[int, Element]:
    part = book.sheets[table.area.sheet].part
    data = cells.data_of(part.root) if part is not None else None
    for element in data if data is not None else ():
        if element.get("r") == str(row):
            found = {column_number(c.get("r").rstrip("0123456789")): c for c in element}
            return {n: c for n, c in found.items() if table.area.left <= n <= table.area.right}
    return {}


def _name_totals(table: Table, book: Workbook, columns: list[Element]) -> None:
    if table.root.get("totalsRowCount", "0") == "0":
        return
    totals = _row(table, book, table.area.bottom)
    for index, column in enumerate(columns):
        cell = totals.get(table.area.left + index)
        if column.get("totalsRowLabel") and cell is not None and book.text(cell).shown:
            column.set("totalsRowLabel", book.text(cell).shown)


def _free(name: str, taken: set[str], longest: int) -> str:
    """The name, with a number appended if it is in `taken`; adds it there."""
    free, number = name, 1
    while free.lower() in taken:
        number += 1
        free = f"{name[: longest - 1 - len(str(number))]}_{number}"
    taken.add(free.lower())
    return free
