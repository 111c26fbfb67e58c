"""What the text calls answer when something is wrong: exact statuses and details, nothing of the input."""

import json
from dataclasses import replace
from threading import Event, Thread

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.engine.scheduler import DetectionScheduler
from schemas.spans import Detection, DetectOptions
from storage.accounts import keys
from storage.database import Database
from tests.api.serving import Account, Served, serving, settings_for

PATHS = ["/api/v1/mask", "/api/v1/redact"]
SECRET = "Noura-0501234567"


@pytest.mark.clause("HTTP-03")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": None},
        {"text": 5},
        {"text": [SECRET]},
        {"text": SECRET, "use_judge": "yes"},
        {"text": SECRET, "glossary": [""]},
        {"text": SECRET, "glossary": [" "]},
        {"text": SECRET, "glossary": ["x" * 201]},
        {"text": SECRET, "glossary": ["x"] * 1001},
        {"text": SECRET, "glossary": SECRET},
        {"text": SECRET, "glossary_id": SECRET},
        {"text": SECRET, "judge_model": 7},
        [SECRET],
        SECRET,
        None,
    ],
)
def test_schema_violations(client: httpx.Client, path: str, body: object) -> None:
    refused(client.post(path, json=body))


@pytest.mark.clause("HTTP-17")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"text": "' + SECRET.encode() + b'"',
        b'{"text": "\xff\xfe"}',
        b'{"text": "\\ud800"}',
        b'{"text": "\\udc00 a"}',
        '{"text": "x"}'.encode("utf-16"),
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"text": NaN}',
        b"\0",
    ],
)
def test_bodies_that_are_no_json(client: httpx.Client, path: str, raw: bytes) -> None:
    refused(client.post(path, content=raw, headers={"Content-Type": "application/json"}))


def refused(answer: httpx.Response) -> None:
    """A clean 422: an array of `{type, loc, msg}` and not a piece of what was sent."""
    assert answer.status_code == 422
    assert answer.json()["detail"]
    for item in answer.json()["detail"]:
        assert item.keys() == {"type", "loc", "msg"}
        assert item["loc"][0] == "body"
    assert SECRET not in answer.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)
OPTIONAL = ["key", "use_judge", "judge_model", "glossary", "glossary_id", "transforms"]
REQUEST = st.fixed_dictionaries({"text": st.text(min_size=1)}, optional=dict.fromkeys(OPTIONAL, JSON))


@pytest.mark.clause("HTTP-03")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(path=st.sampled_from(PATHS), body=JSON | REQUEST)
def test_no_body_is_answered_with_500(client: httpx.Client, path: str, body: object) -> None:
    answer = client.post(path, content=json.dumps(body))
    assert answer.status_code in {200, 400, 404, 422}
    if answer.status_code == 422:
        assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])


@pytest.mark.clause("HTTP-16")
def test_unknown_fields_are_ignored(client: httpx.Client) -> None:
    assert client.post("/api/v1/mask", json={"text": "x", "other": [1], "spans": 3}).status_code == 200


@pytest.mark.clause("HTTP-21")
def test_a_body_past_the_cap(client: httpx.Client, served: Served) -> None:
    large = json.dumps({"text": "x " * served.services.settings.max_text_bytes}).encode()
    for content in (large, iter([large[:500_000], large[500_000:]])):
        answer = client.post("/api/v1/mask", content=content)
        assert (answer.status_code, answer.json()) == (413, {"detail": "request_too_large"})


