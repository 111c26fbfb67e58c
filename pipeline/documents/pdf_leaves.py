"""The simple values of a PDF that may stay: numbers, flags, the standard's own words, language tags."""

import re
from decimal import Context, Decimal
from typing import Any, Protocol

import pikepdf

from pipeline.documents.pdf_names import Names
from pipeline.documents.pdf_schema import WORDS

_LARGEST = 99_999_999
_DIGITS = 8  # of a number with a fraction
_SHORT = Context(prec=7)
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?")  # RFC 5646, the common part


class Walk(Protocol):
    """What rules for single values need of the walk over a document."""

    names: Names

    def kept(self, value: Any, kind: str) -> Any:
        """The dictionary or stream, which will be stripped as one of that kind; None when it is neither."""

    def tells(self, name: str) -> bool:
        """Whether a name holds a value that was found."""

    def face(self, name: str) -> str:
        """The name under which a typeface goes on."""


def is_array(value: Any) -> bool:
    """Whether it is an array."""
    return isinstance(value, pikepdf.Array)


def is_number(value: Any) -> bool:
    """Whether it is a number, whole or not."""
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def is_word(value: Any) -> bool:
    """Whether it is a name that the standard gives a meaning."""
    if not isinstance(value, pikepdf.Name):
        return False
    try:
        return str(value)[1:] in WORDS
    except UnicodeDecodeError:
        return False


def number(value: Any) -> Any:
    """A number no longer than measures are, or None: an identifier is longer."""
    if not is_number(value):
        return None
    if isinstance(value, int):
        return max(-_LARGEST, min(_LARGEST, value))
    if len(value.as_tuple().digits) > _DIGITS or abs(value) > _LARGEST:
        return _SHORT.create_decimal(max(-_LARGEST, min(_LARGEST, value)))
    return value


def numbers(value: Any, depth: int = 0) -> Any:
    """An array of numbers and arrays of numbers, up to the depth of a dash pattern or a table of widths."""
    if not is_array(value) or depth > 2:
        return None
    kept = [number(item) if is_number(item) else numbers(item, depth + 1) for item in value]
    return pikepdf.Array([item for item in kept if item is not None])


def flag(value: Any) -> Any:
    """True or false, or None."""
    return value if isinstance(value, bool) else None


def flags(value: Any) -> Any:
    """An array of true and false, or None."""
    return value if is_array(value) and all(isinstance(item, bool) for item in value) else None


def word(value: Any) -> Any:
    """A word of the standard, or None."""
    return value if is_word(value) else None


def words(value: Any) -> Any:
    """A word of the standard or an array of them, or None."""
    if is_array(value):
        return value if all(map(is_word, value)) else None
    return word(value)


def language(value: Any) -> Any:
    """A language tag of at most language, script and region, or None."""
    return value if isinstance(value, pikepdf.String) and _LANGUAGE.fullmatch(str(value)) else None
