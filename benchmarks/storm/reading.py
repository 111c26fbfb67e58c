"""Downloads every ready file of an account when the storm is over, and searches it for the values of all accounts."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
from ahocorasick_rs import BytesAhoCorasick

from benchmarks.storm.load import Seen, judged
from benchmarks.storm.papers import readable

PATIENCE = 30.0  # seconds for an answer with 200


def read_files(client: httpx.Client, seen: Seen, search: BytesAhoCorasick) -> Counter[str]:
    """Counts `read` files and those in other states; remarks go to `seen`. Also files whose upload had no answer.

    `client`: with the account's key. `search`: for the values of all accounts.
    """
    found: Counter[str] = Counter()
    listed = list(_listed(client))
    names = Counter(record["original_filename"] for record in listed)
    for name, count in names.items():
        if name not in seen.papers:
            seen.remark("a file is listed that was never sent")
        elif count > 1:
            seen.remark("a file that was sent once is listed twice")
    for record in listed:
        sent = seen.papers.get(record["original_filename"])
        if record["state"] != "ready" or sent is None:
            found[record["state"]] += 1
            continue
        content = _answer(client, record["download_url"])
        if content is None:
            seen.remark("a ready file cannot be downloaded")
            continue
        found["read"] += 1
        for remark in judged(sent, readable(content.content), search):
            seen.remark(remark)
    return found


def _listed(client: httpx.Client) -> Iterator[dict[str, Any]]:
    """The records of all files of the account. RuntimeError when they are not to be had."""
    cursor = ""
    while True:
        answer = _answer(client, f"/api/v1/files?limit=50{cursor}")
        if answer is None:
            raise RuntimeError(f"the files were not listed within {PATIENCE:.0f} s")
        page = answer.json()
        yield from page["files"]
        if page["next_cursor"] is None:
            return
        cursor = f"&cursor={page['next_cursor']}"


def _answer(client: httpx.Client, path: str) -> httpx.Response | None:
    """An answer with 200; None without one within PATIENCE, or when there is no such file."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            answer = client.get(path)
            if answer.status_code == 200:
                return answer
            if answer.status_code in (404, 410):
                return None
        time.sleep(0.5)
    return None
