"""What can hide in a workbook's cells: name of the place, the workbook, what is planted there."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ARABIC_NAME, EASTERN, IBAN, ID, MAIL, NAME, PERMIT, PHONE
from tests.hiding_places.xlsx.workbook import (
    DATE,
    GROUPED,
    MONTH,
    PLAIN,
    RIYALS,
    SCIENTIFIC,
    SSN,
    TEN_DIGITS,
    TEXT,
    book,
    formula,
    number,
    row,
    shared,
    text,
)

SERIAL = "33005"  # 12 May 1990
SERIAL_1904 = "31543"  # the same day where days are counted from 1904
SOCIAL = "536221234"

_SHORT = number("B2", PHONE[1:])
_HEADINGS = row(1, text("A1", "Item"), text("B1", "Mobile"), text("C1", "Birth date"))
_PEOPLE = row(1, text("A1", "First name"), text("B1", "Last name"), text("C1", "Crop"))

CELLS: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a shared string": (partial(book, row(1, shared("A1", 0)), strings=[f"<t>{NAME}</t>"]), (NAME,)),
    "a shared string that no cell shows": (
        partial(book, row(1, shared("A1", 0)), strings=["<t>Wheat</t>", f"<t>{NAME} {ID}</t>"]),
        (NAME, ID),
    ),
    "a shared string in runs": (
        partial(
            book,
            row(1, shared("A1", 0)),
            strings=[f"<r><t>ID {ID[:4]}</t></r><r><rPr><b/></rPr><t>{ID[4:]}</t></r><r><t> of the farm</t></r>"],
        ),
        (ID,),
    ),
    "a shared string shown by two sheets": (
        partial(book, row(1, shared("A1", 0)), second=row(4, shared("D4", 0)), strings=[f"<t>Mail: {MAIL}</t>"]),
        (MAIL,),
    ),
    "a phonetic hint": (
        partial(
            book,
            row(1, shared("A1", 0)),
            strings=[f'<t>Wheat</t><rPh sb="0" eb="5"><t>{NAME} {ID}</t></rPh><phoneticPr fontId="0"/>'],
        ),
        (NAME, ID),
    ),
    "a string of the cell's own": (partial(book, row(1, text("A1", f"Grown by {NAME}"))), (NAME,)),
    "a string of the cell's own in runs": (
        partial(
            book,
            row(
                1,
                f'<c r="A1" t="inlineStr"><is><r><t>{MAIL[:9]}</t></r><r><rPr><i/></rPr><t>{MAIL[9:]}</t></r></is></c>',
            ),
        ),
        (MAIL,),
    ),
    "escaped characters": (
        partial(book, row(1, text("A1", f"ID _x0031_{ID[1:]}")), after=""),
        (ID[1:],),
    ),
    "an Arabic name and Eastern digits": (
        partial(book, row(1, text("A1", f"الاسم: {ARABIC_NAME}"), text("B1", f"رقم الهوية {EASTERN}"))),
        (ARABIC_NAME, ID),
    ),
    "an IBAN in groups": (
        partial(book, row(1, text("A1", " ".join(IBAN[n : n + 4] for n in range(0, 24, 4))))),
        (IBAN,),
    ),
    "a formula's text result": (partial(book, row(1, formula("A1", 'UPPER("wheat")', f"By {NAME}"))), (NAME,)),
    "a formula that shows another cell": (
        partial(book, row(1, text("A1", NAME), formula("B1", 'A1&" farm"', f"{NAME} farm"))),
        (NAME,),
    ),
    "a formula on another sheet": (
        partial(book, row(1, text("A1", NAME)), second=row(1, formula("A1", "Harvest!A1", NAME))),
        (NAME,),
    ),
    "a part of a removed value": (
        partial(book, row(1, text("A1", ID), formula("B1", "LEFT(A1,6)", ID[:6]))),
        (ID, ID[:6]),
    ),
    "a number computed from a removed one": (
        partial(book, row(1, number("A1", ID), formula("B1", "A1+1000000000", str(int(ID) + 10**9), "n"))),
        (ID, str(int(ID) + 10**9)),
    ),
    "a string in a formula": (
        partial(book, row(1, formula("A1", f'IF(C1="{NAME}",1,2)', "2", "n"))),
        (NAME,),
    ),
    "a number in a formula": (
        partial(book, row(1, formula("A1", f"COUNTIF(C1:C9,{ID})", "0", "n"))),
        (ID,),
    ),
    "strings that a formula joins": (
        partial(book, row(1, formula("A1", '"Fahad "&"Alotaibi"', NAME))),
        (NAME,),
    ),
    "a hyperlink formula": (
        partial(book, row(1, formula("A1", f'HYPERLINK("mailto:{MAIL}","Write")', "Write"))),
        (MAIL,),
    ),
    "a formula never calculated": (
        partial(book, row(1, formula("A1", f'"Owner: {NAME}"'))),
        (NAME,),
    ),
    "a shared formula": (
        partial(
            book,
            row(1, formula("A1", f'B1&"{MAIL}"', MAIL, attributes=' t="shared" ref="A1:A2" si="0"'))
            + row(2, formula("A2", "", MAIL, attributes=' t="shared" si="0"')),
        ),
        (MAIL,),
    ),
    "a shared formula whose first cell goes": (
        partial(
            book,
            row(1, formula("A1", "B1", NAME, attributes=' t="shared" ref="A1:A2" si="0"'), text("B1", NAME))
            + row(2, formula("A2", "", "Wheat", attributes=' t="shared" si="0"'), text("B2", "Wheat")),
        ),
        (NAME,),
    ),
    "an array formula": (
        partial(
            book,
            row(1, formula("A1", "B1:B2", PERMIT, attributes=' t="array" ref="A1:A2"'), text("B1", PERMIT))
            + row(2, '<c r="A2" t="str"><v>Wheat</v></c>', text("B2", "Wheat")),
        ),
        (PERMIT,),
    ),
    "an identity number typed as a number": (partial(book, row(1, number("A1", ID))), (ID,)),
    "an identity number in scientific notation": (
        partial(book, row(1, number("A1", f"{ID[0]}.{ID[1:]}E9", SCIENTIFIC))),
        (ID,),
    ),
    "an identity number in groups of thousands": (partial(book, row(1, number("A1", ID, GROUPED))), (ID,)),
    "a number with needless decimals": (partial(book, row(1, number("A1", f"{ID}.0"))), (ID,)),
    "a mobile that lost its zero": (
        partial(book, _HEADINGS + row(2, text("A2", "Seed"), number("B2", PHONE[1:]), text("C2", "-"))),
        (PHONE[1:],),
    ),
    "a mobile without its zero under a heading of no lexicon": (
        partial(book, row(1, text("A1", "Item"), text("B1", "phoneNumber")) + row(2, text("A2", "Seed"), _SHORT)),
        (PHONE[1:],),
    ),
    "a mobile without its zero and without a label": (partial(book, row(1, number("A1", PHONE[1:]))), (PHONE[1:],)),
    "a mobile without its zero beside a whole one": (
        partial(
            book,
            row(1, text("A1", "Item"), text("B1", "Details"), text("C1", "Crop"))
            + row(2, text("A2", "Seed"), _SHORT, text("C2", "-"))
            + row(3, text("A3", "Seed"), text("B3", "0541234567"), text("C3", "-"))
            + row(4, text("A4", "Seed"), number("B4", "12"), text("C4", "-")),
        ),
        (PHONE[1:],),
    ),
    "a column of mobiles without their zeros": (
        partial(
            book,
            row(1, text("A1", "Item"), text("B1", "Details"), text("C1", "Crop"))
            + row(2, text("A2", "Seed"), _SHORT, text("C2", "-"))
            + row(3, text("A3", "Seed"), number("B3", "541234567"), text("C3", "-")),
        ),
        (PHONE[1:], "541234567"),
    ),
    "a mobile with its country's code as a number": (
        partial(book, row(1, text("A1", "Wheat"), number("B1", f"966{PHONE[1:]}"))),
        (PHONE[1:],),
    ),
    "a mobile without its zero in scientific notation": (
        partial(book, row(1, number("A1", f"{PHONE[1]}.{PHONE[2:]}E8"))),
        (PHONE[1:],),
    ),
    "a mobile whose zero the format draws": (
        partial(book, row(1, number("A1", PHONE[1:], TEN_DIGITS))),
        (PHONE[1:],),
    ),
    "a number whose hyphens the format draws": (partial(book, row(1, number("A1", SOCIAL, SSN))), (SOCIAL,)),
    "an amount whose currency the format draws": (partial(book, row(1, number("A1", "48750", RIYALS))), ("48750",)),
    "a date": (partial(book, row(1, number("A1", SERIAL, DATE))), (SERIAL,)),
    "a date of which the month is shown": (partial(book, row(1, number("A1", SERIAL, MONTH))), (SERIAL,)),
    "a date counted from 1904": (
        partial(book, row(1, number("A1", SERIAL_1904, DATE)), properties='<workbookPr date1904="1"/>'),
        (SERIAL_1904,),
    ),
    "a date written out": (
        partial(book, row(1, f'<c r="A1" s="{DATE}" t="d"><v>1990-05-12T00:00:00</v></c>')),
        ("1990-05-12",),
    ),
    "a number kept as text": (partial(book, row(1, text("A1", ID, TEXT))), (ID,)),
    "text where a number should be": (partial(book, row(1, f'<c r="A1"><v>{MAIL}</v></c>')), (MAIL,)),
    "text where a switch should be": (partial(book, row(1, f'<c r="A1" t="b"><v>{NAME}</v></c>')), (NAME,)),
    "text where an error should be": (partial(book, row(1, f'<c r="A1" t="e"><v>{NAME}</v></c>')), (NAME,)),
    "a value beside the string": (
        partial(book, row(1, f'<c r="A1" t="inlineStr"><v>{ID}</v><is><t>Wheat</t></is></c>')),
        (ID,),
    ),
    "a string beside the value": (
        partial(book, row(1, f'<c r="A1"><v>5</v><is><t>{NAME}</t></is></c>')),
        (NAME,),
    ),
    "a cell without an address": (
        partial(book, f"<row><c t='inlineStr'><is><t>Mobile</t></is></c><c><v>{PHONE[1:]}</v></c></row>"),
        (PHONE[1:],),
    ),
    "a hidden row": (partial(book, row(1, text("A1", NAME), attributes=' hidden="1"')), (NAME,)),
    "a hidden column": (
        partial(book, row(1, text("B1", NAME)), before='<cols><col min="2" max="2" width="0" hidden="1"/></cols>'),
        (NAME,),
    ),
    "a hidden sheet": (partial(book, second=row(1, text("A1", MAIL)), hidden="hidden"), (MAIL,)),
    "a very hidden sheet": (partial(book, second=row(1, number("A1", ID)), hidden="veryHidden"), (ID,)),
    "a cell under a merged one": (
        partial(
            book,
            row(1, text("A1", "Wheat"), text("B1", MAIL)),
            after='<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>',
        ),
        (MAIL,),
    ),
    "a first and a last name in two cells": (
        partial(book, _PEOPLE + row(2, text("A2", "Fahad"), text("B2", "Alotaibi"), text("C2", "Wheat"))),
        ("Fahad", "Alotaibi"),
    ),
    "a name known from another sheet": (
        partial(book, row(1, text("A1", f"Mr {NAME}")), second=row(1, text("A1", "Alotaibi's stock"))),
        (NAME, "Alotaibi"),
    ),
    "a label on the left": (
        partial(book, row(1, text("A1", "Mobile no."), number("B1", PHONE[1:], PLAIN))),
        (PHONE[1:],),
    ),
    "a heading behind a blank row": (
        partial(
            book,
            _HEADINGS
            + row(2, text("A2", "Seed"), text("B2", "none"), text("C2", "-"))
            + row(4, text("A4", "Soil"), number("B4", PHONE[1:]), text("C4", "-")),
        ),
        (PHONE[1:],),
    ),
}
