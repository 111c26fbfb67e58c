"""Restores a whole answer of a provider, or its error body."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from api.llm import json_tree
from api.llm.json_stream import restored_arguments, restored_data
from api.llm.json_tree import Node, Number
from api.llm.model import Minted, Provider
from api.llm.restore import Restorer
from api.llm.stream_text import restored_prose

# What an answer's fields are: text to be restored, a tool's data, or what passes as it came.
#
# Restored is every text but the closed list here: what the provider reads again and checks (ids, signatures, thinking,
# ciphertext), what is no text (base64), and what goes back to the provider unmasked with the next request (names of
# tools, URLs of search results), where an original would leave.

LOGPROBS: Final = frozenset({"logprobs", "prompt_logprobs"})  # they spell tokens
_PASSES: Final = frozenset(
    {
        "cache_control", "caller", "container", "context_management", "finish_reason", "id", "input_transformations",
        "media_type", "model", "moderation", "obfuscation", "object", "role", "server_name", "service_tier",
        "signature", "stop_reason", "system_fingerprint", "tool_name", "toolset_name", "type", "usage",
    }
)  # fmt: skip
_THINKING: Final = ("thinking", "redacted_thinking")


def passes(node: Mapping[str, Node], key: str, provider: Provider) -> bool:
    """Whether a field of one of the provider's own objects passes as it came."""
    if key in _PASSES or key.startswith("encrypted_") or key.endswith(("_id", "_ids")):
        return True
    if key == "data":
        return node.get("type") != "text"  # base64, but of a plain text's source
    if key == "name":
        return provider is Provider.OPENAI or is_call(node) or str(node.get("type")).startswith("tool")
    return key == "url" and provider is Provider.ANTHROPIC


def is_sealed(node: Mapping[str, Node], provider: Provider) -> bool:
    """Whether the provider checks an object as a whole when it comes back: thinking, and what is signed.

    OpenAI's format has no signatures: there, what others put into it is signed as a whole (reasoning, of some type),
    but no message and no text.
    """
    kind, signature = node.get("type"), node.get("signature")
    if kind in _THINKING:
        return True
    is_signed = isinstance(signature, str) and signature != ""
    return is_signed and (provider is Provider.ANTHROPIC or kind not in (None, "text"))


def is_call(node: Mapping[str, Node]) -> bool:
    """Whether an object is the call of a tool."""
    return "input" in node or "arguments" in node or str(node.get("type")).endswith("tool_use")


_BOM = b"\xef\xbb\xbf"


def restored(raw: bytes, provider: Provider, minted: Minted) -> bytes:
    """The body with the originals in the place of their tokens; byte for byte as it came when there are none.

    Takes any bytes and never raises. What is no JSON is restored as text.
    """
    restorer = Restorer(minted)
    body = raw.removeprefix(_BOM)
    text = body.decode("utf-8", "replace")
    try:
        tree = json_tree.read_lenient(text)
    except ValueError:
        done = restored_arguments(restorer, text)  # which takes it as JSON where it begins so, as a cut-off body does
        return raw if done == text else done.encode("utf-8", "backslashreplace")
    new = Answers(restorer, provider).tree(tree)
    return raw if new is tree else written(new)


def written(tree: Node) -> bytes:
    """The tree as UTF-8 JSON. Characters at which careless clients split lines are escapes."""
    raw = json_tree.write(tree)
    for line_end in ("\u2028", "\u2029", "\x85"):
        raw = raw.replace(line_end.encode(), f"\\u{ord(line_end):04x}".encode())
    return raw


class Answers(NamedTuple):
    """Restores what a provider's objects hold. Every method gives back the very object when nothing in it changed."""

    restorer: Restorer
    provider: Provider

    def tree(self, node: Node) -> Node:
        """Anything of the provider's own: an answer, a block, an event."""
        if isinstance(node, str):
            return restored_prose(self.restorer, node)
        if isinstance(node, list):
            return _each(node, self.tree)
        if isinstance(node, dict) and not is_sealed(node, self.provider):
            return _fields(node, lambda key, value: self.field(node, key, value))
        return node

    def field(self, node: Mapping[str, Node], key: str, value: Node) -> Node:
        """One field of one of the provider's objects."""
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
        """The blocks of a message whose first one goes on from the prompt's end."""
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
        """What a tool is given: text everywhere, whatever the fields are called, and numbers that were masked."""
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
