"""Codes in a raster: every symbology, turned, inverted, small, worn; what is located only; what is no code."""

import cv2
import numpy as np
import pytest

from pipeline.documents import limits
from pipeline.documents.raster.codes import reader
from pipeline.documents.raster.codes.reader import codes_in
from schemas.errors import StageFailed
from tests.conftest import every
from tests.pipeline.documents.symbols import CONTENT, FORMATS, damaged, noisy, page, symbol, turned

FORMS = {
    "plain": lambda kind: symbol(kind),
    "90 degrees": lambda kind: np.rot90(symbol(kind)).copy(),
    "20 degrees": lambda kind: turned(symbol(kind), 20),
    "45 degrees": lambda kind: turned(symbol(kind), 45),
    "inverted": lambda kind: 255 - symbol(kind),
    "small": lambda kind: symbol(kind, pixels=2),
    "worn": lambda kind: noisy(turned(symbol(kind), 3)),
}


@pytest.mark.parametrize("form", every(3, FORMS))
@pytest.mark.parametrize("kind", FORMATS)
def test_every_symbology_is_read_in_every_form(kind: str, form: str) -> None:
    drawn = FORMS[form](kind)
    sheet = page(drawn)
    codes = codes_in(sheet)
    assert [code.text for code in codes.read] == [CONTENT[kind]]
    left, top, width, height = codes.read[0].box(sheet.shape[1], sheet.shape[0])
    burned = sheet.copy()
    burned[max(0, top - 6) : top + height + 6, max(0, left - 6) : left + width + 6] = 0
    again = codes_in(burned)
    assert (again.read, again.unread) == ((), ())  # the box covers the whole code


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "pdf417"])
def test_a_damaged_code_is_located(kind: str) -> None:
    drawn = damaged(symbol(kind), kind)
    codes = codes_in(page(drawn))
    assert codes.read == ()
    assert len(codes.unread) == 1
    left, top, width, height = codes.unread[0]
    assert left < 100 + drawn.shape[1] / 2 < left + width
    assert top < 80 + drawn.shape[0] / 2 < top + height


def hatched(width: int) -> np.ndarray:
    return np.where(np.arange(400) % width < width // 2, 0, 255).astype(np.uint8)[None, :].repeat(200, 0)


def table() -> np.ndarray:
    drawn = np.full((400, 600), 255, np.uint8)
    for at in range(0, 400, 24):
        drawn[at : at + 2] = 0
        for column in range(0, 600, 60):
            cv2.putText(drawn, "1234", (column + 4, at + 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 0, 1)
    drawn[:, ::60] = 0
    return drawn


NO_CODES = {
    "hatching": hatched(8),
    "fine hatching": hatched(4),
    "table": table(),
    "noise": np.random.default_rng(1).integers(0, 256, (300, 300)).astype(np.uint8),
    "gradient": np.tile(np.arange(256, dtype=np.uint8), (200, 2)),
    "chessboard": np.kron(np.indices((8, 8)).sum(0) % 2, np.ones((30, 30))).astype(np.uint8) * 255,
}


@pytest.mark.parametrize("name", NO_CODES)
def test_what_is_no_code_stays(name: str) -> None:
    codes = codes_in(page(NO_CODES[name]))
    assert (codes.read, codes.unread) == ((), ())


def test_the_bars_that_a_decoder_did_not_read_belong_to_the_code() -> None:
    drawn = symbol("code128")
    drawn[60:140] = 255  # a decoder may read the lines above the gap, or those below it
    codes = codes_in(page(drawn))
    boxes = [code.box(2000, 2000) for code in codes.read] + list(codes.unread)
    covered = {row for _, top, _, height in boxes for row in range(top, top + height)}
    assert covered >= set(range(84, 138)) | set(range(222, 276))


def test_more_codes_than_one_call_gives_are_read() -> None:
    drawn = np.tile(symbol("qr", "12", pixels=2), (10, 30))
    assert len(codes_in(page(drawn)).read) == 300


def test_too_many_codes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.MAX_CODES_OF_RASTER > 500
    monkeypatch.setattr(reader, "MAX_CODES_OF_RASTER", 5)
    with pytest.raises(StageFailed, match="image_redact_failed"):
        codes_in(page(np.tile(symbol("qr", "12", pixels=2), (2, 4))))


@pytest.mark.parametrize("shape", [(1, 1), (7, 3000), (3000, 7), (8, 8)])
def test_tiny_rasters_hold_nothing(shape: tuple[int, int]) -> None:
    assert codes_in(np.zeros(shape, np.uint8)).read == ()


@pytest.mark.parametrize("kind", ["qr", "data-matrix", "aztec"])
def test_a_mirrored_code_is_read(kind: str) -> None:
    assert [code.text for code in codes_in(page(np.fliplr(symbol(kind)).copy())).read] == [CONTENT[kind]]


def test_the_longest_content_is_read_whole() -> None:
    text = "1012345672 " * 260
    assert [code.text for code in codes_in(page(symbol("qr", text, pixels=3))).read] == [text]


def test_a_huge_raster_takes_bounded_time() -> None:
    sheet = np.full((6000, 6000), 255, np.uint8)
    sheet[2000:2132, 3000:3132] = symbol("qr")[:132, :132]
    assert [code.text for code in codes_in(sheet).read] == [CONTENT["qr"]]
