"""One presentation per hiding place; each holds its values there and nowhere else."""
# ruff: noqa: E501  (markup in tables)

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from schemas.files import Format
from tests.hiding_places.office_build import (
    ARABIC_NAME,
    DRAWINGML,
    EASTERN,
    IBAN,
    ID,
    KEPT,
    KEPT_ARABIC,
    MAIL,
    NAME,
    OFFICE,
    PACKAGE,
    PERMIT,
    PHONE,
    SLIDEML,
    A,
    C,
    Link,
    Part,
    declared,
    packed,
    zipped,
)
from tests.hiding_places.proof.running import Place

MAIN = "ppt/presentation.xml"
SLIDE, LAST = "ppt/slides/slide1.xml", "ppt/slides/slide9.xml"
MASTER, LAYOUT = "ppt/slideMasters/slideMaster1.xml", "ppt/slideLayouts/slideLayout1.xml"
_MAP = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
_COLORS = "".join(
    f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>'
    for name, value in (
        ("dk1", "000000"),
        ("lt1", "FFFFFF"),
        ("dk2", "44546A"),
        ("lt2", "E7E6E6"),
        *((f"accent{n}", "4472C4") for n in range(1, 7)),
        ("hlink", "0563C1"),
        ("folHlink", "954F72"),
    )
)
_FILLS = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>' * 3
_LINES = '<a:ln><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln>' * 3
_EFFECTS = "<a:effectStyle><a:effectLst/></a:effectStyle>" * 3
_FONT = '<a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/>'


def theme(name: str = "Office") -> str:
    return (
        f'<a:theme xmlns:a="{A}" name="{name}"><a:themeElements><a:clrScheme name="Office">{_COLORS}</a:clrScheme>'
        f'<a:fontScheme name="Office"><a:majorFont>{_FONT}</a:majorFont><a:minorFont>{_FONT}</a:minorFont></a:fontScheme>'
        f'<a:fmtScheme name="Office"><a:fillStyleLst>{_FILLS}</a:fillStyleLst><a:lnStyleLst>{_LINES}</a:lnStyleLst>'
        f"<a:effectStyleLst>{_EFFECTS}</a:effectStyleLst><a:bgFillStyleLst>{_FILLS}</a:bgFillStyleLst></a:fmtScheme>"
        "</a:themeElements></a:theme>"
    )


def para(*runs: str) -> str:
    return "<a:p>" + "".join(run if run.startswith("<") else f"<a:r><a:t>{run}</a:t></a:r>" for run in runs) + "</a:p>"


