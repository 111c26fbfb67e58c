"""Reads what a provider sends as JSON, as its clients do: the last of two equal keys counts, NaN is a number."""

import json
import re
from typing import Final

from api.proxy.strict_json import MOST_LEVELS, Node, Number

_LEVELS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?|[\[{]|[\]}]', re.DOTALL)
_BEGIN = re.compile(r"\s*(?=[{\[])")
_DECODER: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, strict=False)


def read(text: str) -> Node:
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
