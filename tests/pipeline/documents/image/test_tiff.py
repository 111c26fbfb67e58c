"""TIFF: every sample layout is decoded as it looks, page by page; a page that cannot be decoded is refused."""

import io
import struct
import zlib
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from pipeline.documents.document import Finding, Findings, Reading, Unread
from pipeline.documents.image import handler as image
from pipeline.documents.limits import MAX_TIFF_FRAMES
from pipeline.verification.image import reader as second
from schemas.errors import StageFailed
from tests.hiding_places.image import making as make
from tests.pipeline.ocr.words import Word

WIDTH, HEIGHT = 64, 48
_NOISE = np.random.default_rng(5)
SCENE = cv2.resize(_NOISE.integers(0, 255, (4, 6, 3), dtype=np.uint8), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
GRAY = SCENE[:, :, 0]
LAB = 8


def redrawn(data: bytes) -> bytes:
    """The output of the handler without findings, checked to be readable."""
    extraction, _ = image.extract(data)
    output = image.redact(data, Findings(()), [Reading(raster.id, "", ()) for raster in extraction.rasters])
    second.read(output)
    return output


def pixels_of(data: bytes, mode: str = "RGB") -> Any:
    return np.asarray(Image.open(io.BytesIO(data)).convert(mode)).astype(int)


def close(one: Any, other: Any, most: int = 17) -> bool:
    """Equal except for what the removal of faint ink may change."""
    return one.shape == other.shape and int(np.abs(one.astype(int) - other.astype(int)).max()) <= most


def rgb(**more: Any) -> dict[int, Any]:
    return {258: (3, [8] * 3), 262: (3, [2]), 277: (3, [3])} | {int(tag[1:]): value for tag, value in more.items()}


def test_planes_apart() -> None:
    planes = [np.ascontiguousarray(SCENE[:, :, n]).tobytes() for n in range(3)]
    start, size = 8, WIDTH * HEIGHT
    tags = rgb(_284=(3, [2]), _273=(4, [start, start + size, start + 2 * size]), _279=(4, [size] * 3))
    assert close(pixels_of(redrawn(make.tiff(tags, pixels=b"".join(planes)))), SCENE)


@pytest.mark.parametrize("order", ["<", ">"])
def test_tiles_that_reach_beyond_the_picture(order: str) -> None:
    side = 32
    wide = np.zeros((64, 64, 3), np.uint8)
    wide[:HEIGHT, :WIDTH] = SCENE
    tiles = [zlib.compress(wide[y : y + side, x : x + side].tobytes()) for y in (0, 32) for x in (0, 32)]
    starts = [8 + sum(map(len, tiles[:n])) for n in range(4)]
    tags = rgb(_259=(3, [8]), _322=(3, [side]), _323=(3, [side]), _324=(4, starts), _325=(4, list(map(len, tiles))))
    assert close(pixels_of(redrawn(make.tiff(tags, pixels=b"".join(tiles), order=order))), SCENE)


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("white_is_zero", [True, False])
def test_few_bits(bits: int, white_is_zero: bool) -> None:
    levels = GRAY >> (8 - bits)
    stored = ((1 << bits) - 1 - levels) if white_is_zero else levels
    single = np.unpackbits(stored[:, :, None], axis=2)[:, :, -bits:].reshape(HEIGHT, -1)
    tags = {258: (3, [bits]), 262: (3, [0 if white_is_zero else 1])}
    output = redrawn(make.tiff(tags, pixels=np.packbits(single, axis=1).tobytes()))
    assert close(pixels_of(output, "L"), levels * (255 // ((1 << bits) - 1)))
    assert Image.open(io.BytesIO(output)).mode == ("1" if bits == 1 else "L")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("predicted", [True, False])
def test_sixteen_bits_in_both_orders(order: str, predicted: bool) -> None:
    deep = GRAY.astype(np.uint16) * 256 + 77
    stored = np.diff(deep, axis=1, prepend=np.uint16(0)) if predicted else deep
    body = zlib.compress(stored.astype(f"{order}u2").tobytes())
    tags = {258: (3, [16]), 259: (3, [8]), 317: (3, [2 if predicted else 1])}
    output = redrawn(make.tiff(tags, pixels=body, order=order))
    kept = np.asarray(Image.open(io.BytesIO(output)))
    assert kept.dtype == np.uint16
    assert np.array_equal(kept >> 8, kept & 0xFF), "the lower byte says nothing of its own"
    assert close(kept >> 8, GRAY)


@pytest.mark.parametrize("premultiplied", [True, False])
def test_both_kinds_of_alpha(premultiplied: bool) -> None:
    alpha = np.full((HEIGHT, WIDTH, 1), 128, np.uint8)
    color = (SCENE.astype(int) * 128 // 255).astype(np.uint8) if premultiplied else SCENE
    tags = {258: (3, [8] * 4), 262: (3, [2]), 277: (3, [4]), 338: (3, [1 if premultiplied else 2])}
    output = redrawn(make.tiff(tags, pixels=np.dstack((color, alpha)).tobytes()))
    assert Image.open(io.BytesIO(output)).mode == "RGBA"
    assert close(pixels_of(output, "RGBA")[:, :, :3], SCENE, most=20)


def test_a_jpeg_of_the_old_kind() -> None:
    stream = make.saved(Image.fromarray(SCENE), "JPEG", quality=95)
    tags = rgb(_259=(3, [6]), _262=(3, [6]), _513=(4, [8]), _514=(4, [len(stream)]))
    assert close(pixels_of(redrawn(make.tiff(tags, pixels=stream))), SCENE, most=60)


def test_every_page_is_burned_on_its_own() -> None:
    pages = [Image.new("L", (600, 300), level) for level in (255, 235, 215)]
    data = make.saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], dpi=(203, 98))
    extraction, _ = image.extract(data)
    assert [raster.page for raster in extraction.rasters] == [0, 1, 2] and extraction.pages == 1
    scale = extraction.rasters[0].width / 600
    word = Word(0, 5, int(100 * scale), int(100 * scale), int(200 * scale), int(50 * scale), 95.0)
    readings = [Reading(raster.id, "value", (word,) if n == 1 else ()) for n, raster in enumerate(extraction.rasters)]
    output = image.redact(data, Findings((Finding("image/1", 0, 5, "PERSON", ""),)), readings)
    picture = Image.open(io.BytesIO(output))
    for number, level in enumerate((255, 235, 215)):
        picture.seek(number)
        shown = np.asarray(picture)
        assert (shown[105:145, 110:290] == 0).all() == (number == 1)
        assert (shown[200:] == level).all()
        assert picture.info["dpi"] == (203.0, 98.0)


def test_what_goes_unread_is_counted() -> None:
    extraction, _ = image.extract(make.tiff({270: (2, b"a\0"), 315: (2, b"b\0"), 65000: (2, b"c\0")}))
    assert extraction.unread == ((Unread.METADATA, 3),)


def many_pages(count: int) -> bytes:
    return make.tiff(*({} for _ in range(count)))


def looping() -> bytes:
    data = bytearray(make.tiff())
    (first,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, first)
    struct.pack_into("<I", data, first + 2 + 12 * count, first)
    return bytes(data)


def cut(compression: str, mode: str) -> bytes:
    """A page whose last strip is too short in a complete file."""
    data = make.saved(Image.fromarray(SCENE).convert(mode), "TIFF", compression=compression)
    picture = Image.open(io.BytesIO(data))
    place, size = int(picture.tag_v2[273][-1]), int(picture.tag_v2[279][-1])
    return data[: place + size // 2] + bytes(size - size // 2) + data[place + size :]


def jpeg(picture: Image.Image) -> bytes:
    return make.saved(picture, "JPEG")


def twelve_bits() -> bytes:
    return jpeg(Image.fromarray(GRAY)).replace(b"\xff\xc0\0\x0b\x08", b"\xff\xc1\0\x0b\x0c")


REFUSED = {
    "nothing but the mark": lambda: b"II*\0",
    "no page": lambda: b"II*\0\0\0\0\0",
    "a page beyond the end": lambda: b"II*\0\xff\xff\0\0",
    "an endless chain": looping,
    "too many pages": lambda: many_pages(MAX_TIFF_FRAMES + 1),
    "sides of 60,000": lambda: make.tiff({256: (4, [60_000]), 257: (4, [60_000]), 278: (4, [60_000])}),
    "no width": lambda: make.tiff({256: (4, [0])}),
    "fewer bytes than pixels": lambda: make.tiff(pixels=b"\xff" * 100),
    "a strip beyond the end": lambda: make.tiff({273: (4, [10**8])}),
    "fewer strips than rows": lambda: make.tiff({278: (4, [10])}),
    "strips of no rows": lambda: make.tiff({278: (4, [0])}),
    "a tile of no width": lambda: make.tiff({322: (3, [0]), 323: (3, [16]), 324: (4, [8]), 325: (4, [9])}),
    "a million tiles": lambda: make.tiff({322: (3, [1]), 323: (3, [1]), 324: (4, [8]), 325: (4, [9])}),
    "floating point": lambda: make.tiff({258: (3, [32]), 339: (3, [3])}, pixels=bytes(4 * WIDTH * HEIGHT)),
    "signed samples": lambda: make.tiff({339: (3, [2])}),
    "32 bits": lambda: make.tiff({258: (3, [32])}, pixels=bytes(4 * WIDTH * HEIGHT)),
    "unequal bits": lambda: make.tiff(rgb(_258=(3, [8, 4, 8])), pixels=SCENE.tobytes()),
    "CIE Lab": lambda: make.tiff(rgb(_262=(3, [LAB])), pixels=SCENE.tobytes()),
    "an unknown packing": lambda: make.tiff({259: (3, [50_000])}),
    "a palette without colours": lambda: make.tiff({262: (3, [3])}),
    "a damaged LZW": lambda: cut("tiff_lzw", "RGB"),
    "a damaged deflate": lambda: cut("tiff_adobe_deflate", "RGB"),
    "a damaged fax": lambda: cut("group4", "1"),
    "a damaged PackBits": lambda: make.tiff({259: (3, [32773])}, pixels=b"\x81\xff" * 3),
    "a truncated file": lambda: make.saved(Image.fromarray(SCENE), "TIFF", compression="tiff_lzw")[:500],
    "a JPEG of 12 bits inside": lambda: make.tiff({259: (3, [7])}, pixels=twelve_bits()),
    "a JPEG of other sides inside": lambda: make.tiff({259: (3, [7])}, pixels=jpeg(Image.new("L", (32, 32)))),
    "more tags than there can be": lambda: b"II*\0\x08\0\0\0\xff\xff" + bytes(100),
    "a BigTIFF of odd offsets": lambda: b"II+\0\x04\0\0\0" + bytes(64),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_whole_is_refused(case: str) -> None:
    data = REFUSED[case]()
    with pytest.raises(StageFailed, match="unsupported_format"):
        image.extract(data)


def test_any_byte_may_be_wrong() -> None:
    """Damaged bytes are refused or decoded, without a crash."""
    data = bytearray(make.tiff({270: (2, b"text\0")}, {262: (3, [3]), 320: (3, [7] * 768)}))
    chance = np.random.default_rng(9)
    for _ in range(120):
        broken = bytearray(data)
        for place in chance.integers(0, len(data), 3):
            broken[place] = chance.integers(0, 256)
        for cut_short in (bytes(broken), bytes(broken[: chance.integers(1, len(data))])):
            try:
                image.extract(cut_short)
            except StageFailed as failure:
                assert str(failure.code) == "unsupported_format"
