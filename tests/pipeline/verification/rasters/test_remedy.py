"""A leftover that only the second OCR pass reads is burned in the second round."""

from dataclasses import replace

from pipeline.documents.document import Raster, Reading
from pipeline.geometry.strip import Strip
from pipeline.verification.reading import Leftover
from tests.pipeline.ocr.words import Word
from tests.pipeline.verification.again import with_burned

FIRST = Raster("page/0/scan", 1000, 500, 300, 0)
SECOND = Raster("page/0", 2000, 1000, 300, 0)
BEFORE = Reading("page/0/scan", "10l2E4567Z", (Word(0, 10, 100, 50, 200, 20, 90),), ((1, 2, 3, 4),))
AFTER = Reading("page/0", "ID 10123 45672", (Word(0, 2, 0, 0, 9, 9, 95), Word(3, 8, 200, 100, 200, 40, 95),
                                             Word(9, 14, 420, 100, 180, 40, 95)))  # fmt: skip
LEFT = Leftover("NATIONAL_ID", "1012345672", known=False)


def test_boxes_of_what_is_left_are_added_in_the_first_readings_pixels():
    (reading,) = with_burned([FIRST], [BEFORE], [SECOND], [AFTER], [LEFT])
    assert reading.unread == ((1, 2, 3, 4), (98, 48, 105, 25), (208, 48, 95, 25))
    assert (reading.text, reading.words) == (BEFORE.text, BEFORE.words)


def test_a_slanted_leftover_is_burned_along_its_strip():
    strip = Strip(200, 100, 600, 300, 40)
    left, top, width, height = strip.box
    (word,) = AFTER.words[:1]
    slanted = replace(word, left=left, top=top, width=width, height=height, end=10, strip=strip)
    reading = Reading("page/0", "1012345672", (slanted,))
    (burned,) = with_burned([FIRST], [BEFORE], [SECOND], [reading], [LEFT])
    _, *boxes = burned.unread
    assert len(boxes) > 3 and sum(wide * high for _, _, wide, high in boxes) < 0.4 * width * height / 4
    corner = left / 2 + 5, (top + height) / 2 - 5  # below the start of the word
    assert not any(x <= corner[0] < x + wide and y <= corner[1] < y + high for x, y, wide, high in boxes)


def test_nothing_is_added_for_what_the_picture_does_not_show():
    assert with_burned([FIRST], [BEFORE], [SECOND], [AFTER], [Leftover("IBAN", "SA12", known=True)]) == (BEFORE,)
    assert with_burned([FIRST], [BEFORE], [SECOND], [AFTER], []) == (BEFORE,)


def test_pages_are_never_mistaken_for_each_other():
    other_page, other_shape = Raster("page/1", 2000, 1000, 300, 1), Raster("page/0", 1000, 1000, 300, 0)
    for second in ([other_page], [other_shape], [SECOND, Raster("part/2", 2000, 1000, 300, 0)]):
        reading = Reading(second[0].id, AFTER.text, AFTER.words)
        assert with_burned([FIRST], [BEFORE], second, [reading], [LEFT]) == (BEFORE,)


def test_what_lies_under_drawings_is_no_second_picture_of_the_page():
    under = Raster("page/0/under/0", 2000, 1000, 300, 0)
    beneath = Reading(under.id, AFTER.text, AFTER.words)
    (reading,) = with_burned([FIRST], [BEFORE], [SECOND, under], [AFTER], [LEFT])
    assert len(reading.unread) == 3
    assert with_burned([FIRST], [BEFORE], [SECOND, under], [beneath], [LEFT]) == (BEFORE,)


def test_boxes_stay_inside_the_picture():
    corner = Reading("page/0", "1012345672", (Word(0, 10, 1900, 980, 100, 20, 95),))
    (reading,) = with_burned([FIRST], [BEFORE], [SECOND], [corner], [LEFT])
    left, top, width, height = reading.unread[-1]
    assert left + width <= FIRST.width
    assert top + height <= FIRST.height


def test_pictures_of_one_document_are_told_apart_by_their_size():
    small, large = Raster("picture0/a", 300, 200, 0, 0), Raster("picture1/a", 1000, 500, 0, 0)
    twice = Raster("picture2/a", 300, 200, 0, 0)
    second = [Raster("part/4", 300, 200, 0, 0), Raster("part/9", 1000, 500, 0, 0)]
    seen = Reading("part/9", "Sara", (Word(0, 4, 10, 20, 30, 8, 90),))
    first = [Reading(raster.id, "5ara", ()) for raster in (small, large)]
    left = [Leftover("PERSON", "Sara", known=False)]
    _, burned = with_burned([small, large], first, second, [seen], left)
    assert burned.unread == ((8, 18, 35, 13),)
    again = [seen, Reading("part/4", "Sara", (Word(0, 4, 10, 20, 30, 8, 90),))]
    before = [*first, Reading(twice.id, "5ara", ())]
    one, _, other = with_burned([small, large, twice], before, [*second, Raster("part/5", 300, 200)], again, left)
    assert one.unread == other.unread == ((8, 18, 35, 13),), "which of the two it is nobody can tell: both"


def test_pictures_of_one_size_are_told_apart_by_what_they_say():
    first = [Raster(f"picture{number}/a", 300, 200, 0, 0) for number in range(2)]
    second = [Raster(f"part/{number}", 300, 200, 0, 0) for number in (4, 5)]
    said = [
        Reading(raster.id, "ELA College", (Word(0, 3, 0, 0, 9, 9, 90), Word(4, 11, 0, 0, 9, 9, 90))) for raster in first
    ]
    said[1] = Reading("picture1/a", "pue eyaw", (Word(0, 3, 0, 0, 9, 9, 90), Word(4, 8, 0, 0, 9, 9, 90)))
    seen = [Reading("part/4", "Sara jo", (Word(0, 4, 10, 20, 30, 8, 90), Word(5, 7, 50, 20, 9, 9, 90))),
            Reading("part/5", "College", (Word(0, 7, 0, 0, 9, 9, 90),))]  # fmt: skip
    one, other = with_burned(first, said, second, seen, [Leftover("PERSON", "Sara", known=False)])
    assert (one.unread, other.unread) == ((), ((8, 18, 35, 13),)), "what is left when the other has found its partner"


def test_both_sides_of_a_placeholder_are_burned():
    seen = Reading("page/0", "Ali PERSON_NAME_01 Sara", (Word(0, 3, 0, 0, 60, 20, 90), Word(4, 18, 80, 0, 90, 20, 90),
                                                      Word(19, 23, 200, 0, 60, 20, 90)))  # fmt: skip
    left = [Leftover("PERSON", "Ali   Sara", known=False)]
    (reading,) = with_burned([FIRST], [BEFORE], [SECOND], [seen], left)
    assert len(reading.unread) == 3


def test_a_short_leftover_is_burned_where_it_is_a_word():
    """As letters `I` is in every second word of a page."""
    seen = Reading("page/0", "I with Alibaba A li", (Word(0, 1, 0, 0, 20, 20, 90), Word(2, 6, 80, 0, 90, 20, 90),
                                                 Word(7, 14, 200, 0, 90, 20, 90), Word(15, 16, 320, 0, 20, 20, 90),
                                                 Word(17, 19, 350, 0, 20, 20, 90)))  # fmt: skip
    for surface, burned in (("I", 1), ("Ali", 2)):
        (reading,) = with_burned([FIRST], [BEFORE], [SECOND], [seen], [Leftover("PERSON", surface, known=False)])
        assert len(reading.unread) == 1 + burned, surface
