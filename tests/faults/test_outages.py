"""Database, broker or object store go away in the middle of a job: it waits, and ends ready, charged once."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from schemas.files import JobState
from schemas.stages import Stage
from storage.jobs.tables import Job
from tests.faults.cable import Cable
from tests.faults.plant import Plant
from tests.workers.workshop import CSV, SECRETS

WIRES = {"database": "MASKER_DATABASE_URL", "broker": "MASKER_REDIS_URL", "objects": "MASKER_S3_ENDPOINT_URL"}
STAGES = list(Stage)


@pytest.fixture(params=WIRES)
def cable(request: pytest.FixtureRequest, plant: Plant) -> Iterator[Cable]:
    """The wire from workers to one server; the test itself has wires of its own."""
    variable = WIRES[request.param]
    place = urlsplit(plant.environment[variable])
    assert place.hostname and place.port
    cable = Cable(place.hostname, place.port)
    user, at, _ = place.netloc.rpartition("@")
    plant.environment[variable] = place._replace(netloc=f"{user}{at}127.0.0.1:{cable.port}").geturl()
    yield cable
    cable.close()


@pytest.mark.slow
def test_an_outage_delays_and_loses_nothing(plant: Plant, cable: Cable) -> None:
    def is_under_way(job: Job) -> bool:
        return STAGES.index(Stage(job.stage)) >= STAGES.index(Stage.EXTRACT)

    with plant.worker():
        plant.finished(plant.upload(CSV))  # every connection is warm
        job_id = plant.upload(CSV)
        plant.wait(lambda: plant.job(job_id), is_under_way)
        cable.cut()
        waiting = plant.upload(CSV)
        plant.wait(plant.log, lambda log: "a stage broke" in log or "connection error" in log)
        cable.mend()
        for each in (job_id, waiting):
            job = plant.finished(each)
            assert (job.state, job.error_code) == (JobState.READY, None), plant.log()
            assert not [secret for secret in SECRETS if secret in plant.result(each)]
    assert plant.kinds().count("hold") == plant.kinds().count("settle") == 3
    assert len(plant.keys()) == 3
    assert not [secret for secret in SECRETS if secret.decode() in plant.log()]
