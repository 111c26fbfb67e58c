"""The LLM proxy, sentence by sentence: a real server before a scripted provider that keeps every byte."""

import json

import httpx
import pytest

from api.engine.scheduler import MEDIUM_CHARACTERS
from schemas.entities import TOGGLABLE_TYPES
from tests.api.proxy.conftest import ANTHROPIC, OPENAI, asks
from tests.api.proxy.conftest import PROVIDER_KEY as KEY
from tests.api.proxy.provider import ScriptedProvider, Turn
from tests.api.proxy.provider_answers import TOKEN, is_anthropic, message, parrot, said
from tests.api.serving import Account, Served

BASE = "/api/v1/proxy"
BOTH = pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
NAME, EMAIL, ID = "Noura Salem Almithali", "noura@example.com", "1058374925"


def text_of(answer: httpx.Response) -> str:
    body = answer.json()
    return str(body["content"][0]["text"] if "content" in body else body["choices"][0]["message"]["content"])


@pytest.mark.clause("PROXY-01", "PROXY-03", "PROXY-04", "PROXY-06", "PROXY-09")
@BOTH
def test_the_prompt_is_masked_and_the_reply_is_not(client: httpx.Client, provider: ScriptedProvider, path: str) -> None:
    text = f"I am {NAME}, {EMAIL}, national ID {ID}."
    assert text_of(client.post(path, json=asks(text))) == text
    assert not [value for value in (NAME, EMAIL, ID) if value.encode() in provider.received]
    told = said(provider.turn)
    assert {token.split("_")[1] for token in TOKEN.findall(told)} == {"PERSON", "EMAIL", "NATIONAL"}
    assert provider.turn.json.keys() == {"model", "max_tokens", "messages"}


@pytest.mark.clause("AUTH-08", "PROXY-07", "PROXY-08", "PROXY-28")
@BOTH
def test_the_headers_of_a_call(served: Served, account: Account, provider: ScriptedProvider, path: str) -> None:
    sent = {"X-Provider-Key": KEY, "anthropic-version": "2023-06-01"}
    url = f"{served.url}{path}?beta=true&trace={EMAIL}"
    assert httpx.post(url, json=asks("Hi"), headers={**account.headers, **sent}).status_code == 200
    assert provider.turn.path.partition("?")[2] == "beta=true"
    headers = provider.turn.headers
    own = {"x-api-key": KEY} if path == ANTHROPIC else {"authorization": f"Bearer {KEY}"}
    assert own.items() <= headers.items() and headers["anthropic-version"] == "2023-06-01"
    assert account.bearer.encode() not in provider.received
    answer = httpx.post(served.url + path, json=asks("Hi"), headers=account.headers)
    assert (answer.status_code, answer.json()["error"]) == (400, "missing_provider_key")
    answer = httpx.post(served.url + path, json=asks("Hi"), headers={"X-Api-Key": account.bearer, **sent})
    words = "Missing authentication token"
    refusal = {"error": "unauthorized", "message": words, "detail": words}
    assert (answer.status_code, answer.json()) == (401, refusal)


@pytest.mark.clause("PROXY-02", "PROXY-07")
def test_nothing_of_a_call_is_kept(client: httpx.Client, served: Served, provider: ScriptedProvider) -> None:
    assert client.post(ANTHROPIC, json=asks(f"I am {NAME}")).status_code == 200
    (token,) = TOKEN.findall(said(provider.turn))
    kept = [path.read_bytes() for path in served.services.settings.data_dir.rglob("*") if path.is_file()]
    assert kept
    for secret in (NAME, KEY, token):
        assert not [1 for content in kept if secret.encode() in content]


@pytest.mark.clause("PROXY-10")
def test_preserving_tags(client: httpx.Client, provider: ScriptedProvider) -> None:
    for wish in ("true", "false"):
        answer = client.post(ANTHROPIC, json=asks("Hi", system="Be brief."), headers={"X-Service-Preserve-Tags": wish})
        assert answer.status_code == 200
    first, second = (turn.json["system"] for turn in provider.turns)
    assert first.startswith("Be brief.") and "<MASKED_...>" in first
    assert second == "Be brief."


