"""Polls a file job as a caller would: not so often that the worker gets no turn."""

from threading import Event
from time import monotonic
from typing import Any

import httpx

_PAUSE, _PATIENCE = 0.03, 90  # seconds


def ended(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """The record of a job that is neither queued nor processing any more."""
    deadline, pause = monotonic() + _PATIENCE, Event()
    while job["state"] in ("queued", "processing"):
        assert monotonic() < deadline
        pause.wait(_PAUSE)
        job = client.get(job["poll_url"]).json()
    return job
