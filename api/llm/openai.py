"""OpenAI's Chat Completions format: which request fields are masked, and how the chunks of a stream are restored.

Source: the types of the `openai` package, version 3.52: `types/chat/*_param.py`, `types/chat/chat_completion_chunk.py`,
and `lib/streaming/_deltas.py` for how its clients combine deltas (texts are concatenated, array items matched by
`index`). `reasoning_content` is a field of compatible providers. `parsed` and `parsed_arguments` are in the package's
answers and come back with them.
"""

from typing import Final

from api.llm import sse
from api.llm.answers import LOGPROBS, AnswerRestorer, is_signed_content, passes, to_json
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
    FieldKind,
    Rule,
    blocks,
    request,
    tagged,
)
from api.llm.sse import Event
from api.llm.stream_text import ArrayItem, Index, Path, StreamTexts

MASKING_ORDER: Final = ("tools", "functions", "messages")  # fields whose values become known first, in this order

_BREAKPOINT: Final = Rule(FieldKind.KEYWORD, {"mode": KEYWORD, "ttl": KEYWORD})
_PART: Final = {"type": OPAQUE, "prompt_cache_breakpoint": _BREAKPOINT}
_IMAGE: Final = Rule(FieldKind.URL, {"url": URL, "detail": KEYWORD})
_PARTS: Final = {
    "text": Rule(FieldKind.TEXT, {**_PART, "text": TEXT}),
    "refusal": Rule(FieldKind.TEXT, {**_PART, "refusal": TEXT}),
    "image_url": Rule(FieldKind.TEXT, {**_PART, "image_url": _IMAGE}),
    "input_audio": Rule(
        FieldKind.TEXT, {**_PART, "input_audio": Rule(FieldKind.BYTES, {"data": BYTES, "format": KEYWORD})}
    ),
    "file": Rule(
        FieldKind.TEXT,
        {**_PART, "file": Rule(FieldKind.TEXT, {"file_data": BYTES, "file_id": OPAQUE, "filename": TEXT})},
    ),
}


