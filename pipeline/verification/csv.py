"""Reads a redacted CSV a second time, from its raw bytes, in every encoding that could show something else."""

import platform
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from pipeline.verification.csv_cells import delimiter_of, rows_of
from pipeline.verification.csv_letters import letters_of, other_letters
from pipeline.verification.labels import LONGEST_LABEL, is_field
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_HEADING_ROWS = 20
_SAY = re.compile(r"\w{2}")  # a raw line without two word characters in a row says nothing
_WRITTEN = re.compile(r"[0-9]+[.,][0-9]+(?:[eE][+]?[0-9]{1,2})?")  # a number as spreadsheets export it
_DIGITS = range(7, 21)  # of an identifier that became a number
_CODE, _NUMBER = re.compile(r"(?:\+|00)?\d{1,4}"), re.compile(r"\d{6,12}")
_DIALLED = re.compile(r"code|prefix|dial|مفتاح|رمز|كود", re.IGNORECASE)
_NAMES_SOMEBODY = re.compile(
    r"\b(?:id|nid|iqama|national|passport|mobile|phone|tel|telephone|gsm|card|account|iban|tax|vat|mrn)\b"
    r"|هوية|هويه|إقامة|اقامة|جواز|جوال|هاتف|بطاقة|حساب",
    re.IGNORECASE,
)
_ARABIC = re.compile("[\u0621-\u064a]")
_JOINED = re.compile(r"([a-z])([A-Z])")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Cells with their headings as texts; every line, in every plausible encoding, as raw."""
    text = letters_of(data)
    if "\0" in text:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    raw = dict.fromkeys(line for line in text.splitlines() if _SAY.search(line))
    for other in other_letters(data):
        raw.update(dict.fromkeys(line for line in other.splitlines() if _SAY.search(line)))
    rows = rows_of(text, delimiter_of(text))
    raw.update(dict.fromkeys("\t".join(row) for row in rows if sum(map(bool, row)) > 1))
    readers = (f"codecs {platform.python_version()}",)
    return SecondReading(tuple(dict.fromkeys(_passages(text))), (), tuple(raw), parts=1, pages=0, readers=readers), {}


def _passages(text: str) -> Iterator[Passage]:
    delimiter = delimiter_of(text)
    top: list[list[str]] = []
    for row in rows_of(text, delimiter):
        top.append([cell.strip() for cell in row])
        if len(top) == _HEADING_ROWS:
            break
    labels, heads = _headings(top)
    for number, row in enumerate(rows_of(text, delimiter)):
        own = heads.get(number, labels)
        is_head = number in heads
        yield from _row([cell.strip() for cell in row], own, may_be_form=len(labels) <= 2, is_head=is_head)


def _row(row: Sequence[str], labels: dict[int, str], *, may_be_form: bool, is_head: bool) -> Iterator[Passage]:
    left = field = ""
    for column, cell in enumerate(row):
        if not cell:
            continue
        told = _PLACEHOLDER.fullmatch(cell)
        over = labels.get(column, "")
        beside = ("" if is_field(over) else field, left if may_be_form else "") if not is_head else ()
        context = "\n".join(label for label in dict.fromkeys((over, *beside)) if label not in ("", cell))
        if told is None:
            yield Passage(cell, context)
            meant = _whole_number(cell, context)
            if meant:
                yield Passage(meant, context)
            before = row[column - 1] if column else ""
            if _NUMBER.fullmatch(cell) and _CODE.fullmatch(before) and _DIALLED.search(labels.get(column - 1, "")):
                yield Passage(f"{before} {cell}", "\n".join((labels.get(column - 1, ""), context)))
        left = cell if told is None and _is_label(cell) else ""
        field = left if is_field(left) else field


def _whole_number(cell: str, context: str) -> str:
    """The digits of a whole number that is written as a fraction or a power of ten; empty when it is none."""
    written = cell.strip("' ")
    if not _WRITTEN.fullmatch(written):
        return ""
    try:
        number = Decimal(written.replace(",", "."))
    except InvalidOperation:
        return ""
    mantissa = re.split("[eE]", written)[0]
    significant = sum(character.isdigit() for character in mantissa)
    if number != number.to_integral_value() or (significant < _DIGITS.start and not _NAMES_SOMEBODY.search(context)):
        return ""
    digits = str(int(number))
    return digits if len(digits) in _DIGITS else ""


def _headings(rows: Sequence[Sequence[str]]) -> tuple[dict[int, str], dict[int, dict[int, str]]]:
    """The labels of the columns, and for each row that holds them, the labels over it."""
    said = {
        number: {column: cell for column, cell in enumerate(row) if cell} for number, row in enumerate(rows) if any(row)
    }
    width = max((len(filled) for filled in said.values()), default=0)
    fields = [[is_field(filled.get(at, "")) for at in (0, 1)] for filled in said.values()]
    if width == 2 and fields.count([True, False]) > 1:
        return {}, {}  # a form: the word on the left labels each value
    numbers = list(said)
    for at, number in enumerate(numbers[:-1]):
        first = said[number]
        if len(first) < min(width, 3) or not all(map(_is_label, first.values())):
            continue
        heads: dict[int, dict[int, str]] = {number: {}}
        labels = {column: _parted(label) for column, label in first.items()}
        following = said[numbers[at + 1]]
        if at + 2 < len(numbers) and all(map(_is_label, following.values())) and _goes_on(first, following):
            heads[numbers[at + 1]] = dict(labels)
            labels = _under(labels, following)
        if at and len(said[numbers[at - 1]]) > 1 and all(map(_is_label, said[numbers[at - 1]].values())):
            groups = {column: _parted(label) for column, label in said[numbers[at - 1]].items()}
            labels = _under(groups, labels)
        return labels, heads
    return {}, {}


def _goes_on(first: dict[int, str], second: dict[int, str]) -> bool:
    if len(second) > 1 and set(second) - set(first):
        return True
    sides = [{bool(_ARABIC.search(label)) for label in row.values()} for row in (first, second)]
    return len(second) >= len(first) - 1 and sides in ([{True}, {False}], [{False}, {True}])


def _under(groups: dict[int, str], labels: dict[int, str]) -> dict[int, str]:
    """Labels with the one above them, or the last one to the left above them, before each."""
    told: dict[int, str] = {}
    above = ""
    for column in sorted({*groups, *labels}):
        above = groups.get(column, above)
        told[column] = "\n".join(label for label in (above, _parted(labels.get(column, ""))) if label)
    return told


def _parted(label: str) -> str:
    """A label, and behind it the words that a programmer joined in it."""
    parted = _JOINED.sub(r"\1 \2", label)
    return label if parted == label or "\n" in label else f"{label}\n{parted}"


def _is_label(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_LABEL
        and any(c.isalpha() for c in text)
        and sum(c.isdigit() for c in text) <= 2
        and "@" not in text
        and not _PLACEHOLDER.fullmatch(text)
    )
