"""Number formats of spreadsheets: parses a format code, applies it to a number or date, and finds its literal texts.

Source: ECMA-376 part 1, 18.8.30 (number formats), 18.8.31 (format codes) and 18.17.4 (dates and times).
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

_LAST_SERIAL = 2_958_466  # the day after 31 December 9999
_FIRST_1904 = datetime(1904, 1, 1)  # noqa: DTZ001 - spreadsheets know no time zones
_FIRST_1900 = datetime(1899, 12, 31)  # noqa: DTZ001
_LEAP_1900 = 60  # the serial of 29 February 1900, which did not exist: later serials are one too high
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class DateToken(NamedTuple):
    """A token of a date format. `kind`: a letter of `y m d h s`, `ampm`, `elapsed` (`[h]`), `fraction`, `literal`."""

    kind: str
    text: str


def to_datetime(serial: float, *, is_1904: bool) -> datetime | None:
    """The date and time of a serial number; None when it is outside the years 1900 to 9999."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if not is_1904 and serial >= _LEAP_1900:
        serial -= 1
    seconds = round(serial * 86_400, 3)
    return (_FIRST_1904 if is_1904 else _FIRST_1900) + timedelta(seconds=seconds)


def date_serial(year: int, month: int, day: int) -> int | None:
    """The serial number of a date in the 1900 date system; None for a date outside it.

    A month or day beyond its range counts on: month 13 is January of the next year.
    """
    if not (1900 <= year <= 9999 and abs(month) < 1_200 and abs(day) < 40_000):
        return None
    months = year * 12 + month - 1
    try:
        days = (datetime(months // 12, months % 12 + 1, 1) - _FIRST_1900).days + day - 1  # noqa: DTZ001
    except ValueError:
        return None
    return days + (days >= _LEAP_1900)


def format_date(serial: float, tokens: Sequence[DateToken], *, is_1904: bool) -> str | None:
    """A serial number in a date format, with English names of months; None when it is no valid date."""
    when = to_datetime(serial, is_1904=is_1904)
    if when is None:
        return None
    half_days = any(token.kind == "ampm" for token in tokens)
    parts = [_format_date_token(token, number, tokens, when, serial, half_days) for number, token in enumerate(tokens)]
    return "".join(parts).strip()


def iso_date(serial: float, *, is_1904: bool) -> str | None:
    """The date in ISO 8601, with the time if there is one; the time alone for serials below 1; None for no date."""
    when = to_datetime(serial, is_1904=is_1904)
    if when is None:
        return None
    clock = f"{when:%H:%M:%S}" if serial % 1 else ""
    if serial < 1:
        return clock or None
    return f"{when:%Y-%m-%d} {clock}".strip()


def shows_full_date(tokens: Sequence[DateToken]) -> bool:
    """Whether a format shows day, month and year with separators between them."""
    kinds = {token.kind for number, token in enumerate(tokens) if not _is_minute(token, number, tokens)}
    between = "".join(token.text for token in tokens if token.kind == "literal")
    return {"y", "m", "d"} <= kinds and re.search(r"[-/. ,]", between) is not None


def _format_date_token(
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
    """Whether an `m` means minutes: after hours or before seconds."""
    if token.kind != "m" or len(token.text) > 2:
        return False
    before = next((t.kind for t in reversed(tokens[:number]) if t.kind not in ("literal", "ampm")), "")
    after = next((t.kind for t in tokens[number + 1 :] if t.kind not in ("literal", "ampm")), "")
    is_hour = before == "h" or any(t.kind == "elapsed" and t.text[1] in "hH" for t in tokens[:number])
    return is_hour or after == "s"


GENERAL = "General"
# The built-in formats, which files name by id alone (18.8.30); 27 to 36 and 50 to 58 are East Asian dates.
BUILT_IN: dict[int, str] = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0', 6: '"$"#,##0', 7: '"$"#,##0.00',
    8: '"$"#,##0.00', 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "mm-dd-yy", 15: "d-mmm-yy",
    16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
    37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0",
    42: '"$"#,##0', 43: "#,##0.00", 44: '"$"#,##0.00', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
    49: "@", **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
}  # fmt: skip
_TOKEN = re.compile(
    r"""(?P<quoted>"[^"]*"?)            # literal text
      | (?P<escaped>\\.)                # one literal character
      | (?P<blank>_.) | (?P<fill>\*.)   # the width of a character; a character that fills the cell
      | (?P<elapsed>\[(?:h+|m+|s+)\])
      | (?P<bracket>\[[^\]]*\]?)        # colour, condition, currency and language
      | (?P<general>General)
      | (?P<ampm>AM/PM|A/P)
      | (?P<exponent>E[+-])
      | (?P<date>y+|m+|d+|h+|s+|e+|b+[12]?)
      | (?P<digits>[0#?]+)
      | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<text>@)
      | (?P<other>.)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_CURRENCY = re.compile(r"\[\$([^\]-]*)")
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?\s*")
_LONGEST = 40  # digits of a number that is written without an exponent
_LONGEST_DURATION = 10_000  # days; a longer one is a date that is shown as hours
_LEAST_MASK = 9  # zeros of a format that shows an identifier
_LONGEST_CODE = 255  # characters of a format code (Excel's own bound)


class Token(NamedTuple):
    """A token of a format code; `kind` is the name of its group in the pattern."""

    kind: str
    text: str


class Section(NamedTuple):
    """A section of a format code: its tokens, its condition on the value, and its date tokens (empty for no date)."""

    tokens: tuple[Token, ...]
    condition: tuple[str, Decimal] | None
    dates: tuple[DateToken, ...]


def number(text: str) -> Decimal | None:
    """The number that a text is; None when it is no number."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def digits(value: Decimal) -> str:
    """A number without exponent and trailing zeros."""
    if not value:
        return "0"
    if abs(value.adjusted()) > _LONGEST:
        return str(value)
    plain = format(value, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def is_date(code: str) -> bool:
    """Whether a format shows dates or times."""
    return any(section.dates for section in _sections(code))


def is_mask(code: str) -> bool:
    """Whether a format with a decimal point has so many zeros that it shows an identifier, not a quantity."""
    return any(
        sum(token.text.count("0") for token in section.tokens if token.kind == "digits") >= _LEAST_MASK
        and any(token.kind == "point" for token in section.tokens)
        for section in _sections(code)
    )


def format_number(value: Decimal, code: str, *, is_1904: bool) -> str:
    """A number as its cell shows it; a date in ISO 8601 where the format shows only a part of it."""
    sections = _sections(code)
    section, magnitude = _matching_section(sections, value)
    if section is None:
        return digits(value)
    if section.dates:
        serial = float(value)
        full = iso_date(serial, is_1904=is_1904)
        lasts = serial < _LONGEST_DURATION and any(token.kind == "elapsed" for token in section.dates)
        text = format_date(serial, section.dates, is_1904=is_1904) if lasts or shows_full_date(section.dates) else None
        return text or full or digits(value)
    if any(token.kind == "exponent" for token in section.tokens) or _is_fraction(section):
        return digits(value)
    return _fill_placeholders(section.tokens, magnitude).strip()


def literals(code: str) -> list[tuple[int, int, str]]:
    """The literal texts of a format code, as (start, end, text); adjacent ones are merged."""
    found: list[tuple[int, int, str]] = []
    for match in _TOKEN.finditer(code):
        text = _literal(match)
        if text is None or text == ";":
            continue
        if found and found[-1][1] == match.start():
            start, _, before = found.pop()
            found.append((start, match.end(), before + text))
        else:
            found.append((match.start(), match.end(), text))
    return found


def quoted(text: str) -> str:
    """A literal text in the quotes of a format code."""
    return '"' + text.replace('"', "") + '"'


def _literal(match: re.Match[str]) -> str | None:
    text = match[0]
    match match.lastgroup:
        case "quoted":
            return text.strip('"')
        case "escaped":
            return text[1:]
        case "other":
            return text
        case "bracket":
            currency = _CURRENCY.match(text)
            return currency[1] if currency and currency[1] else None
        case _:
            return None


@lru_cache(maxsize=1024)
def _sections(code: str) -> tuple[Section, ...]:
    parts: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code[:_LONGEST_CODE]):
        token = Token(str(match.lastgroup), match[0])
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(_section(tokens) for tokens in parts)


def _section(tokens: Sequence[Token]) -> Section:
    condition = None
    for token in tokens:
        found = _CONDITION.fullmatch(token.text) if token.kind == "bracket" else None
        if found:
            condition = (found[1], Decimal(found[2]))
    return Section(tuple(tokens), condition, _dates(tokens))


def _dates(tokens: Sequence[Token]) -> tuple[DateToken, ...]:
    """The date tokens of a section; empty when it shows no date."""
    if not any(token.kind in ("date", "elapsed") for token in tokens):
        return ()
    result: list[DateToken] = []
    for number_, token in enumerate(tokens):
        match token.kind:
            case "date" if token.text[0] not in "bB":  # b1 and b2 choose a calendar
                letter = token.text[0].lower()
                result.append(DateToken("y" if letter == "e" else letter, token.text))
            case "elapsed" | "ampm":
                result.append(DateToken(token.kind, token.text))
            case "digits" if number_ and tokens[number_ - 1].kind == "point":
                result.append(DateToken("fraction", token.text))
            case "quoted":
                result.append(DateToken("literal", token.text.strip('"')))
            case "escaped":
                result.append(DateToken("literal", token.text[1:]))
            case "other" | "comma":
                result.append(DateToken("literal", token.text))
            case "point" if number_ + 1 == len(tokens) or tokens[number_ + 1].kind != "digits":
                result.append(DateToken("literal", "."))
            case _:
                continue
    return tuple(result)


def _matching_section(sections: Sequence[Section], value: Decimal) -> tuple[Section | None, Decimal]:
    """The section that applies to a value, and the value without its sign where the section writes the sign itself."""
    if any(section.condition for section in sections):
        for section in sections:
            if section.condition is None or _holds(section.condition, value):
                return section, abs(value) if value < 0 and len(sections) > 1 else value
        return None, value
    if value < 0 and len(sections) > 1:
        return sections[1], abs(value)
    if value == 0 and len(sections) > 2:
        return sections[2], value
    return (sections[0] if sections else None), value


def _holds(condition: tuple[str, Decimal], value: Decimal) -> bool:
    sign, bound = condition
    return {"<": value < bound, ">": value > bound, "=": value == bound, "<=": value <= bound, ">=": value >= bound,
            "<>": value != bound}[sign]  # fmt: skip


def _is_fraction(section: Section) -> bool:
    kinds = [token.text if token.kind == "other" else token.kind for token in section.tokens]
    return any(kinds[n : n + 2] == ["digits", "/"] for n in range(len(kinds)))


def _fill_placeholders(tokens: Sequence[Token], value: Decimal) -> str:
    """The tokens with the value's digits in place of zeros, hashes and question marks."""
    places = [n for n, token in enumerate(tokens) if token.kind == "digits"]
    if not places:
        return "".join(_literal_text(token, value) for token in tokens)
    point = next((n for n, token in enumerate(tokens) if token.kind == "point" and n > places[0]), len(tokens))
    whole = [n for n in places if n < point]
    decimals = sum(len(tokens[n].text) for n in places if n > point)
    groups = any(t.kind == "comma" and whole and whole[0] < n < whole[-1] for n, t in enumerate(tokens[:point]))
    scale = sum(t.kind == "comma" and n > places[-1] for n, t in enumerate(tokens))
    scaled = abs(value) * 100 ** sum(token.kind == "percent" for token in tokens) / Decimal(1000) ** scale
    if abs(scaled.adjusted()) > _LONGEST:
        return digits(value)
    before, _, after = format(scaled.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f").partition(".")
    filled = _integer_digits(tokens, whole, before, groups=groups)
    rest = after
    for n in (n for n in places if n > point):
        width = len(tokens[n].text)
        filled[n], rest = _decimal_digits(rest[:width], tokens[n].text), rest[width:]
    body = "".join(filled.get(n, _literal_text(token, value)) for n, token in enumerate(tokens))
    return "-" + body if value < 0 else body


def _integer_digits(tokens: Sequence[Token], places: Sequence[int], before: str, *, groups: bool) -> dict[int, str]:
    """The digits left of the point by token, filled from the right; the first token takes the remaining digits."""
    least = sum(tokens[n].text.count("0") for n in places)
    before = before.lstrip("0").rjust(least, "0")
    if groups:
        head = len(before) % 3
        joined = ",".join(filter(None, (before[:head], *(before[n : n + 3] for n in range(head, len(before), 3)))))
        return {n: joined if n == places[0] else "" for n in places}
    filled: dict[int, str] = {}
    for n in reversed(places):
        width = len(tokens[n].text) if n != places[0] else len(before)
        filled[n] = before[max(0, len(before) - width) :] if width else ""
        before = before[: len(before) - len(filled[n])]
    return filled


def _decimal_digits(text: str, places: str) -> str:
    """The digits right of the point without the trailing zeros that `#` and `?` leave out."""
    needed = len(places.rstrip("#?"))
    return text[:needed] + text[needed:].rstrip("0")


def _literal_text(token: Token, value: Decimal) -> str:
    match token.kind:
        case "quoted":
            return token.text.strip('"')
        case "escaped":
            return token.text[1:]
        case "other" | "percent" | "point":
            return token.text
        case "general":
            return digits(value)
        case "blank":
            return " "
        case "bracket":
            currency = _CURRENCY.match(token.text)
            return currency[1] if currency else ""
        case _:
            return ""
