"""Evaluates formulas without a cached value: sums of numbers, strings built from character codes.

A program computes such a formula when it opens the workbook, and shows what no cell keeps: `=CHAR(49)&CHAR(48)`.
The evaluation is bounded in depth, tokens and lengths. Source: ECMA-376 part 1, 18.17 (formulas).
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation, localcontext

from pipeline.documents.xlsx.formula_functions import FUNCTIONS, NotComputable, Value, as_number, as_text
from pipeline.documents.xlsx.formulas import Kind, Token, tokens, unquoted

MOST_TOKENS = 2_000  # of one formula
_DEEPEST = 64  # nested brackets and calls
_PUTS_TOGETHER = re.compile(r"&|CONCAT|TEXTJOIN", re.IGNORECASE)
_STRING = re.compile(r'"[^"]*"')
_REFERS = re.compile(r"(?<![\w.])\$?[A-Za-z]{1,3}\$?\d{1,7}(?![\w.(])|[A-Za-z]:\$?[A-Za-z]|[!\[{]")
_CALLS = re.compile(r"[A-Za-z0-9.]\(|[-+*/^&]")
# Functions that build other texts of their arguments. A function that chooses among its arguments builds a text only
# with an operator: each argument is read by itself.
_BUILDING = re.compile(
    r"\b(?:BASE|BIN2DEC|BIN2HEX|CHAR|CONCAT|CONCATENATE|DECIMAL|DEC2BIN|DEC2HEX|DOLLAR|FILTERXML|FIXED|HEX2BIN"
    r"|HEX2DEC|LAMBDA|LEFT|LET|MAP|MID|OCT2DEC|REDUCE|REPLACE|REPT|RIGHT|SUBSTITUTE|TEXT|TEXTAFTER|TEXTBEFORE"
    r"|TEXTJOIN|TEXTSPLIT|UNICHAR|VALUE)\(",
    re.IGNORECASE,
)
_CHOOSING = re.compile(r"\b(?:CHOOSE|INDEX)\(", re.IGNORECASE)
_OPERATOR = re.compile(r"[-+*/^&]")
# Functions that make other words of their arguments; the rest join them, which is read, or write numbers.
_WORDING = re.compile(
    r"\b(?:CHAR|FILTERXML|LAMBDA|LEFT|LET|MAP|MID|REDUCE|REPLACE|REPT|RIGHT|SUBSTITUTE|TEXTAFTER|TEXTBEFORE|TEXTSPLIT"
    r"|UNICHAR|CHOOSE|INDEX)\(",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"\b(?:UNI)?CHAR\(", re.IGNORECASE)  # may give a blank or an @
_BASES = re.compile(r"\b(?:BASE|DECIMAL|(?:BIN|HEX|OCT|DEC)2(?:BIN|DEC|HEX|OCT))\(", re.IGNORECASE)
_REPEATS = re.compile(r"\b(?:REPT|REDUCE)\(|\^", re.IGNORECASE)  # make long values of short ones
_FORMAT = re.compile(r"(?=.*[a-z0#?])(?:AM/PM|A/P|General|\[[^\]]{0,20}\]|[ymdhsgbe0#?.,:;/ \-+%@_*])*", re.IGNORECASE)
_LEAST_DIGITS = 8  # of a date, the shortest value that consists of digits
_LEAST_LETTERS = 6  # of a name of two words, or of an e-mail address
_LEAST_SIGNS = 5  # of a number in another base, or one that is repeated or raised to a power
_VARIABLE = "_xlpm."  # prefix of the variables of LET and LAMBDA
Resolver = Callable[[str], Sequence[Value] | None]  # the values of an area or a name; None when they are not known


def may_build_text(formula: str) -> bool:
    """Whether a formula may give a text that no cell holds: it joins texts, or has only constants."""
    if _CALLS.search(formula) is None:
        return False
    return _PUTS_TOGETHER.search(formula) is not None or _REFERS.search(_STRING.sub('""', formula)) is None


def evaluate(formula: str, resolve: Resolver) -> Value | None:
    """The value of a formula; None when it cannot be evaluated. `resolve` gives the values of areas and names."""
    found = tokens(formula)
    if len(found) > MOST_TOKENS:
        return None
    parser = _Parser([token for token in found if not token.text.isspace()], resolve)
    try:
        with localcontext(prec=40):
            value = parser.whole()
    except (NotComputable, InvalidOperation, ArithmeticError, ValueError):
        return None
    return value


def is_opaque(formula: str) -> bool:
    """Whether a formula of constants builds a text of them in a way that cannot be evaluated."""
    if not _BUILDING.search(formula) and not (_CHOOSING.search(formula) and _OPERATOR.search(formula)):
        return False
    found = [token for token in tokens(formula) if not token.text.startswith(_VARIABLE)]
    references = {token.kind for token in found} & {Kind.AREA, Kind.NAME, Kind.SHEET, Kind.BRACKET}
    return not references and _holds_enough(formula, found) and evaluate(formula, lambda text: None) is None


def _holds_enough(formula: str, found: Sequence[Token]) -> bool:
    """Whether the constants of a formula suffice for a personal value: a number, a date, an address, two names.

    Format codes are not counted: `TEXT(TODAY(),"yyyy")` has no personal value.
    """
    texts = [unquoted(token.text) for token in found if token.kind is Kind.STRING]
    letters_and_digits = "".join(text for text in texts if not _FORMAT.fullmatch(text))
    numbers = "".join(token.text for token in found if token.kind is Kind.NUMBER)
    count = sum(map(str.isdigit, letters_and_digits + numbers))
    letters = sum(map(str.isalpha, letters_and_digits))
    if count >= _LEAST_DIGITS:
        return True
    if letters >= _LEAST_LETTERS and _WORDING.search(formula) and re.search(r"[\s@]", letters_and_digits):
        return True
    if _LETTERS.search(formula) and count + letters >= _LEAST_LETTERS:
        return True
    return count + letters >= _LEAST_SIGNS and bool(_BASES.search(formula) or _REPEATS.search(formula))


class _Parser:
    """Evaluates tokens by operator precedence, from low to high: `&`; `+ -`; `* /`; `^`; signs; `%`."""

    def __init__(self, found: Sequence[Token], resolve: Resolver) -> None:
        self._tokens = found
        self._at = 0
        self._depth = 0
        self._resolve = resolve

    def whole(self) -> Value:
        value = self._joined()
        if self._at != len(self._tokens):
            raise NotComputable
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
            raise NotComputable
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
                raise NotComputable
            value = self._signed()
            self._depth -= 1
            return value if sign == "+" else -as_number(value)
        value = self._one()
        while self._take("%"):
            value = as_number(value) / 100
        return value

    def _one(self) -> Value:
        if self._at >= len(self._tokens):
            raise NotComputable
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
                raise NotComputable

    def _call(self, name: str) -> Value:
        function = FUNCTIONS.get(name.upper().rpartition(".")[2])
        if function is None:
            raise NotComputable
        self._expect("(")
        values: list[Value] = []
        while not self._take(")"):
            values += self._argument()
            if not self._take(",") and self._peek() != ")":
                raise NotComputable
        return function(values)

    def _argument(self) -> Sequence[Value]:
        """The values of one argument: all values of an area, or one value."""
        if self._peek() == ",":
            return [""]
        following = self._tokens[self._at + 1].text if self._at + 1 < len(self._tokens) else ""
        if self._at < len(self._tokens) and self._tokens[self._at].kind is Kind.AREA and following in (",", ")"):
            self._at += 1
            found = self._resolve(self._tokens[self._at - 1].text)
            if found is None:
                raise NotComputable
            return found
        return [self._joined()]

    def _only(self, text: str) -> Value:
        found = self._resolve(text)
        if found is None or len(found) != 1:
            raise NotComputable
        return found[0]

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise NotComputable
