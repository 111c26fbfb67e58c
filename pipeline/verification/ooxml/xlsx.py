"""The second reading of a redacted XLSX: cells as stored and as shown, and all other parts."""

import xml.etree.ElementTree as ET

from pipeline.verification.ooxml import column_values, paragraphs, sheet, xml
from pipeline.verification.ooxml.number_format import NumberFormat
from pipeline.verification.ooxml.reader import PackageReading, open_package
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import SecondReading

_SHEET_ROOTS = frozenset({"worksheet", "chartsheet", "dialogsheet", "macrosheet"})


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Cells, strings, comments, caches, attributes and part names as `texts`; XML sources as `raw`; images as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides bytes, or has a part of an unknown kind.
    """
    package = open_package(data)
    workbook = _workbook(package)
    pages = 0
    for name, root in package.trees.items():
        package.add_texts(xml.attributes(root, is_links=name.endswith(".rels")))
        kind = local(root)
        pages += kind in _SHEET_ROOTS
        if kind == "worksheet":
            cells = list(sheet.cells(root, workbook))
            cell_texts = list(sheet.table(cells))
            package.add_texts(cell_texts)
            package.add_texts(column_values.serial_days(cell_texts, is_1904=workbook.is_1904))
            package.add_texts(column_values.short_mobiles(cells, cell_texts))
            package.add_raw(sheet.rows_and_columns(cells))
        if kind == "pivotCacheDefinition":
            package.add_texts(sheet.pivot_cache_values(root))
        if _has_paragraphs(root):
            package.add_texts(paragraphs.passages(root))
            package.add_raw(paragraphs.rows(root))
        else:
            package.add_texts(sheet.texts_outside_cells(root))
    return package.reading(pages)


def _workbook(package: PackageReading) -> sheet.Workbook:
    """The shared strings, number formats and date system of the workbook, from whichever part has them."""
    strings: list[str] = []
    formats: list[NumberFormat] = []
    is_1904 = False
    for root in package.trees.values():
        kind = local(root)
        if kind == "sst":
            strings = sheet.strings(root)
        elif kind == "styleSheet":
            formats = sheet.formats(root)
        elif kind == "workbook":
            is_1904 = any(_is_true(item.get("date1904")) for item in root if local(item) == "workbookPr")
    return sheet.Workbook(strings, formats, is_1904)


def _is_true(value: str | None) -> bool:
    return value in ("1", "true", "on")


def _has_paragraphs(root: ET.Element) -> bool:
    """Whether the texts of a part are in paragraphs or chart series: drawings, charts, diagrams."""
    return any(local(item) in ("p", "ser") for item in root.iter())
