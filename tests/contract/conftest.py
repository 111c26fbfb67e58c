"""The contract is proven over HTTP, on the same kind of server as the tests of api."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from schemas.entities import TOGGLABLE_TYPES
from storage.accounts import entity_sets
from tests.api.conftest import account, client, served
from tests.api.serving import Account, Served, serving, settings_for
from tests.contract.shop import Shop, opened
from tests.pipeline.detect.marked import unmarked
from workers.processes import Embedded

__all__ = ["account", "client", "served"]

Finds = Callable[..., None]


@pytest.fixture
def finds(client: httpx.Client, served: Served, account: Account) -> Finds:
    """Masks texts with every type on: what is marked `[[TYPE surface]]` must be found, and nothing else."""
    with served.services.storage.database.transaction() as session:
        entity_sets.select_for_account(session, account.id, TOGGLABLE_TYPES)

    def check(*rows: str) -> None:
        for row in rows:
            text, expected = unmarked(row)
            answer = client.post("/api/v1/mask", json={"text": text})
            assert answer.status_code == 200, answer.text
            spans = answer.json()["spans"]
            assert [(span["type"], text[span["start"] : span["end"]]) for span in spans] == expected, row

    return check


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A server whose file jobs are carried by hand."""
    with opened(tmp_path_factory.mktemp("shop")) as shop:
        yield shop


@pytest.fixture
def owner(shop: Shop) -> Account:
    """A new account of the shop."""
    return shop.account()


@pytest.fixture
def caller(shop: Shop, owner: Account) -> Iterator[httpx.Client]:
    """A client of `owner`; its messages are forgotten afterwards."""
    with shop.client(owner) as client:
        yield client
    shop.forget()


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An embedded server whose workers run."""
    with serving(settings_for(tmp_path_factory.mktemp("working"))) as served:
        workers = Embedded(served.services.settings, served.services.storage)
        workers.start()
        yield served
        workers.stop()


@pytest.fixture(scope="package")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that lets everybody try to log in as often as they like."""
    settings = settings_for(tmp_path_factory.mktemp("patient"), login_attempts_per_minute=100_000)
    with serving(settings) as server:
        yield server


@pytest.fixture(scope="package")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose dashboard is reached by https under a name of its own, and where operators make the accounts."""
    settings = settings_for(
        tmp_path_factory.mktemp("walled"), dashboard_url="https://Masker.Example.sa:443/app/", open_registration=False
    )
    with serving(settings) as server:
        yield server
