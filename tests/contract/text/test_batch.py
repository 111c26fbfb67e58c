"""Many texts in one call: answers in order, errors of single items, one charge."""

import threading
import time
from typing import Any

import httpx
import pytest

from examples.envelope import open_envelope
from schemas.clock import utc_now
from schemas.errors import MaskerUnavailable
from schemas.text import MAX_BATCH_BYTES
from storage import ledger
from tests.api.serving import Account, Served

KINDS = ["mask", "redact"]
TEXT = {"mask": "masked_text", "redact": "redacted_text"}
ID, OTHER_ID = "1012345672", "1058374925"
NO_GLOSSARY = "00000000-0000-4000-8000-000000000000"


def batch(client: httpx.Client, kind: str, *items: Any, **options: Any) -> httpx.Response:
    return client.post(f"/api/v1/{kind}/batch", json={"items": list(items)}, **options)


def spent(client: httpx.Client) -> int:
    return 10_000 - client.get("/api/v1/balance").json()["free_tokens"]


@pytest.mark.clause("BATCH-01", "BATCH-06")
@pytest.mark.parametrize("kind", KINDS)
def test_each_item_is_answered_like_a_single_call(client: httpx.Client, kind: str) -> None:
    texts = ["nothing here", f"ID {ID}", f"رقم الهوية {OTHER_ID}", "again nothing"]
    answer = batch(client, kind, *({"text": text, "explain": True} for text in texts))
    assert answer.status_code == 200
    for text, result in zip(texts, answer.json()["results"], strict=True):
        single = client.post(f"/api/v1/{kind}", json={"text": text, "explain": True}).json()
        changing = ("ciphertext", "nonce_payload", "wrapped_dek", "nonce_dek", "request_id", "processing_time_ms")
        assert result.keys() == single.keys()
        assert all(result[name] == single[name] for name in single if name not in changing)


@pytest.mark.clause("BATCH-06", "BATCH-08")
def test_envelopes_open_and_a_value_has_one_token(client: httpx.Client, account: Account) -> None:
    results = batch(client, "mask", {"text": f"a {ID}"}, {"text": f"b {ID}"}).json()["results"]
    mappings = [open_envelope(result, account.bearer) for result in results]
    assert mappings[0] == mappings[1]
    assert list(mappings[0].values()) == [ID]


@pytest.mark.clause("BATCH-08")
def test_placeholders_begin_anew(client: httpx.Client) -> None:
    results = batch(client, "redact", {"text": f"a {ID}"}, {"text": f"b {OTHER_ID}"}).json()["results"]
    assert [result["redacted_text"] for result in results] == ["a NATIONAL_ID_01", "b NATIONAL_ID_01"]


