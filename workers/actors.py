"""One Dramatiq actor for each stage, on the stage's queue. Actors never raise: every outcome is in the jobs table."""

import logging
from contextlib import suppress
from uuid import UUID

from dramatiq import Broker, actor
from dramatiq.middleware import CurrentMessage
from opentelemetry.trace import SpanKind

from schemas.errors import ErrorCode, InsufficientTokens, MaskerUnavailable, StageFailed, type_name
from schemas.stages import AFTER_PARTS, STAGES, Queue, Stage, StageInfo
from schemas.telemetry.logs import bound
from schemas.telemetry.metrics import STAGE_SECONDS
from schemas.telemetry.tracing import TRACEPARENT, span
from workers.context import Context
from workers.run import ClaimLost, Run, renewed
from workers.stages import WORK

log = logging.getLogger("masker.workers")


def perform(
    context: Context, stage: Stage, job_id: UUID, part: int | None = None, *, traceparent: str | None = None
) -> None:
    """Works on a stage of the queue whose turn it is. Every failure ends in the jobs table, never in the broker.

    `stage`, `job_id`, `part`, `traceparent`: of the message that announced that something waits.
    """
    run = None
    with bound(**_names(job_id, stage, part)):
        try:
            run = Run.claim_stage(context, stage, job_id, part)
        except Exception as error:  # noqa: BLE001 - see _attempt
            log.error("a stage broke", extra={"error": type_name(error)})
    if run is None:
        return
    which = _names(run.claim.job_id, run.claim.stage, run.claim.part)
    parent = traceparent if run.claim.job_id == job_id else None  # whose turn it is may be another's
    with bound(**which), span(f"stage {run.claim.stage.value}", SpanKind.CONSUMER, parent=parent, **which) as traced:
        traced.set_attribute("masker.outcome", _attempt(run))


def _names(job_id: UUID, stage: Stage, part: int | None) -> dict[str, str | int]:
    return {"job_id": str(job_id), "stage": stage.value, **({} if part is None else {"part": part})}


def _attempt(run: Run) -> str:
    """How the attempt ended."""
    try:
        outcome = _work(run)
    except Exception as error:  # noqa: BLE001 - a traceback may hold text: it must reach neither broker nor log
        log.error("a stage broke", extra={"error": type_name(error)})
        outcome = "broken"
        with suppress(MaskerUnavailable, OSError):  # then the lease ends and the sweeper announces the stage again
            run.try_again()
    STAGE_SECONDS.labels(run.claim.stage.value, outcome).observe(run.milliseconds() / 1000)
    return outcome


def _work(run: Run) -> str:
    """Works, and says how it ended: done, failed, or late."""
    outcome = "failed"
    try:
        with renewed(run.context, run.claim):
            WORK[run.claim.stage](run)
    except ClaimLost:
        log.info("a stage came too late and is dropped")
        run.discard()
        outcome = "late"
    except StageFailed as failure:
        log.info("a stage failed the file", extra={"code": str(failure.code)})
        run.fail(failure.code, failure.reason)
    except InsufficientTokens:
        run.fail(ErrorCode.INSUFFICIENT_TOKENS)
    else:
        found = {"found": dict(sorted(run.found.items()))} if run.found else {}
        log.info("a stage is done", extra={"milliseconds": run.milliseconds(), **found})
        outcome = "done"
    return outcome


# Dramatiq priorities: in a worker of several queues, stages of milliseconds and whole files do not wait for pages.
_LIGHT_FIRST, _FILE, _PAGE = 0, 5, 10


def declare(broker: Broker, context: Context) -> None:
    """Registers the actors. They do not raise, so the broker keeps no message for a retry."""
    broker.add_middleware(CurrentMessage())
    for info in STAGES:
        _declare_stage(broker, context, info)


def _declare_stage(broker: Broker, context: Context, info: StageInfo) -> None:
    def work(job_id: str, part: int | None = None) -> None:
        message = CurrentMessage.get_current_message()
        traceparent = None if message is None else message.options.get(TRACEPARENT)
        perform(context, info.stage, UUID(job_id), part, traceparent=traceparent)

    of_queue = _LIGHT_FIRST if info.queue is Queue.LIGHT else _FILE
    priority = _PAGE if info.stage in AFTER_PARTS else of_queue
    actor(actor_name=info.stage.value, queue_name=info.queue.value, priority=priority, broker=broker)(work)
