"""After placeholders are written: formulas, names, charts, pivot tables and rules are made to fit them again."""

from pipeline.documents import xlsx_clean
from pipeline.documents.ooxml import Element, Package, local
from pipeline.documents.ooxml_pieces import Slot
from pipeline.documents.xlsx_cells import cells, child
from pipeline.documents.xlsx_names import Renames, rename
from pipeline.documents.xlsx_pivots import drop_touched
from pipeline.documents.xlsx_references import Spot, areas_of, seen
from pipeline.documents.xlsx_survey import Reader
from pipeline.documents.xlsx_values import settle
from pipeline.documents.xlsx_workbook import defined_names
from pipeline.documents.xlsx_writers import Ledger

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
    xlsx_clean.clear_unused_strings(package)
    xlsx_clean.drop_empty(package)


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
    return xlsx_clean.PLACEHOLDER.fullmatch(name) is not None or name.startswith("tc={")


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
