"""The detectors of both readings find lines of text in every script, at any angle, and nowhere else."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from PIL import Image

from pipeline.networks import pretrained_detector
from pipeline.networks.text_map import TextMap
from pipeline.ocr.engines import text_detector
from tests.pipeline.documents import papers

Detector = Callable[[np.ndarray], TextMap]
TEXTS = ("Identity number of the holder", "رقم الهوية للعميل", "١٠١٢٣٤٥٦٧٢", "1012345672")


@pytest.fixture(params=[text_detector.text_map, pretrained_detector.text_map], ids=["first", "second"])
def text_map(request: pytest.FixtureRequest) -> Detector:
    detector: Detector = request.param
    return detector


def covered(where: TextMap, pixels: np.ndarray) -> float:
    """The share of the ink that lines cover."""
    shown = np.zeros_like(pixels, bool)
    for line in where.lines():
        left, top, width, height = line.box(0, line.width, pixels.shape)
        shown[top : top + height, left : left + width] = True
    return float(shown[pixels < 128].mean())


@pytest.mark.parametrize("text", TEXTS)
def test_every_script_is_found(text_map: Detector, text: str) -> None:
    pixels = papers.picture(text)
    assert len(text_map(pixels).lines()) == 1
    assert covered(text_map(pixels), pixels) > 0.98


@pytest.mark.parametrize("degrees", [-3.0, 2.0, 90.0, 180.0])
def test_a_turned_line_is_found_and_cut_upright(text_map: Detector, degrees: float) -> None:
    flat = Image.fromarray(papers.picture(TEXTS[0], width=900))
    pixels = np.asarray(flat.rotate(degrees, expand=True, fillcolor=255))
    (line,) = text_map(pixels).lines()
    assert covered(text_map(pixels), pixels) > 0.97
    assert line.runs_upward is (degrees == 90.0)
    cut = line.cut(pixels)
    assert cut.shape[1] > 5 * cut.shape[0]
    assert (cut < 128).sum() > 0.95 * (pixels < 128).sum()


@pytest.mark.slow
def test_lines_come_from_top_to_bottom(text_map: Detector) -> None:
    lines = text_map(papers.picture(*TEXTS)).lines()
    assert len(lines) == len(TEXTS)
    assert [line.top for line in lines] == sorted(line.top for line in lines)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (40, 1), (33, 33)])
@pytest.mark.parametrize("level", [0, 255])
def test_blank_rasters_of_any_shape_have_no_lines(text_map: Detector, shape: tuple[int, int], level: int) -> None:
    assert text_map(np.full(shape, level, np.uint8)).lines() == []


def test_noise_has_hardly_any_lines(text_map: Detector) -> None:
    assert len(text_map(np.random.default_rng(3).integers(0, 256, (600, 800), np.uint8)).lines()) < 5


@pytest.mark.parametrize(
    ("shape", "places"),
    [
        # Two corners, and across the edges of tiles.
        ((800, 6400), ((100, 100), (350, 2950), (500, 5400))),
        pytest.param((5200, 1600), ((200, 100), (2530, 400), (4900, 600)), marks=pytest.mark.slow),
        pytest.param((5200, 6400), ((200, 100), (2590, 2800), (4900, 5400)), marks=pytest.mark.slow),
    ],
    ids=["wide", "high", "both"],
)
@pytest.mark.slow
def test_small_letters_of_a_very_large_raster_are_found(
    text_map: Detector, shape: tuple[int, int], places: tuple[tuple[int, int], ...]
) -> None:
    """Reduced to the network's usual input the letters would be three pixels high."""
    pixels = np.full(shape, 255, np.uint8)
    line = papers.picture(TEXTS[0], width=900, points=8)
    for top, left in places:
        pixels[top : top + line.shape[0], left : left + line.shape[1]] = line
    assert len(text_map(pixels).lines()) == 3
    assert covered(text_map(pixels), pixels) > 0.95


@pytest.mark.parametrize(
    "place",
    [(0, 1140), *(pytest.param(place, marks=pytest.mark.slow) for place in ((30, 30), (1960, 0), (1960, 1140)))],
)
@pytest.mark.slow
def test_dim_text_in_a_corner_of_a_noisy_page_is_found(text_map: Detector, place: tuple[int, int]) -> None:
    top, left = place
    page = np.full((2000, 1400), 240.0)
    line = papers.picture(TEXTS[0], width=700)[:140, 50:650]
    page[900 : 900 + line.shape[0], 400 : 400 + line.shape[1]] -= 255.0 - line
    dim = cv2.resize(line, (260, 40), interpolation=cv2.INTER_AREA)
    page[top : top + 40, left : left + 260] -= (255.0 - dim) / 5
    page += np.random.default_rng(7).normal(0, 3, page.shape)
    tops = [line.top for line in text_map(np.clip(page, 0, 255).astype(np.uint8)).lines()]
    assert any(abs(found - top) < 40 for found in tops) and any(abs(found - 940) < 60 for found in tops)


@pytest.mark.slow
def test_dim_text_above_a_busy_ground_is_found(text_map: Detector) -> None:
    page = np.full((900, 1400), 230, np.uint8)
    page[160:, ::6] = 150
    line = papers.picture(TEXTS[0], width=700)[:140, 50:650]
    page[10:150, 500:1100] -= ((255 - line) / 4).astype(np.uint8)
    assert any(line.top < 150 and line.width > 300 for line in text_map(page).lines())


@pytest.mark.slow
def test_dim_text_in_a_light_field_of_a_dark_page_is_found(text_map: Detector) -> None:
    page = np.full((1000, 1400), 15, np.uint8)
    line = papers.picture(TEXTS[0], width=700)[:140, 50:650]
    page[100:600, 100:800] = 255
    page[200:340, 120:720] -= ((255 - line) / 10).astype(np.uint8)
    assert any(200 < line.top < 340 and line.width > 300 for line in text_map(page).lines())


def test_light_text_on_a_dark_page_is_found(text_map: Detector) -> None:
    page = np.full((600, 1400), 20, np.uint8)
    line = papers.picture(TEXTS[0], width=700)[:140, 50:650]
    page[200:340, 120:720] += ((255 - line) / 1.5).astype(np.uint8)
    assert any(180 < line.top < 340 and line.width > 300 for line in text_map(page).lines())


def test_places_of_text_are_told_from_others(text_map: Detector) -> None:
    pixels = np.full((600, 1200), 255, np.uint8)
    line = papers.picture(TEXTS[2], width=500)
    pixels[60 : 60 + line.shape[0], 60 : 60 + line.shape[1]] = line
    cv2.rectangle(pixels, (740, 340), (1060, 460), 0, 4)
    where = text_map(pixels)
    rows, columns = np.nonzero(pixels[:300] < 128)
    text = (columns.min(), rows.min(), columns.max(), rows.max())
    assert where.may_hold_text([text, (740, 340, 1060, 460), (60, 500, 100, 540)]).tolist() == [True, False, False]
    assert where.may_hold_text([]).tolist() == []
