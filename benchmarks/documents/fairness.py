"""A page and a small table of one account beside much work of another: how long they take, relative to an idle system.

    python -m benchmarks.documents.fairness [--pages 500] [--files 1000]

Needs PostgreSQL and Redis as the tests do. One worker process for each pool. The other account sends a scan of many
pages, then two of a few pages, whose outputs are read as well, then many small files; what is left of each is deleted
when the page and the table are ready. Exit status 1 when one of them takes more than the target ratio, or when nothing
was left of the other account's work: in each queue a stage waits for one of the other account, and then shares the
cores with its work.
"""

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median

import httpx
import pymupdf

from benchmarks.documents.files import lines, scan_pdf, ten_row_csv, upload, wait, whole_job
from benchmarks.sizing.measured import System, system
from benchmarks.sizing.simulation import Pool
from schemas.stages import Queue, Stage

_TARGET = 4.0  # (its own time and that of one stage before it) times two, for the shared cores
_REPEATS = 3  # of the table: it takes a fraction of a second
_SENDERS = 4
_FEW = 8  # pages of a scan whose output is read after a minute
_A6 = pymupdf.paper_size("a6")
_SLOTS = os.cpu_count() or 1
_POOLS = (
    Pool((Queue.LIGHT,), _SLOTS),
    Pool((Queue.DOCUMENTS,), _SLOTS + 1),
    Pool((Queue.OCR,), _SLOTS),
    Pool((Queue.REREAD,), _SLOTS),
    Pool((Queue.DETECT, Queue.VERIFY), _SLOTS + 1),
)


def booklet(pages: int) -> bytes:
    """An image-only PDF of small pages at 200 dpi. All show the same picture, so that it is made in a moment."""
    target, reference = pymupdf.open(), 0
    with pymupdf.open() as source:
        sheet = source.new_page(width=_A6[0], height=_A6[1])
        sheet.insert_text((20, 40), [line[:40] for line in lines(20)], fontsize=10, lineheight=1.5)
        picture = sheet.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY).tobytes("jpg")
    for _ in range(pages):
        page = target.new_page(width=_A6[0], height=_A6[1])
        page.insert_image(page.rect, **({"xref": reference} if reference else {"stream": picture}))
        reference = reference or page.get_images()[0][0]
    return bytes(target.tobytes())


class Measured:
    """Measures the page and the table, each as a ratio to its time on an idle system. `worst`: the greatest ratio."""

    def __init__(self, running: System) -> None:
        self._running, self.worst = running, 0.0
        self._page, self._table = scan_pdf(1), ten_row_csv()
        self._took()  # what is loaded once is loaded
        self._idle = self._took()
        print(f"{'beside':44}{'a page: s':>12}{'÷ idle':>9}{'ten rows: s':>14}{'÷ idle':>9}{'left':>7}")
        print(f"{'nobody':44}{self._idle[0]:12.1f}{'':9}{self._idle[1]:14.2f}", flush=True)

    def beside(self, name: str, others: Sequence[str]) -> None:
        """Prints a line. `others`: where the other account polls its files; some must be left when all is measured."""
        took = self._took()
        page, table = (now / idle for now, idle in zip(took, self._idle, strict=True))
        left = sum(self._is_under_way(polled) for polled in others)
        self.worst = max(self.worst, page, table if left else float("inf"))
        print(f"{name:44}{took[0]:12.1f}{page:8.2f}x{took[1]:14.2f}{table:8.2f}x{left:7}", flush=True)

    def _took(self) -> tuple[float, float]:
        table = median(whole_job(self._running.other, "ten.csv", self._table) for _ in range(_REPEATS))
        return whole_job(self._running.other, "page.pdf", self._page), table

    def _is_under_way(self, polled: str) -> bool:
        return self._running.client.get(polled).raise_for_status().json()["state"] in ("queued", "processing")


def measured(running: System, pages: int, files: int) -> float:
    """Prints a line for each moment; the worst ratio."""
    gauge, client = Measured(running), running.client
    long = [upload(client, "booklet.pdf", booklet(pages))]
    for stage in (Stage.EXTRACT, Stage.OCR):
        wait_for(stage, client, long[0])
        gauge.beside(f"a scan of {pages} pages, from {stage} on", long)
    delete(client, long)
    few = scan_pdf(_FEW)
    scans = [upload(client, f"scan-{number}.pdf", few) for number in range(2)]
    wait_for(Stage.REREAD, client, scans[0])
    gauge.beside(f"2 scans of {_FEW} pages, from {Stage.REREAD} on", scans)
    delete(client, scans)
    send = partial(upload, client, data=ten_row_csv())
    with ThreadPoolExecutor(_SENDERS) as senders:
        small = list(senders.map(send, [f"{number}.csv" for number in range(files)]))
    gauge.beside(f"{files} files of ten rows", small)
    return gauge.worst


def wait_for(stage: Stage, client: httpx.Client, polled: str) -> None:
    """Returns when the file is at the stage."""
    wait(client, polled, lambda record: record["stage"] == stage)


def delete(client: httpx.Client, polled: Sequence[str]) -> None:
    """Ends the work on files."""
    for each in polled:
        client.delete(each).raise_for_status()


def main() -> int:
    """0 when page and table take no longer than they may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500, help="of the long scan")
    parser.add_argument("--files", type=int, default=1000, help="small ones")
    chosen = parser.parse_args()
    with system(_POOLS) as running:
        worst = measured(running, chosen.pages, chosen.files)
    print(f"target: each takes at most {_TARGET:.0f} times as long: {'met' if worst <= _TARGET else 'MISSED'}")
    return 0 if worst <= _TARGET else 1


if __name__ == "__main__":
    raise SystemExit(main())
