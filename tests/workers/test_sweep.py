"""The sweep: nothing waits for ever, nothing outlives its time, nothing lies around."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from schemas.errors import ErrorCode
from schemas.files import JobState
from schemas.stages import Stage
from storage.accounts import keys, sessions
from storage.jobs.objects import artifact_key, input_key, result_key
from tests.workers.workshop import Workshop
from workers.run import Run
from workers.sweep import Swept

NOTHING = Swept(*[0] * len(Swept._fields))


def test_a_job_that_was_never_announced_is(workshop: Workshop) -> None:
    job_id = workshop.upload(announce=False)
    assert workshop.sweep() == NOTHING
    workshop.turn_clock(seconds=workshop.settings.lease_seconds)
    assert workshop.sweep() == NOTHING._replace(announced=1)
    assert workshop.sweep() == NOTHING
    workshop.run()
    assert workshop.job(job_id).state == JobState.READY


def test_the_stage_of_a_dead_worker_is_done_by_another(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.REDACT)
    assert workshop.next_message() is not None
    dead = Run.claim_stage(workshop.context, Stage.REDACT, job_id, None)
    assert dead is not None
    dead.artifacts.save_candidate(b"half of a ")
    workshop.turn_clock(seconds=workshop.settings.lease_seconds)
    assert workshop.sweep().announced == 1
    assert workshop.run() == [Stage.REDACT, Stage.VERIFY, Stage.BILL, Stage.STORE]
    assert workshop.job(job_id).state == JobState.READY
    assert len(workshop.keys(job_id)) == 1


def test_a_job_that_kills_its_workers_fails(workshop: Workshop) -> None:
    job_id = workshop.upload()
    for _ in range(workshop.settings.max_attempts):
        assert Run.claim_stage(workshop.context, Stage.SNIFF, job_id, None) is not None
        workshop.turn_clock(seconds=workshop.settings.lease_seconds)
    assert workshop.sweep() == NOTHING._replace(failed=1, destroyed=1)
    job = workshop.job(job_id)
    assert (job.state, job.error_code) == (JobState.FAILED, ErrorCode.INTERNAL_ERROR)
    assert workshop.keys(job_id) == []


def test_a_lone_sweep_without_workers_leaves_waiting_jobs_to_theirs(workshop: Workshop) -> None:
    job_id = workshop.upload(announce=False)
    workshop.turn_clock(hours=1)
    before = workshop.job(job_id).due_at
    broker = workshop.storage.broker
    actors, broker.actors = broker.actors, {}
    assert workshop.sweep() == NOTHING
    broker.actors = actors
    assert workshop.job(job_id).due_at == before


def test_a_ready_file_is_destroyed_when_its_time_is_up_and_its_row_later(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run()
    workshop.turn_clock(seconds=workshop.settings.file_ttl_seconds - 1)
    assert workshop.sweep() == NOTHING
    workshop.turn_clock(seconds=1)
    assert workshop.sweep() == NOTHING._replace(expired=1, destroyed=1)
    assert workshop.job(job_id).state == JobState.EXPIRED
    assert workshop.keys(job_id) == []
    workshop.turn_clock(days=workshop.settings.expired_row_retention_days)
    assert workshop.sweep() == NOTHING
    workshop.turn_clock(seconds=1)
    assert workshop.sweep() == NOTHING._replace(purged=1)


def test_what_a_crash_left_of_a_finished_job_is_destroyed(workshop: Workshop) -> None:
    job_id = workshop.upload()
    workshop.run(until=Stage.STORE)
    run = Run.claim_stage(workshop.context, Stage.STORE, job_id, None)
    assert run is not None
    from storage.jobs import endings

    size = run.artifacts.save_result()
    with workshop.storage.database.transaction() as session:
        assert endings.publish(session, run.claim, size, milliseconds=1, now=workshop.now)
    assert len(workshop.keys(job_id)) > 1
    assert workshop.sweep() == NOTHING._replace(destroyed=1)
    assert len(workshop.keys(job_id)) == 1
    assert workshop.result(job_id)


def test_bytes_without_a_job_go_after_a_while_and_others_stay(workshop: Workshop) -> None:
    workshop.now = datetime.now(UTC)  # objects carry the real time
    waiting, finished = workshop.upload(announce=False), workshop.upload()
    workshop.run()
    workshop.storage.objects.put(input_key(uuid4()), b"its row was never inserted")
    workshop.storage.objects.put(f"results/{uuid4()}/3", b"its row was deleted")
    workshop.storage.objects.put(artifact_key(finished, "redact", 9, "candidate"), b"by a late attempt")
    workshop.storage.objects.put(result_key(finished, 99), b"by another late attempt")
    workshop.storage.objects.put("elsewhere/file", b"not ours")
    kept = {input_key(waiting), *workshop.keys(finished), "elsewhere/file"} - {
        artifact_key(finished, "redact", 9, "candidate"),
        result_key(finished, 99),
    }
    assert workshop.sweep().orphans == 0
    workshop.now += timedelta(hours=7)
    assert workshop.sweep().orphans == 4
    assert set(workshop.storage.objects.keys("")) == kept


def test_browser_sessions_go_when_their_time_is_up(workshop: Workshop) -> None:
    for ttl in (10, 20):
        with workshop.storage.database.transaction() as session:
            sessions.begin(session, workshop.account, ttl_seconds=ttl, now=workshop.now)
    workshop.turn_clock(seconds=9)
    assert workshop.sweep() == NOTHING
    workshop.turn_clock(seconds=1)
    assert workshop.sweep() == NOTHING._replace(sessions=1)
    assert workshop.sweep() == NOTHING


def test_many_sweeps_at_once_do_each_thing_once(workshop: Workshop) -> None:
    from concurrent.futures import ThreadPoolExecutor

    for _ in range(5):
        workshop.upload(announce=False)
    workshop.turn_clock(hours=1)
    with ThreadPoolExecutor(6) as pool:
        swept = list(pool.map(lambda _: workshop.sweep(), range(6)))
    assert sum(one.announced for one in swept) == 5


def test_keys_are_deleted_long_after_they_were_revoked(workshop: Workshop) -> None:
    with workshop.storage.database.transaction() as session:
        key, _ = keys.mint(session, bytes(32), account_id=workshop.account, name="k", now=workshop.now)
        keys.revoke(session, key.id, workshop.now)
    assert workshop.sweep() == NOTHING
    workshop.turn_clock(days=90)
    assert workshop.sweep() == NOTHING._replace(keys=1)
