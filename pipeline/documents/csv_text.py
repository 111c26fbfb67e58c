"""A CSV file as text whose every cell knows its place: encoding, delimiter and cells, exactly reversible.

RFC 4180 as spreadsheets really write it: any line ending, quoted line breaks, ragged rows, text after a closing quote.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from schemas.errors import ErrorCode, StageFailed

DELIMITERS = ",;\t|"
MAX_COLUMNS = 65_536  # of one row; spreadsheets stop at 16,384
MAX_ROWS = 10_000_000
_MIXED = re.compile("(?<=[\u0621-\u064a])[çèéêë]|[çèéêë](?=[\u0621-\u064a])")
_MARKS = re.compile("[\u064b-\u0652]")
# What spreadsheets and data frames make of a long number: `1012345672.0`, `1.012345672E+09`.
_WRITTEN_NUMBER = re.compile(r"\s*(?:(\d{7,20})\.0+|(\d\.\d{6,19})[eE]\+?(\d\d?))\s*")
_LONGEST_NUMBER = 20  # digits
_SAMPLE = 64 * 1024  # characters that decide the delimiter
_SAMPLE_ROWS = 50
_MARKED = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Cell(NamedTuple):
    """`raw` is the cell as written at `start:end` of the text; row and column count from 0."""

    row: int
    column: int
    start: int
    end: int
    raw: str

    @property
    def is_quoted(self) -> bool:
        return self.raw.startswith('"')

    @property
    def text(self) -> str:
        """What a spreadsheet shows: quotes taken off, doubled quotes single."""
        return unquoted(self.raw) if self.is_quoted else self.raw

    @property
    def meaning(self) -> str:
        """Its text; of a long whole number that is written as a fraction, the number's digits."""
        match = _WRITTEN_NUMBER.fullmatch(self.text)
        if match is None:
            return self.text
        if match[1]:
            return match[1]
        digits, places = match[2].replace(".", ""), int(match[3])
        return digits.ljust(places + 1, "0") if len(digits) <= places + 1 <= _LONGEST_NUMBER else self.text


@dataclass(frozen=True, slots=True)
class CsvText:
    """The decoded text without its byte order mark, and what is needed to write it back."""

    text: str
    encoding: str
    mark: bytes
    delimiter: str

    def cells(self) -> Iterator[Cell]:
        """Every cell in order, empty ones included; StageFailed (unsupported_format) past the bounds below."""
        pattern = _pattern(self.delimiter)
        row = column = 0
        for match in pattern.finditer(self.text):
            start, end = match.span(1)
            yield Cell(row, column, start, end, match[1])
            if match[2] == self.delimiter:
                column += 1
                if column >= MAX_COLUMNS:
                    raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
            else:
                row, column = row + 1, 0
                if not match[2]:
                    return
                if row >= MAX_ROWS:
                    raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)

    def encode(self, text: str) -> bytes:
        """A text in this file's encoding, behind its mark."""
        return self.mark + text.encode(self.encoding)


def read(data: bytes) -> CsvText:
    """The file's text; StageFailed (unsupported_format) when it is not text in one of the encodings we know."""
    text, encoding, mark = _decoded(data)
    if "\0" in text:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    return CsvText(text, encoding, mark, _delimiter(text))


def unquoted(raw: str) -> str:
    """The value of a cell that begins with a quote; what follows the closing quote belongs to it."""
    pieces = raw[1:].split('"')
    value: list[str] = []
    position = 0
    while position < len(pieces):
        value.append(pieces[position])
        doubled = position + 2 < len(pieces) and not pieces[position + 1]
        if not doubled:
            value.append('"'.join(pieces[position + 1 :]))
            break
        value.append('"')
        position += 2
    return "".join(value)


def quoted(value: str) -> str:
    """A value inside quotes."""
    return '"' + value.replace('"', '""') + '"'


def _decoded(data: bytes) -> tuple[str, str, bytes]:
    if not data or data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    mark = next((mark for mark in _MARKED if data.startswith(mark)), b"")
    encoding = _MARKED.get(mark, "utf-8")
    try:
        return data[len(mark) :].decode(encoding), encoding, mark
    except UnicodeDecodeError:
        if mark:
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
    encoding = _code_page(data)
    return data.decode(encoding), encoding, b""


def _code_page(data: bytes) -> str:
    """The code page of Arabic Windows, or ISO 8859-6 where that makes better words; both give every byte back.

    ISO's ya, waw and ha are French letters in the other; Windows' ya is a vowel mark in ISO.
    """
    windows = data.decode("cp1256")
    try:
        iso = data.decode("iso8859-6")
    except UnicodeDecodeError:
        return "cp1256"
    return "iso8859-6" if len(_MIXED.findall(windows)) > len(_MARKS.findall(iso)) else "cp1256"


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first rows most evenly; a comma when none cuts anything."""
    named = re.match(r'"?sep=([,;\t|])"?\r?\n', text, re.IGNORECASE)  # Excel's own first line
    if named:
        return named[1]
    sample = text[:_SAMPLE]
    best, best_rank = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts: Counter[int] = Counter()
        for cell in CsvText(sample, "", b"", delimiter).cells():
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


@lru_cache(maxsize=len(DELIMITERS))
def _pattern(delimiter: str) -> re.Pattern[str]:
    plain = f"[^{re.escape(delimiter)}\r\n]*+"
    return re.compile(
        rf"""(                      # the cell:
          "[^"]*(?:""[^"]*)*        #   opens with a quote: up to the closing one, quotes inside are doubled,
          (?:"(?!"){plain})?        #   and what follows it; a quote that never closes takes the rest of the file
          |{plain})                 #   or anything up to the delimiter or the line's end
        ({re.escape(delimiter)}|\r\n|\r|\n|\Z)""",
        re.VERBOSE,
    )
