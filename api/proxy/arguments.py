"""JSON inside a string, as a tool's arguments are: taken apart, so that values can be replaced and all else stays.

Blanks, keys, the order and the spelling of every value that is not replaced are the caller's, character for character.
"""

import json
import re
from typing import NamedTuple

from api.proxy.cues import cue_of
from api.proxy.strict_json import Node

_MOST_LEVELS = 200
_BEGIN = re.compile(r'[ \t\r\n]*[\[{"]')
_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|-?[0-9][0-9.eE+-]*')
_KEY_FOLLOWS = re.compile(r"[ \t\r\n]*:")


class Value(NamedTuple):
    """What `pieces[at]` spells: a string's `text`, or None for a number. Keys have no label, the rest that of a key."""

    at: int
    text: str | None
    label: str
    is_key: bool = False


class Split(NamedTuple):
    """A JSON text in pieces, and which of them are values or keys."""

    pieces: list[Node]
    values: list[Value]


def split(text: str, label: str) -> Split | None:
    """The pieces of a JSON text; None when it is none, nested too deep, or a number or constant."""
    if not is_json(text):
        return None
    pieces: list[Node] = []
    values: list[Value] = []
    labels, current, last = [label], label, 0
    for mark in _MARK.finditer(text):
        literal = mark[0]
        if literal in "{[":
            labels.append(current)
            if len(labels) > _MOST_LEVELS:
                return None
        elif literal in "}]":
            labels.pop()
            current = labels[-1]
        else:
            said = json.loads(literal) if literal[0] == '"' else None
            is_key = False
            if said is not None and _KEY_FOLLOWS.match(text, mark.end()) is not None:
                is_key, current = True, cue_of(labels[-1], said)
            pieces += (text[last : mark.start()], literal)
            values.append(Value(len(pieces) - 1, said, "" if is_key else current, is_key))
            last = mark.end()
    pieces.append(text[last:])
    return Split(pieces, values)


def spelled(text: str, like: str) -> str:
    """A string's JSON literal, with letters escaped where `like`, the one in its place before, had no others."""
    literal = json.dumps(text, ensure_ascii=like.isascii())
    try:
        literal.encode()
    except UnicodeEncodeError:
        return json.dumps(text)
    return literal


def is_json(text: str) -> bool:
    """Whether a text is an object, an array or a string of JSON."""
    if _BEGIN.match(text) is None:
        return False
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(_: str) -> None:
    raise ValueError
