"""JSON inside a string, such as a tool's arguments: split so that single values can be replaced.

Whitespace, keys, order and the spelling of unchanged values stay as they are, character for character. Detection also
sees the JSON as a whole, since neighbours and column heads say what a value is: in `{"field": "Passport number",
"value": "K12345678"}` neither the value nor its key says it.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from api.llm.json_tree import Container, Node, Number, value_at
from api.llm.request_fields import FieldKind, Rule, label_of, resolved_kind

_MAX_DEPTH = 200
_BEGIN = re.compile(r'[ \t\r\n]*[\[{"]')
_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|-?[0-9][0-9.eE+-]*')
_KEY_FOLLOWS = re.compile(r"[ \t\r\n]*:")


class Value(NamedTuple):
    """The value or key that `pieces[at]` spells.

    `text`: the decoded string; None for a number. `label`: what the key says of a value; empty for a key.
    """

    at: int
    text: str | None
    label: str
    is_key: bool = False


class Split(NamedTuple):
    """The pieces of a JSON text, and its values and keys among them."""

    pieces: list[Node]
    values: list[Value]


def split(text: str, label: str) -> Split | None:
    """Splits a JSON text. None when it is not JSON, is nested too deep, or is a mere number or constant."""
    if not is_json(text):
        return None
    pieces: list[Node] = []
    values: list[Value] = []
    labels, current, last = [label], label, 0
    for mark in _MARK.finditer(text):
        literal = mark[0]
        if literal in "{[":
            labels.append(current)
            if len(labels) > _MAX_DEPTH:
                return None
        elif literal in "}]":
            labels.pop()
            current = labels[-1]
        else:
            string = json.loads(literal) if literal[0] == '"' else None
            is_key = False
            if string is not None and _KEY_FOLLOWS.match(text, mark.end()) is not None:
                is_key, current = True, label_of(labels[-1], string)
            pieces += (text[last : mark.start()], literal)
            values.append(Value(len(pieces) - 1, string, "" if is_key else current, is_key))
            last = mark.end()
    pieces.append(text[last:])
    return Split(pieces, values)


def json_literal(text: str, like: str) -> str:
    """The JSON literal of a string. Non-ASCII letters are escaped when `like`, the replaced literal, has none."""
    literal = json.dumps(text, ensure_ascii=like.isascii())
    try:
        literal.encode()
    except UnicodeEncodeError:
        return json.dumps(text)
    return literal


def is_json(text: str) -> bool:
    """Whether a text is a JSON object, array or string."""
    if _BEGIN.match(text) is None:
        return False
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(_: str) -> None:
    raise ValueError


_MAX_UNMASKED_CUE: Final = 64  # characters of an unmasked string that may still describe its neighbours
_PASSING: Final = frozenset({FieldKind.OPAQUE, FieldKind.BYTES})
_SEPARATE_JSON: Final = frozenset({FieldKind.ARGUMENTS, FieldKind.RESULT})  # JSON in them is handled on its own


@dataclass(slots=True, eq=False)
class WholeJson:
    """A JSON text for detection, in which strings are spelled without escapes.

    `places`: the position of each value in `text`, by the identity of its container and its key there.
    """

    text: str = field(repr=False)
    places: dict[tuple[int, str | int], int] = field(repr=False)


def of_split(read: Split) -> WholeJson:
    """The JSON text of a split; each value has its index in `pieces` as key."""
    shown = [str(piece) for piece in read.pieces]
    for value in read.values:
        if value.text is not None:
            shown[value.at] = f'"{value.text}"'
    begins = list(accumulate(map(len, shown), initial=0))
    container = id(read.pieces)
    whole = WholeJson("".join(shown), {})
    for value in read.values:
        whole.places[container, value.at] = begins[value.at] + (value.text is not None)
    return whole


def of_tree(container: Container, key: str | int, rule: Rule) -> WholeJson:
    """The JSON text of `container[key]`. `rule` says which strings of it are read."""
    writing = _Writing()
    writing.below(container, key, rule)
    return WholeJson("".join(writing.pieces), writing.places)


class _Writing:
    """Writes a tree recursively. `json_tree` bounds its depth."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: dict[tuple[int, str | int], int] = {}
        self._length = 0

    def below(self, container: Container, key: str | int, rule: Rule) -> None:
        node = value_at(container, key)
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
            self._string(container, key, node if _is_read(rule.kind, node) else "")
        elif isinstance(node, Number):
            self.places[id(container), key] = self._length
            self._add(node.literal)
        else:
            self._add("null" if node is None else "true" if node else "false")

    def _string(self, container: Container, key: str | int, text: str) -> None:
        self._add('"')
        self.places[id(container), key] = self._length
        self._add(f'{text}"')

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _is_read(kind: FieldKind, text: str) -> bool:
    if kind in _SEPARATE_JSON:
        return not is_json(text)
    return len(text) <= _MAX_UNMASKED_CUE or resolved_kind(kind, text) not in _PASSING
