"""The message broker: Redis, or one inside the process. Without Redis, API and workers must share the same object."""

from collections.abc import Callable
from typing import Any

from dramatiq import Broker, Consumer
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.common import q_name
from dramatiq.errors import ConnectionClosed
from redis import Redis
from redis.exceptions import RedisError

from schemas.settings import InvalidSettings

POLL_MILLISECONDS = 50  # a job passes seven queues: Dramatiq's own second of idling would be most of a small job's time


def open_broker(redis_url: str | None) -> Broker:
    """A Redis broker, or without an address one inside this process. Connects to nothing yet.

    It has no middleware: leases and attempts of the jobs table replace retries, and Dramatiq's own retries would store
    tracebacks, which may hold text. InvalidSettings for a malformed address.
    """
    if redis_url is None:
        return StubBroker(middleware=[])
    try:
        client = Redis.from_url(redis_url, socket_connect_timeout=5, socket_timeout=10, health_check_interval=30)
    except ValueError:
        raise InvalidSettings("MASKER_REDIS_URL: not a Redis address") from None
    return PromptRedisBroker(client=client, middleware=[])  # type: ignore[no-untyped-call]


class PromptRedisBroker(RedisBroker):
    """A Redis broker whose idle consumers poll every 25-50 ms and prefetch little.

    Dramatiq's idle consumers sleep up to their worker's timeout (1 s). Measured cost of five such queues in one idle
    process: about 130 commands a second.
    """

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 5000) -> Consumer:
        """The consumer of one queue. Workers ask for twice as many messages as they have threads: half are enough."""
        if queue_name != q_name(queue_name):  # a queue of delayed messages: to be held, not run, and in no hurry
            return super().consume(queue_name, prefetch, timeout)
        return super().consume(queue_name, max(1, prefetch // 2), min(timeout, POLL_MILLISECONDS))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A script of Dramatiq (`do_…`), by which every message moves.

        Consumers survive a ConnectionClosed alone; another error, as of a Redis that is frozen, ends their thread for
        good where it comes while a delayed message is moved or given back.
        """
        script: Callable[..., Any] = super().__getattr__(name)  # type: ignore[no-untyped-call]

        def run(*arguments: object) -> Any:
            try:
                return script(*arguments)
            except RedisError as error:
                raise ConnectionClosed(error) from None  # type: ignore[no-untyped-call]

        return run
