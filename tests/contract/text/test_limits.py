"""Lengths of texts, and what the calls say of themselves."""

import httpx
import pytest

from api.description.document import describe
from schemas.text import MaskRequest, MaskResponse, RedactRequest, RedactResponse
from tests.api.serving import Served

PATHS = ["/api/v1/mask", "/api/v1/redact"]
# Besides what the interface names: too large (decisions), and too slow (HTTP's own).
MORE = {"408", "413"}


@pytest.mark.clause("MASK-06")
@pytest.mark.parametrize("path", PATHS)
def test_the_length_of_a_text(client: httpx.Client, served: Served, path: str) -> None:
    assert client.post(path, json={"text": ""}).status_code == 422
    assert client.post(path, json={"text": "x"}).status_code == 200
    with served.client(served.account(paid_tokens=50_000)) as rich:
        answer = rich.post(path, json={"text": "كلمة noura@example.com " * 20_000})
    assert answer.status_code == 200


@pytest.mark.clause("MASK-06")
def test_a_long_text_is_masked_whole(client: httpx.Client) -> None:
    text = "a@example.com" + "\u200b" * 200_000 + " b@example.com"
    assert client.post("/api/v1/mask", json={"text": text}).json()["pii_count"] == 2


@pytest.mark.clause("MASK-37", "REDACT-12")
@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/api/v1/mask", {"200", "400", "401", "402", "403", "404", "422", "429", "500", "503"}),
        ("/api/v1/redact", {"200", "400", "401", "402", "403", "404", "422", "429", "500", "503"}),
    ],
)
def test_the_statuses_of_the_text_calls(served: Served, path: str, named: set[str]) -> None:
    described = describe(served.app)
    operation = described["paths"][path]["post"]
    assert set(operation["responses"]) == named | MORE
    request, response = (MaskRequest, MaskResponse) if path.endswith("mask") else (RedactRequest, RedactResponse)
    schemas = described["components"]["schemas"]
    assert operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith(f"/{request.__name__}")
    assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith(response.__name__)
    assert set(schemas[request.__name__]["properties"]) == set(request.model_fields)
    assert schemas[request.__name__]["required"] == ["text"]


@pytest.mark.clause("RUN-01", "RUN-02")
def test_health_needs_no_credentials(served: Served) -> None:
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Cookie": "masker_session=nonsense"}):
        live = httpx.get(f"{served.url}/api/v1/health", headers=headers)
        assert (live.status_code, live.json().keys()) == (200, {"status", "version"})
        ready = httpx.get(f"{served.url}/api/v1/health/ready", headers=headers)
        assert ready.status_code == 200
        assert ready.json() == {
            "status": "ok",
            "checks": {"database": "ok", "broker": "ok", "object_store": "ok"},
        }


@pytest.mark.clause("HTTP-36")
def test_health_and_pages_are_not_rate_limited(served: Served, client: httpx.Client) -> None:
    """None of them counts."""
    limit = served.services.settings.rate_limit_per_minute
    for path in ("/api/v1/health", "/docs/reference.css"):
        assert {client.get(path).status_code for _ in range(limit + 1)} == {200}
    assert client.post("/api/v1/mask", json={"text": "x"}).status_code == 200


@pytest.mark.clause("MASK-01", "REDACT-01", "REDACT-02")
def test_what_the_service_is_for(client: httpx.Client) -> None:
    text = "نورة سالم المثالي (Noura Salem Almithali), 1000000008, 2000000006, SA0380000000608010167519, 0501234567"
    masked = client.post("/api/v1/mask", json={"text": text}).json()
    assert [span["type"] for span in masked["spans"]] == [
        "PERSON", "PERSON", "NATIONAL_ID", "RESIDENCE_PERMIT", "IBAN", "PHONE_NUMBER",
    ]  # fmt: skip
    answer = client.post("/api/v1/redact", json={"text": text}).json()
    assert answer["redacted_text"] == (
        "PERSON_NAME_01 (PERSON_NAME_02), NATIONAL_ID_01, RESIDENCE_PERMIT_01, IBAN_01, PHONE_01"
    )
    assert not {"ciphertext", "mappings", "wrapped_dek"} & answer.keys()
