"""The fields of OpenAI's Chat Completions request: which are masked, and which pass.

Source: the types of the `openai` package, version 3.52 (`types/chat/*_param.py`); `reasoning_content` is a field of
compatible providers; `parsed` and `parsed_arguments` stand in the package's answers, and come back with them.
"""

from typing import Final

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
