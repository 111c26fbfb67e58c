"""The sliding window, one suite for both kinds; and what happens when Redis dies, hangs, forgets or errs."""

import asyncio
import logging
import os
import secrets
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

import pytest
import redis
from redis.asyncio import Redis as AsyncRedis

from schemas.settings import InvalidSettings
from storage.rate_limiter import PATIENCE_SECONDS, MemoryLimiter, RateLimiter, RedisLimiter, open_limiter
from tests.servers import RedisServer
from tests.servers.process import free_port

SECRET = secrets.token_bytes(32)


class InMemory:
    """A limiter and the hands of its clock."""

    def __init__(self) -> None:
        self._now = 1000.0
        self.limiter: RateLimiter = MemoryLimiter(lambda: self._now)

    def age(self, seconds: float) -> None:
        """Lets time pass."""
        self._now += seconds


class InRedis:
    """A limiter on Redis, whose clock cannot be turned: what it remembers is made older instead."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(url)
        self.limiter: RateLimiter = RedisLimiter(url, SECRET, patience=30)  # a busy machine is no failure

    def age(self, seconds: float) -> None:
        """Lets time pass."""
        for name in self._redis.scan_iter():
            for place, moment in enumerate(self._redis.lrange(name, 0, -1)):
                self._redis.lset(name, place, int(moment) - round(seconds * 1_000_000))

    def close(self) -> None:
        self._redis.close()


@pytest.fixture(params=["memory", "redis"])
def window(request: pytest.FixtureRequest) -> Iterator[InMemory | InRedis]:
    """A limiter of each kind: every test that asks for it is a promise of both."""
    if request.param == "memory":
        yield InMemory()
        return
    made = InRedis(request.getfixturevalue("redis_url"))
    yield made
    made.close()


def run(limiter: RateLimiter, scene: Callable[[], Awaitable[None]]) -> None:
    """Plays a scene in an event loop of its own, which the limiter's connections do not outlive."""

    async def play() -> None:
        try:
            await scene()
        finally:
            await limiter.close()

    asyncio.run(play())


def test_a_window_slides(window: InMemory | InRedis) -> None:
    hit = window.limiter.hit

    async def scene() -> None:
        assert await hit("a", 2) is None
        window.age(20)
        assert await hit("a", 2) is None
        assert await hit("a", 2) == 40
        window.age(39.5)
        assert await hit("a", 2) == 1
        window.age(0.5)
        assert await hit("a", 2) is None  # the first is 60 s old, the second 40
        assert await hit("a", 2) == 20

    run(window.limiter, scene)


