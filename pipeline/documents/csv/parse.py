"""Parses CSV into cells with their offsets in the text, so that the rest of the file can stay as it is.

RFC 4180, and what spreadsheets and databases write in practice: any line end, quoted line breaks, rows of different
lengths, text after a closing quote, quotes that never close, single quotes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pipeline.documents.csv.encoding import Decoded, decode
from pipeline.documents.limits import MAX_CSV_COLUMNS, MAX_CSV_FIELD, MAX_CSV_ROWS
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024  # first characters of a file that show its delimiter and quotes
_SAMPLE_ROWS = 50
_NAMED = re.compile(r'"?sep=([^\w\s"]|\t)"?(?:\r\n|\r|\n)', re.IGNORECASE)  # Excel's own first line


class Cell(NamedTuple):
    """A cell. `raw`: the cell as written, `start:end` of the text. `quote`: the quotes around it, if any.

    Row and column are counted from 0.
    """

    row: int
    column: int
    start: int
    end: int
    raw: str
    quote: str

    @property
    def text(self) -> str:
        """The value of the cell: without its quotes, and with doubled quotes single."""
        return unquoted(self.raw, self.quote) if self.quote else self.raw


@dataclass(frozen=True, slots=True)
class CsvText:
    """A decoded file without its byte order mark, and its delimiter and quote character."""

    text: str
    delimiter: str
    quote: str
    decoded: Decoded

    def cells(self) -> Iterator[Cell]:
        """Every cell in order, empty ones included; StageFailed (unsupported_format) past the bounds."""
        return _cells(self.text, self.delimiter, self.quote)

    def encode(self, text: str) -> bytes:
        """The bytes of a text in the file's encoding, after its byte order mark."""
        return self.decoded.encode(text)


def read(data: bytes) -> CsvText:
    """The file in `data`; StageFailed (unsupported_format) when it is no text in a known encoding."""
    decoded = decode(data)
    text = decoded.text
    if "\0" in text:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    quote = _quote(text[:_SAMPLE])
    return CsvText(text, _delimiter(text[:_SAMPLE], quote), quote, decoded)


def unquoted(raw: str, quote: str) -> str:
    """The value of a cell that begins with a quote; text after the closing quote belongs to it."""
    parts = raw[1:].split(quote)
    value: list[str] = []
    position = 0
    while position < len(parts):
        value.append(parts[position])
        doubled = position + 2 < len(parts) and not parts[position + 1]
        if not doubled:
            value.append(quote.join(parts[position + 1 :]))
            break
        value.append(quote)
        position += 2
    return "".join(value)


def character_spans(cell: Cell) -> Sequence[tuple[int, int]]:
    """Start and end in `raw` of each character of a cell's text; those of a doubled quote include both."""
    if not cell.quote:
        return [(at, at + 1) for at in range(len(cell.raw))]
    found: list[tuple[int, int]] = []
    position, inside = 1, True
    while position < len(cell.raw):
        start = position
        if inside and cell.raw[position] == cell.quote:
            position += 1
            if cell.raw[position : position + 1] != cell.quote:
                inside = False
                continue
        position += 1
        found.append((start, position))
    return found


def quoted(value: str, quote: str) -> str:
    """A value inside quotes."""
    return quote + value.replace(quote, quote * 2) + quote


def _cells(text: str, delimiter: str, quote: str) -> Iterator[Cell]:
    row = column = 0
    for match in _pattern(delimiter, quote).finditer(text):
        start, end = match.span(1)
        if end - start > MAX_CSV_FIELD:
            raise unsupported(Reason.TOO_COMPLEX)
        yield Cell(row, column, start, end, match[1], quote if match[2] is not None else "")
        if match[3] == delimiter:
            column += 1
            if column >= MAX_CSV_COLUMNS:
                raise unsupported(Reason.TOO_COMPLEX)
        else:
            row, column = row + 1, 0
            if not match[3]:
                return
            if row >= MAX_CSV_ROWS:
                raise unsupported(Reason.TOO_COMPLEX)


def _quote(sample: str) -> str:
    """The quote character: the single quote when many cells are in single quotes and there is no double quote."""
    if '"' in sample:
        return '"'
    wrapped = len(re.findall(r"(?:^|[,;\t|])'[^'\r\n]*'(?=[,;\t|\r\n]|$)", sample, re.MULTILINE))
    lines = sample.count("\n") + sample.count("\r") + 1
    return "'" if wrapped > 1 and 2 * wrapped > lines else '"'


def _delimiter(sample: str, quote: str) -> str:
    """The delimiter that divides the first rows most evenly; a comma when none occurs."""
    named = _NAMED.match(sample)
    if named:
        return named[1]
    best, best_rank = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts: Counter[int] = Counter()
        for cell in islice(_cells(sample, delimiter, quote), MAX_CSV_COLUMNS):
            if cell.row >= _SAMPLE_ROWS:
                break
            counts[cell.row] += 1
        widths = Counter(width for width in counts.values() if width > 1)
        if widths:
            width, rows = max(widths.items(), key=lambda item: (item[1], item[0]))
            rank = (rows / len(counts), width)
            if rank > best_rank:
                best, best_rank = delimiter, rank
    return best


@lru_cache(maxsize=64)
def _pattern(delimiter: str, quote: str) -> re.Pattern[str]:
    plain = f"[^{re.escape(delimiter)}\r\n]*+"
    q = re.escape(quote)
    return re.compile(
        rf"""(                                               # the cell:
          ({q}[^{q}]*+(?:{q}{q}[^{q}]*+)*{q}                #   a quote up to the closing one, doubled quotes inside,
           (?=[{re.escape(delimiter)}\r\n]|\Z)               #   after which the cell ends;
          |{q}[^{q}\r\n]*+(?:{q}{q}[^{q}\r\n]*+)*{q}{plain} #   or, if it closes in its own line, and the text after it;
          )|{plain})                                         #   or anything up to the delimiter or the line's end
        ({re.escape(delimiter)}|\r\n|\r|\n|\Z)""",
        re.VERBOSE,
    )
