"""What can hide in the parts beside a workbook's sheets: name, workbook, what is planted."""

from collections.abc import Callable, Sequence
from functools import partial

from tests.documents.office_build import DRAWINGML, ID, MAIL, NAME, OFFICE, PERMIT, PHONE, Link, Part, R, zipped
from tests.documents.xlsx_places_book import (
    DATE,
    MICROSOFT,
    SHEET1,
    SHEETML,
    WORKBOOK,
    book,
    number,
    rooted,
    row,
    text,
)

_WHEAT = row(1, text("A1", "Wheat"))
_EXCEL = "application/vnd.ms-excel"
_DRAWING = "xl/drawings/drawing1.xml"
_COMMENTS = "xl/comments1.xml"
_GUID = "{{{0}0000000-1111-2222-3333-444444444444}}"
_VML = "xl/drawings/vmlDrawing1.vml"


def _drawn(inner: str, *more: Part | Link) -> list[Part | Link]:
    anchor = (
        "<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0"
        "</xdr:rowOff></xdr:from><xdr:to><xdr:col>6</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>9</xdr:row>"
        "<xdr:rowOff>0"
        f"</xdr:rowOff></xdr:to>{inner}<xdr:clientData/></xdr:twoCellAnchor>"
    )
    markup = rooted(f"<xdr:wsDr>{anchor}</xdr:wsDr>", "")
    return [Part(_DRAWING, markup, "drawing", f"{OFFICE}.drawing+xml", SHEET1, "rIdD"), *more]


def _shape(words: str, attributes: str = "", properties: str = "") -> str:
    return (
        f'<xdr:sp macro="" {attributes}><xdr:nvSpPr><xdr:cNvPr id="2" name="Box" {properties}/><xdr:cNvSpPr/>'
        "</xdr:nvSpPr>"
        '<xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="900000"/></a:xfrm><a:prstGeom prst="rect">'
        f"<a:avLst/></a:prstGeom></xdr:spPr><xdr:txBody><a:bodyPr/><a:p><a:r><a:t>{words}</a:t></a:r></a:p>"
        "</xdr:txBody>"
        "</xdr:sp>"
    )


def _frame(uri: str, inner: str) -> str:
    return (
        '<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="3" name="Frame"/><xdr:cNvGraphicFramePr/>'
        '</xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>'
        f'<a:graphicData uri="{uri}">{inner}</a:graphicData></a:graphic></xdr:graphicFrame>'
    )


_SHOWN = '<drawing r:id="rIdD"/>'
_CHART_FRAME = _frame("http://schemas.openxmlformats.org/drawingml/2006/chart", '<c:chart r:id="rIdC"/>')


def _chart(series: str, title: str = "Crops") -> list[Part | Link]:
    markup = rooted(
        "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>"
        + title
        + "</a:t></a:r></a:p></c:rich>"
        '</c:tx></c:title><c:plotArea><c:barChart><c:barDir val="col"/><c:ser><c:idx val="0"/><c:order val="0"/>'
        + series
        + '</c:ser><c:axId val="1"/><c:axId val="2"/></c:barChart><c:catAx><c:axId val="1"/><c:scaling/>'
        '<c:axPos val="b"/><c:crossAx val="2"/></c:catAx><c:valAx><c:axId val="2"/><c:scaling/><c:axPos val="l"/>'
        '<c:crossAx val="1"/></c:valAx></c:plotArea></c:chart></c:chartSpace>',
        "",
    )
    return _drawn(
        _CHART_FRAME, Part("xl/charts/chart1.xml", markup, "chart", f"{DRAWINGML}.chart+xml", _DRAWING, "rIdC")
    )


def _points(kind: str, formula: str, *values: str, code: str = "") -> str:
    points = "".join(f'<c:pt idx="{n}"><c:v>{value}</c:v></c:pt>' for n, value in enumerate(values))
    form = f"<c:formatCode>{code}</c:formatCode>" if code else ""
    return (
        f"<c:{kind}Ref><c:f>{formula}</c:f><c:{kind}Cache>{form}<c:ptCount "
        f'val="{len(values)}"/>{points}</c:{kind}Cache>'
        f"</c:{kind}Ref>"
    )


