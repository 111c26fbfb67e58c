"""Writes HTML whose text is always escaped: what is no `Markup` is text."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_EMPTY = frozenset({"link", "meta"})  # elements without an end tag


class Markup(str):
    """HTML that was made here."""

    __slots__ = ()


Child: TypeAlias = "str | Markup | Iterable[str | Markup | None] | None"


def element(tag: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element; `class_` and `aria_label` stand for `class` and `aria-label`, True for an attribute without value."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{tag}{said}>" if tag in _EMPTY else f"<{tag}{said}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Children side by side, text among them escaped."""
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
