"""Asks the model, in the caller's system prompt, to leave tokens as they are."""

from typing import Final

from api.proxy.joints import Provider
from api.proxy.strict_json import Node

# Constant, so that prompt caches hold. It matches no token.
INSTRUCTION: Final = (
    "Some values in this conversation were replaced by tokens of the form <MASKED_...>, each of which stands for one "
    "real value. Whenever you refer to such a value, write its token exactly as it stands, character for character, "
    "angle brackets, capital letters, underscores and digits included. Do not translate, shorten, decline, split or "
    "explain tokens, do not guess what they stand for, and do not make up new ones."
)
_LEADING: Final = ("system", "developer")


def ask_to_preserve(body: dict[str, Node], provider: Provider) -> None:
    """Adds the instruction behind the caller's own system prompt, whose cached beginning stays what it was."""
    if provider is Provider.ANTHROPIC:
        _to_anthropic(body)
    else:
        _to_openai(body)


def _to_anthropic(body: dict[str, Node]) -> None:
    system = body.get("system")
    if isinstance(system, list):
        system.append({"type": "text", "text": INSTRUCTION})
    elif isinstance(system, str) and system:
        body["system"] = f"{system}\n\n{INSTRUCTION}"
    elif system is None or system == "":
        body["system"] = INSTRUCTION


def _to_openai(body: dict[str, Node]) -> None:
    messages = body["messages"]
    if not isinstance(messages, list):
        return
    role, position = "system", 0
    for message in messages:
        said = message.get("role") if isinstance(message, dict) else None
        if not isinstance(said, str) or said not in _LEADING:
            break
        role, position = said, position + 1
    messages.insert(position, {"role": role, "content": INSTRUCTION})
