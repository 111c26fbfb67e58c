"""One Dramatiq actor per stage, on the stage's queue: they parse ids and carry the job one step."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from uuid import UUID

from dramatiq import Broker, actor

from schemas.errors import ErrorCode, InsufficientTokens, MaskerUnavailable, StageFailed, Unprocessable
from schemas.stages import STAGES, Queue, Stage, StageInfo
from workers.context import Context
from workers.run import ClaimLost, Run, kept
from workers.stages import WORK

# The border between queue and work: takes one message through claim, lease and stage, and never raises.

log = logging.getLogger("masker.workers")


def carry(context: Context, stage: Stage, job_id: UUID, part: int | None = None) -> None:
    """Works on a stage of a job if it can be claimed. Whatever goes wrong ends in the jobs table, not in the broker."""
    run = None
    try:
        run = Run.claim_stage(context, stage, job_id, part)
        if run is not None:
            _work(run)
    except Exception as error:  # noqa: BLE001 - the border: a traceback may hold text and must not reach broker or log
        log.error("job %s: %s broke with %s", job_id, stage, type(error).__name__)
        if run is not None:
            with suppress(MaskerUnavailable, OSError):  # then the lease runs out and the sweeper takes over
                run.try_again()


def _work(run: Run) -> None:
    try:
        with kept(run.context, run.claim):
            WORK[run.claim.stage](run)
    except ClaimLost:
        log.info("job %s: %s came too late and is dropped", run.claim.job_id, run.claim.stage)
        run.let_go()
    except StageFailed as failure:
        log.info("job %s: %s failed with %s", run.claim.job_id, run.claim.stage, failure.code)
        run.fail(failure.code, failure.reason)
    except InsufficientTokens:
        run.fail(ErrorCode.INSUFFICIENT_TOKENS)
    except Unprocessable as refusal:  # terms that overlap too often in this text: they will the next time too
        log.info("job %s: %s refused it: %s", run.claim.job_id, run.claim.stage, refusal.detail)
        run.fail(ErrorCode.REDACTION_INCOMPLETE)
    else:
        log.info("job %s: stage=%s ms=%d%s", run.claim.job_id, run.claim.stage, run.milliseconds(), _counts(run.found))


def _counts(found: Mapping[str, int]) -> str:
    return " found=" + ",".join(f"{kind}:{count}" for kind, count in sorted(found.items())) if found else ""


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
