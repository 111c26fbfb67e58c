"""The bound on passwords that are hashed at the same time."""

import asyncio
from threading import Event

import pytest

from api.services.password_hashing import PasswordThreads
from schemas.errors import MaskerUnavailable


def test_a_burst_in_one_turn_of_the_event_loop_is_bounded() -> None:
    gate = Event()

    async def burst() -> list[object]:
        threads = PasswordThreads(2, 3)
        calls = [asyncio.ensure_future(threads.run(lambda: gate.wait(30))) for _ in range(12)]
        await asyncio.wait(calls[5:], timeout=30)
        assert not any(call.done() for call in calls[:5])
        gate.set()
        first = await asyncio.gather(*calls, return_exceptions=True)
        again = await asyncio.gather(*(threads.run(lambda: True) for _ in range(5)))
        return [*first, *again]

    results = asyncio.run(burst())
    assert results[:5] == results[12:] == [True] * 5
    for refused in results[5:12]:
        assert isinstance(refused, MaskerUnavailable)
        assert refused.retry_after


def test_a_place_is_given_back_when_the_work_fails() -> None:
    async def fail() -> None:
        threads = PasswordThreads(1, 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await threads.run(lambda: 1 // 0)

    asyncio.run(fail())
