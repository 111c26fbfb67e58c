"""Removes pivot caches, with their records and tables, that hold or refer to something removed.

Untouched ones stay. Of a removed pivot table the cells that it filled stay.
"""

from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import Element, local
from pipeline.documents.xlsx.edit import EditRecord
from pipeline.documents.xlsx.references import Area, areas_of
from pipeline.documents.xlsx.workbook import Workbook


def drop_changed_pivots(package: Package, book: Workbook, record: EditRecord) -> None:
    """Removes each pivot cache, with its records and tables, that holds or refers to a removed value, or that has an
    external source."""
    families = _cache_groups(package)
    removed: list[Part] = []
    for cache, others in families:
        members = [cache, *others]
        roots = {part.root for part in members}
        areas = [area for part in members for area in _areas(part, package, book)]
        is_touched = bool(roots & record.pivots) or record.marked.any_in(areas)
        if is_touched or _has_external_source(cache) or _renamed_source(cache, book, record):
            removed += members
    if removed:
        relationships.remove(package, lambda link: False, removed)


def _has_external_source(part: Part) -> bool:
    """Whether the source of a pivot cache is anything but a range of this workbook."""
    sources = [element for element in _elements(part) if local(element) == "cacheSource"]
    ranges = [element for source in sources for element in source if local(element) == "worksheetSource"]
    is_foreign = any(name.startswith(relationships.REFERENCES) for element in ranges for name in element.attrib)
    return len(ranges) != 1 or is_foreign


def _cache_groups(package: Package) -> list[tuple[Part, list[Part]]]:
    """Every pivot cache with its records and the pivot tables that show it."""
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
    """The source range of a cache, or the cells that a pivot table fills."""
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
    number = book.name_map.sheets.get(element.get("sheet", "").lower())
    name = element.get("name", "").lower()
    if name in book.name_map.tables:
        return [book.name_map.tables[name].area]
    formulas = book.name_map.names.get(name, [])
    if number is None:
        return [Area(sheet.number, 1, 1, 1_048_576, 16_384) for sheet in book.sheets] if formulas else []
    return list(areas_of(element.get("ref", ""), number))


def _renamed_source(cache: Part, book: Workbook, record: EditRecord) -> bool:
    """Whether the sheet or name that is the source of a cache is renamed."""
    sheets = {sheet.name.lower() for sheet in book.sheets if sheet.row in record.sheets}
    names = record.names.keys()
    return any(
        element.get("sheet", "").lower() in sheets or element.get("name", "").lower() in names
        for element in _elements(cache)
        if local(element) == "worksheetSource"
    )


def _elements(part: Part) -> list[Element]:
    return list(part.root.iter()) if part.root is not None else []
