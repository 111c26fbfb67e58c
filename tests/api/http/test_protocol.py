"""Answers of the protocol itself: to bytes that are not HTTP, and to impossible lengths."""

import json
import re
import select
import socket

import pytest

from api.http.protocol import MOST_AHEAD
from tests.api.serving import Account, Served
from tests.contract.wire import address


def exchange(served: Served, request: bytes) -> tuple[bytes, bytes]:
    """The head and the body of what comes back until the server closes or is silent."""
    with socket.create_connection(address(served), timeout=20) as wire:
        wire.sendall(request)
        received = b""
        while b"}" not in received and (piece := wire.recv(65536)):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    return head, body


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00 Noura\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX: Noura\0\r\n\r\n",
        b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nContent-Length: Noura\r\n\r\n",
        b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nHost: Noura\r\n\r\n",
        b"NOURA /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET Noura HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xd9\x86 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: Noura\r\n folded: y\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX : Noura\r\n\r\n",
        b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n",
        b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Noura\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    ],
)
def test_bytes_that_are_not_http(served: Served, request_: bytes) -> None:
    head, body = exchange(served, request_)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert re.search(rb"\r\nx-request-id: req_[0-9a-f]{8}(\r\n|$)", head)
    assert json.loads(body) == {"detail": "invalid_request"}


@pytest.mark.parametrize("order", [1, -1])
def test_a_length_said_in_two_ways_ends_the_connection(served: Served, account: Account, order: int) -> None:
    """What follows may be a request that a program before the server did not see: it is not read (RFC 9112, 6.1)."""
    lengths = [b"Content-Length: 4", b"Transfer-Encoding: chunked"][::order]
    head = [b"POST /api/v1/mask HTTP/1.1", b"Host: x", f"Authorization: {account.headers['Authorization']}".encode()]
    smuggled = b"0\r\n\r\nGET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(address(served), timeout=20) as wire:
        wire.sendall(b"\r\n".join([*head, *lengths, b"", smuggled]))
        received = b""
        while piece := wire.recv(65536):
            received += piece
    assert received.startswith(b"HTTP/1.1 400 ") and received.count(b"HTTP/1.1") == 1
    assert b"\r\nconnection: close\r\n" in received.lower()


def test_a_body_that_stops_being_http(served: Served, account: Account) -> None:
    request = f"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nAuthorization: {account.headers['Authorization']}\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno length\r\n"
    head, body = exchange(served, request.encode() + chunked)
    assert head.startswith(b"HTTP/1.1 400 ") and b"\r\nx-request-id: req_" in head
    assert json.loads(body) == {"detail": "invalid_request"}


@pytest.mark.parametrize(
    ("path", "detail"), [("/api/v1/mask", "request_too_large"), ("/api/v1/files/redact", "file_too_large")]
)
def test_the_longest_content_length(served: Served, account: Account, path: str, detail: str) -> None:
    """64 bits are the most that the server reads."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {2**64 - 1}"]
    lines += [f"{name}: {value}" for name, value in account.headers.items()]
    head, body = exchange(served, "\r\n".join([*lines, "", ""]).encode())
    assert head.startswith(b"HTTP/1.1 413 ")
    assert json.loads(body) == {"detail": detail}


HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\n"


def answers(served: Served, *pieces: bytes) -> bytes:
    """All that comes back for pieces that are sent one after the other, until the server closes."""
    with socket.create_connection(address(served), timeout=20) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            wire.sendall(piece)
        received = b""
        while piece := wire.recv(65536):
            received += piece
    return received


def statuses(received: bytes) -> list[int]:
    """The status of each answer, in order."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def masking(account: Account, text: str, *lines: str) -> bytes:
    """A call of /mask."""
    body = json.dumps({"text": text}).encode()
    head = ["POST /api/v1/mask HTTP/1.1", "Host: x", f"Authorization: {account.headers['Authorization']}", *lines]
    if not any(line.startswith("Transfer-Encoding") for line in lines):
        head.append(f"Content-Length: {len(body)}")
        return "\r\n".join([*head, "", ""]).encode() + body
    return "\r\n".join([*head, "", ""]).encode() + b"%x\r\n%s\r\n0\r\n" % (len(body), body)


CLOSING = HEALTH + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize("count", [1, 20])
def test_requests_that_are_sent_ahead_are_answered_in_order(served: Served, account: Account, count: int) -> None:
    received = answers(served, (masking(account, "plain words") + HEALTH + b"\r\n") * count + CLOSING)
    assert statuses(received) == [200] * (2 * count + 1)
    assert [part.count(b"masked_text") for part in received.split(b"HTTP/1.1 ")[1:]] == [1, 0] * count + [0]


