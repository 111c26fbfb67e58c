"""Keeps the lease of a claim alive while its stage works."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from schemas.errors import MaskerUnavailable
from storage.jobs import leases
from storage.jobs.leases import Claim
from workers.context import Context

_RENEWALS_PER_LEASE = 3


@contextmanager
def kept(context: Context, claim: Claim) -> Iterator[None]:
    """Renews the lease in the background until the block ends or the claim is lost (fencing then stops the rest)."""
    done = threading.Event()
    keeper = threading.Thread(
        target=_renew_until, args=(done, context, claim), name=f"lease-{claim.stage}", daemon=True
    )
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()


def _renew_until(done: threading.Event, context: Context, claim: Claim) -> None:
    lease_seconds = context.settings.lease_seconds
    while not done.wait(lease_seconds / _RENEWALS_PER_LEASE):
        try:
            with context.storage.database.transaction() as session:
                if not leases.renew(session, claim, lease_seconds=lease_seconds, now=context.clock()):
                    return
        except MaskerUnavailable:
            continue  # the next renewal may still be in time
