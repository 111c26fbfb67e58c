"""The fields of Anthropic's Messages request: which are masked, and which pass.

Source: the types of the `anthropic` package, version 2.11 (`types/` and `types/beta/`, `*_param.py`).
"""

from collections.abc import Mapping
from typing import Final

from api.llm import sse
from api.llm.answers import Answers, passes, written
from api.llm.json_tree import Node, Number
from api.llm.model import Provider
from api.llm.request_fields import (
    ARGUMENTS,
    BYTES,
    DATA,
    KEYWORD,
    LABELLED,
    OPAQUE,
    RESULT,
    SCHEMA,
    TEXT,
    URL,
    VERBATIM,
    Rule,
    Says,
    blocks,
    request,
    tagged,
)
from api.llm.sse import Event
from api.llm.stream_text import Channels, Index, Path

FIRST: Final = ("tools", "system", "messages")  # the order in which values become known

_TABLE: Final[dict[str, Rule]] = {}  # blocks by their type; filled below, as blocks hold blocks
BLOCK: Final = blocks(_TABLE)
_RESULTS: Final[dict[str, Rule]] = {}  # the same, inside a tool's result
_RESULT: Final = blocks(_RESULTS, in_result=True)
_CACHE: Final = Rule(Says.KEYWORD, {"type": OPAQUE, "ttl": OPAQUE})
_TYPED: Final = {"type": OPAQUE, "cache_control": _CACHE}
_ON_OFF: Final = Rule(Says.TEXT, {"type": OPAQUE, "enabled": KEYWORD})
_CALLER: Final = Rule(Says.TEXT, {"type": OPAQUE, "tool_id": OPAQUE})
_LOCATION: Final = Rule(Says.TEXT, {"type": OPAQUE, "country": KEYWORD, "timezone": KEYWORD})
_CITATION: Final = Rule(
    Says.TEXT, {"type": OPAQUE, "encrypted_index": OPAQUE, "file_id": OPAQUE, "url": URL, "title": TEXT}
)
_SOURCE: Final = Rule(
    Says.TEXT,
    choose=tagged(
        "type",
        {
            "base64": Rule(Says.TEXT, {"type": OPAQUE, "media_type": OPAQUE, "data": BYTES}),
            "text": Rule(Says.TEXT, {"type": OPAQUE, "media_type": OPAQUE, "data": TEXT}),
            "content": Rule(Says.TEXT, {"type": OPAQUE, "content": BLOCK}),
            "url": Rule(Says.TEXT, {"type": OPAQUE, "url": URL}),
            "file": Rule(Says.TEXT, {"type": OPAQUE, "file_id": OPAQUE}),
        },
    ),
)
_CALL: Final = Rule(
    Says.TEXT,
    {
        **_TYPED,
        "id": OPAQUE,
        "name": OPAQUE,
        "server_name": OPAQUE,
        "toolset_name": OPAQUE,
        "caller": _CALLER,
        "input": ARGUMENTS,
    },
)
_TOOL_RESULT: Final = Rule(
    Says.TEXT, {**_TYPED, "tool_use_id": OPAQUE, "toolset_name": OPAQUE, "caller": _CALLER, "content": _RESULT}
)
# What server tools give back: texts, and what only the server can read.
_SERVER_RESULT: Final = Rule(
    Says.TEXT,
    {
        **_TYPED,
        "url": URL,
        "file_id": OPAQUE,
        "encrypted_content": OPAQUE,
        "encrypted_stdout": OPAQUE,
        "error_code": KEYWORD,
        "stop_reason": KEYWORD,
        "file_type": KEYWORD,
        "content": _RESULT,
        "tool_references": _RESULT,
    },
)
_SERVER_RESULTS: Final = (
    "web_search_result", "web_search_tool_result_error", "web_fetch_result", "web_fetch_tool_result_error",
    "advisor_result", "advisor_redacted_result", "advisor_tool_result_error", "code_execution_result",
    "code_execution_output", "encrypted_code_execution_result", "code_execution_tool_result_error",
    "bash_code_execution_result", "bash_code_execution_output", "bash_code_execution_tool_result_error",
    "text_editor_code_execution_view_result", "text_editor_code_execution_create_result",
    "text_editor_code_execution_str_replace_result", "text_editor_code_execution_tool_result_error",
    "tool_search_tool_search_result", "tool_search_tool_result_error",
)  # fmt: skip
_TOOL_RESULTS: Final = (
    "tool_result", "mcp_tool_result", "web_search_tool_result", "web_fetch_tool_result", "advisor_tool_result",
    "code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
)  # fmt: skip

