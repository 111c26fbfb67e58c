"""What a spreadsheet shows of a moment: serial numbers of both date systems, written as a date format asks.

Source: ECMA-376 part 1, 18.17.4 (dates and times) and 18.8.31 (format codes).
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

_LAST_SERIAL = 2_958_466  # the day after 31 December 9999
_FIRST_1904 = datetime(1904, 1, 1)  # noqa: DTZ001 - spreadsheets know no time zones
_FIRST_1900 = datetime(1899, 12, 31)  # noqa: DTZ001
_LEAP_1900 = 60  # the 29 February 1900 that never was: later serials count one day too many
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class DateToken(NamedTuple):
    """A run of one letter of y m d h s (lower case), `ampm`, an elapsed `[h]`, a fraction `.0`, or a literal."""

    kind: str
    text: str


def moment(serial: float, *, is_1904: bool) -> datetime | None:
    """The moment that a serial number means; None when it means none."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if not is_1904 and serial >= _LEAP_1900:
        serial -= 1
    seconds = round(serial * 86_400, 3)
    return (_FIRST_1904 if is_1904 else _FIRST_1900) + timedelta(seconds=seconds)


def serial_of(year: int, month: int, day: int) -> int | None:
    """The serial number of a date in the system of 1900; months and days may run over. None where there is none."""
    if not (1900 <= year <= 9999 and abs(month) < 1_200 and abs(day) < 40_000):
        return None
    months = year * 12 + month - 1
    try:
        days = (datetime(months // 12, months % 12 + 1, 1) - _FIRST_1900).days + day - 1  # noqa: DTZ001
    except ValueError:
        return None
    return days + (days >= _LEAP_1900)


def written(serial: float, tokens: Sequence[DateToken], *, is_1904: bool) -> str | None:
    """A serial number as a date format shows it, months in English; None when it cannot be shown."""
    when = moment(serial, is_1904=is_1904)
    if when is None:
        return None
    half_days = any(token.kind == "ampm" for token in tokens)
    shown = [_shown(token, number, tokens, when, serial, half_days) for number, token in enumerate(tokens)]
    return "".join(shown).strip()


def in_full(serial: float, *, is_1904: bool) -> str | None:
    """The date as ISO 8601 writes it, with the clock where there is one; a clock alone below one day."""
    when = moment(serial, is_1904=is_1904)
    if when is None:
        return None
    clock = f"{when:%H:%M:%S}" if serial % 1 else ""
    if serial < 1:
        return clock or None
    return f"{when:%Y-%m-%d} {clock}".strip()


def says_all(tokens: Sequence[DateToken]) -> bool:
    """Whether a format shows day, month and year apart, so that a reader knows its date for one."""
    kinds = {token.kind for number, token in enumerate(tokens) if not _is_minute(token, number, tokens)}
    between = "".join(token.text for token in tokens if token.kind == "literal")
    return {"y", "m", "d"} <= kinds and re.search(r"[-/. ,]", between) is not None


def _shown(
    token: DateToken, number: int, tokens: Sequence[DateToken], when: datetime, serial: float, half_days: bool
) -> str:
    kind, width = token.kind, len(token.text)
    match kind:
        case "y":
            return f"{when.year % 100:02d}" if width <= 2 else f"{when.year:04d}"
        case "m" if _is_minute(token, number, tokens):
            return f"{when.minute:0{min(width, 2)}d}"
        case "m":
            return _named(_MONTHS[when.month - 1], width) if width > 2 else f"{when.month:0{width}d}"
        case "d":
            return _named(_DAYS[when.weekday()], width) if width > 2 else f"{when.day:0{width}d}"
        case "h":
            return f"{(when.hour - 1) % 12 + 1 if half_days else when.hour:0{min(width, 2)}d}"
        case "s":
            return f"{when.second:0{min(width, 2)}d}"
        case "ampm":
            return "AM" if when.hour < 12 else "PM"
        case "elapsed":
            unit = {"h": 24, "m": 24 * 60, "s": 24 * 3600}[token.text[1].lower()]
            return str(int(serial * unit))
        case "fraction":
            return f".{when.microsecond:06d}"[: width + 1]
        case _:
            return token.text


def _named(name: str, width: int) -> str:
    return name[0] if width == 5 else name[:3] if width == 3 else name


def _is_minute(token: DateToken, number: int, tokens: Sequence[DateToken]) -> bool:
    """An m is minutes behind hours and before seconds."""
    if token.kind != "m" or len(token.text) > 2:
        return False
    before = next((t.kind for t in reversed(tokens[:number]) if t.kind not in ("literal", "ampm")), "")
    after = next((t.kind for t in tokens[number + 1 :] if t.kind not in ("literal", "ampm")), "")
    is_hour = before == "h" or any(t.kind == "elapsed" and t.text[1] in "hH" for t in tokens[:number])
    return is_hour or after == "s"
