"""What can hide in the parts beside a workbook's sheets: name, workbook, what is planted."""

from collections.abc import Callable
from functools import partial

from tests.hiding_places.office_build import ID, MAIL, NAME, OFFICE, PHONE, Link, Part, R, zipped
from tests.hiding_places.xlsx.drawings import EXCEL, simple
from tests.hiding_places.xlsx.workbook import (
    MICROSOFT,
    SHEET1,
    SHEETML,
    WORKBOOK,
    book,
    rooted,
    row,
    text,
)


def _private(name: str, kind: str, content: str | bytes, type_: str = "", source: str = WORKBOOK) -> list[Part | Link]:
    return [Part(name, content, kind, type_, source, "rIdQ")]


def _properties(kind: str, inner: str, type_: str) -> list[Part | Link]:
    return [Part(f"docProps/{kind}.xml", inner, kind if ":" in kind else f"{R}/{kind}-properties", type_)]


_CORE = rooted(
    f"<cp:coreProperties><dc:title>Visit of {NAME}</dc:title><dc:creator>{NAME}</dc:creator>"
    f"<dc:description>{ID}</dc:description><cp:keywords>{MAIL}</cp:keywords>"
    f"<cp:lastModifiedBy>{PHONE}</cp:lastModifiedBy>"
    "</cp:coreProperties>",
    "",
)

_APP = (
    f'<Properties xmlns="{R.replace("relationships", "extended-properties")}"><Company>{NAME}</Company><Manager>{MAIL}'
    f"</Manager><HyperlinkBase>{PHONE}</HyperlinkBase></Properties>"
)

_CUSTOM = rooted(
    '<Properties><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="Owner"><vt:lpwstr>'
    f'{NAME}</vt:lpwstr></property><property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="3" name="ID"><vt:r8>'
    f"{ID}</vt:r8></property></Properties>",
    R.replace("relationships", "custom-properties"),
)


