"""`"explain": true`: what made each entity, in the answers of `/mask` and `/redact`, and nothing without it."""

import httpx
import pytest

from api.engine.scheduler import LARGE_CHARACTERS
from tests.api.serving import Served
from tests.contract.text.redaction.test_redact import FIELDS as REDACT_FIELDS
from tests.contract.text.test_mask import FIELDS as MASK_FIELDS

FIELDS = {"/api/v1/mask": MASK_FIELDS, "/api/v1/redact": REDACT_FIELDS}
PATHS = list(FIELDS)
TEXT = "\u200fDear Noor, ID 1000000008; passport A12345678 of Salman Alharbi"


def place(text: str, surface: str) -> dict[str, int]:
    return {"start": text.index(surface), "end": text.index(surface) + len(surface)}


@pytest.mark.clause("HTTP-42", "JUDGE-14")
@pytest.mark.parametrize("path", PATHS)
def test_without_it_the_answer_is_as_specified(client: httpx.Client, path: str) -> None:
    for more in ({}, {"explain": False}):
        assert client.post(path, json={"text": TEXT, **more}).json().keys() == FIELDS[path]
    assert client.post(path, json={"text": TEXT, "explain": True}).json().keys() == {*FIELDS[path], "explanations"}


@pytest.mark.clause("DETECT-02", "HTTP-42", "JUDGE-14", "JUDGE-15")
@pytest.mark.parametrize("path", PATHS)
def test_what_made_each_entity(client: httpx.Client, path: str) -> None:
    """One explanation per entity, by position."""
    answer = client.post(path, json={"text": TEXT, "explain": True, "glossary": ["Salman"]}).json()
    name = place(TEXT, "Salman Alharbi")
    assert answer["explanations"] == [
        {
            **place(TEXT, "Noor"), "type": "PERSON", "recognizer": "lexical", "score": 0.55,
            "why": {"shape": "words known as names", "check": None, "cue": place(TEXT, "Dear"), "outranked": []},
        },
        {
            **place(TEXT, "1000000008"), "type": "NATIONAL_ID", "recognizer": "identity", "score": 0.95,
            "why": {"shape": "10 digits, leading 1", "check": "luhn", "cue": None, "outranked": []},
        },
        {
            **place(TEXT, "A12345678"), "type": "PASSPORT", "recognizer": "passport", "score": 0.85,
            "why": {
                "shape": "document number, beside a label", "check": None, "cue": place(TEXT, "passport"),
                "outranked": [],
            },
        },
        {
            **place(TEXT, "Salman"), "type": "CUSTOM_TERM", "recognizer": "glossary", "score": 1.0,
            "why": {
                "shape": "term of a glossary", "check": None, "cue": None, "outranked": [{**name, "type": "PERSON"}],
            },
        },
        {
            **place(TEXT, "Alharbi"), "type": "PERSON", "recognizer": "lexical", "score": 0.7,
            "why": {"shape": "words known as names", "check": None, "cue": None, "outranked": []},
        },
    ]  # fmt: skip


@pytest.mark.clause("JUDGE-14")
@pytest.mark.parametrize("path", PATHS)
def test_an_explanation_repeats_no_value(client: httpx.Client, path: str) -> None:
    answer = client.post(path, json={"text": TEXT, "explain": True}).json()
    shown = str(answer["explanations"])
    assert not any(value in shown for value in ("Noor", "1000000008", "A12345678", "Salman", "Alharbi", "Dear"))


@pytest.mark.clause("HTTP-05")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("explain", ["true", 1, None, [True], {}])
def test_a_wrong_wish_is_refused(client: httpx.Client, path: str, explain: object) -> None:
    answer = client.post(path, json={"text": TEXT, "explain": explain})
    assert answer.status_code == 422
    assert [item["loc"] for item in answer.json()["detail"]] == [["body", "explain"]]


@pytest.mark.clause("HTTP-42", "JUDGE-14")
@pytest.mark.parametrize("path", PATHS)
def test_nothing_found_is_an_empty_list(client: httpx.Client, path: str) -> None:
    assert client.post(path, json={"text": "nothing here", "explain": True}).json()["explanations"] == []


@pytest.mark.clause("JUDGE-15", "MASK-06")
def test_a_large_text_explains_itself_as_a_small_one(client: httpx.Client, served: Served) -> None:
    text = "MRN 664120. " + "word " * (LARGE_CHARACTERS // 5)
    with served.client(served.account(paid_tokens=60_000)) as rich:
        rich.put("/me/entities", json={"enabled": ["MRN"]}).raise_for_status()
        answer = rich.post("/api/v1/mask", json={"text": text, "explain": True}).json()
    assert [(item["start"], item["why"]["cue"]) for item in answer["explanations"]] == [(4, {"start": 0, "end": 3})]


@pytest.mark.clause("GENERAL-03")
def test_generalized_values_are_explained_too(client: httpx.Client) -> None:
    body = {"text": "Invoice of 02/17/2025", "explain": True, "transforms": {"DATE_TIME": "generalize"}}
    answer = client.post("/api/v1/redact", json=body).json()
    assert answer["redacted_text"] == "Invoice of 2025"
    assert [(item["start"], item["end"], item["type"]) for item in answer["explanations"]] == [(11, 21, "DATE_TIME")]
