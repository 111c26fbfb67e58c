"""One attempt at one stage of a job: the lease, and every way in which the attempt can end."""

import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from pipeline.entities.proof import Proof
from schemas.errors import ErrorCode, MaskerUnavailable
from schemas.files import Format, JobState
from schemas.refusals import Reason
from schemas.stages import AFTER_PARTS, STAGE, Stage
from schemas.telemetry.metrics import FAILED_JOBS
from storage import report_key
from storage.jobs import endings, leases, objects, sweeps
from storage.jobs import objects as job_objects
from storage.jobs.leases import Claim, Limits
from storage.opening import Storage
from workers.artifacts import Artifacts
from workers.context import Context

_RENEWALS_PER_LEASE = 3


@contextmanager
def renewed(context: Context, claim: Claim) -> Iterator[None]:
    """Renews the lease in a thread until the block ends or the claim is lost; then fencing rejects later writes."""
    done = threading.Event()
    keeper = threading.Thread(
        target=_renew_until, args=(done, context, claim), name=f"lease-{claim.stage}", daemon=True
    )
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()


def _renew_until(done: threading.Event, context: Context, claim: Claim) -> None:
    lease_seconds = context.settings.lease_seconds
    while not done.wait(lease_seconds / _RENEWALS_PER_LEASE):
        try:
            with context.storage.database.transaction() as session:
                if not leases.renew(session, claim, lease_seconds=lease_seconds, now=context.clock()):
                    return
        except MaskerUnavailable:
            continue  # the next renewal may be in time


def destroy_leftovers(storage: Storage, job_id: UUID, state: JobState, kept: str | None) -> None:
    """Destroys the bytes that a job in a final state must not keep: all but the result `kept` of a ready job.

    Then the row says that nothing is left over.
    """
    if kept is None:
        objects.destroy_all(storage.objects, job_id)
    else:
        objects.destroy_all_but(storage.objects, job_id, kept)
    with storage.database.transaction() as session:
        sweeps.cleared(session, job_id, state)


log = logging.getLogger("masker.workers")

_FIRST_RETRY_SECONDS, _RETRY_GROWTH = 2, 4


class ClaimLost(Exception):
    """The job was deleted, or another attempt owns it: the work of this attempt must not count."""