def shape(body: str, number: int = 9, name: str = 'name="Shape"', place: str = "", more: str = "") -> str:
    """A shape with text; `body`: paragraphs."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" {name}>{more}</p:cNvPr><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:spPr>'
        f'<a:xfrm><a:off x="914400" y="{number * 300000}"/><a:ext cx="6858000" cy="300000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{body}</p:txBody></p:sp>"
    )


def frame(graphic: str, uri: str, number: int = 12) -> str:
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="Frame"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        f'<p:xfrm><a:off x="914400" y="3000000"/><a:ext cx="6858000" cy="914400"/></p:xfrm><a:graphic><a:graphicData uri="{uri}">{graphic}</a:graphicData></a:graphic></p:graphicFrame>'
    )


def table(*rows: tuple[str, ...]) -> str:
    grid = '<a:gridCol w="300000"/>' * len(rows[0])
    lines = "".join(
        '<a:tr h="370840">'
        + "".join(f"<a:tc><a:txBody><a:bodyPr/>{para(cell)}</a:txBody><a:tcPr/></a:tc>" for cell in row)
        + "</a:tr>"
        for row in rows
    )
    return frame(
        f"<a:tbl><a:tblPr/><a:tblGrid>{grid}</a:tblGrid>{lines}</a:tbl>",
        "http://schemas.openxmlformats.org/drawingml/2006/table",
    )


def tree(shapes: str) -> str:
    head = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    return f"<p:spTree>{head}{shapes}</p:spTree>"


def picture(blip: str, more: str = "", media: str = "", number: int = 20) -> str:
    return (
        f'<p:pic><p:nvPicPr><p:cNvPr id="{number}" name="Picture">{more}</p:cNvPr><p:cNvPicPr/><p:nvPr>{media}</p:nvPr></p:nvPicPr><p:blipFill><a:blip {blip}/>'
        '<a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="914400" cy="914400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>'
    )


@dataclass(frozen=True)
class Deck:
    """A presentation of one slide. `shapes` stand on it, `after` behind its shapes; the rest goes where it says."""

    shapes: str = ""
    after: str = ""
    attributes: str = ""
    name: str = ""
    main: str = ""
    master: str = ""
    layout: str = ""
    theme_name: str = "Office"
    background: str = ""
    parts: tuple[Part | Link, ...] = field(default=())


def presentation(deck: Deck) -> bytes:
    """The package: harmless text before and behind what hides."""
    shapes = shape(para(KEPT), 2, 'name="Title"') + deck.shapes + shape(para(KEPT_ARABIC), 3, 'name="Text"')
    name = f'name="{deck.name}"' if deck.name else ""
    ids = '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rIdM"/></p:sldMasterIdLst>'
    main = f'<p:presentation>{ids}<p:sldIdLst><p:sldId id="256" r:id="rIdS"/><p:sldId id="257" r:id="rIdLast"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>{deck.main}</p:presentation>'
    slide = f"<p:sld {deck.attributes}><p:cSld {name}>{deck.background}{tree(shapes)}</p:cSld>{deck.after}</p:sld>"
    last = f"<p:sld><p:cSld>{tree(shape(para('End')))}</p:cSld></p:sld>"
    master = f'<p:sldMaster><p:cSld>{tree(deck.master)}</p:cSld>{_MAP}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rIdL"/></p:sldLayoutIdLst></p:sldMaster>'
    layout = f'<p:sldLayout type="blank"><p:cSld name="Blank">{tree(deck.layout)}</p:cSld></p:sldLayout>'
    return packed(
        Part(MAIN, declared(main, *_ALL), "officeDocument", f"{SLIDEML}.presentation.main+xml"),
        Part(SLIDE, declared(slide, *_ALL), "slide", f"{SLIDEML}.slide+xml", MAIN, "rIdS"),
        Part(LAST, declared(last, "a", "r", "p"), "slide", f"{SLIDEML}.slide+xml", MAIN, "rIdLast"),
        Part(LAYOUT, declared(layout, "a", "r", "p"), "slideLayout", f"{SLIDEML}.slideLayout+xml", SLIDE),
        Part(LAYOUT, declared(layout, "a", "r", "p"), "slideLayout", "", LAST),
        Part(LAYOUT, declared(layout, "a", "r", "p"), "slideLayout", "", MASTER, "rIdL"),
        Part(MASTER, declared(master, "a", "r", "p"), "slideMaster", f"{SLIDEML}.slideMaster+xml", MAIN, "rIdM"),
        Part(MASTER, declared(master, "a", "r", "p"), "slideMaster", "", LAYOUT),
        Part("ppt/theme/theme1.xml", theme(deck.theme_name), "theme", f"{OFFICE}.theme+xml", MASTER),
        *deck.parts,
    )


_ALL = ("a", "r", "p", "p14", "p15", "mc", "a16", "m", "dgm", "c", "am3d", "v")


def on_slide(
    name: str, content: str | bytes, kind: str, type_: str = "", id_: str = "rIdB", source: str = SLIDE
) -> Part:
    return Part(name, content, kind, type_, source, id_)


def beside(name: str, markup: str, kind: str, type_: str, *prefixes: str) -> Part:
    """A part that hangs on the presentation."""
    return Part(f"ppt/{name}.xml", declared(markup, *prefixes), kind, type_, MAIN, f"rId{kind.rpartition('/')[2]}")


def notes(inner: str) -> Part:
    return on_slide(
        "ppt/notesSlides/notesSlide1.xml",
        declared(f"<p:notes><p:cSld>{tree(inner)}</p:cSld></p:notes>", "a", "r", "p"),
        "notesSlide",
        f"{SLIDEML}.notesSlide+xml",
    )


def chart(inner: str) -> Part:
    return on_slide(
        "ppt/charts/chart1.xml",
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart>{inner}</c:chart></c:chartSpace>',
        "chart",
        f"{DRAWINGML}.chart+xml",
    )


def _cache(words: str, number: str) -> str:
    return (
        "<c:plotArea><c:layout/><c:barChart><c:barDir val='col'/><c:ser><c:idx val='0'/><c:order val='0'/>"
        f"<c:cat><c:strRef><c:f>Sheet1!$A$2</c:f><c:strCache><c:ptCount val='1'/><c:pt idx='0'><c:v>{words}</c:v></c:pt></c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:f>Sheet1!$B$2</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val='1'/><c:pt idx='0'><c:v>{number}</c:v></c:pt></c:numCache></c:numRef></c:val>"
        "</c:ser></c:barChart></c:plotArea>"
    )


_CHART = frame('<c:chart r:id="rIdB"/>', C)
_BOOK = zipped({"[Content_Types].xml": "<Types/>", "xl/sharedStrings.xml": f"<sst><si><t>{ID}</t></si></sst>"})
_MODERN = "http://schemas.microsoft.com/office/2018/10/relationships"
_MS = "application/vnd.ms-powerpoint"
_POINT = f'<p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}"><p14:sectionLst><p14:section name="{NAME} {ID}" id="{{6B3C5B9E-0000-4000-8000-000000000001}}"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext>'


def _either(choice: str, fallback: str, needs: str = "p14") -> str:
    return f'<mc:AlternateContent><mc:Choice Requires="{needs}">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>'


_OBJECT = 'uri="http://schemas.openxmlformats.org/presentationml/2006/ole"'
_VALUES: dict[str, tuple[Deck, tuple[str, ...]]] = {
    "a shape": (Deck(shape(para(f"No. {ID} is his."))), (ID,)),
    "runs split at every letter": (Deck(shape(para("No. ", *ID))), (ID,)),
    "an Arabic name and Eastern digits": (Deck(shape(para("الاسم: ", ARABIC_NAME[:5], ARABIC_NAME[5:]) + para("رقم الهوية ", EASTERN[:4], EASTERN[4:]))), (ARABIC_NAME, EASTERN)),
    "a line break inside": (Deck(shape(para("SA03 8000 0000", "<a:br/>", "6080 1016 7519"))), (IBAN,)),
    "a field's text": (Deck(shape('<a:p><a:fld id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="datetime1"><a:t>' + ID + "</a:t></a:fld></a:p>")), (ID,)),
    "a number over two paragraphs": (Deck(shape(para(f"His number {ID[:5]}") + para(f"{ID[5:]} is here."))), (ID,)),
    "a digit to a paragraph": (Deck(shape("".join(map(para, ID)))), (ID,)),
    "a digit to a shape": (Deck("".join(shape(para(c), 30 + n) for n, c in enumerate(ID))), (ID,)),
    "a group in a group": (Deck("<p:grpSp><p:nvGrpSpPr><p:cNvPr id='5' name='G'/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:grpSp><p:nvGrpSpPr><p:cNvPr id='6' name='H'/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>" + shape(para(ID)) + "</p:grpSp></p:grpSp>"), (ID,)),
    "a placeholder": (Deck(shape(para(NAME), place='<p:ph type="subTitle" idx="1"/>')), (NAME,)),
    "a placeholder's own prompt on the layout": (Deck(layout=shape(para(NAME), place='<p:ph type="body" idx="1" hasCustomPrompt="1"/>')), (NAME,)),
    "a table under its heading": (Deck(table(("Name", "Phone"), (NAME, PHONE))), (NAME, PHONE)),
    "a row of one field with two people's values": (Deck(table(("", "First guarantor", "Second guarantor"), ("MRN", "0048213", "0048214"))), ("0048213", "0048214")),
    "a table whose heading has a merged cell": (Deck(table(("Guest", "Documents", "", "MRN"), ("g1", "a", "3", "0048213")).replace("<a:tc>", '<a:tc gridSpan="2">', 2).replace('<a:tc gridSpan="2">', "<a:tc>", 1)), ("0048213",)),
    "a heading that goes on in a second row": (Deck(table(("Guest", "Documents", ""), ("", "Floor", "MRN"), ("g1", "3", "0048213"), ("g2", "4", "0048214"))), ("0048213", "0048214")),
    "one digit to a cell": (Deck(table(("ID", *ID))), (ID,)),
    "one digit to a cell, without a label": (Deck(table(tuple(ID))), (ID,)),
    "a number over two cells": (Deck(table(("National ID", ID[:5], ID[5:]))), (ID,)),
    "first and last name in two cells": (Deck(table(("First name", "Last name"), ("Fahad", "Alotaibi"))), ("Alotaibi",)),
    "a hidden slide": (Deck(shape(para(ID)), attributes='show="0"'), (ID,)),
    "a hidden shape": (Deck(shape(para(ID), name='name="x" hidden="1"')), (ID,)),
    "a shape beside the slide": (Deck(shape(para(ID), 90)), (ID,)),
    "transparent text": (Deck(shape(para(f'<a:r><a:rPr><a:solidFill><a:srgbClr val="FFFFFF"><a:alpha val="0"/></a:srgbClr></a:solidFill></a:rPr><a:t>{ID}</a:t></a:r>'))), (ID,)),
    "a shape's name, alternative text and title": (Deck(shape(para("x"), name=f'name="{PHONE}" descr="{ID}" title="{NAME}"')), (PHONE, ID, NAME)),
    "a group's name": (Deck(f'<p:grpSp><p:nvGrpSpPr><p:cNvPr id="5" name="{NAME}" descr="{ID}"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/></p:grpSp>'), (NAME, ID)),
    "a connector's name": (Deck(f'<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="5" name="{NAME} {ID}"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr/></p:cxnSp>'), (NAME, ID)),
    "a slide's name": (Deck(name=f"{NAME} {ID}"), (NAME, ID)),
    "a link's target": (Deck(shape(para('<a:r><a:rPr><a:hlinkClick r:id="rIdB"/></a:rPr><a:t>write</a:t></a:r>')), parts=(Link("rIdB", "hyperlink", f"mailto:{MAIL}?subject={ID}", SLIDE),)), (MAIL, ID)),
    "a link's encoded target and tooltip": (Deck(shape(para(f'<a:r><a:rPr><a:hlinkMouseOver r:id="rIdB" tooltip="{NAME}"/></a:rPr><a:t>write</a:t></a:r>')), parts=(Link("rIdB", "hyperlink", "mailto:fahad.alotaibi%40example.com", SLIDE),)), (MAIL, NAME)),
    "an action": (Deck(shape(para("x"), more=f'<a:hlinkClick r:id="" action="ppaction://customshow?id=0&amp;return={ID}" tooltip="{NAME}"/>')), (ID, NAME)),
    "an animation's text": (Deck(after=f'<p:timing><p:tnLst><p:par><p:cTn id="1" nodeType="tmRoot"><p:childTnLst><p:set><p:cBhvr><p:cTn id="2"/><p:tgtEl><p:spTgt spid="2"/></p:tgtEl></p:cBhvr><p:to><p:strVal val="{ID}"/></p:to></p:set></p:childTnLst></p:cTn></p:par></p:tnLst></p:timing>'), (ID,)),
    "both branches": (Deck(_either(shape(para(ID), 30), shape(para(ID), 31))), (ID,)),
    "the fallback alone": (Deck(_either(shape(para("x"), 30), shape(para(f"{NAME} {ID}"), 31))), (NAME, ID)),
    "math": (Deck(shape(f"<a:p><m:oMath><m:r><m:t>{ID[:5]}</m:t></m:r><m:r><m:t>{ID[5:]}</m:t></m:r></m:oMath></a:p>")), (ID,)),
    "an element of tomorrow": (Deck(after=f'<p:extLst><p:ext uri="{{00000000-0000-4000-8000-000000000001}}"><p15:tomorrow note="{PERMIT}">{ID}</p15:tomorrow></p:ext></p:extLst>'), (PERMIT, ID)),
    "drawn ids": (Deck(after=f'<p:extLst><p:ext uri="{{BB962C8B-B14F-4D97-AF65-F5344CB8AC3E}}"><p14:creationId val="{ID}"/></p:ext></p:extLst>'), (ID,)),
    "notes": (Deck(parts=(notes(shape(para("No. ", ID[:5], ID[5:]))),)), (ID,)),
    "a master": (Deck(master=shape(para(f"{NAME} {ID}"))), (NAME, ID)),
    "a layout": (Deck(layout=shape(para(f"{NAME} {ID}"))), (NAME, ID)),
    "the notes master": (Deck(parts=(beside("notesMasters/notesMaster1", f"<p:notesMaster><p:cSld>{tree(shape(para(ID)))}</p:cSld>{_MAP}</p:notesMaster>", "notesMaster", f"{SLIDEML}.notesMaster+xml", "a", "r", "p"),)), (ID,)),
    "the handout master": (Deck(parts=(beside("handoutMasters/handoutMaster1", f"<p:handoutMaster><p:cSld>{tree(shape(para(ID)))}</p:cSld>{_MAP}</p:handoutMaster>", "handoutMaster", f"{SLIDEML}.handoutMaster+xml", "a", "r", "p"),)), (ID,)),
    "a slide that is not listed": (Deck(parts=(Part("ppt/slides/slide2.xml", declared(f"<p:sld><p:cSld>{tree(shape(para(ID)))}</p:cSld></p:sld>", "a", "r", "p"), "slide", f"{SLIDEML}.slide+xml", MAIN, "rIdS2"),)), (ID,)),
    "comments and their authors": (Deck(parts=(
        on_slide("ppt/comments/comment1.xml", declared(f'<p:cmLst><p:cm authorId="0" dt="2024-03-15T10:00:00.000" idx="1"><p:pos x="10" y="10"/><p:text>{ID}</p:text></p:cm></p:cmLst>', "a", "r", "p"), "comments", f"{SLIDEML}.comments+xml"),
        beside("commentAuthors", f'<p:cmAuthorLst><p:cmAuthor id="0" name="{NAME}" initials="FA" lastIdx="1" clrIdx="0"/></p:cmAuthorLst>', "commentAuthors", f"{SLIDEML}.commentAuthors+xml", "p"))), (ID, NAME, "2024-03-15")),
    "threaded comments and their authors": (Deck(parts=(
        on_slide("ppt/comments/modernComment_1.xml", declared(f'<p188:cmLst><p188:cm id="{{00000000-0000-4000-8000-000000000001}}" authorId="{{00000000-0000-4000-8000-000000000002}}" created="2024-03-15T10:00:00.000"><p188:replyLst><p188:reply id="{{00000000-0000-4000-8000-000000000003}}" authorId="{{00000000-0000-4000-8000-000000000002}}" created="2024-03-16T10:00:00.000"><p188:txBody><a:bodyPr/>{para(ID)}</p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:bodyPr/>{para(PERMIT)}</p188:txBody></p188:cm></p188:cmLst>', "a", "r", "p188"), f"{_MODERN}/comments", f"{_MS}.comments+xml"),
        beside("authors", f'<p188:authorLst><p188:author id="{{00000000-0000-4000-8000-000000000002}}" name="{NAME}" initials="FA" userId="S::{MAIL}::1" providerId="AD"/></p188:authorLst>', f"{_MODERN}/authors", f"{_MS}.authors+xml", "p188"))), (ID, PERMIT, NAME, MAIL, "2024-03-15", "2024-03-16")),
    "tags": (Deck(parts=(on_slide("ppt/tags/tag1.xml", declared(f'<p:tagLst><p:tag name="N{PERMIT}" val="{ID}"/></p:tagLst>', "p"), "tags", f"{SLIDEML}.tags+xml"),)), (ID, PERMIT)),
    "sections": (Deck(main=f"<p:extLst>{_POINT}</p:extLst>"), (NAME, ID)),
    "a custom show": (Deck(main=f'<p:custShowLst><p:custShow name="{NAME} {ID}" id="0"><p:sldLst><p:sld r:id="rIdS"/></p:sldLst></p:custShow></p:custShowLst>'), (NAME, ID)),
    "the password for changes": (Deck(main=f'<p:modifyVerifier cryptProviderType="rsaAES" cryptAlgorithmClass="hash" cryptAlgorithmType="typeAny" cryptAlgorithmSid="14" spinCount="100000" saltData="{ID}" hashData="{PERMIT}"/>'), (ID, PERMIT)),
    "photo album and kinsoku": (Deck(main=f'<p:kinsoku lang="en-US" invalStChars="{ID}" invalEndChars="x"/>'), (ID,)),
    "an embedded font": (Deck(main='<p:embeddedFontLst><p:embeddedFont><p:font typeface="X"/><p:regular r:id="rIdfont"/></p:embeddedFont></p:embeddedFontLst>', parts=(Part("ppt/fonts/font1.fntdata", f"{NAME} {ID}", "font", source=MAIN, id="rIdfont"),)), (NAME, ID)),
    "core properties": (Deck(parts=(Part("docProps/core.xml", f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{ID}</dc:title><dc:creator>{NAME}</dc:creator><cp:lastModifiedBy>kjh0815</cp:lastModifiedBy></cp:coreProperties>', f"{PACKAGE}/relationships/metadata/core-properties", "application/vnd.openxmlformats-package.core-properties+xml"),)), (ID, NAME, "kjh0815")),
    "extended and custom properties": (Deck(parts=(
        Part("docProps/app.xml", f'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><TitlesOfParts>{ID}</TitlesOfParts><Company>{NAME}</Company></Properties>', "extended-properties", f"{OFFICE}.extended-properties+xml"),
        Part("docProps/custom.xml", f'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"><property fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="2" name="ID"><vt:lpwstr>{PERMIT}</vt:lpwstr></property></Properties>', "custom-properties", f"{OFFICE}.custom-properties+xml"))), (ID, NAME, PERMIT)),
    "custom XML": (Deck(parts=(Part("customXml/item1.xml", f'<case ref="{PERMIT}"><id{PHONE}>{ID}</id{PHONE}></case>', "customXml", source=MAIN),)), (ID, PERMIT, PHONE)),
    "view and presentation properties": (Deck(parts=(
        beside("viewProps", f'<p:viewPr><p:outlineViewPr><p:sldLst><p:sld r:id="rId1" name="{ID}"/></p:sldLst></p:outlineViewPr></p:viewPr>', "viewProps", f"{SLIDEML}.viewProps+xml", "p", "r"),
        beside("presProps", f'<p:presentationPr><p:htmlPubPr title="{NAME}" r:id="rIdL"/></p:presentationPr>', "presProps", f"{SLIDEML}.presProps+xml", "p", "r"),
        Link("rIdL", "htmlPubSaveAs", f"file:///{PERMIT}.htm", "ppt/presProps.xml"))), (ID, NAME, PERMIT)),
    "the names of table styles and the theme": (Deck(theme_name=f"{NAME}", parts=(beside("tableStyles", f'<a:tblStyleLst def="{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}"><a:tblStyle styleId="{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}" styleName="{ID}"/></a:tblStyleLst>', "tableStyles", f"{SLIDEML}.tableStyles+xml", "a"),)), (NAME, ID)),
    "what others changed": (Deck(parts=(
        beside("changesInfos/changesInfo1", f'<p:chg name="{NAME}">{ID}</p:chg>', "http://schemas.microsoft.com/office/2016/11/relationships/changesInfo", f"{_MS}.changesinfo+xml", "p"),
        beside("revisionInfo", f'<p:rev name="{NAME}" v="{PERMIT}"/>', "http://schemas.microsoft.com/office/2015/10/relationships/revisionInfo", f"{_MS}.revisioninfo+xml", "p"))), (NAME, ID, PERMIT)),
    "a chart's words, numbers and sheet": (Deck(_CHART, parts=(chart(_cache(NAME, ID).replace("Sheet1", f"'{PERMIT}'")),)), (NAME, ID, PERMIT)),
    "a chart's numbers as programs write them": (Deck(_CHART, parts=(chart(_cache("x", f"{ID[0]}.{ID[1:]}E9")),)), (f"{ID[0]}.{ID[1:]}E9",)),
    "a date in a chart": (Deck(_CHART, parts=(chart(_cache("x", "31920").replace("General", "d/m/yyyy")),)), ("31920",)),
    "a chart's title and embedded workbook": (Deck(_CHART, parts=(chart(f"<c:title><c:tx><c:rich><a:bodyPr/>{para(ID[:5], ID[5:])}</c:rich></c:tx></c:title>{_cache('x', '5')}"), Part("ppt/embeddings/book.xlsx", _BOOK, "package", source="ppt/charts/chart1.xml"))), (ID,)),
    "SmartArt": (Deck(parts=(
        on_slide("ppt/diagrams/data1.xml", declared(f'<dgm:dataModel><dgm:ptLst><dgm:pt modelId="{PERMIT}"><dgm:t><a:bodyPr/>{para(ID)}</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>', "dgm", "a"), "diagramData", f"{DRAWINGML}.diagramData+xml"),
        on_slide("ppt/diagrams/drawing1.xml", declared(f"<dgm:drawing>{para(NAME[:8], NAME[8:])}</dgm:drawing>", "dgm", "a"), "http://schemas.microsoft.com/office/2007/relationships/diagramDrawing", "application/vnd.ms-office.drawingml.diagramDrawing+xml", "rIdC"))), (ID, PERMIT, NAME)),
    "a tab between two halves": (Deck(shape(para(f"{ID[:5]}\t{ID[5:]}"), 40)), (ID,)),
    "two shapes, a label before the first half": (Deck(shape(para(f"ID: {ID[:5]}"), 40) + shape(para(ID[5:]), 41)), (ID,)),
    "a sign that overrides direction": (Deck(shape(para(f"\u202e{ID[::-1]}\u202c"), 40)), (ID,)),
    "an embedded object": (Deck(frame(f'<p:oleObj name="{PERMIT}" r:id="rIdB" progId="Package"><p:embed/></p:oleObj>', "http://schemas.openxmlformats.org/presentationml/2006/ole"), parts=(on_slide("ppt/embeddings/oleObject1.bin", f"{NAME} {ID}", "oleObject"),)), (NAME, ID, PERMIT)),
    "an embedded workbook with its picture": (Deck(frame(f'<p:oleObj name="x" r:id="rIdB" progId="Excel.Sheet.12"><p:embed/>{picture("r:embed=" + chr(34) + "rIdP" + chr(34))}</p:oleObj>', "http://schemas.openxmlformats.org/presentationml/2006/ole"), parts=(on_slide("ppt/embeddings/book.xlsx", _BOOK, "package"), on_slide("ppt/media/image1.emf", f"{NAME} {ID}", "image", id_="rIdP"))), (ID, NAME)),
    "a control": (Deck(after=f'<p:controls><p:control name="{NAME}" r:id="rIdB" imgW="1" imgH="1"/></p:controls>', parts=(on_slide("ppt/activeX/activeX1.xml", f'<ax:ocx xmlns:ax="http://schemas.microsoft.com/office/2006/activeX" ax:v="{ID}"/>', "control", "application/vnd.ms-office.activeX+xml"),)), (NAME, ID)),
    "a video and its address": (Deck(picture('r:embed="rIdP"', media='<a:videoFile r:link="rIdB"/>'), parts=(on_slide("ppt/media/media1.mp4", f"{NAME} {ID}", "video"), on_slide("ppt/media/image1.emf", f"{PERMIT}", "image", id_="rIdP"))), (NAME, ID, PERMIT)),
    "a linked video": (Deck(picture('r:embed=""', media='<a:videoFile r:link="rIdB"/>'), parts=(Link("rIdB", "video", f"file:///{ID}.mp4", SLIDE),)), (ID,)),
    "a sound of a transition": (Deck(after=f'<p:transition><p:sndAc><p:stSnd><p:snd r:embed="rIdB" name="{NAME}"/></p:stSnd></p:sndAc></p:transition>', parts=(on_slide("ppt/media/audio1.wav", f"{ID}", "audio"),)), (NAME, ID)),
    "a linked picture": (Deck(picture('r:link="rIdB"'), parts=(Link("rIdB", "image", f"file:///C:/Users/{ID}/x.png", SLIDE),)), (ID,)),
    "a 3D model": (Deck(_either(frame('<am3d:model3d r:embed="rIdB"/>', "http://schemas.microsoft.com/office/drawing/2017/model3d"), shape(para("seen"), 40), "am3d"), parts=(on_slide("ppt/media/model3d1.glb", f"{NAME} {ID}", "http://schemas.microsoft.com/office/2017/06/relationships/model3d"),)), (NAME, ID)),
    "ink": (Deck(_either('<p:contentPart r:id="rIdB"/>', shape(para("seen"), 40)), parts=(on_slide("ppt/ink/ink1.xml", f"<ink><annotation>{ID}</annotation></ink>", "customXml", "application/inkml+xml"),)), (ID,)),
    "a thumbnail": (Deck(parts=(Part("docProps/thumbnail.jpeg", f"{NAME} {ID}", f"{PACKAGE}/relationships/metadata/thumbnail"),)), (NAME, ID)),
    "printer settings": (Deck(parts=(Part("ppt/printerSettings/printerSettings1.bin", f"{ID}", "printerSettings", source=MAIN),)), (ID,)),
    "a signature": (Deck(parts=(Part("_xmlsignatures/sig1.xml", f"<Signature>{ID}</Signature>", f"{PACKAGE}/relationships/digital-signature/signature"),)), (ID,)),
    "a part's own name": (Deck(parts=(on_slide(f"ppt/tags/{ID}.xml", declared('<p:tagLst/>', "p"), "tags", f"{SLIDEML}.tags+xml"),)), (ID,)),
    "a part that nothing leads to": (Deck(parts=(Part("ppt/slides/old.xml", f"<a>{ID}</a>", "slide", source="ppt/none.xml"),)), (ID,)),
    "a slide on the web": (Deck(parts=(on_slide("ppt/slideUpdateInfo/info1.xml", declared(f'<p:sldSyncPr serverSldId="{ID}"/>', "p"), "slideUpdateInfo", f"{SLIDEML}.slideUpdateInfo+xml"), Link("rIdU", "slideUpdateUrl", f"https://example.com/{PERMIT}", "ppt/slideUpdateInfo/info1.xml"))), (ID, PERMIT)),
    "an add-in": (Deck(parts=(Part("ppt/webextensions/webextension1.xml", f'<we note="{ID}"/>', "http://schemas.microsoft.com/office/2011/relationships/webextension", "application/vnd.ms-office.webextension+xml", MAIN),)), (ID,)),
    "a guide's note": (Deck(main=f'<p:extLst><p:ext uri="{{EFAFB233-063F-42B5-8137-9DF3F51BA10A}}"><p15:sldGuideLst><p15:guide id="1" name="{ID}" userDrawn="1"/></p15:sldGuideLst></p:ext></p:extLst>'), (ID,)),
    "a namespace that nothing uses": (Deck(attributes=f'xmlns:x="http://example.com/{ID}"'), (ID,)),
    "a namespace": (Deck(after=f'<p:extLst><p:ext uri="{{00000000-0000-4000-8000-000000000002}}"><x:y xmlns:x="http://example.com/{ID}"/></p:ext></p:extLst>'), (ID,)),
}  # fmt: skip


def _place(name: str, build: Callable[[], bytes], planted: Sequence[str]) -> Place:
    return Place(name, Format.PPTX, build, planted, kept=(KEPT, KEPT_ARABIC))


PLACES: tuple[Place, ...] = tuple(
    _place(name, partial(presentation, deck), planted) for name, (deck, planted) in _VALUES.items()
)
