"""Lines of a redacted PDF page: what flows together moves together, what only stands beside stays where it was."""

from itertools import pairwise

import pymupdf
import pytest

from pipeline.documents.pdf.page import glyphs as pdf_glyphs
from pipeline.documents.pdf.redaction import width_grid
from tests.hiding_places.pdf.test_widths import _STEP, _VALUES, Build, glyphs, kinds, page, redacted, shown, width
from tests.hiding_places.pdf.text.test_places import covered_letters


def in_two_columns(value: str) -> bytes:
    """Justified columns, a type size apart."""
    content = _word_by_word(f"this is what {value} told to them", 200)
    left = ["nothing was known of this before", "we went and saw it with our eyes", "so it was as they said it"]
    content += "".join(_filled(40, text, 136 - 14 * n, 200) for n, text in enumerate(left))
    right = ["all the other words", "stand in a column", "that loses nothing", "and moves nowhere"]
    return page(content + "".join(_filled(252, text, 150 - 14 * n, 130) for n, text in enumerate(right)))


def numbered(value: str) -> bytes:
    """Lines with their numbers beside them."""
    content = _word_by_word(f"this is what {value} told to them", 250)
    others = ["nothing of this was ever known before", "we went and saw it with our own eyes", "so it was as they said"]
    content += "".join(_filled(40, text, 136 - 14 * n, 250) for n, text in enumerate(others))
    return page(content + "".join(shown(40 - 10 - width(f"{n + 8}"), f"{n + 8}", 150 - 14 * n) for n in range(4)))


def _word_by_word(text: str, wide: float) -> str:
    words = text.split()
    gap = (wide - sum(map(width, words))) / (len(words) - 1)
    content, x = "", 40.0
    for word in words:
        content += shown(x, word)
        x += width(word) + gap
    return content


def _filled(x: float, text: str, y: float, wide: float) -> str:
    return shown(x, text, y, f"{(wide - width(text)) / text.count(' '):.5f} Tw")


def raised(value: str) -> bytes:
    """Marks above and below the line."""
    content, x = shown(40, "Patient ") + shown(85, value), 85 + width(value)
    marks = (("12", 8, 4.4), (" and by x", 12, 0), ("2", 8, 4.4), (" or H", 12, 0), ("2", 8, -2), ("O", 12, 0))
    for text, size, rise in marks:
        content += f"BT /F {size} Tf 1 0 0 1 {x:.4f} {150 + rise} Tm ({text}) Tj ET "
        x += float(pymupdf.get_text_length(text, "helv", size))
    return page(content)


def left_over(build: Build, value: str) -> list[tuple[tuple[str, float, float, float], ...]]:
    """The letters that stay: before and after."""
    before, after = glyphs(build(value)), glyphs(redacted(build, value))
    at = "".join(glyph[0] for glyph in before).index(value)
    return list(zip(before[:at] + before[at + len(value) :], after, strict=True))


@pytest.mark.parametrize("value", _VALUES[::4])
@pytest.mark.parametrize("build", [in_two_columns, numbered, raised], ids=lambda build: build.__name__)
def test_no_letter_moves_by_more_than_a_step(build: Build, value: str) -> None:
    for before, after in left_over(build, value):
        assert before[0] == after[0] and before[3] == after[3]
        assert abs(before[1] - after[1]) < _STEP + 0.01, before
    assert covered_letters(redacted(build, value)) == []


@pytest.mark.parametrize(("build", "left", "right"), [(in_two_columns, 250, 400), (numbered, 0, 32)])
def test_the_next_column_and_the_numbers_of_lines_stay(build: Build, left: float, right: float) -> None:
    beside = [pair for pair in left_over(build, _VALUES[5]) if left < pair[0][1] < right]
    assert len({pair[0][3] for pair in beside}) >= 4
    assert all(before == after for before, after in beside)


def test_marks_above_and_below_the_line_keep_their_letters() -> None:
    after = [pair[1] for pair in left_over(raised, _VALUES[5])]
    line = sorted(glyph for glyph in after if 140 < glyph[3] < 160)
    for one, other in pairwise(sorted(line, key=lambda glyph: glyph[1])):
        assert one[2] < other[1] + 0.6
    place = {glyph[0]: glyph for glyph in line}
    assert place["O"][1] - place["H"][2] == pytest.approx(pymupdf.get_text_length("2", "helv", 8), abs=0.1)


def test_what_follows_a_raised_mark_tells_the_width_to_a_step() -> None:
    assert kinds(raised) <= (width(_VALUES[0]) - width(_VALUES[-1])) / _STEP + 2


def in_a_frame(value: str) -> bytes:
    """In a frame that is higher than its line."""
    return page(shown(85, value) + f"82 140 {width(value) + 6:.4f} 40 re S ")


def behind_a_rule(value: str) -> bytes:
    """At the start of lines that a rule runs along, where the page's margin is."""
    return page("34 60 m 34 200 l S " + shown(40, f"{value} came home") + shown(40, "and told", 136))


@pytest.mark.parametrize(
    ("build", "left", "right"), [(in_a_frame, 82, 88 + width(_VALUES[5])), (behind_a_rule, 34, 400)]
)
def test_boxes_do_not_grow_over_frames_and_rules(build: Build, left: float, right: float) -> None:
    with pymupdf.open(stream=redacted(build, _VALUES[5])) as document:
        boxes = [item["rect"] for item in document[0].get_drawings() if item["fill"] == (0.0, 0.0, 0.0)]
    assert boxes
    assert all(left < box.x0 and box.x1 < right for box in boxes)


def underlined_between(value: str) -> bytes:
    rule = f"85 146 {width(value):.4f} 0.6 re f "
    return page(shown(40, "Patient ") + shown(85, value) + shown(85 + width(value + " "), "came home") + rule)


@pytest.mark.parametrize("value", _VALUES[::2])
def test_no_underline_shows_beside_its_box(value: str) -> None:
    with pymupdf.open(stream=redacted(underlined_between, value)) as document:
        drawn = [item["rect"] for item in document[0].get_drawings()]
    rule, box = sorted(drawn, key=lambda rect: float(rect.height))
    assert box.x0 - 0.01 <= rule.x0 <= rule.x1 <= box.x1 + 0.01


def test_sentences_two_blanks_apart_are_one_line_however_often_they_are_repeated() -> None:
    """Where blanks alone part words the second follows the first, whatever stands below each other."""
    content = "".join(shown(40, "it was told.  And so", 150 - 14 * n) for n in range(4))
    with pymupdf.open(stream=page(content)) as document:
        lines = width_grid.flowing_lines(pdf_glyphs.glyphs_of(document[0]), {})
    assert len(lines) == 4 + 1
