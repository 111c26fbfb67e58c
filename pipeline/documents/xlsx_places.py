"""Where, outside of cells, a workbook keeps formulas and addresses: data, not text."""

import re

# Elements whose text is a formula, in sheets, tables, names, charts and sparklines.
FORMULAS = frozenset({"formula", "formula1", "formula2", "f", "definedName", "calculatedColumnFormula",
                      "totalsRowFormula", "fmla"})  # fmt: skip
# Attributes that are a formula or a reference to cells, by element.
FORMULA_ATTRIBUTES = frozenset({("hyperlink", "location"), ("cfvo", "val"), ("sp", "textlink"), ("cacheField",
                                 "formula"),
                                ("calculatedItem", "formula")})  # fmt: skip
SITE_ATTRIBUTES = ("location", "val", "textlink", "formula", "Target")
_ADDRESS = re.compile(r"\$?[A-Z]{0,3}\$?[0-9]{0,7}(?:[: ]\$?[A-Z]{0,3}\$?[0-9]{0,7})*")
_COLOUR = re.compile(r"[0-9A-F]{8}")


def is_address(text: str) -> bool:
    """Whether a text only names cells (`A1:B2 D4`) or is a colour."""
    return (any(c.isalpha() for c in text) and _ADDRESS.fullmatch(text) is not None) or bool(_COLOUR.fullmatch(text))
