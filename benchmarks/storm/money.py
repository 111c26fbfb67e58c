"""Judges the ledger of an account: every call that was answered is paid once, and no other is paid.

There are two exceptions. A call that its caller gave up may have been answered nevertheless, and be paid. A call that
was answered within TOLD_SECONDS before a process of the API was killed may be refunded.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.storm.load import GIVEN_UP, Price, Seen
from schemas.files import JobState
from storage.jobs.records import hold_reference
from storage.jobs.tables import Job
from storage.tables import Entry, EntryKind, Purse

_TOKENS_PER_PAGE = 10
TOLD_SECONDS = 20.0  # in which the database knows that a call was answered: two renewals, and faults of the database


def taken(entries: Iterable[Entry]) -> dict[str, Price]:
    """What each reference of a call or file took and did not get back, with its reason."""
    tokens: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for entry in entries:
        if entry.kind != EntryKind.CREDIT:
            tokens[entry.reference] -= entry.free_tokens + entry.paid_tokens
            reasons[entry.reference] = entry.reason
    return {reference: Price(reasons[reference], count) for reference, count in tokens.items() if count}


def judge_purse(purse: Purse, entries: Sequence[Entry], credited: int) -> list[str]:
    """Remarks where the purse is not the sum of the ledger. `credited`: the tokens that the account was given."""
    remarks = []
    paid = sum(entry.paid_tokens for entry in entries)
    if purse.paid_tokens != paid:
        remarks.append(f"the purse holds {purse.paid_tokens} paid tokens, the ledger says {paid}")
    used = -sum(entry.free_tokens for entry in entries if entry.day == purse.free_day)
    if purse.free_used != used:
        remarks.append(f"the purse says {purse.free_used} free tokens are used, the ledger says {used}")
    given = sum(entry.paid_tokens for entry in entries if entry.kind == EntryKind.CREDIT)
    if given != credited:
        remarks.append(f"{credited} tokens were credited, the ledger says {given}")
    return remarks


def judge_files(jobs: Iterable[Job], spent: Mapping[str, Price]) -> list[str]:
    """Remarks on files that cost another sum than their words and pages; those that were never ready cost nothing."""
    remarks = []
    for job in jobs:
        was_ready = job.state == JobState.READY or (job.state == JobState.EXPIRED and job.error_code is None)
        due = (job.word_count or 0) + _TOKENS_PER_PAGE * (job.page_count or 0) if was_ready else 0
        price = spent.get(hold_reference(job.id), Price("file", 0))
        if price.tokens != due:
            remarks.append(f"a file that is {job.state} cost {price.tokens}, not {due}")
    return remarks


def judge_calls(seen: Seen, charges: Iterable[Price], killed: Sequence[float] = ()) -> list[str]:
    """Remarks on the calls of each price. `charges`: what calls took. `killed`: moments of deaths, as in `answers`."""
    given_up: Counter[Price] = Counter()
    for (price, status), count in seen.calls.items():
        given_up[price] += count if status == GIVEN_UP else 0
    answered = Counter(price for _, price in seen.answers)
    untold = Counter(
        price for moment, price in seen.answers if any(0 <= death - moment <= TOLD_SECONDS for death in killed)
    )
    paid = Counter(charges)
    return [
        f"{price.reason} of {price.tokens} words: {paid[price]} paid, {answered[price]} answered, "
        f"{untold[price]} of them shortly before a kill, {given_up[price]} given up"
        for price in sorted({*answered, *given_up, *paid})
        if not answered[price] - untold[price] <= paid[price] <= answered[price] + given_up[price]
    ]
