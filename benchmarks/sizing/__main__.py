"""Measures what documents cost in each stage, fits a model, checks a simulation by a real run, writes docs/sizing.md.

    python -m benchmarks.sizing [--repeats 2] [--documents 40] [--seconds 900]

Needs PostgreSQL and Redis as the tests do (`make sizing` sets them up); about six minutes on two cores. Exit status 1
when the simulation of the real run is further from it than the bound.
"""

import argparse
import os
import platform
import random
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from math import ceil
from pathlib import Path
from typing import NamedTuple

from benchmarks.documents.files import scan_pdf, text_pdf
from benchmarks.documents.formats import picture, slides, table, word, workbook
from benchmarks.report import processor
from benchmarks.sizing.measured import Document, Run, System, system
from benchmarks.sizing.model import Family, Model
from benchmarks.sizing.simulation import Kind, Machine, Outcome, Pool, demand, poisson, shared_out, simulate
from schemas.stages import STAGES, Queue, Stage

TARGET = Path(__file__).parents[2] / "docs" / "sizing.md"
DAY = 86_400
MILLION = 1_000_000
BUSY = 0.7  # how busy workers may be on average, so that a queue stays short
PEAK = 3.0  # a busy hour beside the mean of the day
WORKERS = 1_000
BOUND = (0.85, 1.15)  # simulated divided by real
REST_SECONDS = 10.0
SEED = 20
# Documents of an office; the last two numbers are the size of one, and how many of 100 it is.
FAMILIES = (
    Family("PDF", "pages of text", "letter.pdf", text_pdf, (1, 5, 15), 5, 40),
    Family("DOCX", "paragraphs", "contract.docx", word, (20, 60, 180), 60, 25),
    Family("XLSX", "rows", "staff.xlsx", workbook, (50, 200, 600), 200, 15),
    Family("CSV", "rows", "staff.csv", table, (50, 200, 600), 200, 8),
    Family("PPTX", "slides", "talk.pptx", slides, (2, 5, 15), 5, 2),
    Family("scan (PDF, 300 dpi)", "pages", "scan.pdf", scan_pdf, (1, 2, 3), 1, 7),
    Family("picture (TIFF, 200 dpi)", "pages", "form.tiff", partial(picture, "TIFF"), (1, 2, 3), 1, 3),
)
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
queue becomes long first. The mix of documents is an assumption: put your own sizes in (`FAMILIES` in
`benchmarks/sizing/__main__.py`), on your own machine, before you buy one. A worker is one thread of `masker worker`
with a core of its own. For text calls see [benchmarks.md](benchmarks.md)."""
COSTS = """Seconds of a worker with one core in each stage, fitted by least squares: a base, plus milliseconds for each
page, paragraph, row or slide. `.02 + 17` means that a document of 40 takes .02 s + 40 x 17 ms. The last column
compares the sum of all stages with what was measured, one document at a time."""
ADVICE = """- Give each queue workers in proportion to what it costs, and scale by `masker_queue_oldest_seconds` of that
  queue ([operating.md](operating.md), Metrics): the age of its oldest waiting stage. When it grows for some minutes,
  that queue has too few workers; more for another queue do not help.
