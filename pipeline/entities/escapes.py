"""Decodes escaped characters: `%D8%B3` of URLs, `&#x633;` of HTML, `\\u0633` of JSON and source code, `=D8=B3` of mail.

Sources: RFC 3986, section 2.1; the named character references of HTML; RFC 8259, section 7; RFC 2045, section 6.7;
string literals of Python and JavaScript; the octal bytes in which shells and git quote file names.
"""

import html
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

# JSON may be nested in JSON: all backslashes before an escape belong to it. `(?<!\\\\)` keeps the time linear.
# A URL may be nested in another: `%25` and `&amp;` are the escapes of the escape marks themselves.
_ESCAPES = re.compile(
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
_ESCAPE_MARKS = re.compile(r"[%&\\=]")
_BYTE = {
    "percent": re.compile(r"%(?:25)*([0-9A-Fa-f]{2})"),
    "hexadecimal": re.compile(r"\\+x([0-9A-Fa-f]{2})"),
    "octal": re.compile(r"\\+([0-3][0-7]{2})"),
    "quoted": re.compile(r"=([0-9A-F]{2})(?:=\r?\n)?"),
}
# The encoding of bytes that are not UTF-8: the code page of old Arabic URLs; Latin-1, where bytes are code points.
_FALLBACK_ENCODING = {"percent": "cp1256", "hexadecimal": "latin-1"}
_MOST_TIMES = 3  # `&#37;40` is an @ that was escaped twice


class Decoded(NamedTuple):
    """A decoded text. Character `n` of `text` comes from `starts[n]:ends[n]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]


def decode_escapes(text: str) -> Decoded | None:
    """The text with every escape decoded, up to three times, as an escape may contain others; None if it has none."""
    found = _decoded_once(text)
    for _ in range(_MOST_TIMES - 1):
        again = _decoded_once(found.text) if found else None
        if found is None or again is None:
            break
        starts, ends = [found.starts[n] for n in again.starts], [found.ends[n - 1] for n in again.ends]
        found = Decoded(again.text, starts, ends)
    return found


def _decoded_once(text: str) -> Decoded | None:
    if _ESCAPE_MARKS.search(text) is None or _ESCAPES.search(text) is None:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _ESCAPES.finditer(text):
        pieces.append(text[last : match.start()])
        starts += range(last, match.start())
        ends += range(last + 1, match.start() + 1)
        for letter, start, end in _decoded_characters(match):
            pieces.append(letter)
            starts.append(start)
            ends.append(end)
        last = match.end()
    pieces.append(text[last:])
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    decoded = "".join(pieces)
    return Decoded(decoded, starts, ends) if decoded != text else None


def _decoded_characters(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The characters of an escape, each with its offsets; none for a number beyond the last code point."""
    kind = match.lastgroup or ""
    if kind in _BYTE:
        yield from _from_bytes(match, kind)
        return
    start, end = match.span()
    for letter in html.unescape(f"&{match[kind]}") if kind == "entity" else _from_number(match, kind):
        yield letter, start, end


def _from_number(match: re.Match[str], kind: str) -> str:
    number = int(match[kind], 16)
    if kind == "low":  # RFC 8259, section 7: a surrogate pair for a code point beyond four digits
        number = 0x10000 + ((int(match["high"], 16) - 0xD800) << 10) + number - 0xDC00
    return chr(number) if number <= sys.maxunicode else ""


def _from_bytes(match: re.Match[str], kind: str) -> Iterator[tuple[str, int, int]]:
    """The characters of escaped bytes: UTF-8, or else the fallback encoding of their kind.

    Octal and quoted-printable bytes that are all ASCII are not decoded: `\\100` and `=40` may be other things.
    """
    at, run = match.start(), match[0]
    units = [(int(unit[1], 8 if kind == "octal" else 16), *unit.span()) for unit in _BYTE[kind].finditer(run)]
    data = bytes(byte for byte, _, _ in units)
    encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = _FALLBACK_ENCODING.get(kind, "")
        text = data.decode(encoding) if encoding else ""
    if not text or (kind not in _FALLBACK_ENCODING and text.isascii()):
        yield from ((letter, place, place + 1) for place, letter in enumerate(run, at))
        return
    first = 0
    for letter in text:
        last = first + len(letter.encode(encoding)) - 1
        yield letter, at + units[first][1], at + units[last][2]
        first = last + 1
