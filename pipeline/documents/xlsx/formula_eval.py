"""What a formula says that nobody has calculated yet: sums of numbers, strings put together from letters' codes.

Programs calculate such a formula as soon as they open the workbook, and show what no cell keeps: `=CHAR(49)&CHAR(48)`.
Source: ECMA-376 part 1, 18.17 (formulas). Bounded: no loops, few steps, short texts.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import reduce

from pipeline.documents.ooxml.number_format import date_serial, digits, format_number, number
from pipeline.documents.xlsx.formulas import Kind, Token, tokens, unquoted

# The functions with which formulas make texts and numbers of constants; each takes its arguments' values in order.
#
# Source: ECMA-376 part 1, 18.17.7.

Value = Decimal | str
Values = Sequence[Value]
_LONGEST = 4_000  # characters of a text that a formula makes
_LARGEST = 60  # digits of a number


class Unknown(Exception):
    """What a formula gives cannot be said."""


def as_text(value: Value) -> str:
    """A value as a text."""
    text = value if isinstance(value, str) else digits(round(value, 15) if value.as_tuple().exponent else value)
    if len(text) > _LONGEST:
        raise Unknown
    return text


def as_number(value: Value) -> Decimal:
    """A value as a number; a text must spell one."""
    found = value if isinstance(value, Decimal) else number(value)
    if found is None or abs(found.adjusted()) > _LARGEST:
        raise Unknown
    return found


def _whole(value: Value) -> int:
    return int(as_number(value))


def _count(value: Value) -> int:
    found = _whole(value)
    if not 0 <= found <= _LONGEST:
        raise Unknown
    return found


def _character(values: Values) -> str:
    code = _whole(_one(values))
    if not 0 < code < 0xD800:
        raise Unknown
    return bytes([code]).decode("cp1252", "replace") if 128 <= code < 256 else chr(code)


def _unicode(values: Values) -> str:
    code = _whole(_one(values))
    if not (0 < code < 0xD800 or 0xE000 <= code < 0x110000):
        raise Unknown
    return chr(code)


def _one(values: Values) -> Value:
    if len(values) != 1:
        raise Unknown
    return values[0]


def _at_least(values: Values, least: int) -> Values:
    if len(values) < least:
        raise Unknown
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
        raise Unknown
    return base**exponent


def _mid(values: Values) -> str:
    text, start, count = _at_least(values, 3)[:3]
    first = _count(start) - 1
    if first < 0:
        raise Unknown
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
        raise Unknown
    return as_text(text.replace(old, new))


def _repeat(values: Values) -> str:
    text, count = _at_least(values, 2)[:2]
    if len(as_text(text)) * _count(count) > _LONGEST:
        raise Unknown
    return as_text(text) * _count(count)


def _formatted(values: Values) -> str:
    value, code = _at_least(values, 2)[:2]
    found = value if isinstance(value, Decimal) else number(value)
    return format_number(found, as_text(code), is_1904=False) if found is not None else as_text(value)


def _rounded(values: Values) -> Decimal:
    places = _whole(values[1]) if len(values) > 1 else 0
    if abs(places) > _LARGEST:
        raise Unknown
    return as_number(_at_least(values, 1)[0]).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _date(values: Values) -> Decimal:
    year, month, day = (_whole(value) for value in _at_least(values, 3)[:3])
    serial = date_serial(year + (1900 if year < 1900 else 0), month, day)
    if serial is None:
        raise Unknown
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

MOST_TOKENS = 2_000  # of one formula
_DEEPEST = 64  # brackets and calls inside each other
_PUTS_TOGETHER = re.compile(r"&|CONCAT|TEXTJOIN", re.IGNORECASE)
_STRING = re.compile(r'"[^"]*"')
_REFERS = re.compile(r"(?<![\w.])\$?[A-Za-z]{1,3}\$?\d{1,7}(?![\w.(])|[A-Za-z]:\$?[A-Za-z]|[!\[{]")
_CALLS = re.compile(r"[A-Za-z0-9.]\(|[-+*/^&]")
# Functions that make other text of their texts; a formula of enough constants that uses one may say anything. Those
# that choose among their texts do so only where something is put together: each text is read by itself.
_BUILDING = re.compile(
    r"\b(?:BASE|BIN2DEC|BIN2HEX|CHAR|CONCAT|CONCATENATE|DECIMAL|DEC2BIN|DEC2HEX|DOLLAR|FILTERXML|FIXED|HEX2BIN"
    r"|HEX2DEC|LAMBDA|LEFT|LET|MAP|MID|OCT2DEC|REDUCE|REPLACE|REPT|RIGHT|SUBSTITUTE|TEXT|TEXTAFTER|TEXTBEFORE"
    r"|TEXTJOIN|TEXTSPLIT|UNICHAR|VALUE)\(",
    re.IGNORECASE,
)
_CHOOSING = re.compile(r"\b(?:CHOOSE|INDEX)\(", re.IGNORECASE)
_OPERATOR = re.compile(r"[-+*/^&]")
# What makes other words of its texts; the rest joins them, which is read, or writes numbers.
_WORDING = re.compile(
    r"\b(?:CHAR|FILTERXML|LAMBDA|LEFT|LET|MAP|MID|REDUCE|REPLACE|REPT|RIGHT|SUBSTITUTE|TEXTAFTER|TEXTBEFORE|TEXTSPLIT"
    r"|UNICHAR|CHOOSE|INDEX)\(",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"\b(?:UNI)?CHAR\(", re.IGNORECASE)  # may say a blank or an @
_BASES = re.compile(r"\b(?:BASE|DECIMAL|(?:BIN|HEX|OCT|DEC)2(?:BIN|DEC|HEX|OCT))\(", re.IGNORECASE)
_REPEATS = re.compile(r"\b(?:REPT|REDUCE)\(|\^", re.IGNORECASE)  # make much of little
_FORMAT = re.compile(r"(?=.*[a-z0#?])(?:AM/PM|A/P|General|\[[^\]]{0,20}\]|[ymdhsgbe0#?.,:;/ \-+%@_*])*", re.IGNORECASE)
_LEAST_DIGITS = 8  # of a date, the shortest value that digits are
_LEAST_LETTERS = 6  # of a name of two words, or of an address
_LEAST_SIGNS = 5  # of a number in another base, or one that is repeated or raised
_VARIABLE = "_xlpm."  # begins the names that LET and LAMBDA give to values inside a formula
Look = Callable[[str], Sequence[Value] | None]  # the values of an area or a name; None when they are not known


def may_say(formula: str) -> bool:
    """Whether a formula may make up something that stands nowhere: it joins texts, or has only constants."""
    if _CALLS.search(formula) is None:
        return False
    return _PUTS_TOGETHER.search(formula) is not None or _REFERS.search(_STRING.sub('""', formula)) is None


def computed(formula: str, look: Look) -> Value | None:
    """What the formula gives; None when that takes more than is known here."""
    found = tokens(formula)
    if len(found) > MOST_TOKENS:
        return None
    parser = _Parser([token for token in found if not token.text.isspace()], look)
    try:
        with localcontext(prec=40):
            value = parser.whole()
    except (Unknown, InvalidOperation, ArithmeticError, ValueError):
        return None
    return value


def is_opaque(formula: str) -> bool:
    """Whether a formula of constants makes a text of them in a way that cannot be followed here."""
    if not _BUILDING.search(formula) and not (_CHOOSING.search(formula) and _OPERATOR.search(formula)):
        return False
    found = [token for token in tokens(formula) if not token.text.startswith(_VARIABLE)]
    looks = {token.kind for token in found} & {Kind.AREA, Kind.NAME, Kind.SHEET, Kind.BRACKET}
    return not looks and _holds_enough(formula, found) and computed(formula, lambda text: None) is None


def _holds_enough(formula: str, found: Sequence[Token]) -> bool:
    """Whether the constants of a formula suffice for a value: a number's or a date's digits, an address, two names.

    `TEXT(TODAY(),"yyyy")` says nothing that anybody wrote: codes of formats are no constants.
    """
    texts = [unquoted(token.text) for token in found if token.kind is Kind.STRING]
    said = "".join(text for text in texts if not _FORMAT.fullmatch(text))
    numbers = "".join(token.text for token in found if token.kind is Kind.NUMBER)
    count = sum(map(str.isdigit, said + numbers))
    letters = sum(map(str.isalpha, said))
    if count >= _LEAST_DIGITS:
        return True
    if letters >= _LEAST_LETTERS and _WORDING.search(formula) and re.search(r"[\s@]", said):
        return True
    if _LETTERS.search(formula) and count + letters >= _LEAST_LETTERS:
        return True
    return count + letters >= _LEAST_SIGNS and bool(_BASES.search(formula) or _REPEATS.search(formula))


class _Parser:
    """Reads tokens by the order of operators: & below + and -, those below * and /, those below ^, signs, percent."""

    def __init__(self, found: Sequence[Token], look: Look) -> None:
        self._tokens = found
        self._at = 0
        self._depth = 0
        self._look = look

    def whole(self) -> Value:
        value = self._joined()
        if self._at != len(self._tokens):
            raise Unknown
        return value

    def _peek(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    def _take(self, *texts: str) -> str:
        text = self._peek()
        if text not in texts or not text:
            return ""
        self._at += 1
        return text

    def _joined(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unknown
        value = self._sum()
        while self._take("&"):
            value = as_text(value) + as_text(self._sum())
        self._depth -= 1
        return value

    def _sum(self) -> Value:
        value = self._product()
        while sign := self._take("+", "-"):
            other = as_number(self._product())
            value = as_number(value) + (other if sign == "+" else -other)
        return value

    def _product(self) -> Value:
        value = self._power()
        while sign := self._take("*", "/"):
            other = as_number(self._power())
            value = as_number(value) * other if sign == "*" else as_number(value) / other
        return value

    def _power(self) -> Value:
        value = self._signed()
        while self._take("^"):
            value = FUNCTIONS["POWER"]([value, self._signed()])
        return value

    def _signed(self) -> Value:
        if sign := self._take("+", "-"):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise Unknown
            value = self._signed()
            self._depth -= 1
            return value if sign == "+" else -as_number(value)
        value = self._one()
        while self._take("%"):
            value = as_number(value) / 100
        return value

    def _one(self) -> Value:
        if self._at >= len(self._tokens):
            raise Unknown
        token = self._tokens[self._at]
        self._at += 1
        match token.kind:
            case Kind.STRING:
                return unquoted(token.text)
            case Kind.NUMBER:
                return Decimal(token.text)
            case Kind.FUNCTION:
                return self._call(token.text)
            case Kind.AREA | Kind.NAME:
                return self._only(token.text)
            case _ if token.text == "(":
                value = self._joined()
                self._expect(")")
                return value
            case _:
                raise Unknown

    def _call(self, name: str) -> Value:
        function = FUNCTIONS.get(name.upper().rpartition(".")[2])
        if function is None:
            raise Unknown
        self._expect("(")
        values: list[Value] = []
        while not self._take(")"):
            values += self._argument()
            if not self._take(",") and self._peek() != ")":
                raise Unknown
        return function(values)

    def _argument(self) -> Sequence[Value]:
        """One argument: all values of an area, one of everything else."""
        if self._peek() == ",":
            return [""]
        following = self._tokens[self._at + 1].text if self._at + 1 < len(self._tokens) else ""
        if self._at < len(self._tokens) and self._tokens[self._at].kind is Kind.AREA and following in (",", ")"):
            self._at += 1
            found = self._look(self._tokens[self._at - 1].text)
            if found is None:
                raise Unknown
            return found
        return [self._joined()]

    def _only(self, text: str) -> Value:
        found = self._look(text)
        if found is None or len(found) != 1:
            raise Unknown
        return found[0]

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise Unknown
