"""What the parts of a workbook say: cells as they are stored and as they are shown, under the labels around them."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal, DecimalException
from typing import NamedTuple

from pipeline.verification.labels import combined_headings, has_second_row, is_field, is_label
from pipeline.verification.ooxml.number_format import NumberFormat, plain
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import Passage

# What the formulas of a workbook give that nobody has calculated, as far as constants and signs alone decide it.

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
        pieces.append(_formula_text(match))
        rest = body[match.end() :].lstrip()
        if not rest:
            return "".join(pieces) if len(pieces) > 1 else None
        if rest[0] != mark:
            return None
        position = len(body) - len(rest[1:].lstrip())
    return None


def _formula_text(piece: re.Match[str]) -> str:
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


_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_LITERAL = re.compile(r'"((?:[^"]|"")*)"')
_LONG_NUMBER = re.compile(r"(?<![A-Za-z0-9_.$:!])[0-9]{6,20}(?![A-Za-z0-9_.:!(])")
_HEADER_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|[A-Z])')
_HEADER_FIELD = re.compile(r"&[LCR]")
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DATED = re.compile(r"date|d.?o.?b|birth|born|تاريخ|ميلاد|ولاد|مواليد", re.IGNORECASE)
_HEADING_ROWS = 50  # rows among which a heading may stand
# Elements whose text is a formula; string literals and long numbers in it are what somebody wrote.
_FORMULAS = frozenset({"f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula",
                       "totalsRowFormula", "sqref"})  # fmt: skip
_HEADERS = frozenset({"oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"})
_RICH = frozenset({"si", "is", "text", "rPh"})  # their runs make up one text


class Book(NamedTuple):
    """What cells refer to: shared strings and number formats by index, and on which day the calendar begins."""

    strings: list[str]
    formats: list[NumberFormat]
    is_1904: bool


class Cell(NamedTuple):
    """A cell that says something: all its readings (stored, shown), the one that is shown first."""

    row: int
    column: int
    said: tuple[str, ...]


def strings(root: ET.Element) -> list[str]:
    """The shared strings, rich text joined."""
    return [rich(item) for item in root if local(item) == "si"]


def rich(element: ET.Element) -> str:
    """The text of a string's runs, without its phonetic readings, which are read by themselves."""
    pieces = []
    for child in element:
        name = local(child)
        if name == "t":
            pieces.append(unescaped(child.text or ""))
        elif name != "rPh":
            pieces.append(rich(child))
    return "".join(pieces)


def cells(sheet: ET.Element, book: Book) -> Iterator[Cell]:
    """The cells of a worksheet in order; one without an address stands where the format puts it: behind the last."""
    row = 0
    for line in (item for item in sheet.iter() if local(item) == "row"):
        row = _number(line.get("r"), row + 1)
        column = 0
        for cell in line:
            if local(cell) != "c":
                continue
            address = _REFERENCE.fullmatch(cell.get("r", ""))
            column = _column(address[1]) if address else column + 1
            said = tuple(dict.fromkeys(text for text in _said(cell, book) if text.strip()))
            if said:
                yield Cell(int(address[2]) if address else row, column, said)


def _said(cell: ET.Element, book: Book) -> Iterator[str]:
    kind = cell.get("t", "n")
    for child in cell:
        name, text = local(child), child.text or ""
        if name == "is":
            yield rich(child)
        elif name == "v" and kind == "s":
            index = _number(text, -1)
            yield book.strings[index] if 0 <= index < len(book.strings) else text
        elif name == "v" and kind == "n":
            style = _number(cell.get("s"), 0)
            form = book.formats[style] if style < len(book.formats) else NumberFormat("General")
            shown = form.shown(text, book.is_1904)
            yield from (*shown, plain(text))
        elif name == "v" and kind not in ("b", "e"):
            yield unescaped(text)


