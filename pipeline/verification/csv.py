"""The second reading of a redacted CSV: its cells with their labels, and its bytes in every plausible encoding.

It has its own choice of encoding and its own cell parser, which accepts rows of any width.
"""

import platform
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from pipeline.verification.labels import LONGEST_LABEL, is_field
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_MAX_HEADING_ROWS = 20
_HAS_WORD = re.compile(r"\w{2}")  # a raw line without two word characters in a row has no content
_DECIMAL_NUMBER = re.compile(r"[0-9]+[.,][0-9]+(?:[eE][+]?[0-9]{1,2})?")  # as spreadsheets export numbers
_IDENTIFIER_DIGITS = range(7, 21)  # of an identifier that a spreadsheet turned into a number
_DIALLING_CODE, _LOCAL_NUMBER = re.compile(r"(?:\+|00)?\d{1,4}"), re.compile(r"\d{6,12}")
_DIALLING_CODE_LABEL = re.compile(r"code|prefix|dial|مفتاح|رمز|كود", re.IGNORECASE)
_IDENTIFIER_LABEL = re.compile(
    r"\b(?:id|nid|iqama|national|passport|mobile|phone|tel|telephone|gsm|card|account|iban|tax|vat|mrn)\b"
    r"|هوية|هويه|إقامة|اقامة|جواز|جوال|هاتف|بطاقة|حساب",
    re.IGNORECASE,
)
_ARABIC = re.compile("[\u0621-\u064a]")
_CAMEL_CASE = re.compile(r"([a-z])([A-Z])")


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Cells with their labels as `texts`; every line in every plausible encoding, and every row, as `raw`.

    StageFailed(verify_failed) for a file with NUL characters.
    """
    text = decoded(data)
    if "\0" in text:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    raw = dict.fromkeys(line for line in text.splitlines() if _HAS_WORD.search(line))
    for other in other_decodings(data):
        raw.update(dict.fromkeys(line for line in other.splitlines() if _HAS_WORD.search(line)))
    rows = rows_of(text, delimiter_of(text))
    raw.update(dict.fromkeys("\t".join(row) for row in rows if sum(map(bool, row)) > 1))
    readers = (f"codecs {platform.python_version()}",)
    return SecondReading(tuple(dict.fromkeys(_passages(text))), (), tuple(raw), parts=1, pages=0, readers=readers), {}


def _passages(text: str) -> Iterator[Passage]:
    delimiter = delimiter_of(text)
    top: list[list[str]] = []
    for row in rows_of(text, delimiter):
        top.append([cell.strip() for cell in row])
        if len(top) == _MAX_HEADING_ROWS:
            break
    labels, heading_rows = _headings(top)
    for number, row in enumerate(rows_of(text, delimiter)):
        row_headings = heading_rows.get(number, labels)
        is_heading = number in heading_rows
        yield from _row(
            [cell.strip() for cell in row], row_headings, may_be_form=len(labels) <= 2, is_heading=is_heading
        )


def _row(row: Sequence[str], labels: dict[int, str], *, may_be_form: bool, is_heading: bool) -> Iterator[Passage]:
    left = field = ""
    for column, cell in enumerate(row):
        if not cell:
            continue
        is_placeholder = _PLACEHOLDER.fullmatch(cell) is not None
        heading = labels.get(column, "")
        row_labels = ("" if is_field(heading) else field, left if may_be_form else "") if not is_heading else ()
        context = "\n".join(label for label in dict.fromkeys((heading, *row_labels)) if label not in ("", cell))
        if not is_placeholder:
            yield Passage(cell, context)
            integer = _integer(cell, context)
            if integer:
                yield Passage(integer, context)
            previous = row[column - 1] if column else ""
            if (
                _LOCAL_NUMBER.fullmatch(cell)
                and _DIALLING_CODE.fullmatch(previous)
                and _DIALLING_CODE_LABEL.search(labels.get(column - 1, ""))
            ):
                yield Passage(f"{previous} {cell}", "\n".join((labels.get(column - 1, ""), context)))
        left = cell if not is_placeholder and _is_label(cell) else ""
        field = left if is_field(left) else field


def _integer(cell: str, context: str) -> str:
    """The digits of an integer that is written with decimals or an exponent; empty if the cell is not one."""
    number_text = cell.strip("' ")
    if not _DECIMAL_NUMBER.fullmatch(number_text):
        return ""
    try:
        number = Decimal(number_text.replace(",", "."))
    except InvalidOperation:
        return ""
    mantissa = re.split("[eE]", number_text)[0]
    significant = sum(character.isdigit() for character in mantissa)
    if number != number.to_integral_value() or (
        significant < _IDENTIFIER_DIGITS.start and not _IDENTIFIER_LABEL.search(context)
    ):
        return ""
    digits = str(int(number))
    return digits if len(digits) in _IDENTIFIER_DIGITS else ""


def _headings(rows: Sequence[Sequence[str]]) -> tuple[dict[int, str], dict[int, dict[int, str]]]:
    """The label of each column, and for each heading row the labels above it."""
    filled_rows = {
        number: {column: cell for column, cell in enumerate(row) if cell} for number, row in enumerate(rows) if any(row)
    }
    width = max((len(filled_row) for filled_row in filled_rows.values()), default=0)
    fields = [[is_field(filled_row.get(at, "")) for at in (0, 1)] for filled_row in filled_rows.values()]
    if width == 2 and fields.count([True, False]) > 1:
        return {}, {}  # a form: each value has its label on its left
    numbers = list(filled_rows)
    for at, number in enumerate(numbers[:-1]):
        first = filled_rows[number]
        if len(first) < min(width, 3) or not all(map(_is_label, first.values())):
            continue
        heading_rows: dict[int, dict[int, str]] = {number: {}}
        labels = {column: _with_words(label) for column, label in first.items()}
        following = filled_rows[numbers[at + 1]]
        if at + 2 < len(numbers) and all(map(_is_label, following.values())) and _is_second_heading(first, following):
            heading_rows[numbers[at + 1]] = dict(labels)
            labels = _grouped(labels, following)
        if at and len(filled_rows[numbers[at - 1]]) > 1 and all(map(_is_label, filled_rows[numbers[at - 1]].values())):
            groups = {column: _with_words(label) for column, label in filled_rows[numbers[at - 1]].items()}
            labels = _grouped(groups, labels)
        return labels, heading_rows
    return {}, {}


def _is_second_heading(first: dict[int, str], second: dict[int, str]) -> bool:
    if len(second) > 1 and set(second) - set(first):
        return True
    sides = [{bool(_ARABIC.search(label)) for label in row.values()} for row in (first, second)]
    return len(second) >= len(first) - 1 and sides in ([{True}, {False}], [{False}, {True}])


def _grouped(groups: dict[int, str], labels: dict[int, str]) -> dict[int, str]:
    """Each label after its group label: the one above it, or the nearest one to the left of that."""
    grouped: dict[int, str] = {}
    above = ""
    for column in sorted({*groups, *labels}):
        above = groups.get(column, above)
        grouped[column] = "\n".join(label for label in (above, _with_words(labels.get(column, ""))) if label)
    return grouped


def _with_words(label: str) -> str:
    """A label, and on a second line the words of a camel-case label."""
    words = _CAMEL_CASE.sub(r"\1 \2", label)
    return label if words == label or "\n" in label else f"{label}\n{words}"


def _is_label(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_LABEL
        and any(c.isalpha() for c in text)
        and sum(c.isdigit() for c in text) <= 2
        and "@" not in text
        and not _PLACEHOLDER.fullmatch(text)
    )


_DELIMITERS = ",;\t|"
_QUOTED_CELL = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')
_CELL_ENDS: dict[str, re.Pattern[str]] = {}


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of each row. A quote opens at the start of a cell and closes at the next quote that is not doubled.

    A quote that never closes, or that closes in another line but not at the end of a cell, is an ordinary character.
    So it cannot take in the rest of the file.
    """
    ends = _CELL_ENDS.setdefault(delimiter, re.compile(f"[{re.escape(delimiter)}\r\n]"))
    row: list[str] = []
    position = 0
    while position <= len(text):
        cell, position = _cell(text, position, ends)
        row.append(cell)
        if position >= len(text):
            break
        if text[position] != delimiter:
            position += text.startswith("\r\n", position)
            yield row
            row = []
        position += 1
    yield row


