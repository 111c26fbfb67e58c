"""`/docs`: the API reference is whole, loads nothing from elsewhere, runs nothing, and its examples are true."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
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
VOID = {"meta", "link", "wbr"}


class Page(HTMLParser):
    """Reads a page and insists that every element is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, name: str) -> Iterator[str]:
        return (value for _, attributes in self.elements if (value := attributes.get(name)) is not None)


@pytest.fixture(scope="module")
def shown(served: Served) -> Page:
    """The page as a browser gets it."""
    answer = httpx.get(f"{served.url}/docs")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    return Page(answer.text)


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


@pytest.mark.clause("HTTP-36")
def test_nothing_is_loaded_from_elsewhere_and_nothing_runs(served: Served, shown: Page) -> None:
    """Are its own: one style sheet, no script, and a policy that allows no more."""
    for path in ("/docs", "/docs/reference.css", "/docs/openapi.json"):
        answer = httpx.get(served.url + path)
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        assert (
            policy["default-src"]
            == policy["frame-ancestors"]
            == policy["base-uri"]
            == policy["form-action"]
            == "'none'"
        )
        assert policy["style-src"] == policy["img-src"] == "'self'" and "script-src" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
    assert not {tag for tag, _ in shown.elements} & {
        "script",
        "style",
        "iframe",
        "object",
        "img",
        "form",
        "base",
        "svg",
    }
    assert not [
        name for _, attributes in shown.elements for name in attributes if name == "style" or name.startswith("on")
    ]
    for link in (*shown.all("href"), *shown.all("src")):
        assert link.startswith(("#", "/docs")), link
    assert not re.search(r"url\(|@import|https?:", httpx.get(f"{served.url}/docs/reference.css").text)


@pytest.mark.clause("HTTP-45")
def test_every_operation_is_shown(served: Served, shown: Page) -> None:
    """Each with every field, status and example of the description that is published."""
    document = httpx.get(f"{served.url}/docs/openapi.json").json()
    assert document == json.loads((ROOT / PATH).read_text("utf-8"))
    ids = list(shown.all("id"))
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in shown.all("href") if link.startswith("#")} <= set(ids)
    text = "".join(shown.text)
    for path, operations in document["paths"].items():
        assert path in text
        for operation in operations.values():
            assert operation["operationId"] in ids
            assert operation["summary"] in text
            for status, response in operation["responses"].items():
                assert status in text
                for media in response.get("content", {}).values():
                    for example in media.get("examples", {}).values():
                        assert all(word in text for word in strings(example["value"]))
    for schema in document["components"]["schemas"].values():
        assert all(name in text for name in schema.get("properties", {}))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)[1:-1]


@pytest.mark.clause("HTTP-45")
def test_it_can_be_read_by_everybody(shown: Page) -> None:
    """Language and direction are said, Arabic samples run from right to left, and the keyboard reaches everything."""
    elements = shown.elements
    html = next(attributes for tag, attributes in elements if tag == "html")
    assert (html["lang"], html["dir"]) == ("en", "ltr")
    assert [tag for tag, _ in elements if tag in {"header", "nav", "main", "h1"}] == ["header", "nav", "main", "h1"]
    assert next(attributes for tag, attributes in elements if tag == "a")["href"] == "#content"
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch("h[1-6]", tag)]
    first = levels.index(1)
    assert all(after - before <= 1 for before, after in zip(levels[first:], levels[first + 1 :], strict=False))
    assert all(attributes.get("scope") for tag, attributes in elements if tag == "th")
    assert all("tabindex" in attributes for tag, attributes in elements if tag == "pre")
    assert sum(attributes.get("dir") == "auto" for tag, attributes in elements if tag == "span") > 100
    assert "رقم الهوية" in "".join(shown.text)


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
    html = httpx.get(f"{served.url}/docs").text
    blocks = [
        unescape(re.sub(r"<[^>]+>", "", block)) for block in re.findall(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    ]
    lines = [block for block in blocks if block.startswith("curl") and "{" not in block.split("\n")[0]]
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
        wanted = {"401"} if "/auth/login" in line else {"200", "201", "502"}  # nobody is that provider
        assert done.stdout in wanted, line
