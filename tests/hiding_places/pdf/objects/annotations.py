"""Hiding places of a PDF: annotations, form fields, actions, links."""

from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from tests.hiding_places.pdf.objects.build import (
    ARABIC,
    EMAIL,
    IBAN,
    IQAMA,
    MOBILE,
    NAME,
    NATIONAL_ID,
    annotate,
    field,
    fielded,
    form,
    made,
    noted,
    rooted,
    shown,
)

_QUADS = Array([40, 120, 240, 120, 40, 100, 240, 100])


def _said(file: pikepdf.Pdf) -> Any:
    return form(file, shown(NATIONAL_ID))


def _appearance(key: str) -> Any:
    """One of the three appearances; the normal one always says something harmless."""

    def value(file: pikepdf.Pdf) -> Any:
        return Dictionary({"/N": form(file, shown("stamp")), "/" + key: _said(file)})

    return value


def _states(file: pikepdf.Pdf) -> Any:
    return Dictionary(N=Dictionary(On=form(file, shown("chosen")), Off=_said(file)))


def _popup(file: pikepdf.Pdf, page: Any) -> None:
    parent = annotate(file, page, "Text", Contents=String("a note"))
    window = annotate(
        file, page, "Popup", Parent=parent, Contents=String(f"of {NATIONAL_ID}"), AP=Dictionary(N=_said(file))
    )
    parent.Popup = window


def _reply(file: pikepdf.Pdf, page: Any) -> None:
    parent = annotate(file, page, "Text", Contents=String("a note"))
    annotate(file, page, "Text", IRT=parent, RT=Name.R, T=String(NAME), Contents=String(f"ID {NATIONAL_ID}"))


def _pending(file: pikepdf.Pdf, page: Any) -> None:
    page.Contents = file.make_stream(
        page.Contents.read_bytes() + b"BT /F1 11 Tf 42 104 Td (Code name Zephyrglow) Tj ET"
    )
    annotate(file, page, "Redact", QuadPoints=_QUADS, OverlayText=String(f"was {NATIONAL_ID}"), DA=String("/Helv 9 Tf"))


def _action(kind: str, **keys: Any) -> Any:
    return Dictionary(S=Name("/" + kind), **keys)


def _linked(name: str, *planted: str, **keys: Any) -> Any:
    """A link's action."""

    def fill(file: pikepdf.Pdf, page: Any) -> None:
        annotate(file, page, "Link", A=Dictionary({"/" + key: value for key, value in keys.items()}))

    return made(name, fill, *planted)


def _uri(name: str, address: str, *planted: str) -> Any:
    return _linked(name, *planted, S=Name.URI, URI=String(address))


def _file(text: str) -> Any:
    return Dictionary(Type=Name.Filespec, F=String(f"{text}.pdf"), UF=String(f"{text}.pdf"))


def _tree(file: pikepdf.Pdf, page: Any) -> None:
    parent = field(file, page, "Tx", on_page=False, T=String(f"owner {NAME}"))
    kid = annotate(file, page, "Widget", T=String(NATIONAL_ID), Parent=parent, V=String("harmless"))
    parent.Kids = Array([kid])


def _calculated(file: pikepdf.Pdf, page: Any) -> None:
    script = _action("JavaScript", JS=String(f"event.value = '{NATIONAL_ID}'"))
    item = field(file, page, "Tx", AA=Dictionary(C=script, K=script, F=script, V=script), V=String("harmless"))
    file.Root.AcroForm.CO = Array([item])


def _resources(file: pikepdf.Pdf, page: Any) -> None:
    field(file, page, "Tx", V=String("harmless"))
    file.Root.AcroForm.DR = Dictionary(XObject=Dictionary(Logo=_said(file)))


def _forms_data(file: pikepdf.Pdf, page: Any) -> None:
    field(file, page, "Tx", V=String("harmless"))
    packet = file.make_stream(f"<xdp><data><id>{NATIONAL_ID}</id></data></xdp>".encode())
    file.Root.AcroForm.XFA = Array([String("datasets"), packet])


