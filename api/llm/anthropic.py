"""Anthropic's Messages format: which request fields are masked, and how the events of a stream are restored.

Source: the types of the `anthropic` package, version 2.11: `types/` and `types/beta/`, `*_param.py`, `raw_*_event.py`,
`beta_raw_content_block_delta.py`.
"""

from collections.abc import Mapping
from typing import Final

from api.llm import sse
from api.llm.answers import AnswerRestorer, passes, to_json
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
    FieldKind,
    Rule,
    blocks,
    request,
    tagged,
)
from api.llm.sse import Event
from api.llm.stream_text import Index, Path, StreamTexts

MASKING_ORDER: Final = ("tools", "system", "messages")  # fields whose values become known first, in this order

_TABLE: Final[dict[str, Rule]] = {}  # blocks by type; filled below, since blocks contain blocks
BLOCK: Final = blocks(_TABLE)
_RESULTS: Final[dict[str, Rule]] = {}  # blocks inside a tool result
_RESULT: Final = blocks(_RESULTS, in_result=True)
_CACHE: Final = Rule(FieldKind.KEYWORD, {"type": OPAQUE, "ttl": OPAQUE})
_TYPED: Final = {"type": OPAQUE, "cache_control": _CACHE}
_ON_OFF: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "enabled": KEYWORD})
_CALLER: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "tool_id": OPAQUE})
_LOCATION: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "country": KEYWORD, "timezone": KEYWORD})
_CITATION: Final = Rule(
    FieldKind.TEXT, {"type": OPAQUE, "encrypted_index": OPAQUE, "file_id": OPAQUE, "url": URL, "title": TEXT}
)
_SOURCE: Final = Rule(
    FieldKind.TEXT,
    choose=tagged(
        "type",
        {
            "base64": Rule(FieldKind.TEXT, {"type": OPAQUE, "media_type": OPAQUE, "data": BYTES}),
            "text": Rule(FieldKind.TEXT, {"type": OPAQUE, "media_type": OPAQUE, "data": TEXT}),
            "content": Rule(FieldKind.TEXT, {"type": OPAQUE, "content": BLOCK}),
            "url": Rule(FieldKind.TEXT, {"type": OPAQUE, "url": URL}),
            "file": Rule(FieldKind.TEXT, {"type": OPAQUE, "file_id": OPAQUE}),
        },
    ),
)
_CALL: Final = Rule(
    FieldKind.TEXT,
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
    FieldKind.TEXT, {**_TYPED, "tool_use_id": OPAQUE, "toolset_name": OPAQUE, "caller": _CALLER, "content": _RESULT}
)
# The results of server tools: texts, and ciphertext for the server.
_SERVER_RESULT: Final = Rule(
    FieldKind.TEXT,
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
    FieldKind.TEXT,
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
    FieldKind.TEXT,
    {
        **_TOOL_FIELDS,
        "tools": Rule(FieldKind.TEXT, _TOOL_FIELDS),  # the tools that an MCP server listed
        "url_sources": Rule(
            FieldKind.TEXT,
            rest=Rule(
                FieldKind.TEXT, {"type": OPAQUE, "tools": Rule(FieldKind.TEXT, {"type": OPAQUE, "name": OPAQUE})}
            ),
        ),
    },
)
_TOOL_CHANGE: Final = Rule(
    FieldKind.TEXT,
    {
        **_TYPED,
        "tool": Rule(FieldKind.TEXT, {"type": OPAQUE, "name": OPAQUE, "server_name": OPAQUE, "definition": TOOL}),
    },
)
_COMPACTION: Final = Rule(
    FieldKind.TEXT,
    {**_TYPED, "encrypted_content": OPAQUE, "signature": OPAQUE, "content": TEXT, "tool_changes": _TOOL_CHANGE},
)
# The signature covers its content, so it is sent back unchanged.
_SIGNED_COMPACTION: Final = Rule(FieldKind.TEXT, {**_COMPACTION.fields, "content": OPAQUE, "tool_changes": VERBATIM})


def _compaction(node: Mapping[str, Node]) -> Rule:
    signature = node.get("signature")
    return _SIGNED_COMPACTION if isinstance(signature, str) and signature else _COMPACTION


