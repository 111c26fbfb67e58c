"""Reads streams as the official clients do, and makes them: events by the SDKs' own decoders, texts put together."""

import json
from collections.abc import Iterable
from typing import Any

from anthropic._streaming import SSEDecoder
from openai.lib.streaming._deltas import accumulate_delta

from api.llm.model import Minted, Provider
from api.llm.streams import RestoredStream

Json = dict[str, Any]


def event(body: Any, *, name: str | None = None, end: str = "\n") -> bytes:
    """A frame: of Anthropic's kind, with the event's name, when it has a type or is given one."""
    name = name or (body.get("type") if isinstance(body, dict) else None)
    head = f"event: {name}{end}" if isinstance(name, str) else ""
    return f"{head}data: {json.dumps(body, ensure_ascii=False)}{end}{end}".encode("utf-8", "backslashreplace")


def delta(index: int, kind: str, **fields: Any) -> bytes:
    """A frame that goes on with a content block."""
    return event({"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}})


def text(index: int, piece: str) -> bytes:
    """A frame of text."""
    return delta(index, "text_delta", text=piece)


def stop(index: int) -> bytes:
    """A frame that ends a content block."""
    return event({"type": "content_block_stop", "index": index})


def start(index: int, **block: Any) -> bytes:
    """A frame that begins a content block."""
    return event({"type": "content_block_start", "index": index, "content_block": block})


def chunk(*choices: Json, **more: Any) -> bytes:
    """A frame of OpenAI's."""
    return event({"id": "c1", "object": "chat.completion.chunk", "created": 1, "choices": list(choices), **more})


def choice(index: int = 0, finish: str | None = None, **fields: Any) -> Json:
    """A choice whose delta has these fields."""
    return {"index": index, "delta": fields, "finish_reason": finish}


def call(arguments: str, index: int = 0, **more: Any) -> Json:
    """A choice that goes on with the call of a tool."""
    return choice(tool_calls=[{"index": index, **more, "function": {"arguments": arguments}}])


def passed(provider: Provider, minted: Minted, chunks: Iterable[bytes]) -> bytes:
    """What the caller receives of a stream that ends in the ordinary way."""
    stream = RestoredStream(provider, minted)
    return b"".join(map(stream.feed, chunks)) + stream.end()


def events(raw: bytes) -> list[tuple[str | None, Any]]:
    """The events of a stream, as the official decoder reads them; data that is no JSON as text."""
    read: list[tuple[str | None, Any]] = []
    for sent in SSEDecoder().iter_bytes(iter([raw])):
        if not sent.data:
            continue
        try:
            read.append((sent.event, json.loads(sent.data)))
        except ValueError:
            read.append((sent.event, sent.data))
    return read


def blocks(raw: bytes) -> dict[int, dict[str, str]]:
    """What a message stream says: by content block and field, put together; every block must be over when it stops."""
    said: dict[int, dict[str, str]] = {}
    stopped: set[int] = set()
    for name, body in events(raw):
        assert name == body["type"]
        if name == "content_block_start":
            said[body["index"]] = {"text": body["content_block"].get("text", "")}
        elif name == "content_block_stop":
            stopped.add(body["index"])
        elif name == "content_block_delta":
            assert body["index"] not in stopped
            block = said.setdefault(body["index"], {})
            for key, value in body["delta"].items():
                if key != "type" and isinstance(value, str):
                    block[key] = block.get(key, "") + value
    return said


def choices(raw: bytes) -> dict[int, Any]:
    """What a completion stream says: by choice, put together as the SDK does; no choice may go on when it is over."""
    said: dict[int, Any] = {}
    finished: set[int] = set()
    for _, body in events(raw):
        if body == "[DONE]":
            continue
        for part in body["choices"]:
            assert part["index"] not in finished
            said[part["index"]] = accumulate_delta(said.get(part["index"], {}), part["delta"])
            if part.get("finish_reason"):
                finished.add(part["index"])
    return said
