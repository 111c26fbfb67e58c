"""Hiding places of a PDF beside its pages: properties, outlines, names, files, tags, labels, private data."""

from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from tests.hiding_places.pdf.objects.build import (
    ARABIC,
    CONTENT,
    EMAIL,
    IQAMA,
    MOBILE,
    NAME,
    NATIONAL_ID,
    form,
    made,
    paged,
    rooted,
    shown,
)


def _info(name: str, key: str, value: Any, *planted: str) -> Any:
    def fill(file: pikepdf.Pdf, page: Any) -> None:
        file.trailer.Info = file.make_indirect(Dictionary({"/" + key: value}))

    return made(name, fill, *planted)


def _packet(file: pikepdf.Pdf) -> Any:
    body = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>'
        f"{NAME}</rdf:li></rdf:Seq></dc:creator><dc:description>{NATIONAL_ID}</dc:description>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    return file.make_stream(body.encode(), Type=Name.Metadata, Subtype=Name.XML)


def _outline(file: pikepdf.Pdf, page: Any) -> None:
    with file.open_outline() as outline:
        parent = pikepdf.OutlineItem(f"Chapter of {NAME}", 0)
        parent.children.append(pikepdf.OutlineItem(f"ID {NATIONAL_ID}", 0))
        outline.root.extend([parent, pikepdf.OutlineItem("Harbour dues", 0)])


def _outline_action(file: pikepdf.Pdf, page: Any) -> None:
    with file.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("Harbour dues", 0))
    first = file.Root.Outlines.First
    if "/Dest" in first:
        del first["/Dest"]
    first.A = Dictionary(S=Name.URI, URI=String(f"https://example.com/{NATIONAL_ID}"))
    first.Private = String(IQAMA)


def _names(file: pikepdf.Pdf) -> Any:
    there = Array([file.pages[0].obj, Name.Fit])
    return Dictionary(Dests=Dictionary(Names=Array([String(f"{NAME}-{NATIONAL_ID}"), there])))


def _attached(file: pikepdf.Pdf, page: Any) -> None:
    file.attachments[f"{NATIONAL_ID}.txt"] = f"{NAME} {IQAMA}".encode()


def _portfolio(file: pikepdf.Pdf, page: Any) -> None:
    _attached(file, page)
    columns = Dictionary(Owner=Dictionary(Subtype=Name.S, N=String(MOBILE)))
    file.Root.Collection = Dictionary(Type=Name.Collection, Schema=columns, D=String(EMAIL))


def _associated(file: pikepdf.Pdf) -> Any:
    stream = file.make_stream(NATIONAL_ID.encode(), Type=Name.EmbeddedFile)
    return Array(
        [
            file.make_indirect(
                Dictionary(Type=Name.Filespec, F=String("a.xml"), EF=Dictionary(F=stream), Desc=String(IQAMA))
            )
        ]
    )


def _tagged(file: pikepdf.Pdf) -> Any:
    span = Dictionary(
        S=Name.Span, ActualText=String(NATIONAL_ID), Alt=String(IQAMA), E=String(NAME), T=String(EMAIL),
        ID=String(MOBILE), Lang=String("en"), A=Dictionary(O=Name.Table, Summary=String(ARABIC)), C=Name(f"/{MOBILE}"),
    )  # fmt: skip
    classes = Dictionary({f"/{MOBILE}": Dictionary(O=Name.Layout, Note=String(NATIONAL_ID))})
    roles = Dictionary({f"/{IQAMA}": Name.Span})
    return file.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=Array([span]), ClassMap=classes, RoleMap=roles))


def _properties(file: pikepdf.Pdf, page: Any) -> None:
    page.Resources.Properties = Dictionary(MC0=Dictionary(ActualText=String(NATIONAL_ID), Secret=String(IQAMA)))


_MARKED = (
    b"/Span <</ActualText (" + NATIONAL_ID.encode() + b") /Alt <feff" + IQAMA.encode("utf-16-be").hex().encode()
    + b">>> BDC " + CONTENT + b"EMC /Note <</E (" + NAME.encode() + b")>> DP"
)  # fmt: skip


