"""What can hide around a sheet's cells and in the workbook's own part: name, workbook, what is planted."""

from collections.abc import Callable
from functools import partial

from tests.documents.office_build import ID, MAIL, NAME, PERMIT, PHONE, Link, Part
from tests.documents.xlsx_places_book import (
    DATE,
    FORMATS,
    MICROSOFT,
    SHEET1,
    SHEETML,
    STRICT,
    WORKBOOK,
    book,
    formula,
    number,
    rooted,
    row,
    shared,
    styles,
    text,
)

CODED = NAME.replace(" ", "_")
_WHEAT = row(1, text("A1", "Wheat"))


def _names(markup: str) -> str:
    return f"<definedNames>{markup}</definedNames>"


def _validation(attributes: str = "", inner: str = "") -> str:
    return (
        f'<dataValidations count="1"><dataValidation type="list" allowBlank="1" sqref="A1:A9" {attributes}>{inner}'
        "</dataValidation></dataValidations>"
    )


def _extension(inner: str) -> str:
    return f'<extLst><ext uri="{{78C0D931-6437-407d-A8EE-F0AAD7539E65}}">{inner}</ext></extLst>'


def _banner(inner: str) -> str:
    return f"<headerFooter><oddHeader>{inner}</oddHeader></headerFooter>"


def table(inner: str, attributes: str = "", name: str = "Crops", ref: str = "A1:B3") -> Part:
    """A table's part on the first sheet."""
    markup = f'<table id="1" name="{name}" displayName="{name}" ref="{ref}" {attributes}>{inner}</table>'
    return Part("xl/tables/table1.xml", rooted(markup), "table", f"{SHEETML}.table+xml", SHEET1, "rIdT")


_TABLE_PARTS = '<tableParts count="1"><tablePart r:id="rIdT"/></tableParts>'
_COLUMNS = '<tableColumns count="2"><tableColumn id="1" name="Crop"/><tableColumn id="2" name="Field"/></tableColumns>'
_TABLE_ROWS = (
    row(1, text("A1", "Crop"), text("B1", "Field"))
    + row(2, text("A2", "Wheat"), text("B2", "North"))
    + row(3, text("A3", "Dates"), text("B3", "South"))
)

