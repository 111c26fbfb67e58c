"""CSV: every cell is a unit, its column's heading its context; only cells that change are written anew."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.documents.csv import parse
from pipeline.documents.csv.labels import HEADING_ROWS, Headings, headings_of
from pipeline.documents.csv.parse import Cell, CsvText
from pipeline.documents.document import Extraction, Findings, Fragment, JoinedText, Reading, TextUnit
from pipeline.documents.edits import Edit, apply, by_unit
from pipeline.documents.labels import is_heading, names_field, over_and_before
from pipeline.documents.limits import MAX_CSV_CELLS, MAX_CSV_JOINTS
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

# What a cell means beside what it says: a long number that a spreadsheet wrote as a fraction or a power of ten.

# `1012345672.0`, `1.012345672E+09`, and what loses digits: `1.01235E+09`.
_MANGLED_NUMBER = re.compile(r"\s*'?(?:(\d{7,20})[.,]0+|(\d)[.,](\d{1,19})[eE]\+?(\d\d?))\s*")
_LONGEST = 20  # digits
_SHORTEST_EXACT = 7  # digits before the power from which on all are believed to be there
# Headings of numbers that identify somebody: under them even a number that lost its last digits says too much.
_IDENTIFYING = re.compile(
    r"\b(?:id|nid|iqama|national|passport|mobile|phone|tel|telephone|gsm|whatsapp|contact|card|account|iban|tax|vat|cr"
    r"|policy|license|mrn|file)\b|هوية|هويه|إقامة|اقامة|جواز|جوال|هاتف|موبايل|تلفون|بطاقة|حساب|آيبان|ايبان|سجل|ضريب|ملف",
    re.IGNORECASE,
)


def meaning(text: str, label: str) -> str:
    """A cell's text, or the digits of the whole number that it writes otherwise. `label`: what stands over it."""
    if len(text) < _SHORTEST_EXACT or not text.strip(" \t'")[:1].isdigit():
        return text
    match = _MANGLED_NUMBER.fullmatch(text)
    if match is None or not text.isascii():
        return text
    if match[1]:
        return match[1]
    digits, places = match[2] + match[3], int(match[4])
    is_whole = len(digits.rstrip("0")) <= places + 1 <= _LONGEST
    is_exact = len(match[3]) >= _SHORTEST_EXACT - 1
    if is_whole and places >= _SHORTEST_EXACT - 1 and (is_exact or _IDENTIFYING.search(label)):
        return digits[: places + 1].ljust(places + 1, "0")
    return text


# Columns of a table over which one value is spread: first and last name, a country's code and the number behind it.

_NAME = r"(?:[\s_-]*(?:name|nm))?"
_PARTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![a-z])(?:first|given|fore|f){_NAME}(?![a-z])|الاسم\s*الا?[أا]?ول|الاول",
        rf"(?<![a-z])(?:middle|second|father'?s?|m){_NAME}(?![a-z])|اسم\s*ال[أا]ب|الاسم\s*الثاني|الاوسط",
        rf"(?<![a-z])(?:third|grand\s?father'?s?){_NAME}(?![a-z])|اسم\s*الجد|الاسم\s*الثالث",
        rf"(?<![a-z])(?:last|family|sur|l){_NAME}(?![a-z])|العائلة|اللقب|الاسم\s*ال[أا]خير|الاسم\s*الرابع|الكنية|القبيلة",
    )
)
_LABELLED = re.compile(r"name|surname|اسم|العائلة|اللقب|الكنية", re.IGNORECASE)
_CODE = re.compile(r"code|prefix|dial|مفتاح|رمز|كود", re.IGNORECASE)
_COUNTRY = re.compile(r"country|intl|international|dial|phone|mobile|tel|الدولة|دولي|الهاتف|الجوال", re.IGNORECASE)
_PHONE_HEADING = re.compile(r"number|no\b|mobile|phone|tel|gsm|رقم|جوال|هاتف", re.IGNORECASE)


class Split(NamedTuple):
    """Columns whose cells of a row are read as one text, in this order, under `label`."""

    columns: tuple[int, ...]
    label: str


def splits(headings: Mapping[int, str]) -> list[Split]:
    """The columns that belong together, by their headings."""
    return [*_names(headings), *_numbers(headings)]


