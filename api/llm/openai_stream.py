"""Restores the chunks of an OpenAI chat completion stream.

Source: the `openai` package, version 3.52: `types/chat/chat_completion_chunk.py`, `lib/streaming/_deltas.py` (how its
clients put deltas together: texts one behind the other, arrays by `index`).
"""

from typing import Final

from api.llm import sse
from api.llm.answer_fields import LOGPROBS, is_sealed, passes
from api.llm.answers import Answers, written
from api.llm.json_tree import Node, Number
from api.llm.model import Provider
from api.llm.sse import Event
from api.llm.stream_text import Channels, Index, Part, Path

_SPEAKS: Final = ("delta", "message", "text")  # what a choice says its next piece in; `text` before there was chat
_IN_PIECES: Final = ("content", "reasoning_details", "tool_calls")  # arrays whose parts go on in later chunks
_ENVELOPE: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


class OpenAIStream:
    """Every choice has a channel for each text of its deltas, and for each call of a tool."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._channels = Channels(answers.restorer)
        self._envelope: dict[str, Node] = {}
        self.over = False

    def passed(self, event: Event, tree: Node) -> bytes:
        """What goes to the caller in the place of an event."""
        choices = tree.get("choices") if isinstance(tree, dict) else None
        if not isinstance(tree, dict) or not isinstance(choices, list):
            failed = event.name == "error" or (isinstance(tree, dict) and bool(tree.get("error")))
            self.over = self.over or failed
            return (self.rest() if failed else b"") + self._whole(event, tree)
        self._envelope = {key: tree[key] for key in _ENVELOPE if key in tree}
        before = b""
        new: list[Node] = []
        for choice in choices:
            restored, ahead = self._choice(choice)
            new.append(restored)
            before += ahead
        done = {key: new if key == "choices" else self._answers.field(tree, key, tree[key]) for key in tree}
        if done == tree:
            return before + event.raw
        if new != choices and not tree.get("usage") and all(map(_says_nothing, new)):
            return before  # all of it waits
        return before + sse.rewritten(event.raw, written(done))

    def rest(self) -> bytes:
        """What all choices held back, in chunks of their own."""
        return b"".join(self._ended(index) for index in self._channels.groups())

    def failure(self, code: str, message: str) -> bytes:
        """The event that says that the answer broke off."""
        tree: Node = {"error": {"message": message, "type": "server_error", "param": None, "code": code}}
        return sse.written(None, written(tree))

    def _whole(self, event: Event, tree: Node) -> bytes:
        new = self._answers.tree(tree)
        return event.raw if new is tree else sse.rewritten(event.raw, written(new))

    def _choice(self, choice: Node) -> tuple[Node, bytes]:
        """A choice restored, and what must come before it."""
        if not isinstance(choice, dict):
            return self._answers.tree(choice), b""
        index = _index(choice)
        new: dict[str, Node] = {}
        for key, value in choice.items():
            if key in _SPEAKS:
                new[key] = self._part(index, choice, key, (key,))
            else:
                new[key] = self._answers.field(choice, key, value)
        if not choice.get("finish_reason"):  # some say "" as long as there is none
            return new, b""
        ahead = b""
        for path, held in self._channels.over(index):
            if not _appended(new, path, held):
                ahead += self._chunk(index, path, held)
        return new, ahead

    def _delta(self, index: Index, node: dict[str, Node], path: Path) -> dict[str, Node]:
        if is_sealed(node, Provider.OPENAI):
            return node
        return {key: self._part(index, node, key, (*path, key)) for key in node}

    def _part(self, index: Index, node: dict[str, Node], key: str, path: Path) -> Node:
        value = node[key]
        if key in LOGPROBS:
            return None
        if passes(node, key, Provider.OPENAI):
            return value
        if isinstance(value, str):
            return self._channels.feed(index, path, value, arguments=key == "arguments")
        if isinstance(value, dict):
            return self._delta(index, value, path)
        if isinstance(value, list):
            return [self._item(index, item, path) for item in value]
        return value

    def _item(self, index: Index, item: Node, path: Path) -> Node:
        """A part of an array: one that goes on, or one that is whole."""
        if isinstance(item, dict) and isinstance(item.get("index"), Number):
            return self._delta(index, item, (*path, _index(item)))
        if isinstance(item, dict) and path[-1] in _IN_PIECES:
            return self._delta(index, item, (*path, self._channels.part(index, path, _named(item))))
        return self._answers.tree(item)

    def _ended(self, index: Index) -> bytes:
        return b"".join(self._chunk(index, path, held) for path, held in self._channels.over(index))

    def _chunk(self, index: Index, path: Path, held: str) -> bytes:
        said: Node = held
        for step in reversed(path):
            said = {step: said} if isinstance(step, str) else [{**_identity(step), **_object(said)}]
        choice: Node = {"index": index, **_object(said), "finish_reason": None}
        return sse.written(None, written({**self._envelope, "choices": [choice]}))


def _index(node: dict[str, Node]) -> Index:
    index = node.get("index")
    return index if isinstance(index, Number | str) else Number("0")


def _named(item: dict[str, Node]) -> Part:
    own, kind = item.get("id"), item.get("type")
    return Part(own if isinstance(own, str) else "", kind if isinstance(kind, str) else "")


def _identity(step: Number | Part) -> dict[str, Node]:
    """What a part of an array says of which part it is."""
    if isinstance(step, Number):
        return {"index": step}
    return {key: value for key, value in step._asdict().items() if value}


def _is(item: Node, step: Number | Part) -> bool:
    if not isinstance(item, dict):
        return False
    return item.get("index") == step if isinstance(step, Number) else "index" not in item and _named(item) == step


def _object(node: Node) -> dict[str, Node]:
    return node if isinstance(node, dict) else {}


def _appended(node: Node, path: Path, held: str) -> bool:
    """Whether a choice has the text of a path, which then goes on with what was held."""
    *above, key = path
    for step in above:
        if isinstance(step, str):
            node = node.get(step) if isinstance(node, dict) else None
        else:
            items = node if isinstance(node, list) else []
            node = next((item for item in reversed(items) if _is(item, step)), None)
    if not isinstance(node, dict) or not isinstance(key, str):
        return False
    text = node.get(key)
    if isinstance(text, str):
        node[key] = text + held
    return isinstance(text, str)


def _says_nothing(choice: Node) -> bool:
    """Whether nothing is left of a choice but the frame around its text."""
    if not isinstance(choice, dict) or choice.get("finish_reason"):
        return False
    said = [choice[key] for key in _SPEAKS if key in choice]
    return bool(said) and all(map(_is_empty, said))


def _is_empty(node: Node) -> bool:
    if isinstance(node, dict):
        return all(key == "index" or _is_empty(value) for key, value in node.items())
    if isinstance(node, list):
        return all(map(_is_empty, node))
    return node in ("", None)
