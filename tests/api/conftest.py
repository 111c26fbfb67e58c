"""One server for all tests of a package; each test calls as an account of its own."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.serving import Account, Served, serving, settings_for


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An embedded server without workers: what is uploaded stays queued."""
    settings = settings_for(tmp_path_factory.mktemp("data"), max_upload_bytes=3_000_000, max_text_bytes=1_000_000)
    with serving(settings) as server:
        yield server


@pytest.fixture
def account(served: Served) -> Account:
    """A new account."""
    return served.account()


@pytest.fixture
def client(served: Served, account: Account) -> Iterator[httpx.Client]:
    """A client that calls as `account`."""
    with served.client(account) as client:
        yield client
