"""What can hide in a workbook's lists of one column, and in names that join a letter to a number."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ID
from tests.hiding_places.xlsx.workbook import FORMATS, book, formula, number, row, styles, text

RECORD = "4482137"  # a medical record number: nothing but its heading says what it is
_HIJRI = (*FORMATS, "[$-1170000]B2dd/mm/yyyy")
_SERIAL = "33005"  # 12 May 1990


def _rows(*lines: tuple[str, ...]) -> str:
    """Rows of texts from A1 on; nothing for an empty one."""
    cells = [
        [text(f"{chr(65 + at)}{n}", said) for at, said in enumerate(one) if said] for n, one in enumerate(lines, 1)
    ]
    return "".join(row(n, *line) for n, line in enumerate(cells, 1))


GLUED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a row of one field with two people's values": (
        partial(book, _rows(("", "First guarantor", "Second guarantor"), ("MRN", "0048213", "0048214"))),
        ("0048213", "0048214"),
    ),
    "a heading that goes on in a second row": (
        partial(
            book,
            _rows(("Guest", "Documents", ""), ("", "Floor", "MRN"), ("g1", "3", "0048213"), ("g2", "4", "0048214")),
        ),
        ("0048213", "0048214"),
    ),
    "a list of one column under its heading": (
        partial(book, row(1, text("A1", "MRN")) + row(2, number("A2", RECORD))),
        (RECORD,),
    ),
    "a list of one column under a title and its heading": (
        partial(
            book, row(1, text("A1", "Growers")) + row(2, text("A2", "رقم الملف الطبي")) + row(3, number("A3", RECORD))
        ),
        (RECORD,),
    ),
    "a birth date that the cell shows by the calendar of Umm al-Qura": (
        partial(
            book,
            row(1, text("A1", "Grower"), text("B1", "Birth date"))
            + row(2, text("A2", "g1"), number("B2", _SERIAL, len(FORMATS))),
            style=styles(_HIJRI),
        ),
        (_SERIAL,),
    ),
    "a sheet's code name, glued to a letter": (
        partial(book, row(1, text("A1", "Wheat")), before=f'<sheetPr codeName="S{ID}"/>'),
        (ID,),
    ),
    "a workbook's code name, glued to a letter": (
        partial(book, row(1, text("A1", "Wheat")), properties=f'<workbookPr codeName="w{ID}"/>'),
        (ID,),
    ),
    "a formula's own variable, glued to a letter": (
        partial(book, row(1, formula("A1", f"_xlfn.LET(_xlpm.a{ID},1,_xlpm.a{ID}+1)", "2", "n"))),
        (ID,),
    ),
}
