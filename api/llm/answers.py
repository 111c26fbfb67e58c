"""Restores a provider's whole answer or error body.

All text is restored except a closed list of fields: what the provider reads again and checks (ids, signatures,
thinking, ciphertext), what is not text (base64), and what the client sends back unmasked with its next request (names
of tools, URLs of search results), where an original would leave.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from api.llm import json_tree
from api.llm.json_stream import restored_arguments, restored_data
from api.llm.json_tree import Node, Number
from api.llm.model import Minted, Provider
from api.llm.restore import Restorer
from api.llm.stream_text import restored_prose

LOGPROBS: Final = frozenset({"logprobs", "prompt_logprobs"})  # they contain tokens letter by letter
_PASSES: Final = frozenset(
    {
        "cache_control", "caller", "container", "context_management", "finish_reason", "id", "input_transformations",
        "media_type", "model", "moderation", "obfuscation", "object", "role", "server_name", "service_tier",
        "signature", "stop_reason", "system_fingerprint", "tool_name", "toolset_name", "type", "usage",
    }
)  # fmt: skip
_THINKING: Final = ("thinking", "redacted_thinking")


def passes(node: Mapping[str, Node], key: str, provider: Provider) -> bool:
    """Whether a field of a provider's object is left unchanged."""
    if key in _PASSES or key.startswith("encrypted_") or key.endswith(("_id", "_ids")):
        return True
    if key == "data":
        return node.get("type") != "text"  # base64, except in a plain text source
    if key == "name":
        return provider is Provider.OPENAI or is_call(node) or str(node.get("type")).startswith("tool")
    return key == "url" and provider is Provider.ANTHROPIC


def is_signed_content(node: Mapping[str, Node], provider: Provider) -> bool:
    """Whether the provider checks an object as a whole when it comes back: thinking, and signed content.

    OpenAI's own format has no signatures. Compatible providers sign reasoning objects of various types, but never
    messages and texts.
    """
    kind, signature = node.get("type"), node.get("signature")
    if kind in _THINKING:
        return True
    has_signature = isinstance(signature, str) and signature != ""
    return has_signature and (provider is Provider.ANTHROPIC or kind not in (None, "text"))


def is_call(node: Mapping[str, Node]) -> bool:
    """Whether an object is a tool call."""
    return "input" in node or "arguments" in node or str(node.get("type")).endswith("tool_use")


_BOM = b"\xef\xbb\xbf"


def restored(raw: bytes, provider: Provider, minted: Minted) -> bytes:
    """The body with tokens replaced by their originals; the same bytes when there are none.

    Takes any bytes and never raises. A body that is not JSON is restored as text.
    """
    restorer = Restorer(minted)
    body = raw.removeprefix(_BOM)
    text = body.decode("utf-8", "replace")
    try:
        tree = json_tree.read_lenient(text)
    except ValueError:
        done = restored_arguments(restorer, text)  # handles a cut-off body as JSON
        return raw if done == text else done.encode("utf-8", "backslashreplace")
    new = AnswerRestorer(restorer, provider).tree(tree)
    return raw if new is tree else to_json(new)


def to_json(tree: Node) -> bytes:
    """The tree as UTF-8 JSON. U+2028, U+2029 and U+0085, at which some clients split lines, are written as escapes."""
    raw = json_tree.write(tree)
    for line_end in ("\u2028", "\u2029", "\x85"):
        raw = raw.replace(line_end.encode(), f"\\u{ord(line_end):04x}".encode())
    return raw


class AnswerRestorer(NamedTuple):
    """Restores a provider's objects. Every method returns the same object when nothing in it changed."""

    restorer: Restorer
    provider: Provider

    def tree(self, node: Node) -> Node:
        """Restores an object of the provider's format: an answer, a block, an event."""
        if isinstance(node, str):
            return restored_prose(self.restorer, node)
        if isinstance(node, list):
            return _each(node, self.tree)
        if isinstance(node, dict) and not is_signed_content(node, self.provider):
            return _fields(node, lambda key, value: self.field(node, key, value))
        return node

    def field(self, node: Mapping[str, Node], key: str, value: Node) -> Node:
        """Restores one field of an object of the provider's format."""
        if key in LOGPROBS:
            return None
        if passes(node, key, self.provider):
            return value
        if key == "content" and node.get("type") == "message" and self.restorer.prefill:
            return self._continued(value)
        if key == "arguments" and isinstance(value, str):
            return restored_arguments(self.restorer, value)
        if key in ("input", "arguments") and is_call(node) and not isinstance(value, str):
            return self.data(value)
        return self.tree(value)

    def _continued(self, content: Node) -> Node:
        """Restores the blocks of a message, of which the first continues the prefill."""
        first = content[0] if isinstance(content, list) and content else None
        if not isinstance(content, list) or not isinstance(first, dict) or first.get("type") != "text":
            return self.tree(content)
        return _each(content, lambda block: self._first(first) if block is first else self.tree(block))

    def _first(self, block: dict[str, Node]) -> Node:
        def change(key: str, value: Node) -> Node:
            if key == "text" and isinstance(value, str):
                return restored_prose(self.restorer, value, self.restorer.prefill)
            return self.field(block, key, value)

        return _fields(block, change)

    def data(self, node: Node) -> Node:
        """Restores the arguments of a tool: every string, whatever its field is called, and masked numbers."""
        if isinstance(node, str):
            number = self.restorer.number(node)
            return restored_data(self.restorer, node) if number is None else Number(number)
        if isinstance(node, list):
            return _each(node, self.data)
        if isinstance(node, dict):
            return self._named(_fields(node, lambda _, value: self.data(value)))
        return node

    def _named(self, node: dict[str, Node]) -> dict[str, Node]:
        names = {key: self.restorer.text(key) for key in node}
        if all(key == name for key, name in names.items()) or len(set(names.values())) < len(names):
            return node
        return {names[key]: value for key, value in node.items()}


def _each(node: list[Node], change: Callable[[Node], Node]) -> list[Node]:
    new = [change(value) for value in node]
    return node if all(a is b for a, b in zip(node, new, strict=True)) else new


def _fields(node: dict[str, Node], change: Callable[[str, Node], Node]) -> dict[str, Node]:
    new = {key: change(key, value) for key, value in node.items()}
    return node if all(new[key] is value for key, value in node.items()) else new
