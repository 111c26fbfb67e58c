"""The database goes away while a charge is committed: the caller gets 503 and, charged or not, loses nothing."""

import base64
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from schemas.settings import load_settings
from storage import ledger
from storage.database import Database
from tests.api.serving import Account, Served, serving
from tests.faults.doubtful_cable import Break, DoubtfulCable


@pytest.fixture
def cable(postgres_url: str) -> Iterator[DoubtfulCable]:
    place = urlsplit(postgres_url)
    assert place.hostname and place.port
    cable = DoubtfulCable(place.hostname, place.port)
    yield cable
    cable.close()


@pytest.fixture
def served(postgres_url: str, cable: DoubtfulCable, tmp_path: Path) -> Iterator[Served]:
    place = urlsplit(postgres_url)
    user, at, _ = place.netloc.rpartition("@")
    settings = load_settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url=place._replace(netloc=f"{user}{at}127.0.0.1:{cable.port}").geturl(),
        master_key=base64.b64encode(secrets.token_bytes(32)).decode(),
        free_tokens_per_day=4,
    )
    with serving(settings) as server:
        yield server


def kinds(postgres_url: str, account: Account) -> list[str]:
    database = Database(postgres_url)
    with database.reading() as session:
        found = [entry.kind for entry in ledger.entries(session, account.id, limit=10)]
    database.dispose()
    return found[::-1]


@pytest.mark.parametrize(("place", "entries"), [(Break.BEFORE, []), (Break.AFTER, ["charge", "refund"])])
def test_a_charge_in_doubt_is_settled(
    served: Served, cable: DoubtfulCable, postgres_url: str, place: Break, entries: list[str]
) -> None:
    """Both sides of the charge go back, free and paid."""
    account = served.account(paid_tokens=5)
    with served.client(account) as client:
        cable.plan(place)
        answer = client.post("/api/v1/redact", json={"text": "one two three four five six"})
        assert cable.broke.is_set()
        assert (answer.status_code, answer.json()) == (503, {"detail": "masker_unavailable"})
        assert kinds(postgres_url, account) == ["credit", *entries]
        assert served.balance(account) == 9
        assert client.post("/api/v1/redact", json={"text": "one"}).status_code == 200
        assert served.balance(account) == 8
