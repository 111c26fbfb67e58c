"""What must be true after a storm: every file ended, every word accounted for, nothing left, nothing readable."""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import httpx
from ahocorasick_rs import BytesAhoCorasick
from sqlalchemy import func
from sqlmodel import SQLModel, col, select

from benchmarks.storm.load import Seen
from benchmarks.storm.money import judge_calls, judge_files, judge_purse, taken
from benchmarks.storm.reading import read_files
from benchmarks.storm.system import API, PAID_TOKENS, System, holds
from schemas.files import JobState
from storage import charging_leases
from storage.jobs import records
from storage.jobs.tables import Job
from storage.opening import Storage
from storage.tables import Account, Entry, Purse
from workers.orphans import GRACE_SECONDS

PATIENCE = 240.0  # seconds for the work that is left when the storm is over
_ENDED = {JobState.READY.value, JobState.FAILED.value, JobState.EXPIRED.value}
_ORPHANS = GRACE_SECONDS + 5  # seconds in which workers without a runner end
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n((?:[ \t].*\n|\n)*)([\w.]*)")


@dataclass
class Verdict:
    """What was counted, and each remark: something that must not be."""

    files: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)  # files by what became of reading them; `read`: downloaded
    calls: Counter[str] = field(default_factory=Counter)  # paid calls by status; `none`: no answer
    calls_paid: int = 0
    abandoned: int = 0  # charges of killed processes that were refunded, as the log says
    objects_without_row: int = 0
    settled_after: float = 0.0
    remarks: list[str] = field(default_factory=list)


