"""What the formulas of a workbook give that nobody has calculated, as far as constants and signs alone decide it."""

import ast
import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException

from pipeline.verification.number_format import plain
from pipeline.verification.reading import Passage

_PIECE = re.compile(
    r'"((?:[^"]|"")*)"|(?:_xlfn\.)?(?:UNI)?CHAR\(\s*(\d{1,7})\s*\)|(\d{1,20}(?:\.\d{1,20})?)', re.IGNORECASE
)
_SUM = re.compile(r"[-+*/()\d.\sEe]{3,400}")
_POWER = re.compile(r"\^")
_LEAST = 7  # letters and digits of something that says anything
_MOST_POWER = 40
_CONCATENATE = re.compile(r"(?:_xlfn\.)?CONCAT(?:ENATE)?\((.*)\)", re.IGNORECASE | re.DOTALL)


def given(formula: str) -> Iterator[Passage]:
    """The text of strings, numbers and letters' codes that a formula puts together; the sum of its numbers."""
    text = _joined(formula.strip().removeprefix("="))
    if text is None and len(formula) < 400 and _SUM.fullmatch(formula.replace("^", "*")):
        text = _calculated(formula)
    if text and sum(map(str.isalnum, text)) >= _LEAST:
        yield Passage(text)


def _joined(formula: str) -> str | None:
    """What is parted by nothing but `&`, or by the commas of a CONCAT; None for anything else."""
    inner = _CONCATENATE.fullmatch(formula)
    body, mark = (inner[1], ",") if inner else (formula, "&")
    pieces: list[str] = []
    position = 0
    while (match := _PIECE.match(body, position)) is not None:
        pieces.append(_said(match))
        rest = body[match.end() :].lstrip()
        if not rest:
            return "".join(pieces) if len(pieces) > 1 else None
        if rest[0] != mark:
            return None
        position = len(body) - len(rest[1:].lstrip())
    return None


def _said(piece: re.Match[str]) -> str:
    if piece[2] is None:
        return piece[1].replace('""', '"') if piece[1] is not None else piece[3]
    code = int(piece[2])
    return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def _calculated(formula: str) -> str | None:
    """A sum, product or power of plain numbers."""
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
        case ast.Pow() if abs(right) <= _MOST_POWER and abs(left.adjusted() * right) <= _MOST_POWER:
            return Decimal(left**right)
        case _:
            raise ValueError
