"""Restores a provider's event stream while it passes: bytes in, bytes out, event by event."""

from contextlib import suppress
from typing import Final

from api.llm import json_tree, sse
from api.llm.answers import Answers
from api.llm.anthropic import AnthropicStream
from api.llm.json_stream import restored_arguments
from api.llm.model import Minted, Provider, StreamTooLong
from api.llm.openai import OpenAIStream
from api.llm.restore import Restorer
from api.llm.sse import Event

_DONE: Final = "[DONE]"
_BROKEN: Final = "The connection to the provider broke off; the answer is not complete."


class RestoredStream:
    """One streamed answer. Not thread-safe; after `end` or `broken` nothing may follow."""

    def __init__(self, provider: Provider, minted: Minted) -> None:
        self._restorer = Restorer(minted)
        self._events = sse.Events()
        answers = Answers(self._restorer, provider)
        self._shape = AnthropicStream(answers) if provider is Provider.ANTHROPIC else OpenAIStream(answers)
        self._unsent = b""  # what was ready when the stream proved too long

    @property
    def pending(self) -> int:
        """Bytes of the event that is not over, which cost time when it is."""
        return self._events.pending

    def feed(self, chunk: bytes) -> bytes:
        """What may be sent on now, after any bytes of the provider. StreamTooLong when its memory would not end."""
        out = bytearray()
        try:
            for event in self._events.feed(chunk):
                out += self._passed(event)
        except StreamTooLong:
            self._unsent = bytes(out)
            raise
        return bytes(out)

    def end(self) -> bytes:
        """What is left when the provider closed in the ordinary way, with or without a last event.

        One that no blank line ended gets it, since readers discard it otherwise; one that was cut off does not.
        """
        event = self._events.rest()
        last = self._passed(event) if event else b""
        rest = self._shape.rest()
        is_said = event is not None and event.data is not None and not _is_cut(event.data)
        return (sse.ended(last) if last and (rest or is_said) else last) + rest

    def broken(self, code: str = "provider_unreachable") -> bytes:
        """What is left when the provider died in the middle, and the error event of its format. No normal end.

        An event that was cut off is dropped. When the answer was already over, nothing is added.
        """
        event = self._events.rest()
        out = self._unsent
        if event and event.data is not None and _is_whole(event.data):
            with suppress(StreamTooLong):
                out += sse.ended(self._passed(event))
        out += self._shape.rest()
        return out if self._shape.over else out + self._shape.failure(code, _BROKEN)

    def _passed(self, event: Event) -> bytes:
        if event.data is None:
            return event.raw
        if event.data.strip() == _DONE:
            self._shape.over = True
            return self._shape.rest() + event.raw
        try:
            tree = json_tree.read_lenient(event.data)
        except ValueError:
            return self._text(event, event.data)
        return self._shape.passed(event, tree)

    def _text(self, event: Event, data: str) -> bytes:
        """An event that holds no JSON."""
        before = self._shape.rest() if event.name == "error" else b""
        done = restored_arguments(self._restorer, data)
        return before + (
            event.raw if done == data else sse.rewritten(event.raw, done.encode("utf-8", "backslashreplace"))
        )


def _is_cut(data: str) -> bool:
    """Whether it is the beginning of a JSON text."""
    return data.lstrip()[:1] in ("{", "[") and not _is_whole(data)


def _is_whole(data: str) -> bool:
    try:
        json_tree.read_lenient(data)
    except ValueError:
        return data.strip() == _DONE
    return True
