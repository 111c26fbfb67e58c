"""Measures what documents cost in each stage, checks the simulation against the running system, writes docs/sizing.md.

    python -m benchmarks.sizing [--repeats 5] [--documents 40] [--seconds 900]

Needs PostgreSQL and Redis as the tests do (`make sizing` sets them up); about six minutes on two cores.
"""

import argparse
import os
import platform
import random
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

from benchmarks.documents.files import scan_pdf, text_pdf
from benchmarks.documents.formats import picture, slides, table, word, workbook
from benchmarks.report import processor
from benchmarks.sizing.measured import Document, Run, system
from benchmarks.sizing.simulation import Kind, Outcome, Pool, demand, poisson, shared_out, simulate
from schemas.stages import STAGES, Queue

TARGET = Path(__file__).parents[2] / "docs" / "sizing.md"
DAY = 86_400
MILLION = 1_000_000
BUSY = 0.7  # how busy workers may be on average, so that a queue stays short
PEAK = 3.0  # a busy hour beside the mean of the day
WORKERS = 1_000
SEED = 20
# Documents of an office, and how many of 100 each is.
DOCUMENTS: dict[str, tuple[int, Document]] = {
    "PDF, 5 pages of text": (40, Document("letter.pdf", text_pdf(5))),
    "DOCX, 60 paragraphs": (25, Document("contract.docx", word(60))),
    "XLSX, 200 rows": (15, Document("staff.xlsx", workbook(200))),
    "CSV, 200 rows": (8, Document("staff.csv", table(200))),
    "PPTX, 5 slides": (2, Document("talk.pptx", slides(5))),
    "scan, 1 page (PDF, 300 dpi)": (7, Document("scan.pdf", scan_pdf(1))),
    "picture, 1 page (PNG, 200 dpi)": (3, Document("form.png", picture("PNG"))),
}
# The pools of the real run: as docs/operating.md names them.
POOLS = (
    Pool((Queue.LIGHT,), 2),
    Pool((Queue.DOCUMENTS,), 2),
    Pool((Queue.OCR,), 1),
    Pool((Queue.REREAD,), 1),
    Pool((Queue.DETECT, Queue.VERIFY), 2),
)

HEAD = """# Sizing

Written by `make sizing`; no figure here is typed by hand. It answers how many workers a load of files needs, and which
queue becomes long first. The mix of documents is an assumption: measure your own (`DOCUMENTS` in
`benchmarks/sizing/__main__.py`), on your own machine, before you buy one. A worker is one thread of `masker worker`
with a core of its own. For text calls see [benchmarks.md](benchmarks.md)."""
COSTS = "Seconds of a worker in each stage, one document at a time on an idle machine."
ADVICE = """- Give each queue workers in proportion to what it costs, and scale by `masker_queue_oldest_seconds` of that
  queue ([operating.md](operating.md), Metrics): the age of its oldest waiting stage. When it grows for some minutes,
  that queue has too few workers; more for another queue do not help.
- Cores of one machine share caches and memory, and the database works beside them: a busy machine does less than the
  simulation says, by the share that the comparison above shows.
- A scan of ten pages costs about ten times the `ocr` and the `reread` of one page.
- Memory: [limits.md](limits.md) bounds a sandboxed process; [benchmarks.md](benchmarks.md) shows what detection takes.
- The API needs no core for files, because uploads are stored as they arrive; its cores are for text calls."""


