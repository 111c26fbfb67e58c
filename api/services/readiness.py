"""Checks whether the database, the broker and the object store answer, all at once and within five seconds."""

from collections.abc import Callable

from anyio import create_task_group, move_on_after, to_thread

from api.services.container import Services
from schemas.errors import MaskerUnavailable

_TIMEOUT_SECONDS = 5


async def check(services: Services) -> dict[str, str]:
    """`ok` or `unavailable` for `database`, `broker` and `object_store`."""
    probes: dict[str, Callable[[], None]] = {
        "database": services.storage.database.ping,
        "broker": services.storage.queue.ping,
        "object_store": services.storage.objects.ping,
    }
    states = dict.fromkeys(probes, "unavailable")

    async def probe(name: str) -> None:
        try:
            await to_thread.run_sync(probes[name], abandon_on_cancel=True)
        except MaskerUnavailable:
            return
        states[name] = "ok"

    with move_on_after(_TIMEOUT_SECONDS):
        async with create_task_group() as group:
            for name in probes:
                group.start_soon(probe, name)
    return states
