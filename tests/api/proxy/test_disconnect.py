"""A caller that goes away ends its call at the provider, whatever the call is at; and a slow one is waited for."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import httpx
import pytest

from tests.api.proxy.conftest import ANTHROPIC, OPENAI, PROVIDER_KEY, asks
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import message_stream
from tests.api.serving import Account, Served
from tests.contract.wire import address, exchange, head

BOTH = pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])


def thinks(turn: Turn) -> None:
    """Says nothing for as long as somebody waits."""
    turn.wait_until_gone()


@contextmanager
def calling(served: Served, account: Account, path: str, **more: object) -> Iterator[socket.socket]:
    """A connection over which a whole call was sent, and nothing was read yet."""
    body = json.dumps(asks("Write to noura@example.com today", **more)).encode()
    headers = {**account.headers, "X-Provider-Key": PROVIDER_KEY, "Content-Length": str(len(body))}
    wire = socket.create_connection(address(served), timeout=20)
    try:
        wire.sendall("\r\n".join([*head("POST", path, headers), "", ""]).encode() + body)
        yield wire
    finally:
        wire.close()


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_before_the_first_byte(
    served: Served, account: Account, provider: ScriptedProvider, path: str, stream: bool
) -> None:
    """The provider thinks, and says nothing: it is told at once, and nothing is charged."""
    provider.begin(thinks)
    with calling(served, account, path, stream=stream):
        turn = provider.next()
        assert not turn.gone.is_set()
    assert turn.gone.wait(5)
    _settled(served, account, charged=0)


@BOTH
def test_in_the_middle_of_a_stream(served: Served, account: Account, provider: ScriptedProvider, path: str) -> None:
    """It is charged for: something came."""

    def play(turn: Turn) -> None:
        turn.begin()
        turn.more(b": hello\n\n")
        turn.wait_until_gone()

    provider.begin(play)
    with calling(served, account, path, stream=True) as wire:
        assert b": hello" in _until(wire, b": hello")
        turn = provider.next()
    assert turn.gone.wait(5)
    _settled(served, account, charged=4)


def test_in_the_middle_of_a_whole_answer(served: Served, account: Account, provider: ScriptedProvider) -> None:
    def play(turn: Turn) -> None:
        turn.begin(headers=[("Content-Type", "application/json")])
        turn.more(b'{"content": ')
        turn.wait_until_gone()

    provider.begin(play)
    with calling(served, account, ANTHROPIC):
        turn = provider.next()
    assert turn.gone.wait(5)
    _settled(served, account, charged=0)


def test_while_the_caller_does_not_read(served: Served, account: Account, provider: ScriptedProvider) -> None:
    """The provider is not read ahead of a caller that does not read; when that goes, the provider is told."""
    frame = message_stream(["x" * 60_000])[3]
    sent: list[int] = []

    def play(turn: Turn) -> None:
        turn.wire.settimeout(0.5)  # so long nothing moves any more
        turn.begin()
        try:
            for number in range(100_000):
                turn.more(frame)
                sent.append(number)
        except TimeoutError:
            waiting.set()
        turn.wait_until_gone()

    waiting = Event()
    provider.begin(play)
    with calling(served, account, ANTHROPIC, stream=True) as wire:
        turn = provider.next()
        assert waiting.wait(30), "the whole of it was read"
        assert len(sent) * len(frame) < 40_000_000  # what sockets hold on both sides of us
        assert wire.recv(1)
    assert turn.gone.wait(5)
    _settled(served, account, charged=4)


def test_a_caller_that_comes_back_is_served(served: Served, account: Account, provider: ScriptedProvider) -> None:
    """Fifty callers that hung up leave nothing behind."""
    provider.begin(thinks)
    for _ in range(50):
        with calling(served, account, OPENAI, stream=True):
            turn = provider.next()
        assert turn.gone.wait(5)
    _settled(served, account, charged=0)
    provider.begin(lambda turn: turn.send(200, b"{}"))
    with httpx.Client(base_url=served.url, headers={**account.headers, "X-Provider-Key": PROVIDER_KEY}) as client:
        assert client.post(OPENAI, json=asks("Hi")).status_code == 200


def test_a_body_that_never_comes_is_not_waited_for_by_the_provider(
    served: Served, account: Account, provider: ScriptedProvider
) -> None:
    """Its caller went in the middle of it."""
    headers = {**account.headers, "X-Provider-Key": PROVIDER_KEY, "Content-Length": "1000"}
    with socket.create_connection(address(served), timeout=20) as wire:
        wire.sendall("\r\n".join([*head("POST", OPENAI, headers), "", '{"messages"']).encode())
    assert exchange(served, head("GET", "/api/v1/health", {})).status == 200
    assert not provider.turns


def _settled(served: Served, account: Account, charged: int) -> None:
    """Returns when no call is under way at the provider any more, and the account was charged so much in all."""
    before = served.services.settings.free_tokens_per_day
    for _ in range(1000):
        assert exchange(served, head("GET", "/api/v1/health", {})).status == 200  # which takes the server a turn
        if not served.services.upstream.connections.busy and served.balance(account) == before - charged:
            return
    raise AssertionError("a call goes on, or is not settled")


def _until(wire: socket.socket, mark: bytes) -> bytes:
    came = b""
    while mark not in came:
        came += wire.recv(65536)
    return came
