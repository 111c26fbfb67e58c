"""Charts: what they show for the numbers that they keep, and what becomes of references to a workbook that goes."""

import re
from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml.number_format import number, shown
from pipeline.documents.ooxml.package import Package
from pipeline.documents.ooxml.xml import Element, local

_CHARTS = ("drawingml.chart+xml", "ms-office.chartex+xml")
_CELLS = re.compile(r"\$(?=[A-Z]{0,3}\$?\d)|\$(?=[A-Z]{1,3}\b)")


def loosen(package: Package, counts: Counter[Unread]) -> None:
    """`Sheet1!$A$2` becomes `Sheet1!A2`: nobody follows it any more, and `$2` reads like money."""
    del counts
    for part in package.xml_parts():
        if part.content_type.endswith(_CHARTS):
            for element in part.root.iter() if part.root is not None else ():
                if local(element) == "f" and element.text:
                    sheet, mark, cells = element.text.rpartition("!")
                    element.text = sheet + mark + _CELLS.sub("", cells)


def point(element: Element, text: str) -> str | None:
    """What a chart shows for a number of its caches: a date, an amount, all digits; None for what is no such number.

    `element` is the value of a point (c:v of c:pt); its own format or its cache's says how it is shown.
    """
    point = element.getparent()
    cache = point.getparent() if point is not None and local(point) == "pt" else None
    value = number(text) if cache is not None and local(cache).startswith("num") else None
    if cache is None or value is None:
        return None
    code = point.get("formatCode") or next((c.text for c in cache if local(c) == "formatCode"), None) or "General"
    root = element.getroottree().getroot()
    is_1904 = any(local(child) == "date1904" and child.get("val", "1") in ("1", "true") for child in root)
    return shown(value, code, is_1904=is_1904)
