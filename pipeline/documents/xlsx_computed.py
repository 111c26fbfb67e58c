"""What a formula says that nobody has calculated yet: sums of numbers, strings put together from letters' codes.

Programs calculate such a formula as soon as they open the workbook, and show what no cell keeps: `=CHAR(49)&CHAR(48)`.
Source: ECMA-376 part 1, 18.17 (formulas). Bounded: no loops, few steps, short texts.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation, localcontext

from pipeline.documents.xlsx_formulas import Kind, Token, tokens, unquoted
from pipeline.documents.xlsx_functions import FUNCTIONS, Unknown, Value, as_number, as_text

MOST_TOKENS = 2_000  # of one formula
_DEEPEST = 64  # brackets and calls inside each other
_PUTS_TOGETHER = re.compile(r"&|CONCAT|TEXTJOIN", re.IGNORECASE)
_STRING = re.compile(r'"[^"]*"')
_REFERS = re.compile(r"(?<![\w.])\$?[A-Za-z]{1,3}\$?\d{1,7}(?![\w.(])|[A-Za-z]:\$?[A-Za-z]|[!\[{]")
_CALLS = re.compile(r"[A-Za-z0-9.]\(|[-+*/^&]")
# Functions that make other text of their texts; a formula of constants that uses one may say anything.
_BUILDING = re.compile(
    r"\b(?:BASE|BIN2DEC|BIN2HEX|CHAR|CHOOSE|CONCAT|CONCATENATE|DECIMAL|DEC2BIN|DEC2HEX|DOLLAR|FILTERXML|FIXED|HEX2BIN"
    r"|HEX2DEC|INDEX|LAMBDA|LEFT|LET|MAP|MID|OCT2DEC|REDUCE|REPLACE|REPT|RIGHT|SUBSTITUTE|TEXT|TEXTAFTER|TEXTBEFORE"
    r"|TEXTJOIN|TEXTSPLIT|UNICHAR|VALUE)\(",
    re.IGNORECASE,
)
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
    if _BUILDING.search(formula) is None:
        return False
    kinds = {token.kind for token in tokens(formula) if not token.text.startswith(_VARIABLE)}
    looks = kinds & {Kind.AREA, Kind.NAME, Kind.SHEET, Kind.BRACKET}
    return not looks and computed(formula, lambda text: None) is None


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
