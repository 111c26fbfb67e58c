"""Pivot tables: untouched ones stay; where one holds or looks at something removed, only the cells it filled stay."""

from pipeline.documents import ooxml_links
from pipeline.documents.ooxml import Element, Package, Part, local
from pipeline.documents.xlsx_references import Area, areas_of
from pipeline.documents.xlsx_workbook import Workbook
from pipeline.documents.xlsx_writers import Ledger


def drop_touched(package: Package, book: Workbook, ledger: Ledger) -> None:
    """Takes out each pivot cache, with its records and tables, that something was removed from or that came from
    outside."""
    families = _families(package)
    doomed: list[Part] = []
    for cache, others in families:
        members = [cache, *others]
        roots = {part.root for part in members}
        areas = [area for part in members for area in _areas(part, package, book)]
        is_touched = bool(roots & ledger.pivots) or ledger.marked.any_in(areas)
        if is_touched or _is_from_outside(cache) or _renamed_source(cache, book, ledger):
            doomed += members
    if doomed:
        ooxml_links.remove(package, lambda link: False, doomed)


def _is_from_outside(part: Part) -> bool:
    """Whether a pivot cache was filled from anything but a range of this workbook."""
    sources = [element for element in _elements(part) if local(element) == "cacheSource"]
    ranges = [element for source in sources for element in source if local(element) == "worksheetSource"]
    is_foreign = any(name.startswith(ooxml_links.REFERENCES) for element in ranges for name in element.attrib)
    return len(ranges) != 1 or is_foreign


def _families(package: Package) -> list[tuple[Part, list[Part]]]:
    """Every cache with its records and the tables that show it."""
    links = [link for link in ooxml_links.links(package) if link.source is not None and link.target is not None]
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
                for link in ooxml_links.links(package)
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
