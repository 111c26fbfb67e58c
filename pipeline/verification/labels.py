"""Recognizes the labels of a table: column headings of one or two rows, and field names inside rows."""

import re
from collections.abc import Collection, Mapping

LONGEST_LABEL = 60
_MOST_DIGITS = 2
_FIELD_NAME = re.compile(
    r"\b(?:name|surname|phone|mobile|tel|e-?mail|address|city|country|id|iqama|passport|birth|dob|nationality|date|number"
    r"|no|iban|account|bank|mrn|gender|age|job|position|department|salary|employer|company|policy|plate|card|licen[cs]e)\b"
    r"|اسم|هاتف|جوال|بريد|عنوان|مدينة|هوية|إقامة|جواز|ميلاد|جنسية|تاريخ|رقم|آيبان|حساب|ملف|الجنس|العمر|وظيفة|قسم|راتب|شركة"
    r"|رخصة|بطاقة|وثيقة",
    re.IGNORECASE,
)


def is_label(text: str) -> bool:
    """Whether a cell's text may be the label of the cells next to it or below it."""
    has_form = (
        0 < len(text) <= LONGEST_LABEL and any(map(str.isalpha, text)) and sum(map(str.isdigit, text)) <= _MOST_DIGITS
    )
    return has_form and "@" not in text


def is_field(text: str) -> bool:
    """Whether a text names a personal attribute, for example a passport, a telephone or an account."""
    return bool(_FIELD_NAME.search(text[:LONGEST_LABEL]))


def has_second_row(first_row: Collection[int], second_row: Mapping[int, str]) -> bool:
    """Whether a heading has two rows: `first_row` (columns with a label) names groups, `second_row` columns."""
    texts = second_row.values()
    return bool(set(second_row) - set(first_row)) and all(map(is_label, texts)) and any(map(is_field, texts))


def combined_headings(upper: Mapping[int, str], lower: Mapping[int, str]) -> dict[int, str]:
    """Both heading rows as one label per column; an upper label also covers the unlabelled columns on its right."""
    combined: dict[int, str] = {}
    above = ""
    for column in sorted(set(upper) | set(lower)):
        above = upper.get(column, above)
        combined[column] = "\n".join(dict.fromkeys(label for label in (above, lower.get(column, "")) if label))
    return combined
