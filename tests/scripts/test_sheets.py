"""Pages that are drawn to teach the text detector: where they say that text is, there is ink."""

import random

import cv2
import numpy as np

from scripts.scans.sheets import sheet

SENTENCES = ["The office opens in the morning", "يفتح المكتب في الصباح"]


def test_a_page_is_the_same_again_and_holds_text_and_other_ink() -> None:
    first, again, other = (sheet(random.Random(seed), SENTENCES) for seed in (3, 3, 4))
    assert np.array_equal(first.image, again.image)
    assert first.image.shape != other.image.shape or not np.array_equal(first.image, other.image)
    assert len(first.runs) > 5


def test_each_run_of_text_lies_where_it_is_said_to_lie() -> None:
    page = sheet(random.Random(5), SENTENCES)
    inside = np.zeros(page.image.shape, np.uint8)
    inked = 0
    for run in page.runs:
        mask = np.zeros(page.image.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint(run).astype(np.int32)], 1)
        inked += bool(np.ptp(page.image[mask > 0]) > 60) if mask.any() else 0
        inside |= mask
    assert inked >= 0.9 * len(page.runs)
    assert 0 < inside.mean() < 0.6
