"""The constants of spreadsheet formulas, and the results of formulas that consist of constants.

The file may have no calculated value: `=CHAR(65)&"li"` then shows a text that no cell stores.
"""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException

from pipeline.verification.ooxml.number_format import plain
from pipeline.verification.reading import Passage

_CONSTANT = re.compile(
    r'"((?:[^"]|"")*)"|(?:_xlfn\.)?(?:UNI)?CHAR\(\s*(\d{1,7})\s*\)|(\d{1,20}(?:\.\d{1,20})?)', re.IGNORECASE
)
_ARITHMETIC = re.compile(r"[-+*/()\d.\sEe]{3,400}")
_POWER = re.compile(r"\^")
_MIN_RESULT = 7  # letters and digits of a result worth reading
_MAX_POWER = 40
_CONCATENATE = re.compile(r"(?:_xlfn\.)?CONCAT(?:ENATE)?\((.*)\)", re.IGNORECASE | re.DOTALL)
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_LONG_NUMBER = re.compile(r"(?<![A-Za-z0-9_.$:!])[0-9]{6,20}(?![A-Za-z0-9_.:!(])")


def formula(text: str) -> Iterator[Passage]:
    """The constants of a formula: its string literals, each and joined, its long numbers, and its result."""
    literals = [literal.replace('""', '"') for literal in _LITERAL.findall(text)]
    yield from map(Passage, literals)
    if len(literals) > 1:
        yield Passage("".join(literals))
    for number in _LONG_NUMBER.findall(_LITERAL.sub('""', text)):
        yield Passage(number)
    yield from constant_result(text)


def constant_result(formula: str) -> Iterator[Passage]:
    """The result of a formula of constants: a concatenation of strings, numbers and CHAR codes, or a number."""
    text = _concatenation(formula.strip().removeprefix("="))
    if text is None and len(formula) < 400 and _ARITHMETIC.fullmatch(formula.replace("^", "*")):
        text = _arithmetic_value(formula)
    if text and sum(map(str.isalnum, text)) >= _MIN_RESULT:
        yield Passage(text)


def _concatenation(formula: str) -> str | None:
    """The concatenation of constants by `&` or CONCAT; None for any other formula."""
    inner = _CONCATENATE.fullmatch(formula)
    body, separator = (inner[1], ",") if inner else (formula, "&")
    pieces: list[str] = []
    position = 0
    while (match := _CONSTANT.match(body, position)) is not None:
        pieces.append(_constant_text(match))
        rest = body[match.end() :].lstrip()
        if not rest:
            return "".join(pieces) if len(pieces) > 1 else None
        if rest[0] != separator:
            return None
        position = len(body) - len(rest[1:].lstrip())
    return None


def _constant_text(piece: re.Match[str]) -> str:
    if piece[2] is None:
        return piece[1].replace('""', '"') if piece[1] is not None else piece[3]
    code = int(piece[2])
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def _arithmetic_value(formula: str) -> str | None:
    """The value of an arithmetic expression of numbers; None for any other formula."""
    try:
        tree = ast.parse(_POWER.sub("**", formula.strip()), mode="eval")
        return plain(format(_value(tree.body), "f"))
    except (SyntaxError, ValueError, DecimalException, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if not isinstance(node, ast.BinOp):
        raise SyntaxError("no sum")  # noqa: TRY004 - the formula is at fault, not the caller
    left, right = _value(node.left), _value(node.right)
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow() if abs(right) <= _MAX_POWER and abs(left.adjusted() * right) <= _MAX_POWER:
            return Decimal(left**right)
        case _:
            raise ValueError
