"""`"min_score"`: entities with a lower score stay in the text, except terms and numbers whose check digits hold."""

import httpx
import pytest

from api.engine.scheduler import LARGE_CHARACTERS
from tests.api.serving import Served

PATHS = ["/api/v1/mask", "/api/v1/redact"]
TEXT = "Dear Noor, ID 1000000008, call 0501234567, project Falcon"  # scores: 0.55, 0.95, below 1, a term


def found(answer: httpx.Response) -> dict[str, float]:
    assert answer.status_code == 200, answer.text
    return {item["type"]: item["score"] for item in answer.json()["explanations"]}


@pytest.mark.clause("DETECT-40")
@pytest.mark.parametrize("path", PATHS)
def test_a_lower_score_is_left_out(client: httpx.Client, path: str) -> None:
    asked = {"text": TEXT, "explain": True, "glossary": ["Falcon"]}
    scores = found(client.post(path, json=asked))
    assert scores.keys() == {"PERSON", "NATIONAL_ID", "PHONE_NUMBER", "CUSTOM_TERM"}
    exactly = {**asked, "min_score": scores["PERSON"]}
    assert found(client.post(path, json=exactly)) == scores
    above = {**asked, "min_score": scores["PERSON"] + 0.01}
    assert found(client.post(path, json=above)).keys() == {"NATIONAL_ID", "PHONE_NUMBER", "CUSTOM_TERM"}
    assert found(client.post(path, json={**asked, "min_score": 1})).keys() == {"NATIONAL_ID", "CUSTOM_TERM"}


@pytest.mark.clause("DETECT-40")
def test_a_large_text_too(client: httpx.Client, served: Served) -> None:
    text = f"{TEXT}. " + "word " * (LARGE_CHARACTERS // 5)
    with served.client(served.account(paid_tokens=60_000)) as rich:
        answer = rich.post("/api/v1/redact", json={"text": text, "explain": True, "min_score": 1})
    assert found(answer).keys() == {"NATIONAL_ID"}


@pytest.mark.clause("HTTP-05")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("score", ["0.5", True, None, -0.1, 1.1, [0.5]])
def test_a_wrong_score_is_refused(client: httpx.Client, path: str, score: object) -> None:
    answer = client.post(path, json={"text": TEXT, "min_score": score})
    assert answer.status_code == 422
    assert {tuple(item["loc"][:2]) for item in answer.json()["detail"]} == {("body", "min_score")}
