"""What a prompt makes the model go on from: the beginning of an answer that is the caller's own."""

import re
from typing import Final

from api.proxy.joints import Provider
from api.proxy.strict_json import Node

LONGEST: Final = 8192  # characters; of a longer one, it is not known any more where its end stands
_TOKENS_BEGIN: Final = re.compile(r"[<&%mM]")
_CUT: Final = re.compile(r"\\+(?:[uxUX][0-9a-fA-F]{0,3})?\Z")


def prefill(body: dict[str, Node], provider: Provider) -> str:
    """The text with which the last message ends, if it is the assistant's, with which the answer then goes on.

    Anthropic's format alone says so; in OpenAI's an answer stands for itself.
    """
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if provider is not Provider.ANTHROPIC or not isinstance(last, dict) or last.get("role") != "assistant":
        return ""
    text = last.get("content")
    if isinstance(text, list):
        block = text[-1] if text else None
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) and len(text) <= LONGEST else ""


def shape(text: str) -> str:
    """The text without what a token might begin with: all that counts is in which JSON, or fence, it ends."""
    return _TOKENS_BEGIN.sub("x", _CUT.sub("", text))