_TOOL: Final = Rule(
    Says.TEXT,
    {
        **_TYPED,
        "name": OPAQUE,
        "model": OPAQUE,
        "mcp_server_name": OPAQUE,
        "allowed_callers": OPAQUE,
        "response_inclusion": KEYWORD,
        "caching": _CACHE,
        "input_schema": SCHEMA,
        "input_examples": DATA,
        "user_location": _LOCATION,
    },
)
_TOOL_FIELDS: Final = dict(_TOOL.fields)
TOOL: Final = Rule(
    Says.TEXT,
    {
        **_TOOL_FIELDS,
        "tools": Rule(Says.TEXT, _TOOL_FIELDS),  # those that an MCP server listed
        "url_sources": Rule(
            Says.TEXT,
            rest=Rule(Says.TEXT, {"type": OPAQUE, "tools": Rule(Says.TEXT, {"type": OPAQUE, "name": OPAQUE})}),
        ),
    },
)
_TOOL_CHANGE: Final = Rule(
    Says.TEXT,
    {
        **_TYPED,
        "tool": Rule(Says.TEXT, {"type": OPAQUE, "name": OPAQUE, "server_name": OPAQUE, "definition": TOOL}),
    },
)
_COMPACTION: Final = Rule(
    Says.TEXT,
    {**_TYPED, "encrypted_content": OPAQUE, "signature": OPAQUE, "content": TEXT, "tool_changes": _TOOL_CHANGE},
)
# Its signature is over what it holds: it goes back as it came.
_SIGNED_COMPACTION: Final = Rule(Says.TEXT, {**_COMPACTION.fields, "content": OPAQUE, "tool_changes": VERBATIM})


def _compaction(node: Mapping[str, Node]) -> Rule:
    signature = node.get("signature")
    return _SIGNED_COMPACTION if isinstance(signature, str) and signature else _COMPACTION


_MODEL: Final = Rule(Says.TEXT, {"model": OPAQUE})
_TAB: Final = Rule(Says.TEXT, {"type": OPAQUE, "tab_id": OPAQUE, "download_id": OPAQUE})
_TABLE.update(
    {
        "text": Rule(Says.TEXT, {**_TYPED, "text": TEXT, "citations": _CITATION}),
        "image": Rule(
            Says.TEXT,
            {**_TYPED, "source": _SOURCE, "transformations": Rule(Says.TEXT, {"oversized_image": KEYWORD})},
        ),
        "document": Rule(
            Says.TEXT, {**_TYPED, "source": _SOURCE, "citations": _ON_OFF, "title": TEXT, "context": TEXT}
        ),
        "search_result": Rule(
            Says.TEXT, {**_TYPED, "content": BLOCK, "citations": _ON_OFF, "title": TEXT, "source": TEXT}
        ),
        "thinking": Rule(Says.TEXT, {"type": OPAQUE, "thinking": OPAQUE, "signature": OPAQUE}),
        "redacted_thinking": Rule(Says.TEXT, {"type": OPAQUE, "data": OPAQUE}),
        **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use"), _CALL),
        **dict.fromkeys(_TOOL_RESULTS, _TOOL_RESULT),
        **dict.fromkeys(_SERVER_RESULTS, _SERVER_RESULT),
        "tool_reference": Rule(Says.TEXT, {**_TYPED, "tool_name": OPAQUE}),
        "container_upload": Rule(Says.TEXT, {**_TYPED, "file_id": OPAQUE}),
        "browser_state": Rule(Says.TEXT, {**_TYPED, "tabs": _TAB, "state_changes": _TAB}),
        **dict.fromkeys(("tool_addition", "tool_removal"), _TOOL_CHANGE),
        "mcp_tool_listing": TOOL,
        "compaction": Rule(Says.TEXT, choose=_compaction),
        "fallback": Rule(Says.TEXT, {"type": OPAQUE, "from": _MODEL, "to": _MODEL}),
    }
)
_RESULTS.update({**_TABLE, "text": Rule(Says.TEXT, {**_TABLE["text"].fields, "text": RESULT})})

