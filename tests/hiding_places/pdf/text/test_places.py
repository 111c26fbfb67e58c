"""What a PDF page draws, however it hides, is found and gone; what stands beside it stays."""

import io
import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pikepdf
import pymupdf
import pytest
from PIL import Image

from pipeline.documents.pdf import handler
from pipeline.documents.pdf.redaction import erase
from schemas.files import Format
from tests.conftest import every
from tests.hiding_places.pdf.text.build import NATIONAL_ID, drawn, line
from tests.hiding_places.pdf.text.places import BURNED, DROPPED, FAST, PLACES, SLOW
from tests.hiding_places.proof import inspection, running
from tests.pipeline.documents import papers


def is_said(value: str, text: str) -> bool:
    """Whether a text says the value, in reading order or, as pages store Arabic, from the left."""
    wanted, said = inspection.plain(value), inspection.plain(text)
    return wanted in said or (not wanted.isascii() and wanted[::-1] in said)


def is_there(value: str, data: bytes) -> bool:
    """Whether bytes or text layer of a PDF hold the value."""
    return bool(inspection.traces(data, value)) or is_said(value, inspection.said(Format.PDF, data))


@lru_cache(maxsize=2)
def said_by_pictures(data: bytes) -> list[str]:
    """What OCR reads of each picture in a PDF."""
    return [inspection.read(picture) for picture in pictures_of(data)]


def pictures_of(data: bytes) -> Iterator[Image.Image]:
    """Pictures of plain gray bytes, as they lie in the file, whatever the page shows of them."""
    with pikepdf.open(io.BytesIO(data)) as file:
        for item in file.objects:
            if isinstance(item, pikepdf.Stream) and item.get("/Subtype") == "/Image" and "/Filter" in item:
                try:
                    raw = item.read_bytes()
                except pikepdf.PdfError:
                    continue
                size = int(item.Width), int(item.Height)
                if len(raw) == size[0] * size[1]:
                    levels = np.frombuffer(raw, np.uint8).reshape(size[::-1])
                    spread = int(levels.max()) - int(levels.min()) or 1
                    yield Image.fromarray(((levels - levels.min()) * (255.0 / spread)).astype(np.uint8))


def is_seen(value: str, data: bytes) -> bool:
    """Whether a reader of the page, or of its pictures, sees the value."""
    if is_said(value, inspection.shown(Format.PDF, data)):
        return True
    return any(is_said(value, said) for said in said_by_pictures(data))


def test_there_are_enough_places_and_each_has_its_name() -> None:
    assert len(PLACES) >= 45
    assert len({place.name for place in PLACES}) == len(PLACES)
    assert {place.name for place in PLACES} >= BURNED


@pytest.mark.parametrize("place", every(3, FAST), ids=str)
def test_what_the_text_holds_is_gone_and_the_rest_stays(place: running.Place) -> None:
    data = place.build()
    assert all(is_there(value, data) for value in place.planted)
    output = running.run(place.format, data).clean
    assert [value for value in place.planted if is_there(value, output)] == []
    said = inspection.said(place.format, output)
    assert [word for word in place.kept if word not in said] == []


@pytest.mark.slow
@pytest.mark.parametrize("place", SLOW, ids=str)
def test_what_takes_eyes_to_see_is_gone_too(place: running.Place) -> None:
    data = place.build()
    assert all(is_there(value, data) or is_seen(value, data) for value in place.planted)
    output = running.run(place.format, data).clean
    assert [value for value in place.planted if is_there(value, output) or is_seen(value, output)] == []
    said = inspection.said(place.format, output) if place.name not in BURNED else inspection.shown(place.format, output)
    assert [word for word in place.kept if word not in said] == []


