"""Judges the ledger of an account: every call that was answered is paid once, no other is paid but for a known reason.

A call without an answer may have been paid or not. A call that was answered with an error must be refunded; the log of
the API names the charges whose refund failed and was not made good, and only those may stay.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from benchmarks.storm.load import Price, Seen
from schemas.files import JobState
from storage.jobs.records import hold_reference
from storage.jobs.tables import Job
from storage.tables import Entry, EntryKind, Purse

_TOKENS_PER_PAGE = 10
_OWED, _GIVEN = "a charge is not refunded yet", "a charge was refunded late"
_REFERENCE = re.compile(r"\b[a-z]+:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def owed(log: Iterable[str]) -> set[str]:
    """The references of charges whose refund failed and was not made good, as the lines of the API's log say."""
    found: set[str] = set()
    for line in log:
        if _OWED in line:
            found.update(_REFERENCE.findall(line))
        elif _GIVEN in line:
            found.difference_update(_REFERENCE.findall(line))
    return found


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


def judge_calls(seen: Seen, charges: Mapping[str, Price], unrefunded: Collection[str]) -> list[str]:
    """Remarks on the calls of each price. `charges`: what calls took, by reference.

    `unrefunded`: the references that may stand although the call was answered with an error (see `owed`).
    """
    answered: Counter[Price] = Counter()
    unanswered: Counter[Price] = Counter()
    for (price, status), count in seen.calls.items():
        answered[price] += count if status == "200" else 0
        unanswered[price] += count if status == "none" else 0
    paid = Counter(charges.values())
    excused = Counter(price for reference, price in charges.items() if reference in unrefunded)
    return [
        f"{price.reason} of {price.tokens} words: {paid[price]} paid, {answered[price]} answered, "
        f"{unanswered[price]} without an answer, {excused[price]} whose refund failed"
        for price in sorted({*answered, *unanswered, *paid})
        if not answered[price] <= paid[price] <= answered[price] + unanswered[price] + excused[price]
    ]