def delimiter_of(text: str) -> str:
    """The delimiter of a `sep=` line, else the one that splits most of the first 50 lines into the same width."""
    declared = re.match(r'"?sep=([^\w\s"]|\t)', text, re.IGNORECASE)
    if declared:
        return declared[1]
    lines = [line for line in text[:65536].splitlines()[:50] if line.strip()]

    def agreement(delimiter: str) -> tuple[int, int]:
        counts = Counter(len(next(rows_of(line, delimiter))) for line in lines)
        width, count = max(((w, n) for w, n in counts.items() if w > 1), key=lambda p: (p[1], p[0]), default=(0, 0))
        return count, width

    return max(_DELIMITERS, key=agreement)


def _cell(text: str, start: int, ends: re.Pattern[str]) -> tuple[str, int]:
    """The cell that begins at `start`, and the offset of the delimiter or line end after it."""
    position, value = start, ""
    if text.startswith('"', start):
        match = _QUOTED_CELL.match(text, start + 1)
        if match is not None and _is_cell(text, start + 1, match.end(), ends):
            value, position = text[start + 1 : match.end() - 1].replace('""', '"'), match.end()
    match = ends.search(text, position)
    end = match.start() if match else len(text)
    return value + text[position:end], end


def _is_cell(text: str, start: int, end: int, ends: re.Pattern[str]) -> bool:
    """Whether the quotes around `start:end` enclose one cell: it ends after them, or they are in one line."""
    if end == len(text) or ends.match(text, end):
        return True
    return text.find("\n", start, end) < 0 and text.find("\r", start, end) < 0


