"""Decides whether a cell is a label: the heading of a column, or the field name before the values of a form's row."""

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
    """Whether a cell's text reads as a label: short, mostly letters, with few digits."""
    label = text.strip().strip(":：").strip()
    if not label or len(label) > LONGEST_LABEL or "@" in label or label.startswith("="):
        return False
    return any(c.isalpha() for c in label) and sum(c.isdigit() for c in label) <= _MOST_DIGITS


def names_field(text: str) -> bool:
    """Whether a cell's text is the name of a field of personal data: `Passport No`, `رقم الجوال`."""
    return len(text) <= LONGEST_LABEL and _FIELD.search(text) is not None


def combined_headings(groups: Mapping[int, str], labels: Mapping[int, str]) -> dict[int, str]:
    """The labels of two heading rows by column. A label above also counts for the open columns to its right."""
    labelled: dict[int, str] = {}
    group = ""
    for column in sorted({*groups, *labels}):
        group = groups.get(column, group)
        labelled[column] = "\n".join(dict.fromkeys(filter(None, (group, labels.get(column, "")))))
    return labelled


def has_second_heading_row(groups: Collection[int], below: Mapping[int, str]) -> bool:
    """Whether the row `below` is a second heading row: all labels, one of them a field name, also in columns left open
    above.

    `groups` are the columns in which a label of the upper row begins.
    """
    return (
        not below.keys() <= set(groups)
        and all(map(is_heading, below.values()))
        and any(map(names_field, below.values()))
    )


def over_and_before(over: str, field: str, left: str) -> str:
    """The context of a cell: the headings of its column, the last field name in its row, and the label of its
    neighbour.

    `field` counts only if the headings name no field: a row with several values has one label before the first.
    """
    labels = (over, "" if names_field(over) else field, left)
    return "\n".join(dict.fromkeys(label for label in labels if label))
