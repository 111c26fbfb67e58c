"""What can hide around a sheet's cells: name, workbook, what is planted."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ID, MAIL, NAME, PHONE, Link, Part
from tests.hiding_places.xlsx.names import CODED, WHEAT, banner, names_of
from tests.hiding_places.xlsx.workbook import (
    DATE,
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
    text,
)


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
            WHEAT,
            f'<hyperlinks><hyperlink ref="A1" r:id="rIdH" tooltip="Write to {NAME}" display="{PHONE}"/></hyperlinks>',
            [Link("rIdH", "hyperlink", f"mailto:{MAIL}?subject=Wheat", SHEET1)],
        ),
        (NAME, PHONE, MAIL),
    ),
    "a hyperlink in percent codes": (
        partial(
            book,
            WHEAT,
            '<hyperlinks><hyperlink ref="A1" r:id="rIdH"/></hyperlinks>',
            [Link("rIdH", "hyperlink", f"https://farm.example/?q={NAME.replace(' ', '%20')}", SHEET1)],
        ),
        (NAME,),
    ),
    "a scenario": (
        partial(
            book,
            WHEAT,
            f'<scenarios><scenario name="{NAME}" user="{MAIL}" comment="{PHONE}" count="1"><inputCells r="A1" '
            f'val="{ID}"/></scenario></scenarios>',
        ),
        (NAME, MAIL, PHONE, ID),
    ),
    "somebody's own view": (
        partial(
            book,
            WHEAT,
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
            WHEAT,
            f'<dataConsolidate><dataRefs count="1"><dataRef ref="A1:B2" name="{CODED}" sheet="{NAME}"/></dataRefs>'
            "</dataConsolidate>",
        ),
        (NAME,),
    ),
    "a page to publish": (
        partial(
            book,
            WHEAT,
            f'<webPublishItems count="1"><webPublishItem id="1" divId="x" sourceType="sheet" '
            f'destinationFile="C:\\{NAME}\\x.htm" title="{MAIL}"/></webPublishItems>',
        ),
        (NAME, MAIL),
    ),
    "smart tags": (
        partial(
            book,
            WHEAT,
            '<smartTags><cellSmartTags r="A1"><cellSmartTag type="0"><cellSmartTagPr key="person" '
            f'val="{NAME}"/></cellSmartTag></cellSmartTags></smartTags>',
        ),
        (NAME,),
    ),
    "a protected range": (
        partial(
            book,
            WHEAT,
            '<sheetProtection sheet="1" algorithmName="SHA-512" hashValue="ZmFoYWRhbG90YWliaWZhaGFk" '
            'saltValue="c2FsdHNhbHRzYWx0" spinCount="100000"/><protectedRanges><protectedRange sqref="A1" '
            f'name="{NAME}" securityDescriptor="O:WDG:WDD:(A;;CC;;;{PHONE})"/></protectedRanges>',
        ),
        (NAME, PHONE),
    ),
    "an unknown extension": (
        partial(
            book,
            WHEAT,
            f'<extLst><ext uri="{{99999999-2222-3333-4444-555555555555}}"><q:note xmlns:q="urn:q" by="{NAME}">{MAIL}'
            "</q:note></ext></extLst>",
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
            banner(f"&amp;C{MAIL}"),
            strings=[f"<t>{NAME}</t>"],
            strict=STRICT,
        ),
        (NAME, ID, MAIL),
    ),
    "revision ids": (
        partial(
            book,
            WHEAT,
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
            + names_of(f"<definedName name=\"Far\">'[1]{NAME}'!$A$1</definedName>"),
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
