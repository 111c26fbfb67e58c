"""Tests of the labels that redaction prints: they are recognized, and nothing else is taken for one."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pipeline.documents.raster.burn import FONT, Box, burn
from pipeline.ocr.dark_places import dark_places, without_dark_places
from pipeline.ocr.printed_labels import labels_in
from schemas.entities import PREFIX

WIDTH, HEIGHT = 420, 40


def black_box(text: str = "", scale: float = 0.9, gray: int = 255, font: int = FONT) -> NDArray[np.uint8]:
    """A black box with a text in it, in a font of OpenCV."""
    box = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.putText(box, text, (12, 28), font, scale, gray, 2)
    return box


def burned(label: str, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    """A burned box with its label."""
    page = np.full((height + 20, width + 20), 255, np.uint8)
    burn(page, [Box(10, 10, 10 + width, 10 + height, label)])
    return page[10:-10, 10:-10]


def texts(box: NDArray[np.uint8]) -> list[str] | None:
    found = labels_in(box)
    return None if found is None else [label.text for label in found]


@pytest.mark.parametrize("prefix", PREFIX.values())
def test_the_label_of_each_type_is_recognized(prefix: str) -> None:
    for number in ("01", "11", "37", "204"):
        assert texts(burned(f"{prefix}_{number}")) == [f"{prefix}_{number}"]


def test_its_place_is_that_of_its_strokes() -> None:
    (label,) = labels_in(burned("DATE_01")) or ()
    box = burned("DATE_01")[label.top : label.top + label.height, label.left : label.left + label.width]
    assert np.count_nonzero(box) == np.count_nonzero(burned("DATE_01"))


@pytest.mark.parametrize("quality", [95, 85])
def test_a_label_in_a_jpeg_is_recognized(quality: int) -> None:
    encoded = cv2.imencode(".jpg", burned("PERSON_NAME_03"), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    shown = cv2.imdecode(encoded, cv2.IMREAD_GRAYSCALE)
    assert texts(np.asarray(shown, np.uint8)) == ["PERSON_NAME_03"]


def test_two_labels_in_one_box_are_recognized() -> None:
    assert texts(np.hstack([burned("DATE_01"), burned("PHONE_02")])) == ["DATE_01", "PHONE_02"]


def test_a_blank_box_holds_no_label() -> None:
    assert texts(black_box()) == []


@pytest.mark.parametrize(
    "text", ["1098765432", "MRN_1098765432", "MRN 12345", "DATE_1990", "05/03/1990", "IP_A1", "ID_01", "PERSON_NAME"]
)
def test_other_text_is_not_taken_for_a_label(text: str) -> None:
    for font in (FONT, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_PLAIN):
        for scale in (0.6, 0.8, 1.0):
            assert texts(black_box(text, scale, font=font)) is None


def test_a_label_beside_other_text_is_none() -> None:
    box = np.hstack([burned("DATE_01"), black_box("1098765432")])
    assert texts(box) is None


@pytest.mark.parametrize("gray", [30, 60, 90, 130])
def test_dim_text_beside_a_label_is_seen(gray: int) -> None:
    assert texts(np.hstack([burned("DATE_01"), black_box("1098765432", gray=gray)])) is None


def test_a_stroke_through_a_label_is_seen() -> None:
    box = burned("NATIONAL_ID_01").copy()
    cv2.line(box, (5, 5), (WIDTH - 5, HEIGHT - 5), 255, 2)
    assert texts(box) is None


def test_a_page_shows_neither_the_labels_nor_light_text() -> None:
    page = np.full((240, 600), 255, np.uint8)
    burn(page, [Box(40, 40, 40 + WIDTH, 40 + HEIGHT, "DATE_01")])
    page[140 : 140 + HEIGHT, 40 : 40 + WIDTH] = black_box("1098765432")
    shown, labels = without_dark_places(page, dark_places(page))
    assert [label.text for label in labels] == ["DATE_01"]
    assert (shown[:100] == 255).all()
    assert (shown[142:178, 42:458] == 255 - page[142:178, 42:458]).all()


def test_labels_become_the_paper_around_them() -> None:
    """White gaps between their boxes on darker paper would look like lines."""
    page = np.tile(np.linspace(150, 190, 600).astype(np.uint8), (240, 1))
    paper = page.copy()
    burn(page, [Box(40, top, 140, top + HEIGHT, "DATE_01") for top in (40, 90, 140)])
    shown, labels = without_dark_places(page, dark_places(page))
    assert len(labels) == 3
    assert abs(shown.astype(int) - paper).max() < 20


def test_thousands_of_boxes_are_not_all_searched() -> None:
    """Those beyond the thousandth are inverted, as dark boxes without labels are."""
    page = np.full((1640, 4000), 255, np.uint8)
    places = [(left, top) for top in range(10, 1590, 40) for left in range(10, 3900, 120)]
    burn(page, [Box(left, top, left + 110, top + 30, "DATE_01") for left, top in places])
    shown, labels = without_dark_places(page, dark_places(page))
    assert len(labels) == 1000 < len(places)
    assert (shown < 128).any()


def test_labels_in_boxes_that_touch_are_recognized() -> None:
    """Together the boxes are no box: OCR would read `ORG_01` as the number `086-01`."""
    page = np.full((200, 700), 255, np.uint8)
    burn(page, [Box(250, 20, 600, 80, "NATIONAL_ID_01"), Box(40, 76, 500, 140, "ORG_01")])
    page[90:130, 440] = 255  # a line between two boxes
    places = dark_places(page)
    assert not places.boxes
    shown, labels = without_dark_places(page, places)
    assert sorted(label.text for label in labels) == ["NATIONAL_ID_01", "ORG_01"]
    assert not (shown[90:130, 50:400] > 128).any()
    assert (shown[90:130, 440] == 255).all()


def test_a_label_among_the_words_of_a_dark_heading_is_recognized_and_they_stay() -> None:
    page = np.full((200, 700), 255, np.uint8)
    page[40:90, 40:660] = 68
    cv2.putText(page, "1098765432", (330, 75), FONT, 0.9, 255, 2)
    burn(page, [Box(190, 44, 320, 86, "ORG_01")])
    shown, labels = without_dark_places(page, dark_places(page))
    assert [label.text for label in labels] == ["ORG_01"]
    assert np.count_nonzero(shown[42:88, 330:650] < 100) == np.count_nonzero(page[42:88, 330:650] == 255)


@pytest.mark.parametrize("text", ["1098765432", "ORG_1098765", "DATE_1990", "ID_01"])
def test_other_text_in_a_dark_shape_stays(text: str) -> None:
    page = np.full((200, 700), 255, np.uint8)
    page[20:80, 250:600], page[76:140, 40:500] = 0, 0
    cv2.putText(page, text, (60, 115), FONT, 0.9, 255, 2)
    shown, labels = without_dark_places(page, dark_places(page))
    assert not labels
    assert (shown == page).all()
