"""What an answer's fields are: text to be restored, a tool's data, or what passes as it came.

Restored is every text but the closed list here: what the provider reads again and checks (ids, signatures, thinking,
ciphertext), what is no text (base64), and what goes back to the provider unmasked with the next request (names of
tools, URLs of search results), where an original would leave.
"""

from collections.abc import Mapping
from typing import Final

from api.llm.json_tree import Node
from api.llm.model import Provider

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
