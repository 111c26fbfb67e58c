"""What runs the networks keeps nothing and reports nothing."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_READS_NAMES = """
import os
from pipeline.detect.detector import Detector

assert Detector(names="fast").detect("Contact Susanna Feldman in Jeddah")
paths = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
print(*(os.readlink(path) for path in paths if os.path.islink(path)))
"""


def test_onnx_runtime_reports_nothing(tmp_path: Path) -> None:
    """Unless it is told not to, it opens a database of reports in the home directory."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-B", "-c", _READS_NAMES], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())
    assert "onnxruntime" not in done.stdout and "socket:" not in done.stdout
