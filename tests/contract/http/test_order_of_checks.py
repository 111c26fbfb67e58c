"""Which refusal comes first, and that it comes before the body is read: on every route, with the body withheld."""

import json
from collections.abc import Iterator
from uuid import UUID

import httpx
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts

from tests.api.serving import Served, serving, settings_for
from tests.contract.wire import Operation, exchange, head, operations

JSON_TYPE = {"Content-Type": "application/json"}
LATER = {**JSON_TYPE, "Content-Length": "1000"}  # a body that is announced and never sent
UNKNOWN = f"Bearer mk_live_{'a' * 12}_{'B' * 43}"
NAMED = ("/api/v1/files/redact", "/api/v1/files/report-key")
MISSING = {"bearer": "Missing authentication", "session": "Missing session cookie"}
PROXY = "/api/v1/proxy/"


def refused(operation: Operation, detail: str) -> dict[str, str]:
    """A 401's body."""
    proxied = {"error": "unauthorized", "message": detail} if operation.path.startswith(PROXY) else {}
    return {**proxied, "detail": detail}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets an account call three times a minute and spend two tokens."""
    settings = settings_for(
        tmp_path_factory.mktemp("strict"), rate_limit_per_minute=3, free_tokens_per_day=2, max_text_bytes=1000
    )
    with serving(settings) as served:
        yield served


@pytest.fixture
def caller(served: Served) -> Iterator[httpx.Client]:
    """Nobody in particular."""
    with httpx.Client(base_url=served.url, timeout=30) as client:
        yield client


def guarded(served: Served) -> list[Operation]:
    found = [operation for operation in operations(served) if operation.security]
    assert len(found) > 20
    return found


@pytest.mark.clause("HTTP-22", "HTTP-23")
def test_authentication_comes_before_the_body(served: Served) -> None:
    """Who has not said who they are is refused while the body is still to come."""
    for operation in guarded(served):
        wanted = MISSING["bearer" if "bearer" in operation.security else "session"]
        if operation.security == {"bearer"}:
            wanted = "Missing authentication token"
        answer = exchange(served, head(operation.method, operation.path, LATER))
        if operation.method == "HEAD":
            assert (answer.status, answer.body) == (401, b""), operation.path
            continue
        assert (answer.status, answer.json()) == (401, refused(operation, wanted)), operation.path
        if "bearer" in operation.security:
            answer = exchange(served, head(operation.method, operation.path, {**LATER, "Authorization": UNKNOWN}))
            assert (answer.status, answer.json()) == (401, refused(operation, "Invalid authentication token"))


@pytest.mark.clause("HTTP-23")
def test_no_body_is_asked_for_before_authentication(served: Served) -> None:
    """The same for who waits to be told to go on (RFC 9110, section 10.1.1): 401, and no 100 before it."""
    for operation in guarded(served):
        answer = exchange(served, head(operation.method, operation.path, {**LATER, "Expect": "100-continue"}))
        assert answer.status == 401


@pytest.mark.clause("HTTP-23")
def test_no_route_lets_the_framework_read_its_body(served: Served) -> None:
    """It would read it before any dependency runs, the one that authenticates included."""
    seen = 0
    for context in iter_route_contexts(served.app.routes):
        dependant = getattr(context, "dependant", None)
        if isinstance(dependant, Dependant):
            assert not dependant.body_params, context.path
            seen += 1
    assert seen > 30


@pytest.mark.clause("HTTP-22")
def test_the_rate_limit_comes_before_the_size(strict: Served) -> None:
    """Past the window, a body that is far too long is not even weighed."""
    huge = {**JSON_TYPE, "Content-Length": "900000000"}
    for path in ("/api/v1/mask", "/api/v1/redact"):
        headers = {**strict.account().headers, **huge}
        statuses = [exchange(strict, head("POST", path, headers)).status for _ in range(4)]
        assert statuses == [413, 413, 413, 429]


@pytest.mark.clause("HTTP-22")
def test_the_size_comes_before_the_content(strict: Served) -> None:
    with strict.client() as client:
        content = b"\xff" * 2000
        for body in (content, iter([content])):
            answer = client.post("/api/v1/mask", content=body, headers={"Content-Type": "text/plain"})
            expected = 413 if isinstance(body, bytes) else 422  # a type is known before bytes that are not counted yet
            assert answer.status_code == expected
        assert client.post("/api/v1/mask", content=iter([content]), headers=JSON_TYPE).status_code == 413


@pytest.mark.clause("HTTP-22")
@pytest.mark.parametrize("path", ["/api/v1/mask", "/api/v1/redact"])
def test_content_then_glossary_then_money(strict: Served, path: str) -> None:
    everything = {"text": "three words here", "glossary_id": str(UUID(int=9)), "key": "no key", "transforms": {"X": 1}}
    if path.endswith("mask"):
        wrong = {**everything, "text": ""}, 422
        steps = [wrong, (everything, 400), ({**everything, "key": None}, 404)]
    else:
        steps = [(everything, 422), ({**everything, "transforms": None}, 404)]
    steps.append(({"text": "three words here"}, 402))
    for body, status in steps:
        with strict.client() as client:  # of a new account: three calls a minute are few
            assert client.post(path, json=body).status_code == status, body


@pytest.mark.clause("HTTP-23")
def test_a_body_can_wait_for_its_turn(served: Served) -> None:
    """Once a caller is known, the body is asked for and read."""
    account = served.account()
    body = json.dumps({"text": "a@example.com"}).encode()
    lines = head("POST", "/api/v1/redact", {**account.headers, **JSON_TYPE, "Content-Length": str(len(body))})
    answer = exchange(served, lines, body[:5], body[5:])
    assert (answer.status, answer.json()["redacted_text"]) == (200, "EMAIL_01")


@pytest.mark.clause("HTTP-07")
def test_unknown_endpoints_and_methods_need_no_authentication(served: Served, caller: httpx.Client) -> None:
    """A method that a path does not have is 405 and says which it has."""
    methods: dict[str, set[str]] = {}
    paths = {}
    for operation in operations(served):
        methods.setdefault(operation.template, set()).add(operation.method)
        paths[operation.template] = operation.path
    for template, allowed in methods.items():
        for method in {"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT", "TRACE", "PURGE"} - allowed:
            if template in NAMED and method in methods["/api/v1/files/{file_id}"]:
                continue  # there, `redact` is a file's id
            answer = caller.request(method, paths[template], headers={"Content-Length": "0"})
            assert answer.status_code == 405, (method, template)
            assert set(answer.headers["allow"].split(", ")) == allowed
            name, code = (
                ("error", "method_not_allowed") if template.startswith(PROXY) else ("detail", "Method Not Allowed")
            )
            assert method == "HEAD" or answer.json()[name] == code
            assert answer.headers["x-request-id"].startswith(("req_", "mask_", "redact_"))
    for path in ("/api/v2/mask", "/v1/mask", "/api/v1/glossaries", "/api/v1/MASK", "//api/v1/mask", "/api/v1/mask;x=1"):
        answer = caller.post(served.url + path, json={"text": "x"})
        assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"}), path