PARTS: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a connection": (
        simple(
            _private(
                "xl/connections.xml",
                "connections",
                rooted(
                    f'<connections><connection id="1" name="{NAME}" type="1" refreshedVersion="6"><dbPr '
                    f'connection="DSN=x;UID={MAIL};'
                    f'PWD={PHONE}" command="SELECT {ID}"/></connection></connections>'
                ),
                f"{SHEETML}.connections+xml",
            )
        ),
        (NAME, MAIL, PHONE, ID),
    ),
    "a query": (
        simple(
            _private(
                "xl/queryTables/queryTable1.xml",
                "queryTable",
                rooted(f'<queryTable name="{NAME}" connectionId="1"/>'),
                f"{SHEETML}.queryTable+xml",
                SHEET1,
            )
        ),
        (NAME,),
    ),
    "a map of XML": (
        simple(
            _private(
                "xl/xmlMaps.xml",
                "xmlMaps",
                rooted(f'<MapInfo SelectionNamespaces=""><Schema ID="S1"><x>{NAME}</x></Schema></MapInfo>'),
                "application/xml",
            )
        ),
        (NAME,),
    ),
    "custom XML": (
        simple(_private("customXml/item1.xml", "customXml", f"<farm><owner>{NAME}</owner><id n='{ID}'/></farm>")),
        (NAME, ID),
    ),
    "core properties": (
        simple(_properties("core", _CORE, "application/vnd.openxmlformats-package.core-properties+xml")),
        (NAME, ID, MAIL, PHONE),
    ),
    "extended properties": (
        simple(_properties("extended", _APP, f"{OFFICE}.extended-properties+xml")),
        (NAME, MAIL, PHONE),
    ),
    "custom properties": (simple(_properties("custom", _CUSTOM, f"{OFFICE}.custom-properties+xml")), (NAME, ID)),
    "a slicer": (
        simple(
            _private(
                "xl/slicers/slicer1.xml",
                f"{MICROSOFT}/2007/relationships/slicer",
                f'<slicers xmlns="{MICROSOFT}/spreadsheetml/2009/9/main"><slicer name="{NAME}" cache="c" '
                f'caption="{MAIL}"/></slicers>',
                f"{EXCEL}.slicer+xml",
                SHEET1,
            ),
            '<extLst><ext uri="{A8765BA9-456A-4dab-B4F3-ACF838C121DE}"><x14:slicerList><x14:slicer r:id="rIdQ"/>'
            "</x14:slicerList></ext></extLst>",
        ),
        (NAME, MAIL),
    ),
    "a slicer's cache": (
        simple(
            _private(
                "xl/slicerCaches/slicerCache1.xml",
                f"{MICROSOFT}/2007/relationships/slicerCache",
                f'<slicerCacheDefinition xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" name="c" sourceName="{NAME}"/>',
                f"{EXCEL}.slicerCache+xml",
            )
        ),
        (NAME,),
    ),
    "a rich data type": (
        partial(
            book,
            '<row r="1"><c r="A1" t="e" vm="1"><v>#VALUE!</v></c></row>',
            parts=[
                Part(
                    "xl/metadata.xml",
                    rooted(
                        '<metadata><metadataTypes count="1"><metadataType name="XLRICHVALUE" '
                        'minSupportedVersion="120000"/></metadataTypes>'
                        f'<futureMetadata name="XLRICHVALUE" count="1"><bk note="{MAIL}"/></futureMetadata>'
                        '<valueMetadata count="1"><bk>'
                        '<rc t="1" v="0"/></bk></valueMetadata></metadata>'
                    ),
                    "sheetMetadata",
                    f"{SHEETML}.sheetMetadata+xml",
                    WORKBOOK,
                ),
                Part(
                    "xl/richData/rdrichvalue.xml",
                    f'<rvData xmlns="urn:r"><rv s="0"><v>{NAME}</v></rv></rvData>',
                    f"{MICROSOFT}/2017/06/relationships/rdRichValue",
                    f"{EXCEL}.rdrichvalue+xml",
                    WORKBOOK,
                ),
            ],
        ),
        (NAME, MAIL),
    ),
    "volatile dependencies": (
        simple(
            _private(
                "xl/volatileDependencies.xml",
                "volatileDependencies",
                rooted(
                    f'<volTypes><volType type="realTimeData"><main first="{NAME}"><tp t="s"><v>{MAIL}</v><stp/>'
                    '<tr r="A1" s="1"/></tp></main>'
                    "</volType></volTypes>"
                ),
                f"{SHEETML}.volatileDependencies+xml",
            )
        ),
        (NAME, MAIL),
    ),
    "the history of a shared workbook": (
        simple(
            [
                Part(
                    "xl/revisions/revisionHeaders.xml",
                    rooted(f'<headers guid="{{A}}"><header guid="{{A}}" userName="{NAME}" r:id="rId1"/></headers>'),
                    "revisionHeaders",
                    f"{SHEETML}.revisionHeaders+xml",
                    WORKBOOK,
                ),
                Part(
                    "xl/revisions/revisionLog1.xml",
                    rooted(f'<revisions><rcc rId="1" sId="1"><oc r="A1" t="str"><v>{MAIL}</v></oc></rcc></revisions>'),
                    "revisionLog",
                    f"{SHEETML}.revisionLog+xml",
                    "xl/revisions/revisionHeaders.xml",
                    "rId1",
                ),
                Part(
                    "xl/revisions/userNames.xml",
                    rooted(f'<users><userInfo guid="{{A}}" name="{PHONE}" id="1"/></users>'),
                    "usernames",
                    f"{SHEETML}.userNames+xml",
                    WORKBOOK,
                ),
            ]
        ),
        (NAME, MAIL, PHONE),
    ),
    "printer settings": (
        simple(
            _private(
                "xl/printerSettings/printerSettings1.bin",
                "printerSettings",
                f"\\\\{NAME}\\".encode("utf-16-le"),
                f"{SHEETML}.printerSettings",
                SHEET1,
            ),
            '<pageSetup orientation="landscape" r:id="rIdQ"/>',
        ),
        (NAME,),
    ),
    "an embedded workbook": (
        simple(
            _private(
                "xl/embeddings/Microsoft_Excel_Sheet1.xlsx", "package", zipped({"a.txt": f"{NAME} {ID}"}), "", SHEET1
            ),
            '<oleObjects><oleObject progId="Excel.Sheet.12" shapeId="1025" r:id="rIdQ"/></oleObjects>',
        ),
        (NAME, ID),
    ),
    "an embedded object": (
        simple(
            _private(
                "xl/embeddings/oleObject1.bin",
                "oleObject",
                f"{MAIL}".encode("utf-16-le"),
                f"{OFFICE}.oleObject",
                SHEET1,
            ),
            f'<oleObjects><oleObject progId="{NAME}" shapeId="1025" r:id="rIdQ"/></oleObjects>',
        ),
        (MAIL, NAME),
    ),
    "a control": (
        simple(
            [
                Part(
                    "xl/ctrlProps/ctrlProp1.xml",
                    f'<formControlPr xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" objectType="Drop">'
                    f'<itemLst><item val="{NAME}"/></itemLst></formControlPr>',
                    "ctrlProp",
                    f"{EXCEL}.controlproperties+xml",
                    SHEET1,
                    "rIdQ",
                ),
            ],
            '<mc:AlternateContent><mc:Choice Requires="x14"><controls><control shapeId="1025" r:id="rIdQ" '
            f'name="{MAIL}"/></controls>'
            "</mc:Choice></mc:AlternateContent>",
        ),
        (NAME, MAIL),
    ),
    "a custom property of a sheet": (
        simple(
            _private(
                "xl/customProperty1.bin",
                "customProperty",
                MAIL.encode("utf-16-le"),
                f"{SHEETML}.customProperty",
                SHEET1,
            ),
            f'<customProperties><customPr name="{NAME}" r:id="rIdQ"/></customProperties>',
        ),
        (MAIL, NAME),
    ),
    "a theme's name": (
        simple(
            _private(
                "xl/theme/theme1.xml",
                "theme",
                f'<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="{NAME}">'
                "<a:themeElements/></a:theme>",
                f"{OFFICE}.theme+xml",
            )
        ),
        (NAME,),
    ),
    "a part of an unknown kind": (
        simple(
            _private("xl/notes/notes.xml", "notes", f"<notes><by>{NAME}</by></notes>", "application/vnd.farm.notes+xml")
        ),
        (NAME,),
    ),
    "a part that nothing leads to": (
        simple(
            [
                Part(
                    "xl/worksheets/sheet9.xml",
                    rooted(f"<worksheet><sheetData>{row(1, text('A1', NAME))}</sheetData></worksheet>"),
                    "old",
                    f"{SHEETML}.worksheet+xml",
                    "xl/worksheets/sheet8.xml",
                )
            ]
        ),
        (NAME,),
    ),
    "a part's name": (
        simple(_private(f"customXml/{ID}.xml", "customXml", "<farm/>")),
        (ID,),
    ),
    "a thumbnail": (simple([Part("docProps/thumbnail.wmf", f"{NAME}", "thumbnail", "image/x-wmf")]), (NAME,)),
    "a calculation chain": (
        simple(
            _private(
                "xl/calcChain.xml",
                "calcChain",
                rooted(f'<calcChain note="{NAME}"><c r="A1" i="1"/></calcChain>'),
                f"{SHEETML}.calcChain+xml",
            )
        ),
        (NAME,),
    ),
    "a signature": (
        simple(
            [
                Part(
                    "_xmlsignatures/origin.sigs",
                    "",
                    "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin",
                    "application/vnd.openxmlformats-package.digital-signature-origin",
                ),
                Part(
                    "_xmlsignatures/sig1.xml",
                    f"<Signature><Object>{NAME}</Object></Signature>",
                    "signature",
                    "application/vnd.openxmlformats-package.digital-signature-xmlsignature+xml",
                    "_xmlsignatures/origin.sigs",
                ),
            ]
        ),
        (NAME,),
    ),
}