def test_more_requests_than_may_wait_end_the_connection_after_the_answers(served: Served, account: Account) -> None:
    received = answers(served, masking(account, "plain words") + (HEALTH + b"\r\n") * (MOST_AHEAD + 1))
    assert statuses(received) == [200] * (MOST_AHEAD + 1) + [400]


@pytest.mark.parametrize(
    "malformed",
    [
        b"Noura\r\n\r\n",
        HEALTH + b"X: Noura\0\r\n\r\n",
        HEALTH + b"Transfer-Encoding: chunked\r\n\r\nNoura\r\n",
        HEALTH + b"X: " + b"y" * 20_000 + b"\r\n\r\n",
    ],
)
def test_what_is_malformed_is_answered_after_the_requests_before_it(
    served: Served, account: Account, malformed: bytes
) -> None:
    """An answer that comes too early would be taken for that of the first request, which is paid for."""
    before = served.balance(account)
    received = answers(served, masking(account, "two words") + HEALTH + b"\r\n" + malformed + HEALTH + b"\r\n")
    assert statuses(received) == [200, 200, 400]
    assert before - served.balance(account) == 2


@pytest.mark.parametrize("offer", ["h2c", "websocket", "Noura/1"])
@pytest.mark.parametrize("lines", [[], ["Transfer-Encoding: chunked"], ["Connection: close"]])
def test_an_offer_of_another_protocol_is_passed_over(
    served: Served, account: Account, offer: str, lines: list[str]
) -> None:
    """Clients of Java send one with their first request, which may have a body."""
    request = masking(account, "plain words", "Connection: Upgrade, HTTP2-Settings", f"Upgrade: {offer}", *lines)
    request += b"\r\n" if "Transfer-Encoding: chunked" in lines else b""
    after = [] if "Connection: close" in lines else [200]
    for pieces in ([request + CLOSING], [bytes([byte]) for byte in request] + [CLOSING]):
        received = answers(served, *pieces)
        assert statuses(received) == [200, *after]
        assert received.count(b"masked_text") == 1


def test_offers_with_nothing_to_follow(served: Served) -> None:
    offering = HEALTH + b"Connection: upgrade\r\nUpgrade: h2c\r\n\r\n"
    assert statuses(answers(served, offering * 3 + CLOSING)) == [200] * 4
    assert statuses(answers(served, *(bytes([byte]) for byte in offering * 3 + CLOSING))) == [200] * 4


def test_lines_behind_a_body_are_no_headers(served: Served, account: Account) -> None:
    request = masking(account, "plain words", "Transfer-Encoding: chunked")
    assert statuses(answers(served, request + b"Authorization: Bearer x\r\nHost: y\r\n\r\n" + CLOSING)) == [200, 200]


def test_lines_behind_a_body_end(served: Served, account: Account) -> None:
    request = masking(account, "plain words", "Transfer-Encoding: chunked")
    assert statuses(answers(served, request + b"X: y\r\n" * 6_000)) == [400]
    try:
        received = answers(served, request + b"X: " + b"y" * 600_000)  # a line without an end
    except ConnectionError:
        received = b""
    assert statuses(received) in ([400], [])


def test_a_body_that_stops_being_http_behind_its_answer_gets_no_second_one(served: Served) -> None:
    head = b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    with socket.create_connection(address(served), timeout=20) as wire:
        wire.sendall(head)
        received = wire.recv(65536)
        wire.sendall(b"no length\r\n")
        while piece := wire.recv(65536):
            received += piece
    assert statuses(received) == [401]


def test_bytes_behind_the_last_request_are_dropped(served: Served) -> None:
    assert statuses(answers(served, CLOSING + b"Noura" * 20_000)) == [200]


def test_empty_lines_before_a_head_do_not_hold_a_connection(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.http.protocol.HEAD_SECONDS", 0.2)
    with socket.create_connection(address(served), timeout=20) as wire:
        for _ in range(100):
            try:
                wire.sendall(b"\r\n")
            except OSError:
                break
            if select.select([wire], [], [], 0.05)[0]:
                break
        assert statuses(wire.recv(65536)) == [408]


def test_a_head_behind_a_running_call_has_its_time_when_that_is_answered(
    served: Served, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.http.protocol.HEAD_SECONDS", 0.2)
    assert statuses(answers(served, masking(account, "plain words") + HEALTH)) == [200, 408]
