"""Texts that spell characters otherwise: `%D8%B3` of addresses, `&#x633;` of HTML, `\\u0633` of JSON and of code.

Sources: RFC 3986, section 2.1; the named character references of HTML; RFC 8259, section 7; RFC 2045, section 6.7;
string literals of Python and JavaScript; the octal bytes in which shells and git quote names of files.
"""

import html
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

# However often JSON was put into JSON: all backslashes before an escape belong to it. `(?<!\\\\)` keeps that linear.
# However often an address was put into another: `%25` and `&amp;` are what becomes of their own marks.
_SPELLED = re.compile(
    r"""(?P<percent>(?:%(?:25)*[0-9A-Fa-f]{2})+)
      | &(?:amp;)*(?P<entity>\#0{0,20}\d{1,7}(?!\d);?|\#[xX]0{0,20}[0-9A-Fa-f]{1,6}(?![0-9A-Fa-f]);?
                            |[A-Za-z][A-Za-z0-9]{1,24};)
      | \\(?<!\\\\)\\*+(?:u(?P<high>[Dd][89ABab][0-9A-Fa-f]{2})\\+u(?P<low>[Dd][C-Fc-f][0-9A-Fa-f]{2})
                       |u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|[ux]\{(?P<braced>[0-9A-Fa-f]{1,8})\}
                       |(?P<hexadecimal>x[0-9A-Fa-f]{2}(?:\\+x[0-9A-Fa-f]{2})*)
                       |(?P<octal>[0-3][0-7]{2}(?:\\+[0-3][0-7]{2})+))
      | (?P<quoted>(?:=[0-9A-F]{2}(?:=\r?\n)?){2,})""",
    re.VERBOSE,
)
_MARKS = re.compile(r"[%&\\=]")
_BYTE = {
    "percent": re.compile(r"%(?:25)*([0-9A-Fa-f]{2})"),
    "hexadecimal": re.compile(r"\\+x([0-9A-Fa-f]{2})"),
    "octal": re.compile(r"\\+([0-3][0-7]{2})"),
    "quoted": re.compile(r"=([0-9A-F]{2})(?:=\r?\n)?"),
}
# What bytes are that are not UTF-8: the code page in which old Arabic addresses were written; characters' own numbers.
_OTHERWISE = {"percent": "cp1256", "hexadecimal": "latin-1"}
_MOST_TIMES = 3  # `&#37;40` is an @ that was spelled twice


class Decoded(NamedTuple):
    """What a text means: character `n` of `text` is spelled at `starts[n]:ends[n]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]


def decoded(text: str) -> Decoded | None:
    """The text with every such spelling resolved, also those that resolving shows; None when there is none."""
    found = _once(text)
    for _ in range(_MOST_TIMES - 1):
        again = _once(found.text) if found else None
        if found is None or again is None:
            break
        starts, ends = [found.starts[n] for n in again.starts], [found.ends[n - 1] for n in again.ends]
        found = Decoded(again.text, starts, ends)
    return found


def _once(text: str) -> Decoded | None:
    if _MARKS.search(text) is None or _SPELLED.search(text) is None:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _SPELLED.finditer(text):
        pieces.append(text[last : match.start()])
        starts += range(last, match.start())
        ends += range(last + 1, match.start() + 1)
        for letter, start, end in _meant(match):
            pieces.append(letter)
            starts.append(start)
            ends.append(end)
        last = match.end()
    pieces.append(text[last:])
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    meaning = "".join(pieces)
    return Decoded(meaning, starts, ends) if meaning != text else None


def _meant(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The characters that a spelling stands for, each with its place; none for a number beyond the last character."""
    kind = match.lastgroup or ""
    if kind in _BYTE:
        yield from _of_bytes(match, kind)
        return
    start, end = match.span()
    for letter in html.unescape(f"&{match[kind]}") if kind == "entity" else _numbered(match, kind):
        yield letter, start, end


def _numbered(match: re.Match[str], kind: str) -> str:
    number = int(match[kind], 16)
    if kind == "low":  # RFC 8259, section 7: twelve signs for what lies beyond four digits
        number = 0x10000 + ((int(match["high"], 16) - 0xD800) << 10) + number - 0xDC00
    return chr(number) if number <= sys.maxunicode else ""


def _of_bytes(match: re.Match[str], kind: str) -> Iterator[tuple[str, int, int]]:
    """Bytes that are UTF-8, else what `kind` has for such; ASCII is no reason to see bytes in `\\100` and `=40`."""
    at, run = match.start(), match[0]
    units = [(int(unit[1], 8 if kind == "octal" else 16), *unit.span()) for unit in _BYTE[kind].finditer(run)]
    data = bytes(byte for byte, _, _ in units)
    encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = _OTHERWISE.get(kind, "")
        text = data.decode(encoding) if encoding else ""
    if not text or (kind not in _OTHERWISE and text.isascii()):
        yield from ((letter, place, place + 1) for place, letter in enumerate(run, at))
        return
    first = 0
    for letter in text:
        last = first + len(letter.encode(encoding)) - 1
        yield letter, at + units[first][1], at + units[last][2]
        first = last + 1
