"""Masks a request body: from the bytes that a client sent to the bytes for the provider, and the tokens in them."""

from dataclasses import replace
from typing import Final

from api.llm.json_tree import Node, parse_body, replace_at, write
from api.llm.mask import Detects, Masking
from api.llm.model import MaskedPrompt, MaskingOptions, Provider
from api.llm.request_walk import Walk, walk
from api.llm.restore import prefill
from schemas.errors import InvalidBody

# Asks the model to keep tokens unchanged. Constant, for the sake of prompt caches. It contains no valid token.
INSTRUCTION: Final = (
    "Some values in this conversation were replaced by tokens of the form <MASKED_...>, each of which stands for one "
    "real value. Whenever you refer to such a value, write its token exactly as it stands, character for character, "
    "angle brackets, capital letters, underscores and digits included. Do not translate, shorten, decline, split or "
    "explain tokens, do not guess what they stand for, and do not make up new ones."
)
_SYSTEM_ROLES: Final = ("system", "developer")


def ask_to_preserve(body: dict[str, Node], provider: Provider) -> None:
    """Adds the instruction after the caller's own system prompt, so that its cached beginning stays the same."""
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
        role_of_message = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role_of_message, str) or role_of_message not in _SYSTEM_ROLES:
            break
        role, position = role_of_message, position + 1
    messages.insert(position, {"role": role, "content": INSTRUCTION})


def words(raw: bytes, options: MaskingOptions) -> int:
    """The number of whitespace-separated words for detection. InvalidBody, AttachmentNotSupported."""
    _, found = _read(raw, options)
    return sum(len(leaf.text.split()) for leaf in found.leaves)


def masked(raw: bytes, options: MaskingOptions, detector: Detects) -> MaskedPrompt:
    """The body with every entity masked. InvalidBody, AttachmentNotSupported, and the errors of detection."""
    body, found = _read(raw, options)
    masking = Masking(options, detector)
    masking.mask(found.leaves)
    for pieces, container, key in found.texts:
        replace_at(container, key, "".join(map(str, pieces)))
    if options.preserve_tags:
        ask_to_preserve(body, options.provider)
    minted = replace(masking.minted, prefill=prefill(body, options.provider))
    return MaskedPrompt(write(body), minted, body.get("stream") is True, masking.found)


def _read(raw: bytes, options: MaskingOptions) -> tuple[dict[str, Node], Walk]:
    body = parse_body(raw)
    if not isinstance(body.get("messages"), list):
        raise InvalidBody
    return body, walk(body, options.provider, allow_attachments=options.allow_attachments)
