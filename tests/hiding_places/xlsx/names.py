"""What can hide in names, banners, lists to choose from and formats: name, workbook, what is planted."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ID, MAIL, NAME, PERMIT, PHONE
from tests.hiding_places.xlsx.workbook import (
    FORMATS,
    book,
    formula,
    number,
    row,
    styles,
    text,
)

CODED = NAME.replace(" ", "_")

WHEAT = row(1, text("A1", "Wheat"))


def names_of(markup: str) -> str:
    return f"<definedNames>{markup}</definedNames>"


def _validation(attributes: str = "", inner: str = "") -> str:
    return (
        f'<dataValidations count="1"><dataValidation type="list" allowBlank="1" sqref="A1:A9" {attributes}>{inner}'
        "</dataValidation></dataValidations>"
    )


def _extension(inner: str) -> str:
    return f'<extLst><ext uri="{{78C0D931-6437-407d-A8EE-F0AAD7539E65}}">{inner}</ext></extLst>'


def banner(inner: str) -> str:
    return f"<headerFooter><oddHeader>{inner}</oddHeader></headerFooter>"


NAMED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a sheet's name": (partial(book, WHEAT, names=("Harvest", NAME)), (NAME,)),
    "a sheet's name in formulas": (
        partial(
            book,
            row(1, formula("A1", f"SUM('{NAME}'!B1:B9)", "5", "n")),
            names=("Harvest", NAME),
            workbook=names_of(f"<definedName name=\"Crops\">'{NAME}'!$A$1:$B$9</definedName>"),
            after=f'<hyperlinks><hyperlink ref="A1" location="\'{NAME}\'!A1" display="There"/></hyperlinks>',
        ),
        (NAME,),
    ),
    "a sheet named by a number": (
        partial(book, row(1, formula("A1", f"'ID {ID}'!B1", "5", "n")), names=("Harvest", f"ID {ID}")),
        (ID,),
    ),
    "print titles of a named sheet": (
        partial(
            book,
            WHEAT,
            names=("Harvest", NAME),
            workbook=names_of(
                f'<definedName name="_xlnm.Print_Titles" localSheetId="1">\'{NAME}\'!$1:$1</definedName>'
            ),
        ),
        (NAME,),
    ),
    "a defined name": (
        partial(
            book,
            row(1, formula("A1", f"{CODED}*2", "4", "n")),
            workbook=names_of(f'<definedName name="{CODED}">Harvest!$C$1</definedName>'),
        ),
        (NAME,),
    ),
    "a defined name's constant": (
        partial(book, WHEAT, workbook=names_of(f'<definedName name="Owner">"{NAME}"</definedName>')),
        (NAME,),
    ),
    "a hidden defined name's number": (
        partial(book, WHEAT, workbook=names_of(f'<definedName name="Key" hidden="1">{ID}</definedName>')),
        (ID,),
    ),
    "a defined name's remarks": (
        partial(
            book,
            WHEAT,
            workbook=names_of(
                f'<definedName name="Crop" comment="Ask {NAME}" description="{MAIL}" help="{PHONE}" '
                f'statusBar="{ID}">Harvest!$A$1</definedName>'
            ),
        ),
        (NAME, MAIL, PHONE, ID),
    ),
    "a header": (partial(book, WHEAT, banner(f"&amp;L&amp;14Grown by {NAME}&amp;RPage &amp;P")), (NAME,)),
    "a header in formats": (partial(book, WHEAT, banner(f"&amp;CMr &amp;BFahad&amp;B {NAME[6:]}, {MAIL}")), (MAIL,)),
    "the fonts of a header": (partial(book, WHEAT, banner(f'&amp;"{MAIL},Bold"Wheat')), (MAIL,)),
    "other headers and footers": (
        partial(
            book,
            WHEAT,
            '<headerFooter differentOddEven="1" differentFirst="1"><oddFooter>&amp;C'
            + MAIL
            + "</oddFooter><evenHeader>"
            f"&amp;L{ID}</evenHeader><evenFooter>&amp;R{PHONE}</evenFooter><firstHeader>{NAME}</firstHeader>"
            f"<firstFooter>{PERMIT}</firstFooter></headerFooter>",
        ),
        (MAIL, ID, PHONE, NAME, PERMIT),
    ),
    "a list to choose from": (
        partial(book, WHEAT, _validation(inner=f'<formula1>"Wheat,{NAME},Dates"</formula1>')),
        (NAME,),
    ),
    "a validation's prompt": (
        partial(
            book,
            WHEAT,
            _validation(
                f'showInputMessage="1" promptTitle="{NAME}" prompt="Ask {MAIL}"', '<formula1>"Wheat,Dates"</formula1>'
            ),
        ),
        (NAME, MAIL),
    ),
    "a validation's error": (
        partial(
            book,
            WHEAT,
            _validation(f'showErrorMessage="1" errorTitle="{NAME}" error="Not {ID}"', "<formula1>$C$1:$C$9</formula1>"),
        ),
        (NAME, ID),
    ),
    "a validation by number": (
        partial(
            book,
            WHEAT,
            '<dataValidations count="1"><dataValidation type="whole" operator="notEqual" sqref="A1">'
            f"<formula1>{ID}</formula1></dataValidation></dataValidations>",
        ),
        (ID,),
    ),
    "a validation of 2010": (
        partial(
            book,
            WHEAT,
            _extension(
                '<x14:dataValidations count="1"><x14:dataValidation type="list" promptTitle="Crop" '
                f'prompt="{MAIL}"><x14:formula1><xm:f>"{NAME},Wheat"</xm:f></x14:formula1><xm:sqref>A1</xm:sqref>'
                "</x14:dataValidation></x14:dataValidations>"
            ),
        ),
        (NAME, MAIL),
    ),
    "a conditional format": (
        partial(
            book,
            WHEAT,
            '<conditionalFormatting sqref="A1:A9"><cfRule type="containsText" priority="1" operator="containsText" '
            f'text="{NAME}"><formula>NOT(ISERROR(SEARCH("{NAME}",A1)))</formula></cfRule></conditionalFormatting>',
        ),
        (NAME,),
    ),
    "a conditional format by number": (
        partial(
            book,
            WHEAT,
            '<conditionalFormatting sqref="A1:A9"><cfRule type="cellIs" priority="1" operator="equal">'
            f'<formula>{ID}</formula></cfRule><cfRule type="colorScale" priority="2"><colorScale><cfvo type="num" '
            f'val="{PERMIT}"/><cfvo type="max"/><color rgb="FFFF0000"/><color rgb="FF00FF00"/></colorScale></cfRule>'
            "</conditionalFormatting>",
        ),
        (ID, PERMIT),
    ),
    "a conditional format of 2010": (
        partial(
            book,
            WHEAT,
            _extension(
                '<x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule type="expression" priority="3" '
                f'id="{{11111111-2222-3333-4444-555555555555}}"><xm:f>$A1="{NAME}"</xm:f></x14:cfRule>'
                "<xm:sqref>A1:A9</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings>"
            ),
        ),
        (NAME,),
    ),
    "a sheet's code name": (
        partial(book, WHEAT, before=f'<sheetPr codeName="{CODED}"/>'),
        (NAME,),
    ),
    "who reserved the file": (
        partial(book, WHEAT, properties=f'<fileSharing readOnlyRecommended="1" userName="{NAME}"/>'),
        (NAME,),
    ),
    "the folder of the file": (
        partial(
            book,
            WHEAT,
            properties='<mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath '
            f'url="C:\\Users\\{NAME}\\"/></mc:Choice></mc:AlternateContent>',
        ),
        (NAME,),
    ),
    "a comment of the markup": (
        partial(book, f"<!-- {NAME} {ID} --><?note {MAIL}?>" + WHEAT),
        (NAME, ID, MAIL),
    ),
    "a number format's text": (
        partial(book, row(1, number("A1", "5", 1)), style=styles(("General", f'"{NAME}: "0', *FORMATS[2:]))),
        (NAME,),
    ),
    "a number format's escaped text": (
        partial(
            book,
            row(1, number("A1", "5", 1)),
            style=styles(("General", f'0" of "\\F"ahad Alotaibi" \\({MAIL[0]}"{MAIL[1:]}"', *FORMATS[2:])),
        ),
        ("ahad Alotaibi", MAIL[1:]),
    ),
    "a format of a conditional format": (
        partial(
            book,
            WHEAT,
            style=styles(
                more=f'<dxfs count="1"><dxf><numFmt numFmtId="190" formatCode="&quot;{MAIL}&quot;"/></dxf></dxfs>'
            ),
        ),
        (MAIL,),
    ),
    "a cell style's name": (
        partial(
            book,
            WHEAT,
            style=styles(
                more=f'<cellStyles count="2"><cellStyle name="Normal" xfId="0" builtinId="0"/><cellStyle name="{NAME}" '
                f'xfId="0"/></cellStyles><tableStyles count="1" defaultTableStyle="{MAIL}"><tableStyle name="{MAIL}" '
                'count="0"/></tableStyles>'
            ),
        ),
        (NAME, MAIL),
    ),
}
