"""Puts originals back in the place of their tokens, in whole texts and in text that arrives piece by piece."""

import json
import re
from collections.abc import Sequence
from typing import Final

from api.llm.json_tree import Node
from api.llm.model import Minted, Provider
from api.llm.token_match import LOOK_BACK, Hit, LiveTokens

# What a prompt makes the model go on from: the beginning of an answer that is the caller's own.

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


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def escaped(value: str) -> str:
    """A value as it stands between the quotes of a JSON string; lone surrogates stay escapes."""
    return json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "backslashreplace").decode()


def joined(first: Sequence[str], second: Sequence[str]) -> Sequence[str]:
    """How two texts are written, one behind the other."""
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return [*first, *second]


class Restorer:
    """What one request minted, ready to be restored. One pass: what was put in is never looked at again."""

    def __init__(self, minted: Minted) -> None:
        self.live = LiveTokens(minted.originals)
        self._originals = minted.originals
        self.prefill = shape(minted.prefill)
        self.numbers = frozenset(
            token for token in minted.numbers if _NUMBER.fullmatch(minted.originals.get(token, ""))
        )

    def original(self, token: str, depth: int = 0) -> str:
        """What the token stands for, as it is written in `depth` JSON strings inside one another."""
        value = self._originals[token]
        for _ in range(depth):
            value = escaped(value)
        return value

    def text(self, text: str) -> str:
        """The text with every token of this request restored."""
        if not self.live:
            return text
        hits, settled = self.live.find(text, 0, final=True)
        return self.rendered(text, 0, settled, hits) if hits else text

    def number(self, text: str) -> str | None:
        """The digits to write when `text` is exactly one token of a number; None otherwise."""
        if not self.numbers:
            return None
        hits, _ = self.live.find(text, 0, final=True)
        whole = len(hits) == 1 and (hits[0].start, hits[0].end) == (0, len(text))
        return self._originals[hits[0].token] if whole and hits[0].token in self.numbers else None

    def rendered(self, written: Sequence[str], start: int, end: int, hits: Sequence[Hit], depth: int = 0) -> str:
        """What is written from `start` to `end` with the hits replaced, which stand in `depth` JSON strings."""
        out: list[str] = []
        at = start
        for hit in hits:
            out += (*_as_one(written[at : hit.start]), self.original(hit.token, depth))
            at = hit.end
        out += _as_one(written[at:end])
        return "".join(out)


def _as_one(written: Sequence[str]) -> Sequence[str]:
    return (written,) if isinstance(written, str) else written


class Channel:
    """One text that arrives in pieces. What is held back is at most LONGEST characters and what decides behind them.

    With `depth` it stands in so many JSON strings inside one another, and what is put in is escaped as often.
    """

    __slots__ = ("_before", "_depth", "_held", "_restorer", "_written")

    def __init__(self, restorer: Restorer, depth: int = 0) -> None:
        self._restorer = restorer
        self._depth = depth
        self._before = ""  # the last characters that were let go, as the model wrote them
        self._held = ""
        self._written: Sequence[str] = ""  # how what is held is written, character by character

    def feed(self, text: str, written: Sequence[str] | None = None) -> str:
        """What can be said now: all but the longest end that may become a token of this request.

        `written` is as long as the text: how every character of it is written where it stands, if otherwise.
        """
        if not self._restorer.live:
            return text if written is None else "".join(written)
        return self._taken(text, text if written is None else written, final=False)

    def flush(self) -> str:
        """What was held back: the text is over, or is to be shown as far as it goes."""
        return self._taken("", "", final=True) if self._held else ""

    def _taken(self, text: str, written: Sequence[str], *, final: bool) -> str:
        whole = self._before + self._held + text
        start = len(self._before)
        hits, settled = self._restorer.live.find(whole, start, final=final)
        units = joined(self._before, joined(self._written, written))
        self._before = whole[max(0, settled - LOOK_BACK) : settled]
        self._held, self._written = whole[settled:], units[settled:]
        return self._restorer.rendered(units, start, settled, hits, self._depth)
