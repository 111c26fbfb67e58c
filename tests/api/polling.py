"""Polls a file job as a caller would: the rarer the longer it takes, so that no call is one too many in a minute."""

from threading import Event
from time import monotonic
from typing import Any

import httpx

_PAUSE, _LONGEST_PAUSE, _PATIENCE = 0.03, 1.0, 90  # seconds
_GROWTH = 1.2  # of each pause


def ended(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """The record of a job that is neither queued nor processing any more."""
    deadline, never, pause = monotonic() + _PATIENCE, Event(), _PAUSE
    while job["state"] in ("queued", "processing"):
        assert monotonic() < deadline
        never.wait(pause)
        pause = min(_GROWTH * pause, _LONGEST_PAUSE)
        job = client.get(job["poll_url"]).json()
    return job
