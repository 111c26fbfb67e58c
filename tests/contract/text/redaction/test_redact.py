"""`POST /api/v1/redact`, sentence by sentence of the interface."""

import re

import httpx
import pytest

FIELDS = {
    "redacted_text", "pii_count", "entity_counts", "generalized_count", "request_id", "processing_time_ms",
    "judge_used", "judge_model",
}  # fmt: skip


def redact(client: httpx.Client, text: str, **more: object) -> dict[str, object]:
    answer = client.post("/api/v1/redact", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.clause("REDACT-11")
def test_the_answer_has_every_field_and_no_other(client: httpx.Client) -> None:
    """The table of the redact response."""
    answer = redact(client, "0501234567")
    assert answer.keys() == FIELDS
    assert re.fullmatch(r"redact_[0-9a-f]{8}", str(answer["request_id"]))
    assert (answer["judge_used"], answer["judge_model"]) == (False, None)


@pytest.mark.clause("REDACT-14", "REDACT-16")
def test_placeholders_are_numbered_per_type_from_01(client: httpx.Client) -> None:
    text = "a@example.com 0501234567 b@example.com a@example.com"
    for _ in range(2):
        assert redact(client, text)["redacted_text"] == "EMAIL_01 PHONE_01 EMAIL_02 EMAIL_01"


@pytest.mark.clause("REDACT-05", "REDACT-06")
def test_counts_are_of_distinct_values_by_prefix(client: httpx.Client) -> None:
    answer = redact(client, "a@example.com a@example.com a@example.com 1000000008 ١٠٠٠٠٠٠٠٠٨")
    assert answer["pii_count"] == 2
    assert answer["entity_counts"] == {"EMAIL": 1, "NATIONAL_ID": 1}
    assert answer["generalized_count"] == 0


@pytest.mark.clause("REDACT-09", "GENERAL-08")
def test_generalization_is_opt_in(client: httpx.Client) -> None:
    text = "Invoice of 02/17/2025"
    assert redact(client, text)["redacted_text"] == "Invoice of DATE_01"
    answer = redact(client, text, transforms={"DATE_TIME": "generalize"})
    assert answer["redacted_text"] == "Invoice of 2025"
    assert (answer["generalized_count"], answer["pii_count"], answer["entity_counts"]) == (1, 1, {"DATE": 1})


@pytest.mark.clause("HTTP-04", "GENERAL-02")
@pytest.mark.parametrize(
    "transforms",
    [
        {"PERSON": "generalize"},
        {"date_time": "generalize"},
        {"DATE_TIME": "mask"},
        {"DATE_TIME": None},
        ["DATE_TIME"],
        "DATE_TIME",
        {"secret-word": "generalize"},
    ],
)
def test_bad_transforms(client: httpx.Client, transforms: object) -> None:
    answer = client.post("/api/v1/redact", json={"text": "x", "transforms": transforms})
    assert answer.status_code == 422
    assert all(item.keys() == {"type", "loc", "msg"} for item in answer.json()["detail"])
    assert "secret-word" not in answer.text and "PERSON" not in answer.text