@pytest.mark.clause("PROXY-11")
def test_transforms(client: httpx.Client, provider: ScriptedProvider) -> None:
    text = "She moved on 17 March 2024. Call at 10:45."
    answer = client.post(OPENAI, json=asks(text), headers={"X-Service-Transforms": "DATE_TIME , ADDRESS"})
    told = said(provider.turn)
    assert "March 2024" in told and "17 March" not in told
    assert "<MASKED_DATE_TIME_" in told, "a clock time fails closed"
    assert "March 2024" in text_of(answer) and "17 March" not in text_of(answer) and "10:45" in text_of(answer)
    for wish in ("PERSON", "DATE_TIME,PERSON"):
        answer = client.post(OPENAI, json=asks(text), headers={"X-Service-Transforms": wish})
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_transforms")


@pytest.mark.clause("PROXY-16")
def test_coverage(client: httpx.Client, provider: ScriptedProvider) -> None:
    blocks = [{"type": "text", "text": f"You serve {NAME}."}]
    use = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"who": EMAIL}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": f"ID {ID}"}]}
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]

    def play(turn: Turn) -> None:
        system = turn.json["system"]
        turn.send(200, message(system if isinstance(system, str) else system[0]["text"]))

    provider.begin(play)
    for system in (f"You serve {NAME}.", blocks):
        answer = client.post(ANTHROPIC, json={**asks(""), "system": system, "messages": messages})
        assert text_of(answer) == f"You serve {NAME}."
    assert not [value for value in (NAME, EMAIL, ID) if value.encode() in provider.received]
    assert all(turn.json["messages"][0]["content"][0]["id"] == "toolu_1" for turn in provider.turns)


@pytest.mark.clause("PROXY-26")
@BOTH
def test_streams(client: httpx.Client, provider: ScriptedProvider, path: str) -> None:
    text = f"I am {NAME}."
    came = ""
    with client.stream("POST", path, json=asks(text, stream=True)) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            body = json.loads(line[6:]) if line.startswith("data: {") else {}
            came += body.get("delta", {}).get("text") or ""
            came += "".join(choice["delta"].get("content") or "" for choice in body.get("choices", ()))
    assert came == text and provider.turn.json["stream"] is True


@pytest.mark.clause("ACCT-19", "PROXY-14")
def test_toggles_do_not_apply(
    client: httpx.Client, served: Served, account: Account, provider: ScriptedProvider
) -> None:
    with served.browser(account) as browser:
        assert browser.put("/me/entities", json={"enabled": ["PERSON"]}).status_code == 200
        assert len(browser.get("/me/entities").json()["catalog"]) == len(TOGGLABLE_TYPES)
    text = f"From 10.1.2.3 in Jeddah, ID {ID}, not ID 1058374926."
    assert text_of(client.post(OPENAI, json=asks(text))) == text
    told = said(provider.turn)
    assert "<MASKED_IP_ADDRESS_" in told and "<MASKED_LOCATION_" in told and ID not in told
    assert "1058374926" in told, "its check digit is wrong"


