"""Leases: a stage of a job is claimed by one attempt, and only the attempt that owns the job can move it (fencing)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, bindparam, or_, select, union_all, update
from sqlalchemy import func as sql
from sqlalchemy.sql.dml import ReturningUpdate
from sqlmodel import Session, col

from schemas.files import JobState
from schemas.stages import AFTER_PARTS, STAGE, STAGES, Queue, Stage, progress_at
from storage.database import changed
from storage.jobs.tables import Job, JobPart

_OLDEST = 2048  # jobs of each stage, or parts, that are looked at when a worker asks whose turn it is
_CANDIDATES = 32  # jobs or parts that it tries to take: others may be faster
RUNNING = (JobState.QUEUED.value, JobState.PROCESSING.value)
# The columns that count the parts of a stage: all of them, and those that are left.
_COUNTERS = {Stage.OCR: ("parts", "parts_left"), Stage.REREAD: ("rereads", "rereads_left")}


@dataclass(frozen=True, slots=True)
class Claim:
    """The right of one attempt to work on one stage of a job, or on one part of it.

    `attempt` is the fencing token, `claims` the number of claims of this stage including this one, `job` the row at
    that time.
    """

    job: Job
    stage: Stage
    attempt: int
    claims: int
    part: int | None = None

    @property
    def parts_left(self) -> int:
        """The parts of the stage that were not done at that time, this one among them; 1 for a stage without parts."""
        counter = _COUNTERS.get(self.stage)
        return getattr(self.job, counter[1]) if counter else 1

    @property
    def job_id(self) -> UUID:
        """The id of the job."""
        return self.job.id


class Limits(NamedTuple):
    """Seconds of a lease without renewal, and the most claims of one stage."""

    lease_seconds: float
    max_attempts: int


def claim(session: Session, queue: Queue, limits: Limits, *, now: datetime, asked: UUID) -> Claim | None:
    """Takes the lease of a job that waits at a stage of a queue: of an account of which the fewest are under way there.

    Among those the job that was `asked` for comes first, and then who waits longest. None when nothing waits.
    """
    connection = session.connection()
    values = {"moment": now, "most": limits.max_attempts}
    until = now + timedelta(seconds=limits.lease_seconds)
    turns = connection.execute(_WHOSE_TURN[queue], {**values, "asked": asked}).all()
    for job_id, stage in turns:
        taking = {**values, "job": job_id, "at": stage, "until": until}
        row = connection.execute(_CLAIM, taking).mappings().first()
        if row is not None:  # else another worker was faster
            job = Job(**row)
            return Claim(job, Stage(stage), job.attempt, job.claims)
    return None


_jobs = Job.__table__.c  # type: ignore[attr-defined]
_is_free_now = (
    or_(_jobs.lease_until.is_(None), _jobs.lease_until <= bindparam("moment")),
    _jobs.claims < bindparam("most"),
)


def _whose_turn(stages: Sequence[str]) -> Select[UUID, str]:
    """The jobs that wait at some stages and their stage, in the order in which they should be taken.

    Of a long queue only those that wait longest are looked at, and the one that was asked for. All is read by indexes,
    whatever the number of jobs.
    """
    waiting = select(_jobs.id, _jobs.stage, _jobs.account_id, _jobs.waiting_since).where(
        _jobs.state.in_(RUNNING), _jobs.due_at.is_not(None), *_is_free_now
    )
    oldest = (waiting.where(_jobs.stage == stage).order_by(_jobs.waiting_since).limit(_OLDEST) for stage in stages)
    asked = waiting.where(_jobs.stage.in_(stages), _jobs.id == bindparam("asked"))
    looked_at = union_all(asked, *(select(each.subquery()) for each in oldest)).subquery()
    under_way = (
        select(_jobs.account_id)
        .where(_jobs.stage.in_(stages), _jobs.lease_until > bindparam("moment"))
        .order_by(_jobs.lease_until)
        .limit(_OLDEST)
        .subquery()
    )
    busy = select(under_way, sql.count().label("stages")).group_by(under_way.c.account_id).subquery()
    return (
        select(looked_at.c.id, looked_at.c.stage)
        .outerjoin(busy, busy.c.account_id == looked_at.c.account_id)
        .order_by(sql.coalesce(busy.c.stages, 0), looked_at.c.id != bindparam("asked"), looked_at.c.waiting_since)
        .limit(_CANDIDATES)
    )


def _claim() -> ReturningUpdate[Any]:
    return (
        update(Job.__table__)  # type: ignore[attr-defined]
        .where(
            _jobs.id == bindparam("job"),
            _jobs.stage == bindparam("at"),
            _jobs.state.in_(RUNNING),
            *_is_free_now,
        )
        .values(
            state=JobState.PROCESSING.value,
            attempt=_jobs.attempt + 1,
            claims=_jobs.claims + 1,
            lease_until=bindparam("until"),
            due_at=bindparam("until"),
            announcements=0,
        )
        .returning(*_jobs)
    )


# Built once, and without the ORM: every stage of every job begins with two of them, and building one takes longer than
# running it. A queue's stages are those that work on whole files.
_WHOSE_TURN = {
    queue: _whose_turn([row.stage.value for row in STAGES if row.queue is queue and row.stage not in AFTER_PARTS])
    for queue in Queue
    if queue not in {STAGE[stage].queue for stage in AFTER_PARTS}
}
_CLAIM = _claim()


def claim_part(session: Session, stage: Stage, limits: Limits, *, now: datetime, asked: UUID) -> Claim | None:
    """Takes the lease of a raster that waits at `stage`: of an account of which the fewest are being read just now.

    Among those the job that was `asked` for comes first, and then who waits longest. None when nothing waits.
    """
    until = now + timedelta(seconds=limits.lease_seconds)
    for job_id, part in session.execute(_fair(stage, limits, now, asked)).all():
        job = current(session, job_id)
        if job is None or job.state not in RUNNING or job.stage != stage.value:
            continue
        row = session.execute(
            update(JobPart)
            .where(*_of_stage(job, stage), col(JobPart.part) == part, *_is_free(limits, now))
            .values(
                attempt=col(JobPart.attempt) + 1,
                claims=col(JobPart.claims) + 1,
                lease_until=until,
                due_at=until,
                announcements=0,
            )
            .returning(col(JobPart.attempt), col(JobPart.claims))
        ).first()
        if row is not None:  # else another worker was faster
            return Claim(job, stage, row[0], row[1], part)
    return None


def _fair(stage: Stage, limits: Limits, now: datetime, asked: UUID) -> Select[UUID, int]:
    """The jobs and numbers of parts that wait at a stage and are due, in the order in which they should be read.

    Of a long queue only those that wait longest are looked at; both subqueries follow an index, whatever the number of
    parts. A part that was given back, or whose worker died, keeps its place.
    """
    waiting = (
        select(JobPart)
        .where(col(JobPart.stage) == stage.value, col(JobPart.due_at).is_not(None), *_is_free(limits, now))
        .order_by(col(JobPart.waiting_since))
        .limit(_OLDEST)
        .subquery()
    )
    busy = (
        select(col(Job.account_id), sql.count().label("parts"))
        .join(JobPart, col(JobPart.job_id) == col(Job.id))
        .where(col(JobPart.stage) == stage.value, col(JobPart.lease_until) > now)
        .group_by(col(Job.account_id))
        .subquery()
    )
    return (
        select(waiting.c.job_id, waiting.c.part)
        .join(Job, (col(Job.id) == waiting.c.job_id) & (col(Job.round) == waiting.c.round))
        .outerjoin(busy, busy.c.account_id == col(Job.account_id))
        .where(col(Job.stage) == stage.value, col(Job.state).in_(RUNNING))
        .order_by(sql.coalesce(busy.c.parts, 0), waiting.c.job_id != asked, waiting.c.waiting_since, waiting.c.part)
        .limit(_CANDIDATES)
    )


def _is_free(limits: Limits, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        col(JobPart.done).is_(False),
        or_(col(JobPart.lease_until).is_(None), col(JobPart.lease_until) <= now),
        col(JobPart.claims) < limits.max_attempts,
    )


def renew(session: Session, claim: Claim, *, lease_seconds: float, now: datetime) -> bool:
    """Prolongs the lease; False when another attempt owns it and the work must stop."""
    return _give_lease(session, claim, now + timedelta(seconds=lease_seconds), now + timedelta(seconds=lease_seconds))


def relinquish(session: Session, claim: Claim, *, retry_at: datetime, lease_seconds: float) -> bool:
    """Ends the lease so that the stage can be claimed again from `retry_at` on; False when another attempt owns it."""
    return _give_lease(session, claim, retry_at, retry_at + timedelta(seconds=lease_seconds))


def _give_lease(session: Session, claim: Claim, until: datetime, due_at: datetime) -> bool:
    if claim.part is None:
        statement = update(Job).where(*owned(claim)).values(lease_until=until, due_at=due_at)
    else:
        statement = update(JobPart).where(*owned_part(claim)).values(lease_until=until, due_at=due_at)
    return changed(session, statement) == 1


def advance(
    session: Session,
    claim: Claim,
    to: Stage,
    *,
    milliseconds: int,
    lease_seconds: float,
    now: datetime,
    facts: Mapping[str, Any] | None = None,
    instead_of: Collection[Stage] = (),
) -> bool:
    """Moves the job to `to` and stores `facts` (columns); False when another attempt owns the job.

    `instead_of`: earlier stages whose artifacts this attempt has written anew.
    """
    values = _moved(to, now, lease_seconds) | finished(claim, milliseconds, instead_of) | dict(facts or {})
    return changed(session, update(Job).where(*owned(claim)).values(**values)) == 1


def split(
    session: Session,
    claim: Claim,
    to: Stage,
    parts: int,
    *,
    at_once: int,
    milliseconds: int,
    lease_seconds: float,
    now: datetime,
) -> bool:
    """Moves the job to `to` in `parts` parts (at least one), of which `at_once` are due at first.

    False when another attempt owns the job.
    """
    every, left = _COUNTERS[to]
    values = _moved(to, now, lease_seconds) | finished(claim, milliseconds)
    values |= {every: parts, left: parts, "due_at": None}  # from here on the parts are due, each by itself
    if not changed(session, update(Job).where(*owned(claim)).values(**values)):
        return False
    due_at = now + timedelta(seconds=lease_seconds)
    for part in range(parts):
        row = JobPart(job_id=claim.job_id, stage=to.value, round=part_round(claim.job, to), part=part)
        if part < at_once:
            row.waiting_since, row.due_at = now, due_at
        session.add(row)
    session.flush()
    return True


class PartFinished(NamedTuple):
    """How many parts are left, 0 when the next stage is to be announced, and the part that is due now, if any."""

    left: int
    due: int | None


def finish_part(
    session: Session, claim: Claim, *, milliseconds: int, lease_seconds: float, now: datetime
) -> PartFinished | None:
    """Marks a part as read, and makes the next one due that is not yet. None when another attempt owns it."""
    # Job before part, as everywhere; with its row locked, of two parts that finish together one sees zero.
    job = locked(session, claim.job_id)
    done = update(JobPart).where(*owned_part(claim)).values(done=True, lease_until=None, due_at=None)
    if job is None or job.state not in RUNNING or not changed(session, done):
        return None
    _, counter = _COUNTERS[claim.stage]
    left: int = getattr(job, counter) - 1
    values = {counter: left, "timings": _timings(job, claim.stage, milliseconds)}
    if left == 0:
        values |= _moved(AFTER_PARTS[claim.stage], now, lease_seconds)
    changed(session, update(Job).where(col(Job.id) == job.id).values(**values))
    waiting = (*_of_stage(job, claim.stage), col(JobPart.done).is_(False), col(JobPart.due_at).is_(None))
    following = session.scalar(select(sql.min(JobPart.part)).where(*waiting))
    if following is not None:
        due = update(JobPart).where(*waiting, col(JobPart.part) == following)
        changed(session, due.values(waiting_since=now, due_at=now + timedelta(seconds=lease_seconds)))
    return PartFinished(left, following)


def current(session: Session, job_id: UUID) -> Job | None:
    """The row at this moment."""
    return session.get(Job, job_id, populate_existing=True)


def part_attempts(session: Session, job: Job, stage: Stage) -> dict[int, int]:
    """For each part that was read at a stage, in this round, the attempt whose reading counts."""
    parts = session.scalars(select(JobPart).where(*_of_stage(job, stage), col(JobPart.done)))
    return {row.part: row.attempt for row in parts}


def part_round(job: Job, stage: Stage) -> int:
    """The round of the parts of a stage: the input is read once, an output in each round."""
    return 1 if stage is Stage.OCR else job.round


def _of_stage(job: Job, stage: Stage) -> tuple[ColumnElement[bool], ...]:
    return (
        col(JobPart.job_id) == job.id,
        col(JobPart.stage) == stage.value,
        col(JobPart.round) == part_round(job, stage),
    )


def locked(session: Session, job_id: UUID) -> Job | None:
    """The row, locked until the transaction ends. Lock jobs always before their parts."""
    return session.scalars(
        select(Job).where(col(Job.id) == job_id).with_for_update().execution_options(populate_existing=True)
    ).first()


def owned(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    """The fencing condition: true for a job's row only while this claim owns it."""
    return (
        col(Job.id) == claim.job_id,
        col(Job.stage) == claim.stage.value,
        col(Job.attempt) == claim.attempt,
        col(Job.state) == JobState.PROCESSING.value,
    )


