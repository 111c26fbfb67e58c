"""Logins and registrations are slowed down, per address and per account, and hashing never takes the server over."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TypeVar

import httpx
import pytest

from api.services.password_hashing import PasswordThreads
from storage.opening import Storage
from tests.api.serving import Served, serving, settings_for
from tests.contract.browsers import PASSWORD, new_email, registered, send

LIMIT = 3
T = TypeVar("T")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server behind a proxy that says from where a call comes, so that a test may come from anywhere."""
    settings = settings_for(
        tmp_path_factory.mktemp("throttled"), login_attempts_per_minute=LIMIT, trusted_proxies="127.0.0.1/32"
    )
    with serving(settings) as server:
        yield server


def throttled(answer: httpx.Response) -> bool:
    if answer.status_code != 429:
        return False
    assert answer.json() == {"detail": "Rate limit exceeded"}
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert "set-cookie" not in answer.headers
    return True


def attempt(served: Served, path: str, email: str, address: str, password: str = "short") -> httpx.Response:
    """Too short to be anybody's, and to be hashed: these tests are about counting."""
    return send(served.url, path, email, password, **{"X-Forwarded-For": address})


@pytest.mark.clause("AUTH-28")
def test_logins_from_one_address(served: Served) -> None:
    for _ in range(LIMIT):
        assert attempt(served, "/auth/login", new_email(), "203.0.113.1").status_code == 401
    for forwarded in ("203.0.113.1", "198.51.100.7, 203.0.113.1", "203.0.113.1:4711"):
        assert throttled(attempt(served, "/auth/login", new_email(), forwarded))
    assert attempt(served, "/auth/login", new_email(), "203.0.113.2").status_code == 401


@pytest.mark.clause("AUTH-28")
def test_one_subscriber_has_many_addresses(served: Served) -> None:
    for host in range(LIMIT):
        assert attempt(served, "/auth/login", new_email(), f"2001:db8:1:1::{host + 1}").status_code == 401
    assert throttled(attempt(served, "/auth/login", new_email(), "2001:db8:1:1:ffff::1"))
    assert attempt(served, "/auth/login", new_email(), "2001:db8:1:2::1").status_code == 401


@pytest.mark.clause("AUTH-28")
def test_logins_to_one_account(served: Served) -> None:
    """Whether there is such an account makes no difference, and the right password neither."""
    known, unknown = new_email(), new_email()
    registered(served.url, known, **{"X-Forwarded-For": "203.0.113.10"})
    for email in (known, unknown):
        for number in range(LIMIT):
            assert attempt(served, "/auth/login", email, f"203.0.114.{number}").status_code == 401
        assert throttled(attempt(served, "/auth/login", f" {email.upper()}", "203.0.115.1", PASSWORD))


@pytest.mark.clause("AUTH-28")
def test_an_account_is_counted_by_every_spelling(served: Served) -> None:
    apart = f"e\u0301{new_email()}"
    composed = apart.replace("e\u0301", "\u00e9")
    for number in range(LIMIT):
        assert attempt(served, "/auth/login", (apart, composed)[number % 2], f"203.0.118.{number}").status_code == 401
    for email in (apart, composed, composed.upper()):
        assert throttled(attempt(served, "/auth/login", email, "203.0.118.99"))


@pytest.mark.clause("AUTH-28")
def test_every_attempt_counts_also_a_right_one(served: Served) -> None:
    email = new_email()
    registered(served.url, email, **{"X-Forwarded-For": "203.0.113.20"})
    for number in range(LIMIT):
        assert attempt(served, "/auth/login", email, f"203.0.116.{number}", PASSWORD).status_code == 200
    assert throttled(attempt(served, "/auth/login", email, "203.0.116.99", PASSWORD))


@pytest.mark.clause("AUTH-28")
def test_registrations(served: Served) -> None:
    for _ in range(LIMIT):
        answer = attempt(served, "/auth/register", new_email(), "203.0.113.30", "12345678")
        assert answer.status_code == 201
    assert throttled(attempt(served, "/auth/register", new_email(), "203.0.113.30", "12345678"))
    taken = new_email()
    for number, status in enumerate([201] + [409] * (LIMIT - 1)):
        assert attempt(served, "/auth/register", taken, f"203.0.117.{number}", "12345678").status_code == status
    assert throttled(attempt(served, "/auth/register", taken, "203.0.117.99", "12345678"))
    assert attempt(served, "/auth/login", taken, "203.0.113.30").status_code == 401, "counted apart from logins"