_CONTENT: Final = blocks(_PARTS)
_RESULTS: Final = {**_PARTS, "text": Rule(FieldKind.TEXT, {**_PART, "text": RESULT})}
_RESULT: Final = blocks(_RESULTS, in_result=True)
_FUNCTION_CALL: Final = Rule(FieldKind.TEXT, {"name": OPAQUE, "arguments": ARGUMENTS, "parsed_arguments": DATA})
_CALL: Final = Rule(
    FieldKind.TEXT,
    {
        "id": OPAQUE,
        "type": OPAQUE,
        "function": _FUNCTION_CALL,
        "custom": Rule(FieldKind.TEXT, {"name": OPAQUE, "input": TEXT}),
    },
)
_MESSAGE_FIELDS: Final = {
    "role": OPAQUE,
    "name": NAME,
    "content": _CONTENT,
    "refusal": TEXT,
    "reasoning_content": TEXT,
    "audio": Rule(FieldKind.TEXT, {"id": OPAQUE}),
    "parse_body": DATA,
    "tool_calls": _CALL,
    "function_call": _FUNCTION_CALL,
    "tool_call_id": OPAQUE,
}
_MESSAGE: Final = Rule(
    FieldKind.TEXT,
    _MESSAGE_FIELDS,
    choose=tagged(
        "role",
        {
            "tool": Rule(FieldKind.TEXT, {**_MESSAGE_FIELDS, "content": _RESULT}),
            "function": Rule(FieldKind.TEXT, {**_MESSAGE_FIELDS, "name": OPAQUE, "content": _RESULT}),
        },
    ),
)
_FUNCTION: Final = Rule(FieldKind.TEXT, {"name": OPAQUE, "description": TEXT, "parameters": SCHEMA})
_GRAMMAR: Final = Rule(FieldKind.TEXT, {"syntax": KEYWORD, "definition": TEXT})
_CUSTOM: Final = Rule(
    FieldKind.TEXT,
    {"name": OPAQUE, "description": TEXT, "format": Rule(FieldKind.TEXT, {"type": OPAQUE, "grammar": _GRAMMAR})},
)
_TOOL: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "function": _FUNCTION, "custom": _CUSTOM})
_NAMED: Final = Rule(FieldKind.TEXT, {"name": OPAQUE})
_CHOICE: Final = {"type": OPAQUE, "name": OPAQUE, "function": _NAMED, "custom": _NAMED}
_TOOL_CHOICE: Final = Rule(
    FieldKind.KEYWORD,
    {**_CHOICE, "allowed_tools": Rule(FieldKind.TEXT, {"mode": KEYWORD, "tools": Rule(FieldKind.TEXT, _CHOICE)})},
)
_PLACE: Final = Rule(FieldKind.TEXT, {"country": KEYWORD, "timezone": KEYWORD})
_SCORED: Final = Rule(FieldKind.TEXT, {"mode": KEYWORD})

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
        "prediction": Rule(FieldKind.TEXT, {"type": OPAQUE, "content": _CONTENT}),
        "audio": Rule(FieldKind.TEXT, {"format": KEYWORD, "voice": Rule(FieldKind.OPAQUE, {"id": OPAQUE})}),
        "function_call": Rule(FieldKind.KEYWORD, {"name": OPAQUE}),
        "tool_choice": _TOOL_CHOICE,
        "response_format": Rule(
            FieldKind.TEXT,
            {
                "type": OPAQUE,
                "json_schema": Rule(FieldKind.TEXT, {"name": OPAQUE, "description": TEXT, "schema": SCHEMA}),
            },
        ),
        "moderation": Rule(
            FieldKind.TEXT, {"model": OPAQUE, "policy": Rule(FieldKind.TEXT, {"input": _SCORED, "output": _SCORED})}
        ),
        "prompt_cache_options": _BREAKPOINT,
        "stream_options": KEYWORD,
        "web_search_options": Rule(
            FieldKind.TEXT,
            {
                "search_context_size": KEYWORD,
                "user_location": Rule(FieldKind.TEXT, {"type": OPAQUE, "approximate": _PLACE}),
            },
        ),
        **dict.fromkeys(
            ("modalities", "prompt_cache_retention", "reasoning_effort", "service_tier", "verbosity"), KEYWORD
        ),
    },
    content=("messages",),
)

_TEXT_FIELDS: Final = ("delta", "message", "text")  # fields with the next piece; `text` is of completions without chat
_CONTINUED_ARRAYS: Final = ("content", "reasoning_details", "tool_calls")  # arrays whose items continue in later chunks
_ENVELOPE: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier")