- Memory: [limits.md](limits.md) bounds a sandboxed process; [benchmarks.md](benchmarks.md) shows what detection takes.
- API, PostgreSQL and Redis need the cores that the table of a million documents shows, and the API those for text
  calls."""


class Compared(NamedTuple):
    """Seconds of the real run, and of the simulated one."""

    name: str
    real: float
    simulated: float

    @property
    def ratio(self) -> float:
        """Simulated divided by real."""
        return self.simulated / self.real


def is_near(rows: Sequence[Compared]) -> bool:
    """Whether every ratio is within the bound."""
    return all(BOUND[0] <= row.ratio <= BOUND[1] for row in rows)


def main() -> int:
    """Measures, fits, compares, simulates, writes. 0 when the simulation foretold the real run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--repeats", type=int, default=2, help="times that each document is measured; the fastest counts"
    )
    parser.add_argument("--documents", type=int, default=40, help="of the real run that the simulation must foretell")
    parser.add_argument("--seconds", type=float, default=900.0, help="of simulated time for a million documents a day")
    chosen = parser.parse_args()
    with system(POOLS) as running:
        running.rest(REST_SECONDS)
        models = [measured(running, family, chosen.repeats) for family in FAMILIES]
        slowdown = slowed(running, models)
        wanted = sample(models, chosen.documents)
        real = running.run([usual(model.family) for model in wanted])
    cores = os.cpu_count() or 1
    machine = Machine(cores, slowdown, taken=(running.idle + real.others) / cores)
    arrivals = zip(real.arrived, [model.usual for model in wanted], strict=True)
    rows = compared(real, simulate(iter(arrivals), POOLS, machine=machine))
    TARGET.write_text(report(models, machine, real, rows, chosen.seconds), "utf-8")
    print(TARGET.read_text("utf-8"))
    return 0 if is_near(rows) else 1


def measured(running: System, family: Family, repeats: int) -> Model:
    """Each size of a family, one document at a time on a machine that does nothing else."""
    model = Model(
        family,
        {size: running.kind(f"{size}", Document(family.file, family.made(size)), repeats) for size in family.sizes},
    )
    print(
        f"{family.name}: {sum(model.usual.by_queue().values()):.2f} s, fitted ÷ measured {residuals(model)}", flush=True
    )
    return model


def usual(family: Family) -> Document:
    """The document of the mix."""
    return Document(family.file, family.made(family.usual))


def slowed(running: System, models: Sequence[Model]) -> float:
    """How many processor seconds documents take at once, relative to one at a time: two of each family of the mix."""
    wanted = [*models, *models]
    run = running.run([usual(model.family) for model in wanted])
    alone = sum(model.usual.processor for model in wanted)
    return max(1.0, (run.processor - running.idle * run.ended) / alone)


def sample(models: Sequence[Model], count: int) -> list[Model]:
    """So many documents of the mix, each family at least once, in an order that is always the same."""
    chance = random.Random(SEED)
    shares = [model.family.share for model in models]
    found = [*models, *chance.choices(models, shares, k=max(0, count - len(models)))]
    chance.shuffle(found)
    return found


def report(models: Sequence[Model], machine: Machine, real: Run, rows: Sequence[Compared], seconds: float) -> str:
    """The page, with everything that was measured and simulated."""
    described = f"{machine.cores} cores, {processor()}, Python {platform.python_version()}"
    mix = {model.usual.slowed(machine.slowdown): model.family.share for model in models}
    parts = [HEAD, f"{datetime.now(UTC):%Y-%m-%d}, {described}."]
    parts += ["## What a document costs", COSTS, costs(models), mean(models)]
    parts += ["## Does the simulation foretell a real run?", comparison(machine, real, rows)]
    parts += ["## A million documents a day", million(mix, seconds)]
    parts += [f"## {WORKERS:,} workers", limits(mix, seconds)]
    parts += ["## What to do with this", ADVICE]
    return "\n\n".join(parts) + "\n"


def costs(models: Sequence[Model]) -> str:
    """A row for each family."""
    stages = [row.stage for row in STAGES]
    lines = [
        f"| format | for each of its | {' | '.join(stages)} | fitted ÷ measured, by size |",
        "|---|---|" + "--:|" * len(stages) + "---|",
    ]
    for model in models:
        each = " | ".join(spoken(model, stage) for stage in stages)
        lines.append(f"| {model.family.name} | {model.family.unit} | {each} | {residuals(model)} |")
    return "\n".join(lines)


def spoken(model: Model, stage: Stage) -> str:
    """The base in seconds and the rate in milliseconds; nothing where the family has no such stage."""
    if stage not in model.stages:
        return ""
    line = model.line(stage, lambda cost: cost.on_one_core)
    return f"{line.base:.2f} + {line.rate * 1000:.3g}"


def residuals(model: Model) -> str:
    """How far the model is from what was measured, by size."""
    return ", ".join(f"{size}: {share:+.0%}" for size, share in model.residuals().items())


