"""Reads what a provider sends as JSON, as its clients do: the last of two equal keys counts, NaN is a number."""

import json
import re
from typing import Final

from api.proxy.strict_json import MOST_LEVELS, Node, Number

_LEVELS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)
_DECODER: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, strict=False)


def read(text: str) -> Node:
    """The value that a JSON text is, its numbers as they are spelled. ValueError when it is none or too deep."""
    if text.count("{") + text.count("[") > MOST_LEVELS and _levels(text) > MOST_LEVELS:
        raise ValueError("nested too deep")
    try:
        tree: Node = _DECODER.decode(text)
    except ValueError:
        raise ValueError("not JSON") from None
    return tree


def _levels(text: str) -> int:
    """How deep the deepest bracket stands."""
    level = deepest = 0
    for match in _LEVELS.finditer(text):
        mark = match.group()
        if mark in "{[":
            level += 1
            deepest = max(deepest, level)
        elif mark in "}]":
            level -= 1
    return deepest