@pytest.mark.clause("BATCH-01", "BATCH-02")
@pytest.mark.parametrize(
    ("items", "place"),
    [
        ([], ["body", "items"]),
        ([{"text": "a"}] * 101, ["body", "items"]),
        ([{"text": "a"}, {"text": ""}], ["body", "items", 1, "text"]),
        ([{"text": "a"}, {}], ["body", "items", 1, "text"]),
        (["a"], ["body", "items", 0]),
        ({"text": "a"}, ["body", "items"]),
        (None, ["body", "items"]),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_item_is_named(client: httpx.Client, kind: str, items: Any, place: list[Any]) -> None:
    answer = client.post(f"/api/v1/{kind}/batch", json={"items": items})
    assert answer.status_code == 422
    assert [error["loc"] for error in answer.json()["detail"]] == [place]
    assert spent(client) == 0


@pytest.mark.clause("BATCH-01")
def test_a_hundred_items(client: httpx.Client) -> None:
    results = batch(client, "redact", *({"text": f"number {n}: {ID}"} for n in range(100))).json()["results"]
    assert [result["redacted_text"] for result in results] == [f"number {n}: NATIONAL_ID_01" for n in range(100)]


@pytest.mark.clause("BATCH-03")
def test_a_large_body(client: httpx.Client) -> None:
    answer = batch(client, "redact", {"text": "a" * MAX_BATCH_BYTES})
    assert (answer.status_code, answer.json()) == (413, {"detail": "request_too_large"})


@pytest.mark.clause("BATCH-04")
def test_the_header_of_the_judge(client: httpx.Client) -> None:
    answer = batch(client, "redact", {"text": f"a {ID}", "use_judge": True}, headers={"X-Use-Judge": "false"})
    assert [result["judge_used"] for result in answer.json()["results"]] == [False]


@pytest.mark.clause("BATCH-05")
def test_a_batch_is_one_call(client: httpx.Client, served: Served) -> None:
    limit = served.services.settings.rate_limit_per_minute
    answers = [batch(client, "redact", *({"text": "a"},) * 3).status_code for _ in range(limit // 2)]
    assert set(answers) == {200}


@pytest.mark.clause("BATCH-07", "BATCH-09")
def test_what_is_wrong_with_one_item_is_its_own(client: httpx.Client) -> None:
    answer = batch(
        client, "mask", {"text": f"one {ID}"}, {"text": "two words", "key": "c2hvcnQ="},
        {"text": "three", "glossary_id": NO_GLOSSARY}, {"text": "four more words here"},
    )  # fmt: skip
    first, second, third, fourth = answer.json()["results"]
    assert first["pii_count"] == 1
    assert second == {"status": 400, "detail": "key must decode to 32 bytes (256 bits), got 5"}
    assert third == {"status": 404, "detail": "Glossary not found"}
    assert fourth["masked_text"] == "four more words here"
    assert spent(client) == 6


@pytest.mark.clause("BATCH-07")
def test_only_wrong_items(client: httpx.Client) -> None:
    answer = batch(client, "redact", {"text": "a", "glossary_id": NO_GLOSSARY})
    assert answer.json() == {"results": [{"status": 404, "detail": "Glossary not found"}]}
    assert spent(client) == 0


@pytest.mark.clause("BATCH-09")
def test_one_charge(client: httpx.Client, served: Served, account: Account) -> None:
    batch(client, "redact", {"text": "two words"}, {"text": "three more words"})
    with served.services.storage.database.reading() as session:
        entries = ledger.entries(session, account.id, limit=10)
    assert [(entry.kind, entry.free_tokens) for entry in entries] == [("charge", -5)]


@pytest.mark.clause("BATCH-10")
def test_too_few_tokens(client: httpx.Client) -> None:
    answer = batch(client, "redact", {"text": "a " * 6_000}, {"text": "b " * 6_000})
    assert answer.status_code == 402
    assert answer.json()["needed_tokens"] == 12_000
    assert spent(client) == 0


@pytest.mark.clause("BATCH-11")
def test_a_failure_in_the_middle_is_refunded(
    client: httpx.Client, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    detection, calls = served.services.detection, []
    run = type(detection).run

    async def failing(self: Any, *given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise MaskerUnavailable(retry_after=1)
        return await run(self, *given, **named)

    monkeypatch.setattr(type(detection), "run", failing)
    answer = batch(client, "redact", {"text": "one two"}, {"text": "three"}, {"text": "four"})
    assert (answer.status_code, answer.json()["detail"]) == (503, "masker_unavailable")
    assert len(calls) == 2
    assert spent(client) == 0


@pytest.mark.clause("BATCH-12")
@pytest.mark.slow
def test_calls_of_others_pass_between(client: httpx.Client, served: Served, account: Account) -> None:
    """While a long batch runs, small calls are answered long before its end."""
    long = f"Reem Alharbi lives in Riyadh and has the number {ID}. " * 700
    with served.services.storage.database.transaction() as session:
        ledger.credit(session, account.id, 1_000_000, reference=f"test:{account.id}", now=utc_now())
    statuses: list[tuple[int, float]] = []

    def run() -> None:
        status = batch(client, "redact", *({"text": long},) * 20, timeout=120).status_code
        statuses.append((status, time.monotonic()))

    worker = threading.Thread(target=run)
    worker.start()
    answered = []
    while worker.is_alive() and len(answered) < 5:
        assert client.post("/api/v1/redact", json={"text": f"ID {ID}"}).status_code == 200
        answered.append(time.monotonic())
    worker.join()
    ((status, ended),) = statuses
    assert status == 200
    assert len(answered) == 5 and answered[-1] < ended
