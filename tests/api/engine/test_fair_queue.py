"""The fair queue: order, bounds, refusals, and callers that disconnect."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect

from api.engine.fair_queue import FairQueue, SharedCapacity
from schemas.errors import MaskerUnavailable


class Scene:
    """A queue, and callers that hold their slots until the test releases them."""

    def __init__(self, places: int = 1, most: int = 100, room: int = 100) -> None:
        self.places, self.room = places, SharedCapacity(room)
        self.queue = FairQueue(places, most, self.room, retry_after=7)
        self.served: list[str] = []
        self._leave: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def enter(self, name: str, gone: Callable[[], Awaitable[None]] | None = None) -> None:
        """`ann1` is Ann's first call."""
        self._leave[name] = asyncio.Event()

        async def call() -> None:
            await self.queue.acquire(name[:-1], gone)
            try:
                self.served.append(name)
                await self._leave[name].wait()
            finally:
                self.queue.release()

        self.tasks[name] = asyncio.create_task(call())
        await settle()

    async def leave(self, name: str) -> None:
        self._leave[name].set()
        await settle()

    async def clear(self) -> None:
        """Releases all callers. Nothing waits afterwards."""
        for event in self._leave.values():
            event.set()
        for task in self.tasks.values():
            with suppress(MaskerUnavailable, ClientDisconnect, asyncio.CancelledError):
                await task
        assert (self.queue.waiting, self.room.used) == (0, 0)
        for _ in range(self.places):
            await asyncio.wait_for(self.queue.acquire("last", None), 5)
        for _ in range(self.places):
            self.queue.release()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_callers_are_served_in_turn_however_many_calls_one_has() -> None:
    async def scene() -> None:
        one = Scene()
        for name in ("ann1", "ann2", "ann3", "ann4", "bob1", "eve1", "bob2"):
            await one.enter(name)
        for name in ("ann1", "ann2", "bob1", "eve1", "ann3", "bob2", "ann4"):
            assert one.served[-1] == name
            await one.leave(name)
        assert one.served == ["ann1", "ann2", "bob1", "eve1", "ann3", "bob2", "ann4"]
        await one.clear()

    asyncio.run(scene())


def test_as_many_run_at_once_as_there_are_slots() -> None:
    async def scene() -> None:
        one = Scene(places=2)
        for name in ("ann1", "ann2", "ann3"):
            await one.enter(name)
        assert (one.served, one.queue.waiting) == (["ann1", "ann2"], 1)
        await one.leave("ann2")
        assert one.served == ["ann1", "ann2", "ann3"]
        await one.clear()

    asyncio.run(scene())


@pytest.mark.parametrize(("most", "room"), [(2, 100), (100, 2)])
def test_a_full_queue_refuses(most: int, room: int) -> None:
    async def scene() -> None:
        one = Scene(most=most, room=room)
        for name in ("ann1", "ann2", "bob1", "eve1"):
            await one.enter(name)
        with pytest.raises(MaskerUnavailable) as refused:
            await one.tasks["eve1"]
        assert refused.value.retry_after == 7
        assert one.queue.waiting == 2
        await one.clear()

    asyncio.run(scene())


def test_without_a_waiting_place_a_second_call_is_refused() -> None:
    async def scene() -> None:
        one = Scene(most=0, room=0)
        await one.enter("ann1")
        await one.enter("bob1")
        with pytest.raises(MaskerUnavailable):
            await one.tasks["bob1"]
        await one.leave("ann1")
        await one.enter("bob2")
        assert one.served == ["ann1", "bob2"]
        await one.clear()

    asyncio.run(scene())


def test_a_caller_that_fills_the_queue_gives_a_place_to_others() -> None:
    async def scene() -> None:
        one = Scene(most=3)
        for name in ("ann1", "ann2", "ann3", "ann4", "bob1"):
            await one.enter(name)
        with pytest.raises(MaskerUnavailable):
            await one.tasks["ann4"]  # the last of the longest line
        await one.leave("ann1")
        await one.leave("ann2")
        assert one.served == ["ann1", "ann2", "bob1"]
        await one.clear()

    asyncio.run(scene())


def test_two_queues_share_a_capacity() -> None:
    async def scene() -> None:
        one, other = Scene(room=1), Scene()
        other.room = one.room
        other.queue = FairQueue(1, 100, one.room, 7)
        for queue in (one, other):
            await queue.enter("ann1")
        await one.enter("ann2")
        await other.enter("bob1")
        with pytest.raises(MaskerUnavailable):
            await other.tasks["bob1"]
        await one.leave("ann1")
        await other.enter("bob2")
        assert other.queue.waiting == 1
        await other.clear()
        await one.clear()

    asyncio.run(scene())


def test_a_caller_that_disconnects_frees_its_place() -> None:
    async def scene() -> None:
        one, wait_for_disconnect = Scene(most=1), asyncio.Event()

        async def gone() -> None:
            await wait_for_disconnect.wait()

        await one.enter("ann1")
        await one.enter("bob1", gone)
        wait_for_disconnect.set()
        with pytest.raises(ClientDisconnect):
            await one.tasks["bob1"]
        assert one.queue.waiting == 0
        await one.enter("eve1")
        await one.leave("ann1")
        assert one.served == ["ann1", "eve1"]
        await one.clear()

    asyncio.run(scene())


def test_a_slot_for_a_caller_that_just_left_goes_to_the_next() -> None:
    async def scene() -> None:
        one = Scene()
        for name in ("ann1", "bob1", "eve1"):
            await one.enter(name)
        one._leave["ann1"].set()
        await asyncio.sleep(0)  # the place is on its way to Bob
        one.tasks["bob1"].cancel()
        await settle()
        assert one.served == ["ann1", "eve1"]
        await one.clear()

    asyncio.run(scene())


@settings(max_examples=60)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["enter", "leave", "cancel", "gone"]), st.integers(0, 20), st.sampled_from("abc")),
        max_size=40,
    ),
    places=st.integers(1, 3),
    most=st.integers(0, 4),
)
def test_no_slot_is_lost_or_given_twice(steps: list[tuple[str, int, str]], places: int, most: int) -> None:
    """In any order of events: never more callers at work than slots, never more waiting than the capacity."""

    async def scene() -> None:
        one = Scene(places, most)
        gone: dict[str, asyncio.Event] = {}
        for number, (what, which, caller) in enumerate(steps):
            names = list(one.tasks)
            if what == "enter":
                name = f"{caller}{chr(200 + number)}"
                gone[name] = asyncio.Event()
                await one.enter(name, gone[name].wait)  # type: ignore[arg-type]
            elif names:
                name = names[which % len(names)]
                if what == "leave":
                    one._leave[name].set()
                elif what == "cancel":
                    one.tasks[name].cancel()
                else:
                    gone[name].set()
                if which % 2:
                    await settle()
            working = [name for name in one.served if not one.tasks[name].done()]
            assert len(working) <= places or not which % 2
            assert one.queue.waiting <= most
        await settle()
        await one.clear()

    asyncio.run(scene())
