"""A CSV file as text whose every cell knows its place: encoding, delimiter, quotes and cells, exactly reversible.

RFC 4180 as spreadsheets and databases really write it: any line ending, quoted line breaks, ragged rows, text after a
closing quote, quotes that never close, single quotes.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from pipeline.documents.limits import MAX_CSV_COLUMNS, MAX_CSV_ROWS
from schemas.errors import ErrorCode, StageFailed, unsupported
from schemas.refusals import Reason

# The bytes of a text file as characters and back, byte for byte: Unicode with and without a mark, and code pages.
#
# A file that is UTF-8 but for a few bytes stays UTF-8: those bytes are kept as lone surrogates and read in a code page.

# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKED = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# High bytes of the blocks that such files are made of: Latin, Arabic with its forms, punctuation.
_HIGH = frozenset([0x00, 0x06, 0x07, 0x20, 0xFB, 0xFD, 0xFE])
_MOST_HIGH = 0.9  # share of high bytes from which on a sample is UTF-16
_ARABIC_PAGES, _PAGES = ("cp1256", "iso8859-6"), ("cp1256", "iso8859-6", "cp1252", "latin-1")
_LEAST_SHARE = 1.0  # valid sequences of UTF-8 for each byte that is none
_ESCAPED = re.compile("[\udc80-\udcff]")
_WIDE = re.compile("[\x80-\U0010ffff]")
# What a wrong code page makes: letters of two scripts in a word, vowel marks and symbols inside words.
_ODD = re.compile(
    "(?<=[A-Za-z\u00c0-\u00ff])[\u0621-\u0652]|(?<=[\u0621-\u0652])[A-Za-z\u00c0-\u00ff]|[\u064b-\u0652]"
    "|(?<=\\w)[\u00a1-\u00bf\u2018-\u203a\x80-\x9f\ufffd](?=\\w)|[\u00c0-\u00ff]{3}"
)


class Decoded(NamedTuple):
    """A file's characters: `text` for writing back, with the same length as what `shown` makes of any part of it."""

    text: str
    encoding: str
    mark: bytes
    shown: Callable[[str], str]

    def encode(self, text: str) -> bytes:
        """A text in the file's encoding, behind its mark; bytes that were kept come back."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        return self.mark + text.encode(self.encoding, errors)


def decode(data: bytes) -> Decoded:
    """The file's characters; StageFailed (unsupported_format) when it is no text."""
    if not data:
        raise unsupported(Reason.EMPTY)
    for mark, encoding in _MARKED:
        if data.startswith(mark):
            return _strict(data, encoding, mark)
    wide = _unmarked(data[:_SAMPLE])
    if wide:
        return _strict(data, wide, b"")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", b"", str)
    except UnicodeDecodeError:
        return _mostly(data, b"")


def _strict(data: bytes, encoding: str, mark: bytes) -> Decoded:
    try:
        return Decoded(data[len(mark) :].decode(encoding), encoding, mark, str)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT) from None
        return _mostly(data[len(mark) :], mark)


def _unmarked(sample: bytes) -> str:
    """UTF-16 or UTF-32 that does not say so: delimiters and line ends give it away, whose high bytes are zero."""
    if len(sample) < 4 or b"\0" not in sample:
        return ""
    for encoding, first, second in (("utf-32-le", 2, 3), ("utf-32-be", 0, 1)):
        if len(sample) % 4 == 0 and not any(sample[first::4]) and not any(sample[second::4]):
            return encoding
    pairs = len(sample) // 2
    for encoding, high, low in (
        ("utf-16-le", sample[1::2], sample[: 2 * pairs : 2]),
        ("utf-16-be", sample[: 2 * pairs : 2], sample[1::2]),
    ):
        if 0 in high and 0 not in low and sum(byte in _HIGH for byte in high) >= _MOST_HIGH * pairs:
            return encoding
    return ""


