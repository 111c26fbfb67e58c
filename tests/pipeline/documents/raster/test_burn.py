"""Boxes that are burned in addition to the findings."""

import pytest

from pipeline.documents.document import Findings, Reading, Word
from pipeline.documents.raster.burn import boxes_to_burn

_UNREAD = (575, 255, 334, 100)


@pytest.mark.parametrize(
    ("text", "left", "unread", "goes"),
    [
        ("007", 919, _UNREAD, True),  # the end of a number whose beginning nobody could read
        ("007", 560, (740, 255, 334, 100), True),  # the beginning of one
        ("007", 990, _UNREAD, False),  # another word
        ("river", 919, _UNREAD, False),
        ("007", 919, (900, 255, 6, 100), False),  # the rule of a table
    ],
)
def test_digits_that_continue_what_nobody_could_read_are_burned(
    text: str, left: int, unread: tuple[int, int, int, int], goes: bool
) -> None:
    word = Word(0, len(text), left, 239, 138 if left > 700 else 170, 74, 93.0)
    boxes = boxes_to_burn([Reading("image", text, (word,), (unread,))], Findings(()))
    assert any(box.left <= word.left and box.right >= word.left + word.width for box in boxes) is goes
