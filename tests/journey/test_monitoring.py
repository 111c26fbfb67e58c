"""A real Prometheus watches a running system by the example's rules and dashboard."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from schemas.stages import Queue

ROOT = Path(__file__).parents[2]
# Panels of what a healthy system does with calls and files; the others show faults, and providers that nobody calls.
BUSY = {
    "Calls by status",
    "Duration of calls, 95th percentile",
    "Words charged, refunds, texts shed",
    "Age of the oldest work by queue",
    "Waiting stages by queue",
    "Stages by outcome",
    "Duration of stages, 95th percentile",
    "Workers busy by stage",
    "Pages opened",
    "Entities found by type",
    "Stores: duration, 95th percentile",
}


@pytest.mark.slow
def test_prometheus_takes_every_panel_and_rule(tmp_path: Path) -> None:
    picture = tmp_path / "metrics.png"
    command = [sys.executable, "-m", "scripts.monitoring", "--seconds", "15", "--picture", picture]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    shown = dict(re.findall(r"^(.+): ([\d, ]+) series$", done.stdout, re.MULTILINE))
    assert shown.keys() >= BUSY
    assert [title for title in BUSY if "0" in shown[title].split(", ")] == []
    assert [shown[f"Autoscaler of {queue.value}"] for queue in Queue] == ["1"] * len(Queue)
    assert re.search(r"^\d+ rules, firing: none$", done.stdout, re.MULTILINE)
    with Image.open(picture) as shot:
        assert shot.size == (1200, 1680)
