"""What belongs to an account is nobody else's: every operation with an id in its path, from the OpenAPI document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.description.examples import REQUESTS
from api.openapi import PATH
from tests.api.serving import Account
from tests.contract.shop import Shop, upload

ROOT = Path(__file__).parents[3]
DOCUMENT: dict[str, Any] = json.loads((ROOT / PATH).read_text("utf-8"))
WITH_ID = [
    (method.upper(), path) for path, operations in DOCUMENT["paths"].items() for method in operations if "{" in path
]
IDS = {"{file_id}", "{glossary_id}", "{key_id}"}


@pytest.mark.clause("FILE-55", "ACCT-02", "GLOSS-22")
def test_every_kind_of_id_is_known_here() -> None:
    assert {part for _, path in WITH_ID for part in path.split("/") if part.startswith("{")} == IDS
    assert len(WITH_ID) > 12


@pytest.fixture
def other(shop: Shop) -> Account:
    return shop.account()


@pytest.fixture
def theirs(shop: Shop, owner: Account, caller: httpx.Client) -> Iterator[dict[str, str]]:
    """The ids of what the owner has: a ready file, a glossary and a key."""
    file_id = upload(caller, "name,phone\nReem Alharbi,0501234567\n")["file_id"]
    shop.work()
    with shop.served.browser(owner) as browser:
        glossary = browser.post("/v1/glossaries", json={"name": "x", "entries": [{"term": "falcon"}]}).json()["id"]
        key = browser.post("/v1/keys", json={"name": "x"}).json()["id"]
        before = _held(browser)
        yield {"{file_id}": file_id, "{glossary_id}": glossary, "{key_id}": key}
        assert _held(browser) == before


def _held(browser: httpx.Client) -> list[Any]:
    """All that the owner sees of theirs; what a stranger did would show in it."""
    keys = browser.get("/v1/keys").json()
    entities = [browser.get(f"/v1/keys/{key['id']}/entities").json() for key in keys]
    return [browser.get("/api/v1/files").json(), browser.get("/v1/glossaries").json(), keys, entities]


@pytest.mark.clause("FILE-55", "ACCT-02", "GLOSS-22")
@pytest.mark.parametrize(("method", "path"), WITH_ID, ids=lambda part: part)
def test_another_account_gets_404(shop: Shop, other: Account, theirs: dict[str, str], method: str, path: str) -> None:
    """By bearer and by session, as for an id that does not exist, byte for byte."""
    examples = REQUESTS.get((method, path), {})
    body = next(iter(examples.values()), None)
    filled = "/".join(theirs.get(part, part) for part in path.split("/"))
    unknown = "/".join("00000000-0000-4000-8000-000000000000" if part in IDS else part for part in path.split("/"))
    with shop.client(other) as by_key, shop.served.browser(other) as by_session:
        for client in (by_key, by_session):
            answer = client.request(method, filled, json=body)
            nothing = client.request(method, unknown, json=body)
            assert answer.status_code == nothing.status_code, answer.text
            assert answer.status_code in (404, 403, 401), answer.text
            assert answer.content == nothing.content
    assert httpx.request(method, shop.served.url + filled, json=body).status_code == 401
