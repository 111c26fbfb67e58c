"""The layouts of the pages. Each belongs to one set, so that what is tuned on the one is proven on the other."""

from collections.abc import Callable

from benchmarks.scans.fonts import SetName
from benchmarks.scans.sheet import Named, Part
from benchmarks.scans.wording import FINDINGS, GOODS
from benchmarks.scans.writer import Writer
from schemas.entities import EntityType as T

Layout = Callable[[Writer], None]

_LEFT, _TOP, _WIDE = 150, 130, 1354
_IDENTITY = (T.NATIONAL_ID, T.RESIDENCE_PERMIT)


def _letter(page: Writer) -> None:
    """Values in sentences and in a few labelled lines."""
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.sheet.line(_LEFT, y, _WIDE, [page.date()], rtl=not page.rtl)
    y = page.title("letter", _LEFT, y, _WIDE)
    y = page.text(_LEFT, y, _WIDE, [page.word("greeting")])
    first, second = page.sentences(2)
    identity = page.draw.choice(_IDENTITY)
    parts: list[Part] = [page.word("whom"), page.value(T.PERSON), page.word("bearer"), page.label(identity)]
    y = page.text(_LEFT, y, _WIDE, [*parts, page.value(identity), first])
    for type_ in page.draw.sample([T.PHONE_NUMBER, T.EMAIL_ADDRESS, T.IBAN, T.DATE_TIME, T.PASSPORT], 4):
        y = page.labelled(_LEFT + 40, y, _WIDE - 80, type_)
    y = page.fill(_LEFT, page.text(_LEFT, y + 20, _WIDE, [second]), _WIDE)
    y = page.text(_LEFT, y, _WIDE, [page.word("regards")])
    page.labelled(_LEFT, y, _WIDE, T.PERSON)
    page.sheet.signature(_LEFT + (60 if page.rtl else _WIDE - 260), y + 150)
    page.foot(_LEFT, _WIDE)


def _form(page: Writer) -> None:
    """Labels and values in boxes, in one column or two languages."""
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.title("form", _LEFT, y, _WIDE)
    types = [T.PERSON, page.draw.choice(_IDENTITY), T.DATE_TIME, T.PHONE_NUMBER]
    types += page.draw.sample([T.EMAIL_ADDRESS, T.IBAN, T.PASSPORT, T.CREDIT_CARD], 2)
    both, high = page.language == "both", 84
    label = 400
    for type_ in types:
        page.sheet.box(_LEFT, y, _WIDE, high)
        at = _LEFT + _WIDE - label if page.rtl else _LEFT
        page.sheet.box(at, y, label, high, fill=232)
        page.sheet.line(at + 15, y + 14, label - 30, [page.label(type_)], size=28, rtl=page.rtl)
        inner = _LEFT if page.rtl else _LEFT + label
        wide = _WIDE - label
        if both:
            page.sheet.box(_LEFT, y, label, high, fill=232)
            page.sheet.line(_LEFT + 15, y + 14, label - 30, [page.label(type_, "en")], size=26, rtl=False)
            inner, wide = inner + label, wide - label
        value = page.value(type_)
        size = 30 if page.sheet.fits(wide - 30, [value]) else 20
        page.sheet.line(inner + 15, y + 14, wide - 30, [value], size=size, rtl=page.rtl)
        y += high
    y = page.fill(_LEFT, y + 40, _WIDE, size=27)
    page.labelled(_LEFT, y, _WIDE, T.PERSON)
    y = page.sheet.line(_LEFT, y, _WIDE, [f"{page.word('sign')}:"], rtl=not page.rtl)
    page.sheet.signature(_LEFT + (60 if page.rtl else _WIDE - 260), y + 50)
    page.foot(_LEFT, _WIDE)


