"""Masks prompts in this process, with the real detector and one key."""

import json
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any

from api.llm import prompt
from api.llm.model import MaskedPrompt, MaskingOptions, Provider
from pipeline.detect.detector import Detector
from pipeline.transform.mask import TOKEN, token_key
from schemas.entities import EntityType
from schemas.spans import TermSet

KEY = token_key("mk_live_of_a_test")
ID, OTHER_ID = "1012345672", "1087654321"
NAME = "Salman Alharbi"


@cache
def detector() -> Detector:
    return Detector()


def asked(
    provider: str = "anthropic",
    *,
    terms: tuple[TermSet, ...] = (),
    transforms: tuple[EntityType, ...] = (),
    preserve_tags: bool = False,
    allow_attachments: bool = False,
    key: bytes = KEY,
) -> MaskingOptions:
    return MaskingOptions(
        Provider(provider), key, date(2026, 11, 22), terms, transforms, preserve_tags, allow_attachments
    )


def masked(body: Any, provider: str = "anthropic", **options: Any) -> MaskedPrompt:
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return prompt.masked(raw, asked(provider, **options), detector())


def sent(body: Any, provider: str = "anthropic", **options: Any) -> Any:
    """The body that the provider would get, parsed."""
    return json.loads(masked(body, provider, **options).body)


def said(text: str, **options: Any) -> str:
    """What becomes of a user's message."""
    result: str = sent({"messages": [{"role": "user", "content": text}]}, **options)["messages"][0]["content"]
    return result


def called(arguments: Any, **options: Any) -> Any:
    """What becomes of a tool's input."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": arguments}
    body = {"messages": [{"role": "assistant", "content": [block]}]}
    return sent(body, **options)["messages"][0]["content"][0]["input"]


def user(*texts: str) -> dict[str, Any]:
    """A body of a user's messages."""
    return {"messages": [{"role": "user", "content": text} for text in texts]}


def contents(body: Any) -> list[Any]:
    """What each message of a body says."""
    return [message["content"] for message in body["messages"]]


def tokens_of(tree: Any) -> list[str]:
    return [match[0] for match in TOKEN.finditer(json.dumps(tree, ensure_ascii=False))]


def restored(tree: Any, result: MaskedPrompt) -> Any:
    """A naive inverse: each token by its original, and a leaf that is a number's token by the number."""
    if isinstance(tree, dict):
        return {key: restored(value, result) for key, value in tree.items()}
    if isinstance(tree, list):
        return [restored(value, result) for value in tree]
    if isinstance(tree, str):
        if tree in result.minted.numbers:
            return json.loads(result.minted.originals[tree])
        return TOKEN.sub(lambda match: result.minted.originals.get(match[0], match[0]), tree)
    return tree


def strings_in(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from strings_in(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from strings_in(value)
