"""Files: one that never ends, is lost, holds a value, is not redacted or leaves an object, is a remark."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pymupdf
import pytest
from ahocorasick_rs import BytesAhoCorasick
from sqlalchemy import update
from sqlmodel import col

from benchmarks.storm.checks import Verdict, check_objects, unsettled
from benchmarks.storm.load import Seen, judged
from benchmarks.storm.papers import KINDS, paper, readable
from benchmarks.storm.reading import read_files
from schemas.clock import utc_now
from schemas.files import JobState
from storage.jobs.objects import input_key, result_key
from storage.jobs.tables import Job
from storage.opening import Storage
from tests.api.serving import Account, Served, serving, settings_for
from tests.benchmarks.storm.conftest import Caller
from tests.storage.jobs.samples import new_job

PEOPLE = [("1012345672", "storm0a1b2c3d4e@example.com"), ("1098765438", "storm5f6a7b8c9d@example.com")]
CLEAN = b"National ID,Mail\nNATIONAL_ID_01,EMAIL_01\nNATIONAL_ID_02,EMAIL_02\n"


def searching(*values: str) -> BytesAhoCorasick:
    return BytesAhoCorasick([value.encode() for value in values])


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_read_in_every_kind_of_file(kind: str) -> None:
    """One value is enough: of a scan not every address is read right."""
    sent = paper(kind, "people", PEOPLE)
    found = searching(*sent.values).find_matches_as_indexes(readable(sent.data))
    assert {pattern for pattern, _, _ in found} >= {0, 2}
    assert f"a file that is ready holds a value ({kind})" in judged(sent, readable(sent.data), searching(*sent.values))


@pytest.mark.slow
def test_a_value_in_the_pixels_of_a_pdf_alone() -> None:
    scan = paper("png", "people", PEOPLE)
    with pymupdf.open() as document:
        page = document.new_page(width=600, height=200)
        page.insert_image(page.rect, stream=scan.data)
        drawn = document.tobytes()
    assert PEOPLE[0][0].encode() in readable(drawn)


def test_what_is_not_the_redacted_file() -> None:
    sent = paper("csv", "people", PEOPLE)
    assert judged(sent, CLEAN, searching(*sent.values)) == []
    assert judged(sent, b"", searching(*sent.values)) == ["a file that is ready is not the redacted one (csv)"]


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.PROCESSING])
def test_a_file_that_never_ends(caller: Caller, now: datetime, state: JobState) -> None:
    new_job(caller.database, caller.storage.keyring, caller.id, now)
    with caller.database.transaction() as session:
        session.execute(update(Job).values(state=state.value, has_residue=False))
    assert unsettled(caller.storage, 0) == ["1 files were still under way 0 s after the storm"]


def test_a_file_that_ended_and_was_not_destroyed(caller: Caller, now: datetime) -> None:
    new_job(caller.database, caller.storage.keyring, caller.id, now)
    for has_residue in (True, False):
        with caller.database.transaction() as session:
            session.execute(update(Job).values(state="failed", has_residue=has_residue))
        assert bool(unsettled(caller.storage, 0)) is has_residue


def test_an_accepted_file_without_a_row(caller: Caller) -> None:
    caller.seen.files[str(uuid4())] = "people.csv"
    assert caller.judged() == ["an accepted file has no row"]


def test_a_file_that_nobody_sent(caller: Caller, now: datetime) -> None:
    new_job(caller.database, caller.storage.keyring, caller.id, now)
    assert caller.judged() == ["1 files have a row and were never answered"]
    caller.seen.uploads["429"] += 1
    assert caller.judged() != []
    caller.seen.uploads["none"] += 1
    assert caller.judged() == []


def ready(storage: Storage, account_id: UUID, now: datetime, name: str, data: bytes) -> UUID:
    """A ready file whose result is `data`."""
    job_id = new_job(storage.database, storage.keyring, account_id, now, filename=name)
    storage.objects.put(result_key(job_id, 1), data)
    with storage.database.transaction() as session:
        done = {"state": "ready", "outputs": {"store": 1}, "size_out": len(data), "has_residue": False}
        session.execute(update(Job).where(col(Job.id) == job_id).values(done))
    return job_id


@pytest.mark.parametrize("place", ["input", "older result", "failed"])
def test_an_object_that_is_left(caller: Caller, now: datetime, place: str) -> None:
    job_id = ready(caller.storage, caller.id, now, "people.csv", CLEAN)
    verdict = Verdict()
    check_objects(caller.storage, verdict)
    assert verdict.remarks == []
    if place == "failed":
        with caller.database.transaction() as session:
            session.execute(update(Job).values(state="failed"))
    else:
        caller.storage.objects.put(input_key(job_id) if place == "input" else result_key(job_id, 2), b"left")
    check_objects(caller.storage, verdict)
    assert verdict.remarks == [f"an object of a {'failed' if place == 'failed' else 'ready'} file is left"]


def test_an_object_of_an_upload_without_a_row_is_counted(caller: Caller) -> None:
    caller.storage.objects.put(input_key(uuid4()), b"sealed")
    verdict = Verdict()
    check_objects(caller.storage, verdict)
    assert (verdict.remarks, verdict.objects_without_row) == ([], 1)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(settings_for(tmp_path, rate_limit_per_minute=1_000_000)) as server:
        yield server


@pytest.fixture
def account(served: Served) -> Account:
    return served.account()


@pytest.fixture
def client(served: Served, account: Account) -> Iterator[httpx.Client]:
    with served.client(account) as client:
        yield client


def test_every_ready_file_is_read(served: Served, account: Account, client: httpx.Client, now: datetime) -> None:
    """More than a page of the listing, among them one that was never answered; the value is another account's."""
    seen, others = Seen(), searching("1055555556")
    for number in range(60):
        sent = paper("csv", f"{number}", PEOPLE)
        seen.papers[sent.name] = sent
        ready(served.services.storage, account.id, utc_now(), sent.name, CLEAN)
    assert read_files(client, seen, others)["read"] == 60
    assert seen.remarks == []
    last = paper("csv", "unanswered", PEOPLE)
    seen.papers[last.name] = last
    ready(served.services.storage, account.id, utc_now(), last.name, CLEAN + b"1055555556,x\n")
    assert read_files(client, seen, others)["read"] == 61
    assert seen.remarks == ["a file that is ready holds a value (csv)"]


def test_a_ready_file_that_is_gone(served: Served, account: Account, client: httpx.Client) -> None:
    sent, seen, storage = paper("csv", "people", PEOPLE), Seen(), served.services.storage
    seen.papers[sent.name] = sent
    job_id = ready(storage, account.id, utc_now(), sent.name, CLEAN)
    storage.objects.delete(result_key(job_id, 1))
    read_files(client, seen, searching(*sent.values))
    assert seen.remarks == ["a ready file cannot be downloaded"]


def test_files_that_are_listed_twice_or_were_never_sent(
    served: Served, account: Account, client: httpx.Client, now: datetime
) -> None:
    sent, seen, storage = paper("csv", "people", PEOPLE), Seen(), served.services.storage
    seen.papers[sent.name] = sent
    for name in (sent.name, sent.name, "foreign.csv"):
        new_job(storage.database, storage.keyring, account.id, now, filename=name)
    assert read_files(client, seen, searching(*sent.values)) == {"queued": 3}
    assert sorted(seen.remarks) == [
        "a file is listed that was never sent", "a file that was sent once is listed twice",
    ]  # fmt: skip