def _people(page: Writer, *, ruled: bool) -> None:
    """A table of people with a column of identities and one of telephones."""
    count = page.draw.randint(5, 12)
    status = [page.word("done"), page.word("open")]
    identity = page.draw.choice(_IDENTITY)
    head: list[list[Part]] = [[page.word("no")], [page.label(T.PERSON)], [page.label(identity)]]
    rows: list[list[list[Part]]] = [[*head, [page.label(T.PHONE_NUMBER)], [page.word("status")]]]
    for number in range(1, count + 1):
        texts: list[list[Part]] = [[page.values.number(str(number))]]
        texts += [[page.value(type_)] for type_ in (T.PERSON, identity, T.PHONE_NUMBER)]
        rows.append([*texts, [page.draw.choice(status)]])
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.title("ruled" if ruled else "unruled", _LEFT, y, _WIDE)
    y = page.text(_LEFT, y, _WIDE, page.sentences(2), size=27)
    y = page.table(_LEFT, y + 10, [84, 430, 300, 290, 250], rows, size=24, ruled=ruled)
    page.fill(_LEFT, y + 10, _WIDE, size=27)
    page.foot(_LEFT, _WIDE)


def _ruled(page: Writer) -> None:
    """A ruled table of people."""
    _people(page, ruled=True)


def _unruled(page: Writer) -> None:
    """The same without rules, in columns of blank paper."""
    _people(page, ruled=False)


def _goods(page: Writer, x: float, y: float, widths: list[float], *, size: float, ruled: bool) -> float:
    """A table of goods: nothing in it is personal."""
    rows: list[list[list[Part]]] = [[[page.word(key)] for key in ("item", "count", "price", "sum")]]
    total = 0
    for item in page.draw.sample(GOODS[page.main], page.draw.randint(4, 7)):
        count, price = page.draw.randint(1, 20), page.draw.randint(5, 400)
        total += count * price
        row: list[list[Part]] = [[item]]
        row += [[page.values.number(number)] for number in (str(count), f"{price}.00", f"{count * price}.00")]
        rows.append(row)
    rows.append([[page.word("sum")], [""], [""], [page.values.number(f"{total}.00")]])
    return page.table(x, y, widths, rows, size=size, ruled=ruled)


def _receipt(page: Writer) -> None:
    """A narrow strip in the middle of the page."""
    x, wide, size = 430, 794, 26
    y = page.title("receipt", x, _TOP + 60, wide)
    page.sheet.rule(x, y, x + wide, y)
    for type_ in (T.TAX_ID, T.BUSINESS_ID, T.PERSON, T.PHONE_NUMBER):
        y = page.labelled(x, y + 6, wide, type_, size=size)
    y = page.sheet.line(x, y + 6, wide, [page.date()], size=size, rtl=page.rtl)
    y = _goods(page, x, y + 20, [334, 120, 170, 170], size=22, ruled=False)
    page.sheet.rule(x, y, x + wide, y)
    for type_ in (T.CREDIT_CARD, T.PERSON):
        y = page.labelled(x, y + 6, wide, type_, size=size)
    y = page.fill(x, y + 20, wide, size=23)
    page.sheet.line(x, y, wide, [page.word("thanks")], size=size, rtl=page.rtl, centred=True)


def _invoice(page: Writer) -> None:
    """Seller and buyer beside each other, a ruled table of goods, a bank account."""
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.title("invoice", _LEFT, y, _WIDE)
    half = _WIDE / 2 - 20
    top = y
    for type_ in (T.PERSON, T.NATIONAL_ID, T.PHONE_NUMBER):
        y = page.labelled(_LEFT + (half + 40 if page.rtl else 0), y, half, type_, size=26)
    for type_ in (T.TAX_ID, T.BUSINESS_ID):
        top = page.labelled(_LEFT + (0 if page.rtl else half + 40), top, half, type_, size=26)
    page.sheet.line(_LEFT + (0 if page.rtl else half + 40), top, half, [page.date()], size=26, rtl=page.rtl)
    y = _goods(page, _LEFT, y + 30, [554, 200, 300, 300], size=26, ruled=True)
    y = page.labelled(_LEFT, y + 10, _WIDE, T.IBAN, size=28)
    y = page.labelled(_LEFT, y, _WIDE, T.EMAIL_ADDRESS, size=28)
    y = page.fill(_LEFT, y + 20, _WIDE, size=26)
    page.labelled(_LEFT, y, _WIDE, T.PERSON, size=28)
    page.foot(_LEFT, _WIDE)