def _remark(words: str, author: str = "Editor", vml: str = "") -> list[Part | Link]:
    comments = rooted(
        f'<comments><authors><author>{author}</author></authors><commentList><comment ref="A1" authorId="0">'
        f"<text>{words}"
        "</text></comment></commentList></comments>"
    )
    shape = (
        '<xml><v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"/>'
        '<v:shape id="_x0000_s1025" type="#_x0000_t202" style="position:absolute;visibility:hidden">'
        f'<v:textbox><div style="text-align:left">{vml}</div></v:textbox><x:ClientData ObjectType="Note">'
        "<x:Row>0</x:Row>"
        "<x:Column>0</x:Column></x:ClientData></v:shape></xml>"
    )
    return [
        Part(_COMMENTS, comments, "comments", f"{SHEETML}.comments+xml", SHEET1),
        Part(_VML, rooted(shape, ""), "vmlDrawing", "", SHEET1, "rIdV"),
    ]


_REMARKED = '<legacyDrawing r:id="rIdV"/>'


def _threads(words: str, who: str, user: str) -> list[Part | Link]:
    remark, person = _GUID.format("A"), _GUID.format("B")
    threads = (
        f'<ThreadedComments xmlns="{MICROSOFT}/spreadsheetml/2018/threadedcomments"><threadedComment ref="A1" '
        f'dT="2024-05-12T10:00:00.00" personId="{person}" id="{remark}"><text>{words}</text><mentions><mention '
        f'mentionpersonId="{person}" mentionId="{{C}}" startIndex="0" length="3"/></mentions></threadedComment>'
        "</ThreadedComments>"
    )
    people = (
        f'<personList xmlns="{MICROSOFT}/spreadsheetml/2018/threadedcomments"><person displayName="{who}" '
        f'id="{person}" userId="{user}" providerId="AD"/></personList>'
    )
    kinds = f"{MICROSOFT}/2017/10/relationships/"
    return [
        *_remark(f"<t>[Threaded comment] {words}</t>", f"tc={remark}"),
        Part(
            "xl/threadedComments/threadedComment1.xml",
            threads,
            f"{kinds}threadedComment",
            f"{_EXCEL}.threadedcomments+xml",
            SHEET1,
        ),
        Part("xl/persons/person.xml", people, f"{kinds}person", f"{_EXCEL}.person+xml", WORKBOOK),
    ]


def _pivot(
    items: str, records: str, name: str = "Owner", source: str = 'ref="A1:B3" sheet="Harvest"'
) -> Sequence[Part]:
    cache, table = "xl/pivotCache/pivotCacheDefinition1.xml", "xl/pivotTables/pivotTable1.xml"
    definition = rooted(
        f'<pivotCacheDefinition r:id="rIdR" refreshedBy="{NAME}" refreshedDate="45000" recordCount="1">'
        f'<cacheSource type="worksheet"><worksheetSource {source}/></cacheSource><cacheFields count="1">'
        f'<cacheField name="{name}" numFmtId="0">{items}</cacheField></cacheFields></pivotCacheDefinition>'
    )
    view = rooted(
        '<pivotTableDefinition name="PivotTable1" cacheId="1" dataCaption="Values"><location ref="F20:G22" '
        f'firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/><pivotFields count="1"><pivotField name="{name}" '
        'axis="axisRow" showAll="0"/></pivotFields></pivotTableDefinition>'
    )
    return [
        Part(cache, definition, "pivotCacheDefinition", f"{SHEETML}.pivotCacheDefinition+xml", WORKBOOK, "rIdP"),
        Part(
            "xl/pivotCache/pivotCacheRecords1.xml",
            rooted(f"<pivotCacheRecords><r>{records}</r></pivotCacheRecords>"),
            "pivotCacheRecords",
            f"{SHEETML}.pivotCacheRecords+xml",
            cache,
            "rIdR",
        ),
        Part(table, view, "pivotTable", f"{SHEETML}.pivotTable+xml", SHEET1),
        Part(cache, definition, "pivotCacheDefinition", f"{SHEETML}.pivotCacheDefinition+xml", table),
    ]