@pytest.mark.clause("AUTH-11", "AUTH-14", "HTTP-23")
@pytest.mark.parametrize(
    ("headers", "detail"),
    [
        ({}, "Missing authentication"),
        ({"Cookie": "other=1"}, "Missing authentication"),
        ({"Authorization": ""}, "Malformed authentication token"),
        ({"Authorization": "Basic abc"}, "Malformed authentication token"),
        ({"Authorization": "Bearer"}, "Malformed authentication token"),
        ({"Authorization": "Bearer x"}, "Malformed authentication token"),
        ({"Authorization": "Bearer mk_live_short_key"}, "Malformed authentication token"),
        ({"Authorization": f"Bearer mk_live_{'a' * 12}_{'B' * 43}"}, "Invalid authentication token"),
        ({"Authorization": f"Bearer mk_live_{'a' * 12}_{'B' * 43}", "Cookie": "a=b"}, "Invalid authentication token"),
    ],
)
@pytest.mark.parametrize("path", [*PATHS, "/api/v1/files/redact"])
def test_authentication_messages(served: Served, path: str, headers: dict[str, str], detail: str) -> None:
    answer = httpx.post(served.url + path, content=b"not even json", headers=headers)
    assert (answer.status_code, answer.json()) == (401, {"detail": detail})
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.clause("AUTH-14")
def test_a_revoked_or_altered_key_is_invalid(served: Served, account: Account) -> None:
    altered = account.bearer[:-1] + ("A" if account.bearer[-1] != "A" else "B")
    for bearer in (altered, account.bearer):
        if bearer == account.bearer:
            revoke(served, account)
        answer = httpx.post(f"{served.url}/api/v1/mask", headers={"Authorization": f"Bearer {bearer}"}, json={})
        assert (answer.status_code, answer.json()) == (401, {"detail": "Invalid authentication token"})


def revoke(served: Served, account: Account) -> None:
    with served.services.storage.database.transaction() as session:
        for key in keys.of_account(session, account.id):
            keys.revoke(session, key.id, key.created_at)


@pytest.mark.clause("BILL-01")
def test_tokens_are_charged_by_words(client: httpx.Client, served: Served, account: Account) -> None:
    before = served.balance(account)
    client.post("/api/v1/mask", json={"text": " one two\u00a0three\n\tfour "})
    assert before - served.balance(account) == 4


@pytest.mark.clause("BILL-02", "BILL-03")
def test_not_enough_tokens(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(settings_for(tmp_path_factory.mktemp("poor"), free_tokens_per_day=3)) as served:
        account = served.account(paid_tokens=1)
        with served.client(account) as client:
            answer = client.post("/api/v1/mask", json={"text": "one two three four five"})
            assert answer.status_code == 402
            assert answer.json() == {
                "detail": "insufficient_tokens",
                "needed_tokens": 5,
                "available_tokens": 4,
                "topup_url": "/billing",
            }
            assert served.balance(account) == 4
            assert client.post("/api/v1/redact", json={"text": "one two three four"}).status_code == 200
            assert served.balance(account) == 0


class Saboteur:
    """A detector that breaks, with the text in its message as careless code would."""

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        raise RuntimeError(f"cannot cope with {text}")


class Blocked:
    """A detector that takes as long as the test wants."""

    def __init__(self) -> None:
        self.begun, self.go_on = Event(), Event()

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        self.begun.set()
        assert self.go_on.wait(30)
        return Detection(text, ())


@pytest.mark.clause("HTTP-06")
@pytest.mark.parametrize(
    ("path", "detail"), [("/api/v1/mask", "Masking operation failed"), ("/api/v1/redact", "Redact operation failed")]
)
def test_an_unexpected_failure(
    tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture, path: str, detail: str
) -> None:
    """What was charged is refunded."""
    with serving(settings_for(tmp_path_factory.mktemp("sabotaged"))) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(Saboteur(), 1, 1))
        account = served.account()
        before = served.balance(account)
        with served.client(account) as client, caplog.at_level("DEBUG"):
            answer = client.post(path, json={"text": SECRET})
        assert (answer.status_code, answer.json()) == (500, {"detail": detail})
        assert answer.headers["x-request-id"].startswith(path.rpartition("/")[2])
        assert served.balance(account) == before
    assert "RuntimeError" in caplog.text
    assert SECRET not in caplog.text and "cannot cope" not in caplog.text


