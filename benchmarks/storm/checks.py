"""What must be true after a storm: every file ended, every word accounted for, nothing left, nothing readable."""

import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import func
from sqlmodel import col, select

from benchmarks.storm.load import WORDS, Seen
from benchmarks.storm.system import System, holds
from schemas.files import JobState
from schemas.settings import load_settings
from storage.jobs import records
from storage.jobs.endings import hold_reference
from storage.jobs.tables import Job
from storage.opening import Storage
from storage.tables import Account, Entry, EntryKind, Purse
from workers.orphans import GRACE_SECONDS

PATIENCE = 240.0  # seconds for the work that is left when the storm is over
_ENDED = {JobState.READY.value, JobState.FAILED.value, JobState.EXPIRED.value}
_TOKENS_PER_PAGE = 10
_ORPHANS = GRACE_SECONDS + 5  # seconds in which workers without a runner end
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n((?:[ \t].*\n|\n)*)([\w.]*)")


@dataclass
class Verdict:
    """What was counted, and each remark: something that must not be."""

    files: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    texts_answered: int = 0
    texts_paid: int = 0
    unanswered: int = 0  # texts without an answer, or with one that is an error: they may have been charged or not
    objects_without_row: int = 0
    settled_after: float = 0.0
    remarks: list[str] = field(default_factory=list)


def check(system: System, accounts: Mapping[str, Seen], paid_tokens: int) -> Verdict:
    """Waits until the system has done what it had accepted, and judges it. `accounts`: by e-mail address."""
    storage = storage_of(system)
    verdict = Verdict()
    try:
        began = time.monotonic()
        if not _settled(storage):
            verdict.remarks.append(f"files were still under way {PATIENCE:.0f} s after the storm")
        verdict.settled_after = time.monotonic() - began
        for email, seen in accounts.items():
            _check_account(storage, email, seen, paid_tokens, verdict)
        _check_objects(storage, verdict)
    finally:
        storage.close()
    try:
        system.stop_services()
    except RuntimeError as error:
        verdict.remarks.append(str(error))
    deadline = time.monotonic() + _ORPHANS
    while system.left_over() and time.monotonic() < deadline:
        time.sleep(1)
    verdict.remarks += [f"a process outlived the system: {line}" for line in system.left_over()]
    values = [value.encode() for seen in accounts.values() for value in seen.values]
    verdict.remarks += [f"a value stands in {path}" for path in holds(system.places, values)]
    for path in system.logs.iterdir():
        verdict.remarks += [
            f"a traceback stands in {path.name}: {told}" for told in tracebacks(path.read_text("utf-8"))
        ]
    return verdict


def tracebacks(log: str) -> list[str]:
    """Of each traceback in a log its last place and the type of the error."""
    found = []
    for trace in _TRACEBACK.finditer(log):
        *_, place = re.findall(r'File "([^"]+)", line (\d+)', trace[1]) or [("-", "0")]
        found.append(f"{trace[2]} at {place[0]}:{place[1]}")
    return found


def storage_of(system: System) -> Storage:
    """The stores of a running system; the caller closes them."""
    variables = {
        name.removeprefix("MASKER_").lower(): value
        for name, value in system.environment.items()
        if name.startswith("MASKER_") and name != "MASKER_STORM"
    }
    return Storage.open(load_settings(_env_file=None, **variables))


def _settled(storage: Storage) -> bool:
    """Whether every job ended, and destroyed what it must not keep, within PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with storage.database.reading() as session:
            under_way = col(Job.state).not_in(_ENDED) | col(Job.has_residue)
            if not session.exec(select(func.count()).select_from(Job).where(under_way)).one():
                return True
        time.sleep(0.5)
    return False


def _check_account(storage: Storage, email: str, seen: Seen, paid_tokens: int, verdict: Verdict) -> None:
    with storage.database.reading() as session:
        account_id = session.exec(select(Account.id).where(Account.email == email)).one()
        purse = session.exec(select(Purse).where(Purse.account_id == account_id)).one()
        entries = session.exec(select(Entry).where(Entry.account_id == account_id)).all()
        jobs = {job.id: job for job in session.exec(select(Job).where(Job.account_id == account_id)).all()}
    for file_id in seen.files:
        if UUID(file_id) not in jobs:
            verdict.remarks.append("an accepted file has no row")
    surplus = len(jobs) - len(seen.files)
    if surplus > seen.uploads["none"] + sum(seen.uploads[status] for status in seen.uploads if status >= "500"):
        verdict.remarks.append(f"{surplus} files have a row and were never answered")
    verdict.files.update(job.state for job in jobs.values())
    verdict.errors.update(job.error_code for job in jobs.values() if job.error_code)
    total = sum(entry.free_tokens + entry.paid_tokens for entry in entries)
    paid = sum(entry.paid_tokens for entry in entries)
    if purse.paid_tokens != paid:
        verdict.remarks.append(f"the purse holds {purse.paid_tokens} paid tokens, the ledger says {paid}")
    cost = 0
    for job in jobs.values():
        own = [entry for entry in entries if entry.reference == hold_reference(job.id)]
        taken = -sum(entry.free_tokens + entry.paid_tokens for entry in own)
        due = (job.word_count or 0) + _TOKENS_PER_PAGE * (job.page_count or 0) if _is_paid(job) else 0
        if taken != due:
            verdict.remarks.append(f"a file that is {job.state} cost {taken}, not {due}")
        cost += taken
    texts = paid_tokens - total - cost
    answered = seen.texts["200"]
    unanswered = sum(count for status, count in seen.texts.items() if status == "none" or status >= "500")
    if texts % WORDS or not answered * WORDS <= texts <= (answered + unanswered) * WORDS:
        verdict.remarks.append(f"{answered} texts were answered, {unanswered} were not, and {texts} words were paid")
    references = Counter(entry.reference for entry in entries if entry.kind == EntryKind.CHARGE)
    if doubled := [reference for reference, count in references.items() if count > 1]:
        verdict.remarks.append(f"{len(doubled)} calls were charged twice")
    verdict.texts_answered += answered
    verdict.unanswered += unanswered
    verdict.texts_paid += texts // WORDS
    verdict.remarks += seen.remarks


def _is_paid(job: Job) -> bool:
    return job.state == JobState.READY.value or (job.state == JobState.EXPIRED.value and job.error_code is None)


def _check_objects(storage: Storage, verdict: Verdict) -> None:
    """Every object belongs to the result of a ready file, or to an upload without a row, which is swept later."""
    with storage.database.reading() as session:
        jobs = {str(job.id): job for job in session.exec(select(Job)).all()}
    for key in storage.objects.keys(""):
        job = jobs.get(key.split("/")[1])
        if job is None:
            verdict.objects_without_row += 1
        elif job.state != JobState.READY.value or key != records.download_key(job):
            verdict.remarks.append(f"an object of a {job.state} file is left")
