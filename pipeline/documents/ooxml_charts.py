"""Charts of documents whose embedded workbook goes: what refers to its cells stays readable, but says no amount."""

import re
from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import Package, local

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
