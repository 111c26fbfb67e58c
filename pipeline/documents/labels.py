"""Decides whether a cell labels others: a column's heading, or the word before the values of a form's row."""

import re
from collections.abc import Collection, Mapping

LONGEST_LABEL = 60  # characters
_MOST_DIGITS = 2  # `Line 2`, `رقم الجوال 1`
_FIELD = re.compile(
    r"\b(?:name|surname|phone|mobile|tel|e-?mail|address|city|country|id|iqama|passport|birth|dob|nationality|date|number"
    r"|no|iban|account|bank|mrn|gender|age|job|position|department|salary|employer|company|policy|plate|card|licen[cs]e)\b"
    r"|اسم|هاتف|جوال|بريد|عنوان|مدينة|هوية|إقامة|جواز|ميلاد|جنسية|تاريخ|رقم|آيبان|حساب|ملف|الجنس|العمر|وظيفة|قسم|راتب|شركة"
    r"|رخصة|بطاقة|وثيقة",
    re.IGNORECASE,
)


def is_heading(text: str) -> bool:
    """Whether a cell's text reads as a label: short, mostly letters, no value of its own."""
    label = text.strip().strip(":：").strip()
    if not label or len(label) > LONGEST_LABEL or "@" in label or label.startswith("="):
        return False
    return any(c.isalpha() for c in label) and sum(c.isdigit() for c in label) <= _MOST_DIGITS


def names_field(text: str) -> bool:
    """Whether a cell's text is the name of a field of personal data: `Passport No`, `رقم الجوال`."""
    return len(text) <= LONGEST_LABEL and _FIELD.search(text) is not None


def under(groups: Mapping[int, str], labels: Mapping[int, str]) -> dict[int, str]:
    """The labels of two rows by column: one of the upper row stands over the open columns to its right as well."""
    told: dict[int, str] = {}
    group = ""
    for column in sorted({*groups, *labels}):
        group = groups.get(column, group)
        told[column] = "\n".join(dict.fromkeys(filter(None, (group, labels.get(column, "")))))
    return told


def goes_on(groups: Collection[int], below: Mapping[int, str]) -> bool:
    """Whether a row of headings goes on in the row `below` it, whose labels, one a field's, fill columns it left open.

    `groups` are the columns in which a label of the upper row begins.
    """
    return (
        not below.keys() <= set(groups)
        and all(map(is_heading, below.values()))
        and any(map(names_field, below.values()))
    )


def over_and_before(over: str, field: str, left: str) -> str:
    """The context of a cell: its column's headings, the last field that its row names before it, its neighbour's label.

    `field` counts where the headings name none: a row of several values has its label in front of the first.
    """
    labels = (over, "" if names_field(over) else field, left)
    return "\n".join(dict.fromkeys(label for label in labels if label))
