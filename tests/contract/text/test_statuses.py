"""Every status of the text calls, in the order in which they are decided: faults are mended one by one."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from api.engine.scheduler import DetectionScheduler
from tests.api.http.country_database import FOREIGN, SAUDI, write_countries
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.text.test_errors import PATHS, Blocked, Saboteur

RATE = 12  # calls per minute: fewer than one caller makes here


@pytest.fixture
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on which everything can go wrong."""
    folder = tmp_path_factory.mktemp("guarded")
    settings = settings_for(
        folder,
        geo_database=write_countries(folder / "countries.mmdb"),
        trusted_proxies=("127.0.0.1",),
        rate_limit_per_minute=RATE,
        free_tokens_per_day=3,
        max_text_bytes=2000,
        judge_base_url="http://127.0.0.1:9/v1",
        judge_models=("known",),
    )
    with serving(settings) as served:
        yield served


@pytest.mark.clause("HTTP-22", "MASK-37", "REDACT-12")
@pytest.mark.parametrize("path", PATHS)
def test_one_after_the_other(guarded: Served, path: str) -> None:
    poor, rich, busy = guarded.account(), guarded.account(paid_tokens=100), guarded.account()
    body: dict[str, object] = {"text": "word " * 1000, "use_judge": "yes", "judge_model": "no", "glossary_id": "none"}

    def call(account: Account | None = None, address: str = SAUDI) -> httpx.Response:
        headers = {"X-Forwarded-For": address} | (account.headers if account else {})
        return httpx.post(guarded.url + path, json=body, headers=headers, timeout=30)

    foreign = call(address=FOREIGN)
    assert (foreign.status_code, foreign.content) == (403, b"")
    assert call().status_code == 401
    assert [call(poor).status_code for _ in range(RATE + 1)] == [413] * RATE + [429]
    poor = guarded.account()
    assert call(poor).status_code == 413
    body["text"] = "four words are here"
    assert call(poor).status_code == 422
    body["use_judge"], body["glossary_id"] = False, str(uuid4())
    assert call(poor).json() == {"detail": "unknown_judge_model"}
    assert call(poor).status_code == 400
    body["judge_model"] = "known"
    assert call(poor).status_code == 404
    del body["glossary_id"]
    blocked = Blocked()
    put(guarded, DetectionScheduler(blocked, 1, 0))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(httpx.post, guarded.url + path, json={"text": "x"}, headers=saudi(busy), timeout=30)
        assert blocked.begun.wait(30)
        assert call(poor).status_code == 402
        assert call(rich).status_code == 503
        blocked.go_on.set()
        assert first.result().status_code == 200
    put(guarded, DetectionScheduler(Saboteur(), 1, 0))
    assert call(rich).status_code == 500
    put(guarded, guarded.services.detection)
    assert call(rich).status_code == 200
    assert guarded.balance(rich) == 99


def saudi(account: Account) -> dict[str, str]:
    return {"X-Forwarded-For": SAUDI} | account.headers


def put(served: Served, detection: DetectionScheduler) -> None:
    """From now on the server detects with this."""
    served.app.state.services = replace(served.services, detection=detection)