class Run:
    """One attempt at one stage of a job, or at one part of it.

    Every move is one transaction, fenced by the attempt number, followed by the announcement of the next stage.
    ClaimLost when another attempt owns the job.
    """

    def __init__(self, context: Context, claim: Claim) -> None:
        self.context, self.claim = context, claim
        self.artifacts = Artifacts(context.storage.objects, claim)
        self.found: Mapping[str, int] = {}  # entities by type, if this stage counts them
        self._began = time.monotonic()

    @classmethod
    def claim_stage(cls, context: Context, stage: Stage, job_id: UUID, part: int | None) -> Self | None:
        """Takes the lease of what is to be done next; None when nothing waits.

        A message is a hint that something waits in its queue: whose turn it is, is decided now.
        """
        settings, now = context.settings, context.clock()
        limits = Limits(settings.lease_seconds, settings.max_attempts)
        with context.storage.database.transaction() as session:
            if part is None:
                claim = leases.claim(session, STAGE[stage].queue, limits, now=now, asked=job_id)
            else:
                claim = leases.claim_part(session, stage, limits, now=now, asked=job_id)
        return None if claim is None else cls(context, claim)

    def part_attempts(self, stage: Stage) -> dict[int, int]:
        """For each raster that was read at a stage, the attempt whose reading counts."""
        with self.context.storage.database.reading() as session:
            return leases.part_attempts(session, self.claim.job, stage)

    def report(self, proof: Proof) -> dict[str, Any]:
        """The proof as a signed report, which is stored with the job."""
        job = self.claim.job
        report = proof.report(
            Format(job.format),
            job.round,
            file_id=job.id,
            milliseconds=sum(job.timings.values()) + self.milliseconds(),
            verified_at=self.context.clock(),
        )
        return report_key.signed(self.context.storage.keyring, report).model_dump(mode="json")

    def advance(self, to: Stage, facts: Mapping[str, Any] | None = None, *, instead_of: Collection[Stage] = ()) -> None:
        """Moves the job to stage `to` and stores `facts` in its row.

        `instead_of`: earlier stages whose artifacts this attempt has written anew.
        """
        with self.context.storage.database.transaction() as session:
            moved = leases.advance(session, self.claim, to, facts=facts, instead_of=instead_of, **self._measures())
            _must(moved)
        self._announce(to)

    def split(self, to: Stage, parts: int) -> None:
        """Moves the job to a stage in parts: a message for each of the first, so that other jobs come in between."""
        at_once = self.context.settings.ocr_pages_at_once
        with self.context.storage.database.transaction() as session:
            _must(leases.split(session, self.claim, to, parts, at_once=at_once, **self._measures()))
        for part in range(min(parts, at_once)):
            self._announce(to, part)

    def finish_part(self) -> None:
        """Marks one raster as read and announces the next; the last one moves the job on."""
        with self.context.storage.database.transaction() as session:
            finished = leases.finish_part(session, self.claim, **self._measures())
        if finished is None:
            raise ClaimLost
        if finished.left == 0:
            self._announce(AFTER_PARTS[self.claim.stage])
        elif finished.due is not None:
            self._announce(self.claim.stage, finished.due)

    def hold(self) -> None:
        """Reserves the cost. InsufficientTokens."""
        free_per_day = self.context.settings.free_tokens_per_day
        with self.context.storage.database.transaction() as session:
            _must(endings.hold(session, self.claim, free_per_day=free_per_day, **self._measures()))
        self._announce(Stage.STORE)

    def publish(self, size_out: int) -> None:
        """Charges and makes the file ready in one transaction, then destroys input and artifacts."""
        measures = self._measures()
        with self.context.storage.database.transaction() as session:
            _must(
                endings.publish(
                    session, self.claim, size_out, milliseconds=measures["milliseconds"], now=measures["now"]
                )
            )
        self._destroy(JobState.READY, kept=job_objects.result_key(self.claim.job_id, self.claim.attempt))

    def fail(self, code: str, reason: Reason | None = None) -> None:
        """Fails the job and releases the hold in one transaction, then destroys every byte."""
        with self.context.storage.database.transaction() as session:
            failed = endings.fail(session, self.claim, code, reason, now=self.context.clock())
        if failed:
            FAILED_JOBS.labels(str(code)).inc()
            self._destroy(JobState.FAILED)
        else:
            self.discard()

    def try_again(self) -> None:
        """After a failure of the system: announces the stage again, later; fails the job after the last attempt."""
        settings = self.context.settings
        if self.claim.claims >= settings.max_attempts:
            self.fail(ErrorCode.INTERNAL_ERROR)
            return
        delay = min(settings.lease_seconds, _FIRST_RETRY_SECONDS * _RETRY_GROWTH ** (self.claim.claims - 1))
        retry_at = self.context.clock() + timedelta(seconds=delay)
        with self.context.storage.database.transaction() as session:
            ours = leases.relinquish(session, self.claim, retry_at=retry_at, lease_seconds=settings.lease_seconds)
        if ours:
            self._announce(self.claim.stage, self.claim.part, delay_seconds=delay)
        else:
            self.discard()

    def discard(self) -> None:
        """Destroys what this attempt wrote; everything of a job that is deleted or ended without a file."""
        objects, job_id, stage = self.context.storage.objects, self.claim.job_id, self.claim.stage
        with self.context.storage.database.reading() as session:
            job = leases.current(session, job_id)
        if job is None or job.state in (JobState.FAILED, JobState.EXPIRED):
            job_objects.destroy_all(objects, job_id)
        elif self.claim.part is None and job.outputs.get(stage) != self.claim.attempt:
            # If only the answer to the commit was lost, this attempt counts and its objects stay.
            amends = stage in (Stage.VERIFY, Stage.VERDICT)  # what was found
            written = (stage, Stage.DETECT) if amends else (stage,)
            for each in written:
                job_objects.destroy_attempt(objects, job_id, each, self.claim.attempt)

    def _destroy(self, state: JobState, kept: str | None = None) -> None:
        # The sweeper destroys later what cannot be destroyed now: the row says that objects are left over.
        with suppress(MaskerUnavailable, OSError):
            destroy_leftovers(self.context.storage, self.claim.job_id, state, kept)

    def _announce(self, stage: Stage, part: int | None = None, *, delay_seconds: float = 0) -> None:
        try:
            self.context.storage.queue.announce(stage, self.claim.job_id, part, delay_seconds=delay_seconds)
        except MaskerUnavailable:
            log.warning("the next stage was not announced: the sweeper will")

    def milliseconds(self) -> int:
        """Since the claim."""
        return round((time.monotonic() - self._began) * 1000)

    def _measures(self) -> dict[str, Any]:
        return {
            "milliseconds": self.milliseconds(),
            "lease_seconds": self.context.settings.lease_seconds,
            "now": self.context.clock(),
        }


def _must(moved: bool) -> None:
    if not moved:
        raise ClaimLost