def _signed(file: pikepdf.Pdf, page: Any) -> None:
    signature = Dictionary(
        Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), SubFilter=Name("/adbe.pkcs7.detached"),
        ByteRange=Array([0, 10, 20, 10]), Contents=String(b"0\x82" + NATIONAL_ID.encode() + bytes(64)),
        Name=String(NAME), Reason=String(f"for {IQAMA}"), Location=String(MOBILE), ContactInfo=String(EMAIL),
    )  # fmt: skip
    field(file, page, "Sig", V=file.make_indirect(signature), AP=Dictionary(N=form(file, shown("Signed"))))
    file.Root.AcroForm.SigFlags = 3
    file.Root.Perms = Dictionary(DocMDP=file.Root.AcroForm.Fields[0].V)


def _screen(file: pikepdf.Pdf) -> Any:
    clip = Dictionary(Type=Name.Rendition, S=Name.MR, N=String(NATIONAL_ID))
    return _action("Rendition", OP=0, R=clip)


PLACES = (
    noted("a note's contents", "Text", "Contents", NATIONAL_ID, NAME),
    noted("a note's contents in Arabic", "Text", "Contents", ARABIC, NATIONAL_ID),
    noted("a note's author", "Text", "T", NAME),
    noted("a note's subject", "Text", "Subj", EMAIL),
    noted("a note's name", "Text", "NM"),
    noted("a note's rich contents", "FreeText", "RC", value=lambda f: String(f"<body><p>{NATIONAL_ID}</p></body>")),
    noted("a text box without an appearance", "FreeText", "Contents"),
    noted("a text box's default style", "FreeText", "DS", value=lambda f: String(f"font: {NATIONAL_ID}")),
    noted("a highlight's contents", "Highlight", "Contents", IBAN),
    noted("ink with contents", "Ink", "Contents"),
    noted("a line's caption", "Line", "Contents"),
    noted("a stamp's name", "Stamp", "Name", value=lambda f: Name(f"/{NATIONAL_ID}")),
    noted("a stamp's appearance", "Stamp", "AP", value=lambda f: Dictionary(N=_said(f)), shown=True),
    noted("the rollover appearance", "Stamp", "AP", value=_appearance("R")),
    noted("the down appearance", "Stamp", "AP", value=_appearance("D")),
    noted("an appearance of a state that is off", "Widget", "AP", value=_states),
    # Its icon, a loudspeaker, looks like two signs that nobody reads: it is burned, and the page becomes a picture.
    noted("a sound's stream", "Sound", "Sound", value=lambda f: f.make_stream(NATIONAL_ID.encode(), R=8000), kept=()),
    noted("a movie's file", "Movie", "Movie", value=lambda f: Dictionary(F=_file(NATIONAL_ID))),
    noted("a screen's rendition", "Screen", "A", value=_screen),
    noted("rich media", "RichMedia", "RichMediaContent", value=lambda f: Dictionary(Assets=String(NATIONAL_ID))),
    noted("a 3D view's name", "3D", "3DV", value=lambda f: Dictionary(XN=String(NATIONAL_ID))),
    noted("a watermark's appearance", "Watermark", "AP", value=lambda f: Dictionary(N=_said(f)), shown=True),
    noted("a printer's mark", "PrinterMark", "MN", value=lambda f: Name(f"/{NATIONAL_ID}")),
    noted("a trap network", "TrapNet", "FontFauxing", value=lambda f: Array([String(NATIONAL_ID)])),
    noted("an unknown annotation's private key", "Custom", "Secret"),
    noted("a file attached to a page", "FileAttachment", "FS", value=lambda f: _file(NATIONAL_ID)),
    noted(
        "an annotation's actions", "Text", "AA", value=lambda f: Dictionary(E=_action("URI", URI=String(NATIONAL_ID)))
    ),
    made("a popup's contents and appearance", _popup),
    made("an answer to a note", _reply, NAME, NATIONAL_ID),
    made("a hidden annotation", lambda f, p: annotate(f, p, "Stamp", F=2, AP=Dictionary(N=_said(f))) and None),
    made(
        "an annotation that is only printed",
        lambda f, p: annotate(f, p, "Stamp", F=36, AP=Dictionary(N=_said(f))) and None,
    ),
    made(
        "a redaction that nobody carried out",
        _pending,
        NATIONAL_ID,
        "Zephyrglow",
        handled_by="pdf.prepare.apply_pending_redactions",
        switched_off=lambda page, areas: None,
    ),
    fielded("a field's value", "Tx", V=String(NATIONAL_ID), shown=True),
    fielded("a field's default", "Tx", V=String("harmless"), DV=String(NATIONAL_ID)),
    fielded("a field's rich value", "Tx", V=String("harmless"), RV=String(f"<p>{NATIONAL_ID}</p>")),
    fielded("a field's label", "Tx", NAME, TU=String(f"Ask {NAME}"), V=String("harmless")),
    fielded("a field's names", "Tx", NATIONAL_ID, IQAMA, T=String(NATIONAL_ID), TM=String(IQAMA)),
    fielded("a field's style", "Tx", V=String("harmless"), DS=String(f"font-family: {NATIONAL_ID}")),
    fielded("a comb of single letters", "Tx", V=String(NATIONAL_ID), MaxLen=10, Ff=1 << 24, shown=True),
    fielded(
        "what a choice offers",
        "Ch",
        IQAMA,
        NATIONAL_ID,
        Ff=1 << 17,
        V=String("one"),
        Opt=Array([String("one"), String(IQAMA), Array([String(NATIONAL_ID), String("two")])]),
    ),
    made("a field on no page", lambda f, p: field(f, p, "Tx", on_page=False, V=String(NATIONAL_ID)) and None),
    made("the names of a tree of fields", _tree, NATIONAL_ID, NAME),
    made("a field's scripts and the order of calculation", _calculated),
    made("a form's default resources", _resources),
    made("an XFA form", _forms_data),
    made("a signature", _signed, NATIONAL_ID, NAME, IQAMA, MOBILE, EMAIL),
    _uri("a link's address", f"https://example.com/people/{NATIONAL_ID}?mail={EMAIL}", NATIONAL_ID, EMAIL),
    _uri("an address that writes a letter", f"mailto:{EMAIL}", EMAIL),
    _uri("an address that dials", f"tel:{MOBILE}", MOBILE),
    _uri(
        "an address encoded twice", "https://example.com/?n=Salman%2520Alharbi%2520ID%2520" + NATIONAL_ID, NATIONAL_ID
    ),
    _uri("an address that packs it", "https://example.com/?t=eyJpZCI6IjEwMTIzNDU2NzIifQ==", NATIONAL_ID),
    _uri("an address with a user", f"https://{NATIONAL_ID}:pass@example.com/", NATIONAL_ID),
    _linked("a link to another file", S=Name.GoToR, F=_file(NATIONAL_ID), D=String("top")),
    _linked("a link to a file inside", S=Name.GoToE, T=Dictionary(R=Name.C, N=String(NATIONAL_ID))),
    _linked("a link that starts a program", S=Name.Launch, F=String(f"/home/{NATIONAL_ID}/run.exe")),
    _linked(
        "a link that sends a form",
        S=Name.SubmitForm,
        F=Dictionary(FS=Name.URL, F=String(f"https://example.com/{NATIONAL_ID}")),
    ),
    _linked("a link that fetches data", S=Name.ImportData, F=_file(NATIONAL_ID)),
    _linked("a link that runs a script", S=Name.JavaScript, JS=String(f"app.alert('{NATIONAL_ID}')")),
    _linked("a link to a named place", S=Name.GoTo, D=String(NATIONAL_ID)),
    _linked(
        "a chain of actions",
        S=Name.Named,
        N=Name.NextPage,
        Next=Dictionary(S=Name.URI, URI=String(f"https://example.com/{NATIONAL_ID}")),
    ),
    rooted("a script on opening", "OpenAction", lambda f: _action("JavaScript", JS=String(NATIONAL_ID))),
    rooted(
        "a script in a stream", "OpenAction", lambda f: _action("JavaScript", JS=f.make_stream(NATIONAL_ID.encode()))
    ),
    rooted(
        "scripts by name",
        "Names",
        lambda f: Dictionary(
            JavaScript=Dictionary(Names=Array([String(NATIONAL_ID), _action("JavaScript", JS=String(IQAMA))]))
        ),
        NATIONAL_ID,
        IQAMA,
    ),
    rooted("a document's actions", "AA", lambda f: Dictionary(WC=_action("JavaScript", JS=String(NATIONAL_ID)))),
)
