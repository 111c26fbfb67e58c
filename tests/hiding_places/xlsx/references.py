"""What a workbook gives that none of its cells keeps as it is read: formulas never calculated, dates as bare numbers,
escaped characters, points in codes, attributes with more in them than they may hold."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ID, MAIL, NAME, PHONE
from tests.hiding_places.xlsx.workbook import FORMATS, book, formula, number, row, shared, styles, text

_ONE, _OTHER = ID[:5], ID[5:]
_CODES = "&".join(f"CHAR({ord(digit)})" for digit in ID)
_ESCAPED = _CODES.replace("&", "&amp;")
_SERIAL = "31920"  # 23 May 1987
_MASK = (*FORMATS, "0000000.000")
_FORMULAS = {
    "letters' codes": _CODES,
    "letters' codes of all scripts": _CODES.replace("CHAR", "_xlfn.UNICHAR"),
    "a sum of constants": f"{_ONE}*100000+{_OTHER}",
    "a sum of numbers in brackets": f"-(-{int(ID) - 1}-1)",
    "a function that adds": f"SUM({ID[:7]}000,{ID[7:]})",
    "a power of ten": f"{ID[0]}.{ID[1:]}*10^9",
    "numbers put together": f"{_ONE}&{_OTHER}",
    "numbers put together by name": f"CONCATENATE({_ONE},{_OTHER})",
    "numbers as texts": f'TEXT({ID[:7]},"0")&TEXT({ID[7:]},"000")',
    "a text repeated": f'REPT("{ID[0]}",1)&"{ID[1:]}"',
    "a piece of a text": f'MID("xx{ID}",3,10)',
    "a text exchanged": f'SUBSTITUTE("{_ONE}x{_OTHER}","x","")',
    "a number of base sixteen": f'HEX2DEC("{int(ID):X}")',
    "a function nobody follows": f'_xlfn.LET(_xlpm.a,"{_ONE}",_xlpm.a&_xlfn.BASE({_OTHER},10))',
}


def _under(heading: str, cell: str) -> Callable[[], bytes]:
    first = row(1, text("A1", "Crop"), text("B1", heading), text("C1", "Kilos"))
    rest = row(2, text("A2", "Wheat"), cell, number("C2", "4")) + row(3, text("A3", "Dates"), number("C3", "7"))
    return partial(book, first + rest)


def _filled(attributes: str, written: str = "") -> Callable[[], bytes]:
    return partial(book, row(1, number("A1", "5"), f'<c r="B1"><f {attributes}>{written}</f><v>3</v></c>'))


GIVEN: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    **{f"a formula: {name}": (partial(book, row(1, formula("A1", f))), (f,)) for name, f in _FORMULAS.items()},
    "a formula's letters, calculated as something else": (partial(book, row(1, formula("A1", _CODES, "x"))), (_CODES,)),
    "a formula of two cells": (
        partial(book, row(1, number("A1", _ONE), text("D1", "x"), number("F1", _OTHER), formula("H1", "A1&F1"))),
        ("A1&amp;F1",),
    ),
    "a formula of formulas": (
        partial(
            book, row(1, formula("A1", f'"{_ONE}"&""'), formula("C1", f'LEFT("{_OTHER}x",5)'), formula("E1", "A1&C1"))
        ),
        ("A1&amp;C1",),
    ),
    "a defined name's letters": (
        partial(
            book,
            row(1, text("A1", "x")),
            workbook=f'<definedNames><definedName name="Key">{_ESCAPED}</definedName></definedNames>',
        ),
        (_ESCAPED,),
    ),
    "a birth date from a formula": (
        partial(book, row(1, text("A1", "Date of birth"), formula("B1", "DATE(1987,5,23)"))),
        ("DATE(1987,5,23)",),
    ),
    "a birth date as a bare number": (_under("Date of birth", number("B2", _SERIAL)), (_SERIAL,)),
    "a birth date as a bare number, in Arabic": (_under("تاريخ الميلاد", number("B2", _SERIAL)), (_SERIAL,)),
    "a birth date as a bare number, beside its label": (
        partial(book, row(1, text("A1", "Birth date"), number("B1", _SERIAL))),
        (_SERIAL,),
    ),
    "a birth date as a bare number of 1904": (
        partial(book, row(1, text("A1", "Birth date"), number("B1", "30458")), properties='<workbookPr date1904="1"/>'),
        ("30458",),
    ),
    "a birth date as the text of a number": (_under("Date of birth", text("B2", _SERIAL)), (_SERIAL,)),
    **{
        f"an escaped {name}": (partial(book, row(1, text("A1", f"{_ONE}{code}{_OTHER}"))), (f"{_ONE}{code}{_OTHER}",))
        for name, code in {
            "carriage return": "_x000D_",
            "end of a line": "_x000D__x000A_",
            "tab": "_x0009_",
            "control": "_x0001_",
            "nothing": "_x0000_",
            "character that is none": "_xFFFE_",
        }.items()
    },
    "an escaped carriage return in a shared string": (
        partial(book, row(1, shared("A1", 0)), strings=[f"<t>{_ONE}_x000D_{_OTHER}</t>"]),
        (f"{_ONE}_x000D_{_OTHER}",),
    ),
    "a tab inside a cell": (partial(book, row(1, text("A1", f"{_ONE}\t{_OTHER}"))), (ID,)),
    "hints of how a string is spoken": (
        partial(
            book,
            row(1, shared("A1", 0)),
            strings=[
                f'<t>x</t><rPh sb="0" eb="1"><t>{_ONE}</t></rPh><rPh sb="1" eb="2"><t>{_OTHER}</t></rPh>',
            ],
        ),
        (ID,),
    ),
    "a point in a code": (
        partial(book, row(1, number("A1", f"{ID[:7]}.{ID[7:]}", len(FORMATS))), style=styles(_MASK)),
        (ID,),
    ),
    "a data table's input": (_filled(f't="dataTable" ref="B1:B1" dt2D="0" dtr="0" r1="{ID}"'), (ID,)),
    "a data table's area and input": (_filled(f't="dataTable" ref="{MAIL}" r1="A1" r2="{NAME}"'), (MAIL, NAME)),
    "a formula's switches": (_filled(f't="array" ref="B1" aca="{ID}" bx="{NAME}"', "1+1"), (ID, NAME)),
    "a shared formula's number": (_filled(f't="shared" ref="B1" si="{ID}"', "1+1"), (ID,)),
    "a cell's and a row's measures": (
        partial(book, row(1, f'<c r="A1" s="{ID}" cm="{PHONE}"><v>3</v></c>', attributes=f' ht="{ID}" spans="{ID}"')),
        (ID, PHONE),
    ),
}
