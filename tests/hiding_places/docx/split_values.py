"""Values that something inside a Word document cuts or spells otherwise: tabs, boxes, HTML, directions, bytes."""

from tests.hiding_places.docx.parts import Row, custom
from tests.hiding_places.docx.text import box, drawing, p, r, t, table, vml
from tests.hiding_places.office_build import IBAN, ID, MAIL, NAME, PHONE

_ONE, _OTHER = ID[:5], ID[5:]
_CUTS = {
    "a tab": "<w:tab/>",
    "two tabs": "<w:tab/><w:tab/>",
    "a tab of a place": '<w:ptab w:relativeTo="margin" w:alignment="left" w:leader="none"/>',
    "a hyphen that does not break": "<w:noBreakHyphen/>",
    "a soft hyphen": "<w:softHyphen/>",
    "a line break": "<w:br/>",
    "a carriage return": "<w:cr/>",
    "a bullet of a symbol font": '<w:sym w:font="Symbol" w:char="F0B7"/>',
    "a mark of a comment": "<w:annotationRef/>",
    "a page's end as last printed": "<w:lastRenderedPageBreak/>",
}


def cut(by: str, one: str = _ONE, other: str = _OTHER) -> str:
    """A paragraph of one run, in which `by` stands between the two halves of a value."""
    return p(f"{t(one)}{by}{t(other)}")


def _frame(inner: str) -> str:
    return f"<w:p><w:r>{vml(f'<v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox>')}</w:r></w:p>"


def _shape(inner: str) -> str:
    return f"<w:p><w:r>{drawing(box(inner))}</w:r></w:p>"


def _html(inner: str) -> str:
    return f"<w:p><w:r>{vml(f'<v:textbox>{inner}</v:textbox>')}</w:r></w:p>"


def _turned(said: str, before: str = "") -> str:
    return f'<w:p>{r(before) if before else ""}<w:bdo w:val="rtl">{r(said[::-1])}</w:bdo></w:p>'


def _spelled(value: str) -> str:
    return value.encode().hex()


_BODY: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"{name} between two halves": (cut(by), (ID,)) for name, by in _CUTS.items()},
    "tabs between three pieces, in a sentence": (
        p(f"{t('His number ' + ID[:3])}<w:tab/>{t(ID[3:6])}<w:tab/>{t(ID[6:] + ' is here.')}"), (ID,)),
    "a tab as a character": (p(f"ID: {_ONE}\t{_OTHER}"), (ID,)),
    "a carriage return as a character": (p(f"{_ONE}&#13;{_OTHER}"), (ID,)),
    "an IBAN cut by tabs anywhere": (
        p(f"{t('IBAN ' + IBAN[:7])}<w:tab/>{t(IBAN[7:15])}<w:tab/>{t(IBAN[15:])}"), (IBAN,)),
    "a mobile cut by a tab": (cut("<w:tab/>", PHONE[:5], PHONE[5:]), (PHONE,)),
    "a mobile behind its label, cut by a tab": (p(f"{t('Mobile: ' + PHONE[:4])}<w:tab/>{t(PHONE[4:])}"), (PHONE,)),
    "a mobile behind its label in Arabic, cut by tabs": (p(f"جوال {PHONE[:3]}\t{PHONE[3:6]}\t{PHONE[6:]}"), (PHONE,)),
    "an address cut by a tab": (cut("<w:tab/>", MAIL[:19], MAIL[19:]), (MAIL,)),
    "two boxes, a label before the first half": (_frame(p(f"ID: {_ONE}")) + _frame(p(_OTHER)), (ID,)),
    "two boxes, the label a paragraph of its own": (_frame(p("National ID") + p(_ONE)) + _frame(p(_OTHER)), (ID,)),
    "two boxes, words behind the second half": (_frame(p(_ONE)) + _frame(p(f"{_OTHER} (ID)")), (ID,)),
    "two drawn boxes with a label": (_shape(p(f"ID: {_ONE}")) + _shape(p(_OTHER)), (ID,)),
    "two boxes with an IBAN": (_frame(p(f"IBAN {IBAN[:12]}")) + _frame(p(IBAN[12:])), (IBAN,)),
    "two boxes with an address": (_frame(p(f"Mail: {MAIL[:19]}")) + _frame(p(MAIL[19:])), (MAIL,)),
    "two cells, a label before the first half": (table((f"ID: {_ONE}", _OTHER)), (ID,)),
    "two cells, a mobile's label before the first half": (table((f"Mobile: {PHONE[:3]}", PHONE[3:])), (PHONE,)),
    "two cells, words behind the second half": (table((_ONE, f"{_OTHER} (ID)")), (ID,)),
    "HTML in a box": (_html(f"<div>{_ONE}<font>{_OTHER}</font></div>"), (ID,)),
    "HTML in a box, a digit to an element": (_html("".join(f"<span>{c}</span>" for c in ID)), (ID,)),
    "HTML in a box, a break between": (_html(f"<div>{_ONE}<br/>{_OTHER}</div>"), (ID,)),
    "HTML in a box, a name": (_html(f"<div>Dear Mr. <b>{NAME[:3]}</b>{NAME[3:]},</div>"), (NAME,)),
    "an override of direction": (_turned(ID), (ID,)),
    "an override of direction behind a label": (_turned(ID, "ID "), (ID,)),
    "an override of direction over two runs": (
        f'<w:p><w:bdo w:val="rtl">{r(_OTHER[::-1])}{r(_ONE[::-1])}</w:bdo></w:p>', (ID,)),
    "an override of direction, a mobile": (_turned(PHONE), (PHONE,)),
    "an override of direction, a name": (_turned(NAME, "Mr. "), (NAME,)),
    "a sign that overrides direction": (p(f"ID: \u202e{ID[::-1]}\u202c is his"), (ID,)),
    "a run from the right, its digits reversed": (p(f"<w:rPr><w:rtl/></w:rPr>{t(ID[::-1])}"), (ID,)),
    "a paragraph's stretch from the right, its digits reversed": (
        f'<w:p><w:dir w:val="rtl">{r(ID[::-1])}</w:dir></w:p>', (ID,)),
    **{
        f"a found address in words: {words}": (p(f"Write to {MAIL}") + p(f"or to {words}"), (MAIL, words))
        for words in ("fahad.alotaibi (at) example.com", "fahad.alotaibi [at] example [dot] com",
                      "Fahad.Alotaibi AT example DOT com", "fahad.alotaibi (آت) example (دوت) com")
    },
    "a known number in the id of a paragraph's text": (
        f'<w:p w14:paraId="{int(ID):08X}" w14:textId="{_spelled(ID)}">{r(ID)}</w:p>', (ID,)),
    "an unknown number in the id of a paragraph's text": (f'<w:p w14:textId="{_spelled(ID)}">{r("x")}</w:p>', (ID,)),
}  # fmt: skip
CUT: dict[str, Row] = {
    **{name: (body, (), planted) for name, (body, planted) in _BODY.items()},
    "hexadecimal in custom XML": ("", (custom(f"<a>{_spelled(ID)}</a>"),), (ID,)),
    "hexadecimal in an attribute of custom XML": ("", (custom(f'<a b="0x{_spelled(ID).upper()}"/>'),), (ID,)),
    "hexadecimal with blanks, among words": ("", (custom(f"<a>key {ID.encode().hex(' ')} end</a>"),), (ID,)),
    "an address in hexadecimal": ("", (custom(f"<a>{_spelled(MAIL)}</a>"),), (MAIL,)),
    "words and marks of custom XML": ("", (custom(f"<a>{_ONE}<b>{_OTHER}</b> x</a>"),), (ID,)),
}
