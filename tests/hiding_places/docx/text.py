"""Hiding places in a Word document's own text: runs, tables, revisions, fields, controls, boxes, drawings."""
# ruff: noqa: E501  (markup in tables)

from tests.hiding_places.office_build import ARABIC_NAME, EASTERN, IBAN, ID, MAIL, NAME, PERMIT, PHONE


def p(*runs: str) -> str:
    """A paragraph of these runs' inner markup or text."""
    return "<w:p>" + "".join(r(run) for run in runs) + "</w:p>"


def r(inner: str) -> str:
    return f"<w:r>{inner if inner.startswith('<') else t(inner)}</w:r>"


def t(text: str) -> str:
    return f'<w:t xml:space="preserve">{text}</w:t>'


def table(*rows: tuple[str, ...]) -> str:
    """A table of cells: text, or paragraphs."""
    lines = ""
    for row in rows:
        cells = "".join(f"<w:tc>{cell if cell.startswith('<w:') else p(cell)}</w:tc>" for cell in row)
        lines += f"<w:tr>{cells}</w:tr>"
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{lines}</w:tbl><w:p/>"


def control(properties: str, shown: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{p(shown)}</w:sdtContent></w:sdt>"


def field(code: str, shown: str, begin: str = "") -> str:
    """A complex field of three runs; `code` may be cut by `|`."""
    codes = "".join(f'<w:r><w:instrText xml:space="preserve">{part}</w:instrText></w:r>' for part in code.split("|"))
    return (
        f'<w:r><w:fldChar w:fldCharType="begin">{begin}</w:fldChar></w:r>{codes}'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{r(shown)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def box(inner: str) -> str:
    return f"<wps:wsp><wps:cNvSpPr/><wps:spPr/><wps:txbx><w:txbxContent>{inner}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"


def drawing(graphic: str, attributes: str = 'name="Shape"', uri: str = "", more: str = "") -> str:
    uri = uri or "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
    return (
        f'<w:drawing><wp:inline><wp:extent cx="1828800" cy="914400"/><wp:docPr id="7" {attributes}>{more}</wp:docPr>'
        f'<a:graphic><a:graphicData uri="{uri}">{graphic}</a:graphicData></a:graphic></wp:inline></w:drawing>'
    )


def vml(inner: str, attributes: str = "", kind: str = "rect") -> str:
    return f'<w:pict><v:{kind} style="width:200pt;height:50pt" {attributes}>{inner}</v:{kind}></w:pict>'


def either(choice: str, fallback: str) -> str:
    return (
        f'<mc:AlternateContent><mc:Choice Requires="wps">{choice}</mc:Choice>'
        f"<mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    )


def changed(kind: str, inner: str) -> str:
    return f'<w:{kind} w:id="3" w:author="Author" w:date="2024-03-15T10:00:00Z">{inner}</w:{kind}>'


_ARABIC_RUN = f"<w:rPr><w:rtl/></w:rPr>{t(ARABIC_NAME)}"
_SYMBOLS = "".join(f'<w:sym w:font="Wingdings" w:char="F0{ord(c):02X}"/>' for c in ID)
_HIDDEN = f"<w:rPr><w:vanish/></w:rPr>{t(ID)}"

# name -> (body, planted)
BODY: dict[str, tuple[str, tuple[str, ...]]] = {
    "one run": (p(f"No. {ID} is his."), (ID,)),
    "runs split at every letter": (p("No. ", *ID, " is his."), (ID,)),
    "a name split over runs": (p("Dear Mr. ", "Fah", "ad ", "Alo", "taibi,"), (NAME,)),
    "an Arabic name in right-to-left runs": (p("الاسم: ", _ARABIC_RUN), (ARABIC_NAME,)),
    "Eastern digits split over runs": (p("رقم الهوية ", EASTERN[:4], EASTERN[4:]), (ID, EASTERN)),
    "runs cut by spelling marks and bookmarks": (
        f'<w:p>{r(ID[:5])}<w:proofErr w:type="spellStart"/><w:bookmarkStart w:id="1" w:name="here"/>{r(ID[5:])}'
        '<w:bookmarkEnd w:id="1"/></w:p>', (ID,)),
    "hyphens that do not break, and soft ones": (
        p("<w:t>055</w:t><w:noBreakHyphen/><w:t>123</w:t><w:softHyphen/><w:t>4567</w:t>"), (PHONE,)),
    "a tab and a line break inside": (p("<w:t>SA03 8000 0000</w:t><w:br/><w:t>6080 1016 7519</w:t>"), (IBAN,)),
    "symbols of a font": (p("No. ", _SYMBOLS), ()),
    "hidden text": (p("Before ", _HIDDEN), (ID,)),
    "white and tiny text": (p("x ", f'<w:rPr><w:color w:val="FFFFFF"/><w:sz w:val="2"/></w:rPr>{t(ID)}'), (ID,)),
    "struck text": (p("x ", f"<w:rPr><w:dstrike/><w:webHidden/></w:rPr>{t(ID)}"), (ID,)),
    "ruby text": (
        f'<w:p><w:r><w:ruby><w:rubyPr/><w:rt>{r(ID)}</w:rt><w:rubyBase>{r("note")}</w:rubyBase></w:ruby></w:r></w:p>',
        (ID,)),
    "ruby base of single digits": (
        "<w:p>" + "".join(f'<w:r><w:ruby><w:rubyPr/><w:rt/><w:rubyBase>{r(c)}</w:rubyBase></w:ruby></w:r>'
                          for c in ID) + "</w:p>", (ID,)),
    "direction runs": (f'<w:p><w:bdo w:val="ltr">{r(ID[:4])}</w:bdo><w:dir w:val="ltr">{r(ID[4:])}</w:dir></w:p>', (ID,)),
    "combined characters": (p(f'<w:rPr><w:eastAsianLayout w:id="1" w:combine="1"/></w:rPr>{t(ID[:5])}', ID[5:]), (ID,)),
    "math": (f"<w:p><m:oMathPara><m:oMath><m:r><m:t>{ID[:6]}</m:t></m:r><m:r><m:t>{ID[6:]}</m:t></m:r></m:oMath>"
             "</m:oMathPara></w:p>", (ID,)),
    "smart tag and its property": (
        f'<w:p><w:smartTag w:uri="urn:x" w:element="person"><w:smartTagPr><w:attr w:name="ID" w:val="{PERMIT}"/>'
        f"</w:smartTagPr>{r(ID[:5])}</w:smartTag>{r(ID[5:])}</w:p>", (ID, PERMIT)),
    "custom XML element and its property": (
        f'<w:customXml w:uri="urn:x" w:element="note"><w:customXmlPr><w:attr w:name="ref" w:val="{PERMIT}"/>'
        f"</w:customXmlPr>{p(ID)}</w:customXml>", (ID, PERMIT)),
    "a table's cell under its heading": (table(("Name", "Phone"), (NAME, PHONE)), (NAME, PHONE)),
    "a row of one field with two people's values": (
        table(("", "First guarantor", "Second guarantor"), ("MRN", "0048213", "0048214")), ("0048213", "0048214"),
    ),
    "a heading that goes on in a second row": (
        table(("Guest", "Documents", ""), ("", "Floor", "MRN"), ("g1", "3", "0048213"), ("g2", "4", "0048214")),
        ("0048213", "0048214"),
    ),
    "a heading in two rows, the upper one merged": (
        table(("Guest", "Documents"), ("", "Floor", "MRN"), ("g1", "3", "0048213"), ("g2", "4", "0048214")).replace(
            f"<w:tc>{p('Documents')}", f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{p("Documents")}'
        ),
        ("0048213", "0048214"),
    ),
    "an address of a letter, a line to a paragraph": (
        "".join(map(p, ("Dear Madam", "7421 Prince Sultan Street", "Ar Rawdah District", "Jeddah 23434-2210"))),
        ("7421 Prince", "Ar Rawdah", "23434-2210"),
    ),
    "a name in two paragraphs": (p("Tahani") + p("Alqurashi"), ("Tahani", "Alqurashi")),
    "a family's name in the next paragraph": (
        p("The witness Fahad") + p("Alqurashi signed the deed."), ("Fahad", "Alqurashi"),
    ),
    "a nested table": (table((table(("National ID", ID)), "x")), (ID,)),
    "one digit to a cell": (table(("ID", *ID)), (ID,)),
    "one digit to a cell, without a label": (table(tuple(ID)), (ID,)),
    "one digit to a cell, downwards": (table(*((c,) for c in ID)), (ID,)),
    "a number over two cells": (table(("National ID", ID[:5], ID[5:])), (ID,)),
    "a number over four cells": (table((ID[:3], ID[3:6], ID[6:8], ID[8:])), (ID,)),
    "an IBAN with a group to a cell": (table(tuple(IBAN[i : i + 4] for i in range(0, 24, 4))), (IBAN,)),
    "first and last name in two cells": (table(("First name", "Last name"), ("Fahad", "Alotaibi")), ("Alotaibi",)),
    "a number over two paragraphs": (p(f"His number {ID[:5]}") + p(f"{ID[5:]} is here."), (ID,)),
    "a number over three paragraphs": (p(ID[:4]) + p(ID[4:7]) + p(ID[7:]), (ID,)),
    "a digit to a paragraph": ("".join(map(p, ID)), (ID,)),
    "an address over two paragraphs": (p("Write to fahad.alotaibi@exam") + p("ple.com soon."), (MAIL,)),
    "a name over two paragraphs": (
        p("We met yesterday afternoon with the engineer Mr. Fahad") + p("Alotaibi, and went to the office to talk."),
        ("Alotaibi",)),
    "inserted text": (f"<w:p>{r('No. ')}{changed('ins', r(ID))}</w:p>", (ID,)),
    "deleted text": (f"<w:p>{r('No. ')}{changed('del', f'<w:r><w:delText>{ID}</w:delText></w:r>')}</w:p>", (ID,)),
    "a value half inserted, before what it replaces": (
        f"<w:p>{r('No. ' + ID[:4])}{changed('ins', r(ID[4:]))}{changed('del', f'<w:r><w:delText>{PERMIT[4:]}</w:delText></w:r>')}</w:p>",
        (ID,)),
    "moved text": (
        f'<w:p><w:moveFromRangeStart w:id="1" w:name="m"/>{changed("moveFrom", r(ID))}<w:moveFromRangeEnd w:id="1"/></w:p>'
        f'<w:p><w:moveToRangeStart w:id="2" w:name="m"/>{changed("moveTo", r(ID))}<w:moveToRangeEnd w:id="2"/></w:p>', (ID,)),
    "a deleted field code": (
        f'<w:p>{changed("del", f"<w:r><w:delInstrText> QUOTE {ID} </w:delInstrText></w:r>")}{r("x")}</w:p>', (ID,)),
    "the author of a change": (
        f'<w:p><w:ins w:id="3" w:author="{NAME}" w:date="2024-03-15T10:00:00Z">{r("x")}</w:ins></w:p>', (NAME,)),
    "the author of a changed format": (
        f'<w:p><w:pPr><w:pPrChange w:id="4" w:author="{NAME}"><w:pPr/></w:pPrChange></w:pPr>'
        f'<w:r><w:rPr><w:rPrChange w:id="5" w:author="{NAME}"><w:rPr/></w:rPrChange></w:rPr>{t("x")}</w:r></w:p>', (NAME,)),
    "the author of changed tables": (
        f'<w:tbl><w:tblPr><w:tblPrChange w:id="6" w:author="{NAME}"><w:tblPr/></w:tblPrChange></w:tblPr><w:tblGrid/>'
        f'<w:tr><w:trPr><w:ins w:id="8" w:author="{NAME}"/></w:trPr><w:tc><w:tcPr><w:cellIns w:id="7" w:author="{NAME}"/>'
        f"</w:tcPr>{p('x')}</w:tc></w:tr></w:tbl><w:p/>", (NAME,)),
    "a field's result": ("<w:p>" + field(" AUTHOR ", NAME) + "</w:p>", (NAME,)),
    "a field's code": ("<w:p>" + field(f' QUOTE "{ID}" ', "x") + "</w:p>", (ID,)),
    "a field's code in pieces": ("<w:p>" + field(" HYPERLINK mailto:fahad.alo|taibi@exam|ple.com ", "x") + "</w:p>", (MAIL,)),
    "an encoded address in a field's code": (
        "<w:p>" + field(' HYPERLINK "mailto:fahad.alotaibi%40example.com" ', "x") + "</w:p>", (MAIL,)),
    "a field inside a field's code": (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> IF </w:instrText></w:r>'
        + field(f" MERGEFIELD id_{ID} ", "1") + '<w:r><w:instrText> = 1 "a" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>', (ID,)),
    "a simple field's code": (f'<w:p><w:fldSimple w:instr=" DOCVARIABLE {ID} ">{r("x")}</w:fldSimple></w:p>', (ID,)),
    "a field's own data": (
        "<w:p>" + field(" ADDIN X ", "x", begin=f'<w:fldData xml:space="preserve">{ID}</w:fldData>') + "</w:p>", (ID,)),
    "an index entry": ("<w:p>" + field(f' XE "{NAME}" ', "") + r("x") + "</w:p>", (NAME,)),
    "a table-of-contents entry": ("<w:p>" + field(f' TC "{ID}" \\l 1 ', "") + r("x") + "</w:p>", (ID,)),
    "a form field": (
        "<w:p>" + field(" FORMTEXT ", "x", begin=f'<w:ffData><w:name w:val="n{ID}"/><w:helpText w:type="text" '
                        f'w:val="{MAIL}"/><w:statusText w:type="text" w:val="{PHONE}"/><w:textInput>'
                        f'<w:default w:val="{PERMIT}"/></w:textInput></w:ffData>') + "</w:p>", (ID, MAIL, PHONE, PERMIT)),
    "a form field's list": (
        "<w:p>" + field(" FORMDROPDOWN ", "x", begin=f'<w:ffData><w:ddList><w:listEntry w:val="{ID}"/>'
                        f'<w:listEntry w:val="{NAME}"/></w:ddList></w:ffData>') + "</w:p>", (ID, NAME)),
    "a content control's text": (control('<w:text/>', ID), (ID,)),
    "a content control's title and tag": (control(f'<w:alias w:val="of {NAME}"/><w:tag w:val="{ID}"/>', "x"), (ID, NAME)),
    "a content control's list": (
        control(f'<w:dropDownList w:lastValue="{ID}"><w:listItem w:displayText="{NAME}" w:value="{ID}"/></w:dropDownList>', "x"),
        (ID, NAME)),
    "a content control's combo box": (
        control(f'<w:comboBox><w:listItem w:displayText="{ID}" w:value="{MAIL}"/></w:comboBox>', "x"), (ID, MAIL)),
    "a content control's date": (
        control('<w:date w:fullDate="1987-05-23T00:00:00Z"><w:dateFormat w:val="d MMMM yyyy"/></w:date>', "23 May 1987"),
        ("1987-05-23", "23 May 1987")),
    "a content control's binding": (
        control(f"<w:dataBinding w:prefixMappings=\"xmlns:n='urn:{ID}'\" w:xpath=\"/n:a[@k='{PERMIT}']\" "
                'w:storeItemID="{00000000-0000-0000-0000-000000000001}"/>', "x"), (ID, PERMIT)),
    "a bookmark's name": (f'<w:p><w:bookmarkStart w:id="1" w:name="Fahad_Alotaibi_{ID}"/>{r("x")}<w:bookmarkEnd w:id="1"/></w:p>',
                          (ID, "Alotaibi")),
    "a link's anchor, tooltip and place": (
        f'<w:p><w:hyperlink w:anchor="a{ID}" w:tooltip="{NAME}" w:docLocation="{MAIL}">{r("x")}</w:hyperlink></w:p>',
        (ID, NAME, MAIL)),
    "a permission's editor": (
        f'<w:p><w:permStart w:id="1" w:ed="{MAIL}"/>{r("x")}<w:permEnd w:id="1"/></w:p>', (MAIL,)),
    "a text box in DrawingML": (p(drawing(box(p(f"No. {ID}")))), (ID,)),
    "a text box in VML": (p(vml(f"<v:textbox><w:txbxContent>{p(f'No. {ID}')}</w:txbxContent></v:textbox>")), (ID,)),
    "a text box in both": (
        p(either(drawing(box(p(f"No. {ID}"))), vml(f"<v:textbox><w:txbxContent>{p(f'No. {ID}')}</w:txbxContent></v:textbox>"))),
        (ID,)),
    "another value in the fallback": (
        p(either(drawing(box(p("x"))), vml(f"<v:textbox><w:txbxContent>{p(f'No. {ID}')}</w:txbxContent></v:textbox>"))), (ID,)),
    "plain runs in both branches": (
        f"<w:p>{r('No. ')}<mc:AlternateContent><mc:Choice Requires=\"w14\">{r(ID)}</mc:Choice><mc:Fallback>{r(ID)}"
        "</mc:Fallback></mc:AlternateContent></w:p>", (ID,)),
    "a table inside a text box": (p(drawing(box(table(("ID", *ID))))), (ID,)),
    "a digit to a text box": (p(*(drawing(box(p(c))) for c in ID)), (ID,)),
    "WordArt": (p(vml(f'<v:textpath on="t" string="{NAME} {ID}"/>')), (ID, NAME)),
    "a shape's alternative text and title": (p(drawing(box(p("x")), f'name="{PHONE}" descr="{ID}" title="{NAME}"')), (ID, NAME, PHONE)),
    "a shape's link": (p(drawing(box(p("x")), more=f'<a:hlinkClick r:id="" action="x" tooltip="{ID}"/>')), (ID,)),
    "a VML shape's alternative text, link and title": (
        p(vml("", f'alt="{ID}" title="{NAME}" href="mailto:fahad.alotaibi%40example.com" id="s{PHONE}"')), (ID, NAME, MAIL, PHONE)),
    "a table's caption and description": (
        f'<w:tbl><w:tblPr><w:tblCaption w:val="{NAME}"/><w:tblDescription w:val="{ID}"/></w:tblPr><w:tblGrid/><w:tr><w:tc>'
        f"{p('x')}</w:tc></w:tr></w:tbl><w:p/>", (NAME, ID)),
    "DrawingML text in a group": (
        p(drawing(f'<a:p><a:r><a:t>{ID[:5]}</a:t></a:r><a:r><a:t>{ID[5:]}</a:t></a:r></a:p>')), (ID,)),
    "an element of tomorrow": (p(f'<w15:tomorrow w15:note="{PERMIT}">{ID}</w15:tomorrow>'), (ID, PERMIT)),
    "text where none belongs": (f"<w:p><w:r><w:rPr>{ID}</w:rPr>{t('x')}</w:r>{PERMIT}</w:p>", (ID, PERMIT)),
    "an offset that is a number": (
        '<w:p><w:r><w:drawing><wp:anchor><wp:positionH relativeFrom="page"><wp:posOffset>' + ID + '</wp:posOffset>'
        '</wp:positionH><wp:extent cx="9" cy="9"/><wp:docPr id="1" name="x"/></wp:anchor></w:drawing></w:r></w:p>', (ID,)),
    "revision ids": (f'<w:p w:rsidR="{ID[:8]}" w14:paraId="{ID[:8]}">{r("x")}</w:p>', (ID[:8],)),
}  # fmt: skip