SHEETS: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a sheet's name": (partial(book, _WHEAT, names=("Harvest", NAME)), (NAME,)),
    "a sheet's name in formulas": (
        partial(
            book,
            row(1, formula("A1", f"SUM('{NAME}'!B1:B9)", "5", "n")),
            names=("Harvest", NAME),
            workbook=_names(f"<definedName name=\"Crops\">'{NAME}'!$A$1:$B$9</definedName>"),
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
            _WHEAT,
            names=("Harvest", NAME),
            workbook=_names(f'<definedName name="_xlnm.Print_Titles" localSheetId="1">\'{NAME}\'!$1:$1</definedName>'),
        ),
        (NAME,),
    ),
    "a defined name": (
        partial(
            book,
            row(1, formula("A1", f"{CODED}*2", "4", "n")),
            workbook=_names(f'<definedName name="{CODED}">Harvest!$C$1</definedName>'),
        ),
        (NAME,),
    ),
    "a defined name's constant": (
        partial(book, _WHEAT, workbook=_names(f'<definedName name="Owner">"{NAME}"</definedName>')),
        (NAME,),
    ),
    "a hidden defined name's number": (
        partial(book, _WHEAT, workbook=_names(f'<definedName name="Key" hidden="1">{ID}</definedName>')),
        (ID,),
    ),
    "a defined name's remarks": (
        partial(
            book,
            _WHEAT,
            workbook=_names(
                f'<definedName name="Crop" comment="Ask {NAME}" description="{MAIL}" help="{PHONE}" '
                f'statusBar="{ID}">Harvest!$A$1</definedName>'
            ),
        ),
        (NAME, MAIL, PHONE, ID),
    ),
    "a header": (partial(book, _WHEAT, _banner(f"&amp;L&amp;14Grown by {NAME}&amp;RPage &amp;P")), (NAME,)),
    "a header in formats": (partial(book, _WHEAT, _banner(f"&amp;CMr &amp;BFahad&amp;B {NAME[6:]}, {MAIL}")), (MAIL,)),
    "the fonts of a header": (partial(book, _WHEAT, _banner(f'&amp;"{MAIL},Bold"Wheat')), (MAIL,)),
    "other headers and footers": (
        partial(
            book,
            _WHEAT,
            '<headerFooter differentOddEven="1" differentFirst="1"><oddFooter>&amp;C'
            + MAIL
            + "</oddFooter><evenHeader>"
            f"&amp;L{ID}</evenHeader><evenFooter>&amp;R{PHONE}</evenFooter><firstHeader>{NAME}</firstHeader>"
            f"<firstFooter>{PERMIT}</firstFooter></headerFooter>",
        ),
        (MAIL, ID, PHONE, NAME, PERMIT),
    ),
    "a list to choose from": (
        partial(book, _WHEAT, _validation(inner=f'<formula1>"Wheat,{NAME},Dates"</formula1>')),
        (NAME,),
    ),
    "a validation's prompt": (
        partial(
            book,
            _WHEAT,
            _validation(
                f'showInputMessage="1" promptTitle="{NAME}" prompt="Ask {MAIL}"', '<formula1>"Wheat,Dates"</formula1>'
            ),
        ),
        (NAME, MAIL),
    ),
    "a validation's error": (
        partial(
            book,
            _WHEAT,
            _validation(f'showErrorMessage="1" errorTitle="{NAME}" error="Not {ID}"', "<formula1>$C$1:$C$9</formula1>"),
        ),
        (NAME, ID),
    ),
    "a validation by number": (
        partial(
            book,
            _WHEAT,
            '<dataValidations count="1"><dataValidation type="whole" operator="notEqual" sqref="A1">'
            f"<formula1>{ID}</formula1></dataValidation></dataValidations>",
        ),
        (ID,),
    ),
    "a validation of 2010": (
        partial(
            book,
            _WHEAT,
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
            _WHEAT,
            '<conditionalFormatting sqref="A1:A9"><cfRule type="containsText" priority="1" operator="containsText" '
            f'text="{NAME}"><formula>NOT(ISERROR(SEARCH("{NAME}",A1)))</formula></cfRule></conditionalFormatting>',
        ),
        (NAME,),
    ),
    "a conditional format by number": (
        partial(
            book,
            _WHEAT,
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
            _WHEAT,
            _extension(
                '<x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule type="expression" priority="3" '
                f'id="{{11111111-2222-3333-4444-555555555555}}"><xm:f>$A1="{NAME}"</xm:f></x14:cfRule>'
                "<xm:sqref>A1:A9</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings>"
            ),
        ),
        (NAME,),
    ),
    "a table's column": (
        partial(
            book,
            row(1, text("A1", "Crop"), text("B1", NAME))
            + row(2, text("A2", "Wheat"), number("B2", "5"))
            + row(3)
            + row(9, formula("A9", f"SUM(Crops[{NAME}])", "5", "n")),
            _TABLE_PARTS,
            [
                table(
                    f'<tableColumns count="2"><tableColumn id="1" name="Crop"/><tableColumn id="2" name="{NAME}"/>'
                    "</tableColumns>"
                )
            ],
        ),
        (NAME,),
    ),
    "a table without a header row": (
        partial(
            book,
            row(2, text("A2", "Wheat"), number("B2", "5")),
            _TABLE_PARTS,
            [
                table(
                    f'<tableColumns count="2"><tableColumn id="1" name="Crop"/><tableColumn id="2" name="{NAME}"/>'
                    "</tableColumns>",
                    'headerRowCount="0"',
                )
            ],
        ),
        (NAME,),
    ),
    "a table's name": (
        partial(
            book,
            _TABLE_ROWS + row(9, formula("A9", f"COUNTA({CODED}[Crop])", "2", "n")),
            _TABLE_PARTS,
            [table(_COLUMNS, name=CODED)],
        ),
        (NAME,),
    ),
    "a table's totals": (
        partial(
            book,
            _TABLE_ROWS + row(4, text("A4", f"By {NAME}")),
            _TABLE_PARTS,
            [
                table(
                    f'<tableColumns count="2"><tableColumn id="1" name="Crop" totalsRowLabel="By {NAME}"/>'
                    '<tableColumn id="2" name="Field"/></tableColumns>',
                    'totalsRowCount="1"',
                    ref="A1:B4",
                )
            ],
        ),
        (NAME,),
    ),
    "a table's formulas": (
        partial(
            book,
            _TABLE_ROWS,
            _TABLE_PARTS,
            [
                table(
                    f'<tableColumns count="2"><tableColumn id="1" name="Crop"/><tableColumn id="2" name="Field">'
                    f'<calculatedColumnFormula>IF(A2="{NAME}","{MAIL}",0)</calculatedColumnFormula><totalsRowFormula>'
                    f"{ID}+0</totalsRowFormula></tableColumn></tableColumns>",
                    f'comment="Kept by {PHONE}"',
                )
            ],
        ),
        (NAME, MAIL, ID, PHONE),
    ),
    "a table's filter": (
        partial(
            book,
            _TABLE_ROWS,
            _TABLE_PARTS,
            [
                table(
                    '<autoFilter ref="A1:B3"><filterColumn colId="0"><filters>'
                    f'<filter val="{NAME}"/><filter val="{ID}"/></filters></filterColumn></autoFilter>{_COLUMNS}'
                )
            ],
        ),
        (NAME, ID),
    ),
    "a sheet's filter": (
        partial(
            book,
            _TABLE_ROWS,
            '<autoFilter ref="A1:B3"><filterColumn colId="0"><customFilters and="1">'
            f'<customFilter operator="notEqual" val="{NAME}"/><customFilter val="*{MAIL}*"/></customFilters>'
            "</filterColumn></autoFilter>",
        ),
        (NAME, MAIL),
    ),
    "a filter by day": (
        partial(
            book,
            _TABLE_ROWS,
            '<autoFilter ref="A1:B3"><filterColumn colId="0"><filters>'
            '<dateGroupItem year="1990" month="5" day="12" dateTimeGrouping="day"/></filters></filterColumn>'
            '<filterColumn colId="1"><dynamicFilter type="today" val="33005" maxVal="33006"/></filterColumn>'
            "</autoFilter>",
        ),
        ("1990", "33005"),
    ),
    "a filter of a column of dates": (
        partial(
            book,
            row(1, text("A1", "Born"), text("B1", "Field")) + row(2, number("A2", "33005", DATE), text("B2", "North")),
            '<autoFilter ref="A1:B2"><filterColumn colId="0"><customFilters><customFilter val="33005"/></customFilters>'
            "</filterColumn></autoFilter>",
        ),
        ("33005",),
    ),
    "a sorting by a list": (
        partial(
            book,
            _TABLE_ROWS,
            f'<sortState ref="A2:B3"><sortCondition ref="A2:A3" customList="Wheat,{NAME},Dates"/></sortState>',
        ),
        (NAME,),
    ),
    "a hyperlink's words": (
        partial(
            book,
            _WHEAT,
            f'<hyperlinks><hyperlink ref="A1" r:id="rIdH" tooltip="Write to {NAME}" display="{PHONE}"/></hyperlinks>',
            [Link("rIdH", "hyperlink", f"mailto:{MAIL}?subject=Wheat", SHEET1)],
        ),
        (NAME, PHONE, MAIL),
    ),
    "a hyperlink in percent codes": (
        partial(
            book,
            _WHEAT,
            '<hyperlinks><hyperlink ref="A1" r:id="rIdH"/></hyperlinks>',
            [Link("rIdH", "hyperlink", f"https://farm.example/?q={NAME.replace(' ', '%20')}", SHEET1)],
        ),
        (NAME,),
    ),
    "a scenario": (
        partial(
            book,
            _WHEAT,
            f'<scenarios><scenario name="{NAME}" user="{MAIL}" comment="{PHONE}" count="1"><inputCells r="A1" '
            f'val="{ID}"/></scenario></scenarios>',
        ),
        (NAME, MAIL, PHONE, ID),
    ),
    "somebody's own view": (
        partial(
            book,
            _WHEAT,
            '<customSheetViews><customSheetView guid="{11111111-2222-3333-4444-555555555555}" filter="1">'
            f"<headerFooter><oddHeader>{MAIL}</oddHeader></headerFooter></customSheetView></customSheetViews>",
            workbook=f'<customWorkbookViews><customWorkbookView name="{NAME}" '
            'guid="{11111111-2222-3333-4444-555555555555}" windowWidth="1" windowHeight="1" activeSheetId="1"/>'
            "</customWorkbookViews>",
        ),
        (MAIL, NAME),
    ),
    "a consolidation": (
        partial(
            book,
            _WHEAT,
            f'<dataConsolidate><dataRefs count="1"><dataRef ref="A1:B2" name="{CODED}" sheet="{NAME}"/></dataRefs>'
            "</dataConsolidate>",
        ),
        (NAME,),
    ),
    "a page to publish": (
        partial(
            book,
            _WHEAT,
            f'<webPublishItems count="1"><webPublishItem id="1" divId="x" sourceType="sheet" '
            f'destinationFile="C:\\{NAME}\\x.htm" title="{MAIL}"/></webPublishItems>',
        ),
        (NAME, MAIL),
    ),
    "smart tags": (
        partial(
            book,
            _WHEAT,
            '<smartTags><cellSmartTags r="A1"><cellSmartTag type="0"><cellSmartTagPr key="person" '
            f'val="{NAME}"/></cellSmartTag></cellSmartTags></smartTags>',
        ),
        (NAME,),
    ),
    "a protected range": (
        partial(
            book,
            _WHEAT,
            '<sheetProtection sheet="1" algorithmName="SHA-512" hashValue="ZmFoYWRhbG90YWliaWZhaGFk" '
            'saltValue="c2FsdHNhbHRzYWx0" spinCount="100000"/><protectedRanges><protectedRange sqref="A1" '
            f'name="{NAME}" securityDescriptor="O:WDG:WDD:(A;;CC;;;{PHONE})"/></protectedRanges>',
        ),
        (NAME, PHONE),
    ),
    "a sheet's code name": (
        partial(book, _WHEAT, before=f'<sheetPr codeName="{CODED}"/>'),
        (NAME,),
    ),
    "who reserved the file": (
        partial(book, _WHEAT, properties=f'<fileSharing readOnlyRecommended="1" userName="{NAME}"/>'),
        (NAME,),
    ),
    "the folder of the file": (
        partial(
            book,
            _WHEAT,
            properties='<mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath '
            f'url="C:\\Users\\{NAME}\\"/></mc:Choice></mc:AlternateContent>',
        ),
        (NAME,),
    ),
    "an unknown extension": (
        partial(
            book,
            _WHEAT,
            f'<extLst><ext uri="{{99999999-2222-3333-4444-555555555555}}"><q:note xmlns:q="urn:q" by="{NAME}">{MAIL}'
            "</q:note></ext></extLst>",
        ),
        (NAME, MAIL),
    ),
    "a comment of the markup": (
        partial(book, f"<!-- {NAME} {ID} --><?note {MAIL}?>" + _WHEAT),
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
            _WHEAT,
            style=styles(
                more=f'<dxfs count="1"><dxf><numFmt numFmtId="190" formatCode="&quot;{MAIL}&quot;"/></dxf></dxfs>'
            ),
        ),
        (MAIL,),
    ),
    "a cell style's name": (
        partial(
            book,
            _WHEAT,
            style=styles(
                more=f'<cellStyles count="2"><cellStyle name="Normal" xfId="0" builtinId="0"/><cellStyle name="{NAME}" '
                f'xfId="0"/></cellStyles><tableStyles count="1" defaultTableStyle="{MAIL}"><tableStyle name="{MAIL}" '
                'count="0"/></tableStyles>'
            ),
        ),
        (NAME, MAIL),
    ),
    "attributes nobody declared": (
        partial(
            book, f'<row r="1" note="{NAME}"><c r="A1" hint="{MAIL}" t="inlineStr"><is><t>Wheat</t></is></c></row>'
        ),
        (NAME, MAIL),
    ),
    "elements that are no cells": (
        partial(
            book,
            f'<row r="1"><q note="{NAME}">{MAIL}</q>{text("A1", "Wheat")}<c r="B1"><v>5</v><w>{ID}</w></c></row>'
            f"<other>{PHONE}</other>",
        ),
        (NAME, MAIL, ID, PHONE),
    ),
    "a workbook in strict Office XML": (
        partial(
            book,
            row(1, shared("A1", 0), number("B1", ID)),
            _banner(f"&amp;C{MAIL}"),
            strings=[f"<t>{NAME}</t>"],
            strict=STRICT,
        ),
        (NAME, ID, MAIL),
    ),
    "revision ids": (
        partial(
            book,
            _WHEAT,
            properties=f'<xr:revisionPtr revIDLastSave="0" documentId="{MAIL}" xr6:coauthVersionLast="1"'
            f' xmlns:xr6="{MICROSOFT}/spreadsheetml/2016/revision6"/>',
        ),
        (MAIL,),
    ),
    "a name of another workbook": (
        partial(
            book,
            row(1, formula("A1", "[1]Sheet1!$A$1", "Wheat")),
            workbook='<externalReferences><externalReference r:id="rIdE"/></externalReferences>'
            + _names(f"<definedName name=\"Far\">'[1]{NAME}'!$A$1</definedName>"),
            parts=[
                Part(
                    "xl/externalLinks/externalLink1.xml",
                    rooted(
                        f'<externalLink><externalBook r:id="rId1"><sheetNames><sheetName val="{NAME}"/></sheetNames>'
                        f'<sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1" t="str"><v>{MAIL}</v>'
                        "</cell></row>"
                        "</sheetData></sheetDataSet></externalBook></externalLink>"
                    ),
                    "externalLink",
                    f"{SHEETML}.externalLink+xml",
                    WORKBOOK,
                    "rIdE",
                ),
                Link("rId1", "externalLinkPath", f"file:///C:/{CODED}/{ID}.xlsx", "xl/externalLinks/externalLink1.xml"),
            ],
        ),
        (NAME, MAIL, ID),
    ),
}
