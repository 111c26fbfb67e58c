"""Hiding places in the other parts of a Word package: headers, notes, comments, properties, drawings, attachments."""
# ruff: noqa: E501  (markup in tables)

from tests.hiding_places.docx.text import drawing, p, r
from tests.hiding_places.office_build import (
    DRAWINGML,
    IBAN,
    ID,
    MAIL,
    NAME,
    OFFICE,
    PACKAGE,
    PERMIT,
    PHONE,
    WORDML,
    A,
    C,
    Link,
    Part,
    declared,
    zipped,
)

MAIN = "word/document.xml"
Row = tuple[str, tuple[Part | Link, ...], tuple[str, ...]]  # body, other parts, what is planted
_CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
_TYPES = f"{OFFICE[:-14]}openxmlformats-officedocument"


def word(name: str, inner: str, kind: str, root: str = "", type_: str = "", id_: str = "") -> Part:
    """A part of WordprocessingML related to the document."""
    markup = declared(f"<w:{root or kind}>{inner}</w:{root or kind}>", "w", "r", "w14", "w15", "a", "wp", "v", "o")
    return Part(f"word/{name}.xml", markup, kind, f"{WORDML}.{type_ or kind}+xml", MAIN, id_)


def settings(inner: str) -> Row:
    return p("x"), (word("settings", inner, "settings"),), ()


def properties(kind: str, inner: str) -> Part:
    if kind == "core":
        head = f'<cp:coreProperties xmlns:cp="{_CORE}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms='
        head += '"http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        return Part("docProps/core.xml", f"{head}{inner}</cp:coreProperties>", f"{PACKAGE}/relationships/metadata/core-properties",
                    "application/vnd.openxmlformats-package.core-properties+xml")  # fmt: skip
    ns = f"http://schemas.openxmlformats.org/officeDocument/2006/{kind}-properties"
    vt = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
    return Part(f"docProps/{kind}.xml", f'<Properties xmlns="{ns}" xmlns:vt="{vt}">{inner}</Properties>',
                f"{kind}-properties", f"{OFFICE}.{kind}-properties+xml")  # fmt: skip


def custom(inner: str, name: str = "customXml/item1.xml", source: str = MAIN) -> Part:
    return Part(name, inner, "customXml", source=source)


def chart(inner: str) -> Part:
    markup = f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart>{inner}</c:chart></c:chartSpace>'
    return Part("word/charts/chart1.xml", markup, "chart", f"{DRAWINGML}.chart+xml", MAIN, "rIdC")


def bars(categories: str, values: str) -> str:
    """A bar chart with these caches."""
    return (
        "<c:plotArea><c:layout/><c:barChart><c:barDir val='col'/><c:ser><c:idx val='0'/><c:order val='0'/><c:cat><c:strRef>"
        f"<c:f>Sheet1!$A$2</c:f><c:strCache><c:ptCount val='1'/><c:pt idx='0'><c:v>{categories}</c:v></c:pt></c:strCache>"
        "</c:strRef></c:cat><c:val><c:numRef><c:f>Sheet1!$B$2</c:f><c:numCache><c:formatCode>General</c:formatCode>"
        f"<c:ptCount val='1'/><c:pt idx='0'><c:v>{values}</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart>"
        "</c:plotArea>"
    )


CHART_FRAME = p(drawing('<c:chart r:id="rIdC"/>', uri=C))


def diagram(kind: str, inner: str, root: str) -> Part:
    ns = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    kinds = {"diagramDrawing": "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing"}
    types = {"diagramDrawing": "application/vnd.ms-office.drawingml.diagramDrawing+xml"}
    return Part(f"word/diagrams/{kind}1.xml", f'<dgm:{root} xmlns:dgm="{ns}" xmlns:a="{A}">{inner}</dgm:{root}>',
                kinds.get(kind, kind), types.get(kind, f"{DRAWINGML}.{kind}+xml"), MAIN, f"rId{kind}")  # fmt: skip


def binary(name: str, kind: str, id_: str = "rIdB", content: bytes | str = f"{NAME} {ID}") -> Part:
    return Part(name, content, kind, source=MAIN, id=id_)


