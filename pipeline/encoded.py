"""Texts that spell characters otherwise: `%D8%B3` of addresses, `&#x633;` of HTML, `\\u0633` of JSON.

Sources: RFC 3986, section 2.1; the named character references of HTML; RFC 8259, section 7.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

_SPELLED = re.compile(
    r"""(?P<percent>(?:%[0-9A-Fa-f]{2})+)
      | (?P<entity>&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,24});)
      | \\u(?P<escape>[0-9A-Fa-f]{4})""",
    re.VERBOSE,
)
_MARKS = re.compile(r"[%&\\]")
_MOST_TIMES = 3  # `%2540` is an @ that was spelled twice


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
    return Decoded("".join(pieces), starts, ends)


def _meant(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """The characters that a spelling stands for, each with its place."""
    start, end = match.span()
    if match["percent"]:
        yield from _of_bytes(bytes.fromhex(match[0].replace("%", "")), start)
    elif match["entity"]:
        for letter in html.unescape(match[0]):
            yield letter, start, end
    else:
        yield chr(int(match["escape"], 16)), start, end


def _of_bytes(data: bytes, start: int) -> Iterator[tuple[str, int, int]]:
    """Bytes that are UTF-8, else of the code page in which old Arabic addresses were written."""
    encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding, text = "cp1256", data.decode("cp1256")
    for letter in text:
        end = start + 3 * len(letter.encode(encoding))
        yield letter, start, end
        start = end
