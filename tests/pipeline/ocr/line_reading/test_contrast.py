"""Lines with little contrast are given to engines with all of it, dark on light."""

import numpy as np
import pytest

from pipeline.ocr.line_reading.contrast import as_dark_ink, is_dim, is_visible, legible


def line(ink: int, paper: int) -> np.ndarray:
    """A line with a tenth of ink."""
    cut = np.full((20, 200), paper, np.uint8)
    cut[4:16, 20:54] = ink
    return cut


@pytest.mark.parametrize(("ink", "paper"), [(235, 255), (20, 0), (100, 140), (140, 100), (0, 255), (255, 0)])
def test_ink_becomes_black_and_paper_white(ink: int, paper: int) -> None:
    assert np.array_equal(legible(line(ink, paper)), line(0, 255))


@pytest.mark.parametrize(
    ("ink", "paper", "visible", "dim"),
    [(255, 255, False, False), (245, 255, False, False), (238, 255, True, True), (215, 255, True, True),
     (190, 255, True, False), (0, 255, True, False), (20, 0, True, True)],
)  # fmt: skip
def test_what_people_see_and_engines_do_not(ink: int, paper: int, visible: bool, dim: bool) -> None:
    cut = line(ink, paper)
    assert (is_visible(cut), is_dim(cut)) == (visible, dim)
    assert np.array_equal(as_dark_ink(cut), line(0, 255) if dim else cut)


@pytest.mark.parametrize(("ink", "paper"), [(250, 60), (200, 20), (150, 90)])
def test_light_ink_on_dark_ground_becomes_dark(ink: int, paper: int) -> None:
    shown = as_dark_ink(line(ink, paper))
    assert np.array_equal(shown, 255 - line(ink, paper))
    assert np.array_equal(as_dark_ink(shown), shown)