@pytest.mark.clause("AUTH-28")
def test_many_at_once_are_counted_one_by_one(served: Served) -> None:
    with ThreadPoolExecutor(16) as threads:
        answers = list(
            threads.map(
                lambda _: attempt(served, "/auth/login", new_email(), "203.0.113.40", "wrong horse 1"), range(16)
            )
        )
    assert sorted(answer.status_code for answer in answers) == [401] * LIMIT + [429] * (16 - LIMIT)
    assert sum(throttled(answer) for answer in answers) == 16 - LIMIT


@pytest.mark.clause("RUN-07")
def test_two_processes_count_together(tmp_path: Path, redis_url: str) -> None:
    settings = settings_for(tmp_path, redis_url=redis_url, login_attempts_per_minute=LIMIT, sandbox="best-effort")
    with serving(settings) as first, serving(settings, Storage.open(settings)) as second:
        email = new_email()
        for server in (first, second, first):
            assert send(server.url, "/auth/login", email, "short").status_code == 401
        assert throttled(send(second.url, "/auth/login", email, "short"))


@pytest.mark.clause("AUTH-29", "RUN-14")
def test_without_redis_each_process_still_counts(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, redis_url="redis://127.0.0.1:1/0", login_attempts_per_minute=LIMIT)
    with serving(settings) as served:
        email = new_email()
        for _ in range(LIMIT):
            assert send(served.url, "/auth/login", email, "short").status_code == 401
        assert throttled(send(served.url, "/auth/login", email, "short"))


class Counted(PasswordThreads):
    """Counts what is hashed."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0

    async def run(self, work: Callable[[], T]) -> T:
        self.jobs += 1
        return await super().run(work)


@pytest.mark.clause("AUTH-25")
def test_an_unknown_account_costs_as_much_as_a_wrong_password(tmp_path: Path) -> None:
    """Neither the answer nor the time it takes tells which of the two was wrong."""
    counted = Counted()
    with serving(settings_for(tmp_path)) as served:
        served.app.state.services = replace(served.services, passwords=counted)
        known = new_email()
        registered(served.url, known)
        answers = []
        for email in (known, new_email(), "no address"):
            before = counted.jobs
            answers.append(send(served.url, "/auth/login", email, "wrong horse 1"))
            assert counted.jobs - before == 1
        assert {(answer.status_code, answer.text) for answer in answers} == {
            (401, '{"detail":"Invalid email or password"}')
        }


class Shut(PasswordThreads):
    """Two threads, three callers waiting, and nothing is hashed before `gate` opens."""

    def __init__(self) -> None:
        super().__init__(2, 3)
        self.gate = Event()

    async def run(self, work: Callable[[], T]) -> T:
        def patient() -> T:
            assert self.gate.wait(60)
            return work()

        return await super().run(patient)


@pytest.mark.clause("AUTH-27", "HTTP-11")
def test_a_flood_of_logins_leaves_the_others_alone(tmp_path: Path) -> None:
    """64 MiB and a core each, so few at once, some waiting, the rest sent away."""
    shut = Shut()
    with serving(settings_for(tmp_path, login_attempts_per_minute=100_000)) as served:
        served.app.state.services = replace(served.services, passwords=shut)
        with ThreadPoolExecutor(12) as threads, served.client() as client:
            logins = [threads.submit(send, served.url, "/auth/login", new_email(), "wrong horse 1") for _ in range(12)]
            refused = [login.result(60) for login in islice(as_completed(logins), 7)]
            assert client.post("/api/v1/mask", json={"text": "x"}).status_code == 200
            assert sum(login.done() for login in logins) == 7
            shut.gate.set()
            answers = [login.result(60) for login in logins]
        assert sorted(answer.status_code for answer in answers) == [401] * 5 + [503] * 7
        for answer in refused:
            assert answer.json() == {"detail": "masker_unavailable"}
            assert int(answer.headers["retry-after"]) >= 1