@pytest.mark.clause("BILL-07", "HTTP-11")
def test_under_load(tmp_path_factory: pytest.TempPathFactory) -> None:
    blocked = Blocked()
    with serving(settings_for(tmp_path_factory.mktemp("busy"))) as served:
        served.app.state.services = replace(served.services, detection=DetectionScheduler(blocked, 1, 0))
        account = served.account()
        before = served.balance(account)
        with served.client(account) as client, served.client(account) as other:
            first: list[httpx.Response] = []
            thread = Thread(target=lambda: first.append(other.post("/api/v1/mask", json={"text": "a b c"})))
            thread.start()
            assert blocked.begun.wait(30)
            answer = client.post("/api/v1/mask", json={"text": "d e"})
            assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})
            assert int(answer.headers["retry-after"]) >= 1
            blocked.go_on.set()
            thread.join(30)
            assert first[0].status_code == 200
        assert before - served.balance(account) == 3


@pytest.mark.clause("RUN-03")
def test_a_database_that_is_away(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Readiness says so, liveness does not care, calls answer 503."""
    with serving(settings_for(tmp_path_factory.mktemp("away"))) as served:
        account = served.account()
        away = Database("postgresql+psycopg://nobody@127.0.0.1:1/none")
        services = served.services
        served.app.state.services = replace(services, storage=replace(services.storage, database=away))
        with served.client(account) as client:
            assert client.get("/api/v1/health").json()["status"] == "ok"
            ready = client.get("/api/v1/health/ready")
            assert ready.status_code == 503
            assert ready.json() == {
                "status": "unavailable",
                "checks": {"database": "unavailable", "broker": "ok", "object_store": "ok"},
            }
            answer = client.post("/api/v1/mask", json={"text": "x"})
            assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})


@pytest.mark.clause("HTTP-07", "MASK-05")
@pytest.mark.parametrize(
    "path", ["/no", "/docs/", "/openapi.json", "/api/v1", "/api/v1/unmask", "/api/v1/mask/", "/%00"]
)
def test_unknown_endpoints(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()) == (404, {"detail": "Not Found"})
    assert answer.headers["x-request-id"].startswith("req_")


@pytest.mark.clause("RUN-01")
def test_health(served: Served) -> None:
    answer = httpx.get(f"{served.url}/api/v1/health")
    assert (answer.status_code, answer.json().keys()) == (200, {"status", "version"})
    assert "server" not in answer.headers
    ready = httpx.get(f"{served.url}/api/v1/health/ready")
    assert (ready.status_code, ready.json()["checks"]) == (
        200,
        {"database": "ok", "broker": "ok", "object_store": "ok"},
    )


@pytest.mark.clause("HTTP-46")
def test_the_access_log_names_routes_not_paths(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of the input is in a log line."""
    with caplog.at_level("DEBUG", logger="masker"):
        client.get(f"/api/v1/files/{SECRET}", params={"q": SECRET})
        client.get(f"/{SECRET}")
        client.post("/api/v1/mask", json={"text": SECRET})
        client.post("/api/v1/mask", content=SECRET)
    lines = [json.loads(line) for line in caplog.text.splitlines()]
    routes = [line["route"] for line in lines if line["event"] == "answered"]
    assert routes[:3] == ["/api/v1/files/{file_id}", "-", "/api/v1/mask"]  # the last may be written later
    assert SECRET not in caplog.text


@pytest.mark.clause("DETECT-39")
def test_legacy_spans(tmp_path_factory: pytest.TempPathFactory) -> None:
    legacy = settings_for(tmp_path_factory.mktemp("legacy"), legacy_spans=True)
    with serving(legacy) as served, served.client() as client:
        answer = client.post("/api/v1/mask", json={"text": "1000000008 a@example.com"}).json()
    assert answer["pii_count"] == 2
    assert [(span["start"], span["type"]) for span in answer["spans"]] == [
        (0, "NATIONAL_ID"),
        (0, "SAUDI_NATIONAL_ID"),
        (11, "EMAIL_ADDRESS"),
    ]
