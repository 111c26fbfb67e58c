"""One Dramatiq actor per stage, on the stage's queue: they parse ids and carry the job one step."""

from uuid import UUID

from dramatiq import Broker, actor

from schemas.stages import STAGES, Queue, StageInfo
from workers.carry import carry
from workers.context import Context

_LIGHT_FIRST, _HEAVY = 0, 10  # where one worker serves several queues, what takes milliseconds does not wait for OCR


def declare(broker: Broker, context: Context) -> None:
    """Registers the actors. They never raise for a job's sake, so the broker has nothing to retry or to remember."""
    for info in STAGES:
        _declare_stage(broker, context, info)


def _declare_stage(broker: Broker, context: Context, info: StageInfo) -> None:
    def work(job_id: str, part: int | None = None) -> None:
        carry(context, info.stage, UUID(job_id), part)

    priority = _LIGHT_FIRST if info.queue is Queue.LIGHT else _HEAVY
    actor(actor_name=info.stage.value, queue_name=info.queue.value, priority=priority, broker=broker)(work)
