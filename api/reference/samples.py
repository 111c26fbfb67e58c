"""Shows JSON and shell lines: coloured by markup, and readable where Arabic stands among Latin."""

import json
import shlex
from typing import Any

from api.reference.markup import Markup, element, joined

_INDENT = "  "


def json_block(value: Any) -> Markup:
    """A JSON value, indented. Each string is a unit of its own to the bidirectional algorithm (UAX 9)."""
    return element("pre", element("code", _value(value, "")), tabindex="0", class_="sample")


def curl_block(method: str, path: str, header: str | None, body: Any) -> Markup:
    """The same call from a shell, where BASE is the service's address."""
    lines = [f"curl -s{'' if method == 'GET' else f' -X {method}'} $BASE{path}"]
    if header:
        lines.append(f'-H "{header}"')
    if body is not None:
        data = shlex.quote(json.dumps(body, ensure_ascii=False))
        lines += ["-H 'Content-Type: application/json'", f"-d {data}"]
    shown = [element("bdi", line) for line in lines]
    joints: list[str | Markup] = [part for line in shown for part in (" \\\n" + _INDENT, line)][1:]
    return element("pre", element("code", joints), tabindex="0", class_="sample")


def _value(value: Any, margin: str) -> Markup:
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), str):
        ((key, text),) = value.items()
        return joined("{", _text(key, "key"), ": ", _text(text, "string"), "}")
    if isinstance(value, dict) and value:
        return _lines(
            "{",
            "}",
            [joined(_text(key, "key"), ": ", _value(item, margin + _INDENT)) for key, item in value.items()],
            margin,
        )
    if isinstance(value, list) and value:
        if all(isinstance(item, (str, int)) for item in value) and len(json.dumps(value)) < 80:
            return joined("[", [part for item in value for part in (", ", _value(item, ""))][1:], "]")
        return _lines("[", "]", [_value(item, margin + _INDENT) for item in value], margin)
    if isinstance(value, str):
        return _text(value, "string")
    return element("span", json.dumps(value), class_="literal")


def _lines(opening: str, closing: str, items: list[Markup], margin: str) -> Markup:
    inside = [part for item in items for part in (f",\n{margin}{_INDENT}", item)][1:]
    return joined(opening, f"\n{margin}{_INDENT}", inside, f"\n{margin}", closing)


def _text(text: str, class_: str) -> Markup:
    return element("span", json.dumps(text, ensure_ascii=False), class_=class_, dir="auto")
