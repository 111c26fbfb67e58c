"""Pages that are drawn to teach the text detector: where they say that text is, there is ink."""

import random
from pathlib import Path

import cv2
import numpy as np

from scripts.scans import pictures
from scripts.scans.sheets import printed_over, sheet

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


def test_text_on_a_picture_stands_out_from_it_where_it_is_said_to_lie() -> None:
    waves = 128 + 90 * np.sin(np.mgrid[0:700, 0:900][1] / 150)
    picture = waves.astype(np.uint8)
    page = printed_over(random.Random(2), SENTENCES, picture)
    changed = np.abs(page.image.astype(int) - picture) > 20
    printed = np.zeros(picture.shape, np.uint8)
    for run in page.runs:
        alone = np.zeros(picture.shape, np.uint8)
        cv2.fillPoly(alone, [np.rint(run).astype(np.int32)], 1)
        assert changed[alone > 0].any()
        printed |= alone
    assert page.runs and not changed[printed == 0].any()


def test_a_picture_in_two_hues_hardly_differs_in_brightness() -> None:
    black = np.full((60, 200), 255, np.uint8)
    black[20:40, 50:150] = 0
    picture = np.full((60, 200, 3), (90, 120, 150), np.uint8)
    for seed in range(8):
        made = pictures.hued(random.Random(seed), black, picture)
        levels, cr, cb = (plane.astype(int) for plane in cv2.split(cv2.cvtColor(made, cv2.COLOR_BGR2YCrCb)))
        inside, outside = (slice(25, 35), slice(60, 140)), (slice(25, 35), slice(0, 45))
        assert abs(levels[inside].mean() - levels[outside].mean()) < 50
        assert max(abs(plane[inside].mean() - plane[outside].mean()) for plane in (cr, cb)) > 20


def test_pictures_lie_on_a_ground_that_shows_through_them(tmp_path: Path) -> None:
    half = np.zeros((80, 120, 4), np.uint8)
    half[:, 60:] = (10, 20, 30, 255)
    cv2.imwrite(str(tmp_path / "half.png"), half)
    for seed in range(12):
        page = pictures.page(random.Random(seed), [[tmp_path / "half.png"]])
        assert (page == (10, 20, 30)).all(axis=2).any()
        assert not (page == (10, 20, 30)).all(axis=2).all()
