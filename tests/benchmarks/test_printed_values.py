"""Values that are printed over pictures: the same each time, seen as left where they are, and as gone in a box."""

import cv2
import numpy as np
import pytest

from benchmarks.scans.printed import left, printed
from tests.benchmarks.fonts import drawing


@drawing
def test_the_same_number_gives_the_same_picture() -> None:
    first, again, other = printed(3, ()), printed(3, ()), printed(4, ())
    assert np.array_equal(first.image, again.image)
    assert [item.value for item in first.planted] == [item.value for item in again.planted]
    assert first.image.shape != other.image.shape


@drawing
@pytest.mark.slow
def test_values_in_gray_and_in_hue_are_left_until_a_box_covers_them() -> None:
    manners = set()
    for number in range(12):
        picture = printed(number, ())
        manners.add(picture.manner)
        assert left(picture, picture.image) == [item.value for item in picture.planted]
        output = picture.image.copy()
        for item in picture.planted:
            cv2.fillPoly(output, [np.rint(item.polygon).astype(np.int32)], (0, 0, 0))
        assert left(picture, output) == []
        if picture.planted:
            cv2.fillPoly(output, [np.rint(picture.planted[0].polygon).astype(np.int32)], (255, 255, 255))
            assert left(picture, output) == []
    assert manners == {"gray on a pattern", "hue on a pattern"}
