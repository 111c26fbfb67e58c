"""The same journey on PostgreSQL, Redis and S3 with workers as processes of their own."""

import signal

import pytest

from schemas.files import JobState
from tests.faults.plant import Plant
from tests.workers.workshop import SECRETS


def test_a_csv_comes_out_clean_and_is_charged_once(plant: Plant) -> None:
    with plant.worker() as worker:
        job_id = plant.upload()
        job = plant.finished(job_id)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=30) == 0
    assert (job.state, job.error_code) == (JobState.READY, None)
    assert not [secret for secret in SECRETS if secret in plant.result(job_id)]
    assert plant.kinds() == ["hold", "settle"]
    assert plant.spent() == job.word_count
    assert len(plant.keys()) == 1


@pytest.mark.slow
def test_a_job_announced_while_no_worker_ran_is_done_by_the_next(plant: Plant) -> None:
    job_id = plant.upload()
    with plant.worker():
        assert plant.finished(job_id).state == JobState.READY


def test_a_job_whose_message_was_lost_is_done(plant: Plant) -> None:
    job_id = plant.upload()
    plant.storage.broker.flush_all()
    with plant.worker():
        assert plant.finished(job_id).state == JobState.READY
