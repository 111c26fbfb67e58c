"""The charge of a proxied call is open until its answer has ended: a process that dies in a stream leaves a refund."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from schemas.clock import utc_now
from storage import charging_leases
from storage.tables import ChargingLease
from tests.api.proxy.conftest import ANTHROPIC, asks, caller
from tests.api.proxy.provider import PATIENCE, ScriptedProvider, Turn
from tests.api.serving import Account, Served


def told(served: Served) -> list[str]:
    """The open charges that the server tells, after those that ended before were told once more."""
    for _ in range(2):
        served.services.open_charges.renew()
    with served.services.storage.database.reading() as session:
        return session.get_one(ChargingLease, served.services.open_charges.lease_id).open_references


def give_up(served: Served) -> int:
    """How many charges another process refunds that takes this one for dead."""
    with served.services.storage.database.transaction() as session:
        lease = session.get_one(ChargingLease, served.services.open_charges.lease_id)
        return len(charging_leases.give_up(session, lease.id, lease.renewals, utc_now()))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("is_given_up", [False, True])
def test_it_is_open_until_the_answer_has_ended(
    served: Served, account: Account, provider: ScriptedProvider, stream: bool, is_given_up: bool
) -> None:
    """A process that is taken for dead may live on, and answer: the call was free then, and nothing else happens."""
    begun, looked, before = Event(), Event(), served.balance(account)

    def play(turn: Turn) -> None:
        turn.begin(headers=() if stream else [("Content-Type", "application/json")])
        turn.more(b": hello\n\n" if stream else b"{")
        begun.set()
        looked.wait(PATIENCE)
        turn.more(b": bye\n\n" if stream else b"}")
        turn.end()

    provider.begin(play)
    with caller(served, account) as client, ThreadPoolExecutor(1) as threads:
        answer = threads.submit(client.post, ANTHROPIC, json=asks("Hello there", stream=stream))
        assert begun.wait(PATIENCE)
        assert len(told(served)) == 1
        if is_given_up:
            assert give_up(served) == 1
            assert served.balance(account) == before
        looked.set()
        assert answer.result().status_code == 200
    assert served.balance(account) == before - (0 if is_given_up else 2)
    if not is_given_up:
        assert told(served) == []
        assert give_up(served) == 0


def test_a_call_that_cannot_be_paid_leaves_nothing_open(served: Served, account: Account) -> None:
    with caller(served, account) as client:
        dear = asks("word " * (served.balance(account) + 1))
        assert client.post(ANTHROPIC, json=dear).status_code == 402
    assert told(served) == []