_KEPT: Final = Rule(Says.TEXT, {"type": OPAQUE})
_EDIT: Final = Rule(
    Says.TEXT,
    {
        "type": OPAQUE,
        **dict.fromkeys(("trigger", "keep", "clear_at_least"), Rule(Says.KEYWORD, {"type": OPAQUE})),
        **dict.fromkeys(("exclude_tools", "clear_tool_inputs"), OPAQUE),  # names of tools
    },
)
_OUTPUT: Final = Rule(
    Says.TEXT,
    {
        "effort": KEYWORD,
        "format": Rule(Says.TEXT, {"type": OPAQUE, "name": OPAQUE, "schema": SCHEMA}),
        "task_budget": _KEPT,
    },
)
_THINKING: Final = Rule(
    Says.TEXT,
    {"type": OPAQUE, "display": KEYWORD, "block_binding": Rule(Says.TEXT, {"prefix_mismatch_behavior": KEYWORD})},
)
_MCP_SERVER: Final = Rule(
    Says.TEXT,
    {
        "type": OPAQUE,
        "name": OPAQUE,
        "url": URL,
        "authorization_token": OPAQUE,  # goes to the provider by design
        "tool_configuration": Rule(Says.TEXT, {"allowed_tools": OPAQUE}),
    },
)
_CONTAINER: Final = Rule(
    Says.OPAQUE,
    {"id": OPAQUE, "skills": Rule(Says.TEXT, {"type": OPAQUE, "skill_id": OPAQUE, "version": OPAQUE})},
)
_MESSAGE: Final = Rule(
    Says.TEXT, {"role": OPAQUE, "content": BLOCK, "clear_at": KEYWORD, "output_config": _OUTPUT, "type": OPAQUE}
)
_FALLBACK: Final = Rule(
    Says.KEYWORD, {"model": OPAQUE, "output_config": _OUTPUT, "speed": KEYWORD, "thinking": _THINKING}
)

REQUEST: Final = request(
    {
        "tools": TOOL,
        "system": BLOCK,
        "messages": _MESSAGE,
        "model": OPAQUE,
        "metadata": LABELLED,
        "stop_sequences": TEXT,
        "cache_control": _CACHE,
        "container": _CONTAINER,
        "context_management": Rule(Says.TEXT, {"edits": _EDIT}),
        "compaction": Rule(Says.TEXT, {"type": OPAQUE, "instructions": TEXT}),
        "diagnostics": Rule(Says.TEXT, {"previous_message_id": OPAQUE}),
        "thread": Rule(Says.TEXT, {"type": OPAQUE, "previous_message_id": OPAQUE}),
        "fallbacks": _FALLBACK,
        "fallback_credit_token": Rule(Says.OPAQUE, {"token": OPAQUE, "mode": KEYWORD}),
        "billing_policy": Rule(Says.TEXT, {"type": OPAQUE, "bill_to": KEYWORD}),
        "mcp_servers": _MCP_SERVER,
        "output_config": _OUTPUT,
        "output_format": _OUTPUT.fields["format"],
        "thinking": _THINKING,
        "tool_choice": Rule(Says.KEYWORD, {"type": OPAQUE, "name": OPAQUE}),
        "betas": OPAQUE,
        "workspace_id": OPAQUE,
        "user_profile_id": OPAQUE,
        **dict.fromkeys(("inference_geo", "service_tier", "speed"), KEYWORD),
    },
    content=("system", "messages"),
)

# Restores the events of an Anthropic message stream.
#
# Source: the `anthropic` package, version 2.11: `types/raw_*_event.py`, `types/beta/beta_raw_content_block_delta.py`.

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
