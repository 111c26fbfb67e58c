"""`/docs`: the API reference is whole, loads nothing from elsewhere, and its examples are true."""

import gzip
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from api.description.examples import ANSWERS, REQUESTS
from api.openapi import PATH
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, completion, is_anthropic, message, said
from tests.api.serving import Served, serving, settings_for
from tests.contract.browsers import cookie_of, page, registered

ROOT = Path(__file__).parents[3]
PATHS = (
    "/docs", "/docs/reference.js", "/docs/reference.css", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css",
    "/docs/openapi.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    provider = ScriptedProvider()
    provider.play = greet
    urls = {"anthropic_base_url": provider.url, "openai_base_url": f"{provider.url}/v1"}
    with serving(settings_for(tmp_path_factory.mktemp("data"), **urls)) as server:
        yield server
    provider.close()


def greet(turn: Turn) -> None:
    """What a model answers to the examples, in the tokens that it knows."""
    name = TOKEN.findall(said(turn))[0]
    turn.send(200, (message if is_anthropic(turn) else completion)(f"Hello {name}!"))


@pytest.mark.clause("HTTP-36", "HTTP-45")
def test_nothing_is_loaded_from_elsewhere(served: Served) -> None:
    """What the page may load, call and run is its own server's; tests/contract/dashboard holds a browser to that."""
    for path in PATHS:
        answer = httpx.get(served.url + path, timeout=60)
        assert answer.status_code == 200, path
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        assert policy.pop("img-src") == "'self' data:"
        assert {policy.pop(name) for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
        assert set(policy) == {"default-src", "frame-ancestors", "base-uri", "form-action"}
        assert set(policy.values()) == {"'none'"}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
    page = httpx.get(f"{served.url}/docs").text
    assert set(re.findall(r'(?:src|href)="([^"#]*)"', page)) <= {*PATHS, "/", "/static/icon.svg"}
    assert not re.search(r"<style|<script>|style=| on\w+=", page)


@pytest.mark.clause("HTTP-45")
def test_the_document_is_the_published_one(served: Served) -> None:
    """Each operation with its summary, its credentials and statuses, and an example of each answer in JSON."""
    document = httpx.get(f"{served.url}/docs/openapi.json").json()
    assert document == json.loads((ROOT / PATH).read_text("utf-8"))
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path
            for status, response in operation["responses"].items():
                assert response["description"], (path, status)
                is_error = status >= "400" and path != "/api/v1/health/ready"  # whose answers are alike
                if is_error and "application/json" in response.get("content", {}):
                    assert response["content"]["application/json"].get("examples"), (path, status)


@pytest.mark.clause("HTTP-45")
def test_it_is_sent_compressed(served: Served) -> None:
    """A megabyte and a half of Swagger UI is a third of that on the way."""
    plain = httpx.get(f"{served.url}/docs/swagger-ui-bundle.js", headers={"Accept-Encoding": "identity"})
    with httpx.stream("GET", f"{served.url}/docs/swagger-ui-bundle.js", headers={"Accept-Encoding": "gzip"}) as small:
        sent = b"".join(small.iter_raw())
    assert small.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert gzip.decompress(sent) == plain.content and len(sent) < len(plain.content) / 2.5
    assert small.headers["vary"] == "Accept-Encoding"


@pytest.mark.clause("HTTP-45")
def test_it_is_fetched_once(served: Served) -> None:
    """An answer that the browser has already is not sent again."""
    first = httpx.get(f"{served.url}/docs")
    assert first.headers["cache-control"] == "no-cache"
    again = httpx.get(f"{served.url}/docs", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    other = httpx.get(f"{served.url}/docs/openapi.json", headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200


def shape(value: Any) -> Any:
    """What an answer is made of, without its values; entity types, prefixes and tokens are values."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()} if all(key.islower() for key in value) else "value"
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "value"


@pytest.mark.clause("HTTP-42")
def test_the_examples_are_true(served: Served) -> None:
    cookie = registered(served.url).cookies["masker_session"]
    with page(served.url, cookie) as browser:
        ids = {
            "{glossary_id}": browser.post("/v1/glossaries", json={"name": "x", "entries": [{"term": "y"}]}).json()[
                "id"
            ],
            "{key_id}": browser.post("/v1/keys", json={"name": "x"}).json()["id"],
        }
        for (method, template), examples in REQUESTS.items():
            path = "/".join(ids.get(part, part) for part in template.split("/"))
            for name, body in examples.items():
                sent = {**body, "email": f"{uuid4().hex}@example.com"} if template == "/auth/register" else body
                if template == "/auth/login":
                    browser.post("/auth/register", json=body)
                if template.startswith("/api/v1/proxy/"):
                    bearer = {**served.account().headers, "X-Provider-Key": "sk-example"}
                    answer = httpx.request(method, served.url + path, json=sent, headers=bearer)
                    assert "Hello Noura Salem Almithali!" in answer.text
                else:
                    answer = browser.request(method, path, json=sent)
                assert answer.is_success, (method, template, name, answer.text)
                likes = ANSWERS[method, template]
                like = likes.get(name, next(iter(likes.values())))
                assert shape(answer.json()) == shape(like), template
                if template == "/api/v1/redact":
                    same = ("redacted_text", "pii_count", "entity_counts", "generalized_count")
                    assert {key: answer.json()[key] for key in same} == {key: like[key] for key in same}
        for (method, template), examples in ANSWERS.items():
            if method == "GET" and "{file_id}" not in template:
                path = "/".join(ids.get(part, part) for part in template.split("/"))
                answer = browser.get(path, params={"days": 1} if template == "/me/usage" else {})
                assert answer.status_code == 200
                (like,) = examples.values()
                if template not in {"/me/ledger", "/api/v1/files"}:  # nothing is in them yet
                    assert shape(answer.json()) == shape(like), template


@pytest.mark.clause("HTTP-42")
def test_command_lines_work_when_they_are_copied(served: Served, tmp_path: Path) -> None:
    """With the variables that they name set, no line lacks a header, a key or an origin."""
    document = httpx.get(f"{served.url}/docs/openapi.json").json()
    described = [
        operation.get("description", "")
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    lines = [line for text in described for line in re.findall(r"```sh\n(.*?)\n```", text, re.DOTALL)]
    assert len(lines) > 12
    assert any("-F " in line for line in lines) and any("X-Provider-Key" in line for line in lines)
    (tmp_path / "letter.pdf").write_bytes((ROOT / "examples" / "documents" / "customer-letter.pdf").read_bytes())
    session = cookie_of(registered(served.url)).value
    with page(served.url, session) as browser:
        key = browser.post("/v1/keys", json={"name": "copied"}).json()["key"]
    variables = {"BASE": served.url, "KEY": key, "SESSION": session, "PROVIDER_KEY": "sk-test"}
    for line in lines:
        email = line.replace("noura@example.com", f"{uuid4().hex}@example.com")
        done = subprocess.run(
            ["bash", "-c", f"{email} -o /dev/null -w '%{{http_code}}'"],
            env={**os.environ, **variables}, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        wanted = {"401"} if "/auth/login" in line else {"200", "201", "204", "502"}  # nobody is that provider
        assert done.stdout in wanted, line