def _mostly(data: bytes, mark: bytes) -> Decoded:
    """UTF-8 with other bytes in it, or a code page: whichever more of the bytes speak for."""
    text = data.decode("utf-8", "surrogateescape")
    escaped = len(_ESCAPED.findall(text))
    if mark or len(_WIDE.findall(text)) - escaped >= _LEAST_SHARE * escaped:
        kept = bytes(ord(character) - 0xDC00 for character in _ESCAPED.findall(text))
        page = _page_of(kept, _ARABIC_PAGES)
        table = {0xDC00 + byte: bytes([byte]).decode(page, "replace") for byte in range(0x80, 0x100)}
        return Decoded(text, "utf-8", mark, lambda part: part if part.isascii() else part.translate(table))
    encoding = _page_of(data, _PAGES)
    return Decoded(data.decode(encoding), encoding, mark, str)


def _page_of(data: bytes, pages: tuple[str, ...]) -> str:
    """The one of some code pages that makes the least odd words of the bytes."""
    best, least = "", -1
    for page in pages:
        try:
            text = data.decode(page)
        except UnicodeDecodeError:
            continue
        odd = len(_ODD.findall(text))
        if least < 0 or odd < least:
            best, least = page, odd
    return best


DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024  # characters that decide delimiter and quotes
_SAMPLE_ROWS = 50
_NAMED = re.compile(r'"?sep=([^\w\s"]|\t)"?(?:\r\n|\r|\n)', re.IGNORECASE)  # Excel's own first line


class Cell(NamedTuple):
    """`raw` is the cell as written at `start:end` of the text; row and column count from 0; `quote` is around it."""

    row: int
    column: int
    start: int
    end: int
    raw: str
    quote: str

    @property
    def text(self) -> str:
        """What a spreadsheet shows: quotes taken off, doubled quotes single."""
        return unquoted(self.raw, self.quote) if self.quote else self.raw


@dataclass(frozen=True, slots=True)
class CsvText:
    """The decoded text without its byte order mark, and what is needed to write it back."""

    text: str
    delimiter: str
    quote: str
    decoded: Decoded

    def cells(self) -> Iterator[Cell]:
        """Every cell in order, empty ones included; StageFailed (unsupported_format) past the bounds."""
        return _cells(self.text, self.delimiter, self.quote)

    def encode(self, text: str) -> bytes:
        """A text in this file's encoding, behind its mark."""
        return self.decoded.encode(text)


def read(data: bytes) -> CsvText:
    """The file's text; StageFailed (unsupported_format) when it is not text in one of the encodings we know."""
    decoded = decode(data)
    text = decoded.text
    if "\0" in text:
        raise StageFailed(ErrorCode.UNSUPPORTED_FORMAT)
    quote = _quote(text[:_SAMPLE])
    return CsvText(text, _delimiter(text[:_SAMPLE], quote), quote, decoded)


def unquoted(raw: str, quote: str) -> str:
    """The value of a cell that begins with a quote; what follows the closing quote belongs to it."""
    pieces = raw[1:].split(quote)
    value: list[str] = []
    position = 0
    while position < len(pieces):
        value.append(pieces[position])
        doubled = position + 2 < len(pieces) and not pieces[position + 1]
        if not doubled:
            value.append(quote.join(pieces[position + 1 :]))
            break
        value.append(quote)
        position += 2
    return "".join(value)


def places(cell: Cell) -> Sequence[tuple[int, int]]:
    """Where each character of a cell's text is written in `raw`: start and end, a doubled quote's both."""
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
    """The single quote where whole cells stand in it and none in the double one."""
    if '"' in sample:
        return '"'
    wrapped = len(re.findall(r"(?:^|[,;\t|])'[^'\r\n]*'(?=[,;\t|\r\n]|$)", sample, re.MULTILINE))
    lines = sample.count("\n") + sample.count("\r") + 1
    return "'" if wrapped > 1 and 2 * wrapped > lines else '"'


def _delimiter(sample: str, quote: str) -> str:
    """The delimiter that cuts the first rows most evenly; a comma when none cuts anything."""
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
           (?=[{re.escape(delimiter)}\r\n]|\Z)               #   behind which the cell ends;
          |{q}[^{q}\r\n]*+(?:{q}{q}[^{q}\r\n]*+)*{q}{plain} #   or, if it closes in its own line, with what follows it;
          )|{plain})                                         #   or anything up to the delimiter or the line's end
        ({re.escape(delimiter)}|\r\n|\r|\n|\Z)""",
        re.VERBOSE,
    )
