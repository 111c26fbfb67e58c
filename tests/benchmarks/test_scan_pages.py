"""The rendered pages: the same each time, with their truth in the right place."""

import random

import numpy as np
import pytest

from benchmarks.scans import pages, score
from benchmarks.scans.damage import WORN
from benchmarks.scans.fonts import SetName, typefaces
from benchmarks.scans.layouts import LAYOUTS
from benchmarks.scans.pages import Page, page, plan
from benchmarks.scans.sheet import Sheet
from benchmarks.scans.values import EASTERN, Kind, Values
from benchmarks.scans.wording import DURATION, FINDINGS, LABELS, SENTENCES
from benchmarks.scans.writer import Writer
from pipeline.detect.detector import Detector
from schemas.entities import EntityType
from schemas.spans import DetectOptions
from tests.benchmarks.fonts import drawing

TO_ASCII = {ord(eastern): str(digit) for digit, eastern in enumerate("٠١٢٣٤٥٦٧٨٩")}


@pytest.fixture(scope="module")
def drawn() -> list[Page]:
    """A page of each damage, of both sets in turn."""
    parts: list[SetName] = ["tune", "test"] * 3
    return [page(part, first(part, damage=damage)) for part, damage in zip(parts, WORN, strict=True)]


def first(part: SetName, *, damage: str = "", layout: str = "") -> int:
    """The number of the first page of this damage or layout."""
    plans = ((number, plan(part, number)) for number in range(100))
    return next(number for number, found in plans if damage in ("", found.damage) and layout in ("", found.layout))


@drawing
def test_the_same_number_gives_the_same_page() -> None:
    first, again, other = page("test", 2), page("test", 2), page("test", 7)
    assert np.array_equal(first.pixels, again.pixels)
    assert [item.value for item in first.planted] == [item.value for item in again.planted]
    assert not np.array_equal(first.pixels, other.pixels)


@drawing
def test_all_damages_are_drawn(drawn: list[Page]) -> None:
    assert {item.damage for item in drawn} == set(WORN)
    assert sum(plan("test", number).damage == "clean" for number in range(90)) == 30
    assert sum(plan("test", number).digits == "eastern" for number in range(90)) == 45


@drawing
def test_strokes_of_values_are_inside_their_polygons(drawn: list[Page]) -> None:
    for item in drawn:
        strokes = item.strokes < 128
        inside = score.inside([planted.polygon for planted in item.planted], strokes.shape, margin=0)
        assert strokes.any()
        assert (strokes & inside).sum() >= 0.95 * strokes.sum(), item.name


@drawing
def test_every_polygon_holds_ink_and_stays_on_the_page(drawn: list[Page]) -> None:
    for item in drawn:
        height, width = item.pixels.shape
        for planted in item.planted:
            own = score.inside([planted.polygon], item.pixels.shape, margin=0)
            assert (own & (item.strokes < 128)).sum() >= 0.03 * own.sum(), planted.value
            assert (planted.polygon >= 0).all() and (planted.polygon <= (width, height)).all()


@drawing
def test_values_do_not_overlap(drawn: list[Page]) -> None:
    for item in drawn:
        single = [score.inside([planted.polygon], item.pixels.shape, margin=0) for planted in item.planted]
        assert sum(mask.sum() for mask in single) <= 1.002 * np.logical_or.reduce(single).sum(), item.name


@drawing
def test_an_untouched_page_leaves_every_value_and_burns_nothing(drawn: list[Page]) -> None:
    for item in drawn:
        for planted in item.planted:
            characters = len(planted.value.text)
            assert score.is_left(item.pixels, item.pixels, planted.polygon, characters)
        assert score.share_burned(item.pixels, item.pixels, []) == 0


@drawing
def test_every_layout_plants_identifiers_and_names() -> None:
    for part, layouts in LAYOUTS.items():
        for layout in layouts:
            types = [item.value.type for item in page(part, first(part, layout=layout)).planted]
            assert types.count(EntityType.PERSON) >= 1 and len(types) >= 6


def test_no_layout_belongs_to_both_sets() -> None:
    assert not LAYOUTS["tune"].keys() & LAYOUTS["test"].keys()
    assert len(LAYOUTS["test"]) >= 3
    assert pages.WIDTH < pages.HEIGHT


@pytest.mark.parametrize("digits", ["ascii", "eastern"])
def test_the_detector_knows_every_identifier_behind_its_label(digits: Kind) -> None:
    detector, values = Detector(), Values(random.Random(5), digits)
    for type_, labels in LABELS.items():
        for label in labels if digits == "ascii" else labels[:1]:
            for _ in range(5):
                value = values.person("ar" if label == labels[0] else "en")
                value = value if type_ is EntityType.PERSON else values.of(type_)
                text = f"{label}: {value.text}"
                found = detector.detect(text, DetectOptions(strict_checksums=False)).spans
                assert any(span.type == type_ and text[span.start : span.end] == value.text for span in found), text


@pytest.mark.parametrize("digits", ["ascii", "eastern"])
def test_sentences_hold_durations_and_nothing_else_to_find(digits: Kind) -> None:
    detector, values = Detector(), Values(random.Random(5), digits)
    for source in (SENTENCES, FINDINGS):
        for text in map(values.number, (*source["ar"], *source["en"])):
            spans = detector.detect(text, DetectOptions(strict_checksums=False)).spans
            assert [text[span.start : span.end] for span in spans] == DURATION.findall(text)


@drawing
def test_what_is_found_in_sentences_may_be_taken() -> None:
    draw = random.Random(1)
    sheet = Sheet(typefaces("test", draw))
    Writer(sheet, "ar", Values(draw, "eastern"), draw).text(100, 100, 1400, ["خلال ٣٠ يوما من", "منذ أسبوعين."])
    assert len(sheet.named) == 3 and not sheet.planted


def test_digits_of_a_page_are_of_one_kind() -> None:
    values = Values(random.Random(3), "eastern")
    identity = values.of(EntityType.NATIONAL_ID)
    assert identity.kind == "eastern" and identity.text == identity.text.translate(TO_ASCII).translate(EASTERN)
    assert values.of(EntityType.EMAIL_ADDRESS).kind == values.of(EntityType.IBAN).kind == "ascii"