def _names(headings: Mapping[int, str]) -> list[Split]:
    groups: list[dict[int, int]] = [{}]
    for column in sorted(headings):
        rank = next((rank for rank, part in enumerate(_PARTS) if part.search(headings[column])), -1)
        if rank < 0:
            continue
        if rank in groups[-1]:
            groups.append({})  # the spouse's
        groups[-1][rank] = column
    found = []
    for group in groups:
        if len(group) > 1 and (0 in group or len(_PARTS) - 1 in group):
            columns = tuple(group[rank] for rank in sorted(group))
            labels = [headings[column] for column in columns]
            found.append(Split(columns, "\n".join([*labels, "name"])))
    return found


def _numbers(headings: Mapping[int, str]) -> list[Split]:
    found = []
    for column in sorted(headings):
        following = headings.get(column + 1, "")
        if _CODE.search(headings[column]) and _COUNTRY.search(headings[column]) and _PHONE_HEADING.search(following):
            found.append(Split((column, column + 1), f"{headings[column]}\n{following}\nphone"))
    return found


# Control characters, which detection is not to stumble over.
_INVISIBLE = {code: "\u200b" for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\v\f\r\x1a\x85"}
_SIGNS = ("+", "-")


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the file cannot be read."""
    parse.read(data)
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """A unit per cell that is not blank, id `row:column`, row by row; joints where columns split one value."""
    file = parse.read(data)
    headings = _headings(file)
    split = splits(headings)
    units: list[TextUnit] = []
    joints: list[JoinedText] = []
    row: dict[int, TextUnit] = {}
    label, field, number = "", "", -1
    for cell in file.cells():
        if cell.row != number:
            joints += _joints(row, split) if number not in headings.rows else ()
            row, label, field, number = {}, "", "", cell.row
        heading = headings.over(cell)
        text = _said(cell, file, heading)
        if not text or text.isspace():
            continue
        is_value = cell.row not in headings.rows
        context = over_and_before(heading, field, label if headings.is_form else "") if is_value else heading
        label = text if is_heading(text) else ""
        field = label if names_field(label) else field
        unit = TextUnit(f"{cell.row}:{cell.column}", text, context)
        units.append(unit)
        row[cell.column] = unit
        if len(units) > MAX_CSV_CELLS or len(joints) > MAX_CSV_JOINTS:
            raise unsupported(Reason.TOO_COMPLEX)
    joints += _joints(row, split)
    return Extraction(tuple(units), joints=tuple(joints)), {}


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The file with placeholders; every byte of an untouched cell, delimiter and line end stays as it was."""
    file = parse.read(data)
    headings = _headings(file)
    edits = by_unit(findings)
    changes: list[Edit] = []
    for cell in file.cells():
        own = edits.pop(f"{cell.row}:{cell.column}", None)
        if own:
            changes.append(Edit(cell.start, cell.end, _rewritten(cell, own, file, headings.over(cell))))
    if edits:
        raise StageFailed(ErrorCode.REDACTION_INCOMPLETE)
    return file.encode(apply(file.text, changes))


def _headings(file: CsvText) -> Headings:
    shown = file.decoded.shown
    return headings_of(cell._replace(raw=shown(cell.raw)) for cell in _first_rows(file))


def _first_rows(file: CsvText) -> Iterator[Cell]:
    for cell in file.cells():
        if cell.row >= HEADING_ROWS:
            return
        yield cell


def _said(cell: Cell, file: CsvText, heading: str) -> str:
    """What detection reads of a cell: the digits that it means, the letters of odd bytes, nothing unseen."""
    text = meaning(cell.text, heading)
    return text if text.isascii() and text.isprintable() else file.decoded.shown(text).translate(_INVISIBLE)


def _joints(row: dict[int, TextUnit], split: Sequence[Split]) -> Iterator[JoinedText]:
    """The cells of a row that its columns' headings make one text."""
    for columns, label in split:
        units = [row[column] for column in columns if column in row]
        if len(units) > 1:
            yield JoinedText(tuple(Fragment(unit.id, 0, len(unit.text)) for unit in units), " ", label)


def _rewritten(cell: Cell, edits: list[Edit], file: CsvText, heading: str) -> str:
    """The cell after its edits, in its own quotes: all but what was found stays as written."""
    before = meaning(cell.text, heading)
    if _is_number(before) and edits[0].start == 1:  # a sign before a number is no formula; before a word it would be
        edits = [Edit(0, edits[0].end, edits[0].replacement), *edits[1:]]
    if before != cell.text:  # the number stands there otherwise
        value = apply(before, edits)
        return parse.quoted(value, cell.quote) if cell.quote else value
    at = parse.places(cell)
    return apply(cell.raw, [Edit(at[edit.start][0], at[edit.end - 1][1], edit.replacement) for edit in edits])


def _is_number(text: str) -> bool:
    return text[:1] in _SIGNS and not any(c.isalpha() for c in text)
