"""How far a job is, as a number that never goes backwards whatever happens to it."""

from schemas.files import JobState
from schemas.stages import STAGE, Stage, reached
from storage.job_tables import Job

_FINISHED = (JobState.READY.value, JobState.EXPIRED.value)


def progress(job: Job) -> float:
    """0 when it was just uploaded, 1 when its file is ready; a failed job stays where it was.

    At OCR every raster that was read counts. A round that repeats redaction and verification goes half of what was left
    of them, so that it moves on where their first round began.
    """
    if job.state in _FINISHED:
        return 1.0
    stage = Stage(job.stage)
    if stage is Stage.OCR:
        return round(reached(stage, job.parts - job.parts_left, job.parts), 4)
    if stage in (Stage.REDACT, Stage.VERIFY) and job.round > 1:
        left = (STAGE[Stage.BILL].begins - STAGE[Stage.VERIFY].begins) / float(2 ** (job.round - 1))
        return round(STAGE[Stage.BILL].begins - (left if stage is Stage.REDACT else left / 2), 4)
    return reached(stage)


def stage(job: Job) -> Stage | None:
    """The step that a job is at, or at which it failed; None when its file is or was ready."""
    return None if job.state in _FINISHED else Stage(job.stage)
