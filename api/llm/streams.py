"""Restores a provider's event stream while it passes through: bytes in, bytes out, event by event."""

from contextlib import suppress
from typing import Final

from api.llm import json_tree, sse
from api.llm.answers import AnswerRestorer
from api.llm.anthropic import AnthropicStream
from api.llm.json_stream import restored_arguments
from api.llm.model import Minted, Provider, StreamTooLong
from api.llm.openai import OpenAIStream
from api.llm.restore import Restorer
from api.llm.sse import Event

_DONE: Final = "[DONE]"
_BROKEN_OFF: Final = "The connection to the provider broke off; the answer is not complete."


class RestoredStream:
    """One streamed answer. Not thread-safe. Nothing may follow `end` or `broken`."""

    def __init__(self, provider: Provider, minted: Minted) -> None:
        self._restorer = Restorer(minted)
        self._events = sse.EventParser()
        answers = AnswerRestorer(self._restorer, provider)
        self._format = AnthropicStream(answers) if provider is Provider.ANTHROPIC else OpenAIStream(answers)
        self._unsent = b""  # what was ready when an event exceeded its limit

    @property
    def pending(self) -> int:
        """The size in bytes of the incomplete event, on which the cost of completing it depends."""
        return self._events.pending

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the caller after these of the provider. StreamTooLong when an event exceeds its limit."""
        out = bytearray()
        try:
            for event in self._events.feed(chunk):
                out += self._restored(event)
        except StreamTooLong:
            self._unsent = bytes(out)
            raise
        return bytes(out)

    def end(self) -> bytes:
        """What remains when the provider ended the stream normally.

        Readers discard a last event without its blank line, so a complete one gets it. A cut-off one does not.
        """
        event = self._events.last_event()
        last = self._restored(event) if event else b""
        rest = self._format.flush()
        is_complete = event is not None and event.data is not None and not _is_cut(event.data)
        return (sse.terminated(last) if last and (rest or is_complete) else last) + rest

    def broken(self, code: str = "provider_unreachable") -> bytes:
        """What remains when the connection to the provider broke, and an error event in the provider's format.

        A cut-off event is dropped. Nothing is added when the answer was already complete.
        """
        event = self._events.last_event()
        out = self._unsent
        if event and event.data is not None and _is_complete(event.data):
            with suppress(StreamTooLong):
                out += sse.terminated(self._restored(event))
        out += self._format.flush()
        return out if self._format.is_over else out + self._format.error_event(code, _BROKEN_OFF)

    def _restored(self, event: Event) -> bytes:
        if event.data is None:
            return event.raw
        if event.data.strip() == _DONE:
            self._format.is_over = True
            return self._format.flush() + event.raw
        try:
            tree = json_tree.read_lenient(event.data)
        except ValueError:
            return self._restored_text(event, event.data)
        return self._format.restored_event(event, tree)

    def _restored_text(self, event: Event, data: str) -> bytes:
        """Restores an event that is not JSON."""
        before = self._format.flush() if event.name == "error" else b""
        done = restored_arguments(self._restorer, data)
        return before + (
            event.raw if done == data else sse.with_data(event.raw, done.encode("utf-8", "backslashreplace"))
        )


def _is_cut(data: str) -> bool:
    """Whether it is the beginning of a JSON text."""
    return data.lstrip()[:1] in ("{", "[") and not _is_complete(data)


def _is_complete(data: str) -> bool:
    try:
        json_tree.read_lenient(data)
    except ValueError:
        return data.strip() == _DONE
    return True
