"""`/v1/glossaries`, sentence by sentence of the interface."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import text as sql

from schemas.entities import EntityType
from storage.opening import Storage
from tests.api.serving import Account, Served, serving, settings_for

PATH = "/v1/glossaries"
PLAIN = {
    "term": "Zephyr",
    "entity_type": "CUSTOM_TERM",
    "match_mode": "word_boundary",
    "case_sensitive": False,
    "locale": None,
}
NOT_FOUND = (404, {"detail": "Glossary not found"})


def entry(term: str = "Zephyr", **more: Any) -> dict[str, Any]:
    return {**PLAIN, "term": term, **more}


def created(client: httpx.Client, *terms: str, **more: Any) -> dict[str, Any]:
    body = {"name": "ours", "entries": [{"term": term} for term in terms], **more}
    answer = client.post(PATH, json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def surfaces(client: httpx.Client, text: str, **more: Any) -> list[str]:
    answer = client.post("/api/v1/mask", json={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return [text[span["start"] : span["end"]] for span in answer.json()["spans"]]


@pytest.mark.clause("GLOSS-04", "GLOSS-09", "GLOSS-10", "HTTP-14")
def test_create(client: httpx.Client) -> None:
    answer = client.post(PATH, json={"name": "Projects", "entries": [{"term": "Zephyr"}]})
    assert answer.status_code == 201
    made = answer.json()
    assert made.keys() == {"id", "name", "enabled", "entries", "created_at", "updated_at"}
    assert str(UUID(made["id"])) == made["id"]
    assert (made["name"], made["enabled"], made["entries"]) == ("Projects", True, [PLAIN])
    assert made["created_at"] == made["updated_at"]
    assert made["created_at"].endswith("Z")
    assert datetime.fromisoformat(made["created_at"]).utcoffset() is not None
    assert created(client, "Mistral", enabled=False)["enabled"] is False


@pytest.mark.clause("GLOSS-01", "GLOSS-03", "GLOSS-05", "GLOSS-09")
def test_read_and_list(client: httpx.Client) -> None:
    assert client.get(PATH).json() == []
    made = [created(client, term) for term in ("Zephyr", "Mistral", "Sirocco")]
    assert client.get(PATH).json() == made
    for one in made:
        answer = client.get(f"{PATH}/{one['id']}")
        assert (answer.status_code, answer.json()) == (200, one)


@pytest.mark.clause("GLOSS-14", "GLOSS-18", "GLOSS-19")
def test_every_field_of_an_entry(client: httpx.Client) -> None:
    entries = [
        entry("مشروع الفنار", entity_type="ORGANIZATION", match_mode="exact", case_sensitive=True, locale="ar"),
        entry("Falcon", match_mode="substring", locale="en"),
        *(entry(f"t{number}", entity_type=type_.value) for number, type_ in enumerate(EntityType)),
    ]
    answer = client.post(PATH, json={"name": "all", "entries": entries})
    assert answer.json()["entries"] == entries
    assert client.get(f"{PATH}/{answer.json()['id']}").json()["entries"] == entries


@pytest.mark.clause("GLOSS-06")
def test_change_any_of_its_fields(client: httpx.Client) -> None:
    made = created(client, "Zephyr")
    seen = [made]
    for change in ({"name": "renamed"}, {"enabled": False}, {"entries": [entry("Mistral")]}, {"entries": []}):
        answer = client.patch(f"{PATH}/{made['id']}", json=change)
        assert answer.status_code == 200
        expected = {**seen[-1], **change, "updated_at": answer.json()["updated_at"]}
        assert answer.json() == expected == client.get(f"{PATH}/{made['id']}").json()
        assert answer.json()["updated_at"] > seen[-1]["updated_at"]
        seen.append(expected)
    answer = client.patch(f"{PATH}/{made['id']}", json={})
    assert (answer.status_code, answer.json()) == (200, seen[-1])


@pytest.mark.clause("GLOSS-07")
def test_replace_entries(client: httpx.Client) -> None:
    made = created(client, "lot A-7", "lot B-7")
    answer = client.patch(f"{PATH}/{made['id']}/entries", json={"entries": [{"term": "lot C-7"}]})
    assert (answer.status_code, answer.json()["entries"]) == (200, [entry("lot C-7")])
    assert answer.json()["name"] == "ours"
    assert surfaces(client, "lot A-7, lot B-7, lot C-7") == ["lot C-7"]
    assert client.patch(f"{PATH}/{made['id']}/entries", json={}).status_code == 422


@pytest.mark.clause("GLOSS-08")
def test_delete(client: httpx.Client) -> None:
    made = created(client, "Zephyr")
    assert surfaces(client, "the Zephyr plan") == ["Zephyr"]
    answer = client.delete(f"{PATH}/{made['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert surfaces(client, "the Zephyr plan") == []
    assert client.get(PATH).json() == []
    for again in (client.delete(f"{PATH}/{made['id']}"), client.get(f"{PATH}/{made['id']}")):
        assert (again.status_code, again.json()) == NOT_FOUND


@pytest.mark.clause("GLOSS-22", "HTTP-09")
@pytest.mark.parametrize("path", ["", "/entries"])
def test_what_is_not_yours_is_not_there(client: httpx.Client, served: Served, path: str) -> None:
    with served.client() as other:
        theirs = created(other, "Zephyr")
        for id_ in (theirs["id"], str(uuid4()), "no-uuid", "%00", "ï", theirs["id"] + "0", "1" * 500):
            where = f"{PATH}/{id_}{path}"
            calls = [client.patch(where, json={"entries": []})]
            if not path:
                calls += [client.get(where), client.delete(where), client.patch(where, json={"name": "x"})]
            assert [(answer.status_code, answer.json()) for answer in calls] == [NOT_FOUND] * len(calls)
        assert other.get(f"{PATH}/{theirs['id']}").json() == theirs
    assert client.get(PATH).json() == []


@pytest.mark.clause("AUTH-12", "GLOSS-22")
def test_no_credentials(served: Served) -> None:
    id_ = uuid4()
    calls = [
        ("GET", ""),
        ("POST", ""),
        ("GET", f"/{id_}"),
        ("PATCH", f"/{id_}"),
        ("DELETE", f"/{id_}"),
        ("PATCH", f"/{id_}/entries"),
    ]
    for method, path in calls:
        answer = httpx.request(method, served.url + PATH + path)
        assert (answer.status_code, answer.json()) == (401, {"detail": "Missing authentication"})


@pytest.mark.clause("AUTH-07")
def test_a_browser_session_does_as_well(served: Served, account: Account) -> None:
    with served.browser(account) as browser:
        made = created(browser, "Zephyr")
        assert browser.get(PATH).json() == [made]
        assert browser.delete(f"{PATH}/{made['id']}").status_code == 204


@pytest.fixture
def elsewhere(database_url: str, tmp_path: Path) -> Iterator[Served]:
    """A server over a database of each kind."""
    settings = settings_for(tmp_path / "data").model_copy(update={"database_url": database_url})
    storage = Storage.open(settings)
    with serving(settings, storage) as server:
        yield server
    storage.close()


@pytest.mark.clause("GLOSS-20")
def test_ten_per_account_however_they_come(elsewhere: Served) -> None:
    with elsewhere.client() as client, elsewhere.client() as other, ThreadPoolExecutor(8) as threads:
        for number in range(9):
            created(client, f"t{number}")
        answers = list(threads.map(lambda n: client.post(PATH, json={"name": str(n), "entries": []}), range(8)))
        assert sorted(answer.status_code for answer in answers) == [201] + [422] * 7
        for refused in (answer for answer in answers if answer.status_code == 422):
            (error,) = refused.json()["detail"]
            assert error.keys() == {"type", "loc", "msg"}
            assert (error["type"], error["loc"]) == ("max_glossaries_reached", ["body"])
        mine = client.get(PATH).json()
        assert len(mine) == 10
        created(other, "x")
        assert client.delete(f"{PATH}/{mine[0]['id']}").status_code == 204
        created(client, "again")


@pytest.mark.clause("GLOSS-20")
def test_none_slips_in_between_counting_and_writing(postgres_url: str, tmp_path: Path) -> None:
    """Creators who all come while nobody can write are still counted one after the other."""
    settings = settings_for(tmp_path / "data").model_copy(update={"database_url": postgres_url})
    storage = Storage.open(settings)
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with (
        closing(storage),
        serving(settings, storage) as server,
        server.client() as client,
        ThreadPoolExecutor(4) as threads,
    ):
        for number in range(9):
            created(client, f"t{number}")
        with storage.database.engine.connect() as gate, gate.begin():
            gate.execute(sql("LOCK TABLE glossaries IN SHARE MODE"))  # readers pass, writers wait
            calls = [threads.submit(client.post, PATH, json={"name": "n", "entries": []}) for _ in range(4)]
            with storage.database.engine.connect() as watch:
                while watch.execute(sql(waiting)).scalar_one() < len(calls):
                    watch.rollback()  # so that the next look sees what is new
        assert sorted(call.result().status_code for call in calls) == [201, 422, 422, 422]
        assert len(client.get(PATH).json()) == 10


@pytest.mark.clause("GLOSS-20", "GLOSS-21")
def test_a_thousand_entries(client: httpx.Client) -> None:
    many = [{"term": f"term-{number}"} for number in range(1001)]
    made = client.post(PATH, json={"name": "n", "entries": many[:1000]})
    assert made.status_code == 201 and len(made.json()["entries"]) == 1000
    where = f"{PATH}/{made.json()['id']}"
    for answer in (
        client.post(PATH, json={"name": "n", "entries": many}),
        client.patch(where, json={"entries": many}),
        client.patch(f"{where}/entries", json={"entries": many}),
    ):
        assert answer.status_code == 422
        (error,) = answer.json()["detail"]
        assert (error["type"], error["loc"]) == ("too_long", ["body", "entries"])
    assert client.get(where).json() == made.json()
    assert surfaces(client, "see term-0, term-999 and term-1000") == ["term-0", "term-999"]


WRONG = [
    ({"entries": []}, ["body", "name"]),
    ({"name": "n"}, ["body", "entries"]),
    ({"name": None, "entries": []}, ["body", "name"]),
    ({"name": 7, "entries": []}, ["body", "name"]),
    ({"name": "  ", "entries": []}, ["body", "name"]),
    ({"name": "n" * 201, "entries": []}, ["body", "name"]),
    ({"name": "a\x00b", "entries": []}, ["body", "name"]),
    ({"name": "n", "entries": None}, ["body", "entries"]),
    ({"name": "n", "entries": {}}, ["body", "entries"]),
    ({"name": "n", "entries": [], "enabled": "yes"}, ["body", "enabled"]),
    ({"name": "n", "entries": [], "enabled": None}, ["body", "enabled"]),
    ({"name": "n", "entries": ["Zephyr-7"]}, ["body", "entries", 0]),
    ({"name": "n", "entries": [{}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": ""}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": "ok"}, {"term": " \t\n"}]}, ["body", "entries", 1, "term"]),
    ({"name": "n", "entries": [{"term": 1012345672}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": "Zephyr-7" * 26}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": "Zephyr\x00-7"}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": "\u200b\u0640\u064e"}]}, ["body", "entries", 0, "term"]),
    ({"name": "n", "entries": [{"term": "x", "entity_type": "IQAMA-7"}]}, ["body", "entries", 0, "entity_type"]),
    ({"name": "n", "entries": [{"term": "x", "entity_type": "person"}]}, ["body", "entries", 0, "entity_type"]),
    ({"name": "n", "entries": [{"term": "x", "entity_type": None}]}, ["body", "entries", 0, "entity_type"]),
    ({"name": "n", "entries": [{"term": "x", "match_mode": "regex-7"}]}, ["body", "entries", 0, "match_mode"]),
    ({"name": "n", "entries": [{"term": "x", "case_sensitive": 1}]}, ["body", "entries", 0, "case_sensitive"]),
    ({"name": "n", "entries": [{"term": "x", "locale": "fr"}]}, ["body", "entries", 0, "locale"]),
    ({"name": "n", "entries": [{"term": "x", "locale": "EN"}]}, ["body", "entries", 0, "locale"]),
    ({"name": "n", "entries": [{"term": "x", "action": "drop-7"}]}, ["body", "entries", 0, "action"]),
    ([], ["body"]),
    ("n", ["body"]),
    (None, ["body"]),
]  # fmt: skip


@pytest.mark.clause("GLOSS-09", "GLOSS-13", "GLOSS-14", "HTTP-04")
@pytest.mark.parametrize(("body", "loc"), WRONG)
def test_a_malformed_glossary(client: httpx.Client, body: Any, loc: list[Any]) -> None:
    answer = client.post(PATH, json=body)
    assert answer.status_code == 422
    assert [error["loc"] for error in answer.json()["detail"]] == [loc]
    assert all(error.keys() == {"type", "loc", "msg"} for error in answer.json()["detail"])
    for sent in ("Zephyr-7", "IQAMA-7", "regex-7", "drop-7", "1012345672"):
        assert sent not in answer.text
    assert client.get(PATH).json() == []


@pytest.mark.clause("HTTP-05")
@pytest.mark.parametrize(
    "change", [{"name": None}, {"enabled": None}, {"entries": None}, {"name": ""}, {"entries": [{}]}]
)
def test_a_malformed_change(client: httpx.Client, change: dict[str, Any]) -> None:
    made = created(client, "Zephyr")
    assert client.patch(f"{PATH}/{made['id']}", json=change).status_code == 422
    assert client.get(PATH).json() == [made]


@pytest.mark.clause("HTTP-17", "HTTP-22")
def test_bodies_that_no_client_means(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    deep = b"[" * 100_000
    odd = [
        b"",
        b"{",
        deep,
        b'{"name": "\\ud800", "entries": []}',
        b'{"name": "n", "entries": [{"term": "\\udfff"}]}',
        b"\xff\xfe",
    ]
    for body in odd:
        assert client.post(PATH, content=body, headers=headers).status_code == 422
    huge = client.post(PATH, content=b" " * 5_000_000, headers=headers)
    assert (huge.status_code, huge.json()) == (413, {"detail": "request_too_large"})
    assert client.get(PATH).json() == []


@pytest.mark.clause("GLOSS-21")
def test_the_longest_glossary_goes_through(served: Served, tmp_path: Path) -> None:
    more = {"entity_type": "RESIDENCE_PERMIT", "match_mode": "word_boundary", "action": "allow"}
    entries = [entry(f"{number:04d}" + "\U00010400" * 196, **more) for number in range(1000)]
    body = json.dumps({"name": "\U00010400" * 200, "entries": entries})
    with serving(settings_for(tmp_path)) as server, server.client() as client:
        answer = client.post(PATH, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 201
        assert client.get(PATH).json() == [answer.json()]


@pytest.mark.clause("GLOSS-07")
def test_repeated_entries_stay_as_they_were_sent(client: httpx.Client) -> None:
    """What comes back is what was sent, once trimmed."""
    made = created(client, "Zephyr", " Zephyr ", "zephyr")
    assert [one["term"] for one in made["entries"]] == ["Zephyr", "Zephyr", "zephyr"]
    assert surfaces(client, "ZEPHYR") == ["ZEPHYR"]


@pytest.mark.clause("HTTP-16")
def test_unknown_fields_are_ignored(client: httpx.Client) -> None:
    made = client.post(PATH, json={"name": "n", "id": "mine", "entries": [{"term": "Zephyr", "note": "x"}]})
    assert made.status_code == 201
    assert made.json()["entries"] == [PLAIN] and made.json()["id"] != "mine"


@pytest.mark.clause("GLOSS-06")
def test_changes_at_once_leave_one_of_them_whole(elsewhere: Served) -> None:
    """Never half of one change and half of another."""
    with elsewhere.client() as client, ThreadPoolExecutor(8) as threads:
        made = created(client, "x")

        def change(number: int) -> httpx.Response:
            entries = [entry(f"{number}-{index}") for index in range(50)]
            return client.patch(f"{PATH}/{made['id']}", json={"name": f"n{number}", "entries": entries})

        answers = list(threads.map(change, range(16)))
        assert all(answer.status_code == 200 for answer in answers)
        left = client.get(f"{PATH}/{made['id']}").json()
        number = left["name"].removeprefix("n")
        assert [one["term"] for one in left["entries"]] == [f"{number}-{index}" for index in range(50)]
        assert left in [answer.json() for answer in answers]


@pytest.mark.clause("GLOSS-06")
def test_changes_of_different_fields_at_once_both_hold(elsewhere: Served) -> None:
    """A field that a change does not name is not touched by it."""
    with elsewhere.client() as client, ThreadPoolExecutor(8) as threads:
        for _ in range(5):
            made = created(client, "x")
            changes = [{"name": "new"}, {"enabled": False}, {"entries": [entry("y")]}]
            list(threads.map(lambda change, id_=made["id"]: client.patch(f"{PATH}/{id_}", json=change), changes))
            left = client.get(f"{PATH}/{made['id']}").json()
            assert (left["name"], left["enabled"], left["entries"]) == ("new", False, [entry("y")])


@pytest.mark.clause("ACCT-20", "GLOSS-11", "GLOSS-12")
def test_enabled_ones_apply_and_disabled_ones_only_by_id(client: httpx.Client, served: Served) -> None:
    made = created(client, "Zephyr")
    text = "the Zephyr plan"
    for enabled in (True, False, True):
        assert client.patch(f"{PATH}/{made['id']}", json={"enabled": enabled}).status_code == 200
        assert surfaces(client, text) == (["Zephyr"] if enabled else [])
        redacted = client.post("/api/v1/redact", json={"text": text}).json()
        assert redacted["redacted_text"] == ("the CUSTOM_TERM_01 plan" if enabled else text)
        assert surfaces(client, text, glossary_id=made["id"]) == ["Zephyr"]
    with served.client() as other:
        assert surfaces(other, text) == []
        answer = other.post("/api/v1/mask", json={"text": text, "glossary_id": made["id"]})
        assert (answer.status_code, answer.json()) == NOT_FOUND


@pytest.mark.clause("BILL-06", "GLOSS-23")
def test_a_deleted_glossary_cannot_be_named_any_more(client: httpx.Client, served: Served, account: Account) -> None:
    made = created(client, "Zephyr", enabled=False)
    assert surfaces(client, "Zephyr", glossary_id=made["id"]) == ["Zephyr"]
    client.delete(f"{PATH}/{made['id']}")
    before = served.balance(account)
    for path in ("mask", "redact"):
        answer = client.post(f"/api/v1/{path}", json={"text": "Zephyr", "glossary_id": made["id"]})
        assert (answer.status_code, answer.json()) == NOT_FOUND
    assert served.balance(account) == before


@pytest.mark.clause("GLOSS-25")
@pytest.mark.parametrize("path", ["mask", "redact"])
@pytest.mark.parametrize("glossary", [["x"] * 1001, [""], ["  "], ["x" * 201], [1], "x", {}, ["a", None]])
def test_inline_lists(client: httpx.Client, path: str, glossary: Any) -> None:
    answer = client.post(f"/api/v1/{path}", json={"text": "x", "glossary": glossary})
    assert answer.status_code == 422
    assert surfaces(client, "x X xx x" + "y" * 200, glossary=[" x ", *["z"] * 999]) == ["x", "X"]


@pytest.mark.clause("GLOSS-01")
def test_terms_are_not_stored_in_the_clear(client: httpx.Client, served: Served) -> None:
    created(client, "Quetzalcoatlus")
    root = served.services.settings.data_dir
    assert not any(b"Quetzalcoatlus" in path.read_bytes() for path in root.rglob("*") if path.is_file())


@pytest.mark.clause("HTTP-07")
def test_wrong_methods(client: httpx.Client) -> None:
    made = created(client, "x")
    assert client.put(f"{PATH}/{made['id']}", json={}).status_code == 405
    assert client.get(f"{PATH}/{made['id']}/entries").status_code == 405
    assert client.get(f"{PATH}/").json() == {"detail": "Not Found"}
    assert re.fullmatch(r"[0-9a-z_]+", client.get(PATH).headers["x-request-id"])


MODES = [
    ("exact", "Falcon", "Falcon falcon Falcons xFalcon F\u200balcon", ["Falcon", "falcon", "F\u200balcon"]),
    ("exact", "مشروع", "مشروع والمشروع مَشروع مشـروع", ["مشروع"]),
    ("exact", "42", "42 ٤٢ 420", ["42"]),
    ("word_boundary", "Falcon", "FALCON, falcon-x Falcons xFalcon Falcon_2", ["FALCON", "falcon"]),
    (
        "word_boundary",
        "مشروع",
        "مشروع والمشروع وبمشروع مَشْرُوع مشـروع مشروعنا سيمشروع",
        ["مشروع", "مشروع", "مشروع", "مَشْرُوع", "مشـروع"],
    ),
    ("word_boundary", "المشروع", "للمشروع", ["لمشروع"]),
    ("word_boundary", "رمز 42", "الرمز ٤٢ ورمز 42", ["رمز ٤٢", "رمز 42"]),
    ("substring", "falcon", "Falcons, GYRFALCON", ["Falcon", "FALCON"]),
    ("substring", "شروع", "والمَشْرُوعات", ["شْرُوع"]),
    ("substring", "42", "1٤٢0", ["٤٢"]),
]


@pytest.mark.clause("GLOSS-16", "GLOSS-17")
@pytest.mark.parametrize(("mode", "term", "text", "expected"), MODES)
def test_match_modes(client: httpx.Client, mode: str, term: str, text: str, expected: list[str]) -> None:
    entries = [{"term": term, "match_mode": mode}]
    assert client.post(PATH, json={"name": mode, "entries": entries}).status_code == 201
    assert surfaces(client, text) == expected
    if mode == "word_boundary":
        assert surfaces(client, text, glossary=[term]) == expected


@pytest.mark.clause("GLOSS-19")
@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        (None, "Orion", ["Orion"]),
        ("ar", "عرض مشروع Orion على الفريق", ["Orion"]),
        ("en", "عرض مشروع Orion على الفريق", []),
        ("ar", "the Orion مشروع team", []),
        ("en", "the Orion مشروع team", ["Orion"]),
        ("en", "Orion", ["Orion"]),
        ("ar", "Orion", []),
        ("en", "2026: Orion (42%)", ["Orion"]),
        ("en", "عرض مشروع على الفريق\nOrion\nعرض مشروع", ["Orion"]),
        ("ar", "عرض مشروع\nthe Orion team\nOrion على الفريق", ["Orion"]),
    ],
)
def test_locale(client: httpx.Client, locale: str | None, text: str, expected: list[str]) -> None:
    entries = [{"term": "Orion", "locale": locale}]
    assert client.post(PATH, json={"name": "g", "entries": entries}).status_code == 201
    assert surfaces(client, text) == expected


@pytest.mark.clause("DETECT-02", "GLOSS-18", "JUDGE-15")
@pytest.mark.parametrize(
    ("term", "text", "insensitive", "sensitive"),
    [
        ("Falcon", "Falcon FALCON", ["Falcon", "FALCON"], ["Falcon"]),
        ("straße", "STRASSE Straße straße", ["STRASSE", "Straße", "straße"], ["straße"]),
        ("İzmir", "İzmir IZMIR ızmir izmir", ["İzmir", "IZMIR", "ızmir", "izmir"], ["İzmir"]),
        ("ΟΔΟΣ", "ΟΔΟΣ οδος οδοσ", ["ΟΔΟΣ", "οδος", "οδοσ"], ["ΟΔΟΣ"]),
        ("Café", "Cafe\u0301 CAFÉ cafe", ["Cafe\u0301", "CAFÉ"], ["Cafe\u0301"]),
    ],
)
def test_case(client: httpx.Client, term: str, text: str, insensitive: list[str], sensitive: list[str]) -> None:
    for case_sensitive, expected in ((False, insensitive), (True, sensitive)):
        entries = [{"term": term, "case_sensitive": case_sensitive}]
        made = client.post(PATH, json={"name": "g", "enabled": False, "entries": entries}).json()
        assert surfaces(client, text, glossary_id=made["id"]) == expected


@pytest.mark.clause("HTTP-10")
def test_bad_ids_in_a_body(client: httpx.Client) -> None:
    for wrong in ("no-uuid", "", 7, [], "1" * 36):
        answer = client.post("/api/v1/mask", json={"text": "x", "glossary_id": wrong})
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"] == ["body", "glossary_id"]
    upload = client.post(
        "/api/v1/files/redact",
        files={"file": ("a.csv", b"a,b\r\n1,2\r\n", "text/csv")},
        data={"glossary_id": "no-uuid"},
    )
    assert (upload.status_code, upload.json()) == NOT_FOUND
