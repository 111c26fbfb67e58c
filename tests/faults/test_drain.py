"""SIGTERM in the middle of a stage: it ends before its worker does, or another worker does it. It is charged once."""

import time
from pathlib import Path
from subprocess import Popen
from uuid import UUID

import pytest

from schemas.files import JobState
from schemas.stages import Stage
from tests.faults.plant import PATIENCE, SABOTAGED, Plant

pytestmark = pytest.mark.slow
# A parser's child runs; all is written and nothing committed; money moves with the next line.
PLACES = pytest.mark.parametrize(
    ("stage", "point"), [(Stage.REDACT, "working"), (Stage.DETECT, "saved"), (Stage.STORE, "saved")]
)
ENDS = 3.0  # seconds: a worker process looks once a second whether it shall end


def trap(folder: Path, stage: Stage, point: str) -> dict[str, str]:
    return {
        "FAULT_STAGE": stage.value,
        "FAULT_POINT": point,
        "FAULT_MARKER": str(folder / "sprung"),
        "FAULT_UNTIL": str(folder / "go on"),
    }


def stopped_in_a_stage(plant: Plant, worker: Popen[bytes], folder: Path) -> tuple[UUID, int]:
    """The job that is at the trap, and which attempt is; the worker has its SIGTERM."""
    job_id = plant.upload()
    plant.wait((folder / "sprung").exists, bool)
    worker.terminate()
    return job_id, plant.job(job_id).attempt


@PLACES
def test_a_stage_ends_before_its_worker_does_which_begins_no_other(
    plant: Plant, tmp_path: Path, stage: Stage, point: str
) -> None:
    with plant.worker(SABOTAGED, **trap(tmp_path, stage, point)) as worker:
        job_id, attempt = stopped_in_a_stage(plant, worker, tmp_path)
        time.sleep(ENDS)
        assert worker.poll() is None, plant.log()
        (tmp_path / "go on").touch()
        assert worker.wait(PATIENCE) == 0
    job = plant.job(job_id)
    assert (job.outputs[stage.value], job.attempt) == (attempt, attempt)
    assert (job.state == JobState.READY) is (stage == Stage.STORE)
    with plant.worker():
        assert plant.check_whole(job_id).outputs[stage.value] == attempt


@PLACES
def test_a_stage_that_takes_too_long_is_cut_off_and_done_by_another_worker(
    plant: Plant, tmp_path: Path, stage: Stage, point: str
) -> None:
    """Which hears of it when its lease ends; nobody renews that any more."""
    with plant.worker(SABOTAGED, **trap(tmp_path, stage, point), FAULT_DRAIN_SECONDS="2") as worker:
        job_id, attempt = stopped_in_a_stage(plant, worker, tmp_path)
        assert worker.wait(PATIENCE) == 0
    job = plant.job(job_id)
    assert (job.stage, job.attempt, job.state) == (stage, attempt, JobState.PROCESSING)
    with plant.worker():
        assert plant.check_whole(job_id).outputs[stage.value] > attempt
