"""After placeholders are written: formulas, names, charts, pivot tables and rules are made to fit them again."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.text_unit import Slot
from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx import formulas, sanitize
from pipeline.documents.xlsx.cells import become_string, become_value, cells, child, value
from pipeline.documents.xlsx.defined_names import Renames, rename
from pipeline.documents.xlsx.edit import Ledger, Place
from pipeline.documents.xlsx.extract import Reader
from pipeline.documents.xlsx.formulas import Kind
from pipeline.documents.xlsx.references import Area, Spot, area_of, areas_of, seen
from pipeline.documents.xlsx.workbook import Workbook, defined_names

# Formulas that may not stay: those that say a value, look at a removed one or at another workbook become what they
# last showed, and what they show of a removed value becomes its placeholder.

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
        for row, column, cell in cells(sheet.part.root):
            element = child(cell, "f")
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
    return bool(value(formula.cell)) and ledger.marked.any_in(looked.areas)


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return frozenset(token.text.lower() for token in formulas.tokens(text) if token.kind is Kind.NAME)


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
    become_value(formula.cell)
    text = book.text(formula.cell).shown
    derived = _derived(formula, text, book, ledger) if text else ledger.spoken.get(element, "")
    if derived:
        ledger.note(formula.place, [(text, derived)], is_number=book.is_number(formula.cell))
        become_string(formula.cell, derived)


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


# Pivot tables: untouched ones stay; where one holds or looks at something removed, only the cells it filled stay.


def drop_touched(package: Package, book: Workbook, ledger: Ledger) -> None:
    """Takes out each pivot cache, with its records and tables, that something was removed from or that came from
    outside."""
    families = _families(package)
    removed: list[Part] = []
    for cache, others in families:
        members = [cache, *others]
        roots = {part.root for part in members}
        areas = [area for part in members for area in _areas(part, package, book)]
        is_touched = bool(roots & ledger.pivots) or ledger.marked.any_in(areas)
        if is_touched or _is_from_outside(cache) or _renamed_source(cache, book, ledger):
            removed += members
    if removed:
        relationships.remove(package, lambda link: False, removed)


def _is_from_outside(part: Part) -> bool:
    """Whether a pivot cache was filled from anything but a range of this workbook."""
    sources = [element for element in _elements(part) if local(element) == "cacheSource"]
    ranges = [element for source in sources for element in source if local(element) == "worksheetSource"]
    is_foreign = any(name.startswith(relationships.REFERENCES) for element in ranges for name in element.attrib)
    return len(ranges) != 1 or is_foreign


def _families(package: Package) -> list[tuple[Part, list[Part]]]:
    """Every cache with its records and the tables that show it."""
    links = [
        link for link in relationships.all_relationships(package) if link.source is not None and link.target is not None
    ]
    families: list[tuple[Part, list[Part]]] = []
    for part in package.xml_parts():
        if part.content_type.endswith("pivotCacheDefinition+xml"):
            records = [link.target for link in links if link.source is part and link.target is not None]
            leading = [link.source for link in links if link.target is part and link.source is not None]
            tables = [source for source in leading if source.content_type.endswith("pivotTable+xml")]
            families.append((part, records + tables))
    return families


def _areas(part: Part, package: Package, book: Workbook) -> list[Area]:
    """The range that a cache was filled from; the cells that a table fills."""
    found: list[Area] = []
    for element in _elements(part):
        if local(element) == "worksheetSource":
            found += _source(element, book)
        elif local(element) == "location":
            sheets = (
                book.sheet_of(link.source)
                for link in relationships.all_relationships(package)
                if link.target is part and link.source is not None
            )
            found += [area for s in sheets if s is not None for area in areas_of(element.get("ref", ""), s.number)]
    return found


def _source(element: Element, book: Workbook) -> list[Area]:
    number = book.map.sheets.get(element.get("sheet", "").lower())
    name = element.get("name", "").lower()
    if name in book.map.tables:
        return [book.map.tables[name].area]
    formulas = book.map.names.get(name, [])
    if number is None:
        return [Area(sheet.number, 1, 1, 1_048_576, 16_384) for sheet in book.sheets] if formulas else []
    return list(areas_of(element.get("ref", ""), number))


def _renamed_source(cache: Part, book: Workbook, ledger: Ledger) -> bool:
    """Whether the sheet or name that a cache was filled from is called something else now."""
    sheets = {sheet.name.lower() for sheet in book.sheets if sheet.row in ledger.sheets}
    names = ledger.names.keys()
    return any(
        element.get("sheet", "").lower() in sheets or element.get("name", "").lower() in names
        for element in _elements(cache)
        if local(element) == "worksheetSource"
    )


def _elements(part: Part) -> list[Element]:
    return list(part.root.iter()) if part.root is not None else []


_LOST = "#REF!"
_CACHES = ("Cache", "lvl")  # ends of the names of elements that keep what cells said
_LONGEST = {"promptTitle": 32, "errorTitle": 32, "prompt": 255, "error": 255}
_LONGEST_LIST = 257  # characters of a list with its quotes
_RULES = {"dataValidation", "cfRule"}
_PLACEHOLDER_WRITER = "Author"


def finish(package: Package, reader: Reader, ledger: Ledger) -> None:
    """Everything that follows from what the writers noted."""
    book = reader.book
    gone = _drop_foreign_names(reader)
    settle(book, ledger, gone)
    _clear_caches(reader, ledger)
    drop_touched(package, book, ledger)
    renames = rename(book, ledger)
    if renames:
        for sheet in book.sheets:
            for cell in cells(sheet.part.root) if sheet.part is not None else ():
                formula = child(cell.element, "f")
                if formula is not None and formula.text:
                    formula.text = renames.formula(formula.text)
    for slot, source in reader.sites.items():
        _write_site(slot, source, reader, ledger, renames)
    for part in package.xml_parts():
        _tidy(part.root, reader, ledger)
    sanitize.clear_unused_strings(package)
    sanitize.drop_empty(package)


def _drop_foreign_names(reader: Reader) -> frozenset[str]:
    """Takes out the names that lead to other workbooks, whose links are gone."""
    book = reader.book
    gone = []
    for row in list(defined_names(book.root)):
        if seen(row.text or "", Spot(0, 1, 1), book.map).is_foreign or ".wvu." in row.get("name", ""):
            gone.append(row.get("name", "").lower())
            row.getparent().remove(row)
    return frozenset(gone)


def _clear_caches(reader: Reader, ledger: Ledger) -> None:
    """What charts keep of cells that changed: programs fill it in again from the cells."""
    for slot, source in reader.sites.items():
        if local(slot.element) != "f" or not ledger.marked:
            continue
        if ledger.marked.any_in(seen(source, Spot(-1, 1, 1), reader.book.map).areas):
            above = slot.element.getparent()
            for sibling in list(above) if above is not None else ():
                if local(sibling).endswith(_CACHES):
                    above.remove(sibling)


def _write_site(slot: Slot, source: str, reader: Reader, ledger: Ledger, renames: Renames) -> None:
    """A formula outside of cells, as it must be now; a rule that can no longer hold goes."""
    changed = ledger.sites.get(slot) or ledger.joined.get(slot) or source
    mark = "#" if slot.kind == "site@Target" and changed.startswith("#") else ""
    text = mark + renames.formula(changed.removeprefix(mark))
    rule = next((e for e in slot.element.iterancestors() if local(e) in _RULES), None)
    is_foreign = "[" in source and seen(source, Spot(-1, 1, 1), reader.book.map).is_foreign
    if rule is not None and (is_foreign or _no_longer_holds(rule, source, text)):
        if rule.getparent() is not None:
            rule.getparent().remove(rule)
    elif rule is None and (is_foreign or text.startswith('"')) and local(slot.element) != "definedName":
        text = mark + _LOST
    if slot.kind == "site":
        slot.element.text = text
    else:
        slot.element.set(slot.kind.removeprefix("site@"), text)


def _no_longer_holds(rule: Element, source: str, text: str) -> bool:
    """A check of cells may list placeholders; what it compared with a removed number is lost."""
    if local(rule) != "dataValidation" or source == text:
        return False
    return len(text) > _LONGEST_LIST if source.startswith('"') else text.startswith('"')


def _tidy(root: Element, reader: Reader, ledger: Ledger) -> None:
    for element in list(root.iter()):
        match local(element):
            case "dataValidation":
                for name, longest in _LONGEST.items():
                    if len(element.get(name, "")) > longest:
                        element.set(name, element.get(name)[:longest])
            case "dataValidations":
                element.set("count", str(len(element)))
            case "author" if local(root) == "comments" and not _is_anonymous(element.text or ""):
                element.text = _PLACEHOLDER_WRITER
            case "person" if not _is_anonymous(element.get("displayName", "")):
                element.set("displayName", _PLACEHOLDER_WRITER)
            case "autoFilter":
                _drop_filters(element, root, reader, ledger)


def _is_anonymous(name: str) -> bool:
    return sanitize.PLACEHOLDER.fullmatch(name) is not None or name.startswith("tc={")


def _drop_filters(filter_: Element, root: Element, reader: Reader, ledger: Ledger) -> None:
    """Filters by number or date of columns in which numbers or dates became placeholders."""
    sheet = next((s.number for s in reader.book.sheets if s.part is not None and s.part.root is root), None)
    if sheet is None:
        sheet = next((t.area.sheet for t in reader.book.tables if t.root is root), None)
    if sheet is None:
        return
    for area in areas_of(filter_.get("ref", ""), sheet):
        for column in list(filter_):
            index = column.get("colId", "")
            if not index.isdecimal():
                continue
            place = area.left + int(index)
            if ledger.numbers.any_in([area._replace(left=place, right=place)]):
                filter_.remove(column)