def test_a_refused_call_does_not_count(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        assert await window.limiter.hit("a", 1) is None
        for tries in range(5):
            assert await window.limiter.hit("a", 1) == 60 - 5 * tries
            window.age(5)
        window.age(35)
        assert await window.limiter.hit("a", 1) is None

    run(window.limiter, scene)


def test_the_wait_is_rounded_up_and_never_zero(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        await window.limiter.hit("a", 1)
        window.age(29.2)
        assert await window.limiter.hit("a", 1) == 31  # 60 - 29.2, rounded up
        window.age(30.0)
        assert await window.limiter.hit("a", 1) == 1

    run(window.limiter, scene)


def test_names_do_not_touch_one_another(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        for name in ("a", "b", "", "ä" * 1000, "a:1", "*"):
            assert await window.limiter.hit(name, 1) is None
            assert await window.limiter.hit(name, 1) is not None

    run(window.limiter, scene)


def test_windows_of_other_lengths(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        assert await window.limiter.hit("a", 1, 5) is None
        assert await window.limiter.hit("a", 1, 5) == 5
        window.age(5)
        assert await window.limiter.hit("a", 1, 5) is None

    run(window.limiter, scene)


def test_a_limit_that_was_lowered(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        for _ in range(5):
            assert await window.limiter.hit("a", 5) is None
        window.age(10)
        assert await window.limiter.hit("a", 3) == 50

    run(window.limiter, scene)


def test_of_many_at_once_exactly_the_limit_pass(window: InMemory | InRedis) -> None:
    async def scene() -> None:
        waits = await asyncio.gather(*(window.limiter.hit("a", 20) for _ in range(60)))
        assert sum(wait is None for wait in waits) == 20

    run(window.limiter, scene)


def test_memory_is_bounded() -> None:
    """The names that were quiet longest are forgotten first, those whose window ended before all."""
    now = 0.0
    limiter = MemoryLimiter(lambda: now, most=100)

    async def scene() -> None:
        nonlocal now
        for name in range(1000):
            await limiter.hit(str(name), 5)
            await limiter.hit("kept", 10**6)
            assert len(limiter) <= 100
        now = 61
        await limiter.hit("x", 5)
        await limiter.hit("x", 5)
        assert len(limiter) < 100

    run(limiter, scene)


def test_memory_forgets_what_has_passed() -> None:
    now = 0.0
    limiter = MemoryLimiter(lambda: now)

    async def scene() -> None:
        nonlocal now
        for name in range(500):
            await limiter.hit(str(name), 5)
        now = 60
        for _ in range(260):
            await limiter.hit("x", 1000)
        assert len(limiter) == 260

    run(limiter, scene)


def test_redis_sees_neither_names_nor_keeps_anything(redis_url: str) -> None:
    limiter = RedisLimiter(redis_url, SECRET)

    async def scene() -> None:
        await limiter.hit("noura@example.com", 3)
        await limiter.hit("noura@example.com", 3)

    run(limiter, scene)
    with redis.Redis.from_url(redis_url) as client:
        (name,) = client.keys()
        assert b"noura" not in name and len(name) < 60
        assert 59_000 < client.pttl(name) <= 60_001
        assert client.llen(name) == 2


def test_two_processes_count_together_and_other_secrets_apart(redis_url: str) -> None:
    async def scene() -> None:
        limiters = [RedisLimiter(redis_url, SECRET) for _ in range(2)]
        other = RedisLimiter(redis_url, bytes(32))
        assert await limiters[0].hit("a", 1) is None
        assert await limiters[1].hit("a", 1) is not None
        assert await other.hit("a", 1) is None
        for limiter in (*limiters, other):
            await limiter.close()

    asyncio.run(scene())


def test_one_round_trip(redis_url: str) -> None:
    """After the script is known, one EVALSHA a call and nothing else."""
    limiter = RedisLimiter(redis_url, SECRET)

    async def scene() -> None:
        await limiter.hit("a", 100)
        async with AsyncRedis.from_url(redis_url) as client:
            await client.config_resetstat()
            for _ in range(10):
                await limiter.hit("a", 100)
            stats = await client.info("commandstats")
        inside = {"cmdstat_time", "cmdstat_lindex", "cmdstat_llen", "cmdstat_rpush", "cmdstat_pexpire"}
        outside = {name: row["calls"] for name, row in stats.items() if name not in inside}
        assert outside.pop("cmdstat_evalsha") == 10
        assert not {name for name in outside if not name.startswith(("cmdstat_config", "cmdstat_info"))} - {
            "cmdstat_client|setinfo", "cmdstat_hello", "cmdstat_select",
        }  # fmt: skip

    run(limiter, scene)


def test_a_clock_that_was_put_back_locks_nobody_out(redis_url: str) -> None:
    window = InRedis(redis_url)

    async def scene() -> None:
        await window.limiter.hit("a", 1)
        window.age(-30)
        assert await window.limiter.hit("a", 1) == 60  # a little: waits no longer than ever
        window.age(-3600)
        assert await window.limiter.hit("a", 1) is None

    run(window.limiter, scene)
    window.close()


def test_a_restarted_redis_learns_the_script_again(redis_url: str) -> None:
    limiter = RedisLimiter(redis_url, SECRET)

    async def scene() -> None:
        assert await limiter.hit("a", 1) is None
        async with AsyncRedis.from_url(redis_url) as client:
            await client.script_flush()
        assert await limiter.hit("a", 1) is not None

    run(limiter, scene)


def test_calls_go_on_when_redis_is_killed_and_are_counted_when_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    """It says so once, not once a call."""
    port = free_port()
    first = RedisServer(port)
    limiter = RedisLimiter(first.url, SECRET, pause=0)
    servers = [first]

    async def scene() -> None:
        assert await limiter.hit("a", 1) is None
        assert await limiter.hit("a", 1) == 60
        os.kill(first.pid, signal.SIGKILL)
        first.stop()
        for _ in range(20):
            assert await limiter.hit("a", 1) is None
        servers.append(RedisServer(port))
        assert await limiter.hit("a", 1) is None
        assert await limiter.hit("a", 1) == 60

    try:
        with caplog.at_level(logging.INFO, "masker.limiter"):
            run(limiter, scene)
    finally:
        for server in servers:
            server.stop()
    assert len(caplog.records) == 2
    assert "does not answer" in caplog.records[0].getMessage() and "again" in caplog.records[1].getMessage()
    assert first.url not in caplog.text


@pytest.fixture
def hanging() -> Iterator[str]:
    """A Redis that takes connections and never answers."""
    server = RedisServer()
    os.kill(server.pid, signal.SIGSTOP)
    yield server.url
    with suppress(ProcessLookupError):
        os.kill(server.pid, signal.SIGCONT)
    server.stop()


def test_a_hanging_redis_is_waited_for_once(hanging: str, caplog: pytest.LogCaptureFixture) -> None:
    """Many calls at once wait together, and those after them not at all."""
    limiter = RedisLimiter(hanging, SECRET, pause=3600)

    async def scene() -> None:
        begun = time.monotonic()
        assert set(await asyncio.gather(*(limiter.hit("a", 1) for _ in range(100)))) == {None}
        waited = time.monotonic() - begun
        assert waited >= PATIENCE_SECONDS * 0.9
        for _ in range(100):
            assert await limiter.hit("a", 1) is None
        # 200 calls one after the other would have taken 20 s: a bound on what is asked, not on how fast it is.
        assert time.monotonic() - begun < 100 * PATIENCE_SECONDS

    with caplog.at_level(logging.INFO, "masker.limiter"):
        run(limiter, scene)
    assert len(caplog.records) == 1


def test_only_one_call_tries_again(hanging: str) -> None:
    limiter = RedisLimiter(hanging, SECRET, pause=0.01)

    async def scene() -> None:
        await limiter.hit("a", 1)
        await asyncio.sleep(0.01)  # the pause is over
        trying = asyncio.ensure_future(limiter.hit("a", 1))
        await asyncio.sleep(0)
        assert await limiter.hit("a", 1) is None
        assert not trying.done()
        await trying

    run(limiter, scene)


@pytest.mark.parametrize("turns", [1, 4, 7])
def test_an_answer_that_waits_for_a_busy_loop_counts(redis_url: str, turns: int) -> None:
    """This process was late, not Redis: the call is refused all the same."""
    limiter = RedisLimiter(redis_url, SECRET)

    async def scene() -> None:
        assert await limiter.hit("a", 1) is None
        second = asyncio.ensure_future(limiter.hit("a", 1))
        for _ in range(turns):  # with its patience running: before it asked, or before the answer was read
            await asyncio.sleep(0)
        time.sleep(PATIENCE_SECONDS * 1.5)
        assert await second == 60

    run(limiter, scene)


def test_a_redis_that_refuses_the_command_lets_calls_pass(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    limiter = RedisLimiter(redis_url, SECRET, pause=0)

    async def scene() -> None:
        await limiter.hit("a", 1)
        async with AsyncRedis.from_url(redis_url) as client:
            (name,) = await client.keys()
            await client.set(name, "not a list")
        for _ in range(3):
            assert await limiter.hit("a", 1) is None

    run(limiter, scene)
    assert len([record for record in caplog.records if record.name == "masker.limiter"]) == 1


def test_a_call_that_is_given_up_harms_no_other(redis_url: str) -> None:
    """A cancelled call's connection is not used again with its answer still in it."""
    limiter = RedisLimiter(redis_url, SECRET)

    async def scene() -> None:
        await limiter.hit("a", 1)
        for turns in range(8):
            given_up = asyncio.ensure_future(limiter.hit("other", 1))
            for _ in range(turns):
                await asyncio.sleep(0)
            given_up.cancel()
            with suppress(asyncio.CancelledError):
                await given_up
            assert await limiter.hit("a", 1) is not None
            assert await limiter.hit(f"new{turns}", 1) is None

    run(limiter, scene)


def test_an_address_that_is_none() -> None:
    with pytest.raises(InvalidSettings, match="MASKER_REDIS_URL"):
        open_limiter("http://example.com", SECRET)


def test_without_an_address_it_is_in_process() -> None:
    assert isinstance(open_limiter(None, SECRET), MemoryLimiter)
