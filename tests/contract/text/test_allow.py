"""The allow-list of `/mask`, `/redact` and files: surfaces that the caller wants to stay."""

import csv
from io import StringIO
from typing import Any

import httpx
import pytest

from schemas.entities import TOGGLABLE_TYPES
from tests.api.polling import ended
from tests.api.serving import Account, Served

TEXT = "Mr. Noura Almithali, 050-123-4567, noura@example.com, ID 1000000008"
FIELDS = {
    "masked_text", "ciphertext", "nonce_payload", "wrapped_dek", "nonce_dek", "pii_count", "spans", "request_id",
    "processing_time_ms", "judge_used", "judge_model", "mappings",
}  # fmt: skip


def entry(term: str, **more: Any) -> dict[str, Any]:
    return {"term": term, "action": "allow", **more}


def saved(client: httpx.Client, *entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = client.post("/v1/glossaries", json={"name": "ours", "entries": entries, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def found(client: httpx.Client, text: str = TEXT, **more: Any) -> list[str]:
    answer = client.post("/api/v1/mask", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return [text[span["start"] : span["end"]] for span in answer.json()["spans"]]


def everything_on(client: httpx.Client) -> None:
    assert client.put("/me/entities", json={"enabled": list(TOGGLABLE_TYPES)}).status_code == 200


@pytest.mark.clause("GLOSS-26", "GLOSS-27", "HTTP-42")
@pytest.mark.parametrize(
    ("allow", "left"),
    [
        ([], ["Noura Almithali", "050-123-4567", "noura@example.com", "1000000008"]),
        (["noura almithali"], ["050-123-4567", "noura@example.com", "1000000008"]),
        (["NOURA\u200b  ALMITHALI "], ["050-123-4567", "noura@example.com", "1000000008"]),
        (["٠٥٠١٢٣٤٥٦٧"], ["Noura Almithali", "noura@example.com", "1000000008"]),
        (["1000-0000 08", "NOURA@EXAMPLE.COM"], ["Noura Almithali", "050-123-4567"]),
        (["Noura"], ["Noura Almithali", "050-123-4567", "noura@example.com", "1000000008"]),
        (
            ["Almithali, 050", "example.com", "100000000", "ID 1000000008"],
            ["Noura Almithali", "050-123-4567", "noura@example.com", "1000000008"],
        ),
    ],
)  # fmt: skip
def test_inline(client: httpx.Client, allow: list[str], left: list[str]) -> None:
    """A detected span whose whole surface is listed is left alone, and no other."""
    assert found(client, allow=allow) == left
    redacted = client.post("/api/v1/redact", json={"text": TEXT, "allow": allow}).json()
    assert redacted["pii_count"] == len(left) == sum(redacted["entity_counts"].values())
    for surface in ("Noura Almithali", "050-123-4567", "noura@example.com", "1000000008"):
        assert (surface in redacted["redacted_text"]) is (surface not in left)


@pytest.mark.clause("GLOSS-26", "HTTP-42")
def test_an_answer_that_uses_none_of_it_is_as_specified(client: httpx.Client) -> None:
    made = saved(client, {"term": "Zephyr"}, {"term": "Mistral", "action": "mask"}, entry("Sirocco"))
    assert [one.keys() - {"action"} for one in made["entries"]] == [made["entries"][0].keys()] * 3
    assert ["action" in one for one in made["entries"]] == [False, False, True]
    assert made["entries"][2]["action"] == "allow"
    assert client.get("/v1/glossaries").json() == [made]
    mores: list[dict[str, Any]] = [{}, {"allow": None}, {"allow": []}, {"allow": ["x"]}]
    for more in mores:
        assert client.post("/api/v1/mask", json={"text": TEXT, **more}).json().keys() == FIELDS


@pytest.mark.clause("GLOSS-25")
@pytest.mark.parametrize("allow", [["x"] * 1001, [""], ["  "], ["x" * 201], [1], "x", {}, [None], [["x"]]])
def test_a_malformed_list(client: httpx.Client, allow: Any) -> None:
    """The same bounds hold here."""
    for path in ("mask", "redact"):
        answer = client.post(f"/api/v1/{path}", json={"text": TEXT, "allow": allow})
        assert answer.status_code == 422
        assert all(error["loc"][:2] == ["body", "allow"] for error in answer.json()["detail"])
        assert all(error.keys() == {"type", "loc", "msg"} for error in answer.json()["detail"])


@pytest.mark.clause("GLOSS-02", "GLOSS-27")
def test_never_against_a_term_that_says_mask(client: httpx.Client) -> None:
    assert found(client, "noura@example.com", glossary=["noura@example.com"], allow=["noura@example.com"]) != []
    saved(client, {"term": "Zephyr"}, entry("Zephyr"), entry("noura@example.com"))
    assert found(client, "Zephyr noura@example.com", allow=["zephyr"]) == ["Zephyr"]
    # What the term leaves of a name is a detection of its own.
    saved(client, {"term": "Noura"})
    assert found(client, "Mr. Noura Almithali") == ["Noura", "Almithali"]
    assert found(client, "Mr. Noura Almithali", allow=["Almithali"]) == ["Noura"]


@pytest.mark.clause("GLOSS-16", "GLOSS-17")
@pytest.mark.parametrize(
    ("one", "text", "left"),
    [
        (entry("Noura Almithali"), "Mr. NOURA ALMITHALI", []),
        (entry("Noura Almithali", case_sensitive=True), "Mr. NOURA ALMITHALI", ["NOURA ALMITHALI"]),
        (entry("Noura Almithali", case_sensitive=True), "Mr. Noura Almithali", []),
        (entry("Noura Almithali", locale="ar"), "Mr. Noura Almithali", ["Noura Almithali"]),
        (entry("Noura Almithali", locale="en"), "Mr. Noura Almithali", []),
        (entry("050 123 4567", match_mode="exact"), "call 0501234567", ["0501234567"]),
        (entry("0501234567", match_mode="exact"), "call 0501234567", []),
        (entry("0501234567", match_mode="exact"), "اتصل ٠٥٠١٢٣٤٥٦٧", ["٠٥٠١٢٣٤٥٦٧"]),
        (entry("0501234567"), "اتصل ٠٥٠١٢٣٤٥٦٧", []),
        (entry("0501234567", match_mode="substring"), "call 0501234567", []),
        (entry("050123456", match_mode="substring"), "call 0501234567", ["0501234567"]),
        (entry("محمد العتيبي"), "السيد مُحمّد العتيبي", []),
        (entry("محمد العتيبي", match_mode="exact"), "السيد مُحمّد العتيبي", ["مُحمّد العتيبي"]),
        (entry("Noura Almithali", entity_type="PERSON"), "Mr. Noura Almithali", []),
        (entry("Noura Almithali", entity_type="ADDRESS"), "Mr. Noura Almithali", ["Noura Almithali"]),
    ],
)
def test_an_entry_holds_by_its_own_rules(client: httpx.Client, one: dict[str, Any], text: str, left: list[str]) -> None:
    made = saved(client, one, enabled=False)
    assert found(client, text, glossary_id=made["id"]) == left
    assert found(client, text) != []
    assert client.patch(f"/v1/glossaries/{made['id']}", json={"enabled": True}).status_code == 200
    assert found(client, text) == left


@pytest.mark.clause("DETECT-10")
def test_what_an_allowed_span_outranked_does_not_come_back(client: httpx.Client) -> None:
    """Inside an allowed surface nothing of a lower rank is found either."""
    everything_on(client)
    text = "Mr. Riyadh Alharbi came"
    assert found(client, "He came to Riyadh today") == ["Riyadh"]
    assert found(client, text) == ["Riyadh Alharbi"]
    assert found(client, text, allow=["Riyadh Alharbi"]) == []


@pytest.mark.clause("DETECT-11", "GLOSS-27")
def test_a_span_that_reaches_out_of_an_allowed_one_stays_whole(client: httpx.Client) -> None:
    """What is allowed is the one surface, not what it is a part of."""
    everything_on(client)
    text = "Address: 7421 Prince Sultan Street, Riyadh 12345"
    (whole,) = found(client, text)
    assert "Riyadh" in whole
    assert found(client, text, allow=["Riyadh", "Prince Sultan"]) == [whole]
    assert found(client, text, allow=[whole]) == []


@pytest.mark.clause("FILE-39", "GLOSS-11")
def test_files(working: Served) -> None:
    rows = [
        ["name", "phone", "note"],
        ["Noura Almithali", "0501234567", "Zephyr"],
        ["Fahad Alotaibi", "0559876543", "x"],
    ]
    data = "\r\n".join(",".join(row) for row in rows).encode()
    with working.client() as client:
        saved(client, entry("Noura Almithali"), entry("055 987 6543"), {"term": "Zephyr"})
        upload = client.post("/api/v1/files/redact", files={"file": ("Noura Almithali.csv", data, "text/csv")})
        job = ended(client, upload.json())
        assert (job["state"], job["error_code"]) == ("ready", None)
        written = list(csv.reader(StringIO(client.get(job["download_url"]).content.decode())))
        assert written[1:] == [
            ["Noura Almithali", "PHONE_01", "CUSTOM_TERM_01"],
            ["PERSON_NAME_01", "0559876543", "x"],
        ]
        disposition = client.get(job["download_url"]).headers["content-disposition"]
        assert "Noura" in disposition


@pytest.mark.clause("FILE-04")
def test_files_are_never_filtered_by_toggles(working: Served) -> None:
    """A disabled glossary applies to the file that names it."""
    data = b"host,id,project\r\n203.0.113.7,1000000009,lot B-7\r\n"
    with working.client() as client:
        assert client.put("/me/entities", json={"enabled": ["IBAN"]}).status_code == 200
        made = saved(client, {"term": "lot B-7"}, enabled=False)
        for fields, project in (({}, "lot B-7"), ({"glossary_id": made["id"]}, "CUSTOM_TERM_01")):
            upload = client.post("/api/v1/files/redact", files={"file": ("a.csv", data, "text/csv")}, data=fields)
            job = ended(client, upload.json())
            written = list(csv.reader(StringIO(client.get(job["download_url"]).content.decode())))
            assert written[1] == ["IP_01", "NATIONAL_ID_01", project]


@pytest.mark.clause("HTTP-05")
@pytest.mark.parametrize("characters", [20_000, 40_000])
def test_terms_that_overlap_without_end_are_refused(
    client: httpx.Client, served: Served, account: Account, characters: int
) -> None:
    """A list of a, aa, aaa, ... over a text of a's would take minutes; nothing is charged."""
    made = saved(client, *({"term": "a" * length, "match_mode": "substring"} for length in range(1, 201)))
    before = served.balance(account)
    answer = client.post("/api/v1/mask", json={"text": "a" * characters})
    assert answer.status_code == 422
    (error,) = answer.json()["detail"]
    assert (error.keys(), error["type"]) == ({"type", "loc", "msg"}, "glossary_too_dense")
    assert served.balance(account) == before
    assert found(client, "banana") == ["a", "a", "a"]
    assert client.get(f"/v1/glossaries/{made['id']}").status_code == 200
