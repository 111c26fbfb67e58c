"""Reads a redacted XLSX a second time: cells as stored and as shown, and everything beside them."""

import xml.etree.ElementTree as ET

from pipeline.verification.ooxml import reader as office
from pipeline.verification.ooxml import sheet, word, xml
from pipeline.verification.ooxml.number_format import NumberFormat
from pipeline.verification.ooxml.reader import Office
from pipeline.verification.ooxml.xml import local
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
        package.say(xml.attributes(root, is_links=name.endswith(".rels")))
        kind = local(root)
        pages += kind in _SHEETS
        if kind == "worksheet":
            cells = list(sheet.cells(root, book))
            said = list(sheet.table(cells))
            package.say(said)
            package.say(sheet.days(said, is_1904=book.is_1904))
            package.say(sheet.mobiles(cells, said))
            package.keep(sheet.joined(cells))
        if kind == "pivotCacheDefinition":
            package.say(sheet.caches(root))
        if _is_drawn(root):
            package.say(word.passages(root))
            package.keep(word.rows(root))
        else:
            package.say(sheet.loose(root))
    return package.reading(pages)


def _book(package: Office) -> sheet.Book:
    """What cells refer to, wherever the package keeps it."""
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
    return sheet.Book(strings, formats, is_1904)


def _is_true(value: str | None) -> bool:
    return value in ("1", "true", "on")


def _is_drawn(root: ET.Element) -> bool:
    """Whether the part's texts stand in paragraphs or in a chart's caches: drawings, charts, diagrams."""
    return any(local(item) in ("p", "ser") for item in root.iter())
