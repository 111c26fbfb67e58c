"""What callers learn when something breaks inside: the interface's sentence and nothing more."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.api.serving import Served, serving, settings_for
from tests.contract.wire import operations

SECRET = "noura.secret@example.com"


class Broken:
    """Stands where a store or a detector should, and quotes text in its errors as careless code would."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"{name} cannot cope with {SECRET}")


@pytest.fixture
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose database and detection fail in a way that nobody expected."""
    many = dict.fromkeys(("rate_limit_per_minute", "login_attempts_per_minute"), 10**6)
    with serving(settings_for(tmp_path_factory.mktemp("broken"), **many)) as served:
        yield served


def sabotage(served: Served) -> None:
    services = served.services
    storage = replace(services.storage, database=Broken())
    served.app.state.services = replace(services, storage=storage, detection=Broken())


@pytest.mark.clause("HTTP-06")
def test_every_route_that_breaks_says_so_alike(broken: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Everywhere else `internal_error`; each is counted, and logged by its type alone."""
    account = broken.account()
    bearer, cookie = account.headers, {"Cookie": f"masker_session={broken.session(account)}", "Origin": broken.url}
    with broken.client(account) as client:
        assert client.post("/api/v1/mask", json={"text": "x"}).status_code == 200  # the key is remembered from here on
    sabotage(broken)
    details, expected = {}, 0
    with caplog.at_level("DEBUG"), httpx.Client(base_url=broken.url, timeout=30) as caller:
        for operation in operations(broken):
            elsewhere = ("/api/v1/health", "/auth/logout", "/api/v1/files/report-key", "/api/v1/proxy/")
            if operation.template.startswith(elsewhere):  # the proxy's failures: tests/api/proxy/test_privacy.py
                continue
            headers = bearer if "bearer" in operation.security else cookie
            body = {
                "text": SECRET,
                "email": SECRET,
                "password": SECRET,
                "name": SECRET,
                "entries": [],
                "items": [{"text": SECRET}],
            }
            more = {"enabled": ["PERSON"], "override": None} if "entities" in operation.path else {"enabled": True}
            content: dict[str, Any] = {"json": {**body, **more}}
            if "multipart/form-data" in operation.described.get("requestBody", {}).get("content", {}):
                content = {"files": {"file": (f"{SECRET}.csv", SECRET.encode(), "text/csv")}}
            answer = caller.request(
                operation.method, operation.path, headers=headers,
                **(content if operation.method in {"POST", "PUT", "PATCH"} else {}),
            )  # fmt: skip
            expected += answer.status_code == 500
            detail = "internal_error" if operation.method == "HEAD" else answer.json()["detail"]
            details[operation.method, operation.template] = (answer.status_code, detail)
            assert SECRET not in answer.text and "cope" not in answer.text
    for end in ("", "/batch"):
        assert details.pop(("POST", f"/api/v1/mask{end}")) == (500, "Masking operation failed")
        assert details.pop(("POST", f"/api/v1/redact{end}")) == (500, "Redact operation failed")
    malformed = {("DELETE", "/v1/keys/{key_id}"), ("PATCH", "/v1/keys/{key_id}")}
    assert {operation for operation, (status, _) in details.items() if status != 500} <= malformed
    assert {detail for status, detail in details.values() if status == 500} == {"internal_error"}
    assert broken.app.state.failures.by_type == {"RuntimeError": expected}
    assert f'"failures": {expected}' in caplog.text
    assert SECRET not in caplog.text and "cope" not in caplog.text and "Traceback" not in caplog.text


@pytest.mark.clause("RUN-01")
def test_what_is_broken_for_one_is_not_for_all(broken: Served) -> None:
    """The process lives on: liveness does not ask what is behind it."""
    sabotage(broken)
    answer = httpx.get(f"{broken.url}/api/v1/health")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert httpx.get(f"{broken.url}/docs").status_code == 200


@pytest.mark.clause("HTTP-01", "HTTP-03")
def test_errors_have_the_shape_of_their_surface(client: httpx.Client) -> None:
    for path, body, kind in [
        ("/api/v1/mask", {"text": "x", "key": "!"}, str),
        ("/api/v1/mask", {"text": ""}, list),
        ("/api/v1/redact", {"text": "x", "glossary_id": "00000000-0000-0000-0000-000000000001"}, str),
        ("/api/v1/redact", {"text": "x", "transforms": {"PERSON": "generalize"}}, list),
    ]:
        answer = client.post(path, json=body)
        assert answer.json().keys() == {"detail"}
        assert isinstance(answer.json()["detail"], kind)
        assert answer.headers["content-type"] == "application/json"
        assert json.loads(answer.content) == answer.json()