def main() -> None:
    """Measures, compares, simulates, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="times that each document is measured")
    parser.add_argument("--documents", type=int, default=40, help="of the real run that the simulation must foretell")
    parser.add_argument("--seconds", type=float, default=900.0, help="of simulated time for a million documents a day")
    chosen = parser.parse_args()
    with system(POOLS) as running:
        mix = {running.kind(name, document, chosen.repeats): weight for name, (weight, document) in DOCUMENTS.items()}
        for kind in mix:
            print(f"{kind.name}: {sum(kind.stages.values()):.2f} s", flush=True)
        wanted = sample(mix, chosen.documents)
        real = running.run([DOCUMENTS[kind.name][1] for kind in wanted])
    foretold = simulate(iter(zip(real.arrived, wanted, strict=True)), POOLS, cores=os.cpu_count())
    TARGET.write_text(report(mix, real, foretold, chosen.seconds), "utf-8")
    print(TARGET.read_text("utf-8"))


def sample(mix: Mapping[Kind, int], count: int) -> list[Kind]:
    """So many documents of the mix, each kind at least once, in an order that is always the same."""
    kinds = list(mix)
    chance = random.Random(SEED)
    found = [*kinds, *chance.choices(kinds, list(mix.values()), k=max(0, count - len(kinds)))]
    chance.shuffle(found)
    return found


def report(mix: Mapping[Kind, int], real: Run, foretold: Outcome, seconds: float) -> str:
    """The page, with everything that was measured and simulated."""
    machine = f"{os.cpu_count()} cores, {processor()}, Python {platform.python_version()}"
    parts = [HEAD, f"{datetime.now(UTC):%Y-%m-%d}, {machine}."]
    parts += ["## What a document costs", COSTS, costs(mix)]
    parts += ["## Does the simulation foretell a real run?", comparison(real, foretold)]
    parts += ["## A million documents a day", million(mix, seconds)]
    parts += [f"## {WORKERS:,} workers", limits(mix, seconds)]
    parts += ["## What to do with this", ADVICE]
    return "\n\n".join(parts) + "\n"


def costs(mix: Mapping[Kind, int]) -> str:
    """A row for each kind, and what a document of the mix costs on average, by queue."""
    stages = [row.stage for row in STAGES]
    lines = [
        f"| document | of 100 | {' | '.join(stages)} | all | waits between stages |",
        "|---|--:|" + "--:|" * (len(stages) + 2),
    ]
    for kind, weight in mix.items():
        each = " | ".join(f"{kind.stages[stage]:.2f}" for stage in stages)
        whole = sum(kind.stages.values())
        lines.append(f"| {kind.name} | {weight} | {each} | **{whole:.2f}** | {kind.hop * len(stages):.2f} |")
    needed = demand(mix)
    spoken = ", ".join(f"`{queue.value}` {seconds:.2f} s" for queue, seconds in needed.items())
    return "\n".join(lines) + f"\n\nThe mean document of this mix costs {sum(needed.values()):.2f} s: {spoken}."


def comparison(real: Run, foretold: Outcome) -> str:
    """The real run beside the simulated one."""
    took = real.took
    rows = (
        ("all documents done after", real.ended, foretold.ended),
        ("a document took, median", statistics.median(took), statistics.median(foretold.took)),
        ("a document took, 95 %", percentile(took, 95), percentile(foretold.took, 95)),
    )
    pools = ", ".join(f"{pool.slots} for `{pool.name}`" for pool in POOLS)
    lines = ["| | real, s | simulated, s | simulated ÷ real |", "|---|--:|--:|--:|"]
    lines += [f"| {name} | {was:.1f} | {said:.1f} | {said / was:.2f} |" for name, was, said in rows]
    return (
        f"{len(took)} documents of the mix, uploaded one right after the other. Workers: {pools},\n"
        "on this machine, with PostgreSQL, Redis and the API beside them. The simulation knows the costs above, the\n"
        "number of cores and when each upload was taken, and nothing else of this run.\n\n" + "\n".join(lines)
    )


def needed_slots(mix: Mapping[Kind, int], rate: float) -> dict[Queue, int]:
    """The workers of each queue that keep it at most `BUSY` busy at so many documents a second."""
    return {queue: max(1, ceil(rate * seconds / BUSY)) for queue, seconds in demand(mix).items()}


def million(mix: Mapping[Kind, int], seconds: float) -> str:
    """The workers that it takes, for the mean and for a busy hour, and how long documents then take."""
    lines = [
        f"| a million a day | documents a second | {' | '.join(f'`{queue.value}`' for queue in Queue)} | workers "
        "| median, s | 99 %, s | still under way |",
        "|---|--:|" + "--:|" * (len(Queue) + 4),
    ]
    for name, factor in (("spread evenly", 1.0), (f"the busiest hour has {PEAK:g} times the mean", PEAK)):
        rate = factor * MILLION / DAY
        slots = needed_slots(mix, rate)
        done = simulate(poisson(rate, mix, seconds, SEED), [Pool((queue,), many) for queue, many in slots.items()])
        each = " | ".join(str(slots[queue]) for queue in Queue)
        lines.append(
            f"| {name} | {rate:.1f} | {each} | **{sum(slots.values())}** | {statistics.median(done.took):.2f} "
            f"| {percentile(done.took, 99):.2f} | {done.left} |"
        )
    return (
        f"Workers that are busy {BUSY:.0%} of the time on average; {seconds / 60:.0f} simulated minutes of arrivals\n"
        "at random (Poisson), until the last is done.\n\n" + "\n".join(lines)
    )


def limits(mix: Mapping[Kind, int], seconds: float) -> str:
    """What happens to a fixed number of workers, shared out in two ways, when the load rises above what they can do."""
    even = [Pool((queue,), WORKERS // len(Queue)) for queue in Queue]
    able = WORKERS / sum(demand(mix).values())
    lines = [
        "| shared out | load | documents a second | busiest queue | how busy | waits in it, 99 %, s | its workers |",
        "|---|--:|--:|---|--:|--:|--:|",
    ]
    for name, pools in (("evenly", even), ("by cost", shared_out(WORKERS, mix))):
        for load in (0.3, 0.6, 0.9, 1.1):
            span = min(seconds, 300.0)
            done = simulate(poisson(able * load, mix, span, SEED), pools, until=span)
            first = max(pools, key=lambda pool: done.busy[pool.name])
            lines.append(
                f"| {name} | {load:.0%} | {able * load:.0f} | `{first.name}` | {done.busy[first.name]:.0%} "
                f"| {percentile(done.waited[first.name], 99):.1f} | {first.slots} |"
            )
    return (
        f"Together they could do {able:.0f} documents of the mix a second, {able * DAY / MILLION:.1f} million a day,\n"
        "if none ever waited; the load is a share of that. Shared out evenly, one queue is full long before; shared\n"
        "out by cost, all fill together.\n\n" + "\n".join(lines)
    )


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which `share` of 100 lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)] if ordered else 0.0


if __name__ == "__main__":
    main()
