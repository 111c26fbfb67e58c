"""Numbers of a sheet whose meaning their column tells: serial days below a date label, mobile numbers without zero."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from pipeline.verification.ooxml.sheet import Cell, blocks
from pipeline.verification.reading import Passage

# Labels of birth dates and of other dates, with spaces in place of all that is not a letter.
_BIRTH_LABEL = re.compile(
    r"([^ ]+ ){0,3}(birth ?dates?|dates? of birth|dob|d o b|birthdays?|born( on)?)"
    r"|(ال)?تاريخ (ال)?(ميلاد|ولادة|ولاده)( [^ ]+){0,3}|(ال)?ميلاد|مواليد"
)
_DATE_LABEL = re.compile(r"([^ ]+ ){0,3}date|dates? of( [^ ]+){1,3}|date [a-z]+ed( on)?|(ال)?تاريخ( [^ ]+){0,3}")
_NUMBER_TEXT = re.compile(r"[-+(]?[0-9][0-9., ]*[%)]{0,2}")
_NO_DATE_LABEL = re.compile(
    r"\b(amounts?|as|at|averages?|avg|balance|budget|by|codes?|costs?|counts?|days|expenses?|hours|income|no|number|per"
    r"|prices?|qty|quantity|rates?|revenues?|rows?|sales|since|spen[dt]|sums?|till|to|totals?|units?|until|up|versus|vs"
    r"|volume|weights?|ytd)\b|حتى|جمالي|مجموع|معدل|عدد|رقم|مبلغ|مبالغ|قيمة|تكلفة|سعر|مبيعات|مكان|وزن"
)
_MAY_BE_DATE_LABEL = re.compile(r"date|d.?o.?b|birth|born|تاريخ|ميلاد|ولاد|مواليد", re.IGNORECASE)
_MOBILE_PREFIXES = frozenset({50, 53, 54, 55, 56, 57, 58, 59})
_WHOLE_MOBILE = re.compile(r"(?:0|(?:00|\+)?966[ -]?0?)5(?:[ -]?\d){8}")
_OTHER_NUMBER = re.compile(r"\W?\d[\d\s.,٬٫]*%?\)?")
_PHONE_LABEL = re.compile(
    r"\b(?:tel|ph|cell|gsm|contacts?)\b|mobile|phone|msisdn|whats ?app"
    r"|هاتف|هواتف|جوال|محمول|نقال|موبايل|تلفون|اتصال|تواصل|واتس",
    re.IGNORECASE,
)
# Labels of money, quantities or codes.
_AMOUNT_LABEL = re.compile(
    r"\b(?:amounts?|sums?|totals?|balance|budget|capital|assets?|prices?|costs?|fees?|rates?|expenses?|payments?|paid"
    r"|revenues?|turnover|sales|salary|salaries|income|profits?|loss|credit|debit|accounts?|qty|quantity|counts?|units?"
    r"|stocks?|volumes?|weights?|population|views?|hits?|values?|average|avg|codes?|sku|barcode|serials?|orders?"
    r"|invoices?|references?|SAR|SR|USD|EUR)\b"
    r"|مبلغ|مبالغ|مجموع|[إا]جمالي|رصيد|رأس المال|سعر|أسعار|تكلفة|قيمة|معدل|مصروف|[إا]يراد|مبيعات|راتب|رواتب|ربح|أرباح"
    r"|حساب|كمية|عدد|وزن|سكان|ريال|ر\.س|كود|رمز|تسلسل|طلب|فاتورة|مرجع",
    re.IGNORECASE,
)


def serial_days(passages: Iterable[Passage], *, is_1904: bool) -> Iterator[Passage]:
    """The dates of unformatted serial days below the label of a date."""
    candidates = [passage for passage in passages if _MAY_BE_DATE_LABEL.search(passage.context)]
    columns: dict[str, list[str]] = {}
    for passage in candidates:
        columns.setdefault(passage.context, []).append(passage.text.strip())
    date_labels = {labels for labels, texts in columns.items() if is_date_label(labels, texts)}
    first = date(1904, 1, 1) if is_1904 else date(1899, 12, 30)
    for labels, text in (
        (passage.context, passage.text.strip()) for passage in candidates if passage.context in date_labels
    ):
        if is_day(text):
            yield Passage((first + timedelta(int(text))).isoformat(), labels)


def is_date_label(labels: str, cells: Iterable[str]) -> bool:
    """Whether labels, one per line, name a date, so that integers below them are serial days.

    A label of a birth date always does. Another date label does if `cells`, the texts below it, have no number that is
    not a day. A label of an amount, count or code does not.
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", labels).lower()
    lines = [" ".join(re.findall(r"[^\W\d_]+", line)) for line in (spaced, *re.split(r"[\n/|()]", spaced))]
    if any(_BIRTH_LABEL.fullmatch(line) and not _NO_DATE_LABEL.search(line) for line in lines):
        return True
    if _NO_DATE_LABEL.search(lines[0]) or not any(map(_DATE_LABEL.fullmatch, lines)):
        return False
    return all(is_day(text) for text in cells if _NUMBER_TEXT.fullmatch(text))


def is_day(text: str) -> bool:
    """Whether a text is a serial day of the years 1919 to 2099."""
    return len(text) in (4, 5) and text.isdecimal() and 7_000 <= int(text) <= 73_050


def short_mobiles(found: Iterable[Cell], passages: Iterable[Passage]) -> Iterator[Passage]:
    """Mobile numbers without their leading zero, recognized by their column; `passages` is the result of `table`."""
    columns: dict[tuple[int, int], list[Passage]] = {}
    remaining = iter(passages)
    for number, block in enumerate(blocks(list(found))):
        for cell in block:
            own = [next(remaining) for _ in cell.texts]
            columns.setdefault((number, cell.column), []).append(own[0])
    for column in columns.values():
        short = [item for item in column if _is_short_mobile(item.text)]
        others = [item for item in column if not _is_short_mobile(item.text)]
        has_full_number = any(_WHOLE_MOBILE.fullmatch(item.text) for item in others)
        is_likely_column = not any(_OTHER_NUMBER.fullmatch(item.text) for item in others) and (
            len({item.text for item in short}) > 1 or not any(item.context for item in short)
        )
        for item in short:
            if _PHONE_LABEL.search(item.context) or (
                (has_full_number or is_likely_column) and not _AMOUNT_LABEL.search(item.context)
            ):
                yield Passage(item.text, "Phone")


def _is_short_mobile(text: str) -> bool:
    return len(text) == 9 and text.isdecimal() and int(text) // 10**7 in _MOBILE_PREFIXES
