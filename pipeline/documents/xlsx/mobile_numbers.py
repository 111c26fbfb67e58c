"""Finds cells with a Saudi mobile number that lost its leading zero because it is stored as a number: 551234567."""

import re
from collections.abc import Collection, Iterator, Mapping

Place = tuple[int, int]  # row and column

MOBILE = "Mobile"  # the label that such a cell gets
_SHORT = re.compile(r"5[03-9]\d{7}")  # the mobile prefixes of the Saudi numbering plan, without the 0
_WHOLE = re.compile(r"(?:(?:\+|00)?966[ -]?0?|0)5\d(?:[ -]?\d){7}")
_NUMBER = re.compile(r"[-+(]?\d[\d.,٬٫ ]*%?\)?")
_LEAST_COLUMN = 2  # different numbers that make a column of mobiles
_EASTERN = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789")
_PHONE = re.compile(
    r"phone|mobile|whats ?app|msisdn|\b(?:contacts?|gsm|cell|tel|ph)\b"
    r"|جوال|موبايل|محمول|نقال|هاتف|هواتف|تلفون|واتس|تواصل|اتصال",
    re.IGNORECASE,
)
# A label with one of these words names an amount, a count or a code.
_OTHER = re.compile(
    r"\b(?:amounts?|accounts?|assets?|average|avg|balance|barcode|budget|capital|codes?|costs?|counts?|credit|debit"
    r"|expenses?|fees?|hits?|income|invoices?|loss|orders?|paid|payments?|population|prices?|profits?|qty|quantity|rates?"
    r"|references?|revenues?|sal(?:ary|aries|es)|serials?|sku|stocks?|sums?|totals?|turnover|units?|values?|views?"
    r"|volumes?|weights?|SAR|SR|USD|EUR)\b"
    r"|[إا]جمالي|مجموع|معدل|عدد|مبلغ|مبالغ|قيمة|تكلفة|سعر|أسعار|مبيعات|راتب|رواتب"
    r"|رصيد|إيراد|ايراد|مصروف|ربح|أرباح|رأس المال"
    r"|وزن|كمية|حساب|فاتورة|طلب|مرجع|تسلسل|كود|رمز|سكان|ريال|ر\.س",
    re.IGNORECASE,
)


def mobiles(shown: Mapping[Place, str], contexts: Mapping[Place, str]) -> Iterator[Place]:
    """The cells whose nine digits are a mobile number.

    Those under a label of phones, and those under any label but one of amounts:

    - where the same column, up to the next blank row, has a complete mobile number too;
    - where that part of the column has only such numbers, at least two different ones;
    - where such a number is alone and has no label.
    """
    for column in _columns(shown):
        texts = {place: shown[place].strip().translate(_EASTERN) for place in column}
        short = {place for place, text in texts.items() if _SHORT.fullmatch(text)}
        together = bool(short) and _are_mobiles(short, texts, contexts)
        for place in short:
            label = contexts.get(place, "")
            if _PHONE.search(label) or (together and not _OTHER.search(label)):
                yield place


def _are_mobiles(short: Collection[Place], texts: Mapping[Place, str], contexts: Mapping[Place, str]) -> bool:
    if any(_WHOLE.fullmatch(text) for text in texts.values()):
        return True
    if any(_NUMBER.fullmatch(text) for place, text in texts.items() if place not in short):
        return False
    return len({texts[place] for place in short}) >= _LEAST_COLUMN or not any(map(contexts.get, short))


def _columns(shown: Mapping[Place, str]) -> Iterator[list[Place]]:
    """The cells with text of each column, divided at blank rows."""
    blocks: dict[int, int] = {}
    rows = sorted({row for (row, _), text in shown.items() if text.strip()})
    for before, row in zip([None, *rows], rows, strict=False):
        blocks[row] = blocks[before] if before is not None and row == before + 1 else row
    columns: dict[Place, list[Place]] = {}
    for (row, column), text in shown.items():
        if text.strip():
            columns.setdefault((blocks[row], column), []).append((row, column))
    yield from columns.values()
