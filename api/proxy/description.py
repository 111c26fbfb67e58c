"""The OpenAPI description of the proxy's two routes: its headers, and bodies in the providers' formats."""

from typing import Any

_STRING = {"type": "string"}


def _header(name: str, text: str, example: str, *, pattern: str = "", required: bool = False) -> dict[str, Any]:
    more = {"required": True} if required else {}
    schema = {**_STRING, "pattern": pattern} if pattern else _STRING
    return {"name": name, "in": "header", "description": text, **more, "schema": schema, "example": example}


_HEADERS = [
    _header(
        "X-Provider-Key",
        "Your key at the provider. Passed on, and never kept.",
        "sk-...",
        pattern="^[!-~]{1,4096}$",
        required=True,
    ),
    _header(
        "X-Service-Preserve-Tags",
        "`true` tells the model, in the system prompt, to reproduce tokens letter by letter.",
        "true",
    ),
    _header(
        "X-Service-Transforms",
        "Types whose values are given as generalized ones, which are not restored: DATE_TIME, ADDRESS.",
        "DATE_TIME,ADDRESS",
        pattern="^ *(DATE_TIME|ADDRESS)? *(, *(DATE_TIME|ADDRESS)? *)*$",
    ),
    _header(
        "X-Service-Allow-Attachments",
        "`true` lets pictures, PDFs and sound in the body pass as they are, unmasked.",
        "true",
    ),
]
_VERSION = _header("anthropic-version", "As the provider requires; passed on.", "2023-06-01")


def _described(title: str, request: str, *more: dict[str, Any]) -> dict[str, Any]:
    body = {
        "title": title,
        "description": f"{request}. Every field that the provider knows is taken.",
        "type": "object",
        "required": ["messages"],
        "properties": {
            "model": {"description": "checked by the provider, as all else"},
            "messages": {"type": "array", "items": {}},
            "stream": {"description": "`true` asks for an event stream"},
        },
    }
    answer = {"schema": {"type": "object", "description": "The provider's own answer, restored."}}
    events = {"schema": {"type": "string", "description": "The provider's own events, restored one by one."}}
    return {
        "parameters": [*_HEADERS, *more],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {"200": {"content": {"application/json": answer, "text/event-stream": events}}},
    }


MESSAGES = _described("AnthropicMessages", "The request of POST /v1/messages", _VERSION)
COMPLETIONS = _described("OpenAIChatCompletions", "The request of POST /v1/chat/completions")
