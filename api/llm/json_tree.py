"""JSON trees that keep the spelling of every number and the order of every object.

Requests are read strictly: what a provider's parser could read otherwise than ours (duplicate keys, NaN, other
encodings than UTF-8) is refused. Answers are read as the providers' clients read them: the last of two equal keys
counts, and NaN is a number.

Sources: RFC 8259; RFC 7493 for duplicate keys and lone surrogates.
"""

import json
import re
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Final, NoReturn

from schemas.errors import InvalidBody

MAX_DEPTH: Final = 200  # nested objects and arrays
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in its original spelling, so that no digit is lost in a float."""

    literal: str


Node = dict[str, "Node"] | list["Node"] | str | Number | bool | None
Container = dict[str, Node] | list[Node]


def parse_body(raw: bytes) -> dict[str, Node]:
    """The object in a request body. InvalidBody for anything else, and for more than MAX_DEPTH nested levels."""
    try:
        tree = read_strict(raw.decode("utf-8"))
    except ValueError:
        raise InvalidBody from None
    if not isinstance(tree, dict):
        raise InvalidBody
    return tree


def read_strict(text: str) -> Node:
    """The value of a JSON text. ValueError, without quoting the text, when it is not JSON or nested too deep."""
    known: dict[str, Number] = {}

    def number(literal: str) -> Number:
        found = known.get(literal)
        if found is None:
            found = known[literal] = Number(literal)
        return found

    decoder = json.JSONDecoder(
        object_pairs_hook=_unique, parse_int=number, parse_float=number, parse_constant=_no_constant
    )
    try:
        tree: Node = decoder.decode(text)
    except (ValueError, RecursionError):
        raise ValueError("not strict JSON") from None
    if not _is_shallow(tree):
        raise ValueError("nested too deep")
    return tree


def write(tree: Node) -> bytes:
    """The tree as UTF-8 JSON without whitespace. A lone surrogate, which UTF-8 cannot hold, is written as an escape."""
    pieces: list[str] = []
    _write(tree, pieces)
    text = "".join(pieces)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def value_at(container: Container, key: str | int) -> Node:
    """The value of an object at a key, or of an array at an index."""
    return container[str(key)] if isinstance(container, dict) else container[int(key)]


def replace_at(container: Container, key: str | int, value: Node) -> None:
    """Replaces the value at a key or an index."""
    if isinstance(container, dict):
        container[str(key)] = value
    else:
        container[int(key)] = value


def _write(node: Node, pieces: list[str]) -> None:
    if isinstance(node, str):
        pieces.append(encode_basestring(node))
    elif isinstance(node, dict):
        mark = "{"
        for key, value in node.items():
            pieces += (mark, encode_basestring(key), ":")
            _write(value, pieces)
            mark = ","
        pieces.append("}" if node else "{}")
    elif isinstance(node, list):
        mark = "["
        for value in node:
            pieces.append(mark)
            _write(value, pieces)
            mark = ","
        pieces.append("]" if node else "[]")
    elif isinstance(node, Number):
        pieces.append(node.literal)
    else:
        pieces.append("null" if node is None else "true" if node else "false")


def _unique(pairs: list[tuple[str, Node]]) -> dict[str, Node]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("duplicate key")
    return members


def _no_constant(_: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _is_shallow(tree: Node) -> bool:
    level = [tree] if isinstance(tree, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return True
        children = (child for node in level for child in (node.values() if isinstance(node, dict) else node))
        level = [child for child in children if isinstance(child, dict | list)]
    return not level


_LEVELS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[{]|[\]}]', re.DOTALL)
_BEGIN = re.compile(r"\s*(?=[{\[])")
_DECODER: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, strict=False)


def read_lenient(text: str) -> Node:
    """The value of a JSON text, with numbers as they are spelled. ValueError when it is not JSON or nested too deep."""
    if _is_deep(text):
        raise ValueError("nested too deep")
    try:
        tree: Node = _DECODER.decode(text)
    except ValueError:
        raise ValueError("not JSON") from None
    return tree


def begins_as_json(text: str) -> bool:
    """Whether the text begins with an object or an array, which may be cut off at the end of the text."""
    begin = _BEGIN.match(text)
    if begin is None or _is_deep(text):
        return False
    try:
        _DECODER.raw_decode(text, begin.end())
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    return True


def _is_deep(text: str) -> bool:
    """Whether brackets are nested deeper than MAX_DEPTH."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    level = deepest = 0
    for match in _LEVELS.finditer(text):
        mark = match.group()
        if mark in "{[":
            level += 1
            deepest = max(deepest, level)
        elif mark in "}]":
            level -= 1
    return deepest > MAX_DEPTH
