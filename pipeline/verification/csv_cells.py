"""The cells of a CSV, read character by character by the second reader; pays no heed to how many there are."""

import re
from collections import Counter
from collections.abc import Iterator

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
