"""Sends messages to the queue: announces stages by actor name, so that callers import no worker code."""

from uuid import UUID

from dramatiq import Broker, Message
from dramatiq.brokers.redis import RedisBroker
from dramatiq.errors import BrokerConnectionError
from redis.exceptions import RedisError

from schemas.errors import MaskerUnavailable
from schemas.stages import STAGE, Queue, Stage
from schemas.telemetry.metrics import UNAVAILABLE
from schemas.telemetry.tracing import TRACEPARENT, traceparent


class StageQueue:
    """Messages that hold ids only, of the job and of its trace, on the queue of each stage.

    MaskerUnavailable when the broker cannot be reached.
    """

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        for queue in Queue:
            broker.declare_queue(queue.value)

    def announce(self, stage: Stage, job_id: UUID, part: int | None = None, *, delay_seconds: float = 0) -> None:
        """Announces that a stage (for OCR: one part) can be claimed, now or after a delay."""
        message: Message[None] = Message(
            queue_name=STAGE[stage].queue.value,
            actor_name=stage.value,
            args=(str(job_id),) if part is None else (str(job_id), part),
            kwargs={},
            options={} if (trace := traceparent()) is None else {TRACEPARENT: trace},
        )
        try:
            self._broker.enqueue(message, delay=round(delay_seconds * 1000) or None)
        except (BrokerConnectionError, RedisError) as error:
            UNAVAILABLE.labels("queue").inc()
            raise MaskerUnavailable from error

    @property
    def is_heard(self) -> bool:
        """False when the broker is in this process and no worker is, as in a lone `masker sweep`."""
        return isinstance(self._broker, RedisBroker) or bool(self._broker.actors)

    def ping(self) -> None:
        """MaskerUnavailable when the broker does not answer."""
        if isinstance(self._broker, RedisBroker):
            try:
                self._broker.client.ping()
            except RedisError as error:
                UNAVAILABLE.labels("queue").inc()
                raise MaskerUnavailable from error
