"""Reads a redacted CSV a second time, from its raw bytes, in every encoding that could show something else."""

import platform
import re
from collections import Counter
from collections.abc import Iterator

from pipeline.verification.reading import Passage, SecondReading
from schemas.errors import ErrorCode, StageFailed

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_OTHERS = ("cp1256", "iso8859-6")  # Arabic code pages: what is one reader's noise is another's name
# Accented Latin letters and vowel marks: where a wrong code page puts them into every Arabic word.
_ALIEN = re.compile("[\u00e0-\u00ff\u064b-\u0652\ufffd]")
_DELIMITERS = ",;\t|"
_PLACEHOLDER = re.compile(r"[A-Z_]+_\d{2,}")
_HEADING_ROWS = 20
_LONGEST_LABEL = 60
_SAY = re.compile(r"\w{2}")  # a raw line without two word characters in a row says nothing
_QUOTED = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Cells with their headings as texts; every line, in every plausible encoding, as raw."""
    text = _decoded(data)
    if "\0" in text:
        raise StageFailed(ErrorCode.VERIFY_FAILED)
    raw = text.splitlines()
    if not data.isascii():
        for encoding in _OTHERS:
            raw += data.decode(encoding, "replace").splitlines()
    lines = tuple(line for line in dict.fromkeys(raw) if _SAY.search(line))
    readers = (f"codecs {platform.python_version()}",)
    return SecondReading(tuple(dict.fromkeys(_passages(text))), (), lines, parts=1, pages=0, readers=readers), {}


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        windows, iso = data.decode("cp1256", "replace"), data.decode("iso8859-6", "replace")
        return iso if len(_ALIEN.findall(windows)) > len(_ALIEN.findall(iso)) else windows


def _passages(text: str) -> Iterator[Passage]:
    rows = _rows(text, _delimiter(text))
    headings = _headings(rows[:_HEADING_ROWS])
    for row in rows:
        left, may_be_form = "", len(headings) <= 2 and dict(enumerate(map(str.strip, row))) != headings
        for column, cell in enumerate(row):
            said = cell.strip()
            if said:
                labels = (headings.get(column, ""), left if may_be_form else "")
                yield Passage(said, "\n".join(label for label in labels if label not in ("", said)))
            left = said if _is_label(said) and not _PLACEHOLDER.fullmatch(said) else ""


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The cells of each line, read character by character: a quote opens at a cell's start and closes at the next one.

    A quote that never closes is taken as an ordinary character, so that it cannot swallow the rest of the file.
    """
    rows: list[list[str]] = [[]]
    position = 0
    ends = re.compile(f"[{re.escape(delimiter)}\r\n]")
    while position <= len(text):
        cell, position = _cell(text, position, ends)
        rows[-1].append(cell)
        if position >= len(text):
            break
        if text[position] != delimiter:
            position += text.startswith("\r\n", position)
            rows.append([])
        position += 1
    return rows


def _cell(text: str, start: int, ends: re.Pattern[str]) -> tuple[str, int]:
    """The cell that begins at `start`, and where the delimiter or line end behind it stands."""
    position, value = start, ""
    if text.startswith('"', start):
        close = _closing(text, start + 1)
        if close >= 0:
            value, position = text[start + 1 : close].replace('""', '"'), close + 1
    match = ends.search(text, position)
    end = match.start() if match else len(text)
    return value + text[position:end], end


def _closing(text: str, start: int) -> int:
    """Where the quote stands that is not doubled; -1 when there is none."""
    match = _QUOTED.match(text, start)
    return match.end() - 1 if match else -1


def _delimiter(text: str) -> str:
    """The one that the first lines agree on best."""
    named = re.match(r'"?sep=([,;\t|])', text, re.IGNORECASE)
    if named:
        return named[1]
    lines = [line for line in text[:65536].splitlines()[:50] if line.strip()]

    def agreement(delimiter: str) -> tuple[int, int]:
        counts = Counter(len(_rows(line, delimiter)[0]) for line in lines)
        width, often = max(((w, n) for w, n in counts.items() if w > 1), key=lambda p: (p[1], p[0]), default=(0, 0))
        return often, width

    return max(_DELIMITERS, key=agreement)


def _headings(rows: list[list[str]]) -> dict[int, str]:
    """The labels of the columns: the first row of several cells that are all labels."""
    said = [{column: cell.strip() for column, cell in enumerate(row) if cell.strip()} for row in rows]
    said = [filled for filled in said if filled]
    width = max(map(len, said), default=0)
    for filled in said[:-1]:
        if len(filled) >= min(width, 3) and all(map(_is_label, filled.values())):
            return filled
    return {}


def _is_label(text: str) -> bool:
    return (
        0 < len(text) <= _LONGEST_LABEL
        and any(c.isalpha() for c in text)
        and sum(c.isdigit() for c in text) <= 2
        and "@" not in text
    )
