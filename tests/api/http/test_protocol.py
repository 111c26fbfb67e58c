"""Answers of the protocol itself: to bytes that are not HTTP, and to impossible lengths."""

import json
import re
import socket

import pytest

from tests.api.serving import Account, Served


def exchange(served: Served, request: bytes) -> tuple[bytes, bytes]:
    """The head and the body of what comes back until the server closes or is silent."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as wire:
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
        b"POST /api/v1/mask HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
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
    host, _, port = served.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as wire:
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
    """20 digits are the most that the server reads."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {'9' * 20}"]
    lines += [f"{name}: {value}" for name, value in account.headers.items()]
    head, body = exchange(served, "\r\n".join([*lines, "", ""]).encode())
    assert head.startswith(b"HTTP/1.1 413 ")
    assert json.loads(body) == {"detail": detail}