class OpenAIStream:
    """Restores the chunks of a stream. Each choice has one text for each text field and tool call of its deltas."""

    def __init__(self, answers: AnswerRestorer) -> None:
        self._answers = answers
        self._texts = StreamTexts(answers.restorer)
        self._envelope: dict[str, Node] = {}
        self.is_over = False

    def restored_event(self, event: Event, tree: Node) -> bytes:
        """The bytes for the caller in place of an event."""
        choices = tree.get("choices") if isinstance(tree, dict) else None
        if not isinstance(tree, dict) or not isinstance(choices, list):
            failed = event.name == "error" or (isinstance(tree, dict) and bool(tree.get("error")))
            self.is_over = self.is_over or failed
            return (self.flush() if failed else b"") + self._whole(event, tree)
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
        if new != choices and not tree.get("usage") and all(map(_is_blank_choice, new)):
            return before  # everything is held back
        return before + sse.with_data(event.raw, to_json(done))

    def flush(self) -> bytes:
        """The text that all choices held back, as additional chunks."""
        return b"".join(self._end_choice(index) for index in self._texts.groups())

    def error_event(self, code: str, message: str) -> bytes:
        """The event that says that the answer is incomplete."""
        tree: Node = {"error": {"message": message, "type": "server_error", "param": None, "code": code}}
        return sse.new_event(None, to_json(tree))

    def _whole(self, event: Event, tree: Node) -> bytes:
        new = self._answers.tree(tree)
        return event.raw if new is tree else sse.with_data(event.raw, to_json(new))

    def _choice(self, choice: Node) -> tuple[Node, bytes]:
        """A restored choice, and the bytes that must precede its chunk."""
        if not isinstance(choice, dict):
            return self._answers.tree(choice), b""
        index = _index(choice)
        new: dict[str, Node] = {}
        for key, value in choice.items():
            if key in _TEXT_FIELDS:
                new[key] = self._part(index, choice, key, (key,))
            else:
                new[key] = self._answers.field(choice, key, value)
        if not choice.get("finish_reason"):  # some providers send "" before the end
            return new, b""
        ahead = b""
        for path, held in self._texts.end_group(index):
            if not _appended(new, path, held):
                ahead += self._chunk(index, path, held)
        return new, ahead

    def _delta(self, index: Index, node: dict[str, Node], path: Path) -> dict[str, Node]:
        if is_signed_content(node, Provider.OPENAI):
            return node
        return {key: self._part(index, node, key, (*path, key)) for key in node}

    def _part(self, index: Index, node: dict[str, Node], key: str, path: Path) -> Node:
        value = node[key]
        if key in LOGPROBS:
            return None
        if passes(node, key, Provider.OPENAI):
            return value
        if isinstance(value, str):
            return self._texts.feed(index, path, value, arguments=key == "arguments")
        if isinstance(value, dict):
            return self._delta(index, value, path)
        if isinstance(value, list):
            return [self._item(index, item, path) for item in value]
        return value

    def _item(self, index: Index, item: Node, path: Path) -> Node:
        """An array item: one that later chunks continue, or a complete one."""
        if isinstance(item, dict) and isinstance(item.get("index"), Number):
            return self._delta(index, item, (*path, _index(item)))
        if isinstance(item, dict) and path[-1] in _CONTINUED_ARRAYS:
            return self._delta(index, item, (*path, self._texts.matching_item(index, path, _named(item))))
        return self._answers.tree(item)

    def _end_choice(self, index: Index) -> bytes:
        return b"".join(self._chunk(index, path, held) for path, held in self._texts.end_group(index))

    def _chunk(self, index: Index, path: Path, held: str) -> bytes:
        node: Node = held
        for step in reversed(path):
            node = {step: node} if isinstance(step, str) else [{**_identity(step), **_object(node)}]
        choice: Node = {"index": index, **_object(node), "finish_reason": None}
        return sse.new_event(None, to_json({**self._envelope, "choices": [choice]}))


def _index(node: dict[str, Node]) -> Index:
    index = node.get("index")
    return index if isinstance(index, Number | str) else Number("0")


def _named(item: dict[str, Node]) -> ArrayItem:
    own, kind = item.get("id"), item.get("type")
    return ArrayItem(own if isinstance(own, str) else "", kind if isinstance(kind, str) else "")


def _identity(step: Number | ArrayItem) -> dict[str, Node]:
    """The fields that identify an array item."""
    if isinstance(step, Number):
        return {"index": step}
    return {key: value for key, value in step._asdict().items() if value}


def _is(item: Node, step: Number | ArrayItem) -> bool:
    if not isinstance(item, dict):
        return False
    return item.get("index") == step if isinstance(step, Number) else "index" not in item and _named(item) == step


def _object(node: Node) -> dict[str, Node]:
    return node if isinstance(node, dict) else {}


def _appended(node: Node, path: Path, held: str) -> bool:
    """Appends held text to the text at a path of the choice. False when the choice has no such text."""
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


def _is_blank_choice(choice: Node) -> bool:
    """Whether nothing is left of a choice except the fields around its text."""
    if not isinstance(choice, dict) or choice.get("finish_reason"):
        return False
    texts = [choice[key] for key in _TEXT_FIELDS if key in choice]
    return bool(texts) and all(map(_is_empty, texts))


def _is_empty(node: Node) -> bool:
    if isinstance(node, dict):
        return all(key == "index" or _is_empty(value) for key, value in node.items())
    if isinstance(node, list):
        return all(map(_is_empty, node))
    return node in ("", None)
