"""How a spreadsheet shows a stored number: the parts of ECMA-376 number formats that make numbers read as something.

18.8.30 and 18.8.31. Only what people would read as a date, a time or an identifier matters here; colours, alignment and
fractions do not.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

# Built-in formats that are no plain numbers (18.8.30); 27 to 36 and 50 to 58 are dates of East Asian locales.
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
_LATEST = 2_958_466  # serial of 10000-01-01
_LEAST_OF_CODE = 9  # zeros of a format that shows a code, whatever its point
_LONGEST = 400  # characters of a stored number or a format; longer ones are nobody's


class NumberFormat(NamedTuple):
    """One format code."""

    code: str

    @classmethod
    def of(cls, number: int, code: str | None) -> "NumberFormat":
        """The format with this id: the workbook's own, or a built-in one."""
        return cls((code if code is not None else _BUILT_IN.get(number, "General"))[:_LONGEST])

    def shown(self, stored: str, is_1904: bool) -> tuple[str, ...]:
        """How the number reads: as the format shows it; a date in full too where it shows a part; else nothing."""
        if len(stored) > _LONGEST:
            return ()
        try:
            value = Decimal(stored.strip())
        except InvalidOperation:
            return (stored,)
        if not value.is_finite():
            return (stored,)
        if _is_moment(self.code):
            return _moment(self.code, value, is_1904)
        return _masked(self.code, value)


def plain(stored: str) -> str:
    """A stored number without exponent and empty decimals: `1.058374925E9` is 1058374925."""
    try:
        value = Decimal(stored.strip()) if len(stored) < _LONGEST else None
    except InvalidOperation:
        return stored
    if value is None or not value.is_finite() or abs(value.adjusted()) > 40:
        return stored
    return f"{value.to_integral_value() if value == value.to_integral_value() else value:f}"


@lru_cache(maxsize=1000)
def _is_moment(code: str) -> bool:
    letters = _QUOTED.sub("", _CLOCK.sub("h", code)).casefold()
    return ("general" not in letters and any(letter in letters for letter in "ydhs")) or _is_month(letters)


def _is_month(letters: str) -> bool:
    return "m" in letters and not any(mark in letters for mark in "0#?")


def _moment(code: str, value: Decimal, is_1904: bool) -> tuple[str, ...]:
    serial = value + (1462 if is_1904 else 0)
    if not 0 <= serial < _LATEST:
        return ()
    days = int(serial)
    # Serial 60 is a 29 February 1900 that never was: days before it are counted from one day later.
    start = datetime(1899, 12, 31) if days < 60 else datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet knows no zone
    when = start + timedelta(seconds=round(float(serial) * 86_400))
    shown = _written(code.partition(";")[0], when, serial)
    said = set(_QUOTED.sub("", code).casefold())
    return (shown,) if said >= set("ymd") or not said & set("yd") else (shown, when.date().isoformat())


def _written(code: str, when: datetime, serial: Decimal) -> str:
    pieces: list[str] = []
    tokens = list(_TOKEN.finditer(code))
    for number, token in enumerate(tokens):
        kind, text = token.lastgroup, token[0]
        if kind in ("quoted", "escaped"):
            pieces.append(token[kind])
        elif kind == "elapsed":
            pieces.append(str(int(serial * {"h": 24, "m": 1440, "s": 86_400}[text[1].casefold()])))
        elif kind == "month" and _is_minute(tokens, number):
            pieces.append(f"{when.minute:02d}")
        elif kind == "hour":
            has_half = any(other.lastgroup == "half" for other in tokens)
            pieces.append(f"{(when.hour - 1) % 12 + 1 if has_half else when.hour:0{min(len(text), 2)}d}")
        elif kind in _PARTS:
            pieces.append(_PARTS[kind](when, len(text)))
        elif kind == "other":
            pieces.append(text)
    return "".join(pieces)


def _is_minute(tokens: list[re.Match[str]], number: int) -> bool:
    """`m` means minutes behind hours and before seconds."""
    kinds = ("year", "month", "day", "hour", "second", "elapsed")
    before = next((t.lastgroup for t in reversed(tokens[:number]) if t.lastgroup in kinds), "")
    after = next((t.lastgroup for t in tokens[number + 1 :] if t.lastgroup in kinds), "")
    return before in ("hour", "elapsed") or after == "second"


def _month(when: datetime, width: int) -> str:
    name = _MONTHS[when.month - 1]
    return (f"{when.month:0{width}d}", name[:3], name, name[:1])[0 if width < 3 else min(width, 5) - 2]


def _day(when: datetime, width: int) -> str:
    name = _DAYS[when.weekday()]
    return f"{when.day:0{width}d}" if width < 3 else name[:3] if width == 3 else name


_PARTS: dict[str, Callable[[datetime, int], str]] = {
    "year": lambda when, width: f"{when.year % 100:02d}" if width < 3 else f"{when.year:04d}",
    "month": _month,
    "day": _day,
    "second": lambda when, width: f"{when.second:0{min(width, 2)}d}",
    "half": lambda when, width: "AM" if when.hour < 12 else "PM",
}


def _masked(code: str, value: Decimal) -> tuple[str, ...]:
    """A number through a mask of digits and literals: `0000000000`, `000-00-0000`, `"SA"00`, `[$SAR] #,##0.00`."""
    mask = _CURRENCY.sub(lambda match: f'"{match[1]}"', code).partition(";")[0]
    tokens = [token for token in _TOKEN.finditer(mask) if token.lastgroup in ("quoted", "escaped", "other")]
    places = [number for number, token in enumerate(tokens) if _is_place(token)]
    if not places or "general" in mask.casefold() or "%" in mask or "E+" in mask or abs(value.adjusted()) > 40:
        return ()
    point = next((n for n, token in enumerate(tokens) if token[0] == "." and n > places[0]), len(tokens))
    whole = [number for number in places if number < point]
    decimals = [number for number in places if number > point]
    digits, _, behind = f"{round(abs(value), len(decimals)):f}".partition(".")
    if any(token[0] == "," for token in tokens[whole[0] : point]) if whole else False:
        digits = f"{int(digits):,}"
    filled = dict(zip(decimals, behind, strict=False))
    for number in reversed(whole):
        taken = digits if number == whole[0] else digits[-1:]
        digits = digits[: len(digits) - len(taken)]
        filled[number] = taken or ("0" if tokens[number][0] == "0" else "")
    shown = "".join(_piece(token, filled.get(number)) for number, token in enumerate(tokens))
    is_code = len(decimals) < len(places) and mask.count("0") >= _LEAST_OF_CODE and bool(decimals)
    return (("-" if value < 0 else "") + shown.strip(), *((re.sub(r"\D", "", shown),) if is_code else ()))


def _is_place(token: re.Match[str]) -> bool:
    return token.lastgroup == "other" and token[0] in "0#?"


def _piece(token: re.Match[str], digits: str | None) -> str:
    if _is_place(token):
        return digits or ""
    if token.lastgroup == "other":
        return "" if token[0] == "," else token[0]
    return token[token.lastgroup or 0]
