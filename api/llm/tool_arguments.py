"""JSON inside a string, as a tool's arguments are: taken apart, so that values can be replaced and all else stays.

Blanks, keys, the order and the spelling of every value that is not replaced are the caller's, character for character.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from api.llm.json_tree import Holder, Node, Number, value_at
from api.llm.request_fields import Rule, Says, cue_of, said

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


# A tool's JSON as a reader has it before them: what stands beside a value, or at the head of its column, tells of it.
#
# In `{"field": "Passport number", "value": "K12345678"}` no value tells by itself what it is, and no key does.

_LONGEST_CUE: Final = 64  # characters of a string that passes, and may yet say what the others are
_PASSING: Final = frozenset({Says.OPAQUE, Says.BYTES})
_APART: Final = frozenset({Says.ARGUMENTS, Says.RESULT})  # where they hold JSON, that is a whole of its own


@dataclass(slots=True, eq=False)
class WholeJson:
    """JSON whose strings are spelled without escapes.

    `places`: where in `text` each value begins, by the identity of what holds it and its key there.
    """

    text: str = field(repr=False)
    places: dict[tuple[int, str | int], int] = field(repr=False)


def of_split(read: Split) -> WholeJson:
    """The JSON text that was taken apart: each value by its number in `pieces`."""
    shown = [str(piece) for piece in read.pieces]
    for value in read.values:
        if value.text is not None:
            shown[value.at] = f'"{value.text}"'
    begins = list(accumulate(map(len, shown), initial=0))
    holder = id(read.pieces)
    whole = WholeJson("".join(shown), {})
    for value in read.values:
        whole.places[holder, value.at] = begins[value.at] + (value.text is not None)
    return whole


def of_tree(holder: Holder, key: str | int, rule: Rule) -> WholeJson:
    """What stands at `holder[key]`, where `rule` tells what is read of it."""
    writing = _Writing()
    writing.below(holder, key, rule)
    return WholeJson("".join(writing.pieces), writing.places)


class _Writing:
    """Recursive: a body has no more levels than `strict_json` lets through."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: dict[tuple[int, str | int], int] = {}
        self._length = 0

    def below(self, holder: Holder, key: str | int, rule: Rule) -> None:
        node = value_at(holder, key)
        if isinstance(node, dict):
            own = rule.of_object(node)
            self._add("{")
            for nth, name in enumerate(node):
                self._add(f'{", " if nth else ""}"{name}": ')
                self.below(node, name, own.of_field(name))
            self._add("}")
        elif isinstance(node, list):
            self._add("[")
            for nth in range(len(node)):
                self._add(", " if nth else "")
                self.below(node, nth, rule)
            self._add("]")
        elif isinstance(node, str):
            self._string(holder, key, node if _is_read(rule.says, node) else "")
        elif isinstance(node, Number):
            self.places[id(holder), key] = self._length
            self._add(node.literal)
        else:
            self._add("null" if node is None else "true" if node else "false")

    def _string(self, holder: Holder, key: str | int, text: str) -> None:
        self._add('"')
        self.places[id(holder), key] = self._length
        self._add(f'{text}"')

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _is_read(says: Says, text: str) -> bool:
    if says in _APART:
        return not is_json(text)
    return len(text) <= _LONGEST_CUE or said(says, text) not in _PASSING
