"""Two OCR workers beside one, and the memory of each: a system in production's shape reads a scan of many pages.

    python -m benchmarks.scans.workers [--pages 16]

Needs PostgreSQL and Redis as the tests do. Each worker is a process of one thread, and has read a few pages before: a
worker loads its models once. Memory is the proportional set size
of a worker with all its children, the highest seen. Ceiling, in the same run: two processes of Tesseract alone beside
one, since two processors of a virtual machine may be threads of one core.
"""

import argparse
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from benchmarks.documents.files import scan_pdf
from benchmarks.scans.job import bare_tesseract
from benchmarks.scans.pages import page
from benchmarks.sizing.measured import Document, System, system
from benchmarks.sizing.simulation import Pool
from benchmarks.storm.soak import proportional
from schemas.stages import Queue
from tests.servers.process import descendants

_POLL, _LOOK = 0.25, 4.0  # seconds: looking costs time of the machine that is measured
_FIRST_PAGES = 4  # of a scan before
_LIMIT = 900.0
_CEILING_PAGES = 8
_BEFORE = (Pool((Queue.LIGHT,), 2), Pool((Queue.DOCUMENTS,), 1))


class Peaks:
    """The most memory in MB of each process with its children."""

    def __init__(self, processes: list[int]) -> None:
        self.most = dict.fromkeys(processes, 0.0)

    def look(self) -> None:
        """Looks once."""
        for process, most in self.most.items():
            self.most[process] = max(most, sum(map(proportional, descendants(process))))


@contextmanager
def watched(peaks: Peaks) -> Iterator[None]:
    """Looks again and again until the block ends."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK):
            peaks.look()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def seconds_to_read(running: System, document: Document, pages: int) -> float:
    """Seconds a page: from the moment at which the pages wait for OCR until all are read."""
    identity = running.upload(document)
    began = time.perf_counter()
    waiting: float | None = None
    while (now := time.perf_counter()) - began < _LIMIT:
        record = running.client.get(f"/api/v1/files/{identity}").raise_for_status().json()
        if record["error_code"]:
            raise SystemExit(f"the scan failed: {record['error_code']}")
        if waiting is None and record["pages_to_read"]:
            waiting = now
        if waiting is not None and record["pages_read"] == pages:
            return (now - waiting) / pages
        time.sleep(_POLL)
    raise SystemExit(f"the scan was not read after {_LIMIT:.0f} s")


def gain_of_tesseract() -> float:
    """How many times as fast two processes of Tesseract alone read some pages as one does."""
    pages = [page("test", number).png() for number in range(_CEILING_PAGES)]
    seconds = []
    for processes in (1, 2):
        began = time.perf_counter()
        with ThreadPoolExecutor(processes) as threads:
            list(threads.map(bare_tesseract, pages))
        seconds.append(time.perf_counter() - began)
    return seconds[0] / seconds[1]


def main() -> None:
    """Measures one worker and two, and prints both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=16, help="of the scan")
    pages: int = parser.parse_args().pages
    first, document = (Document("scan.pdf", scan_pdf(count)) for count in (_FIRST_PAGES, pages))
    print(f"{pages} pages at 300 dpi\nworkers   s a page   memory of each in MB")
    cost, ceiling = {}, [gain_of_tesseract()]
    for workers in (1, 2):
        with system([*_BEFORE, *[Pool((Queue.OCR,), 1)] * workers]) as running:
            seconds_to_read(running, first, _FIRST_PAGES)
            peaks = Peaks(list(running.workers[len(_BEFORE) :]))
            with watched(peaks):
                cost[workers] = seconds_to_read(running, document, pages)
        shown = ", ".join(f"{most:.0f}" for most in peaks.most.values())
        print(f"{workers:7}{cost[workers]:11.2f}   {shown}", flush=True)
        ceiling.append(gain_of_tesseract())
    print(f"two read {cost[1] / cost[2]:.2f} times as fast as one (wanted: >= 1.8)")
    print("two processes of Tesseract alone, before, between and after:", ", ".join(f"{gain:.2f}" for gain in ceiling))


if __name__ == "__main__":
    main()