@pytest.mark.parametrize("place", every(4, [place for place in FAST if place.name not in DROPPED][::4]), ids=str)
def test_each_place_is_red_when_nothing_is_removed(place: running.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier refuses the output, or the looks see the value."""
    monkeypatch.setattr(handler, "remove_text", lambda document, page, spots, glyphs: erase.Removed(spots, ()))
    monkeypatch.setattr(handler, "remove_pattern_text", lambda document, units: None)
    outcome = running.run(place.format, place.build())
    assert outcome.output is None or any(is_there(value, outcome.output) for value in place.planted)


def test_a_gap_that_tells_a_width_is_noticed_when_nobody_rounds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    data = drawn(line(f"Holder {NATIONAL_ID} since spring"))
    exact = 10 * 556
    assert all(abs(gap - exact) > 40 for gap in gaps(running.run(Format.PDF, data).clean))
    monkeypatch.setattr(erase, "reflowed", lambda *page: [])
    assert any(abs(gap - exact) < 1 for gap in gaps(running.run(Format.PDF, data).clean))


def gaps(output: bytes) -> list[float]:
    """Displacements inside arrays of shown text, turned round."""
    arrays = re.findall(rb"\[([^\]]*)\]\s*TJ", papers.everything(output))
    return [-float(number) for array in arrays for number in re.findall(rb"-\d+(?:\.\d+)?", array)]


@pytest.mark.parametrize("after", ["", " since spring", ";since"])
def test_values_of_like_width_leave_boxes_of_one_width_and_whole_steps(after: str) -> None:
    widths = set()
    for name in ("Salman Alharbi", "Salman Alhabri", "Samlan Alharbi"):
        output = running.run(Format.PDF, drawn(line(f"Patient name: {name}{after}"))).clean
        with pikepdf.open(io.BytesIO(output)) as file:
            content = file.pages[0].Contents
            raw = b"\n".join(s.read_bytes() for s in (content if isinstance(content, pikepdf.Array) else [content]))
        corners = [float(x) for x in re.findall(rb"(-?[\d.]+) -?[\d.]+ [ml]\b", raw)]
        assert corners
        widths.add(round(max(corners) - min(corners), 3))
    (width,) = widths
    assert abs(width / 3 - round(width / 3)) < 0.01  # an eighth of a step of two type sizes of 12 points


def test_boxes_cover_no_neighbour_that_stays() -> None:
    data = drawn(b"".join(line(f"left{n} {NATIONAL_ID} right{n}", 40, 200 - 12 * n) for n in range(6)))
    output = running.run(Format.PDF, data).clean
    shown, said = papers.rendered(output, dpi=300), inspection.said(Format.PDF, output)
    assert all(f"left{n}" in said and f"right{n}" in said for n in range(6))
    assert shown.shape  # rendered by another engine without complaint
    assert covered_letters(output) == []


def covered_letters(output: bytes) -> list[str]:
    """Letters of the original text whose middle lies in one of the black boxes."""
    with pymupdf.open(stream=output) as document:
        page = document[0]
        boxes = [item["rect"] for item in page.get_drawings() if item["fill"] == (0.0, 0.0, 0.0)]
        letters = [
            (c["c"], pymupdf.Rect(c["bbox"]))
            for block in page.get_text("rawdict")["blocks"]
            for row in block.get("lines", ())
            for span in row["spans"]
            if span["color"] == 0
            for c in span["chars"]
            if c["c"].strip()
        ]
    assert boxes
    return [c for c, box in letters if any(r.contains((box.tl + box.br) / 2) for r in boxes)]


@pytest.mark.slow
def test_a_letter_that_stays_behind_sends_the_page_into_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    data = drawn(line(f"National ID {NATIONAL_ID}"))
    with handler.opened(data) as document:
        before = erase.glyphs_of(document[0])
    monkeypatch.setattr(erase, "split_text", lambda document, page: None)
    monkeypatch.setattr(erase, "glyphs_of", lambda page: before)  # what stood there seems to stand there still
    output = running.run(Format.PDF, data).clean
    assert not is_there(NATIONAL_ID, output) and "harbour" not in inspection.said(Format.PDF, output)


def test_what_stands_apart_on_a_touched_line_stays() -> None:
    data = drawn(f"BT /F 12 Tf 40 150 Td [(wide) -3210 (apart {NATIONAL_ID}) -2777 (end)] TJ ET ".encode())
    places = []
    for content in (data, running.run(Format.PDF, data).clean):
        with pymupdf.open(stream=content) as document:
            places.append([document[0].search_for(word)[0].x0 for word in ("wide", "end")])
    assert places[0] == pytest.approx(places[1], abs=0.01)


def test_units_of_one_page_are_billed_once() -> None:
    data = drawn(
        line("right column", 250, 150) + line("left column", 40, 150) + line("hyphen-", 40, 100) + line("ated", 40, 84)
    )
    extraction, _ = handler.extract(data)
    assert [unit.id for unit in extraction.units if unit.billed] == ["page/0"]
    assert any("/again/" in unit.id for unit in extraction.units)
