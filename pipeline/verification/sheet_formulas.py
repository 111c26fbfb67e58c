"""What the formulas of a workbook give that nobody has calculated, as far as constants and signs alone decide it."""

import ast
import re
from collections.abc import Iterable, Iterator
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
# Labels of dates, blanks for all that is no letter: those of births, and those that say no more than a date.
_BIRTH = re.compile(
    r"([^ ]+ ){0,3}(birth ?dates?|dates? of birth|dob|d o b|birthdays?|born( on)?)"
    r"|(ال)?تاريخ (ال)?(ميلاد|ولادة|ولاده)( [^ ]+){0,3}|(ال)?ميلاد|مواليد"
)
_DAY = re.compile(r"([^ ]+ ){0,3}date|dates? of( [^ ]+){1,3}|date [a-z]+ed( on)?|(ال)?تاريخ( [^ ]+){0,3}")
_FIGURES = re.compile(r"[-+(]?[0-9][0-9., ]*[%)]{0,2}")
_NO_DAY = re.compile(
    r"\b(amounts?|as|at|averages?|avg|balance|budget|by|codes?|costs?|counts?|days|expenses?|hours|income|no|number|per"
    r"|prices?|qty|quantity|rates?|revenues?|rows?|sales|since|spen[dt]|sums?|till|to|totals?|units?|until|up|versus|vs"
    r"|volume|weights?|ytd)\b|حتى|جمالي|مجموع|معدل|عدد|رقم|مبلغ|مبالغ|قيمة|تكلفة|سعر|مبيعات|مكان|وزن"
)
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


def names_day(labels: str, beside: Iterable[str]) -> bool:
    """Whether labels, one to a line, name a date, so that whole numbers under them are days.

    Those of a birth do by themselves; a mere `Date` does where `beside`, all that stands under it, holds no other
    number. What names an amount, a count or a code names no date.
    """
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", labels).lower()
    lines = [" ".join(re.findall(r"[^\W\d_]+", line)) for line in (spelled, *re.split(r"[\n/|()]", spelled))]
    if any(_BIRTH.fullmatch(line) and not _NO_DAY.search(line) for line in lines):
        return True
    if _NO_DAY.search(lines[0]) or not any(map(_DAY.fullmatch, lines)):
        return False
    return all(is_day(text) for text in beside if _FIGURES.fullmatch(text))


def is_day(text: str) -> bool:
    """Whether a number is a day of 1919 to 2099, as spreadsheets count them."""
    return len(text) in (4, 5) and text.isdecimal() and 7_000 <= int(text) <= 73_050