_PIVOTS = '<pivotCaches><pivotCache cacheId="1" r:id="rIdP"/></pivotCaches>'
_CROPS = row(1, text("A1", "Crop"), text("B1", "Field")) + row(2, text("A2", "Wheat"), text("B2", "North"))


def _pivoted(items: str, records: str = '<x v="0"/>', name: str = "Owner") -> bytes:
    return book(_CROPS, parts=_pivot(items, records, name), workbook=_PIVOTS)


def _private(name: str, kind: str, content: str | bytes, type_: str = "", source: str = WORKBOOK) -> list[Part | Link]:
    return [Part(name, content, kind, type_, source, "rIdQ")]


def _simple(parts: Sequence[Part | Link], after: str = "", workbook: str = "") -> Callable[[], bytes]:
    return partial(book, _WHEAT, after, parts, workbook=workbook)


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
_DIAGRAM = rooted(
    '<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>' + NAME + "</a:t></a:r></a:p>"
    "</dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst/></dgm:dataModel>",
    "",
)

PARTS: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a comment": (
        _simple(_remark(f"<r><t>Ask {NAME[:4]}</t></r><r><rPr><b/></rPr><t>{NAME[4:]}</t></r>"), _REMARKED),
        ("Alotaibi",),
    ),
    "a comment's number in runs": (
        _simple(_remark(f"<r><t>ID {ID[:3]}</t></r><r><t>{ID[3:]}</t></r>"), _REMARKED),
        (ID,),
    ),
    "a comment's author": (_simple(_remark("<t>Wheat</t>", NAME), _REMARKED), (NAME,)),
    "a comment's author of one word": (_simple(_remark("<t>Wheat</t>", "Fahadotaibi"), _REMARKED), ("Fahadotaibi",)),
    "a comment's box": (
        _simple(_remark("<t>Wheat</t>", vml=f"<font>{MAIL}</font><br>{PHONE}"), _REMARKED),
        (MAIL, PHONE),
    ),
    "a discussion": (_simple(_threads(f"Ask {NAME} or {MAIL}", "Someone", "x"), _REMARKED), (NAME, MAIL)),
    "a discussion's people": (_simple(_threads("Wheat", NAME, MAIL), _REMARKED), (NAME, MAIL)),
    "a shape's text": (partial(book, _WHEAT, _SHOWN, _drawn(_shape(f"Call {PHONE}"))), (PHONE,)),
    "a shape's alternative text": (
        partial(book, _WHEAT, _SHOWN, _drawn(_shape("Wheat", properties=f'title="{NAME}" descr="Photo of {MAIL}"'))),
        (NAME, MAIL),
    ),
    "a shape that shows a cell": (
        partial(book, row(1, text("A1", NAME)), _SHOWN, _drawn(_shape(NAME, 'textlink="Harvest!$A$1"'))),
        (NAME,),
    ),
    "a shape's link to a named sheet": (
        partial(
            book,
            _WHEAT,
            _SHOWN,
            _drawn(
                _shape("Wheat", properties="").replace(
                    'name="Box" />', 'name="Box"><a:hlinkClick r:id="rIdL"/></xdr:cNvPr>'
                ),
                Link("rIdL", "hyperlink", f"#'{NAME}'!A1", _DRAWING),
            ),
            names=("Harvest", NAME),
        ),
        (NAME,),
    ),
    "a chart's title": (partial(book, _WHEAT, _SHOWN, _chart("", f"Grown by {NAME}")), (NAME,)),
    "a chart of cells": (
        partial(
            book,
            row(1, text("A1", NAME), number("B1", "5")),
            _SHOWN,
            _chart(
                f"<c:cat>{_points('str', 'Harvest!$A$1', NAME)}</c:cat>"
                f"<c:val>{_points('num', 'Harvest!$B$1', '5')}</c:val>"
            ),
        ),
        (NAME,),
    ),
    "a chart of numbers": (
        partial(
            book,
            row(1, number("A1", ID), number("B1", "33005", DATE)),
            _SHOWN,
            _chart(
                f"<c:cat>{_points('num', 'Harvest!$B$1', '33005', code='yyyy-mm-dd')}</c:cat>"
                f"<c:val>{_points('num', 'Harvest!$A$1', ID)}</c:val>"
            ),
        ),
        (ID, "33005"),
    ),
    "a chart of cells that are not there": (
        partial(
            book,
            _WHEAT,
            _SHOWN,
            _chart(
                f"<c:cat>{_points('str', '[1]Far!$A$1', NAME)}</c:cat>"
                f"<c:val>{_points('num', '[1]Far!$B$1', ID)}</c:val>"
            ),
        ),
        (NAME, ID),
    ),
    "a chart of a named sheet": (
        partial(
            book,
            _WHEAT,
            _SHOWN,
            _chart(f"<c:val>{_points('num', f'{chr(39)}{NAME}{chr(39)}!$B$1', '5')}</c:val>"),
            names=("Harvest", NAME),
        ),
        (NAME,),
    ),
    "a chart of 2016": (
        partial(
            book,
            row(1, text("A1", NAME)),
            _SHOWN,
            _drawn(
                _frame(f"{MICROSOFT}/drawing/2014/chartex", '<cx:chart r:id="rIdC"/>'),
                Part(
                    "xl/charts/chartEx1.xml",
                    rooted(
                        '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim type="cat">'
                        "<cx:f>Harvest!$A$1</cx:f><cx:lvl "
                        f'ptCount="1"><cx:pt idx="0">{NAME}</cx:pt></cx:lvl></cx:strDim></cx:data>'
                        "</cx:chartData><cx:chart>"
                        f"<cx:title><cx:tx><cx:txData><cx:v>Of {MAIL}</cx:v></cx:txData></cx:tx></cx:title></cx:chart>"
                        "</cx:chartSpace>",
                        "",
                    ),
                    f"{MICROSOFT}/2014/relationships/chartEx",
                    f"{_EXCEL.replace('excel', 'office')}.chartex+xml",
                    _DRAWING,
                    "rIdC",
                ),
            ),
        ),
        (NAME, MAIL),
    ),
    "a diagram": (
        partial(
            book,
            _WHEAT,
            _SHOWN,
            _drawn(
                _frame("http://schemas.openxmlformats.org/drawingml/2006/diagram", '<dgm:relIds r:dm="rIdM"/>'),
                Part(
                    "xl/diagrams/data1.xml", _DIAGRAM, "diagramData", f"{DRAWINGML}.diagramData+xml", _DRAWING, "rIdM"
                ),
            ),
        ),
        (NAME,),
    ),
    "a pivot table's items": (partial(_pivoted, f'<sharedItems count="1"><s v="{NAME}"/></sharedItems>'), (NAME,)),
    "a pivot table's numbers": (partial(_pivoted, f'<sharedItems><n v="{ID}"/></sharedItems>'), (ID,)),
    "a pivot table's mobiles": (
        partial(_pivoted, f'<sharedItems><n v="{PHONE[1:]}"/></sharedItems>', name="Mobile"),
        (PHONE[1:],),
    ),
    "a pivot table's dates": (
        partial(_pivoted, '<sharedItems><d v="1990-05-12T00:00:00"/></sharedItems>'),
        ("1990-05-12",),
    ),
    "a pivot table's records": (
        partial(_pivoted, "<sharedItems/>", f'<s v="{MAIL}"/><n v="{PERMIT}"/>'),
        (MAIL, PERMIT),
    ),
    "a pivot table's field": (partial(_pivoted, "<sharedItems/>", name=NAME), (NAME,)),
    "who refreshed a pivot table": (
        partial(_pivoted, '<sharedItems count="1"><s v="Wheat"/></sharedItems>', name="Crop"),
        (NAME,),
    ),
    "a pivot table of removed cells": (
        partial(
            book,
            row(1, text("A1", "Mobile"), text("B1", "Crop")) + row(2, number("A2", PHONE[1:]), text("B2", "Wheat")),
            parts=_pivot(f'<sharedItems><n v="{PHONE[1:]}"/></sharedItems>', "", "Crop"),
            workbook=_PIVOTS,
        ),
        (PHONE[1:],),
    ),
    "a connection": (
        _simple(
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
        _simple(
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
        _simple(
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
        _simple(_private("customXml/item1.xml", "customXml", f"<farm><owner>{NAME}</owner><id n='{ID}'/></farm>")),
        (NAME, ID),
    ),
    "core properties": (
        _simple(_properties("core", _CORE, "application/vnd.openxmlformats-package.core-properties+xml")),
        (NAME, ID, MAIL, PHONE),
    ),
    "extended properties": (
        _simple(_properties("extended", _APP, f"{OFFICE}.extended-properties+xml")),
        (NAME, MAIL, PHONE),
    ),
    "custom properties": (_simple(_properties("custom", _CUSTOM, f"{OFFICE}.custom-properties+xml")), (NAME, ID)),
    "a slicer": (
        _simple(
            _private(
                "xl/slicers/slicer1.xml",
                f"{MICROSOFT}/2007/relationships/slicer",
                f'<slicers xmlns="{MICROSOFT}/spreadsheetml/2009/9/main"><slicer name="{NAME}" cache="c" '
                f'caption="{MAIL}"/></slicers>',
                f"{_EXCEL}.slicer+xml",
                SHEET1,
            ),
            '<extLst><ext uri="{A8765BA9-456A-4dab-B4F3-ACF838C121DE}"><x14:slicerList><x14:slicer r:id="rIdQ"/>'
            "</x14:slicerList></ext></extLst>",
        ),
        (NAME, MAIL),
    ),
    "a slicer's cache": (
        _simple(
            _private(
                "xl/slicerCaches/slicerCache1.xml",
                f"{MICROSOFT}/2007/relationships/slicerCache",
                f'<slicerCacheDefinition xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" name="c" sourceName="{NAME}"/>',
                f"{_EXCEL}.slicerCache+xml",
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
                    f"{_EXCEL}.rdrichvalue+xml",
                    WORKBOOK,
                ),
            ],
        ),
        (NAME, MAIL),
    ),
    "volatile dependencies": (
        _simple(
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
        _simple(
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
        _simple(
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
        _simple(
            _private(
                "xl/embeddings/Microsoft_Excel_Sheet1.xlsx", "package", zipped({"a.txt": f"{NAME} {ID}"}), "", SHEET1
            ),
            '<oleObjects><oleObject progId="Excel.Sheet.12" shapeId="1025" r:id="rIdQ"/></oleObjects>',
        ),
        (NAME, ID),
    ),
    "an embedded object": (
        _simple(
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
        _simple(
            [
                Part(
                    "xl/ctrlProps/ctrlProp1.xml",
                    f'<formControlPr xmlns="{MICROSOFT}/spreadsheetml/2009/9/main" objectType="Drop">'
                    f'<itemLst><item val="{NAME}"/></itemLst></formControlPr>',
                    "ctrlProp",
                    f"{_EXCEL}.controlproperties+xml",
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
        _simple(
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
        _simple(
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
        _simple(
            _private("xl/notes/notes.xml", "notes", f"<notes><by>{NAME}</by></notes>", "application/vnd.farm.notes+xml")
        ),
        (NAME,),
    ),
    "a part that nothing leads to": (
        _simple(
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
        _simple(_private(f"customXml/{ID}.xml", "customXml", "<farm/>")),
        (ID,),
    ),
    "a thumbnail": (_simple([Part("docProps/thumbnail.wmf", f"{NAME}", "thumbnail", "image/x-wmf")]), (NAME,)),
    "a calculation chain": (
        _simple(
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
        _simple(
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
