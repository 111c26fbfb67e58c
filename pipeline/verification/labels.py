"""What labels a table's cells in a second reading: headings of one or two rows, and the fields that rows name."""

import re
from collections.abc import Collection, Mapping

LONGEST_LABEL = 60
_MOST_DIGITS = 2
_FIELD = re.compile(
    r"\b(?:name|surname|phone|mobile|tel|e-?mail|address|city|country|id|iqama|passport|birth|dob|nationality|date|number"
    r"|no|iban|account|bank|mrn|gender|age|job|position|department|salary|employer|company|policy|plate|card|licen[cs]e)\b"
    r"|اسم|هاتف|جوال|بريد|عنوان|مدينة|هوية|إقامة|جواز|ميلاد|جنسية|تاريخ|رقم|آيبان|حساب|ملف|الجنس|العمر|وظيفة|قسم|راتب|شركة"
    r"|رخصة|بطاقة|وثيقة",
    re.IGNORECASE,
)


def is_label(text: str) -> bool:
    """Whether a cell's text may name what stands beside or below it."""
    looks = (
        0 < len(text) <= LONGEST_LABEL and any(map(str.isalpha, text)) and sum(map(str.isdigit, text)) <= _MOST_DIGITS
    )
    return looks and "@" not in text


def is_field(text: str) -> bool:
    """Whether a text names something that people have: a passport, a telephone, an account."""
    return bool(_FIELD.search(text[:LONGEST_LABEL]))


def has_second_row(begun: Collection[int], following: Mapping[int, str]) -> bool:
    """Whether labels that begin in the columns `begun` only name groups, and the row that follows names the columns."""
    texts = following.values()
    return bool(set(following) - set(begun)) and all(map(is_label, texts)) and any(map(is_field, texts))


def stacked(upper: Mapping[int, str], lower: Mapping[int, str]) -> dict[int, str]:
    """Two rows of labels as one, the upper ones also over the columns on their right that have none."""
    told: dict[int, str] = {}
    above = ""
    for column in sorted(set(upper) | set(lower)):
        above = upper.get(column, above)
        told[column] = "\n".join(dict.fromkeys(label for label in (above, lower.get(column, "")) if label))
    return told
