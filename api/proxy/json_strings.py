"""Reads the strings of a JSON text piece by piece: what they say, and how every character of it is written."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_PLAIN = re.compile(r'[^"\\]+')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|[^u])", re.DOTALL)
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Piece(NamedTuple):
    """A part of a string: what it says, how every character of that is written, and where it ends."""

    said: str
    written: Sequence[str]  # as long as `said`
    end: int
    closed: bool = False  # `end` is behind the closing quote
    cut: str = ""  # an escape that is not over


def read(text: str, written: Sequence[str], at: int) -> Piece:
    """A string's text from `at` to its closing quote, or as far as there is any.

    `written`: how every character of `text` is written, which is otherwise where the text itself stands in a string.
    """
    plain = _PLAIN.match(text, at)
    end = plain.end() if plain else at
    words, units = text[at:end], written[at:end]
    if end == len(text):
        return Piece(words, units, end)
    if text[end] == '"':
        return Piece(words, units, end + 1, closed=True)
    return _read_escaped(text, written, end, Piece(words, units, end))


def _read_escaped(text: str, units: Sequence[str], at: int, first: Piece) -> Piece:
    said, written = [first.said], list(first.written)
    while at < len(text):
        if text[at] == '"':
            return Piece("".join(said), written, at + 1, closed=True)
        if plain := _PLAIN.match(text, at):
            said.append(plain.group())
            written += units[at : plain.end()]
            at = plain.end()
        elif _CUT_ESCAPE.match(text, at):
            return Piece("".join(said), written, len(text), cut=text[at:])
        else:
            escape = _ESCAPE.match(text, at)
            unit = escape.group() if escape else text[at]  # a backslash that escapes nothing stands for itself
            said.append(_unescaped(unit))
            written.append("".join(units[at : at + len(unit)]))
            at += len(unit)
    return Piece("".join(said), written, at)


def _unescaped(escape: str) -> str:
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    return _SHORT.get(escape[-1], escape[-1])
