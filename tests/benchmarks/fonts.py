"""The mark of tests that draw with the fonts of scripts/setup scans."""

import shutil

import pytest
from PIL import features

from benchmarks.scans.fonts import SetName
from scripts.scans.fonts import families


def _has_fonts() -> bool:
    parts: tuple[SetName, ...] = ("tune", "test")
    return shutil.which("fc-list") is not None and all(families(part, "arabic") for part in parts)


drawing = pytest.mark.skipif(
    not features.check("raqm") or not _has_fonts(), reason="needs raqm and the fonts of scripts/setup scans"
)
