"""Numbers that a spreadsheet damaged when it wrote a CSV file: a decimal fraction, or a power of ten."""

import re

# `1012345672.0`, `1.012345672E+09`, and with lost digits `1.01235E+09`.
_MANGLED_NUMBER = re.compile(r"\s*'?(?:(\d{7,20})[.,]0+|(\d)[.,](\d{1,19})[eE]\+?(\d\d?))\s*")
_LONGEST = 20  # digits
_SHORTEST_EXACT = 7  # digits of a power of ten that is taken to have all its digits
# Headings of numbers that identify somebody: under them a number without its last digits is still personal.
_IDENTIFYING = re.compile(
    r"\b(?:id|nid|iqama|national|passport|mobile|phone|tel|telephone|gsm|whatsapp|contact|card|account|iban|tax|vat|cr"
    r"|policy|license|mrn|file)\b|هوية|هويه|إقامة|اقامة|جواز|جوال|هاتف|موبايل|تلفون|بطاقة|حساب|آيبان|ايبان|سجل|ضريب|ملف",
    re.IGNORECASE,
)


def restored_number(text: str, label: str) -> str:
    """The digits of the whole number that a cell writes in another form; the text itself for all other cells.

    `label`: the heading of the cell.
    """
    if len(text) < _SHORTEST_EXACT or not text.strip(" \t'")[:1].isdigit():
        return text
    match = _MANGLED_NUMBER.fullmatch(text)
    if match is None or not text.isascii():
        return text
    if match[1]:
        return match[1]
    digits, places = match[2] + match[3], int(match[4])
    is_whole = len(digits.rstrip("0")) <= places + 1 <= _LONGEST
    is_exact = len(match[3]) >= _SHORTEST_EXACT - 1
    if is_whole and places >= _SHORTEST_EXACT - 1 and (is_exact or _IDENTIFYING.search(label)):
        return digits[: places + 1].ljust(places + 1, "0")
    return text
