"""The fields of OpenAI's Chat Completions request: which are masked, and which pass.

Source: the types of the `openai` package, version 3.52 (`types/chat/*_param.py`); `reasoning_content` is a field of
compatible providers; `parsed` and `parsed_arguments` stand in the package's answers, and come back with them.
"""

from typing import Final

from api.llm import sse
from api.llm.answers import LOGPROBS, Answers, is_sealed, passes, written
from api.llm.json_tree import Node, Number
from api.llm.model import Provider
from api.llm.request_fields import (
    ARGUMENTS,
    BYTES,
    DATA,
    KEYWORD,
    LABELLED,
    NAME,
    OPAQUE,
    RESULT,
    SCHEMA,
    TEXT,
    URL,
    Rule,
    Says,
    blocks,
    request,
    tagged,
)
from api.llm.sse import Event
from api.llm.stream_text import Channels, Index, Part, Path

FIRST: Final = ("tools", "functions", "messages")  # the order in which values become known

_BREAKPOINT: Final = Rule(Says.KEYWORD, {"mode": KEYWORD, "ttl": KEYWORD})
_PART: Final = {"type": OPAQUE, "prompt_cache_breakpoint": _BREAKPOINT}
_IMAGE: Final = Rule(Says.URL, {"url": URL, "detail": KEYWORD})
_PARTS: Final = {
    "text": Rule(Says.TEXT, {**_PART, "text": TEXT}),
    "refusal": Rule(Says.TEXT, {**_PART, "refusal": TEXT}),
    "image_url": Rule(Says.TEXT, {**_PART, "image_url": _IMAGE}),
    "input_audio": Rule(Says.TEXT, {**_PART, "input_audio": Rule(Says.BYTES, {"data": BYTES, "format": KEYWORD})}),
    "file": Rule(
        Says.TEXT,
        {**_PART, "file": Rule(Says.TEXT, {"file_data": BYTES, "file_id": OPAQUE, "filename": TEXT})},
    ),
}


_CONTENT: Final = blocks(_PARTS)
_RESULTS: Final = {**_PARTS, "text": Rule(Says.TEXT, {**_PART, "text": RESULT})}
_RESULT: Final = blocks(_RESULTS, in_result=True)
_FUNCTION_CALL: Final = Rule(Says.TEXT, {"name": OPAQUE, "arguments": ARGUMENTS, "parsed_arguments": DATA})
_CALL: Final = Rule(
    Says.TEXT,
    {
        "id": OPAQUE,
        "type": OPAQUE,
        "function": _FUNCTION_CALL,
        "custom": Rule(Says.TEXT, {"name": OPAQUE, "input": TEXT}),
    },
)
_MESSAGE_FIELDS: Final = {
    "role": OPAQUE,
    "name": NAME,
    "content": _CONTENT,
    "refusal": TEXT,
    "reasoning_content": TEXT,
    "audio": Rule(Says.TEXT, {"id": OPAQUE}),
    "parsed": DATA,
    "tool_calls": _CALL,
    "function_call": _FUNCTION_CALL,
    "tool_call_id": OPAQUE,
}
_MESSAGE: Final = Rule(
    Says.TEXT,
    _MESSAGE_FIELDS,
    choose=tagged(
        "role",
        {
            "tool": Rule(Says.TEXT, {**_MESSAGE_FIELDS, "content": _RESULT}),
            "function": Rule(Says.TEXT, {**_MESSAGE_FIELDS, "name": OPAQUE, "content": _RESULT}),
        },
    ),
)
_FUNCTION: Final = Rule(Says.TEXT, {"name": OPAQUE, "description": TEXT, "parameters": SCHEMA})
_GRAMMAR: Final = Rule(Says.TEXT, {"syntax": KEYWORD, "definition": TEXT})
_CUSTOM: Final = Rule(
    Says.TEXT,
    {"name": OPAQUE, "description": TEXT, "format": Rule(Says.TEXT, {"type": OPAQUE, "grammar": _GRAMMAR})},
)
_TOOL: Final = Rule(Says.TEXT, {"type": OPAQUE, "function": _FUNCTION, "custom": _CUSTOM})
_NAMED: Final = Rule(Says.TEXT, {"name": OPAQUE})
_CHOICE: Final = {"type": OPAQUE, "name": OPAQUE, "function": _NAMED, "custom": _NAMED}
_TOOL_CHOICE: Final = Rule(
    Says.KEYWORD,
    {**_CHOICE, "allowed_tools": Rule(Says.TEXT, {"mode": KEYWORD, "tools": Rule(Says.TEXT, _CHOICE)})},
)
_PLACE: Final = Rule(Says.TEXT, {"country": KEYWORD, "timezone": KEYWORD})
_SCORED: Final = Rule(Says.TEXT, {"mode": KEYWORD})

REQUEST: Final = request(
    {
        "tools": _TOOL,
        "functions": _FUNCTION,
        "messages": _MESSAGE,
        "model": OPAQUE,
        "metadata": LABELLED,
        "stop": TEXT,
        "user": LABELLED,
        "safety_identifier": LABELLED,
        "prompt_cache_key": LABELLED,
        "prediction": Rule(Says.TEXT, {"type": OPAQUE, "content": _CONTENT}),
        "audio": Rule(Says.TEXT, {"format": KEYWORD, "voice": Rule(Says.OPAQUE, {"id": OPAQUE})}),
        "function_call": Rule(Says.KEYWORD, {"name": OPAQUE}),
        "tool_choice": _TOOL_CHOICE,
        "response_format": Rule(
            Says.TEXT,
            {
                "type": OPAQUE,
                "json_schema": Rule(Says.TEXT, {"name": OPAQUE, "description": TEXT, "schema": SCHEMA}),
            },
        ),
        "moderation": Rule(
            Says.TEXT, {"model": OPAQUE, "policy": Rule(Says.TEXT, {"input": _SCORED, "output": _SCORED})}
        ),
        "prompt_cache_options": _BREAKPOINT,
        "stream_options": KEYWORD,
        "web_search_options": Rule(
            Says.TEXT,
            {
                "search_context_size": KEYWORD,
                "user_location": Rule(Says.TEXT, {"type": OPAQUE, "approximate": _PLACE}),
            },
        ),
        **dict.fromkeys(
            ("modalities", "prompt_cache_retention", "reasoning_effort", "service_tier", "verbosity"), KEYWORD
        ),
    },
    content=("messages",),
)

# Restores the chunks of an OpenAI chat completion stream.
#
# Source: the `openai` package, version 3.52: `types/chat/chat_completion_chunk.py`, `lib/streaming/_deltas.py` (how its
# clients put deltas together: texts one behind the other, arrays by `index`).

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
