"""Every process finds the same spans in a text: tokens, numbers and the second reading of a file rely on it."""

import os
import subprocess
import sys

import pytest

# Texts whose parts could be read in two ways; each process has its own order of sets.
_DETECTS = """
from itertools import permutations
from pipeline.detect.detector import Detector

PARTS = (
    "شارع الملك فهد 8228", "Makkah Road", "8228 King Fahd Road", "Jeddah 21411", "Riyadh 12214-6603", "حي العليا",
    "مبنى 3394", "طريق مكة الرياض 12214", "Noura Almithali", "12/03/1985", "0501234567",
)
detector = Detector()
for parts in permutations(PARTS, 3):
    for joint in (" ", "، "):
        print(detector.detect(joint.join(parts)).spans)
"""


def _found(seed: int) -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    return subprocess.run([sys.executable, "-c", _DETECTS], env=environment, capture_output=True, check=True).stdout


@pytest.mark.slow
def test_every_process_finds_the_same() -> None:
    assert _found(1) == _found(2) != b""
