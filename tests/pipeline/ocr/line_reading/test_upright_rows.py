"""A narrow column that was detected as one line from top to bottom is read cell by cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.networks.text_line import TextLine
from pipeline.ocr.line_reading.upright_rows import with_upright_rows
from tests.pipeline import low_contrast_images


def column(texts: Sequence[str], step: int) -> Any:
    picture = Image.new("L", (200, 60 + step * len(texts)), 255)
    draw = ImageDraw.Draw(picture)
    for number, text in enumerate(texts):
        draw.text((80, 20 + step * number), text, font=low_contrast_images.font(28), fill=0)
    return np.asarray(picture)


def downward(image: Any, upward: bool) -> TextLine:
    """The line of all its ink that runs from bottom to top, or the other way."""
    rows, columns = np.nonzero(image < 128)
    left, top, right, bottom = columns.min() - 4, rows.min() - 4, columns.max() + 5, rows.max() + 5
    wide, high = float(right - left), float(bottom - top)
    if upward:
        return TextLine(float(left), float(bottom), (0.0, -1.0), high, wide, 0.9)
    return TextLine(float(right), float(top), (0.0, 1.0), high, wide, 0.9)


@pytest.mark.parametrize("upward", [True, False])
def test_each_cell_is_a_line_to_the_right(upward: bool) -> None:
    texts = ["1", "2", "3", "14", "5"]
    image = column(texts, 60)
    lines = sorted(with_upright_rows([downward(image, upward)], image), key=lambda line: line.top)
    assert [line.along for line in lines] == [(1.0, 0.0)] * 5
    inked = [np.count_nonzero(line.cut(image) < 128) for line in lines]
    assert sum(inked) == np.count_nonzero(image < 128)
    assert min(inked) > 0


def test_a_line_that_runs_downward_stays() -> None:
    image = np.ascontiguousarray(np.rot90(column(["1098765432 and more"], 60)))
    line = downward(image, True)
    assert list(with_upright_rows([line], image)) == [line]


def test_lines_that_do_not_run_downward_stay() -> None:
    image = column(["1", "2", "3"], 60)
    line = TextLine(70.0, 20.0, (1.0, 0.0), 60.0, 30.0, 0.9)
    assert list(with_upright_rows([line], image)) == [line]


def test_digits_one_above_another_without_wide_gaps_stay_one_line() -> None:
    image = column(list("1098765432"), 28)
    line = downward(image, False)
    assert list(with_upright_rows([line], image)) == [line]