def unescaped(text: str) -> str:
    """A string of SpreadsheetML as it is shown (ST_Xstring): `_x000D_` ends a line, controls show nothing."""
    if "_x" not in text:
        return text

    def meant(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        return "\n" if code == 13 else chr(code) if code in (9, 10) or 32 <= code < 0xD800 or code >= 0xE000 else ""

    return _ESCAPED.sub(meant, text)


def days(passages: Iterable[Passage], *, is_1904: bool) -> Iterator[Passage]:
    """Bare numbers under the label of a date, as the days that they mean."""
    found = [passage for passage in passages if _DATED.search(passage.context)]
    columns: dict[str, list[str]] = {}
    for passage in found:
        columns.setdefault(passage.context, []).append(passage.text.strip())
    dated = {labels for labels, texts in columns.items() if names_day(labels, texts)}
    first = date(1904, 1, 1) if is_1904 else date(1899, 12, 30)
    for labels, text in ((passage.context, passage.text.strip()) for passage in found if passage.context in dated):
        if is_day(text):
            yield Passage((first + timedelta(int(text))).isoformat(), labels)


def mobiles(found: Iterable[Cell], passages: Iterable[Passage]) -> Iterator[Passage]:
    """Numbers that are mobiles without their zero, by their column; `passages` are those of `table` for the cells."""
    columns: dict[tuple[int, int], list[Passage]] = {}
    said = iter(passages)
    for number, block in enumerate(_blocks(list(found))):
        for cell in block:
            own = [next(said) for _ in cell.said]
            columns.setdefault((number, cell.column), []).append(own[0])
    for column in columns.values():
        short = [item for item in column if _is_short_mobile(item.text)]
        others = [item for item in column if not _is_short_mobile(item.text)]
        told = any(_WHOLE_MOBILE.fullmatch(item.text) for item in others)
        alone = not any(_COUNTED.fullmatch(item.text) for item in others) and (
            len({item.text for item in short}) > 1 or not any(item.context for item in short)
        )
        for item in short:
            if _CALLED.search(item.context) or ((told or alone) and not _AMOUNT.search(item.context)):
                yield Passage(item.text, "Phone")


def _is_short_mobile(text: str) -> bool:
    return len(text) == 9 and text.isdecimal() and int(text) // 10**7 in _MOBILE_PREFIXES


_MOBILE_PREFIXES = frozenset({50, 53, 54, 55, 56, 57, 58, 59})
_WHOLE_MOBILE = re.compile(r"(?:0|(?:00|\+)?966[ -]?0?)5(?:[ -]?\d){8}")
_COUNTED = re.compile(r"\W?\d[\d\s.,٬٫]*%?\)?")
_CALLED = re.compile(
    r"\b(?:tel|ph|cell|gsm|contacts?)\b|mobile|phone|msisdn|whats ?app"
    r"|هاتف|هواتف|جوال|محمول|نقال|موبايل|تلفون|اتصال|تواصل|واتس",
    re.IGNORECASE,
)
# A label with one of these is about money, quantities or codes.
_AMOUNT = re.compile(
    r"\b(?:amounts?|sums?|totals?|balance|budget|capital|assets?|prices?|costs?|fees?|rates?|expenses?|payments?|paid"
    r"|revenues?|turnover|sales|salary|salaries|income|profits?|loss|credit|debit|accounts?|qty|quantity|counts?|units?"
    r"|stocks?|volumes?|weights?|population|views?|hits?|values?|average|avg|codes?|sku|barcode|serials?|orders?"
    r"|invoices?|references?|SAR|SR|USD|EUR)\b"
    r"|مبلغ|مبالغ|مجموع|[إا]جمالي|رصيد|رأس المال|سعر|أسعار|تكلفة|قيمة|معدل|مصروف|[إا]يراد|مبيعات|راتب|رواتب|ربح|أرباح"
    r"|حساب|كمية|عدد|وزن|سكان|ريال|ر\.س|كود|رمز|تسلسل|طلب|فاتورة|مرجع",
    re.IGNORECASE,
)


def table(found: list[Cell]) -> Iterator[Passage]:
    """Each cell with its labels: the headings above it, the field that its row names, the left one in a form.

    Empty rows part a sheet into blocks; each may have headings of its own, and those of earlier ones go on.
    """
    above: dict[int, str] = {}
    for block in _blocks(found):
        headings, heading_rows = _headings(block)
        last: Cell | None = None
        field = ""
        for cell in block:
            beside = last is not None and (last.row, last.column) == (cell.row, cell.column - 1)
            left = last.said[0].strip() if last is not None and beside else ""
            own = headings.get(cell.column, "")
            labels = [above.get(cell.column, ""), own]
            if last is None or last.row != cell.row:
                field = ""
            if not any(map(is_field, labels)):
                labels.append(field)
            if (not own or len(headings) <= 2) and is_label(left) and not _PLACEHOLDER.fullmatch(left):
                labels.append(left)
            context = (
                "\n".join(dict.fromkeys(label for label in labels if label)) if cell.row not in heading_rows else ""
            )
            yield from (Passage(text.strip(), context) for text in cell.said)
            last, text = cell, cell.said[0].strip()
            field = text if is_label(text) and is_field(text) and not _PLACEHOLDER.fullmatch(text) else field
        above |= headings


def _blocks(found: list[Cell]) -> Iterator[list[Cell]]:
    block: list[Cell] = []
    for cell in found:
        if block and cell.row - block[-1].row not in (0, 1):
            yield block
            block = []
        block.append(cell)
    if block:
        yield block


def joined(found: list[Cell]) -> Iterator[str]:
    """Rows and columns as one text each: what is parted over neighbours."""
    rows: dict[int, list[str]] = {}
    columns: dict[int, list[str]] = {}
    for cell in found:
        rows.setdefault(cell.row, []).append(cell.said[0])
        columns.setdefault(cell.column, []).append(cell.said[0])
    for line in (*rows.values(), *columns.values()):
        if len(line) > 1:
            yield "\t".join(line)


def loose(root: ET.Element) -> Iterator[Passage]:
    """Every text of a part that stands in no cell: strings, comments, headers and footers, formulas, properties."""
    for element in root.iter():
        name, text = local(element), element.text or ""
        if name in _RICH:
            yield Passage(rich(element) or "".join(element.itertext()))
            hints = "".join(t.text or "" for hint in element if local(hint) == "rPh" for t in hint)
            yield from (Passage(hint) for hint in (hints,) if hint.strip())
        elif name in _HEADERS:
            yield from (Passage(_HEADER_CODE.sub("", field)) for field in _HEADER_FIELD.split(text))
        elif name in _FORMULAS:
            yield from formula(text)
        elif name not in ("t", "v") and text.strip():
            yield Passage(text.strip())
        if element.tail and element.tail.strip():
            yield Passage(element.tail.strip())


def formula(text: str) -> Iterator[Passage]:
    """What somebody wrote into a formula: its literals, each and together, and its long numbers."""
    literals = [literal.replace('""', '"') for literal in _LITERAL.findall(text)]
    yield from map(Passage, literals)
    if len(literals) > 1:
        yield Passage("".join(literals))
    for number in _LONG_NUMBER.findall(_LITERAL.sub('""', text)):
        yield Passage(number)
    yield from given(text)


def caches(root: ET.Element) -> Iterator[Passage]:
    """The values that a pivot table's cache keeps of each field, under the field's name."""
    for field in (item for item in root.iter() if local(item) == "cacheField"):
        name = field.get("name", "")
        for item in field.iter():
            value = item.get("v")
            if value:
                yield Passage(value, name if is_label(name) else "")


def formats(root: ET.Element) -> list[NumberFormat]:
    """The number format of each cell style."""
    own = {
        _number(item.get("numFmtId"), -1): item.get("formatCode", "") for item in root.iter() if local(item) == "numFmt"
    }
    found: list[NumberFormat] = []
    for styles in root:
        if local(styles) == "cellXfs":
            for style in styles:
                number = _number(style.get("numFmtId"), 0)
                found.append(NumberFormat.of(number, own.get(number)))
    return found


def _headings(found: list[Cell]) -> tuple[dict[int, str], set[int]]:
    """The labels of the columns, and their rows: the first of several cells that are all labels, and what it groups."""
    rows: dict[int, list[Cell]] = {}
    for cell in found:
        if len(rows) > _HEADING_ROWS:
            break
        rows.setdefault(cell.row, []).append(cell)
    width = max(map(len, rows.values()), default=0)
    numbers = list(rows)
    for place, row in enumerate(numbers[:-1]):
        told = {cell.column: cell.said[0].strip() for cell in rows[row]}
        if len(told) < 2 or not all(map(is_label, told.values())):
            continue
        lines = {row}
        below = {cell.column: cell.said[0].strip() for cell in rows[numbers[place + 1]]}
        if place + 2 < len(numbers) and has_second_row(told, below):
            told = combined_headings(told, below)
            lines.add(numbers[place + 1])
        if len(told) >= min(width, 3):
            return {column: text for column, text in told.items() if not _PLACEHOLDER.fullmatch(text)}, lines
    return {}, set()


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _number(text: str | None, default: int) -> int:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdecimal() else default
