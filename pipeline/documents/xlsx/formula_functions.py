"""The functions of formulas that make texts and numbers of constants; each takes the values of its arguments in order.

Source: ECMA-376 part 1, 18.17.7.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import reduce

from pipeline.documents.ooxml.number_format import date_serial, digits, format_number, number

Value = Decimal | str
Values = Sequence[Value]
_LONGEST = 4_000  # characters of a text that a formula gives
_LARGEST = 60  # digits of a number


class NotComputable(Exception):
    """The value of a formula cannot be evaluated."""


def as_text(value: Value) -> str:
    """A value as a text."""
    text = value if isinstance(value, str) else digits(round(value, 15) if value.as_tuple().exponent else value)
    if len(text) > _LONGEST:
        raise NotComputable
    return text


def as_number(value: Value) -> Decimal:
    """A value as a number; NotComputable when a text is no number."""
    found = value if isinstance(value, Decimal) else number(value)
    if found is None or abs(found.adjusted()) > _LARGEST:
        raise NotComputable
    return found


def _whole(value: Value) -> int:
    return int(as_number(value))


def _count(value: Value) -> int:
    found = _whole(value)
    if not 0 <= found <= _LONGEST:
        raise NotComputable
    return found


def _character(values: Values) -> str:
    code = _whole(_one(values))
    if not 0 < code < 0xD800:
        raise NotComputable
    return bytes([code]).decode("cp1252", "replace") if 128 <= code < 256 else chr(code)


def _unicode(values: Values) -> str:
    code = _whole(_one(values))
    if not (0 < code < 0xD800 or 0xE000 <= code < 0x110000):
        raise NotComputable
    return chr(code)


def _one(values: Values) -> Value:
    if len(values) != 1:
        raise NotComputable
    return values[0]


def _at_least(values: Values, least: int) -> Values:
    if len(values) < least:
        raise NotComputable
    return values


def _joined(values: Values) -> str:
    return as_text("".join(map(as_text, values)))


def _textjoin(values: Values) -> str:
    mark, skips, *rest = _at_least(values, 3)
    texts = [as_text(value) for value in rest]
    return as_text(mark).join(text for text in texts if text or as_text(skips) == "0")


def _power(values: Values) -> Value:
    base, exponent = (as_number(value) for value in _at_least(values, 2)[:2])
    if abs(exponent) > _LARGEST or abs(base.adjusted() * exponent) > _LARGEST:
        raise NotComputable
    return base**exponent


def _mid(values: Values) -> str:
    text, start, count = _at_least(values, 3)[:3]
    first = _count(start) - 1
    if first < 0:
        raise NotComputable
    return as_text(text)[first : first + _count(count)]


def _left(values: Values) -> str:
    return as_text(_at_least(values, 1)[0])[: _count(values[1]) if len(values) > 1 else 1]


def _right(values: Values) -> str:
    text, count = as_text(_at_least(values, 1)[0]), _count(values[1]) if len(values) > 1 else 1
    return text[len(text) - min(count, len(text)) :]


def _replace(values: Values) -> str:
    text, start, count, new = _at_least(values, 4)[:4]
    first = _count(start) - 1
    return as_text(text)[: max(first, 0)] + as_text(new) + as_text(text)[max(first, 0) + _count(count) :]


def _substitute(values: Values) -> str:
    text, old, new = (as_text(value) for value in _at_least(values, 3)[:3])
    if len(values) > 3 or not old:
        raise NotComputable
    return as_text(text.replace(old, new))


def _repeat(values: Values) -> str:
    text, count = _at_least(values, 2)[:2]
    if len(as_text(text)) * _count(count) > _LONGEST:
        raise NotComputable
    return as_text(text) * _count(count)


def _formatted(values: Values) -> str:
    value, code = _at_least(values, 2)[:2]
    found = value if isinstance(value, Decimal) else number(value)
    return format_number(found, as_text(code), is_1904=False) if found is not None else as_text(value)


def _rounded(values: Values) -> Decimal:
    places = _whole(values[1]) if len(values) > 1 else 0
    if abs(places) > _LARGEST:
        raise NotComputable
    return as_number(_at_least(values, 1)[0]).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _date(values: Values) -> Decimal:
    year, month, day = (_whole(value) for value in _at_least(values, 3)[:3])
    serial = date_serial(year + (1900 if year < 1900 else 0), month, day)
    if serial is None:
        raise NotComputable
    return Decimal(serial)


def _in_base(base: int) -> Callable[[Values], Decimal]:
    return lambda values: Decimal(int(as_text(_one(values))[:_LARGEST], base))


def _decimal(values: Values) -> Decimal:
    text, base = _at_least(values, 2)[:2]
    return Decimal(int(as_text(text)[:_LARGEST], _whole(base)))


FUNCTIONS: Mapping[str, Callable[[Values], Value]] = {
    "ABS": lambda values: abs(as_number(_one(values))),
    "BIN2DEC": _in_base(2),
    "CHAR": _character,
    "CONCAT": _joined,
    "CONCATENATE": _joined,
    "DATE": _date,
    "DECIMAL": _decimal,
    "HEX2DEC": _in_base(16),
    "HYPERLINK": lambda values: values[-1] if values else "",
    "INT": lambda values: as_number(_one(values)).to_integral_value(ROUND_FLOOR),
    "LEFT": _left,
    "LOWER": lambda values: as_text(_one(values)).lower(),
    "MID": _mid,
    "N": lambda values: as_number(_one(values)),
    "OCT2DEC": _in_base(8),
    "POWER": _power,
    "PRODUCT": lambda values: reduce(lambda one, other: one * other, map(as_number, _at_least(values, 1))),
    "PROPER": lambda values: as_text(_one(values)).title(),
    "REPLACE": _replace,
    "REPT": _repeat,
    "RIGHT": _right,
    "ROUND": _rounded,
    "SUBSTITUTE": _substitute,
    "SUM": lambda values: sum((as_number(value) for value in values if value != ""), Decimal(0)),
    "T": lambda values: as_text(_one(values)),
    "TEXT": _formatted,
    "TEXTJOIN": _textjoin,
    "TRIM": lambda values: " ".join(as_text(_one(values)).split(" ")).strip(),
    "TRUNC": lambda values: Decimal(int(as_number(_one(values)))),
    "UNICHAR": _unicode,
    "UPPER": lambda values: as_text(_one(values)).upper(),
    "VALUE": lambda values: as_number(_one(values)),
}  # fmt: skip
