"""Runs every benchmark, or those of the parts that are named, and writes what they print to docs/benchmarks.md.

python -m benchmarks.report ["Proxied calls" ...]

Each part says when and on what it was measured; parts that are not run stay as they are. Exit status 1 when a part
missed a target or broke; the report shows its exit status.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "benchmarks.md"
RIVALS = ROOT / ".venv-bench" / "bin" / "python"  # where scripts/setup installs them
PARTS = {
    "Detection": ("benchmarks.detect", str(RIVALS) if RIVALS.exists() else sys.executable),
    "Glossaries": ("benchmarks.glossary", sys.executable),
    "Large texts beside small ones": ("benchmarks.load", sys.executable),
    "Start of a sandbox child": ("benchmarks.documents.start", sys.executable),
    "Documents": ("benchmarks.documents.files", sys.executable),
    "Small calls beside hostile uploads": ("benchmarks.documents.neighbours", sys.executable),
    "Fairness between accounts": ("benchmarks.documents.fairness", sys.executable),
    "Scans": ("benchmarks.scans", sys.executable),
    "Every format": ("benchmarks.documents.formats", sys.executable),
    "Text calls": ("benchmarks.api", sys.executable),
    "Proxied calls": ("benchmarks.proxy", sys.executable),
    "Upload memory": ("benchmarks.upload", sys.executable),
}
HEAD = """# Speed and memory

Written by `make bench`; no figure here is typed by hand. Every figure stands beside a peer or a floor that was measured
in the same run, because a machine's own speed says nothing: read the ratios. What the section "Scans" measures and how
to run it: [contributing/scans.md](contributing/scans.md).

"""


def processor() -> str:
    """The processor's name as Linux knows it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def known() -> dict[str, str]:
    """The sections of the report as it is, by title."""
    pieces = re.split(r"^## (.+)$", TARGET.read_text() if TARGET.exists() else "", flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def main() -> int:
    """Runs them one after the other, and writes the report anew after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}; all when none is named")
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := [title for title in chosen if title not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}")
    machine = f"{os.cpu_count()} cores, {processor()}, Python {platform.python_version()}"
    sections, failed = known(), 0
    for title in chosen:
        print(f"{title} ...", file=sys.stderr, flush=True)
        module, python = PARTS[title]
        done = subprocess.run(
            [python, "-m", module], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False, timeout=3600
        )
        print(done.stdout)
        ending = f"\nexit status {done.returncode}" if done.returncode else ""
        failed += bool(ending)
        when = f"{datetime.now(UTC):%Y-%m-%d}, {machine}."
        sections[title] = f"\n\n{when}\n\n```text\n{done.stdout.strip()}{ending}\n```\n\n"
        TARGET.write_text(
            HEAD + "".join(f"## {part}{sections[part]}" for part in PARTS if part in sections).strip() + "\n"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