def _medical(page: Writer) -> None:
    """The data of a patient in two columns, then findings as running text."""
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.title("medical", _LEFT, y, _WIDE)
    half, lowest = _WIDE / 2 - 20, y
    columns = ((T.PERSON, T.MRN, T.DATE_TIME), (page.draw.choice(_IDENTITY), T.PHONE_NUMBER, T.EMAIL_ADDRESS))
    for number, types in enumerate(columns):
        x, at = _LEFT + (half + 40 if (number == 0) == page.rtl else 0), y
        for type_ in types:
            at = page.labelled(x, at, half, type_, size=27)
        lowest = max(lowest, at)
    page.sheet.rule(_LEFT, lowest + 5, _LEFT + _WIDE, lowest + 5)
    y = lowest + 25
    for sentence in page.sentences(4, FINDINGS):
        y = page.text(_LEFT, y, _WIDE, [sentence])
    y = page.fill(_LEFT, y, _WIDE)
    y = page.labelled(_LEFT, y, _WIDE, T.PERSON)
    page.sheet.emblem(_LEFT + (150 if page.rtl else _WIDE - 150), y + 90, 80)
    page.foot(_LEFT, _WIDE)


def _cards(page: Writer) -> None:
    """Copies of two identity cards, with small print on a grey ground."""
    y = page.title("cards", _LEFT, _TOP, _WIDE)
    y = page.text(_LEFT, y, _WIDE, page.sentences(2), size=27) + 30
    wide, high, x = 760, 470, _LEFT + 297
    for identity in _IDENTITY:
        page.sheet.box(x, y, wide, high, fill=page.draw.randint(215, 245))
        heads = (("المملكة العربية السعودية", True), ("Kingdom of Saudi Arabia", False))
        for text, rtl in heads:
            page.sheet.line(x + 25, y + 15, wide - 50, [Named(text)], size=24, rtl=rtl, bold=True)
        photo = x + 30 if page.rtl else x + wide - 200
        page.sheet.box(photo, y + 110, 170, 220, fill=190)
        inner = x + 220 if page.rtl else x + 30
        at = y + 95.0
        for type_ in (T.PERSON, identity, T.DATE_TIME, T.PHONE_NUMBER)[: 4 if identity is T.NATIONAL_ID else 3]:
            at = page.labelled(inner, at, wide - 250, type_, size=23)
            at += 12
        y += high + 60
    page.fill(_LEFT, y, _WIDE, size=27)
    page.foot(_LEFT, _WIDE)


def _notice(page: Writer) -> None:
    """Two columns of running text with values inside the sentences."""
    y = page.head(_LEFT, _TOP, _WIDE)
    y = page.title("notice", _LEFT, y, _WIDE)
    half = _WIDE / 2 - 30
    columns = ((T.PERSON, T.NATIONAL_ID, T.PHONE_NUMBER), (T.PERSON, T.RESIDENCE_PERMIT, T.DATE_TIME))
    for number, types in enumerate(columns):
        x, at = _LEFT + (half + 60 if (number == 0) == page.rtl else 0), y
        sentences = page.sentences(4)
        for type_, sentence in zip(types, sentences, strict=False):
            at = page.text(x, at, half, [f"{page.label(type_)}:", page.value(type_)], size=27)
            at = page.text(x, at, half, [sentence], size=27)
        page.fill(x, page.text(x, at, half, sentences[3:], size=27), half, size=27)
    page.foot(_LEFT, _WIDE)


LAYOUTS: dict[SetName, dict[str, Layout]] = {
    "tune": {"letter": _letter, "form": _form, "ruled": _ruled, "receipt": _receipt},
    "test": {"medical": _medical, "invoice": _invoice, "cards": _cards, "unruled": _unruled, "notice": _notice},
}