def owned_part(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    """The fencing condition of a part."""
    return (
        *_of_stage(claim.job, claim.stage),
        col(JobPart.part) == claim.part,
        col(JobPart.attempt) == claim.attempt,
        col(JobPart.done).is_(False),
    )


def _moved(to: Stage, now: datetime, lease_seconds: float) -> dict[str, Any]:
    return {
        "stage": to.value,
        "claims": 0,
        "announcements": 0,
        "lease_until": None,
        "waiting_since": now,
        "due_at": now + timedelta(seconds=lease_seconds),
    }


def finished(claim: Claim, milliseconds: int, instead_of: Collection[Stage] = ()) -> dict[str, Any]:
    """The columns that a finished stage sets: whose artifacts count, and its milliseconds over all rounds."""
    written = {stage.value: claim.attempt for stage in (claim.stage, *instead_of)}
    return {
        "outputs": claim.job.outputs | written,
        "timings": _timings(claim.job, claim.stage, milliseconds),
    }


def _timings(job: Job, stage: Stage, milliseconds: int) -> dict[str, int]:
    return job.timings | {stage.value: job.timings.get(stage.value, 0) + milliseconds}


# How far a job is, as a number that never goes backwards whatever happens to it.

_FINISHED = (JobState.READY.value, JobState.EXPIRED.value)
# In a second round: the share of its progress at which each stage starts.
_OF_ROUND = {Stage.REDACT: 0.0, Stage.VERIFY: 0.4, Stage.REREAD: 0.5, Stage.VERDICT: 0.9}


def progress(job: Job) -> float:
    """From 0 (uploaded) to 1 (ready); never falls. A failed job keeps its last value.

    Every raster that was read counts. A second round of redaction and verification takes half of the share that was
    left of them, so that progress continues where the first round ended.
    """
    if job.state in _FINISHED:
        return 1.0
    stage = Stage(job.stage)
    parts, left = (getattr(job, name) for name in _COUNTERS[stage]) if stage in _COUNTERS else (0, 0)
    if job.round > 1 and stage in _OF_ROUND:
        share = _OF_ROUND[stage]
        if parts:
            share += (_OF_ROUND[Stage.VERDICT] - share) * (parts - left) / parts
        end = STAGE[Stage.BILL].starts_at
        rest = (end - STAGE[Stage.VERIFY].starts_at) / float(2 ** (job.round - 1))
        return round(end - rest + share * rest / 2, 4)
    return round(progress_at(stage, parts - left, parts), 4)


def stage(job: Job) -> Stage | None:
    """The stage that a job is at, or at which it failed; None when its file is or was ready."""
    return None if job.state in _FINISHED else Stage(job.stage)
