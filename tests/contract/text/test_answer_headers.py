"""What the headers of an answer say: fields of the request that were ignored, and the types that were searched."""

from collections.abc import Iterator
from uuid import UUID

import httpx
import pytest

from schemas.entities import CORE_TYPES, EntityType
from storage.accounts import entity_sets
from tests.api.forms import FORM_TYPE, Part, file_part, form
from tests.api.serving import Account, Served, serving, settings_for

WARNING, TYPES = "X-Masker-Warning", "X-Masker-Types"
IGNORED = "unknown fields ignored: "


def warning(client: httpx.Client, body: object, path: str = "/api/v1/mask") -> str | None:
    return client.post(path, json=body).headers.get(WARNING)


@pytest.mark.clause("HTTP-16")
@pytest.mark.parametrize("path", ["/api/v1/mask", "/api/v1/redact"])
def test_a_misspelled_field_is_named(client: httpx.Client, path: str) -> None:
    """The call does what it would do without them, and says so."""
    answer = client.post(path, json={"text": "lot A-7", "glossry": ["lot A-7"]})
    assert answer.status_code == 200 and "lot A-7" in answer.text
    assert answer.headers[WARNING] == f"{IGNORED}glossry"
    assert warning(client, {"text": "Zephyr", "glossary": ["Zephyr"]}, path) is None


@pytest.mark.clause("HTTP-16")
def test_a_refused_call_is_warned_too(client: httpx.Client) -> None:
    answer = client.post("/api/v1/mask", json={"text": "x", "glosary": [], "glossary_id": str(UUID(int=7))})
    assert (answer.status_code, answer.headers.get(WARNING)) == (404, f"{IGNORED}glosary")


@pytest.mark.clause("HTTP-16")
def test_fields_of_entries_are_named_once(client: httpx.Client) -> None:
    entries = [{"term": f"term-{number}", "entity_typ": "PERSON"} for number in range(50)]
    answer = client.post("/v1/glossaries", json={"name": "n", "id": "mine", "entries": entries})
    assert answer.status_code == 201
    assert set(answer.headers[WARNING].removeprefix(IGNORED).split(", ")) == {"entries.entity_typ", "id"}


@pytest.mark.clause("HTTP-16")
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a b", "c\r\nSet-Cookie: x=1", "حقل", "x" * 65, ""], "5 with other names"),
        (["ok", "not ok"], "ok, 1 with other names"),
        ([f"f{number:02}" for number in range(30)], ", ".join(f"f{number:02}" for number in range(8)) + ", 22 more"),
        ([f"f{number}" for number in range(20_000)], "more than 10000"),
    ],
    ids=["unsafe", "some unsafe", "many", "too many"],
)
def test_the_warning_has_bounds(client: httpx.Client, names: list[str], said: str) -> None:
    """Names of other characters than letters, digits, `_`, `.` and `-` are only counted, and values never appear."""
    answer = client.post("/api/v1/mask", json={"text": "x", **dict.fromkeys(names, "secret-value")})
    assert answer.status_code == 200
    assert answer.headers[WARNING] == IGNORED + said
    assert "set-cookie" not in answer.headers
    assert "secret-value" not in str(answer.headers)


@pytest.mark.clause("HTTP-16")
def test_an_unknown_part_of_an_upload_is_named(client: httpx.Client) -> None:
    """The same for the fields of the upload's form: a misspelled `glossary` must not pass in silence."""
    body = form(Part('name="glossry"', None, b"Zephyr"), file_part())
    answer = client.post("/api/v1/files/redact", content=body, headers={"Content-Type": FORM_TYPE})
    assert (answer.status_code, answer.headers.get(WARNING)) == (201, f"{IGNORED}glossry")


@pytest.mark.clause("ACCT-10", "ACCT-21")
@pytest.mark.parametrize("path", ["/api/v1/mask", "/api/v1/redact"])
def test_an_answer_says_which_types_were_searched(
    client: httpx.Client, served: Served, account: Account, path: str
) -> None:
    """A caller can see what was looked for, in the order of the catalogue."""
    assert client.post(path, json={"text": "x"}).headers[TYPES] == ",".join(CORE_TYPES)
    with served.services.policies.invalidating(account.id), served.services.storage.database.transaction() as session:
        entity_sets.select_for_account(session, account.id, [EntityType.LOCATION, EntityType.PERSON])
    assert client.post(path, json={"text": "x"}).headers[TYPES] == "PERSON,LOCATION"
    assert TYPES not in client.post(path, json={"text": ""}).headers


@pytest.fixture
def open_to(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that pages of another origin may call."""
    with serving(settings_for(tmp_path_factory.mktemp("cors"), cors_origins=("https://app.example.com",))) as served:
        yield served


@pytest.mark.clause("HTTP-40")
def test_pages_of_other_origins_may_read_them(open_to: Served) -> None:
    """Browsers show a page only the headers that an answer exposes."""
    with open_to.client() as client:
        answer = client.post("/api/v1/mask", json={"text": "x"}, headers={"Origin": "https://app.example.com"})
    assert {WARNING, TYPES} <= {name.strip() for name in answer.headers["access-control-expose-headers"].split(",")}
