"""A small prompt is masked while it is charged, and nothing is sent to the provider before the charge succeeds."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from time import monotonic

import httpx

from api.engine.scheduler import SHORT_CHARACTERS, DetectionScheduler
from pipeline.detect.detector import Detector
from schemas.spans import Detection, DetectOptions
from storage import ledger
from tests.api.proxy.conftest import ANTHROPIC, asks, caller
from tests.api.proxy.provider import PATIENCE, ScriptedProvider
from tests.api.serving import Account, Served
from tests.contract.wire import exchange, head


class Beside:
    """A detector that does something else first, on the event loop, as detection of a short text does."""

    def __init__(self, first: Callable[[], None]) -> None:
        self._first, self._detector = first, Detector()

    def detect(self, text: str, options: DetectOptions = DetectOptions()) -> Detection:
        """Detection of the text, behind the rest."""
        self._first()
        return self._detector.detect(text, options)


@contextmanager
def detecting(served: Served, first: Callable[[], None]) -> Iterator[None]:
    """The server with that detector."""
    services = served.services
    threads = DetectionScheduler(Beside(first), 1, 1, inline=SHORT_CHARACTERS)
    served.app.state.services = replace(services, detection=threads)
    try:
        yield
    finally:
        served.app.state.services = services


def test_the_charge_is_made_while_the_prompt_is_masked(
    served: Served, account: Account, provider: ScriptedProvider
) -> None:
    """Masking has the event loop to itself here until the charge is made: it must be on its way by then."""
    before = served.balance(account)

    def until_charged() -> None:
        deadline = monotonic() + PATIENCE
        while served.balance(account) == before:
            assert monotonic() < deadline, "nobody charges"

    with detecting(served, until_charged), caller(served, account) as client:
        assert client.post(ANTHROPIC, json=asks("Hello there")).status_code == 200
    assert served.balance(account) == before - 2


def test_nothing_is_forwarded_before_the_charge_is_sure(
    served: Served, account: Account, provider: ScriptedProvider
) -> None:
    masked = Event()
    with detecting(served, masked.set), caller(served, account) as client, ThreadPoolExecutor(1) as pool:
        assert client.post(ANTHROPIC, json=asks("Hello there")).status_code == 200  # from now on the key is known
        masked.clear()
        with served.services.storage.database.transaction() as session:
            session.connection()  # nobody else can write now
            call = pool.submit(client.post, ANTHROPIC, json=asks("Hello there"))
            assert masked.wait(PATIENCE)
            for _ in range(100):  # each takes the server a turn
                assert exchange(served, head("GET", "/api/v1/health", {})).status == 200
            assert len(provider.turns) == 1
        assert call.result().status_code == 200
    assert len(provider.turns) == 2


def test_the_ledger_says_that_it_was_the_proxy(
    served: Served, account: Account, client: httpx.Client, provider: ScriptedProvider
) -> None:
    """Of a charge, and of what is given back of it."""
    assert client.post(ANTHROPIC, json=asks("Hello there")).status_code == 200
    provider.begin(lambda turn: turn.die())
    assert client.post(ANTHROPIC, json=asks("Hello there")).status_code == 502
    with served.services.storage.database.reading() as session:
        lines = ledger.entries(session, account.id, limit=9)
    charges = [(line.kind, line.reason) for line in lines if line.kind != "credit"]
    assert charges == [("refund", "proxy"), ("charge", "proxy"), ("charge", "proxy")]
    assert all(line.reference.startswith("proxy:") for line in lines if line.kind != "credit")
