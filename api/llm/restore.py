"""Replaces tokens by their originals, in whole texts and in text streams that arrive in pieces."""

import json
import re
from collections.abc import Sequence
from typing import Final

from api.llm.json_tree import Node
from api.llm.model import Minted, Provider
from api.llm.token_match import LOOK_BACK, Hit, RequestTokens

MAX_PREFILL: Final = 8192  # characters; whether a longer one ends in JSON or in a fence is not examined
_TOKENS_BEGIN: Final = re.compile(r"[<&%mM]")
_CUT: Final = re.compile(r"\\+(?:[uxUX][0-9a-fA-F]{0,3})?\Z")


def prefill(body: dict[str, Node], provider: Provider) -> str:
    """The text of a last assistant message, which the answer of the model continues; empty when there is none.

    Only Anthropic's format continues it. In OpenAI's format an answer is independent of the last message.
    """
    messages = body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if provider is not Provider.ANTHROPIC or not isinstance(last, dict) or last.get("role") != "assistant":
        return ""
    text = last.get("content")
    if isinstance(text, list):
        block = text[-1] if text else None
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) and len(text) <= MAX_PREFILL else ""


def neutral_shape(text: str) -> str:
    """The text without the characters that begin tokens.

    What remains shows whether the text ends in JSON or in a code fence.
    """
    return _TOKENS_BEGIN.sub("x", _CUT.sub("", text))


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def escaped(value: str) -> str:
    """A value as the content of a JSON string literal. Lone surrogates become escapes."""
    return json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "backslashreplace").decode()


def concatenated(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    """Two sequences of source spellings, one after the other."""
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return [*first, *second]


class Restorer:
    """Restores the tokens of one request in a single pass: originals that were put in are not searched again."""

    def __init__(self, minted: Minted) -> None:
        self.tokens = RequestTokens(minted.originals)
        self._originals = minted.originals
        self.prefill = neutral_shape(minted.prefill)
        self.numbers = frozenset(
            token for token in minted.numbers if _NUMBER.fullmatch(minted.originals.get(token, ""))
        )

    def original(self, token: str, depth: int = 0) -> str:
        """The original of a token, escaped for `depth` nested JSON strings."""
        value = self._originals[token]
        for _ in range(depth):
            value = escaped(value)
        return value

    def text(self, text: str) -> str:
        """The text with every token of this request restored."""
        if not self.tokens:
            return text
        hits, decided = self.tokens.find(text, 0, final=True)
        return self.rendered(text, 0, decided, hits) if hits else text

    def number(self, text: str) -> str | None:
        """The digits to write when the whole `text` is one token that replaced a number; None otherwise."""
        if not self.numbers:
            return None
        hits, _ = self.tokens.find(text, 0, final=True)
        whole = len(hits) == 1 and (hits[0].start, hits[0].end) == (0, len(text))
        return self._originals[hits[0].token] if whole and hits[0].token in self.numbers else None

    def rendered(self, source: Sequence[str], start: int, end: int, hits: Sequence[Hit], depth: int = 0) -> str:
        """`source[start:end]` with its hits replaced by originals, escaped for `depth` nested JSON strings."""
        out: list[str] = []
        at = start
        for hit in hits:
            out += (*_as_one(source[at : hit.start]), self.original(hit.token, depth))
            at = hit.end
        out += _as_one(source[at:end])
        return "".join(out)


def _as_one(source: Sequence[str]) -> Sequence[str]:
    return (source,) if isinstance(source, str) else source


class TextStream:
    """Restores one text that arrives in pieces.

    It holds back at most the characters of one possible token and what decides about it. `depth`: the number of nested
    JSON strings that contain the text; originals are escaped that many times.
    """

    __slots__ = ("_before", "_depth", "_held", "_restorer", "_source")

    def __init__(self, restorer: Restorer, depth: int = 0) -> None:
        self._restorer = restorer
        self._depth = depth
        self._before = ""  # the last released characters, as the model wrote them
        self._held = ""
        self._source: Sequence[str] = ""  # the source spelling of each held character

    def feed(self, text: str, source: Sequence[str] | None = None) -> str:
        """The text that can be released: all but the longest end that may become a token of this request.

        `source`: the source spelling of each character of `text`, where it differs from the character itself.
        """
        if not self._restorer.tokens:
            return text if source is None else "".join(source)
        return self._released(text, text if source is None else source, final=False)

    def flush(self) -> str:
        """The text that was held back. For the end of the text."""
        return self._released("", "", final=True) if self._held else ""

    def _released(self, text: str, source: Sequence[str], *, final: bool) -> str:
        whole = self._before + self._held + text
        start = len(self._before)
        hits, decided = self._restorer.tokens.find(whole, start, final=final)
        units = concatenated(self._before, concatenated(self._source, source))
        self._before = whole[max(0, decided - LOOK_BACK) : decided]
        self._held, self._source = whole[decided:], units[decided:]
        return self._restorer.rendered(units, start, decided, hits, self._depth)
