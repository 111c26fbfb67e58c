"""Reads a body as strict JSON and writes it anew: every number as it was spelled, every key once, in its order.

What a provider's parser might understand otherwise than ours (duplicate keys, NaN, other encodings) is refused.
Sources: RFC 8259; RFC 7493 for duplicate keys and lone surrogates.
"""

import json
import re
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Final, NoReturn

from schemas.errors import InvalidBody

MOST_LEVELS: Final = 200  # objects and arrays inside one another
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was spelled: its digits are the caller's, however many, and no float's or integer's."""

    literal: str


Node = dict[str, "Node"] | list["Node"] | str | Number | bool | None
Holder = dict[str, Node] | list[Node]


def parsed(raw: bytes) -> dict[str, Node]:
    """The object that a body is. InvalidBody for all else, and for more than MOST_LEVELS inside one another."""
    try:
        tree = read_strict(raw.decode("utf-8"))
    except ValueError:
        raise InvalidBody from None
    if not isinstance(tree, dict):
        raise InvalidBody
    return tree


def read_strict(text: str) -> Node:
    """The value that a JSON text is. ValueError, which quotes nothing, when it is none, or is nested too deep."""
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
    """The tree as UTF-8 JSON without blanks; a surrogate that stands alone, which UTF-8 does not have, as an escape."""
    pieces: list[str] = []
    _write(tree, pieces)
    text = "".join(pieces)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def value_at(holder: Holder, key: str | int) -> Node:
    """What stands in an object under its key, or in an array at its index."""
    return holder[str(key)] if isinstance(holder, dict) else holder[int(key)]


def replace_at(holder: Holder, key: str | int, value: Node) -> None:
    """Puts a value where another one stands."""
    if isinstance(holder, dict):
        holder[str(key)] = value
    else:
        holder[int(key)] = value


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
        raise ValueError("a key stands twice")
    return members


def _no_constant(_: str) -> NoReturn:
    raise ValueError("no JSON number")


def _is_shallow(tree: Node) -> bool:
    level = [tree] if isinstance(tree, dict | list) else []
    for _ in range(MOST_LEVELS):
        if not level:
            return True
        children = (child for node in level for child in (node.values() if isinstance(node, dict) else node))
        level = [child for child in children if isinstance(child, dict | list)]
    return not level


# Reads what a provider sends as JSON, as its clients do: the last of two equal keys counts, NaN is a number.

_LEVELS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[{]|[\]}]', re.DOTALL)
_BEGIN = re.compile(r"\s*(?=[{\[])")
_DECODER: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, strict=False)


def read_lenient(text: str) -> Node:
    """The value that a JSON text is, its numbers as they are spelled. ValueError when it is none or too deep."""
    if _is_deep(text):
        raise ValueError("nested too deep")
    try:
        tree: Node = _DECODER.decode(text)
    except ValueError:
        raise ValueError("not JSON") from None
    return tree


def begins(text: str) -> bool:
    """Whether the text begins with an object or an array, or is one that is broken off."""
    begin = _BEGIN.match(text)
    if begin is None or _is_deep(text):
        return False
    try:
        _DECODER.raw_decode(text, begin.end())
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    return True


def _is_deep(text: str) -> bool:
    """Whether brackets stand deeper than MOST_LEVELS."""
    if text.count("{") + text.count("[") <= MOST_LEVELS:
        return False
    level = deepest = 0
    for match in _LEVELS.finditer(text):
        mark = match.group()
        if mark in "{[":
            level += 1
            deepest = max(deepest, level)
        elif mark in "}]":
            level -= 1
    return deepest > MOST_LEVELS
