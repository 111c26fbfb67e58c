"""Ink that nobody read is found whichever way its lines run."""

import numpy as np
import pytest

from pipeline.documents.ink import ink_of
from pipeline.ocr.unread import unread_ink
from tests.pipeline.documents import papers


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_lines_that_nobody_read_are_unread_on_pages_scanned_sideways(quarters: int) -> None:
    pixels = papers.picture("Mobile number 0501234567", "Identity number 1012345672", width=700)
    turned = np.ascontiguousarray(np.rot90(pixels, quarters))
    covered = np.zeros_like(turned, bool)
    for left, top, width, height in unread_ink(turned, ink_of(turned, 200), "", ()):
        covered[top : top + height, left : left + width] = True
    assert covered[turned < 128].mean() > 0.9
