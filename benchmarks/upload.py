"""Growth of the API's memory during a large upload, beside the size of the file; and its speed beside encryption alone.

A real `masker serve` on loopback (no workers in its process) receives a stream of 100 MB. Peak is the kernel's
high-water mark of resident memory. Exit status 1 when an upload moves it by 48 MB or more.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from examples.server import MASKER, free_port, masker, wait_until_ready
from storage.encryption import Keyring
from storage.objects.directory import DirectoryStore
from storage.objects.sealed import SealedStore
from tests.servers import RedisServer

MEGABYTE = 1_000_000
FILE_BYTES = 100 * MEGABYTE
TARGET_MEGABYTES = 48
BOUNDARY = "masker-benchmark"


class Sample(NamedTuple):
    """One kind of file: a head, a part that repeats, and a tail."""

    name: str
    content_type: str
    head: bytes
    filling: bytes
    tail: bytes

    def pieces(self) -> Iterator[bytes]:
        """The file's bytes, 64 KB at a time."""
        chunk = self.filling * (65536 // len(self.filling))
        left = FILE_BYTES - len(self.head) - len(self.tail)
        yield self.head
        while left > 0:
            yield chunk[:left]
            left -= len(chunk)
        yield self.tail


ROW = "Noura Example,نورة المثالي,noura@example.com\r\n".encode()
SAMPLES = (
    Sample("rows.csv", "text/csv", b"name,arabic,email\r\n", ROW, b"end,end,end\r\n"),
    Sample("pages.pdf", "application/pdf", b"%PDF-1.7\n", os.urandom(4096), b"\nstartxref\n0\n%%EOF\n"),
)


@contextmanager
def api_alone() -> Iterator[tuple[httpx.Client, int]]:
    """A client with a key, and the server's process id."""
    redis = RedisServer()
    with tempfile.TemporaryDirectory(prefix="masker-bench-") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKER_")}
        environment = {**kept, "MASKER_DATA_DIR": folder, "MASKER_REDIS_URL": redis.url}
        email, port, log = "bench@example.com", free_port(), Path(folder) / "server.log"
        masker("migrate", environment=environment)
        masker("account", "create", "--email", email, environment=environment)
        key = masker("key", "create", "--email", email, environment=environment)["key"]
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [MASKER, "serve", "--port", str(port)], env=environment, cwd=folder, stdout=stream, stderr=stream
            )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(url, process, log)
            with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=120) as client:
                yield client, process.pid
        finally:
            process.terminate()
            process.wait(timeout=30)
            redis.stop()


def memory(pid: int, field: str) -> float:
    """`VmRSS` or `VmHWM` of a process, in MB."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024 / MEGABYTE


def upload(client: httpx.Client, name: str, content_type: str, pieces: Iterable[bytes]) -> str:
    """Streams a file in; its poll address."""

    def body() -> Iterator[bytes]:
        disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
        yield f"--{BOUNDARY}\r\n{disposition}\r\nContent-Type: {content_type}\r\n\r\n".encode()
        yield from pieces
        yield f"\r\n--{BOUNDARY}--\r\n".encode()

    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    answer = client.post("/api/v1/files/redact", content=body(), headers=headers)
    if answer.status_code != 201:
        raise SystemExit(f"{name}: {answer.status_code} {answer.text}")
    return str(answer.json()["poll_url"])


def sealing_seconds(sample: Sample) -> float:
    """The floor of time: the same bytes encrypted into a directory, without a server."""
    with tempfile.TemporaryDirectory(prefix="masker-bench-") as folder:
        store = SealedStore(DirectoryStore(Path(folder)), Keyring(os.urandom(32)))
        started = time.perf_counter()
        with store.writer("file") as writer:
            for piece in sample.pieces():
                writer.write(piece)
            writer.commit()
        return time.perf_counter() - started


def main() -> int:
    """Prints one line per format; 0 when every upload stays below the target."""
    print(f"{'file':10}{'MB':>6}{'before':>9}{'peak':>9}{'growth':>9}{'÷ file':>8}{'s':>7}{'÷ sealing alone':>17}")
    worst = 0.0
    with api_alone() as (client, pid):
        client.delete(upload(client, "warm.csv", "text/csv", [b"a,b\r\n"]))
        for sample in SAMPLES:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the high-water mark starts anew
            before, started = memory(pid, "VmRSS"), time.perf_counter()
            poll_url = upload(client, sample.name, sample.content_type, sample.pieces())
            seconds, peak = time.perf_counter() - started, memory(pid, "VmHWM")
            client.delete(poll_url)
            growth, size = peak - before, FILE_BYTES / MEGABYTE
            worst = max(worst, growth)
            print(
                f"{sample.name:10}{size:6.0f}{before:9.1f}{peak:9.1f}{growth:9.1f}{growth / size:8.2f}{seconds:7.2f}"
                f"{seconds / sealing_seconds(sample):16.1f}x"
            )
    print(f"target: growth below {TARGET_MEGABYTES} MB: {'met' if worst < TARGET_MEGABYTES else 'MISSED'}")
    return 0 if worst < TARGET_MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
