"""Bodies that nobody should send, on every route that takes one: each gets a clean answer that repeats none of it."""

import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import api.http.bodies
import api.http.protocol
from api.description.document import describe
from api.http.errors import PROXY
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.wire import Operation, address, exchange, head, operations

SECRET = "Noura-0501234567"
SMALL = 64 * 1024  # the cap of routes that take no text
WORD = SECRET.encode()
JSON_TYPE = {"Content-Type": "application/json"}
# Where an error may be said to be, besides in a declared field.
PLACES = {"body", "query", "path", "header", "content-type", "content-encoding", "[key]", "file"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose rate limits are not what is tested here."""
    many = dict.fromkeys(("rate_limit_per_minute", "login_attempts_per_minute", "free_tokens_per_day"), 10**6)
    with serving(settings_for(tmp_path_factory.mktemp("data"), max_text_bytes=1_000_000, **many)) as server:
        yield server


@pytest.fixture
def browser(served: Served, account: Account) -> Iterator[httpx.Client]:
    """A page of the dashboard, logged in: what every route with credentials but the proxy lets in."""
    with served.browser(account) as page:
        yield page


@pytest.fixture(scope="module")
def takers(served: Served) -> list[Operation]:
    """Every operation that takes JSON except the proxy, whose errors have another shape (tests/api/proxy)."""
    found = [one for one in operations(served) if one.takes_json and not one.path.startswith(PROXY)]
    assert len(found) >= 11
    return found


@pytest.fixture(scope="module")
def declared(served: Served) -> frozenset[str]:
    """Every name that some request or parameter declares, and the keys of closed mappings."""
    names = set(PLACES)

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            names.update(node.get("properties", {}))
            names.update(node.get("propertyNames", {}).get("enum", ()))
            if isinstance(node.get("name"), str) and "in" in node:
                names.add(node["name"])
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(describe(served.app))
    return frozenset(names)


def is_clean(answer: httpx.Response, names: frozenset[str], sent: str = SECRET) -> None:
    """Nothing of what was sent, and for a 422 the array of the interface."""
    assert answer.status_code < 500, answer.text
    assert answer.is_success or sent not in answer.text
    if answer.status_code != 422:
        return
    assert answer.json().keys() == {"detail"}
    assert 1 <= len(answer.json()["detail"]) <= 100
    for item in answer.json()["detail"]:
        assert item.keys() == {"type", "loc", "msg"}
        assert {step for step in item["loc"] if isinstance(step, str)} <= names, item["loc"]
        assert item["msg"].isprintable() and len(item["msg"]) < 400


def shapes(secret: str) -> list[Any]:
    """JSON of wrong shapes with the secret as value, as key, and as both."""
    return [
        secret,
        [secret],
        {secret: secret},
        None,
        True,
        10**30,
        dict.fromkeys(("text", "email", "password", "name", "entries", "enabled", "override", "key"), secret),
        {name: {secret: secret} for name in ("text", "transforms", "name", "entries", "enabled", "override")},
        {name: [secret, {secret: secret}] for name in ("text", "glossary", "entries", "enabled", "override", "allow")},
        {"text": "x", "name": "x", "transforms": {secret: "generalize", "DATE_TIME": secret, "ADDRESS": {secret: 1}}},
        {"text": "x", "name": "x", "entries": [{"term": "x", "locale": secret, "match_mode": secret, secret: 1}]},
        {"text": "x", "name": "x", "entries": [{"term": "x", "entity_type": secret, "action": secret}]},
        {"text": "x", "glossary_id": secret, "use_judge": secret, "explain": secret, "judge_model": [secret]},
        {"text": "x", "glossary": [{secret: secret}] * 1001, "allow": [secret * 20]},
        {"email": secret, "password": "12345678"},
        {"email": f"{secret}@example.com", "password": secret[:7]},
    ]


@pytest.mark.clause("HTTP-04")
def test_nothing_of_a_wrong_body_comes_back(
    browser: httpx.Client, takers: list[Operation], declared: frozenset[str]
) -> None:
    for operation in takers:
        for body in shapes(SECRET):
            is_clean(browser.request(operation.method, operation.path, json=body), declared)


NAMES = ["text", "name", "entries", "term", "transforms", "enabled", "email", SECRET]
KEYS = st.sampled_from(NAMES) | st.text(max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(SECRET),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.clause("GLOSS-21", "HTTP-03", "HTTP-05")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(body=JSON)
def test_no_json_gets_a_500(
    browser: httpx.Client, takers: list[Operation], declared: frozenset[str], body: object
) -> None:
    content = json.dumps(body)  # NaN and Infinity too, which are no JSON
    for operation in takers:
        answer = browser.request(operation.method, operation.path, content=content, headers=JSON_TYPE)
        assert answer.status_code < 500
        if answer.status_code == 422:
            is_clean(answer, declared, "\0 nothing to look for")


RAW = {
    "empty": b"",
    "blank": b" \n",
    "cut off": b'{"text": "' + WORD,
    "two values": b'{"text": "x"} {"text": "y"}',
    "comment": b'{"text": "x"} // ' + WORD,
    "single quotes": b"{'text': '" + WORD + b"'}",
    "not UTF-8": b'{"text": "' + WORD + b'\xff\xfe"}',
    "Windows-1256": '{"text": "سلمان"}'.encode("cp1256"),
    "UTF-16": json.dumps({"text": SECRET}).encode("utf-16"),
    "UTF-32": json.dumps({"text": SECRET}).encode("utf-32"),
    "byte-order mark": b"\xef\xbb\xbf" + json.dumps({"text": SECRET}).encode(),
    "overlong": b'{"text": "\xc0\xaf"}',
    "lone surrogate, escaped": b'{"text": "\\ud800"}',
    "lone surrogate, encoded": b'{"text": "\xed\xa0\x80"}',
    "surrogates in the wrong order": b'{"text": "\\udc00\\ud800"}',
    "bare control character": b'{"text": "a\x01b"}',
    "NUL": b"\0" * 100,
    "NaN": b'{"text": NaN, "name": NaN, "entries": NaN, "enabled": NaN, "override": NaN, "email": NaN}',
    "Infinity": b'{"text": -Infinity, "name": Infinity, "override": 1, "entries": [Infinity], "enabled": 1}',
    "brackets": b"[" * 100_000,
    "objects": b'{"text":' * 50_000,
    "brackets in an unknown field": b'{"text": "x", "other": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number of 100,000 digits": b'{"text": ' + b"9" * 100_000 + b"}",
    "such a number in an unknown field": b'{"text": "x", "other": ' + b"9" * 100_000 + b"}",
    "compressed": gzip.compress(b'{"text": "' + WORD + b'"}'),
    "a form": b"text=" + WORD,
}


@pytest.mark.clause("HTTP-17")
@pytest.mark.parametrize("raw", RAW.values(), ids=RAW.keys())
def test_what_is_no_json(browser: httpx.Client, takers: list[Operation], declared: frozenset[str], raw: bytes) -> None:
    """Nothing else that is no JSON in UTF-8 is guessed at."""
    for operation in takers:
        answer = browser.request(operation.method, operation.path, content=raw, headers=JSON_TYPE)
        assert answer.status_code in ({413, 422} if len(raw) > SMALL else {422}), operation.path
        is_clean(answer, declared)


@pytest.mark.clause("HTTP-16")
def test_numbers_and_keys_at_the_edge_of_json(client: httpx.Client) -> None:
    for more in (b'"other": 1e999', b'"other": {"text": 1}', b'"Text": "y"', b'"nul": "\\u0000"'):
        answer = client.post("/api/v1/mask", content=b'{"text": "x", ' + more + b"}", headers=JSON_TYPE)
        assert answer.status_code == 200
    twice = b'{"text": "a@example.com", "text": "0501234567"}'
    answer = client.post("/api/v1/redact", content=twice, headers=JSON_TYPE).json()
    assert answer["redacted_text"] == "PHONE_01"


@pytest.mark.clause("HTTP-15")
@pytest.mark.parametrize(
    ("headers", "place"),
    [
        ({"Content-Type": "text/plain"}, "content-type"),
        ({"Content-Type": "text/plain; charset=application/json"}, "content-type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "content-type"),
        ({"Content-Type": "multipart/form-data; boundary=x"}, "content-type"),
        ({"Content-Type": "application/jsonp"}, "content-type"),
        ({"Content-Type": SECRET}, "content-type"),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, "content-encoding"),
        ({"Content-Type": "application/json", "Content-Encoding": "br, gzip"}, "content-encoding"),
    ],
)
def test_bodies_that_are_called_something_else(
    browser: httpx.Client, client: httpx.Client, takers: list[Operation], headers: dict[str, str], place: str
) -> None:
    """The types that a page of another site can make a browser send without asking are refused, with a bearer as with a
    cookie.
    """
    for operation in takers:
        callers = [client, browser] if "bearer" in operation.security else [browser]
        for caller in callers:
            answer = caller.request(operation.method, operation.path, content=b'{"text": "x"}', headers=headers)
            assert answer.status_code == 422
            assert [item["loc"] for item in answer.json()["detail"]] == [["header", place]]
            assert SECRET not in answer.text


@pytest.mark.clause("HTTP-18")
def test_only_a_bearer_may_leave_the_type_out(client: httpx.Client, browser: httpx.Client) -> None:
    """A body without a type is another that foreign pages can send."""
    body = b'{"text": "x"}'
    assert client.post("/api/v1/mask", content=body).status_code == 200
    assert browser.post("/api/v1/mask", content=body).status_code == 422
    for type_ in ("application/json; charset=utf-8", "APPLICATION/JSON", "application/problem+json"):
        assert browser.post("/api/v1/mask", content=body, headers={"Content-Type": type_}).status_code == 200


def peak_memory() -> int:
    """The most that this process, the server in it, has held since the last call, in bytes."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024


@pytest.mark.clause("HTTP-21")
@pytest.mark.parametrize("length", [True, False], ids=["with its length", "in chunks"])
def test_a_body_of_200_megabytes(client: httpx.Client, served: Served, length: bool) -> None:
    """Refused without being held; the client can read the answer though it is still sending."""
    piece = b"x" * 1_000_000

    def content() -> Iterator[bytes]:
        for _ in range(200):
            yield piece

    headers = {**JSON_TYPE, "Content-Length": str(200 * len(piece))} if length else JSON_TYPE
    peak_memory()
    before = peak_memory()
    answer = client.post("/api/v1/mask", content=content(), headers=headers)
    assert (answer.status_code, answer.json()) == (413, {"detail": "request_too_large"})
    assert peak_memory() - before < 40 * len(piece)
    assert client.post("/api/v1/mask", json={"text": "x"}).status_code == 200


@pytest.mark.clause("HTTP-19")
def test_a_length_is_believed_at_once(served: Served, account: Account) -> None:
    """Not a byte of a body that is too long has to come before the answer does."""
    headers = {**account.headers, **JSON_TYPE, "Content-Length": str(200_000_000)}
    answer = exchange(served, head("POST", "/api/v1/mask", headers))
    assert (answer.status, answer.json()) == (413, {"detail": "request_too_large"})


@pytest.mark.clause("MASK-16")
def test_a_body_that_comes_too_slowly(served: Served, account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.http.bodies, "GRACE_SECONDS", 0.2)
    form = "multipart/form-data; boundary=x"
    for path, type_, begun in (
        ("/api/v1/mask", "application/json", b"{"),
        ("/api/v1/files/redact", form, b"--x\r\n"),
    ):
        headers = {**account.headers, "Content-Type": type_, "Content-Length": "100"}
        answer = exchange(served, head("POST", path, headers), begun)
        assert (answer.status, answer.json()) == (408, {"detail": "request_timeout"})
        assert answer.headers["connection"] == "close"


@pytest.mark.clause("HTTP-20")
def test_a_head_that_never_ends(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same before there is a request: connections cannot be held by saying nothing."""
    monkeypatch.setattr(api.http.protocol, "HEAD_SECONDS", 0.2)
    for beginning in (["GET /api/v1/health HTTP/1.1", "Host: x", "X-Slow: " + SECRET], []):
        with socket.create_connection(address(served), timeout=20) as wire:
            wire.sendall("\r\n".join(beginning).encode())
            received = b""
            while piece := wire.recv(65536):
                received += piece
        assert received.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert b"x-request-id: req_" in received and WORD not in received
        assert received.endswith(b'{"detail":"request_timeout"}')


@pytest.mark.clause("HTTP-19")
def test_a_refused_body_is_not_listened_to_for_ever(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """What still comes after a refusal is dropped, however fast it comes."""
    monkeypatch.setattr(api.http.protocol, "REST_SECONDS", 0.3)
    with (
        socket.create_connection(address(served), timeout=20) as wire,
        pytest.raises(OSError, match=r"reset|roken pipe"),
    ):
        wire.sendall("\r\n".join([*head("POST", "/api/v1/mask", {"Content-Length": "900000000000"}), "", ""]).encode())
        while True:
            wire.sendall(b"x" * 65536)


@pytest.mark.clause("HTTP-20")
def test_an_idle_connection_outlives_what_is_dropped_and_then_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients keep connections for seconds; a request that is sent while the server closes one would fail."""
    monkeypatch.setattr(api.http.protocol, "REST_SECONDS", 0.05)
    monkeypatch.setattr(api.http.protocol, "IDLE_SECONDS", 1.5)
    with closing(HTTPConnection(*address(served), timeout=20)) as connection:
        for _ in range(2):
            connection.request("GET", "/api/v1/health")
            assert connection.getresponse().read()
            connection.auto_open = 0  # it fails where it would have to connect anew
            time.sleep(0.2)
        assert connection.sock.recv(1) == b""
