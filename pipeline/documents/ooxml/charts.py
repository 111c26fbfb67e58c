"""Charts: how the numbers of their caches are displayed, and their references to a workbook that is removed."""

import re
from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml.number_format import format_number, number
from pipeline.documents.ooxml.package import Package
from pipeline.documents.ooxml.xml import Element, local

_CHARTS = ("drawingml.chart+xml", "ms-office.chartex+xml")
_CELLS = re.compile(r"\$(?=[A-Z]{0,3}\$?\d)|\$(?=[A-Z]{1,3}\b)")


def unanchor_references(package: Package, counts: Counter[Unread]) -> None:
    """Writes the references of charts without dollar signs: `Sheet1!$A$2` becomes `Sheet1!A2`.

    The workbook is gone, so nothing follows the reference; `$2` would be read as an amount of money.
    """
    del counts
    for part in package.xml_parts():
        if part.content_type.endswith(_CHARTS):
            for element in part.root.iter() if part.root is not None else ():
                if local(element) == "f" and element.text:
                    sheet, mark, cells = element.text.rpartition("!")
                    element.text = sheet + mark + _CELLS.sub("", cells)


def displayed_value(element: Element, text: str) -> str | None:
    """How a chart displays a number of its cache (a date, an amount, all digits); None when `element` is not such a
    number.

    `element` is the value of a point (c:v of c:pt). The number format is the point's own or the cache's.
    """
    point = element.getparent()
    cache = point.getparent() if point is not None and local(point) == "pt" else None
    value = number(text) if cache is not None and local(cache).startswith("num") else None
    if cache is None or value is None:
        return None
    code = point.get("formatCode") or next((c.text for c in cache if local(c) == "formatCode"), None) or "General"
    root = element.getroottree().getroot()
    is_1904 = any(local(child) == "date1904" and child.get("val", "1") in ("1", "true") for child in root)
    return format_number(value, code, is_1904=is_1904)
