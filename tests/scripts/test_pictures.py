"""Pictures from which the text detector learns: text that only hue shows, and guilloches."""

import random

import cv2
import numpy as np
import pytest

from scripts.scans import pictures


@pytest.mark.parametrize("seed", range(8))
def test_text_of_another_hue_is_about_as_bright_as_its_ground(seed: int) -> None:
    black = np.full((200, 400), 255, np.uint8)
    cv2.putText(black, "1012345672", (20, 120), cv2.FONT_HERSHEY_SIMPLEX, 2, 0, 6)
    ground = np.full((200, 400, 3), (130, 140, 150), np.uint8)
    with_text, without = (
        pictures.hued(random.Random(seed), text, ground) for text in (black, np.full_like(black, 255))
    )
    (before, *hues), (after, *others) = (
        cv2.split(cv2.cvtColor(one, cv2.COLOR_BGR2YCrCb)) for one in (without, with_text)
    )
    strokes = black == 0
    assert np.median(cv2.absdiff(before, after)[strokes]) < 36  # colours that do not exist get the nearest ones
    assert max(np.median(cv2.absdiff(one, other)[strokes]) for one, other in zip(hues, others, strict=True)) >= 25
    assert np.array_equal(with_text[~strokes & (black == 255)], without[~strokes & (black == 255)])


@pytest.mark.parametrize("seed", range(4))
def test_a_guilloche_is_fine_lines_and_the_same_for_the_same_seed(seed: int) -> None:
    made = pictures.guilloche(random.Random(seed))
    assert made.dtype == np.uint8 and made.ndim == 3 and min(made.shape[:2]) >= 500
    assert np.array_equal(made, pictures.guilloche(random.Random(seed)))
    gray = cv2.cvtColor(made, cv2.COLOR_BGR2GRAY)
    assert cv2.absdiff(gray, cv2.blur(gray, (45, 45))).mean() >= 1
