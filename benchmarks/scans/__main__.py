"""Scans: identifiers that stay legible, what is found, other ink that is burned, refused jobs, seconds.

    python -m benchmarks.scans [--set tune|test] [--pages N] [--step K] [--slant DEGREES] [--numbers]

Renders pages, runs each through the whole file job and compares the pixels of its output with the truth. Floor, in the
same run: Tesseract alone reading the same rasters with one thread. The figures are also written to build/scans.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.scans.figures import Measured, figures, table
from benchmarks.scans.job import Jobs
from benchmarks.scans.measure import measure
from benchmarks.scans.pages import page

_TARGET = Path(__file__).parents[2] / "build" / "scans"


def main() -> None:
    """Measures the pages and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", dest="part", choices=("tune", "test"), default="test", help="layouts and fonts")
    parser.add_argument("--pages", type=int, default=30, help="how many pages")
    parser.add_argument("--first", type=int, default=0, help="number of the first page")
    parser.add_argument("--step", type=int, default=1, help="every K-th page")
    parser.add_argument("--slant", type=float, default=0.0, metavar="DEGREES", help="turn every page clockwise")
    parser.add_argument("--numbers", action="store_true", help="list identifiers that are left or not found; no floor")
    chosen = parser.parse_args()

    jobs, measured = Jobs(), []
    for number in range(chosen.first, chosen.first + chosen.pages * chosen.step, chosen.step):
        made = page(chosen.part, number)
        slanted = made.turned(chosen.slant) if chosen.slant else made
        done = measure(jobs, slanted, bare=not chosen.numbers)
        measured.append(done)
        print(f"{done.name} {done.layout}, {done.damage}: {done.whole:.1f} s {done.error}", file=sys.stderr, flush=True)
    result = figures(measured)
    print(f"{chosen.part} set, {len(measured)} pages\n\n{table(result)}")
    if chosen.numbers:
        print("\n" + "\n".join(listed(measured)))
    _TARGET.mkdir(parents=True, exist_ok=True)
    (_TARGET / f"{chosen.part}.json").write_text(json.dumps(result, indent=1) + "\n")


def listed(measured: list[Measured]) -> list[str]:
    """A line for each identifier that is left or that was not found as what it is."""
    lines = []
    for done in measured:
        for outcome in done.outcomes:
            if not outcome.is_name and (outcome.left or not outcome.found):
                state = "left" if outcome.left else "gone"
                found = "found" if outcome.found else "not found"
                value = outcome.value
                lines.append(f"{done.name} {done.damage}: {value.type} {value.text} ({value.kind}) {state}, {found}")
    return lines


if __name__ == "__main__":
    main()
