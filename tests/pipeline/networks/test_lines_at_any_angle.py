"""Slanted lines are found in the pixels of the image as it is."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from pipeline.networks.lines_at_any_angle import lines_at_any_angle
from pipeline.networks.text_map import TextMap
from pipeline.ocr.engines.text_detector import text_map
from tests.pipeline.low_contrast_images import font

TEXT, SIZE = "1012345672", (1100, 800)


@pytest.mark.parametrize(
    "degrees", [pytest.param(each, marks=[] if each % 60 == 0 else pytest.mark.slow) for each in range(0, 180, 15)]
)
def test_a_line_at_any_angle_is_found_surely_and_read_from_its_cut(degrees: int) -> None:
    mark = Image.new("L", SIZE, 255)
    length = font(44).getlength(TEXT)
    ImageDraw.Draw(mark).text((550 - length / 2, 375), TEXT, font=font(44), fill=0)
    image = np.asarray(mark.rotate(degrees, fillcolor=255, resample=Image.Resampling.BICUBIC))
    best = max(lines_at_any_angle(image, text_map), key=lambda line: line.score)
    assert best.score > 0.9  # between .79 and .9 at most angles without all turns
    assert 0.9 * length < best.width < 1.5 * length and best.height < 120
    cut = best.cut(image)
    inked = np.argwhere(cut < 128)
    assert (cut < 128).sum() == pytest.approx((image < 128).sum(), rel=0.05)
    (top, left), (bottom, right) = inked.min(axis=0), inked.max(axis=0)
    assert right - left == pytest.approx(length, rel=0.05) and bottom - top < 45


def test_the_detector_sees_only_what_stands_out() -> None:
    image = np.full((900, 1200), 200, np.uint8)
    image[300:340, 500:700] = 90
    seen = []

    def look(part: np.ndarray) -> TextMap:
        seen.append(part.shape)
        return text_map(part)

    lines_at_any_angle(image, look)
    assert len(seen) == 4 and max(map(max, seen)) < 320
    assert lines_at_any_angle(np.full((90, 120), 200, np.uint8), pytest.fail) == []