_MODEL: Final = Rule(FieldKind.TEXT, {"model": OPAQUE})
_TAB: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "tab_id": OPAQUE, "download_id": OPAQUE})
_TABLE.update(
    {
        "text": Rule(FieldKind.TEXT, {**_TYPED, "text": TEXT, "citations": _CITATION}),
        "image": Rule(
            FieldKind.TEXT,
            {**_TYPED, "source": _SOURCE, "transformations": Rule(FieldKind.TEXT, {"oversized_image": KEYWORD})},
        ),
        "document": Rule(
            FieldKind.TEXT, {**_TYPED, "source": _SOURCE, "citations": _ON_OFF, "title": TEXT, "context": TEXT}
        ),
        "search_result": Rule(
            FieldKind.TEXT, {**_TYPED, "content": BLOCK, "citations": _ON_OFF, "title": TEXT, "source": TEXT}
        ),
        "thinking": Rule(FieldKind.TEXT, {"type": OPAQUE, "thinking": OPAQUE, "signature": OPAQUE}),
        "redacted_thinking": Rule(FieldKind.TEXT, {"type": OPAQUE, "data": OPAQUE}),
        **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use"), _CALL),
        **dict.fromkeys(_TOOL_RESULTS, _TOOL_RESULT),
        **dict.fromkeys(_SERVER_RESULTS, _SERVER_RESULT),
        "tool_reference": Rule(FieldKind.TEXT, {**_TYPED, "tool_name": OPAQUE}),
        "container_upload": Rule(FieldKind.TEXT, {**_TYPED, "file_id": OPAQUE}),
        "browser_state": Rule(FieldKind.TEXT, {**_TYPED, "tabs": _TAB, "state_changes": _TAB}),
        **dict.fromkeys(("tool_addition", "tool_removal"), _TOOL_CHANGE),
        "mcp_tool_listing": TOOL,
        "compaction": Rule(FieldKind.TEXT, choose=_compaction),
        "fallback": Rule(FieldKind.TEXT, {"type": OPAQUE, "from": _MODEL, "to": _MODEL}),
    }
)
_RESULTS.update({**_TABLE, "text": Rule(FieldKind.TEXT, {**_TABLE["text"].fields, "text": RESULT})})

_KEPT: Final = Rule(FieldKind.TEXT, {"type": OPAQUE})
_EDIT: Final = Rule(
    FieldKind.TEXT,
    {
        "type": OPAQUE,
        **dict.fromkeys(("trigger", "keep", "clear_at_least"), Rule(FieldKind.KEYWORD, {"type": OPAQUE})),
        **dict.fromkeys(("exclude_tools", "clear_tool_inputs"), OPAQUE),  # names of tools
    },
)
_OUTPUT: Final = Rule(
    FieldKind.TEXT,
    {
        "effort": KEYWORD,
        "format": Rule(FieldKind.TEXT, {"type": OPAQUE, "name": OPAQUE, "schema": SCHEMA}),
        "task_budget": _KEPT,
    },
)
_THINKING: Final = Rule(
    FieldKind.TEXT,
    {"type": OPAQUE, "display": KEYWORD, "block_binding": Rule(FieldKind.TEXT, {"prefix_mismatch_behavior": KEYWORD})},
)
_MCP_SERVER: Final = Rule(
    FieldKind.TEXT,
    {
        "type": OPAQUE,
        "name": OPAQUE,
        "url": URL,
        "authorization_token": OPAQUE,  # meant for the provider
        "tool_configuration": Rule(FieldKind.TEXT, {"allowed_tools": OPAQUE}),
    },
)
_CONTAINER: Final = Rule(
    FieldKind.OPAQUE,
    {"id": OPAQUE, "skills": Rule(FieldKind.TEXT, {"type": OPAQUE, "skill_id": OPAQUE, "version": OPAQUE})},
)
_MESSAGE: Final = Rule(
    FieldKind.TEXT, {"role": OPAQUE, "content": BLOCK, "clear_at": KEYWORD, "output_config": _OUTPUT, "type": OPAQUE}
)
_FALLBACK: Final = Rule(
    FieldKind.KEYWORD, {"model": OPAQUE, "output_config": _OUTPUT, "speed": KEYWORD, "thinking": _THINKING}
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
        "context_management": Rule(FieldKind.TEXT, {"edits": _EDIT}),
        "compaction": Rule(FieldKind.TEXT, {"type": OPAQUE, "instructions": TEXT}),
        "diagnostics": Rule(FieldKind.TEXT, {"previous_message_id": OPAQUE}),
        "thread": Rule(FieldKind.TEXT, {"type": OPAQUE, "previous_message_id": OPAQUE}),
        "fallbacks": _FALLBACK,
        "fallback_credit_token": Rule(FieldKind.OPAQUE, {"token": OPAQUE, "mode": KEYWORD}),
        "billing_policy": Rule(FieldKind.TEXT, {"type": OPAQUE, "bill_to": KEYWORD}),
        "mcp_servers": _MCP_SERVER,
        "output_config": _OUTPUT,
        "output_format": _OUTPUT.fields["format"],
        "thinking": _THINKING,
        "tool_choice": Rule(FieldKind.KEYWORD, {"type": OPAQUE, "name": OPAQUE}),
        "betas": OPAQUE,
        "workspace_id": OPAQUE,
        "user_profile_id": OPAQUE,
        **dict.fromkeys(("inference_geo", "service_tier", "speed"), KEYWORD),
    },
    content=("system", "messages"),
)

_UNCHANGED_DELTAS: Final = ("thinking_delta", "signature_delta")
_ENDING_EVENTS: Final = ("message_delta", "message_stop", "error")
_JSON: Final = "partial_json"
_FIRST: Final = Number("0")


