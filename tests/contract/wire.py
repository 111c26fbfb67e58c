"""Speaks HTTP by hand, for what a client library does not let one do; lists the operations that the API describes."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from api.description.document import describe
from tests.api.serving import Served

NOBODY = str(UUID(int=7))


class Operation(NamedTuple):
    """A method and a path of the API, its placeholders filled with an id that nothing has."""

    method: str
    path: str
    template: str
    described: dict[str, Any]

    @property
    def takes_json(self) -> bool:
        return "application/json" in self.described.get("requestBody", {}).get("content", {})

    @property
    def security(self) -> set[str]:
        return {name for wanted in self.described.get("security", ()) for name in wanted}


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def operations(served: Served) -> Iterator[Operation]:
    """Every operation of the API, files too."""
    for template, methods in describe(served.app)["paths"].items():
        for method, described in methods.items():
            path = "/".join(NOBODY if part.startswith("{") else part for part in template.split("/"))
            yield Operation(method.upper(), path, template, described)


def exchange(served: Served, head: Iterable[str], *pieces: bytes, timeout: float = 20) -> Answer:
    """Sends a head and some pieces of a body, and reads one answer without sending more."""
    lines = list(head)
    with socket.create_connection(address(served), timeout=timeout) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        for piece in pieces:
            wire.sendall(piece)
        with wire.makefile("rb") as stream:
            return read(stream, has_body=not lines[0].startswith("HEAD "))


def address(served: Served) -> tuple[str, int]:
    """Where the server listens."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    return host, int(port)


def read(stream: Any, *, has_body: bool = True) -> Answer:
    """One answer with a Content-Length, which an answer to HEAD has without a body."""
    status = int(stream.readline().split()[1])
    headers = {}
    while line := stream.readline().strip().decode():
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    return Answer(status, headers, stream.read(int(headers.get("content-length", 0)) if has_body else 0))


def head(method: str, path: str, headers: dict[str, str]) -> list[str]:
    """A request's head, line by line."""
    return [f"{method} {path} HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in headers.items())]


def until(holds: Callable[[], bool]) -> None:
    """Waits until a condition holds; fails after 30 seconds."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        os.sched_yield()
