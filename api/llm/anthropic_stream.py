"""Restores the events of an Anthropic message stream.

Source: the `anthropic` package, version 2.11: `types/raw_*_event.py`, `types/beta/beta_raw_content_block_delta.py`.
"""

from collections.abc import Mapping
from typing import Final

from api.llm import sse
from api.llm.answer_fields import passes
from api.llm.answers import Answers, written
from api.llm.json_tree import Node, Number
from api.llm.model import Provider
from api.llm.sse import Event
from api.llm.stream_text import Channels, Index, Path

_UNTOUCHED: Final = ("thinking_delta", "signature_delta")
_ENDS: Final = ("message_delta", "message_stop", "error")
_JSON: Final = "partial_json"
_FIRST: Final = Number("0")


class AnthropicStream:
    """Every content block has a channel for each kind of its deltas."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._channels = Channels(answers.restorer)
        self._summary: tuple[Index, Event, dict[str, Node]] | None = None  # a compaction's, until it is known if signed
        self.over = False

    def passed(self, event: Event, tree: Node) -> bytes:
        """What goes to the caller in the place of an event."""
        kind = tree.get("type") if isinstance(tree, dict) else None
        if not isinstance(tree, dict) or not isinstance(kind, str):
            return self._rest_if(event.name in _ENDS) + self._whole(event, tree)
        if kind == "content_block_delta":
            return self._delta(event, tree)
        if kind == "content_block_start":
            return self._ended(_index(tree)) + self._start(event, tree)
        if kind == "content_block_stop":
            return self._ended(_index(tree)) + self._whole(event, tree)
        self.over = self.over or kind in ("message_stop", "error")
        return self._rest_if(kind in _ENDS) + self._whole(event, tree)

    def rest(self) -> bytes:
        """What all blocks held back, as deltas of their own."""
        out = self._released(signed=False)
        for index in self._channels.groups():
            out += self._ended(index)
        return out

    def failure(self, code: str, message: str) -> bytes:
        """The event that says that the answer broke off."""
        tree: Node = {"type": "error", "error": {"type": code, "message": message}}
        return sse.written("error", written(tree))

    def _rest_if(self, ends: bool) -> bytes:
        return self.rest() if ends else b""

    def _whole(self, event: Event, tree: Node) -> bytes:
        new = self._answers.tree(tree)
        return event.raw if new is tree else sse.rewritten(event.raw, written(new))

    def _ended(self, index: Index) -> bytes:
        out = self._released(signed=False) if self._summary and self._summary[0] == index else b""
        for path, held in self._channels.over(index):
            out += _delta(index, path, held)
        return out

    def _start(self, event: Event, tree: dict[str, Node]) -> bytes:
        """A block's start, with whose first text the deltas go on."""
        block = tree.get("content_block")
        if not isinstance(block, dict) or block.get("type") == "compaction":
            return event.raw
        text = block.get("text")
        if block.get("type") != "text" or not isinstance(text, str) or not text:
            return self._whole(event, tree)
        said = self._text(_index(tree), "text_delta", "text", text)
        rest = self._answers.tree({key: value for key, value in block.items() if key != "text"})
        new = {key: said if key == "text" else rest[key] for key in block} if isinstance(rest, dict) else block
        return event.raw if new == block else sse.rewritten(event.raw, written({**tree, "content_block": new}))

    def _delta(self, event: Event, tree: dict[str, Node]) -> bytes:
        delta, index = tree.get("delta"), _index(tree)
        if not isinstance(delta, dict):
            return self._whole(event, tree)
        kind = delta.get("type")
        signs = kind == "signature_delta"
        before = self._released(signed=signs) if self._summary and self._summary[0] == index else b""
        if kind == "compaction_delta":
            return before + self._released(signed=False) + self._summed_up(index, event, tree)
        if kind in _UNTOUCHED or not isinstance(kind, str):
            return before + event.raw
        new = {key: self._said(index, kind, delta, key) for key in delta}
        if new == delta:
            return before + event.raw
        if any(isinstance(delta[key], str) and delta[key] and new[key] == "" for key in delta) and _is_bare(new):
            return before  # all of it waits
        return before + sse.rewritten(event.raw, written({**tree, "delta": new}))

    def _said(self, index: Index, kind: str, delta: Mapping[str, Node], key: str) -> Node:
        value = delta[key]
        if passes(delta, key, Provider.ANTHROPIC):
            return value
        if isinstance(value, str):
            return self._text(index, kind, key, value)
        return self._answers.tree(value)

    def _text(self, index: Index, kind: str, key: str, piece: str) -> str:
        """What can be said of a delta's text. That of the first block goes on from the prompt's end."""
        is_first = (index, kind) == (_FIRST, "text_delta")
        begun = self._answers.restorer.prefill if is_first else ""
        return self._channels.feed(index, (kind, key), piece, arguments=key == _JSON, begun=begun)

    def _summed_up(self, index: Index, event: Event, tree: dict[str, Node]) -> bytes:
        """A compaction's summary, which waits if there is anything in it to restore."""
        if self._answers.tree(tree) is tree:
            return event.raw
        self._summary = (index, event, tree)
        return b""

    def _released(self, *, signed: bool) -> bytes:
        """The summary that waited for the next event of its block, which tells whether it is signed."""
        if self._summary is None:
            return b""
        (_, event, tree), self._summary = self._summary, None
        return event.raw if signed else self._whole(event, tree)


def _index(tree: Mapping[str, Node]) -> Index:
    index = tree.get("index")
    return index if isinstance(index, Number | str) else ""


def _delta(index: Index, path: Path, held: str) -> bytes:
    kind, key = path
    tree: Node = {"type": "content_block_delta", "index": index, "delta": {"type": str(kind), str(key): held}}
    return sse.written("content_block_delta", written(tree))


def _is_bare(delta: Mapping[str, Node]) -> bool:
    return all(value in ("", None) for key, value in delta.items() if key != "type")
