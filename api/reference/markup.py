"""Builds HTML in which text is always escaped, and blocks of JSON and shell lines."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeAlias

_EMPTY = frozenset({"link", "meta"})  # elements without an end tag


class Markup(str):
    """A string of HTML. All other strings are text, and are escaped."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | Iterable[str | Markup | None] | None"


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element. `class_` becomes `class`, `aria_label` becomes `aria-label`; True is an attribute without value."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{tag}{written}>" if tag in _EMPTY else f"<{tag}{written}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """The children joined; text among them is escaped."""
    return Markup("".join(_html(child) for child in children))


def _html(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    return escape(child) if isinstance(child, str) else joined(*child)


def _attribute(key: str, value: str | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


_INDENT = "  "


def json_block(value: Any) -> Markup:
    """An indented JSON value. Each string is isolated for the bidirectional algorithm (UAX 9): it can be Arabic."""
    return element("pre", element("code", _value(value, "")), tabindex="0", class_="sample")


def curl_block(method: str, path: str, headers: Sequence[str], sent: Sequence[str]) -> Markup:
    """The call as a curl command line. $BASE is the service's address; `sent`: the arguments that make its body."""
    lines = [f"curl -s{'' if method == 'GET' else f' -X {method}'} $BASE{path}"]
    lines += [*(f'-H "{header}"' for header in headers), *sent]
    isolated = [element("bdi", line) for line in lines]
    parts: list[str | Markup] = [part for line in isolated for part in (" \\\n" + _INDENT, line)][1:]
    return element("pre", element("code", parts), tabindex="0", class_="sample")


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
