"""Runs every benchmark and writes what they print, and on what, to docs/benchmarks.md.

python -m benchmarks.report
"""

import os
import platform
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
    "Documents": ("benchmarks.files", sys.executable),
    "Every format": ("benchmarks.formats", sys.executable),
    "Text calls": ("benchmarks.api", sys.executable),
    "Proxied calls": ("benchmarks.proxy", sys.executable),
    "Upload memory": ("benchmarks.upload", sys.executable),
}
HEAD = """# Speed and memory

Written by `make bench`; no figure here is typed by hand. Every figure stands beside a peer or a floor that was measured
in the same run, because a machine's own speed says nothing: read the ratios.

"""


def processor() -> str:
    """The processor's name as Linux knows it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> int:
    """Runs them one after the other; the first that fails stops the report."""
    machine = f"{os.cpu_count()} cores, {processor()}, Python {platform.python_version()}"
    sections = [f"{HEAD}{datetime.now(UTC):%Y-%m-%d}, {machine}.\n"]
    for title, (module, python) in PARTS.items():
        print(f"{title} ...", file=sys.stderr, flush=True)
        done = subprocess.run(
            [python, "-m", module], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=3600
        )
        print(done.stdout)
        sections.append(f"\n## {title}\n\n```text\n{done.stdout.strip()}\n```\n")
    TARGET.write_text("".join(sections))
    return 0


if __name__ == "__main__":
    sys.exit(main())