_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_WIDE_ENCODINGS = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_CODE_PAGES = ("cp1256", "iso8859-6", "cp1252")
_SAMPLE = 1 << 20  # bytes from which the encoding is chosen
# Characters of a table in the right encoding: delimiters, digits, line ends, Latin and Arabic letters.
_EXPECTED = re.compile("[\t\n\r -~\u0621-\u064a\u0660-\u0669]")
# Accented Latin letters, symbols and vowel marks: a wrong code page puts them into every word.
_UNEXPECTED = re.compile("[\u00a1-\u00ff\u064b-\u0652\u2018-\u203a\ufffd]")
_MIXED_SCRIPTS = re.compile("[A-Za-z][\u0621-\u0652]|[\u0621-\u0652][A-Za-z]")
_MIN_EXPECTED = 0.8


def decoded(data: bytes) -> str:
    """The text of the file. A line that is not UTF-8 in a UTF-8 file is decoded with the likeliest code page."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return _by_line(body) if encoding == "utf-8" else body.decode(encoding, "replace")
    if b"\0" in data[:_SAMPLE]:
        for encoding in _WIDE_ENCODINGS:
            sample = data[: _SAMPLE // 4 * 4].decode(encoding, "replace")
            if len(_EXPECTED.findall(sample)) >= _MIN_EXPECTED * max(len(sample), 1):
                return data.decode(encoding, "replace")
    return _by_line(data)


def other_decodings(data: bytes) -> Iterator[str]:
    """The text of a file that is not UTF-8 in each code page: the chosen one may be wrong."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not data.startswith(tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")):
            for page in _CODE_PAGES:
                yield data.decode(page, "replace")


def _by_line(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = data.split(b"\n")
    strict = [_utf8_line(line) for line in lines]
    rest = b"\n".join(line for line, text in zip(lines, strict, strict=True) if text is None)
    page = min(_CODE_PAGES, key=lambda name: _implausibility(rest[:_SAMPLE].decode(name, "replace")))
    return "\n".join(
        line.decode(page, "replace") if text is None else text for line, text in zip(lines, strict, strict=True)
    )


def _utf8_line(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        return text if sum(letter > "\x7f" for letter in text) - bad > bad else None


def _implausibility(text: str) -> int:
    return len(_UNEXPECTED.findall(text)) + 2 * len(_MIXED_SCRIPTS.findall(text))
