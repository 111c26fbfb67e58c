"""`"min_score"` of a request, else of its account: entities with a lower score stay in the text, except terms and
numbers whose check digits hold.
"""

from typing import Any

import httpx
import pytest

from api.engine.scheduler import LARGE_CHARACTERS
from tests.api.serving import Account, Served

PATHS = ["/api/v1/mask", "/api/v1/redact"]
ENTITIES = "/me/entities"
TYPES = ["PERSON", "NATIONAL_ID", "PHONE_NUMBER"]
TEXT = "Dear Noor, ID 1000000008, call 0501234567, project Falcon"  # scores: 0.55, 0.95, below 1, a term

JSON = {"Content-Type": "application/json"}
WRONG = pytest.mark.parametrize(
    "score", ['"0.5"', "true", "false", "-0.1", "1.1", "[0.5]", "{}", "NaN", "Infinity", "-Infinity", "1e400"]
)


def refused(answer: httpx.Response) -> None:
    assert answer.status_code == 422
    assert {tuple(item["loc"][:2]) for item in answer.json()["detail"]} == {("body", "min_score")}


def found(answer: httpx.Response) -> dict[str, float]:
    assert answer.status_code == 200, answer.text
    return {item["type"]: item["score"] for item in answer.json()["explanations"]}


def save(client: httpx.Client, **body: Any) -> Any:
    """Saves the types and what else is given, and returns the score that the answer has."""
    answer = client.put(ENTITIES, json={"enabled": TYPES, **body})
    assert answer.status_code == 200, answer.text
    assert client.get(ENTITIES).json() == answer.json()
    return answer.json()["min_score"]


def types_found(client: httpx.Client, path: str, **more: Any) -> set[str]:
    return set(found(client.post(path, json={"text": TEXT, "explain": True, **more})))


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
@WRONG
def test_a_wrong_score_is_refused(client: httpx.Client, path: str, score: str) -> None:
    refused(client.post(path, content=f'{{"text": "x", "min_score": {score}}}', headers=JSON))


@pytest.mark.clause("ACCT-11", "ACCT-22", "DETECT-42")
def test_an_account_has_none_until_it_sets_one(client: httpx.Client) -> None:
    assert client.get(ENTITIES).json()["min_score"] == 0
    assert save(client) == 0
    assert save(client, min_score=0.75) == 0.75
    for unchanged in ({}, {"min_score": None}):
        assert save(client, **unchanged) == 0.75
    assert save(client, min_score=1) == 1
    assert save(client, min_score=0) == 0


@pytest.mark.clause("ACCT-20", "DETECT-42")
@pytest.mark.parametrize("path", PATHS)
def test_that_of_the_account_holds_from_the_next_request(client: httpx.Client, served: Served, path: str) -> None:
    with served.client() as other:
        for score, types in ((0, set(TYPES)), (0.75, {"NATIONAL_ID", "PHONE_NUMBER"}), (1, {"NATIONAL_ID"})):
            for set_to in (score, 0, score):
                save(client, min_score=set_to)
                assert types_found(client, path) == (types if set_to else set(TYPES))
            assert types_found(other, path) == set(TYPES)
            assert other.get(ENTITIES).json()["min_score"] == 0


@pytest.mark.clause("DETECT-40", "DETECT-42")
@pytest.mark.parametrize("path", PATHS)
def test_that_of_a_request_comes_first(client: httpx.Client, path: str) -> None:
    save(client, min_score=0.75)
    assert types_found(client, path, min_score=1) == {"NATIONAL_ID"}
    assert types_found(client, path, min_score=0.1) == set(TYPES)
    assert types_found(client, path, min_score=0) == set(TYPES)
    assert types_found(client, path, min_score=None) == types_found(client, path) == {"NATIONAL_ID", "PHONE_NUMBER"}
    assert client.get(ENTITIES).json()["min_score"] == 0.75


@pytest.mark.clause("DETECT-42")
def test_it_holds_for_every_key_and_for_the_session(served: Served, account: Account) -> None:
    with served.browser(account) as page:
        save(page, min_score=1)
        key = page.post("/v1/keys", json={"name": "second"}).json()
        with served.client(Account(account.id, key["key"])) as second:
            answer = page.put(f"/v1/keys/{key['id']}/entities", json={"override": TYPES})
            assert answer.status_code == 200
            for score, types in ((1, {"NATIONAL_ID"}), (0, set(TYPES))):
                save(page, min_score=score)
                assert types_found(page, PATHS[0]) == types_found(second, PATHS[0]) == types


@pytest.mark.clause("ACCT-22")
@WRONG
def test_a_wrong_score_of_an_account_is_refused(client: httpx.Client, score: str) -> None:
    save(client, min_score=0.5)
    before = client.get(ENTITIES).json()
    refused(client.put(ENTITIES, content=f'{{"enabled": ["IBAN"], "min_score": {score}}}', headers=JSON))
    assert client.get(ENTITIES).json() == before
