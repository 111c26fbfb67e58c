"""Makes a workbook consistent after placeholders are written: formulas, names, charts, pivot tables, rules, filters."""

from pipeline.documents.ooxml.package import Package
from pipeline.documents.ooxml.text_unit import Slot
from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx import sanitize
from pipeline.documents.xlsx.cells import cells, child
from pipeline.documents.xlsx.defined_names import Renames, rename
from pipeline.documents.xlsx.edit import EditRecord
from pipeline.documents.xlsx.extract import Reader
from pipeline.documents.xlsx.formula_removal import remove_formulas
from pipeline.documents.xlsx.pivot_tables import drop_changed_pivots
from pipeline.documents.xlsx.references import FormulaPosition, areas_of, references_of
from pipeline.documents.xlsx.workbook import defined_names

_REFERENCE_ERROR = "#REF!"
_CACHES = ("Cache", "lvl")  # ends of the names of elements that cache the values of cells in a chart
_LONGEST = {"promptTitle": 32, "errorTitle": 32, "prompt": 255, "error": 255}
_LONGEST_LIST = 257  # characters of a list with its quotes
_RULES = {"dataValidation", "cfRule"}
_PLACEHOLDER_WRITER = "Author"


def finish(package: Package, reader: Reader, record: EditRecord) -> None:
    """Applies everything that follows from the edits in `record`."""
    book = reader.book
    removed_names = _drop_external_names(reader)
    remove_formulas(book, record, removed_names)
    _clear_caches(reader, record)
    drop_changed_pivots(package, book, record)
    renames = rename(book, record)
    if renames:
        for sheet in book.sheets:
            for cell in cells(sheet.part.root) if sheet.part is not None else ():
                formula = child(cell.element, "f")
                if formula is not None and formula.text:
                    formula.text = renames.formula(formula.text)
    for slot, source in reader.outside_formulas.items():
        _write_outside_formula(slot, source, reader, record, renames)
    for part in package.xml_parts():
        _tidy(part.root, reader, record)
    sanitize.clear_unused_strings(package)
    sanitize.drop_empty(package)


def _drop_external_names(reader: Reader) -> frozenset[str]:
    """Removes the defined names that refer to other workbooks, whose links are removed. Returns them in lower case."""
    book = reader.book
    removed_names = []
    for row in list(defined_names(book.root)):
        if references_of(row.text or "", FormulaPosition(0, 1, 1), book.name_map).is_foreign or ".wvu." in row.get(
            "name", ""
        ):
            removed_names.append(row.get("name", "").lower())
            row.getparent().remove(row)
    return frozenset(removed_names)


def _clear_caches(reader: Reader, record: EditRecord) -> None:
    """Removes the caches of charts that refer to changed cells; programs fill them again from the cells."""
    for slot, source in reader.outside_formulas.items():
        if local(slot.element) != "f" or not record.marked:
            continue
        if record.marked.any_in(references_of(source, FormulaPosition(-1, 1, 1), reader.book.name_map).areas):
            above = slot.element.getparent()
            for sibling in list(above) if above is not None else ():
                if local(sibling).endswith(_CACHES):
                    above.remove(sibling)


def _write_outside_formula(slot: Slot, source: str, reader: Reader, record: EditRecord, renames: Renames) -> None:
    """Writes a formula outside cells in its new form; removes a rule that cannot hold any more."""
    changed = record.outside_formulas.get(slot) or record.joined_formulas.get(slot) or source
    mark = "#" if slot.kind == "outside@Target" and changed.startswith("#") else ""
    text = mark + renames.formula(changed.removeprefix(mark))
    rule = next((e for e in slot.element.iterancestors() if local(e) in _RULES), None)
    is_foreign = "[" in source and references_of(source, FormulaPosition(-1, 1, 1), reader.book.name_map).is_foreign
    if rule is not None and (is_foreign or _is_broken(rule, source, text)):
        if rule.getparent() is not None:
            rule.getparent().remove(rule)
    elif rule is None and (is_foreign or text.startswith('"')) and local(slot.element) != "definedName":
        text = mark + _REFERENCE_ERROR
    if slot.kind == "outside":
        slot.element.text = text
    else:
        slot.element.set(slot.kind.removeprefix("outside@"), text)


def _is_broken(rule: Element, source: str, text: str) -> bool:
    """Whether a data validation cannot hold any more: it compared with a removed number, or its list is too long.

    A list of placeholders is still valid.
    """
    if local(rule) != "dataValidation" or source == text:
        return False
    return len(text) > _LONGEST_LIST if source.startswith('"') else text.startswith('"')


def _tidy(root: Element, reader: Reader, record: EditRecord) -> None:
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
                _drop_filters(element, root, reader, record)


def _is_anonymous(name: str) -> bool:
    return sanitize.PLACEHOLDER.fullmatch(name) is not None or name.startswith("tc={")


def _drop_filters(filter_: Element, root: Element, reader: Reader, record: EditRecord) -> None:
    """Removes the filters of columns in which numbers or dates became placeholders."""
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
            if record.numbers.any_in([area._replace(left=place, right=place)]):
                filter_.remove(column)
