"""Formats stored numbers of a spreadsheet as it shows them (ECMA-376 part 1, 18.8.30 and 18.8.31).

Covers what people would read as a date, a time or an identifier; colours, alignment and fractions are left out.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

# Built-in date and time formats (18.8.30); 27 to 36 and 50 to 58 are dates of East Asian locales.
_BUILT_IN = {
    14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "m/d/yy h:mm", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0",
    **dict.fromkeys((*range(27, 32), *range(50, 55), 57, 58), "yyyy/m/d"),
}  # fmt: skip
_QUOTED = re.compile(r'"([^"]*)"|\\(.)|[_*].|\[([^\]]*)\]')
_CURRENCY = re.compile(r"\[\$([^\]\-\"]*)(?:-[0-9A-Fa-f]+)?\]")
_CLOCK = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<skipped>[_*].)|\[(?P<elapsed>[hms]+)\]|\[[^\]]*\]'
    r"|(?P<year>y+|e+)|(?P<month>m+)|(?P<day>d+)|(?P<hour>h+)|(?P<second>s+)|(?P<half>AM/PM|A/P)|(?P<other>.)",
    re.IGNORECASE,
)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MAX_SERIAL = 2_958_466  # serial of 10000-01-01
_MIN_CODE_ZEROS = 9  # zeros from which on a format with a decimal point may show a code
_MAX_LENGTH = 400  # characters of a stored number or a format code; longer ones are ignored


class NumberFormat(NamedTuple):
    """One number format code."""

    code: str

    @classmethod
    def of(cls, number: int, code: str | None) -> "NumberFormat":
        """The number format with this id: `code` of the workbook, else the built-in one."""
        return cls((code if code is not None else _BUILT_IN.get(number, "General"))[:_MAX_LENGTH])

    def shown(self, stored: str, is_1904: bool) -> tuple[str, ...]:
        """The number as the format shows it, and a partly shown date in full as well; empty for a plain number."""
        if len(stored) > _MAX_LENGTH:
            return ()
        try:
            value = Decimal(stored.strip())
        except InvalidOperation:
            return (stored,)
        if not value.is_finite():
            return (stored,)
        if _is_date_format(self.code):
            return _as_date(self.code, value, is_1904)
        return _as_number(self.code, value)


def plain(stored: str) -> str:
    """A stored number without an exponent and trailing zero decimals: 1058374925 for `1.058374925E9`."""
    try:
        value = Decimal(stored.strip()) if len(stored) < _MAX_LENGTH else None
    except InvalidOperation:
        return stored
    if value is None or not value.is_finite() or abs(value.adjusted()) > 40:
        return stored
    return f"{value.to_integral_value() if value == value.to_integral_value() else value:f}"


@lru_cache(maxsize=1000)
def _is_date_format(code: str) -> bool:
    letters = _QUOTED.sub("", _CLOCK.sub("h", code)).casefold()
    return ("general" not in letters and any(letter in letters for letter in "ydhs")) or _is_month(letters)


def _is_month(letters: str) -> bool:
    return "m" in letters and not any(mark in letters for mark in "0#?")


def _as_date(code: str, value: Decimal, is_1904: bool) -> tuple[str, ...]:
    serial = value + (1462 if is_1904 else 0)
    if not 0 <= serial < _MAX_SERIAL:
        return ()
    days = int(serial)
    # Serial 60 is 29 February 1900, which did not exist: the epoch of earlier dates is one day later.
    start = datetime(1899, 12, 31) if days < 60 else datetime(1899, 12, 30)  # noqa: DTZ001 - dates of a sheet have no time zone
    moment = start + timedelta(seconds=round(float(serial) * 86_400))
    shown = _date_text(code.partition(";")[0], moment, serial)
    date_letters = set(_QUOTED.sub("", code).casefold())
    return (
        (shown,) if date_letters >= set("ymd") or not date_letters & set("yd") else (shown, moment.date().isoformat())
    )


def _date_text(code: str, moment: datetime, serial: Decimal) -> str:
    pieces: list[str] = []
    tokens = list(_TOKEN.finditer(code))
    for number, token in enumerate(tokens):
        kind, text = token.lastgroup, token[0]
        if kind in ("quoted", "escaped"):
            pieces.append(token[kind])
        elif kind == "elapsed":
            pieces.append(str(int(serial * {"h": 24, "m": 1440, "s": 86_400}[text[1].casefold()])))
        elif kind == "month" and _is_minute(tokens, number):
            pieces.append(f"{moment.minute:02d}")
        elif kind == "hour":
            has_half = any(other.lastgroup == "half" for other in tokens)
            pieces.append(f"{(moment.hour - 1) % 12 + 1 if has_half else moment.hour:0{min(len(text), 2)}d}")
        elif kind in _PARTS:
            pieces.append(_PARTS[kind](moment, len(text)))
        elif kind == "other":
            pieces.append(text)
    return "".join(pieces)


def _is_minute(tokens: list[re.Match[str]], number: int) -> bool:
    """Whether `m` means minutes: after hours or before seconds."""
    kinds = ("year", "month", "day", "hour", "second", "elapsed")
    before = next((t.lastgroup for t in reversed(tokens[:number]) if t.lastgroup in kinds), "")
    after = next((t.lastgroup for t in tokens[number + 1 :] if t.lastgroup in kinds), "")
    return before in ("hour", "elapsed") or after == "second"


def _month(moment: datetime, width: int) -> str:
    name = _MONTHS[moment.month - 1]
    return (f"{moment.month:0{width}d}", name[:3], name, name[:1])[0 if width < 3 else min(width, 5) - 2]


def _day(moment: datetime, width: int) -> str:
    name = _DAYS[moment.weekday()]
    return f"{moment.day:0{width}d}" if width < 3 else name[:3] if width == 3 else name


_PARTS: dict[str, Callable[[datetime, int], str]] = {
    "year": lambda moment, width: f"{moment.year % 100:02d}" if width < 3 else f"{moment.year:04d}",
    "month": _month,
    "day": _day,
    "second": lambda moment, width: f"{moment.second:0{min(width, 2)}d}",
    "half": lambda moment, width: "AM" if moment.hour < 12 else "PM",
}


def _as_number(code: str, value: Decimal) -> tuple[str, ...]:
    """A number in a format of digit placeholders and literals: `0000000000`, `000-00-0000`, `"SA"00`."""
    pattern = _CURRENCY.sub(lambda match: f'"{match[1]}"', code).partition(";")[0]
    tokens = [token for token in _TOKEN.finditer(pattern) if token.lastgroup in ("quoted", "escaped", "other")]
    placeholders = [number for number, token in enumerate(tokens) if _is_placeholder(token)]
    if (
        not placeholders
        or "general" in pattern.casefold()
        or "%" in pattern
        or "E+" in pattern
        or abs(value.adjusted()) > 40
    ):
        return ()
    point_index = next((n for n, token in enumerate(tokens) if token[0] == "." and n > placeholders[0]), len(tokens))
    whole = [number for number in placeholders if number < point_index]
    decimals = [number for number in placeholders if number > point_index]
    digits, _, decimals_text = f"{round(abs(value), len(decimals)):f}".partition(".")
    if any(token[0] == "," for token in tokens[whole[0] : point_index]) if whole else False:
        digits = f"{int(digits):,}"
    filled = dict(zip(decimals, decimals_text, strict=False))
    for number in reversed(whole):
        digit_text = digits if number == whole[0] else digits[-1:]
        digits = digits[: len(digits) - len(digit_text)]
        filled[number] = digit_text or ("0" if tokens[number][0] == "0" else "")
    shown = "".join(_piece(token, filled.get(number)) for number, token in enumerate(tokens))
    is_code = len(decimals) < len(placeholders) and pattern.count("0") >= _MIN_CODE_ZEROS and bool(decimals)
    return (("-" if value < 0 else "") + shown.strip(), *((re.sub(r"\D", "", shown),) if is_code else ()))


def _is_placeholder(token: re.Match[str]) -> bool:
    return token.lastgroup == "other" and token[0] in "0#?"


def _piece(token: re.Match[str], digits: str | None) -> str:
    if _is_placeholder(token):
        return digits or ""
    if token.lastgroup == "other":
        return "" if token[0] == "," else token[0]
    return token[token.lastgroup or 0]