def mean(models: Sequence[Model]) -> str:
    """The mix, and what a document of it costs on average, by queue."""
    needed = demand({model.usual: model.family.share for model in models})
    each = ", ".join(f"`{queue.value}` {seconds:.2f} s" for queue, seconds in needed.items())
    mix = ", ".join(f"{model.family.share} {model.usual.name}" for model in models)
    return f"The mix, of 100: {mix}.\nIts mean document costs {sum(needed.values()):.2f} s: {each}."


def compared(real: Run, foretold: Outcome) -> list[Compared]:
    """The real run beside the simulated one."""
    return [
        Compared("all documents done after", real.ended, foretold.ended),
        Compared("a document took, median", statistics.median(real.took), statistics.median(foretold.took)),
        Compared("a document took, 95 %", percentile(real.took, 95), percentile(foretold.took, 95)),
    ]


def comparison(machine: Machine, real: Run, rows: Sequence[Compared]) -> str:
    """What was compared, and whether the simulation is near enough."""
    pools = ", ".join(f"{pool.slots} for `{pool.name}`" for pool in POOLS)
    lines = ["| | real, s | simulated, s | simulated ÷ real |", "|---|--:|--:|--:|"]
    lines += [f"| {row.name} | {row.real:.1f} | {row.simulated:.1f} | {row.ratio:.2f} |" for row in rows]
    return (
        f"{len(real.took)} documents of the mix, uploaded one right after the other. Workers: {pools},\n"
        "on this machine, with PostgreSQL, Redis and the API beside them. The simulation knows when each upload was\n"
        "taken, the fitted costs, and how many processors each stage uses: the last pages of a scan are read on two.\n"
        "Between two stages it lets pass what the message waits and what API, PostgreSQL and Redis work. It knows\n"
        f"the {machine.cores} cores, and from an earlier run, of two documents of each format at once, that the same\n"
        f"work takes {machine.slowdown:.2f} times as many processor seconds while all cores are busy. Of the cores,\n"
        f"{machine.taken:.0%} were not for documents: the idle system, and {real.others:.2f} cores that\n"
        "other programs used.\n\n" + "\n".join(lines) + "\n\n"
        f"Bound: each between {BOUND[0]} and {BOUND[1]}: {'met' if is_near(rows) else 'MISSED'}."
    )


def needed_slots(mix: Mapping[Kind, int], rate: float) -> dict[Queue, int]:
    """The workers of each queue that keep it at most `BUSY` busy at so many documents a second."""
    return {queue: max(1, ceil(rate * seconds / BUSY)) for queue, seconds in demand(mix).items()}


def million(mix: Mapping[Kind, int], seconds: float) -> str:
    """The workers that it takes, for the mean and for a busy hour, and how long documents then take."""
    lines = [
        f"| a million a day | documents a second | {' | '.join(f'`{queue.value}`' for queue in Queue)} | workers "
        "| cores of API, PostgreSQL, Redis | median, s | 99 %, s | still under way |",
        "|---|--:|" + "--:|" * (len(Queue) + 5),
    ]
    for name, factor in (("spread evenly", 1.0), (f"the busiest hour has {PEAK:g} times the mean", PEAK)):
        rate = factor * MILLION / DAY
        beside = rate * sum(kind.beside * share for kind, share in mix.items()) / sum(mix.values())
        slots = needed_slots(mix, rate)
        done = simulate(poisson(rate, mix, seconds, SEED), [Pool((queue,), many) for queue, many in slots.items()])
        each = " | ".join(str(slots[queue]) for queue in Queue)
        took = f"{statistics.median(done.took):.2f} | {percentile(done.took, 99):.2f}"
        lines.append(
            f"| {name} | {rate:.1f} | {each} | **{sum(slots.values())}** | {beside:.1f} | {took} | {done.left} |"
        )
    return (
        f"Workers that are busy {BUSY:.0%} of the time on average; {seconds / 60:.0f} simulated minutes of arrivals\n"
        "at random (Poisson), until the last is done. Each core works as slowly as on the machine above while all its\n"
        "cores are busy.\n\n" + "\n".join(lines)
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
