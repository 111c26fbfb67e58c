"""Reads a redacted XLSX a second time: cells as stored and as shown, and everything beside them."""

import xml.etree.ElementTree as ET

from pipeline.verification import office, office_xml, sheet_xml, word_xml
from pipeline.verification.number_format import NumberFormat
from pipeline.verification.office import Office
from pipeline.verification.office_xml import local
from pipeline.verification.reading import SecondReading

_SHEETS = frozenset({"worksheet", "chartsheet", "dialogsheet", "macrosheet"})


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Cells, strings, comments, caches, attributes and names as texts; parts' sources as raw; pictures as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides something, or holds what nobody here can read.
    """
    package = office.opened(data)
    book = _book(package)
    pages = 0
    for name, root in package.trees.items():
        package.say(office_xml.attributes(root, is_links=name.endswith(".rels")))
        kind = local(root)
        pages += kind in _SHEETS
        if kind == "worksheet":
            cells = list(sheet_xml.cells(root, book))
            said = list(sheet_xml.table(cells))
            package.say(said)
            package.say(sheet_xml.days(said, is_1904=book.is_1904))
            package.keep(sheet_xml.joined(cells))
        if kind == "pivotCacheDefinition":
            package.say(sheet_xml.caches(root))
        if _is_drawn(root):
            package.say(word_xml.passages(root))
            package.keep(word_xml.rows(root))
        else:
            package.say(sheet_xml.loose(root))
    return package.reading(pages)


def _book(package: Office) -> sheet_xml.Book:
    """What cells refer to, wherever the package keeps it."""
    strings: list[str] = []
    formats: list[NumberFormat] = []
    is_1904 = False
    for root in package.trees.values():
        kind = local(root)
        if kind == "sst":
            strings = sheet_xml.strings(root)
        elif kind == "styleSheet":
            formats = sheet_xml.formats(root)
        elif kind == "workbook":
            is_1904 = any(_is_true(item.get("date1904")) for item in root if local(item) == "workbookPr")
    return sheet_xml.Book(strings, formats, is_1904)


def _is_true(value: str | None) -> bool:
    return value in ("1", "true", "on")


def _is_drawn(root: ET.Element) -> bool:
    """Whether the part's texts stand in paragraphs or in a chart's caches: drawings, charts, diagrams."""
    return any(local(item) in ("p", "ser") for item in root.iter())