def _layer(**default: Any) -> Any:
    """A layer named after somebody, in a state; its content says an ID."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        layer = file.make_indirect(Dictionary(Type=Name.OCG, Name=String(NAME)))
        keys = {key: value(layer) if callable(value) else value for key, value in default.items()}
        usage = keys.pop("Usage", None)
        if usage is not None:
            layer.Usage = usage
        file.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(Name=String(MOBILE), **keys))
        page.Resources.Properties = Dictionary(Oc1=layer)
        hidden = b"/OC /Oc1 BDC BT /F1 11 Tf 40 60 Td (ID " + NATIONAL_ID.encode() + b") Tj ET EMC"
        page.Contents = file.make_stream(CONTENT + hidden)

    return fill


def _hidden_form(file: pikepdf.Pdf, page: Any) -> None:
    layer = file.make_indirect(Dictionary(Type=Name.OCG, Name=String("Draft")))
    member = Dictionary(Type=Name.OCMD, OCGs=Array([layer]), P=Name.AllOn)
    file.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
    page.Resources.XObject = Dictionary(Fm0=form(file, shown(NATIONAL_ID), OC=member))
    page.Contents = file.make_stream(CONTENT + b"q 1 0 0 1 40 60 cm /Fm0 Do Q")


def _off(layer: Any) -> Any:
    return Array([layer])


def _viewed_off(layer: Any) -> Any:
    return Array([Dictionary(Event=Name.View, Category=Array([Name.View]), OCGs=Array([layer]))])


def _article(file: pikepdf.Pdf) -> Any:
    return Array([Dictionary(Type=Name.Thread, I=Dictionary(Title=String(NATIONAL_ID), Author=String(NAME)))])


def _capture(file: pikepdf.Pdf) -> Any:
    source = Dictionary(AU=String(f"https://example.com/{NATIONAL_ID}"), TS=String("D:2020"))
    return Dictionary(V=1.0, C=Array([Dictionary(URL=source.AU, S=source)]))


def _captured(file: pikepdf.Pdf) -> Any:
    return Dictionary(URLS=Dictionary(Names=Array([String(f"https://example.com/{NATIONAL_ID}"), Array([])])))


def _intent(file: pikepdf.Pdf) -> Any:
    return Array(
        [
            Dictionary(
                Type=Name.OutputIntent,
                S=Name.GTS_PDFX,
                Info=String(NATIONAL_ID),
                OutputConditionIdentifier=String(IQAMA),
            )
        ]
    )


def _label(file: pikepdf.Pdf) -> Any:
    return Dictionary(Nums=Array([0, Dictionary(S=Name.D, P=String(f"{NATIONAL_ID}-"))]))


def _private(file: pikepdf.Pdf) -> Any:
    return Dictionary(Editor=Dictionary(LastModified=String("D:2020"), Private=file.make_stream(NATIONAL_ID.encode())))


def _thumbnail(file: pikepdf.Pdf) -> Any:
    return file.make_stream(NATIONAL_ID.encode(), Width=10, Height=1, ColorSpace=Name.DeviceGray, BitsPerComponent=8)


def _template(file: pikepdf.Pdf) -> Any:
    page = file.make_indirect(Dictionary(Type=Name.Template, Contents=file.make_stream(shown(NATIONAL_ID))))
    return Dictionary(Templates=Dictionary(Names=Array([String(IQAMA), page])))


def _cell(file: pikepdf.Pdf) -> Any:
    scale = Dictionary(Type=Name.Measure, Subtype=Name.RL, R=String(NATIONAL_ID))
    return Array([Dictionary(BBox=Array([0, 0, 9, 9]), Name=String(IQAMA), Measure=scale)])


PLACES = (
    _info("the author", "Author", String(NAME), NAME),
    _info("the title in Arabic", "Title", String(f"ملف {ARABIC} {NATIONAL_ID}"), ARABIC, NATIONAL_ID),
    _info("the keywords", "Keywords", String(f"{NATIONAL_ID}; {EMAIL}"), NATIONAL_ID, EMAIL),
    _info("a property of the company's own", "PatientNumber", String(NATIONAL_ID)),
    _info("a property's name", NATIONAL_ID, String("x")),
    _info("the producer", "Producer", String(f"licensed to {NATIONAL_ID}")),
    _info(
        "properties in other encodings", "Subject", String(b"\xef\xbb\xbf" + ARABIC.encode() + b" 1012345672"), ARABIC
    ),
    rooted("the document's XMP", "Metadata", _packet, NAME, NATIONAL_ID),
    paged("a page's XMP", "Metadata", _packet, NAME, NATIONAL_ID),
    made(
        "bookmarks",
        _outline,
        NAME,
        NATIONAL_ID,
        kept=("harbour",),
        handled_by="pdf.handler.redacted_navigation",
        switched_off=lambda beside, findings: beside,
    ),
    made("a bookmark's action and private keys", _outline_action, NATIONAL_ID, IQAMA),
    rooted("names of places in a tree", "Names", _names, NAME, NATIONAL_ID),
    rooted(
        "names of places, the old way",
        "Dests",
        lambda f: Dictionary({f"/{NATIONAL_ID}": Array([f.pages[0].obj, Name.Fit])}),
    ),
    made("an attached file", _attached, NATIONAL_ID, IQAMA, NAME),
    made("a portfolio", _portfolio, NATIONAL_ID, IQAMA, MOBILE, EMAIL),
    rooted("a file associated with the document", "AF", _associated, NATIONAL_ID, IQAMA),
    paged("a file associated with a page", "AF", _associated, NATIONAL_ID, IQAMA),
    rooted("the tags", "StructTreeRoot", _tagged, NATIONAL_ID, IQAMA, NAME, EMAIL, MOBILE, ARABIC),
    made(
        "marked content's property lists",
        _properties,
        NATIONAL_ID,
        IQAMA,
        content=b"/Span /MC0 BDC " + CONTENT + b"EMC",
    ),
    made(
        "marked content with lists of its own",
        lambda f, p: None,
        NATIONAL_ID,
        IQAMA,
        NAME,
        content=_MARKED,
        handled_by="pdf.sanitize.rewrite.plain_content",
        switched_off=lambda raw, parse, names: None,
    ),
    made(
        "marked content's tag",
        lambda f, p: None,
        NATIONAL_ID,
        content=b"/" + NATIONAL_ID.encode() + b" BMC " + CONTENT + b"EMC",
    ),
    made("a layer that is off", _layer(OFF=_off), NATIONAL_ID, NAME, MOBILE),
    made("a layer that is off by default", _layer(BaseState=Name.OFF), NATIONAL_ID, NAME, MOBILE),
    made(
        "a layer that viewing switches off",
        _layer(AS=_viewed_off, Usage=Dictionary(View=Dictionary(ViewState=Name.OFF))),
        NATIONAL_ID,
        NAME,
    ),
    made(
        "a layer that is never printed",
        _layer(
            AS=lambda g: Array([Dictionary(Event=Name.Print, OCGs=Array([g]))]),
            Usage=Dictionary(Print=Dictionary(PrintState=Name.OFF)),
        ),
        NATIONAL_ID,
        NAME,
        shown=True,
    ),
    made("a layer's name", _layer(ON=_off), NATIONAL_ID, NAME, shown=True),
    made("a form in a hidden layer", _hidden_form),
    rooted(
        "labels of pages",
        "PageLabels",
        _label,
        handled_by="pdf.handler.redacted_navigation",
        switched_off=lambda beside, findings: beside,
    ),
    rooted("articles", "Threads", _article, NATIONAL_ID, NAME),
    paged("beads of an article", "B", lambda f: Array([Dictionary(Type=Name.Bead, Note=String(NATIONAL_ID))])),
    rooted("where a captured page came from", "SpiderInfo", _capture),
    rooted("addresses of captured pages", "Names", _captured),
    rooted("templates of pages", "Names", _template, NATIONAL_ID, IQAMA),
    rooted("output intents", "OutputIntents", _intent, NATIONAL_ID, IQAMA),
    rooted("the legal attestation", "Legal", lambda f: Dictionary(Attestation=String(NATIONAL_ID))),
    rooted(
        "requirements", "Requirements", lambda f: Array([Dictionary(S=Name.EnableJavaScripts, RH=String(NATIONAL_ID))])
    ),
    rooted("proofs of signatures", "DSS", lambda f: Dictionary(Certs=Array([f.make_stream(NATIONAL_ID.encode())]))),
    rooted(
        "viewer preferences", "ViewerPreferences", lambda f: Dictionary(Direction=Name.R2L, Owner=String(NATIONAL_ID))
    ),
    rooted("the language", "Lang", lambda f: String(f"x-{NATIONAL_ID}")),
    rooted("extensions", "Extensions", lambda f: Dictionary({f"/{NATIONAL_ID}": Dictionary(BaseVersion=Name("/1.7"))})),
    rooted("private data of the catalog", "PieceInfo", _private),
    rooted(
        "a key of the catalog that no standard has", "Zz", lambda f: Array([Array([Dictionary(A=String(NATIONAL_ID))])])
    ),
    paged("private data of a page", "PieceInfo", _private),
    paged("when a page was changed", "LastModified", lambda f: String(NATIONAL_ID)),
    paged("a page's thumbnail", "Thumb", _thumbnail),
    paged("a page's id", "ID", lambda f: String(NATIONAL_ID)),
    paged("a page's template name", "TemplateInstantiated", lambda f: Name(f"/{NATIONAL_ID}")),
    paged("how pages turn", "Trans", lambda f: Dictionary(S=Name.Wipe, Note=String(NATIONAL_ID))),
    paged("a page's actions", "AA", lambda f: Dictionary(O=Dictionary(S=Name.JavaScript, JS=String(NATIONAL_ID)))),
    paged("measures", "VP", _cell, NATIONAL_ID, IQAMA),
    paged("separations of a page", "SeparationInfo", lambda f: Dictionary(DeviceColorant=String(NATIONAL_ID))),
    paged("steps of a presentation", "PresSteps", lambda f: Dictionary(NA=String(NATIONAL_ID))),
)
