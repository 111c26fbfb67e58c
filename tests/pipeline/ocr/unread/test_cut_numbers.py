"""A number that ends where its ground does may go on there."""

import numpy as np
import pytest

from pipeline.ocr.unread.cut_numbers import cut_numbers
from tests.pipeline.ocr.words import Word

TEXT, BOX = "228420111", (300, 100, 270, 50)


def found(ground: int, until: int, text: str = TEXT) -> list[tuple[int, int, int, int]]:
    image = np.full((300, 800), 255, np.uint8)
    image[:, :until] = ground
    image[110:140, 310:560:9] = 0
    return list(cut_numbers(image, text, [Word(0, len(text), *BOX, 99.0)]))


def test_another_ground_that_begins_at_the_end_of_a_number() -> None:
    assert found(170, 295) == [BOX]


@pytest.mark.parametrize(("ground", "other"), [(255, 170), (170, 255), (30, 4), (4, 30), (200, 225)])
@pytest.mark.parametrize("side", ["left", "right"])
def test_on_either_side_and_on_dark_grounds(ground: int, other: int, side: str) -> None:
    image = np.full((300, 800), ground, np.uint8)
    left, _, width, height = BOX
    far = left - height // 2 if side == "left" else left + width + height // 2
    image[:, : far + 12] = other if side == "left" else image[:, : far + 12]
    image[:, far - 12 :] = other if side == "right" else image[:, far - 12 :]
    assert list(cut_numbers(image, TEXT, [Word(0, len(TEXT), *BOX, 99.0)])) == [BOX]


def test_a_textured_ground_behind_a_little_paper() -> None:
    rng = np.random.default_rng(1)
    image = np.full((300, 800), 255, np.uint8)
    image[100:150, 300:570] = np.tile((10, 60, 110, 160, 225, 228, 252, 252, 252, 252), 27)
    image[:, 588:] = rng.integers(40, 240, (300, 212))
    assert list(cut_numbers(image, TEXT, [Word(0, len(TEXT), *BOX, 99.0)])) == [BOX]


@pytest.mark.parametrize(("ground", "until"), [(245, 295), (170, 200), (170, 800)])
def test_no_other_ground_near_it(ground: int, until: int) -> None:
    assert found(ground, until) == []


def test_bold_digits_whose_edges_are_most_of_their_box() -> None:
    image = np.full((300, 800), 252, np.uint8)
    image[100:150, 300:570] = np.tile((10, 60, 110, 160, 225, 228, 252, 252, 252, 252), 27)
    assert np.median(image[100:150, 300:570]) < 252 - 24
    assert list(cut_numbers(image, TEXT, [Word(0, len(TEXT), *BOX, 99.0)])) == []


def test_short_numbers_and_words_may_stand_at_an_edge() -> None:
    assert found(170, 295, "1447") == found(170, 295, "Address") == []


@pytest.mark.parametrize(
    ("box", "may_go_on"),
    [((0, 100, 270, 50), True), ((4, 100, 270, 50), True), ((528, 100, 270, 50), True), ((0, 0, 30, 12), True),
     ((9, 100, 270, 50), False), ((520, 100, 270, 50), False), ((300, 0, 270, 50), False), ((5, 5, 1, 1), False)],
)  # fmt: skip
def test_a_number_that_reaches_an_edge_of_the_raster_may_go_on(box: tuple[int, int, int, int], may_go_on: bool) -> None:
    image = np.full((300, 800), 255, np.uint8)
    for text, is_burned in ((TEXT, may_go_on), ("1447", False), ("Address", False)):
        found = list(cut_numbers(image, text, [Word(0, len(text), *box, 99.0)]))
        assert found == ([box] if is_burned else [])
