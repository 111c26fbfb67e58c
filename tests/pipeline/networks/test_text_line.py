"""A line of text is fitted to its ink, whatever its direction and colour, and loses none."""

import cv2
import numpy as np
import pytest
from PIL import Image

from pipeline.networks.text_line import TextLine
from tests.pipeline.documents import papers

LEFT, TOP, RIGHT, BOTTOM = 200, 100, 488, 140


def paper(ink: int = 0, ground: int = 255) -> np.ndarray:
    """A page with a row of bars."""
    pixels = np.full((400, 800), ground, np.uint8)
    for left in range(LEFT, RIGHT, 20):
        pixels[TOP:BOTTOM, left : left + 8] = ink
    return pixels


@pytest.mark.parametrize(("ink", "ground"), [(0, 255), (255, 0), (200, 225)])
def test_a_loose_line_becomes_as_narrow_as_its_ink(ink: int, ground: int) -> None:
    line = TextLine(LEFT - 10, TOP - 8, (1.0, 0.0), RIGHT - LEFT + 20, BOTTOM - TOP + 16, 0.9).fitted(
        paper(ink, ground)
    )
    edge = 0.1 * (BOTTOM - TOP + 16)
    assert abs(line.left - (LEFT - edge)) < 2 and abs(line.left + line.width - (RIGHT + edge)) < 2
    assert abs(line.top - (TOP - edge)) < 2 and abs(line.top + line.height - (BOTTOM + edge)) < 2


def test_a_line_that_is_too_short_gets_its_last_characters() -> None:
    line = TextLine(LEFT + 8, TOP, (1.0, 0.0), RIGHT - LEFT - 16, BOTTOM - TOP, 0.9).fitted(paper())
    assert line.left <= LEFT and line.left + line.width >= RIGHT


def test_light_ink_beside_dark_ink_is_not_cut_off() -> None:
    pixels = paper()
    pixels[TOP:BOTTOM, LEFT : LEFT + 8] = 235
    line = TextLine(LEFT - 5, TOP - 5, (1.0, 0.0), RIGHT - LEFT + 10, BOTTOM - TOP + 10, 0.9).fitted(pixels)
    assert line.left <= LEFT


@pytest.mark.parametrize("degrees", [-20.0, 7.0, 90.0])
def test_a_turned_line_keeps_all_of_its_ink(degrees: float) -> None:
    pixels = np.asarray(Image.fromarray(paper()).rotate(degrees, expand=True, fillcolor=255))
    height, width = pixels.shape
    angle = np.radians(degrees)
    along = float(np.cos(angle)), float(-np.sin(angle))
    middle = np.array([(LEFT + RIGHT) / 2 - 400, (TOP + BOTTOM) / 2 - 200])
    x, y = np.array([[along[0], -along[1]], [along[1], along[0]]]) @ middle + (width / 2, height / 2)
    wide, high = RIGHT - LEFT + 24.0, BOTTOM - TOP + 24.0
    corner = x - along[0] * wide / 2 + along[1] * high / 2, y - along[1] * wide / 2 - along[0] * high / 2
    loose = TextLine(*map(float, corner), along, wide, high, 0.9)
    fitted = loose.fitted(pixels)
    assert fitted.width < loose.width and fitted.height < loose.height
    assert (fitted.cut(pixels) < 128).sum() > 0.98 * (pixels < 128).sum()


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_line_without_ink_stays_as_it_is(level: int) -> None:
    line = TextLine(50, 50, (1.0, 0.0), 100, 20, 0.9)
    fitted = line.fitted(np.full((200, 300), level, np.uint8))
    assert fitted.width >= 0.3 * line.width and fitted.height >= 0.5 * line.height


def test_noise_is_not_taken_for_paper() -> None:
    noise = np.random.default_rng(5).integers(0, 256, (200, 800), np.uint8)
    line = TextLine(100, 50, (1.0, 0.0), 400, 40, 0.9)
    assert line.fitted(noise).width >= line.width


def test_a_line_at_the_edge_of_a_raster_is_fitted() -> None:
    pixels = papers.picture("Office")[:, :60]
    for line in (TextLine(-5, -5, (1.0, 0.0), 90, 50, 0.9), TextLine(40, 40, (1.0, 0.0), 1, 1, 0.9)):
        assert line.fitted(pixels).cut(pixels).size


@pytest.mark.parametrize("degrees", [0, 3, 45, 90, 120])
def test_boxes_along_a_line_cover_it_and_little_else(degrees: int) -> None:
    u, v = float(np.cos(np.radians(degrees))), float(np.sin(np.radians(degrees)))
    line = TextLine(400.0, 300.0, (u, v), 300.0, 40.0, 1.0)
    marked, drawn = np.zeros((900, 900), np.uint8), np.zeros((900, 900), np.uint8)
    for left, top, width, height in line.strip(0, 300).boxes(marked.shape):
        marked[top : top + height, left : left + width] = 1
    core = line._replace(left=line.left - 8 * v, top=line.top + 8 * u, height=24.0)
    cv2.fillConvexPoly(drawn, np.rint(core.corners()).astype(np.int32), 1)
    assert marked[drawn > 0].mean() > 0.98
    assert marked.sum() < 2 * 300 * 40