def check(system: System, accounts: Mapping[str, Seen]) -> Verdict:
    """Waits until the system has done what it had accepted, and judges it. `accounts`: by e-mail address.

    A judgement that cannot be made is a remark.
    """
    verdict = Verdict()
    values = [value.encode() for seen in accounts.values() for value in seen.values]
    search = BytesAhoCorasick(values)
    storage = system.open_storage()

    def judge(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            verdict.remarks.append(f"{work.__name__} ended with {type(error).__name__}: {error}")

    def settle() -> None:
        began = time.monotonic()
        verdict.remarks += unsettled(storage, PATIENCE) + still_leased(storage, PATIENCE)
        verdict.settled_after = time.monotonic() - began

    def read() -> None:
        for seen in accounts.values():
            headers = {"Authorization": f"Bearer {seen.key}"}
            with httpx.Client(base_url=system.url, headers=headers, timeout=30) as client:
                verdict.read += read_files(client, seen, search)

    def count() -> None:
        killed = [moment for service in system.services if service.name == API for moment in service.killed]
        for email, seen in accounts.items():
            check_account(storage, email, seen, killed, verdict)
        verdict.abandoned = system.api_log().count("a charge of a process that died was refunded")
        check_objects(storage, verdict)
        verdict.remarks += [f"a value stands in the table {table}" for table in tables_with(storage, search)]

    def search_redis() -> None:
        if system.redis_holds(values):
            verdict.remarks.append("a value stands in Redis")

    def stop() -> None:
        system.stop_services()

    try:
        for work in (settle, read, count, search_redis):
            judge(work)
    finally:
        storage.close()
    if any(search.find_matches_as_indexes(body) for body in system.provider.heard):
        verdict.remarks.append("the provider was sent a value")
    judge(stop)
    deadline = time.monotonic() + _ORPHANS
    while system.left_over() and time.monotonic() < deadline:
        time.sleep(1)
    verdict.remarks += [f"a process outlived the system: {line}" for line in system.left_over()]
    verdict.remarks += [f"a value stands in {path}" for path in holds(system.places, values)]
    for path in system.logs.iterdir():
        verdict.remarks += [
            f"a traceback stands in {path.name}: {told}" for told in tracebacks(path.read_text("utf-8"))
        ]
    for seen in accounts.values():
        verdict.remarks += seen.remarks
    return verdict


def tracebacks(log: str) -> list[str]:
    """Of each traceback in a log its last place and the type of the error."""
    found = []
    for trace in _TRACEBACK.finditer(log):
        *_, place = re.findall(r'File "([^"]+)", line (\d+)', trace[1]) or [("-", "0")]
        found.append(f"{trace[2]} at {place[0]}:{place[1]}")
    return found


def unsettled(storage: Storage, patience: float) -> list[str]:
    """A remark if not every job ended, and destroyed what it must not keep, within so many seconds."""
    deadline = time.monotonic() + patience
    while True:
        with storage.database.reading() as session:
            under_way = col(Job.state).not_in(_ENDED) | col(Job.has_residue)
            left = session.exec(select(func.count()).select_from(Job).where(under_way)).one()
        if not left:
            return []
        if time.monotonic() > deadline:
            return [f"{left} files were still under way {patience:.0f} s after the storm"]
        time.sleep(0.5)


def still_leased(storage: Storage, patience: float) -> list[str]:
    """A remark if not every charge was answered or refunded within so many seconds: each lease has ended then."""
    deadline = time.monotonic() + patience
    while True:
        with storage.database.reading() as session:
            left = len(charging_leases.renewals(session))
        if not left:
            return []
        if time.monotonic() > deadline:
            return [f"{left} processes still had open charges {patience:.0f} s after the storm"]
        time.sleep(0.5)


def check_account(storage: Storage, email: str, seen: Seen, killed: Sequence[float], verdict: Verdict) -> None:
    """Judges the files and the money of an account. `killed`: when processes of the API were (monotonic)."""
    with storage.database.reading() as session:
        account_id = session.exec(select(Account.id).where(Account.email == email)).one()
        purse = session.exec(select(Purse).where(Purse.account_id == account_id)).one()
        entries = session.exec(select(Entry).where(Entry.account_id == account_id)).all()
        jobs = {str(job.id): job for job in session.exec(select(Job).where(Job.account_id == account_id)).all()}
    verdict.remarks += ["an accepted file has no row" for file_id in seen.files if file_id not in jobs]
    surplus = len(jobs) - len(seen.files)
    if surplus > seen.uploads["none"] + sum(seen.uploads[status] for status in seen.uploads if status >= "500"):
        verdict.remarks.append(f"{surplus} files have a row and were never answered")
    verdict.files.update(job.state for job in jobs.values())
    verdict.errors.update(job.error_code for job in jobs.values() if job.error_code)
    spent = taken(entries)
    references = {records.hold_reference(job.id) for job in jobs.values()}
    charges = [price for reference, price in spent.items() if reference not in references]
    verdict.remarks += judge_purse(purse, entries, PAID_TOKENS)
    verdict.remarks += judge_files(jobs.values(), spent)
    verdict.remarks += judge_calls(seen, charges, killed)
    for (_, status), count in seen.calls.items():
        verdict.calls[status] += count
    verdict.calls_paid += len(charges)


def check_objects(storage: Storage, verdict: Verdict) -> None:
    """Every object belongs to the result of a ready file, or to an upload without a row, which is swept later."""
    with storage.database.reading() as session:
        jobs = {str(job.id): job for job in session.exec(select(Job)).all()}
    for key in storage.objects.keys(""):
        job = jobs.get(key.split("/")[1])
        if job is None:
            verdict.objects_without_row += 1
        elif job.state != JobState.READY.value or key != records.download_key(job):
            verdict.remarks.append(f"an object of a {job.state} file is left")


def tables_with(storage: Storage, search: BytesAhoCorasick) -> list[str]:
    """The tables with a value in a row: what the files of a database may hold compressed."""
    with storage.database.reading() as session:
        return [
            table.name
            for table in SQLModel.metadata.sorted_tables
            if any(search.find_matches_as_indexes(str(tuple(row)).encode()) for row in session.execute(select(table)))
        ]
