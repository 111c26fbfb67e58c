"""Reads a redacted CSV a second time, from its raw bytes, in every encoding that could show something else."""

import platform
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from pipeline.verification.labels import LONGEST_LABEL, is_field
from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

# The cells of a CSV, read character by character by the second reader; pays no heed to how many there are.

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')
_ENDS: dict[str, re.Pattern[str]] = {}


def rows_of(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of each line: a quote opens at a cell's start and closes at the next one that is not doubled.

    A quote that never closes, or that closes in another line in the middle of a word, is an ordinary character, so that
    it cannot swallow the rest of the file.
    """
    ends = _ENDS.setdefault(delimiter, re.compile(f"[{re.escape(delimiter)}\r\n]"))
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
    """The one that the first lines agree on best, or that the first line names."""
    named = re.match(r'"?sep=([^\w\s"]|\t)', text, re.IGNORECASE)
    if named:
        return named[1]
    lines = [line for line in text[:65536].splitlines()[:50] if line.strip()]

    def agreement(delimiter: str) -> tuple[int, int]:
        counts = Counter(len(next(rows_of(line, delimiter))) for line in lines)
        width, often = max(((w, n) for w, n in counts.items() if w > 1), key=lambda p: (p[1], p[0]), default=(0, 0))
        return often, width

    return max(_DELIMITERS, key=agreement)


def _cell(text: str, start: int, ends: re.Pattern[str]) -> tuple[str, int]:
    """The cell that begins at `start`, and where the delimiter or line end behind it stands."""
    position, value = start, ""
    if text.startswith('"', start):
        match = _QUOTED.match(text, start + 1)
        if match is not None and _is_cell(text, start + 1, match.end(), ends):
            value, position = text[start + 1 : match.end() - 1].replace('""', '"'), match.end()
    match = ends.search(text, position)
    end = match.start() if match else len(text)
    return value + text[position:end], end


def _is_cell(text: str, start: int, end: int, ends: re.Pattern[str]) -> bool:
    """Whether the quotes around `start:end` hold one cell: it ends behind them, or they stand in one line."""
    if end == len(text) or ends.match(text, end):
        return True
    return text.find("\n", start, end) < 0 and text.find("\r", start, end) < 0


# What the bytes of a redacted CSV spell, and what else they might: the second reader's own choice of encodings.

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_PAGES = ("cp1256", "iso8859-6", "cp1252")
_TESTED = 1 << 20  # bytes by which encodings are judged
# What no wrong encoding makes of a table: its delimiters, digits, line ends, and letters of the two scripts.
_PLAIN = re.compile("[\t\n\r -~\u0621-\u064a\u0660-\u0669]")
# Accented Latin letters, symbols and vowel marks: where a wrong code page puts them into every word.
_ALIEN = re.compile("[\u00a1-\u00ff\u064b-\u0652\u2018-\u203a\ufffd]")
_MIXED = re.compile("[A-Za-z][\u0621-\u0652]|[\u0621-\u0652][A-Za-z]")
_MOST = 0.8


def letters_of(data: bytes) -> str:
    """The text of the file; a line that is no UTF-8 in a file that else is, in a code page."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return _by_line(body) if encoding == "utf-8" else body.decode(encoding, "replace")
    if b"\0" in data[:_TESTED]:
        for encoding in _WIDE:
            sample = data[: _TESTED // 4 * 4].decode(encoding, "replace")
            if len(_PLAIN.findall(sample)) >= _MOST * max(len(sample), 1):
                return data.decode(encoding, "replace")
    return _by_line(data)


def other_letters(data: bytes) -> Iterator[str]:
    """What else a file that is no UTF-8 may spell: one reader's noise is another's name."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not data.startswith(tuple(mark for mark, encoding in _MARKS if encoding != "utf-8")):
            for page in _PAGES:
                yield data.decode(page, "replace")


def _by_line(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    lines = data.split(b"\n")
    strict = [_strict(line) for line in lines]
    rest = b"\n".join(line for line, text in zip(lines, strict, strict=True) if text is None)
    page = min(_PAGES, key=lambda name: _oddness(rest[:_TESTED].decode(name, "replace")))
    return "\n".join(
        line.decode(page, "replace") if text is None else text for line, text in zip(lines, strict, strict=True)
    )


def _strict(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        return text if sum(letter > "\x7f" for letter in text) - bad > bad else None


def _oddness(text: str) -> int:
    return len(_ALIEN.findall(text)) + 2 * len(_MIXED.findall(text))


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