class AnthropicStream:
    """Restores the events of a message stream. Each content block has one text for each kind of its deltas."""

    def __init__(self, answers: AnswerRestorer) -> None:
        self._answers = answers
        self._texts = StreamTexts(answers.restorer)
        # The summary of a compaction, until it is known whether it is signed.
        self._summary: tuple[Index, Event, dict[str, Node]] | None = None
        self.is_over = False

    def restored_event(self, event: Event, tree: Node) -> bytes:
        """The bytes for the caller in place of an event."""
        kind = tree.get("type") if isinstance(tree, dict) else None
        if not isinstance(tree, dict) or not isinstance(kind, str):
            return self._flush_if(event.name in _ENDING_EVENTS) + self._whole(event, tree)
        if kind == "content_block_delta":
            return self._delta(event, tree)
        if kind == "content_block_start":
            return self._end_block(_index(tree)) + self._start(event, tree)
        if kind == "content_block_stop":
            return self._end_block(_index(tree)) + self._whole(event, tree)
        self.is_over = self.is_over or kind in ("message_stop", "error")
        return self._flush_if(kind in _ENDING_EVENTS) + self._whole(event, tree)

    def flush(self) -> bytes:
        """The text that all blocks held back, as additional deltas."""
        out = self._released_summary(signed=False)
        for index in self._texts.groups():
            out += self._end_block(index)
        return out

    def error_event(self, code: str, message: str) -> bytes:
        """The event that says that the answer is incomplete."""
        tree: Node = {"type": "error", "error": {"type": code, "message": message}}
        return sse.new_event("error", to_json(tree))

    def _flush_if(self, ends: bool) -> bytes:
        return self.flush() if ends else b""

    def _whole(self, event: Event, tree: Node) -> bytes:
        new = self._answers.tree(tree)
        return event.raw if new is tree else sse.with_data(event.raw, to_json(new))

    def _end_block(self, index: Index) -> bytes:
        out = self._released_summary(signed=False) if self._summary and self._summary[0] == index else b""
        for path, held in self._texts.end_group(index):
            out += _delta(index, path, held)
        return out

    def _start(self, event: Event, tree: dict[str, Node]) -> bytes:
        """The start of a block. Its text and those of the deltas are one text."""
        block = tree.get("content_block")
        if not isinstance(block, dict) or block.get("type") == "compaction":
            return event.raw
        text = block.get("text")
        if block.get("type") != "text" or not isinstance(text, str) or not text:
            return self._whole(event, tree)
        restored = self._text(_index(tree), "text_delta", "text", text)
        rest = self._answers.tree({key: value for key, value in block.items() if key != "text"})
        new = {key: restored if key == "text" else rest[key] for key in block} if isinstance(rest, dict) else block
        return event.raw if new == block else sse.with_data(event.raw, to_json({**tree, "content_block": new}))

    def _delta(self, event: Event, tree: dict[str, Node]) -> bytes:
        delta, index = tree.get("delta"), _index(tree)
        if not isinstance(delta, dict):
            return self._whole(event, tree)
        kind = delta.get("type")
        signs = kind == "signature_delta"
        before = self._released_summary(signed=signs) if self._summary and self._summary[0] == index else b""
        if kind == "compaction_delta":
            return before + self._released_summary(signed=False) + self._hold_summary(index, event, tree)
        if kind in _UNCHANGED_DELTAS or not isinstance(kind, str):
            return before + event.raw
        new = {key: self._restored_field(index, kind, delta, key) for key in delta}
        if new == delta:
            return before + event.raw
        if any(isinstance(delta[key], str) and delta[key] and new[key] == "" for key in delta) and _is_empty_delta(new):
            return before  # everything is held back
        return before + sse.with_data(event.raw, to_json({**tree, "delta": new}))

    def _restored_field(self, index: Index, kind: str, delta: Mapping[str, Node], key: str) -> Node:
        value = delta[key]
        if passes(delta, key, Provider.ANTHROPIC):
            return value
        if isinstance(value, str):
            return self._text(index, kind, key, value)
        return self._answers.tree(value)

    def _text(self, index: Index, kind: str, key: str, piece: str) -> str:
        """The text of a delta that can be released. The first block continues the prefill."""
        is_first = (index, kind) == (_FIRST, "text_delta")
        prefix = self._answers.restorer.prefill if is_first else ""
        return self._texts.feed(index, (kind, key), piece, arguments=key == _JSON, prefix=prefix)

    def _hold_summary(self, index: Index, event: Event, tree: dict[str, Node]) -> bytes:
        """Holds a compaction's summary if there is anything in it to restore."""
        if self._answers.tree(tree) is tree:
            return event.raw
        self._summary = (index, event, tree)
        return b""

    def _released_summary(self, *, signed: bool) -> bytes:
        """The held summary. The next event of its block says whether it is signed; a signed one is not restored."""
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
    return sse.new_event("content_block_delta", to_json(tree))


def _is_empty_delta(delta: Mapping[str, Node]) -> bool:
    return all(value in ("", None) for key, value in delta.items() if key != "type")
