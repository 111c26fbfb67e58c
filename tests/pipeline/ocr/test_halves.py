"""A page is cut between lines of text, and never through one."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.ocr.halves import halves
from pipeline.rereading import read_again
from tests.pipeline.documents import papers

LINES = [f"Line number {number} of the letter" for number in range(1, 15)]


def joined(parts: list[tuple[int, NDArray[np.uint8]]]) -> NDArray[np.uint8]:
    assert [top for top, _ in parts] == [0, *np.cumsum([len(part) for _, part in parts])[:-1]]
    return np.concatenate([part for _, part in parts])


def test_the_parts_are_the_page_cut_where_nothing_stands() -> None:
    page = papers.picture(*LINES)
    parts = halves(page)
    assert len(parts) == 2
    assert (joined(parts) == page).all()
    cut = parts[1][0]
    assert (page[cut - 4 : cut + 4] == 255).all()
    assert 0.3 < (page[:cut] < 128).sum() / (page < 128).sum() < 0.7


@pytest.mark.parametrize("angle", [2.0, -2.0])
def test_a_turned_page_is_cut_through_no_line(angle: float) -> None:
    page = papers.picture(*LINES)
    turn = cv2.getRotationMatrix2D((page.shape[1] / 2, page.shape[0] / 2), angle, 1.0)
    turned = np.asarray(cv2.warpAffine(page, turn, page.shape[::-1], borderValue=(255,)), np.uint8)
    for top, _ in halves(turned)[1:]:
        assert (turned[top - 2 : top + 2] > 200).all()


def test_a_page_with_a_rule_from_top_to_bottom_stays_whole() -> None:
    page = papers.picture(*LINES)
    page[:, 500:503] = 0
    assert len(halves(page)) == 1


def test_a_noisy_page_with_what_lies_beside_it_is_cut_where_nothing_stands() -> None:
    page = papers.picture(*LINES)
    noise = np.random.default_rng(3).normal(0, 5, page.shape)
    photographed = np.clip(np.minimum(page, 230) + noise, 0, 255).astype(np.uint8)
    photographed[:, : page.shape[1] // 50] = 40
    assert [top for top, _ in halves(photographed)] == [top for top, _ in halves(page)]


def test_a_page_is_not_cut_through_dim_lines() -> None:
    page = papers.picture(*LINES)
    cut = halves(page)[1][0]
    dim = (255 - papers.picture(LINES[0])[60:160]) // 12
    page[cut - 50 : cut + 50] -= dim[:, : page.shape[1]]
    rows = np.flatnonzero((dim > 0).any(axis=1)) + cut - 50
    assert all(not rows[0] < top < rows[-1] for top, _ in halves(page))


@pytest.mark.parametrize("shape", [(1, 1), (40, 900), (3000, 1), (2000, 1400)])
def test_blank_and_small_pages_stay_whole(shape: tuple[int, int]) -> None:
    page = np.full(shape, 255, np.uint8)
    assert [top for top, _ in halves(page)] == [0]


def test_words_of_both_parts_have_their_places_on_the_page() -> None:
    page = papers.picture(*LINES)
    reading = read_again(papers.raster(page, 200), papers.encoded(page))
    tops = [word.top for word in reading.words if reading.text[word.start : word.end] == "number"]
    assert len(tops) == len(LINES)
    assert np.diff(tops).std() < 3