_COMMENT = (
    f'<w:comment w:id="0" w:author="{NAME}" w:initials="FA" w:date="2024-03-15T10:00:00Z">{p(f"No. {ID}")}</w:comment>'
)
_OBJECT = (
    '<w:r><w:object><v:shape id="_x0000_i1025" style="width:50pt;height:50pt"/><o:OLEObject Type="Embed" ProgID='
    f'"Package" ShapeID="_x0000_i1025" DrawAspect="Icon" ObjectID="_{ID}" r:id="rIdB"/></w:object></w:r>'
)
_BOOK = zipped({"[Content_Types].xml": "<Types/>", "xl/sharedStrings.xml": f"<sst><si><t>{ID}</t></si></sst>"})
_SOURCES = "http://schemas.openxmlformats.org/officeDocument/2006/bibliography"

PARTS: dict[str, Row] = {
    "a header": (p("x"), (word("header1", p("No. ", ID[:4], ID[4:]), "header", "hdr"),), (ID,)),
    "a first-page and an even header": (p("x"), (
        word("header2", p(ID), "header", "hdr"), word("header3", p(MAIL), "header", "hdr")), (ID, MAIL)),
    "a footer": (p("x"), (word("footer1", p(NAME), "footer", "ftr"),), (NAME,)),
    "a watermark": (p("x"), (word("header1", p(
        f'<w:pict><v:shape style="width:300pt;height:90pt" type="#_x0000_t136"><v:textpath string="{NAME}"/></v:shape></w:pict>'),
        "header", "hdr"),), (NAME,)),
    "a footnote": (p("x"), (word("footnotes", f'<w:footnote w:id="2">{p(ID)}</w:footnote>', "footnotes"),), (ID,)),
    "an endnote": (p("x"), (word("endnotes", f'<w:endnote w:id="2">{p(ID)}</w:endnote>', "endnotes"),), (ID,)),
    "a comment and its author": (p("x"), (word("comments", _COMMENT, "comments"),), (ID, NAME)),
    "the people of comments": (p("x"), (Part("word/people.xml", declared(
        f'<w15:people><w15:person w15:author="{NAME}"><w15:presenceInfo w15:providerId="AD" w15:userId="S::{MAIL}::1"/>'
        "</w15:person></w15:people>"), "http://schemas.microsoft.com/office/2011/relationships/people",
        f"{WORDML}.people+xml", MAIN),), (NAME, MAIN and MAIL)),
    "extended comments": (p("x"), (Part("word/commentsExtended.xml", declared(
        f'<w15:commentsEx><w15:commentEx w15:paraId="{ID[:8]}" w15:done="0"/></w15:commentsEx>'),
        "http://schemas.microsoft.com/office/2011/relationships/commentsExtended", f"{WORDML}.commentsExtended+xml", MAIN),),
        (ID[:8],)),
    "a link's target": (f'<w:p><w:hyperlink r:id="rIdL">{r("write")}</w:hyperlink></w:p>', (
        Link("rIdL", "hyperlink", f"mailto:{MAIL}?subject={ID}", MAIN),), (MAIL, ID)),
    "a link's encoded target": (f'<w:p><w:hyperlink r:id="rIdL">{r("write")}</w:hyperlink></w:p>', (
        Link("rIdL", "hyperlink", "mailto:%66ahad.alotaibi%40example.com", MAIN),), (MAIL,)),
    "a link's target in a footnote": (p("x"), (
        word("footnotes", f'<w:footnote w:id="2"><w:p><w:hyperlink r:id="rIdL">{r("y")}</w:hyperlink></w:p></w:footnote>', "footnotes"),
        Link("rIdL", "hyperlink", f"https://example.com/?id={ID}", "word/footnotes.xml")), (ID,)),
    "a linked picture's address": (p(drawing(
        '<pic:pic><pic:blipFill><a:blip r:link="rIdL"/></pic:blipFill></pic:pic>')), (
        Link("rIdL", "image", f"file:///C:/Users/{ID}/photo.png", MAIN),), (ID,)),
    "core properties": (p("x"), (properties("core", f"<dc:title>{ID}</dc:title><dc:subject>{IBAN}</dc:subject>"
        f"<dc:creator>{NAME}</dc:creator><cp:keywords>{PHONE}</cp:keywords><dc:description>{MAIL}</dc:description>"
        f"<cp:lastModifiedBy>{NAME}</cp:lastModifiedBy><cp:category>{PERMIT}</cp:category>"),),
        (ID, IBAN, NAME, PHONE, MAIL, PERMIT)),
    "a writer whom nobody would recognize": (p("x"), (properties("core", "<dc:creator>Zqwertyxx</dc:creator>"
        "<cp:lastModifiedBy>kjh0815</cp:lastModifiedBy>"),), ("Zqwertyxx", "kjh0815")),
    "moments": (p("x"), (properties("core", '<dcterms:created xsi:type="dcterms:W3CDTF">2024-03-15T10:00:00Z</dcterms:created>'
        "<cp:lastPrinted>2024-03-16T10:00:00Z</cp:lastPrinted>"),), ("2024-03-15", "2024-03-16")),
    "extended properties": (p("x"), (properties("extended", f"<Company>{NAME} Trading</Company><Manager>{NAME}</Manager>"
        f"<HyperlinkBase>{MAIL}</HyperlinkBase><TitlesOfParts><vt:vector size='1' baseType='lpstr'><vt:lpstr>{ID}</vt:lpstr>"
        "</vt:vector></TitlesOfParts><HLinks/>"),), (NAME, MAIL, ID)),
    "custom properties": (p("x"), (properties("custom", f'<property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="2" '
        f'name="of {PERMIT}"><vt:lpwstr>{ID}</vt:lpwstr></property><property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" '
        f'pid="3" name="Number"><vt:r8>{PHONE}</vt:r8></property>'),), (ID, PERMIT, PHONE)),
    "custom XML": (p("x"), (custom(f'<case ref="{PERMIT}"><holder>{NAME}</holder><number>{ID}</number>tail {MAIL}</case>'),),
        (ID, PERMIT, NAME, MAIL)),
    "custom XML in another encoding": (p("x"), (Part("customXml/item1.xml",
        f'<?xml version="1.0" encoding="UTF-16"?><a>{ID}</a>'.encode("utf-16"), "customXml", source=MAIN),), (ID,)),
    "custom XML with comments, instructions and sections": (p("x"), (custom(
        f"<?note {PERMIT}?><!-- {ID} --><a><![CDATA[{MAIL}]]><!-- {IBAN} --></a>"),), (ID, PERMIT, MAIL, IBAN)),
    "custom XML with character references": (p("x"), (custom(f'<a>{"".join(f"&#{ord(c)};" for c in ID)}</a>'),), (ID,)),
    "custom XML that spells XML": (p("x"), (custom(f"<a>&lt;id&gt;{ID}&lt;/id&gt;</a>"),), (ID,)),
    "the names of custom XML's elements": (p("x"), (custom(f'<a><id{ID} of{PERMIT}="1"/></a>'),), (ID, PERMIT)),
    "a namespace of custom XML": (p("x"), (custom(f'<a xmlns="http://example.com/{ID}"><b/></a>'),), (ID,)),
    "a name in two elements of custom XML": (p("x"), (custom(
        "<patient><firstName>Fahad</firstName><lastName>Alotaibi</lastName></patient>"),), ("Alotaibi",)),
    "custom XML's own properties": (p("x"), (custom("<a/>"), Part("customXml/itemProps1.xml",
        '<ds:datastoreItem ds:itemID="{0}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml">'
        f'<ds:schemaRefs><ds:schemaRef ds:uri="urn:{ID}"/></ds:schemaRefs></ds:datastoreItem>', "customXmlProps",
        f"{OFFICE}.customXmlProperties+xml", "customXml/item1.xml")), (ID,)),
    "cited sources": (p("x"), (custom(f'<b:Sources xmlns:b="{_SOURCES}"><b:Source><b:Title>{ID}</b:Title><b:Author><b:Author>'
        "<b:NameList><b:Person><b:Last>Alotaibi</b:Last><b:First>Fahad</b:First></b:Person></b:NameList></b:Author></b:Author>"
        "</b:Source></b:Sources>"),), (ID, "Alotaibi")),
    "a part's own name": (p("x"), (custom("<a/>", f"customXml/{ID}.xml"),), (ID,)),
    "document variables": (*settings(f'<w:docVars><w:docVar w:name="v{PERMIT}" w:val="{ID}"/></w:docVars>')[:2], (ID, PERMIT)),
    "mail merge": (*settings(f'<w:mailMerge><w:connectString w:val="Data Source={MAIL}"/><w:query w:val="SELECT {ID}"/>'
        f'<w:addressFieldName w:val="{NAME}"/></w:mailMerge>')[:2], (MAIL, ID, NAME)),
    "mail merge's source": (p("x"), (word("settings", '<w:mailMerge><w:dataSource r:id="rIdL"/></w:mailMerge>', "settings"),
        Link("rIdL", "mailMergeSource", f"file:///C:/{ID}.mdb", "word/settings.xml")), (ID,)),
    "the attached template": (p("x"), (word("settings", '<w:attachedTemplate r:id="rIdL"/>', "settings"),
        Link("rIdL", "attachedTemplate", f"file:///C:/Users/{NAME}/x.dotx", "word/settings.xml")), (NAME,)),
    "attached schemas and revision ids": (*settings(
        f'<w:attachedSchema w:val="urn:{ID}"/><w:rsids><w:rsid w:val="{ID[:8]}"/></w:rsids><w15:docId w15:val="{{{ID}}}"/>')[:2],
        (ID, ID[:8])),
    "passwords of protection": (*settings(f'<w:writeProtection w:recommended="1" w:hash="{ID}"/>'
        f'<w:documentProtection w:edit="forms" w:enforcement="1" w:salt="{PERMIT}"/>')[:2], (ID, PERMIT)),
    "a style's name": (f'<w:p><w:pPr><w:pStyle w:val="S{ID}"/></w:pPr>{r("x")}</w:p>', (word("styles",
        f'<w:style w:type="paragraph" w:styleId="S{ID}"><w:name w:val="{NAME}"/><w:aliases w:val="{MAIL}"/></w:style>', "styles"),),
        (ID, NAME, MAIL)),
    "a list's own text": (p("x"), (word("numbering", f'<w:abstractNum w:abstractNumId="0"><w:nsid w:val="{ID[:8]}"/>'
        f'<w:name w:val="{NAME}"/><w:lvl w:ilvl="0"><w:lvlText w:val="{ID} %1."/></w:lvl></w:abstractNum>', "numbering"),),
        (ID, NAME)),
    "a font's name": (p("x"), (word("fontTable", f'<w:font w:name="{ID}"><w:altName w:val="{NAME}"/></w:font>', "fontTable",
        "fonts"),), (ID, NAME)),
    "an embedded font": (p("x"), (word("fontTable", '<w:font w:name="X"><w:embedRegular r:id="rIdB"/></w:font>', "fontTable",
        "fonts"), Part("word/fonts/font1.odttf", f"{NAME} {ID}", "font", "application/x-fontdata", "word/fontTable.xml", "rIdB")),
        (NAME, ID)),
    "a division of a web page": (p("x"), (word("webSettings", f'<w:divs><w:div w:id="{ID}"/></w:divs>', "webSettings"),), (ID,)),
    "a frame of a web page": (p("x"), (word("webSettings",
        f'<w:frameset><w:frame><w:name w:val="{NAME}"/><w:sourceFileName r:id="rIdL"/></w:frame></w:frameset>', "webSettings"),
        Link("rIdL", "frame", f"file:///{ID}.html", "word/webSettings.xml")), (NAME, ID)),
    "the glossary document": (p("x"), (word("glossary/document", f'<w:docParts><w:docPart><w:docPartBody>{p(ID)}</w:docPartBody>'
        "</w:docPart></w:docParts>", "glossaryDocument", type_="document.glossary"),), (ID,)),
    "an alternative chunk": ('<w:altChunk r:id="rIdB"/>' + p("x"), (Part("word/chunk.html", f"<p>{NAME} {ID}</p>", "aFChunk",
        "text/html", MAIN, "rIdB"),), (NAME, ID)),
    "an alternative chunk that is a document": ('<w:altChunk r:id="rIdB"/>' + p("x"), (Part("word/chunk.docx", _BOOK, "aFChunk",
        f"{WORDML}.document.main+xml", MAIN, "rIdB"),), (ID,)),
    "a part of a master document": ('<w:subDoc r:id="rIdL"/>' + p("x"), (
        Link("rIdL", "subDocument", f"file:///{ID}.docx", MAIN),), (ID,)),
    "an embedded workbook": (f"<w:p>{_OBJECT}</w:p>", (binary("word/embeddings/book.xlsx", "package", content=_BOOK),), (ID,)),
    "an embedded object": (f"<w:p>{_OBJECT}</w:p>", (binary("word/embeddings/oleObject1.bin", "oleObject"),), (ID, NAME)),
    "a linked object": (f"<w:p>{_OBJECT}</w:p>", (Link("rIdB", "oleObject", f"file:///{ID}.xls", MAIN),), (ID,)),
    "an ActiveX control": (f'<w:p><w:r><w:object><w:control r:id="rIdB" w:name="{NAME}" w:shapeid="s"/></w:object></w:r></w:p>', (
        Part("word/activeX/activeX1.xml", f'<ax:ocx xmlns:ax="http://schemas.microsoft.com/office/2006/activeX" ax:classid="{ID}"/>',
             "control", "application/vnd.ms-office.activeX+xml", MAIN, "rIdB"),), (NAME, ID)),
    "printer settings": ('<w:sectPr><w:printerSettings r:id="rIdB"/></w:sectPr>', (
        binary("word/printerSettings1.bin", "printerSettings"),), (NAME, ID)),
    "a thumbnail": (p("x"), (Part("docProps/thumbnail.jpeg", f"{NAME} {ID}", f"{PACKAGE}/relationships/metadata/thumbnail"),), (ID,)),
    "a signature": (p("x"), (Part("_xmlsignatures/sig1.xml", f"<Signature>{ID}</Signature>",
        f"{PACKAGE}/relationships/digital-signature/signature"),), (ID,)),
    "a part that nothing leads to": (p("x"), (Part("word/leftover.xml", f"<a>{ID}</a>", "customXml", source="word/none.xml"),), (ID,)),
    "a file that Word does not know": (p("x"), (binary("word/blob.bin", "http://example.com/unknown"),), (NAME, ID)),
    "a picture in a form that cannot be read": (p(drawing('<pic:pic><pic:blipFill><a:blip r:embed="rIdB"/></pic:blipFill></pic:pic>')),
        (binary("word/media/image1.emf", "image"),), (NAME, ID)),
    "a drawing in SVG": (p("x"), (Part("word/media/image1.svg", f"<svg><text>{ID}</text></svg>", "image", source=MAIN),), (ID,)),
    "ink": (p('<w14:contentPart r:id="rIdB"/>'), (Part("word/ink/ink1.xml", f"<ink><annotation>{ID}</annotation></ink>",
        "customXml", "application/inkml+xml", MAIN, "rIdB"),), (ID,)),
    "a chart's categories and title": (CHART_FRAME, (chart(f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{NAME}</a:t></a:r></a:p></c:rich>"
        f"</c:tx></c:title>{bars(ID, '5')}"),), (ID, NAME)),
    "a chart's numbers": (CHART_FRAME, (chart(bars("x", ID)),), (ID,)),
    "a chart's numbers as programs write them": (CHART_FRAME, (chart(bars("x", f"{ID[0]}.{ID[1:]}E9")),), (f"{ID[0]}.{ID[1:]}E9",)),
    "a date in a chart": (CHART_FRAME, (chart(bars("x", "31920").replace("General", "d/m/yyyy")),), ("31920",)),
    "the sheet that a chart refers to": (CHART_FRAME, (chart(bars("x", "5").replace("Sheet1", f"'{NAME} {ID}'")),), (NAME, ID)),
    "a chart's embedded workbook": (CHART_FRAME, (chart(bars("x", "5")), Part("word/embeddings/book.xlsx", _BOOK, "package",
        source="word/charts/chart1.xml")), (ID,)),
    "drawings on a chart": (CHART_FRAME, (chart(bars("x", "5")), Part("word/drawings/drawing1.xml",
        f'<c:userShapes xmlns:c="{C}" xmlns:a="{A}"><a:p><a:r><a:t>{ID}</a:t></a:r></a:p></c:userShapes>', "chartUserShapes",
        f"{DRAWINGML}.chartshapes+xml", "word/charts/chart1.xml")), (ID,)),
    "SmartArt's data": (p("x"), (diagram("diagramData", f'<dgm:ptLst><dgm:pt modelId="{PERMIT}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>'
        f"{ID}</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>", "dataModel"),), (ID, PERMIT)),
    "SmartArt's drawing": (p("x"), (diagram("diagramDrawing", f"<a:p><a:r><a:t>{ID[:5]}</a:t></a:r><a:r><a:t>{ID[5:]}</a:t></a:r></a:p>",
        "drawing"),), (ID,)),
    "SmartArt's layout": (p("x"), (diagram("diagramLayout", f'<dgm:title val="{ID}"/><dgm:desc val="{NAME}"/>', "layoutDef"),),
        (ID, NAME)),
    "the theme's names": (p("x"), (Part("word/theme/theme1.xml", f'<a:theme xmlns:a="{A}" name="{NAME}"><a:themeElements>'
        f'<a:fontScheme name="{ID}"/></a:themeElements></a:theme>', "theme", f"{OFFICE}.theme+xml", MAIN),), (NAME, ID)),
}  # fmt: skip
