"""Boxes around and over parts of lines."""

import cv2
import numpy as np
import pytest

from pipeline.geometry.strip import Strip, strip_of


@pytest.mark.parametrize("across", [-300, -80, 0, 25, 80, 300])
@pytest.mark.parametrize("down", [-300, -80, -25, 0, 80, 300])
def test_boxes_over_a_line_cover_it_and_little_else(across: int, down: int) -> None:
    if not (across or down):
        return
    strip = Strip(400, 400, across, down, 40)
    marked = np.zeros((800, 800), np.uint8)
    for left, top, width, height in strip.boxes(marked.shape):
        marked[top : top + height, left : left + width] = 1
    line = np.zeros_like(marked)
    length = np.hypot(across, down)
    along = np.array((across, down)) / length
    aside = along[::-1] * (-19, 19)  # pixels; the edges of the filled shape are in it
    start, end = 400 + along, 400 + along * (length - 1)
    corners = np.rint([start + aside, end + aside, end - aside, start - aside]).astype(np.int32)
    cv2.fillConvexPoly(line, corners, 1)
    assert marked[line > 0].mean() > 0.98
    assert marked.sum() < 2 * line.sum() + 4 * 40 * 40


def test_boxes_over_a_line_stay_in_its_raster_and_are_few() -> None:
    boxes = list(Strip(-50_000, -50_000, 100_000, 100_000, 1).boxes((200, 300)))
    assert 0 < len(boxes) <= 50
    assert all(0 <= left < left + width <= 300 and 0 <= top < top + height <= 200 for left, top, width, height in boxes)


def test_the_box_around_a_line_holds_it_and_no_more() -> None:
    assert Strip(100, 50, 300, 0, 20).box == (100, 40, 300, 20)
    assert Strip(100, 50, 0, -30, 20).box == (90, 20, 20, 30)
    assert Strip(10, 10, 30, 40, 10).box == (6, 7, 38, 46)


@pytest.mark.parametrize("box", [(10, 20, 70, 30), (10, 20, 30, 70), (10, 20, 31, 31), (10, 20, 1, 1)])
def test_a_box_is_the_one_box_over_its_strip(box: tuple[int, int, int, int]) -> None:
    assert strip_of(box).box == box
    assert list(strip_of(box).boxes((100, 100))) == [box]


def test_a_part_of_a_line() -> None:
    assert Strip(10, 10, 30, 40, 10).part(10, 25) == pytest.approx(Strip(16, 18, 9, 12, 10))
