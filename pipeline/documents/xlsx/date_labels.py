"""Finds cells that keep a date as a bare serial number (31920 for 23 May 1987), by the labels around them."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from pipeline.documents.ooxml.number_format import iso_date

_DATED = re.compile(r"dates?|d.?o.?b|birth|born|تاريخ|ميلاد|مواليد", re.IGNORECASE)
_SERIAL = re.compile(r"\d{4,5}")
_FIRST_DAY, _LAST_DAY = 7_000, 73_050  # 1919 to 2099; a smaller number may be a year
_NUMBER = re.compile(r"[-+(]?\d[\d.,٬٫ ]*%?\)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_UNSAID = re.compile("[\u0640\u064b-\u065f\u0670\u200b-\u200f\u2066-\u2069]").match  # lengthening, vowels, directions
_BETWEEN = re.compile(r"[^\w\n/|()،\u2013\u2014]+|_+")  # between the words of a label
_PARTS = re.compile(r"[\n/|()،\u2013\u2014]")  # between the parts of a label: two languages, or a remark
_BIRTH = re.compile(
    r"(?:\w+ ){0,3}(?:birth ?dates?|dates? of birth|d ?o ?b|birthdays?|born(?: on)?)"
    r"|(?:ال)?تاريخ (?:ال)?(?:ميلاد|ولاد[ةه])(?: \w+){0,3}|(?:ال)?ميلاد|مواليد"
)
_DATE = re.compile(r"(?:\w+ ){0,3}date|dates? of(?: \w+){1,3}|date \w+ed(?: on)?|(?:ال)?تاريخ(?: \w+){0,3}")
# A label with one of these words names an amount, a count or a code, even if it mentions a date.
_AMOUNT = re.compile(
    r"\b(?:amounts?|as|at|averages?|avg|balance|budget|by|codes?|costs?|counts?|days|expenses?|hours|income|no|number|per"
    r"|prices?|qty|quantity|rates?|revenues?|rows?|sales|since|spen[dt]|sums?|till|to|totals?|units?|until|up|versus|vs"
    r"|volume|weights?|ytd)\b"
    r"|حتى|[إا]جمالي|مجموع|معدل|عدد|رقم|مبلغ|مبالغ|قيمة|تكلفة|سعر|مبيعات|مكان|وزن"
)

Place = tuple[int, int]  # row and column


def date_of_number(shown: str, context: str, *, is_1904: bool) -> str:
    """The date in ISO 8601 of a serial number under a label of dates; "" for any other text or label."""
    if not _is_serial(shown) or not _DATED.search(context):
        return ""
    return iso_date(int(shown), is_1904=is_1904) or ""


def date_cells(shown: Mapping[Place, str], contexts: Mapping[Place, str]) -> set[Place]:
    """The cells whose numbers may mean dates, by their labels and by the other numbers under the same label."""
    columns: dict[tuple[int, str], list[Place]] = {}
    for place in shown:
        context = contexts.get(place, "")
        if _DATED.search(context):
            columns.setdefault((place[1], context), []).append(place)
    found: set[Place] = set()
    for (_, context), places in columns.items():
        if is_date_label(context, [shown[place].strip() for place in places]):
            found.update(places)
    return found


def is_date_label(context: str, column: Sequence[str]) -> bool:
    """Whether labels name a date and nothing else: `Date of birth` does, `Paid to date` and `Birth rate` do not.

    `column`: the texts under the label. A label of dates other than of birth must have no other numbers under it.
    """
    text = "".join(c for c in unicodedata.normalize("NFKC", _CAMEL.sub(" ", context)) if not _UNSAID(c)).lower()
    text = _BETWEEN.sub(" ", text)
    labels = [part.strip().rstrip("0123456789 ") for part in (text.replace("\n", " "), *_PARTS.split(text))]
    if any(_BIRTH.fullmatch(label) and not _AMOUNT.search(label) for label in labels):
        return True
    if _AMOUNT.search(text) or not any(map(_DATE.fullmatch, labels)):
        return False
    return all(_is_serial(shown) for shown in column if _NUMBER.fullmatch(shown))


def _is_serial(text: str) -> bool:
    return _SERIAL.fullmatch(text) is not None and _FIRST_DAY <= int(text) <= _LAST_DAY
