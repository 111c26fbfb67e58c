"""What the two providers say, in their own wire formats: whole answers, and streams as lists of frames."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tests.api.proxy.provider import Turn

TOKEN = re.compile(r"<MASKED_[A-Z_]+_[0-9a-f]{8}>")


def message(text: str, **more: Any) -> bytes:
    """An Anthropic message."""
    return _json(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            **more,
        }
    )


def completion(text: str, **more: Any) -> bytes:
    """An OpenAI chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-test", "choices": [choice]}
    return _json({**whole, "usage": usage, **more})


def message_stream(pieces: Iterable[str]) -> list[bytes]:
    """The frames of a streamed message whose one text block comes in pieces."""
    start = {**json.loads(message("")), "content": [], "stop_reason": None}
    block: dict[str, Any] = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces
    ]
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        block,
        {"type": "ping"},
        *deltas,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return [*map(event, events)]


def completion_stream(pieces: Sequence[str]) -> list[bytes]:
    """The frames of a streamed completion of one choice."""
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test"}
    return [*(data({**whole, "choices": [choice]}) for choice in choices), b"data: [DONE]\n\n"]


def event(body: dict[str, Any]) -> bytes:
    """An Anthropic frame."""
    return b"event: %s\n%s" % (body["type"].encode(), data(body))


def data(body: Any) -> bytes:
    """An OpenAI frame."""
    return b"data: " + _json(body) + b"\n\n"


def said(turn: Turn) -> str:
    """What the last message of a request says, whichever the format."""
    content = turn.json["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def is_anthropic(turn: Turn) -> bool:
    """Whose format a request is in."""
    return turn.path.startswith("/v1/messages")


def parrot(turn: Turn) -> None:
    """Says what it was told, streamed where that is asked for, a letter a frame."""
    text = said(turn)
    if not turn.json.get("stream"):
        turn.send(200, (message if is_anthropic(turn) else completion)(text))
    else:
        turn.stream((message_stream if is_anthropic(turn) else completion_stream)(list(text)))


def cut(stream: bytes, every: int) -> list[bytes]:
    """A stream in pieces of so many bytes, whatever they cut through."""
    return [stream[start : start + every] for start in range(0, len(stream), every)]


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()