@pytest.mark.clause("ACCT-20", "DETECT-42", "PROXY-14")
@pytest.mark.parametrize("size", [0, MEDIUM_CHARACTERS], ids=["short", "medium"])
def test_the_least_score_of_the_account_applies(
    served: Served, client: httpx.Client, account: Account, provider: ScriptedProvider, size: int
) -> None:
    text = "word " * (size // 5) + f"\n\nDear Noor, ID {ID}, call 0501234567"
    with served.client(account) as own:
        for score, left in ((None, set()), (1, {"Noor", "0501234567"}), (0, set())):
            saved = own.put("/me/entities", json={"enabled": ["PERSON"], "min_score": score})
            assert saved.status_code == 200
            assert text_of(client.post(OPENAI, json=asks(text))) == text
            assert {value for value in ("Noor", "0501234567", ID) if value in said(provider.turns[-1])} == left


@pytest.mark.clause("HTTP-44", "PROXY-28", "PROXY-31")
def test_what_is_not_supported(client: httpx.Client, provider: ScriptedProvider) -> None:
    for path in ("anthropic/v1/models", "anthropic/v1/messages/batches", "openai/v1/responses", "openai/v1/models"):
        for method in ("GET", "POST"):
            answer = client.request(method, f"{BASE}/{path}")
            assert (answer.status_code, answer.json()["error"]) == (501, "endpoint_not_supported_in_v1")
            assert answer.headers["x-should-retry"] == "false"
    answer = client.post(f"{BASE}/gemini/v1/messages", json=asks("Hi"))
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown_provider")
    assert not provider.turns


@pytest.mark.clause("PROXY-05", "DEMO-01")
def test_status(served: Served) -> None:
    answer = httpx.get(f"{served.url}{BASE}/status")
    expected = {
        "proxy": {"available": True, "providers": ["anthropic", "openai"]},
        "managed_demo": {"available": False},
    }
    assert (answer.status_code, answer.json()) == (200, expected)


@pytest.mark.clause("HTTP-01", "PROXY-11", "PROXY-27", "PROXY-28", "PROXY-29", "PROXY-30")
@BOTH
def test_errors(client: httpx.Client, served: Served, provider: ScriptedProvider, path: str) -> None:
    answer = client.post(path, json=asks("x" * served.services.settings.proxy_max_body_bytes))
    too_large = {"error": "request_too_large", "message": "The body is larger than the limit of its surface."}
    assert (answer.status_code, answer.json()) == (413, too_large)
    answer = client.post(path, json=asks("Hi"), headers={"X-Service-Transforms": "IBAN"})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_transforms")
    for body in (b'{"messages": ["\xff"]}', b"[]", b'{"messages": [], "messages": []}', b"{}", b'{"messages": {}}'):
        answer = client.post(path, content=body)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_body")
    answer = client.post(path, json=asks("word " * 10_001))
    money = {
        "message": "Free quota and paid balance do not cover the call.",
        "needed_tokens": 10_001,
        "available_tokens": 10_000,
        "topup_url": "/billing",
    }
    assert (answer.status_code, answer.json()) == (402, {"error": "insufficient_tokens", **money})
    answer = client.post(path, json=asks("Hi"), headers={"Authorization": "Bearer mk_live_x"})
    words = "Malformed authentication token"
    refusal = {"error": "unauthorized", "message": words, "detail": words}
    assert (answer.status_code, answer.json()) == (401, refusal)
    assert not provider.turns
    provider.begin(lambda turn: turn.die())
    answer = client.post(path, json=asks("Hi"))
    unreachable = {
        "error": "provider_unreachable",
        "message": "The provider gave no answer, half of one, or a redirect.",
    }
    assert (answer.status_code, answer.json()) == (502, unreachable)


@pytest.mark.clause("PROXY-12", "PROXY-32", "PROXY-33")
@BOTH
def test_money(client: httpx.Client, served: Served, account: Account, provider: ScriptedProvider, path: str) -> None:
    before = served.balance(account)
    provider.begin(lambda turn: turn.die())
    assert client.post(path, json=asks(f"four words with {EMAIL}")).status_code == 502
    assert (served.balance(account), len(provider.turns)) == (before, 1)

    def refuses(turn: Turn) -> None:
        turn.send(400 if is_anthropic(turn) else 503, json.dumps({"error": {"message": said(turn)}}).encode())

    provider.begin(refuses)
    answer = client.post(path, json=asks(f"four words with {EMAIL}"))
    assert answer.status_code == (400 if path == ANTHROPIC else 503)
    assert answer.json() == {"error": {"message": f"four words with {EMAIL}"}}
    assert (served.balance(account), len(provider.turns)) == (before - 4, 1)


@pytest.mark.clause("MASK-24")
def test_the_same_value_has_the_same_token(client: httpx.Client, served: Served, provider: ScriptedProvider) -> None:
    for path in (ANTHROPIC, OPENAI, OPENAI):
        client.post(path, json=asks(f"Write to {EMAIL}"))
    masked = client.post("/api/v1/mask", json={"text": f"Write to {EMAIL}"}).json()["masked_text"]
    assert {said(turn) for turn in provider.turns} == {masked}


@pytest.mark.clause("PROXY-22")
def test_attachments(client: httpx.Client, provider: ScriptedProvider) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    body = {"model": "m", "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}]}
    answer = client.post(ANTHROPIC, json=body)
    assert (answer.status_code, answer.json()["error"]) == (400, "attachment_not_supported")
    assert not provider.turns
    assert client.post(ANTHROPIC, json=body, headers={"X-Service-Allow-Attachments": "true"}).status_code == 200
    assert provider.turn.json["messages"][0]["content"][0]["source"] == source
    link = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    provider.begin(parrot)
    assert client.post(OPENAI, json={"messages": [{"role": "user", "content": [link]}]}).status_code == 200
    assert provider.turn.json["messages"][0]["content"] == [link]
