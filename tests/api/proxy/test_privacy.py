"""Nothing of one caller reaches another, a log, or a provider that shall not have it."""

import asyncio
import json
import logging
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import httpx
import pytest

from api.engine.scheduler import DetectionScheduler
from schemas.spans import Detection, DetectOptions
from tests.api.proxy.conftest import ANTHROPIC, OPENAI, PROVIDER_KEY, asks, caller
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, completion, is_anthropic, message, message_stream, said
from tests.api.serving import Account, Served, serving, settings_for

PATHS = (ANTHROPIC, OPENAI)
VALUES = ("Noura Salem Almithali", "noura@example.com", "0501234567")
TEXT = "I am Noura Salem Almithali, write to noura@example.com or call 0501234567 today."


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What every logger writes, from DEBUG on."""
    with caplog.at_level(logging.DEBUG):
        yield caplog


def answers(turn: Turn) -> None:
    """Ways to answer, by what is asked; every one with the tokens of the prompt in it."""
    text, kind = said(turn), turn.json["model"]
    if kind == "stream":
        turn.stream(message_stream(list(text)))
    elif kind == "error":
        turn.send(400, message(text))
    elif kind == "broken":
        turn.begin()
        turn.more(*message_stream([text])[:4])
        turn.die()
    elif kind == "dead":
        turn.die()
    elif kind == "rubbish":
        turn.send(200, text.encode() + b"\xff\x00{", [("X-Odd", "\xe9"), ("Set-Cookie", "a=b; Expires=never")])
    else:
        turn.send(200, (message if is_anthropic(turn) else completion)(text))


@pytest.mark.parametrize("path", PATHS)
def test_no_line_of_a_log_holds_a_value_a_body_or_a_key(
    client: httpx.Client, account: Account, provider: ScriptedProvider, everything_logged: pytest.LogCaptureFixture,
    path: str,
) -> None:  # fmt: skip
    """Whatever happens, refusals and failures too."""
    provider.begin(answers)
    for kind in ("whole", "stream", "error", "broken", "dead", "rubbish"):
        client.post(f"{path}?beta={VALUES[1]}", json=asks(TEXT, model=kind, stream=kind in {"stream", "broken"}))
    client.post(path, content=f'{{"messages": "{TEXT}'.encode())
    client.post(path, content=TEXT, headers={"Content-Encoding": "gzip"})
    client.post(path, json=asks(TEXT), headers={"X-Service-Transforms": VALUES[1]})
    client.post(f"/api/v1/proxy/{VALUES[1]}/x", json=asks(TEXT))
    assert len(provider.turns) == 6
    lines = [record.getMessage() + str(record.exc_info or "") for record in everything_logged.records]
    lines += everything_logged.text.splitlines()
    assert [line for line in lines if '"event": "answered"' in line and '"route": "' in line]
    tokens = [token for turn in provider.turns for token in TOKEN.findall(said(turn))]
    for secret in (*VALUES, *TEXT.split()[:1], PROVIDER_KEY, account.bearer, *tokens):
        if len(secret) > 3:
            assert not [line for line in lines if secret in line], secret


def test_an_unexpected_failure_reveals_nothing(
    served: Served, account: Account, provider: ScriptedProvider, everything_logged: pytest.LogCaptureFixture
) -> None:
    """A detector that fails with the text in its message: 500 in the proxy's shape, the type's name, and no charge."""

    class Fails:
        def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
            raise ZeroDivisionError(text)

    before, services = served.balance(account), served.services
    served.app.state.services = replace(services, detection=DetectionScheduler(Fails(), 1, 1))
    try:
        with caller(served, account) as client:
            for path in PATHS:
                answer = client.post(path, json=asks(TEXT))
                assert (answer.status_code, answer.json()) == (
                    500,
                    {"error": "internal_error", "message": "The service failed."},
                )
    finally:
        served.app.state.services = services
    assert not provider.turns
    assert served.balance(account) == before
    assert "ZeroDivisionError" in everything_logged.text and VALUES[1] not in everything_logged.text


def test_many_callers_at_once_are_kept_apart(served: Served, provider: ScriptedProvider) -> None:
    """Each with values, tokens and a provider key of its own, over the same connections."""
    people = [f"person{number}.{secrets.token_hex(4)}@example.com" for number in range(16)]

    def call(person: str) -> None:
        with caller(served, served.account(), f"sk-{person[:8]}") as client:
            for round_ in range(4):
                path, streams = PATHS[round_ % 2], round_ >= 2
                answer = client.post(path, json=asks(f"Write to {person} today", stream=streams))
                others = [other for other in people if other != person]
                assert answer.status_code == 200
                letters = answer.text if not streams else "".join(_letters(answer.text))
                assert person in letters and not [other for other in others if other in letters]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, people))
    assert len(provider.turns) == 64
    keys: dict[str, str] = {}
    for turn in provider.turns:
        key = turn.headers.get("x-api-key") or turn.headers["authorization"].removeprefix("Bearer ")
        (token,) = TOKEN.findall(said(turn))
        assert keys.setdefault(token, key) == key, "one caller's token under another's key"
    assert not [person for person in people if person.encode() in provider.received]


def _letters(stream: str) -> Iterator[str]:
    for line in stream.splitlines():
        if line.startswith("data: {"):
            body = json.loads(line[6:])
            yield body.get("delta", {}).get("text") or ""
            for choice in body.get("choices", ()):
                yield choice["delta"].get("content") or ""


def test_glossaries_that_apply_by_themselves_apply_here(
    served: Served, account: Account, client: httpx.Client, provider: ScriptedProvider
) -> None:
    """And which types are switched on does not: the whole set is looked for."""
    term = {"name": "projects", "entries": [{"term": "Project Zephyr"}]}
    assert client.post("/v1/glossaries", json=term).status_code == 201
    with served.browser(account) as browser:
        assert browser.put("/me/entities", json={"enabled": ["PERSON"]}).status_code == 200
    answer = client.post(OPENAI, json=asks("Project Zephyr is at 10.1.2.3"))
    assert answer.json()["choices"][0]["message"]["content"] == "Project Zephyr is at 10.1.2.3"
    told = said(provider.turn)
    assert told.startswith("<MASKED_CUSTOM_TERM_") and "<MASKED_IP_ADDRESS_" in told and "Zephyr" not in told


class Busy:
    """A detector that is at it until it is told to go on."""

    def __init__(self) -> None:
        self.go_on, self.began = Event(), Event()

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        self.began.set()
        assert self.go_on.wait(30)
        return Detection(text, ())


def test_load_is_shed_before_the_provider_hears_of_it(tmp_path: Path, provider: ScriptedProvider) -> None:
    """503 with Retry-After, refunded; who was in time is served."""
    detector = Busy()
    with serving(settings_for(tmp_path, openai_base_url=provider.url)) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(detector, 1, 0))
        account = served.account()
        with ThreadPoolExecutor(1) as pool, caller(served, account) as first, caller(served, account) as second:
            waiting = pool.submit(first.post, OPENAI, json=asks("Hello there"))
            assert detector.began.wait(30)
            answer = second.post(OPENAI, json=asks("Hello there"))
            assert (answer.status_code, answer.json()["error"]) == (503, "masker_unavailable")
            assert int(answer.headers["retry-after"]) >= 1
            detector.go_on.set()
            assert waiting.result().status_code == 200
        assert served.balance(account) == served.services.settings.free_tokens_per_day - 2
    assert len(provider.turns) == 1


def test_a_page_of_another_origin_cannot_send_a_providers_key(tmp_path: Path) -> None:
    """The browser asks first, and hears that this header is not allowed."""
    with serving(settings_for(tmp_path, cors_origins="https://app.example.com")) as served:
        asked = {
            "Origin": "https://app.example.com",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,x-provider-key",
        }
        answer = httpx.options(served.url + OPENAI, headers=asked)
        assert answer.status_code == 400
        assert "provider" not in answer.headers["access-control-allow-headers"].lower()


def test_the_loop_goes_on_while_a_large_prompt_is_masked(served: Served, provider: ScriptedProvider) -> None:
    """Other callers are answered meanwhile; the prompt comes through whole."""
    account = served.account(paid_tokens=100_000)
    text = "Write to noura@example.com or 0501234567 about nothing else today. " * 4000

    async def run() -> int:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as anybody:
            headers = {**account.headers, "X-Provider-Key": PROVIDER_KEY}
            large = asyncio.create_task(anybody.post(OPENAI, json=asks(text), headers=headers))
            answered = 0
            while not large.done():
                assert (await anybody.get("/api/v1/health")).status_code == 200
                answered += 1
            assert large.result().json()["choices"][0]["message"]["content"] == text
            return answered

    assert asyncio.run(run()) > 20
