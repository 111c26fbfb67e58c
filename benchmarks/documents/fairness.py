"""A page of one account beside long scans of another: how long it takes, relative to an idle system.

    python -m benchmarks.documents.fairness [--scans 3] [--pages 20]

Needs PostgreSQL and Redis as the tests do. One worker process for each pool, as many threads for pages as cores. Exit
status 1 when the page takes more than the target ratio: in each of the two queues for pages it waits for one page of
the other account at most, and then shares the cores with that account's pages.
"""

import argparse
import os

from benchmarks.documents.files import scan_pdf, ten_row_csv, upload, wait, whole_job
from benchmarks.sizing.measured import System, system
from benchmarks.sizing.simulation import Pool
from schemas.stages import Queue

_TARGET = 4.0  # (its own time and that of one page before it) times two, for the shared cores
_SLOTS = os.cpu_count() or 1
_POOLS = (
    Pool((Queue.LIGHT,), 2),
    Pool((Queue.DOCUMENTS,), 4),
    Pool((Queue.OCR,), _SLOTS),
    Pool((Queue.REREAD,), _SLOTS),
    Pool((Queue.DETECT, Queue.VERIFY), 4),
)


def measured(running: System, scans: int, pages: int) -> float:
    """Prints a line for each moment; the worst ratio of the page."""
    page, table, long = scan_pdf(1), ten_row_csv(), scan_pdf(pages)
    for name, data in (("page.pdf", page), ("ten.csv", table)):
        whole_job(running.other, name, data)  # what is loaded once is loaded
    idle = {name: whole_job(running.other, name, data) for name, data in (("page.pdf", page), ("ten.csv", table))}
    print(f"{'beside':36}{'a page: s':>12}{'÷ idle':>9}{'ten rows: s':>14}{'÷ idle':>9}")
    print(f"{'nobody':36}{idle['page.pdf']:12.1f}{'':9}{idle['ten.csv']:14.2f}")
    polled = [upload(running.client, f"long-{number}.pdf", long) for number in range(scans)]
    worst = 0.0
    for stage in ("ocr", "reread"):
        wait(running.client, polled[0], lambda record, stage=stage: record["stage"] == stage)  # type: ignore[misc]
        rows = whole_job(running.other, "ten.csv", table)
        took = whole_job(running.other, "page.pdf", page)
        ratio = took / idle["page.pdf"]
        worst = max(worst, ratio)
        name = f"{scans} scans of {pages} pages, from {stage} on"
        print(f"{name:36}{took:12.1f}{ratio:8.2f}x{rows:14.2f}{rows / idle['ten.csv']:8.2f}x", flush=True)
    return worst


def main() -> int:
    """0 when the page takes no longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scans", type=int, default=3, help="of the other account")
    parser.add_argument("--pages", type=int, default=20, help="of each scan")
    chosen = parser.parse_args()
    with system(_POOLS) as running:
        worst = measured(running, chosen.scans, chosen.pages)
    print(f"target: a page takes at most {_TARGET:.0f} times as long: {'met' if worst <= _TARGET else 'MISSED'}")
    return 0 if worst <= _TARGET else 1


if __name__ == "__main__":
    raise SystemExit(main())
