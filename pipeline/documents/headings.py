"""Decides whether a cell labels others: a column's heading, or the word before a value in a form."""

LONGEST_LABEL = 60  # characters
_MOST_DIGITS = 2  # `Line 2`, `رقم الجوال 1`


def is_heading(text: str) -> bool:
    """Whether a cell's text reads as a label: short, mostly letters, no value of its own."""
    label = text.strip().strip(":：").strip()
    if not label or len(label) > LONGEST_LABEL or "@" in label or label.startswith("="):
        return False
    return any(c.isalpha() for c in label) and sum(c.isdigit() for c in label) <= _MOST_DIGITS
