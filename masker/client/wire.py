"""Between a call and httpx: what is sent, also a second time, and what an answer holds."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import httpx

from masker.client.calls import Call, media_type


class Outgoing:
    """The document of a call, if it has one, ready to be sent as often as it can be."""

    def __init__(self, document: bytes | BinaryIO | None) -> None:
        self._document = document
        # httpx reads a file from its beginning each time, where it can go back there.
        self.is_repeatable = document is None or isinstance(document, bytes) or document.seekable()

    def request(self, call: Call) -> dict[str, Any]:
        """The arguments of httpx's `request`."""
        wanted: dict[str, Any] = {"method": call.method, "url": call.path, "params": call.params}
        if self._document is None:
            return wanted if call.json is None else {**wanted, "json": call.json}
        name = call.name or "document"
        return {**wanted, "data": call.form, "files": {"file": (name, self._document, media_type(name))}}


@contextmanager
def opened(call: Call) -> Iterator[Outgoing]:
    """The document of a call, opened where it is a path. OSError."""
    if isinstance(call.document, (str, Path)):
        with Path(call.document).open("rb") as file:
            yield Outgoing(file)
    else:
        yield Outgoing(call.document)


def answer_of(call: Call, response: httpx.Response) -> Any:
    """What a successful answer holds: bytes, JSON, or None; of HEAD its headers."""
    if call.method == "HEAD":
        return response.headers
    if call.is_binary:
        return response.content
    return response.json() if response.content else None
