"""Whole numbers of a tool's data that may be somebody's: those of as many digits as identifiers have."""

import re
from decimal import Decimal
from typing import Final

LEAST_DIGITS: Final = 8
# Of JSON that is a text like any other, where short numbers have their labels too.
LEAST_DIGITS_IN_TEXT: Final = 5
_MOST_DIGITS = 64  # no identifier has as many
_INTEGER = re.compile(r"-?([0-9]+)(?:\.0+)?")
_SCALED = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*[0-9]{1,2}")


def whole_number(literal: str, least: int = LEAST_DIGITS) -> str | None:
    """The digits of a JSON number that is whole and long enough to be looked at, however it is spelled; else None."""
    if len(literal) < least and "e" not in literal and "E" not in literal:
        return None
    match = _INTEGER.fullmatch(literal)
    if match is not None:
        digits = match[1]
    elif len(literal) <= _MOST_DIGITS and _SCALED.fullmatch(literal):
        digits, _, fraction = f"{Decimal(literal).copy_abs():f}".partition(".")
        if fraction.strip("0"):
            return None
    else:
        return None
    return digits if least <= len(digits) <= _MOST_DIGITS else None
