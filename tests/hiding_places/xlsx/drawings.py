"""What can hide in comments, shapes, charts and pivot tables: name, workbook, what is planted."""

from collections.abc import Callable, Sequence
from functools import partial

from tests.hiding_places.office_build import DRAWINGML, ID, MAIL, NAME, OFFICE, PERMIT, PHONE, Link, Part
from tests.hiding_places.xlsx.workbook import (
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

WHEAT = row(1, text("A1", "Wheat"))

EXCEL = "application/vnd.ms-excel"

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
            f"{EXCEL}.threadedcomments+xml",
            SHEET1,
        ),
        Part("xl/persons/person.xml", people, f"{kinds}person", f"{EXCEL}.person+xml", WORKBOOK),
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


def simple(parts: Sequence[Part | Link], after: str = "", workbook: str = "") -> Callable[[], bytes]:
    return partial(book, WHEAT, after, parts, workbook=workbook)


_DIAGRAM = rooted(
    '<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:bodyPr/><a:p><a:r><a:t>' + NAME + "</a:t></a:r></a:p>"
    "</dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst/></dgm:dataModel>",
    "",
)


DRAWN: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "a comment": (
        simple(_remark(f"<r><t>Ask {NAME[:4]}</t></r><r><rPr><b/></rPr><t>{NAME[4:]}</t></r>"), _REMARKED),
        ("Alotaibi",),
    ),
    "a comment's number in runs": (
        simple(_remark(f"<r><t>ID {ID[:3]}</t></r><r><t>{ID[3:]}</t></r>"), _REMARKED),
        (ID,),
    ),
    "a comment's author": (simple(_remark("<t>Wheat</t>", NAME), _REMARKED), (NAME,)),
    "a comment's author of one word": (simple(_remark("<t>Wheat</t>", "Fahadotaibi"), _REMARKED), ("Fahadotaibi",)),
    "a comment's box": (
        simple(_remark("<t>Wheat</t>", vml=f"<font>{MAIL}</font><br>{PHONE}"), _REMARKED),
        (MAIL, PHONE),
    ),
    "a discussion": (simple(_threads(f"Ask {NAME} or {MAIL}", "Someone", "x"), _REMARKED), (NAME, MAIL)),
    "a discussion's people": (simple(_threads("Wheat", NAME, MAIL), _REMARKED), (NAME, MAIL)),
    "a shape's text": (partial(book, WHEAT, _SHOWN, _drawn(_shape(f"Call {PHONE}"))), (PHONE,)),
    "a shape's alternative text": (
        partial(book, WHEAT, _SHOWN, _drawn(_shape("Wheat", properties=f'title="{NAME}" descr="Photo of {MAIL}"'))),
        (NAME, MAIL),
    ),
    "a shape that shows a cell": (
        partial(book, row(1, text("A1", NAME)), _SHOWN, _drawn(_shape(NAME, 'textlink="Harvest!$A$1"'))),
        (NAME,),
    ),
    "a shape's link to a named sheet": (
        partial(
            book,
            WHEAT,
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
    "a chart's title": (partial(book, WHEAT, _SHOWN, _chart("", f"Grown by {NAME}")), (NAME,)),
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
            WHEAT,
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
            WHEAT,
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
                    f"{EXCEL.replace('excel', 'office')}.chartex+xml",
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
            WHEAT,
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
}
